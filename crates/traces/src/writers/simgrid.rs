//! Time-independent traces of SimGrid: one file for all ranks.

use super::sink::{Refusal, Sink, Step, Taken, refuse};
use std::fmt::Write as _;
use std::io::Write;
use tailback_engine::spec::{Collective, Operation as Together};
use tailback_engine::workload::trace::{After, Operation, What};

/// By what a request is waited for: sender, receiver and tag, as they are written.
type Key = (i64, i64, i64);

const ANY_SOURCE: i64 = -555;
const ANY_TAG: i64 = -444;
/// Bytes.
const TYPE: &str = "6";

/// An operation that is not written before it is known whether the next one waits for it.
struct Pending {
    operation: Operation,
    collective: Option<Collective>,
    expected: u64,
}

/// Actions that are written.
pub struct Actions<W> {
    output: W,
    ranks: u32,
    rank: Option<u32>,
    pending: Option<Pending>,
    /// Requests that are not waited for yet: numbers of operations, in order.
    open: Vec<(u64, Key)>,
    /// How many times were written as sleep.
    slept: u64,
}

impl<W: Write> Actions<W> {
    /// Begins them.
    pub fn new(output: W, ranks: u32) -> Self {
        Self { output, ranks, rank: None, pending: None, open: Vec::new(), slept: 0 }
    }

    fn open(&mut self, rank: u32) -> Taken {
        if self.rank.replace(rank) != Some(rank) {
            writeln!(self.output, "{rank} init")?;
        }
        Ok(())
    }

    /// Writes the operation before the one of a number, for which that one waits or does not.
    fn write_pending(&mut self, rank: u32, number: u64, waits: bool) -> Taken {
        let Some(Pending { operation, collective, expected }) = self.pending.take() else {
            return Ok(());
        };
        let letter = if waits { "" } else { "i" };
        let is_request = matches!(operation.what, What::Send(_) | What::Receive(_) | What::Join);
        if !waits && !is_request {
            return refuse("it does not wait for the computation or collective before it");
        }
        let me = i64::from(rank);
        let (key, text) = match operation.what {
            What::Compute(0) | What::Join => return Ok(()),
            What::Compute(time) => {
                self.slept += 1;
                let (whole, rest) = (time / 1_000_000_000_000, time % 1_000_000_000_000);
                (None, format!("sleep {whole}.{rest:012}"))
            }
            What::Flops(flops) => (None, format!("compute {flops}")),
            What::Send(envelope) => {
                let (to, tag, bytes) = (envelope.to, envelope.tag, envelope.bytes);
                let key = (me, i64::from(to), i64::from(tag));
                (Some(key), format!("{letter}send {to} {tag} {bytes} {TYPE}"))
            }
            What::Receive(filter) => {
                let from = filter.from.map_or(ANY_SOURCE, i64::from);
                let tag = filter.tag.map_or(ANY_TAG, i64::from);
                let bytes = if expected > 0 { expected.cast_signed() } else { -1 };
                (Some((from, me, tag)), format!("{letter}recv {from} {tag} {bytes} {TYPE}"))
            }
            What::Collective(_) => (None, collective_text(collective.as_ref(), self.ranks)?),
        };
        if let (Some(key), false) = (key, waits) {
            self.open.push((number - 1, key));
        }
        writeln!(self.output, "{rank} {text}")?;
        Ok(())
    }

    /// Writes that requests are waited for which are open and have these numbers.
    fn write_waits(&mut self, rank: u32, numbers: &[u64]) -> Taken {
        let is_waited = |(number, _): &(u64, Key)| numbers.contains(number);
        let count = self.open.iter().filter(|one| is_waited(one)).count();
        if count > 1 && count == self.open.len() {
            self.open.clear();
            writeln!(self.output, "{rank} waitall")?;
            return Ok(());
        }
        while let Some(place) = self.open.iter().position(is_waited) {
            let (_, key) = self.open[place];
            if self.open[..place].iter().any(|&(_, other)| other == key) {
                let (from, to, tag) = key;
                return refuse(format!(
                    "it waits for a later one of two requests from {from} to {to} with tag {tag}"
                ));
            }
            self.open.remove(place);
            writeln!(self.output, "{rank} wait {} {} {}", key.0, key.1, key.2)?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Actions<W> {
    fn take(&mut self, step: &Step<'_>) -> Taken {
        let Step { rank, number, operation, after, .. } = *step;
        self.open(rank)?;
        if operation.cpu > 0 {
            return refuse(format!("CPU {}: a rank has one there", operation.cpu));
        }
        let world = match operation.what {
            What::Send(envelope) => envelope.context == 0,
            What::Receive(filter) => filter.context == 0,
            _ => true,
        };
        if !world {
            return refuse("a message of another communicator");
        }
        let last = |begun| after.contains(&After { back: 1, begun });
        if number > 0 && !last(true) && !last(false) {
            return refuse("it does not wait for the one before it: ranks do one after the other");
        }
        self.write_pending(rank, number, last(false))?;
        let earlier = after.iter().filter(|after| !after.begun && after.back > 1);
        let numbers: Vec<_> = earlier.map(|after| number - u64::from(after.back)).collect();
        self.write_waits(rank, &numbers)?;
        let collective = match operation.what {
            What::Collective(place) => Some(step.batch.collectives[place as usize].clone()),
            _ => None,
        };
        self.pending = Some(Pending { operation, collective, expected: step.expected });
        Ok(())
    }

    fn end(&mut self, rank: u32) -> Taken {
        self.open(rank)?;
        self.write_pending(rank, 0, true)?;
        self.open.clear();
        writeln!(self.output, "{rank} finalize")?;
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> Taken {
        Ok(self.output.flush()?)
    }

    fn notes(&self) -> Vec<String> {
        let note = || format!("{} recorded times of computing are written as sleep", self.slept);
        (self.slept > 0).then(note).into_iter().collect()
    }
}

/// A collective as an action; its lengths are bytes.
fn collective_text(collective: Option<&Collective>, ranks: u32) -> Result<String, Refusal> {
    let no = |why: &str| Err(Refusal::Form(why.into()));
    let Some(collective) = collective else { return no("a collective that is not there") };
    if collective.group.as_ref().is_some_and(|group| !group.iter().copied().eq(0..ranks)) {
        return no("a collective of some ranks: there all take part");
    }
    let (bytes, root) = (collective.bytes, collective.root.unwrap_or(0));
    let list = |sizes: &[u64]| {
        sizes.iter().fold(String::new(), |mut text, size| {
            let _ = write!(text, "{size} ");
            text
        })
    };
    let sum = |sizes: &[u64]| sizes.iter().sum::<u64>();
    Ok(match (collective.operation, &collective.sizes) {
        (Together::Barrier, _) => "barrier".into(),
        (Together::Broadcast, _) => format!("bcast {bytes} {root} {TYPE}"),
        (Together::Reduce, _) => format!("reduce {bytes} 0 {root} {TYPE}"),
        (Together::AllReduce, _) => format!("allreduce {bytes} 0 {TYPE}"),
        (Together::Gather, None) => format!("gather {bytes} {bytes} {root} {TYPE} {TYPE}"),
        (Together::Scatter, None) => format!("scatter {bytes} {bytes} {root} {TYPE} {TYPE}"),
        (Together::AllGather, None) => format!("allgather {bytes} {bytes} {TYPE} {TYPE}"),
        (Together::AllToAll, None) => format!("alltoall {bytes} {bytes} {TYPE} {TYPE}"),
        (Together::ReduceScatter, None) => {
            format!("reducescatter {}0 {TYPE}", list(&vec![bytes; ranks as usize]))
        }
        (Together::ReduceScatter, Some(sizes)) => format!("reducescatter {}0 {TYPE}", list(sizes)),
        (Together::Gather, Some(sizes)) => format!("gatherv 0 {}{root} {TYPE} {TYPE}", list(sizes)),
        (Together::Scatter, Some(sizes)) => {
            format!("scatterv {}0 {root} {TYPE} {TYPE}", list(sizes))
        }
        (Together::AllGather, Some(sizes)) => format!("allgatherv 0 {}{TYPE}", list(sizes)),
        (Together::AllToAll, Some(sizes)) => {
            let receives = &collective.receives;
            let (sent, got) = (sum(sizes), sum(receives));
            format!("alltoallv {sent} {}{got} {}{TYPE} {TYPE}", list(sizes), list(receives))
        }
    })
}
