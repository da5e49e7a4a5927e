//! GOAL as text.

use super::sink::{Refusal, Sink, Step, Taken, Writing, refuse, time_of};
use std::io::{self, Write};
use tailback_engine::workload::trace::{After, What};

/// A text that is written.
pub struct Text<W> {
    output: W,
    writing: Writing,
    /// The rank that is open.
    rank: Option<u32>,
    rounded: u64,
}

impl<W: Write> Text<W> {
    /// Begins it.
    pub fn new(mut output: W, ranks: u32, writing: Writing) -> io::Result<Self> {
        writeln!(output, "num_ranks {ranks}")?;
        Ok(Self { output, writing, rank: None, rounded: 0 })
    }

    fn open(&mut self, rank: u32) -> io::Result<()> {
        if self.rank != Some(rank) {
            writeln!(self.output, "\nrank {rank} {{")?;
            self.rank = Some(rank);
        }
        Ok(())
    }
}

impl<W: Write> Sink for Text<W> {
    fn take(&mut self, step: &Step<'_>) -> Taken {
        self.open(step.rank)?;
        let part = Part::new(step, self.writing)?;
        let number = step.number;
        let output = &mut self.output;
        write!(output, "l{number}: ")?;
        match part {
            Part::Compute { ns, is_rounded } => {
                self.rounded += u64::from(is_rounded);
                write!(output, "calc {ns}")?;
            }
            Part::Send { bytes, to, tag } => write!(output, "send {bytes}b to {to} tag {tag}")?,
            Part::Receive { bytes, from, tag } => {
                let any = |number: Option<u32>| number.map_or(-1, i64::from);
                write!(output, "recv {bytes}b from {} tag {}", any(from), any(tag))?;
            }
        }
        let (cpu, nic) = (step.operation.cpu, step.operation.nic);
        if cpu > 0 {
            write!(output, " cpu {cpu}")?;
        }
        if nic > 0 {
            write!(output, " nic {nic}")?;
        }
        writeln!(output)?;
        for After { back, begun } in step.after {
            let word = if *begun { "irequires" } else { "requires" };
            writeln!(output, "l{number} {word} l{}", number - u64::from(*back))?;
        }
        Ok(())
    }

    fn end(&mut self, rank: u32) -> Taken {
        self.open(rank)?;
        writeln!(self.output, "}}")?;
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> Taken {
        Ok(self.output.flush()?)
    }

    fn notes(&self) -> Vec<String> {
        rounding(self.rounded)
    }
}

/// An operation as GOAL has it.
pub enum Part {
    /// So many nanoseconds, which may have been rounded.
    Compute { ns: u64, is_rounded: bool },
    /// A message.
    Send { bytes: u64, to: u32, tag: u32 },
    /// A receive.
    Receive { bytes: u64, from: Option<u32>, tag: Option<u32> },
}

impl Part {
    /// An operation; a join is a computation of no time.
    pub fn new(step: &Step<'_>, writing: Writing) -> Result<Self, Refusal> {
        let compute = |ps: u64| {
            let (ns, rest) = (ps / 1000, ps % 1000);
            Self::Compute { ns: ns + u64::from(rest >= 500), is_rounded: rest > 0 }
        };
        let world = |context: u32| {
            if context == 0 {
                Ok(())
            } else {
                refuse(format!("a message of communicator {context}"))
            }
        };
        Ok(match step.operation.what {
            What::Compute(time) => compute(time),
            What::Flops(flops) => compute(time_of(flops, writing)?),
            What::Join => compute(0),
            What::Send(envelope) => {
                world(envelope.context)?;
                let (to, tag) = (envelope.to, envelope.tag);
                if tag == u32::MAX {
                    return Err(Refusal::Form(format!("tag {tag}, which means any there")));
                }
                Self::Send { bytes: envelope.bytes.max(1), to, tag }
            }
            What::Receive(filter) => {
                world(filter.context)?;
                let (from, tag) = (filter.from, filter.tag);
                Self::Receive { bytes: step.expected.max(1), from, tag }
            }
            What::Collective(number) => {
                let name = step.batch.collectives[number as usize].operation.name();
                return Err(Refusal::Form(format!("a collective ({name})")));
            }
        })
    }
}

/// What is said of times that were no whole nanoseconds.
pub fn rounding(count: u64) -> Vec<String> {
    let note = || format!("{count} times were rounded to whole nanoseconds");
    (count > 0).then(note).into_iter().collect()
}
