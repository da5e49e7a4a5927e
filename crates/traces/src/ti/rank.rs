//! A rank of a SimGrid trace: actions into operations.

use super::arguments::{Arguments, Parsed};
use super::communicators::Communicators;
use super::datatypes::{BYTE, DOUBLE, length};
use super::requests::{Key, Requests};
use crate::calls::Calls;
use crate::communicator::Communicator;
use crate::sequence::{Call, Sequence};
use crate::words::{in_bytes, nearest, shown};
use tailback_engine::workload::trace::{Batch, Envelope, Filter, What};

/// What an action appends to.
pub struct Output<'a> {
    /// The batch.
    pub batch: &'a mut Batch,
    /// What its receives expect.
    pub expected: &'a mut Vec<u32>,
    /// The names of places.
    pub calls: &'a mut Calls,
    /// Who is in communicators.
    pub communicators: &'a mut Communicators,
}

/// What is remembered of a rank from one action to the next.
#[derive(Debug)]
pub struct Rank {
    pub(super) me: u32,
    pub(super) ranks: u32,
    pub(super) sequence: Sequence,
    requests: Requests,
    element: u64,
    /// That of the collectives that follow.
    pub(super) communicator: Communicator,
    /// Where in the program the next action is, if it says.
    location: Option<String>,
    /// The number of the place of the action that is being read.
    pub(super) place: u32,
}

impl Rank {
    /// One of so many that has done nothing yet.
    pub fn new(me: u32, ranks: u32) -> Self {
        Self {
            me,
            ranks,
            sequence: Sequence::new(),
            requests: Requests::default(),
            element: length(BYTE).unwrap_or(1),
            communicator: Communicator::default(),
            location: None,
            place: 0,
        }
    }

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
                let open = self.requests.take_all();
                self.sequence.wait(output.batch, &open, self.place);
            }
            "sendrecv" => self.send_and_receive(&mut given, output)?,
            _ => self.collective(action, &mut given, output)?,
        }
        given.end(action)
    }

    pub(super) fn then(&mut self, what: What, call: Call, batch: &mut Batch) -> u64 {
        self.sequence.then(batch, what, call, self.place)
    }

    /// Work, if there is any.
    pub(super) fn compute(&mut self, flops: f64, batch: &mut Batch) -> Parsed<()> {
        if flops >= 1e19 {
            return Err(format!("the work is too large: {flops} operations"));
        }
        if flops >= 1.0 {
            self.then(What::Flops(flops as u64), Call::Blocks, batch);
        }
        Ok(())
    }

    fn send(
        &mut self,
        action: &str,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let to = given.rank("the receiver")?;
        let tag = given.tag()?;
        let (count, element) = (given.count("the length")?, given.element()?);
        let sent = tag.ok_or("a send must have a tag from 0")?;
        let envelope = Envelope { to, bytes: in_bytes(count, element)?, tag: sent, context: 0 };
        if action == "send" {
            self.then(What::Send(envelope), Call::Blocks, output.batch);
            return Ok(());
        }
        let number = self.then(What::Send(envelope), Call::Returns, output.batch);
        self.requests.add(Key { source: Some(self.me), destination: to, tag }, number);
        Ok(())
    }

    fn receive(
        &mut self,
        action: &str,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let from = given.source("the sender")?;
        let tag = given.tag()?;
        let (count, element) = (given.perhaps_count("the length")?, given.element()?);
        let filter = Filter { from, tag, context: 0 };
        output.expected.push(count.map_or(Ok(0), |count| in_bytes(count, element))?);
        if action == "recv" {
            self.then(What::Receive(filter), Call::Blocks, output.batch);
            return Ok(());
        }
        let number = self.then(What::Receive(filter), Call::Returns, output.batch);
        self.requests.add(Key { source: from, destination: self.me, tag }, number);
        Ok(())
    }

    /// A request that has been waited for already is not waited for again.
    fn wait(&mut self, given: &mut Arguments<'_>, batch: &mut Batch) -> Parsed<()> {
        if given.left() == 0 {
            let since = "since SimGrid 3.20: record the trace with a newer one";
            return Err(format!("wait must have a sender, a receiver and a tag, as {since}"));
        }
        let source = given.source("the sender")?;
        let destination = given.rank("the receiver")?;
        let tag = given.tag()?;
        if let Some(number) = self.requests.take(Key { source, destination, tag }) {
            self.sequence.wait(batch, &[number], self.place);
        }
        Ok(())
    }

    fn send_and_receive(
        &mut self,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let sent = given.count("the length sent")?;
        let to = given.rank("the receiver")?;
        let received = given.count("the length received")?;
        let from = given.source("the sender")?;
        let (sent_element, received_element) = (given.element()?, given.element()?);
        let bytes_sent = in_bytes(sent, sent_element)?;
        output.expected.push(in_bytes(received, received_element)?);
        let filter = Filter { from, tag: Some(0), context: 0 };
        self.exchange(Envelope { to, bytes: bytes_sent, tag: 0, context: 0 }, filter, output.batch);
        Ok(())
    }

    /// Sends and receives at once, and waits for both.
    pub(super) fn exchange(&mut self, envelope: Envelope, filter: Filter, batch: &mut Batch) {
        let both = [What::Send(envelope), What::Receive(filter)];
        self.sequence.together(batch, both, self.place);
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
