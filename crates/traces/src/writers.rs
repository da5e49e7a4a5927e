//! Writers: programs in the forms of others, and in our own.

mod goal_binary;
mod goal_text;
mod messages;
mod simgrid;
mod sink;
mod unrolling;
mod whole_file;

use crate::mistake::Mistake;
use crate::stored::writing::Writer;
use crate::{Format, Source};
pub use sink::Writing;
use sink::{Refusal, Sink, Step, Taken};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use tailback_engine::workload::trace::{After, Batch, Operation, What};
use unrolling::Unrolling;
use whole_file::WholeFile;

/// A form in which programs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A format that can be read again.
    Format(Format),
    /// A list of messages: the columns time, source, destination and bytes.
    Messages,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Format(Format::Goal),
        Self::Format(Format::GoalBinary),
        Self::Format(Format::Ti),
        Self::Format(Format::Stored),
        Self::Messages,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format(format) => format.name(),
            Self::Messages => "messages",
        }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many ranks there are.
    pub ranks: u32,
    /// How many operations there are.
    pub operations: u64,
    /// How many messages are sent, collectives apart.
    pub messages: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many times ranks take part in collectives.
    pub collectives: u64,
    /// What is not as it was, in words.
    pub notes: Vec<String>,
}

/// Writes what a source says; `watch` is told how many operations there were now and then, and
/// answers whether to go on.
///
/// The file is whole or not there.
///
/// # Errors
/// What is wrong with the source; what the form cannot hold; what the system says.
pub fn convert(
    source: &mut dyn Source,
    target: Target,
    path: &Path,
    writing: Writing,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Written>, Mistake> {
    let unwritable = |error: io::Error| Mistake::unwritable(path, &error);
    let mut file = WholeFile::new(path).map_err(unwritable)?;
    let ranks = source.ranks();
    let written = {
        let output = BufWriter::with_capacity(1 << 16, file.output());
        let sink = sink(target, output, ranks, writing).map_err(unwritable)?;
        pour(source, target, path, sink, watch)?
    };
    if written.is_some() {
        file.keep().map_err(unwritable)?;
    }
    Ok(written)
}

fn sink<'a>(
    target: Target,
    output: BufWriter<&'a mut File>,
    ranks: u32,
    writing: Writing,
) -> io::Result<Box<dyn Sink + 'a>> {
    Ok(match target {
        Target::Format(Format::Goal) => Box::new(goal_text::Text::new(output, ranks, writing)?),
        Target::Format(Format::GoalBinary) => {
            Box::new(goal_binary::Binary::new(output, ranks, writing)?)
        }
        Target::Format(Format::Ti) => Box::new(simgrid::Actions::new(output, ranks)),
        Target::Messages => Box::new(messages::List::new(output, writing)?),
        Target::Format(_) => Box::new(Own {
            writer: Some(Writer::new(output, ranks)?),
            batch: Batch::default(),
            expected: Vec::new(),
        }),
    })
}

/// Operations between two looks at the watch.
const BETWEEN_LOOKS: u64 = 1 << 16;

fn pour(
    source: &mut dyn Source,
    target: Target,
    path: &Path,
    mut sink: Box<dyn Sink + '_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Written>, Mistake> {
    let mut written = Written { ranks: source.ranks(), ..Written::default() };
    let refused = |refusal, what: &str| match refusal {
        Refusal::System(error) => Mistake::unwritable(path, &error),
        Refusal::Form(why) => {
            Mistake::new(path, format!("the form {} has no place for {what}: {why}", target.name()))
        }
    };
    let has_messages_only = matches!(target, Target::Format(Format::Goal | Format::GoalBinary));
    let mut unrolling = has_messages_only.then(|| Unrolling::new(source.ranks()));
    let mut look = BETWEEN_LOOKS;
    let mut batch = Batch::default();
    for rank in 0..source.ranks() {
        let mut number = 0;
        unrolling.iter_mut().for_each(Unrolling::begin);
        while source.next(rank, &mut batch)? {
            let mut expected = source.expected().iter();
            let mut after = &batch.after[..];
            for &operation in &batch.operations {
                let (mine, rest) = after.split_at(operation.after as usize);
                after = rest;
                let is_receive = matches!(operation.what, What::Receive(_));
                let expected = if is_receive { expected.next().copied() } else { None };
                let expected = expected.unwrap_or(0);
                let mut take = |number, operation: Operation, after: &[After], expected| {
                    written.count(operation.what);
                    sink.take(&Step { rank, number, operation, after, expected, batch: &batch })
                };
                let taken = match &mut unrolling {
                    Some(unrolling) => {
                        unrolling.take((rank, operation), mine, expected, &batch, &mut take)
                    }
                    None => take(number, operation, mine, expected),
                };
                taken.map_err(|refusal| {
                    refused(refusal, &format!("operation {number} of rank {rank}"))
                })?;
                number += 1;
            }
            batch.operations.clear();
            batch.after.clear();
            batch.collectives.clear();
            if written.operations >= look {
                look = written.operations + BETWEEN_LOOKS;
                if !watch(written.operations) {
                    return Ok(None);
                }
            }
        }
        sink.end(rank).map_err(|refusal| refused(refusal, &format!("the end of rank {rank}")))?;
    }
    if let Some(left) = unrolling.as_ref().and_then(Unrolling::left) {
        return Err(Mistake::new(path, format!("not all ranks take part in a collective: {left}")));
    }
    sink.finish(source.calls()).map_err(|refusal| refused(refusal, "the end"))?;
    written.notes = source.notes();
    written.notes.extend(unrolling.iter().flat_map(Unrolling::notes));
    written.notes.extend(sink.notes());
    Ok(Some(written))
}

impl Written {
    fn count(&mut self, what: What) {
        self.operations += 1;
        match what {
            What::Send(envelope) => {
                self.messages += 1;
                self.bytes += envelope.bytes;
            }
            What::Collective(_) => self.collectives += 1,
            _ => {}
        }
    }
}

/// Our own form: operations are put back into batches of their source.
struct Own<W: io::Write> {
    writer: Option<Writer<W>>,
    batch: Batch,
    expected: Vec<u64>,
}

impl<W: io::Write> Sink for Own<W> {
    fn take(&mut self, step: &Step<'_>) -> Taken {
        let Step { operation, batch, .. } = step;
        self.batch.operations.push(*operation);
        self.batch.after.extend(step.after);
        if let What::Receive(_) = operation.what {
            self.expected.push(step.expected);
        }
        if self.batch.operations.len() < batch.operations.len() {
            return Ok(());
        }
        self.batch.collectives.clone_from(&batch.collectives);
        if let Some(writer) = &mut self.writer {
            writer.write(step.rank, &self.batch, &self.expected)?;
        }
        self.batch = Batch::default();
        self.expected.clear();
        Ok(())
    }

    fn end(&mut self, _: u32) -> Taken {
        Ok(())
    }

    fn finish(&mut self, calls: &[String]) -> Taken {
        if let Some(writer) = self.writer.take() {
            writer.finish(calls)?.flush()?;
        }
        Ok(())
    }
}
