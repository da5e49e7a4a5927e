//! Collectives of SimGrid traces: of all ranks, unless another communicator was named.

use super::arguments::{Arguments, Parsed};
use super::rank::{Output, Rank};
use crate::sequence::Call;
use crate::words::in_bytes;
use tailback_engine::spec::{Algorithm, Collective, Method, Operation};
use tailback_engine::workload::trace::{Envelope, Filter, What};

/// Messages of scans are of contexts from this one on: no receive of the program sees them.
const SCANS: u32 = 1;

impl Rank {
    /// Appends a collective, and the work that it says is to be done after it. Roots and lists
    /// count members of its communicator.
    pub(super) fn collective(
        &mut self,
        action: &str,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        given.ranks = self.communicator.size(self.ranks);
        if matches!(action, "scan" | "exscan") {
            return self.scan(given, output);
        }
        let (mut what, flops) = match action {
            "barrier" => (Collective::new(Operation::Barrier, 0), 0.0),
            "bcast" => (broadcast(given)?, 0.0),
            "reduce" => reduce(given)?,
            "allreduce" => {
                let (count, flops) = (given.count("the length")?, given.real("the work")?);
                let bytes = in_bytes(count, given.element()?)?;
                (Collective::new(Operation::AllReduce, bytes), flops)
            }
            "reducescatter" => reduce_scatter(given)?,
            "alltoallv" => (all_to_all_of_pairs(given)?, 0.0),
            "gatherv" | "allgatherv" => (gather_of_each(action, given)?, 0.0),
            "scatterv" => (scatter_of_each(given)?, 0.0),
            _ => (blocks(action, given)?, 0.0),
        };
        if let Some(root) = what.root {
            what.root = Some(self.communicator.member(i64::from(root), self.ranks)?);
        }
        what.group = self.communicator.group();
        let number = output.batch.collectives.len() as u32;
        output.batch.collectives.push(what);
        self.then(What::Collective(number), Call::Blocks, output.batch);
        self.compute(flops, output.batch)
    }

    /// A scan by recursive doubling. Work is done at the end, as much as is said.
    fn scan(&mut self, given: &mut Arguments<'_>, output: &mut Output<'_>) -> Parsed<()> {
        let (count, flops) = (given.count("the length")?, given.real("the work")?);
        let bytes = in_bytes(count, given.element()?)?;
        let context = self.communicator.context + SCANS;
        for (round, partner) in self.communicator.doubling(self.me, self.ranks)? {
            let envelope = Envelope { to: partner, bytes, tag: round, context };
            let filter = Filter { from: Some(partner), tag: Some(round), context };
            output.expected.push(bytes);
            self.exchange(envelope, filter, output.batch);
        }
        self.compute(flops, output.batch)
    }
}

fn broadcast(given: &mut Arguments<'_>) -> Parsed<Collective> {
    let count = given.count("the length")?;
    let root = Some(given.root()?);
    Ok(Collective {
        root,
        ..Collective::new(Operation::Broadcast, in_bytes(count, given.element()?)?)
    })
}

fn reduce(given: &mut Arguments<'_>) -> Parsed<(Collective, f64)> {
    let (count, flops) = (given.count("the length")?, given.real("the work")?);
    let root = Some(given.root()?);
    let bytes = in_bytes(count, given.element()?)?;
    Ok((Collective { root, ..Collective::new(Operation::Reduce, bytes) }, flops))
}

fn reduce_scatter(given: &mut Arguments<'_>) -> Parsed<(Collective, f64)> {
    let counts = given.counts("lengths")?;
    let flops = given.real("the work")?;
    let element = given.element()?;
    let what = Collective {
        sizes: Some(all_bytes(&counts, element)?),
        ..Collective::new(Operation::ReduceScatter, 0)
    };
    Ok((what, flops))
}

/// Blocks that are as long for every rank.
fn blocks(action: &str, given: &mut Arguments<'_>) -> Parsed<Collective> {
    let (sent, received) = (given.count("the length sent")?, given.count("the length received")?);
    let has_root = matches!(action, "gather" | "scatter");
    let root = if has_root { Some(given.root()?) } else { None };
    let (sent_element, received_element) = (given.element()?, given.element()?);
    let (operation, bytes) = match action {
        "gather" => (Operation::Gather, in_bytes(sent, sent_element)?),
        // The root says here what it keeps of its own.
        "scatter" => (Operation::Scatter, in_bytes(received, received_element)?),
        "allgather" => (Operation::AllGather, in_bytes(sent, sent_element)?),
        _ => (Operation::AllToAll, in_bytes(sent, sent_element)?),
    };
    Ok(Collective { root, ..Collective::new(operation, bytes) })
}

/// The lengths of the buffers say nothing that the lists do not.
fn all_to_all_of_pairs(given: &mut Arguments<'_>) -> Parsed<Collective> {
    given.count("the length of the buffer")?;
    let sent = given.counts("lengths sent")?;
    given.count("the length of the buffer")?;
    let received = given.counts("lengths received")?;
    let (sent_element, received_element) = (given.element()?, given.element()?);
    Ok(Collective {
        sizes: Some(all_bytes(&sent, sent_element)?),
        receives: all_bytes(&received, received_element)?,
        ..Collective::new(Operation::AllToAll, 0)
    })
}

fn gather_of_each(action: &str, given: &mut Arguments<'_>) -> Parsed<Collective> {
    given.count("the length sent")?;
    let counts = given.counts("lengths received")?;
    if action == "gatherv" {
        let root = Some(given.root()?);
        given.element()?;
        let sizes = Some(all_bytes(&counts, given.element()?)?);
        let method = Some(Method::Algorithm(Algorithm::Linear));
        return Ok(Collective { root, sizes, method, ..Collective::new(Operation::Gather, 0) });
    }
    // One type or two, or displacements, which say nothing about messages, behind a type or not.
    let left = given.left();
    let has_type = left > given.ranks as usize || matches!(left, 1 | 2);
    let element = if has_type { given.element()? } else { given.element };
    while given.left() > 0 {
        given.count("a displacement")?;
    }
    let sizes = Some(all_bytes(&counts, element)?);
    Ok(Collective { sizes, ..Collective::new(Operation::AllGather, 0) })
}

fn scatter_of_each(given: &mut Arguments<'_>) -> Parsed<Collective> {
    let counts = given.counts("lengths sent")?;
    given.count("the length received")?;
    let root = Some(given.root()?);
    let sizes = Some(all_bytes(&counts, given.element()?)?);
    given.element()?;
    let method = Some(Method::Algorithm(Algorithm::Linear));
    Ok(Collective { root, sizes, method, ..Collective::new(Operation::Scatter, 0) })
}

fn all_bytes(counts: &[u64], element: u64) -> Parsed<Vec<u64>> {
    counts.iter().map(|&count| in_bytes(count, element)).collect()
}
