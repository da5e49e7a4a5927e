//! What each action does.

use super::arguments::{Arguments, Parsed};
use super::datatypes::{BYTE, DOUBLE, length};
use super::rank::{Output, Rank};
use crate::sequence::Call;
use crate::words::{nearest, shown};
use tailback_engine::workload::trace::What;

impl Rank {
    /// Appends what an action does.
    ///
    /// # Errors
    /// What is no action, or has arguments that it cannot have.
    pub fn act(&mut self, name: &[u8], line: &[u8], output: &mut Output<'_>) -> Parsed<()> {
        let mut given = Arguments::new(line, self.ranks, self.element);
        let Some(action) = name_of(name) else { return Err(unknown(name)) };
        self.place = match &self.location {
            None => output.calls.number(action),
            Some(location) => output.calls.number(&format!("{location} {action}")),
        };
        match action {
            "init" => {
                let kind = if given.left() > 0 { DOUBLE } else { BYTE };
                self.element = length(kind).unwrap_or(1);
                return Ok(());
            }
            "communicator" => {
                self.communicator = output.communicators.named(self.me, &mut given)?;
            }
            "location" => {
                self.location = Some(String::from_utf8_lossy(line.trim_ascii()).replace(' ', ":"));
                return Ok(());
            }
            // An operation that has been tested is still to be waited for, for no time if it is done.
            "finalize" | "comm_size" | "comm_split" | "comm_dup" | "test" => return Ok(()),
            "compute" => self.compute(given.real("the work")?, output.batch)?,
            "sleep" => {
                let time = picoseconds(given.real("the time")?)?;
                self.then(What::Compute(time), Call::Blocks, output.batch);
            }
            "send" | "isend" => self.send(action, &mut given, output)?,
            "recv" | "irecv" => self.receive(action, &mut given, output)?,
            "wait" => self.wait(&mut given, output.batch)?,
            "waitall" => {
                // SMPI says how many there are, and waits for all.
                if given.left() > 0 {
                    given.count("the number of requests")?;
                }
                let open = self.requests.take_all();
                self.sequence.wait(output.batch, &open, self.place);
            }
            "sendrecv" => self.send_and_receive(&mut given, output)?,
            _ => self.collective(action, &mut given, output)?,
        }
        given.end(action)
    }
}

fn picoseconds(seconds: f64) -> Parsed<u64> {
    let picoseconds = seconds * 1e12;
    if picoseconds < 1e19 {
        return Ok(picoseconds.round() as u64);
    }
    Err(format!("the time is too long: {seconds} s"))
}

/// The actions, as they are written today. Names are not case-sensitive.
const ACTIONS: [&str; 32] = [
    "init",
    "finalize",
    "comm_size",
    "comm_split",
    "comm_dup",
    "communicator",
    "location",
    "compute",
    "sleep",
    "send",
    "isend",
    "recv",
    "irecv",
    "test",
    "wait",
    "waitall",
    "sendrecv",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "alltoall",
    "alltoallv",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "reducescatter",
    "scan",
    "exscan",
];

/// The name of an action, however its letters are written.
pub fn name_of(name: &[u8]) -> Option<&'static str> {
    ACTIONS.iter().find(|action| action.as_bytes().eq_ignore_ascii_case(name)).copied()
}

fn unknown(name: &[u8]) -> String {
    let name = shown(name);
    let near = nearest(&name.to_ascii_lowercase(), ACTIONS);
    let hint = near.map_or(String::new(), |near| format!("; do you mean {near}?"));
    format!("{name} is no action of SimGrid's traces{hint}")
}
