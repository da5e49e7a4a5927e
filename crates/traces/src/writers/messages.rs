//! Lists of messages: what is sent when, where that does not depend on other messages.

use super::sink::{Sink, Step, Taken, Writing, refuse, time_of};
use std::io::{self, Write};
use tailback_engine::workload::trace::What;

/// When an operation begins and is done; none: that depends on messages.
#[derive(Clone, Copy)]
struct Times {
    begun: Option<u64>,
    done: Option<u64>,
}

/// A list that is written: each rank's messages in the order of its operations.
pub struct List<W> {
    output: W,
    writing: Writing,
    /// Those of the rank so far.
    times: Vec<Times>,
    /// When CPUs of the rank are free.
    free: Vec<u64>,
}

impl<W: Write> List<W> {
    /// Begins it.
    pub fn new(mut output: W, writing: Writing) -> io::Result<Self> {
        writeln!(output, "time_ps,source,destination,bytes")?;
        Ok(Self { output, writing, times: Vec::new(), free: vec![0; 256] })
    }

    /// A computation that may begin at a time, behind others of its CPU.
    fn compute(&mut self, cpu: u8, ready: Option<u64>, time: u64) -> Times {
        let free = &mut self.free[usize::from(cpu)];
        let begun = ready.map(|ready| ready.max(*free));
        let done = begun.map(|begun| begun.saturating_add(time));
        *free = done.unwrap_or(*free);
        Times { begun, done }
    }
}

impl<W: Write> Sink for List<W> {
    fn take(&mut self, step: &Step<'_>) -> Taken {
        let mut before = step.after.iter().map(|after| {
            let times = self.times[self.times.len() - after.back as usize];
            if after.begun { times.begun } else { times.done }
        });
        let ready = before.try_fold(0, |latest: u64, time| Some(latest.max(time?)));
        let times = match step.operation.what {
            What::Compute(time) => self.compute(step.operation.cpu, ready, time),
            What::Flops(flops) => {
                let time = time_of(flops, self.writing)?;
                self.compute(step.operation.cpu, ready, time)
            }
            What::Send(envelope) => {
                let Some(time) = ready else {
                    return refuse("it is sent when another message has come");
                };
                let (rank, to, bytes) = (step.rank, envelope.to, envelope.bytes);
                writeln!(self.output, "{time},{rank},{to},{bytes}")?;
                Times { begun: ready, done: ready }
            }
            What::Receive(_) => Times { begun: ready, done: None },
            What::Join => Times { begun: ready, done: ready },
            What::Collective(number) => {
                let name = step.batch.collectives[number as usize].operation.name();
                return refuse(format!("a collective ({name})"));
            }
        };
        self.times.push(times);
        Ok(())
    }

    fn end(&mut self, _: u32) -> Taken {
        self.times.clear();
        self.free.fill(0);
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> Taken {
        Ok(self.output.flush()?)
    }

    fn notes(&self) -> Vec<String> {
        vec!["tags and receives are not in a list; what follows a send does not wait for it".into()]
    }
}
