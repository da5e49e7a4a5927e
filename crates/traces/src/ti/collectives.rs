//! Collectives of SimGrid traces: of all ranks, unless another communicator was named.

use super::arguments::{Arguments, Parsed};
use super::rank::{Output, Rank};
use crate::sequence::Call;
use crate::words::in_bytes;
use tailback_engine::spec::{Algorithm, Collective, Method, Operation};
use tailback_engine::workload::trace::{Envelope, Filter, What};

/// Messages of scans are of contexts from this one on: no receive of the program sees them.
const SCANS: u32 = 1;
/// The tags of the blocks of `gatherv` and `scatterv` there: those of scans are numbers of rounds.
const GATHERED: u32 = 1 << 16;
const SCATTERED: u32 = 1 << 17;

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
            "gatherv" if output.at_root_alone => return self.gather_of_each(given, output),
            "scatterv" if output.at_root_alone => return self.scatter_of_each(given, output),
            "gatherv" => (gather(given)?, 0.0),
            "scatterv" => (scatter(given)?, 0.0),
            "allgatherv" => (all_gather_of_each(given)?, 0.0),
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

    /// Every member sends its block to the root, which alone has their lengths.
    fn gather_of_each(&mut self, given: &mut Arguments<'_>, output: &mut Output<'_>) -> Parsed<()> {
        let sent = given.count("the length sent")?;
        let counts = given.counts("lengths received")?;
        let root = self.communicator.member(given.root()?.into(), self.ranks)?;
        let (sent_element, element) = (given.element()?, given.element()?);
        let (tag, context) = (GATHERED, self.communicator.context + SCANS);
        if root != self.me {
            let bytes = in_bytes(sent, sent_element)?;
            let envelope = Envelope { to: root, bytes, tag, context };
            self.then(What::Send(envelope), Call::Blocks, output.batch);
            return Ok(());
        }
        let mut receives = Vec::new();
        for (from, bytes) in self.others().zip(all_bytes(&counts, element)?) {
            let Some(from) = from else { continue };
            output.expected.push(bytes);
            receives.push(What::Receive(Filter { from: Some(from), tag: Some(tag), context }));
        }
        self.sequence.together(output.batch, receives, self.place);
        Ok(())
    }

    /// The root, which alone has their lengths, sends every member its block.
    fn scatter_of_each(
        &mut self,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let counts = given.counts("lengths sent")?;
        let received = given.count("the length received")?;
        let root = self.communicator.member(given.root()?.into(), self.ranks)?;
        let (element, received_element) = (given.element()?, given.element()?);
        let (tag, context) = (SCATTERED, self.communicator.context + SCANS);
        if root != self.me {
            output.expected.push(in_bytes(received, received_element)?);
            let filter = Filter { from: Some(root), tag: Some(tag), context };
            self.then(What::Receive(filter), Call::Blocks, output.batch);
            return Ok(());
        }
        let blocks = self.others().zip(all_bytes(&counts, element)?);
        let send = |(to, bytes): (Option<u32>, u64)| {
            Some(What::Send(Envelope { to: to?, bytes, tag, context }))
        };
        let sends: Vec<_> = blocks.filter_map(send).collect();
        self.sequence.together(output.batch, sends, self.place);
        Ok(())
    }

    /// The members of its communicator in order; none in its own place.
    fn others(&self) -> impl Iterator<Item = Option<u32>> + use<> {
        let (me, members) = (self.me, self.communicator.group());
        let members = members.unwrap_or_else(|| (0..self.ranks).collect());
        members.into_iter().map(move |rank| (rank != me).then_some(rank))
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

fn gather(given: &mut Arguments<'_>) -> Parsed<Collective> {
    given.count("the length sent")?;
    let counts = given.counts("lengths received")?;
    let root = Some(given.root()?);
    given.element()?;
    let sizes = Some(all_bytes(&counts, given.element()?)?);
    let method = Some(Method::Algorithm(Algorithm::Linear));
    Ok(Collective { root, sizes, method, ..Collective::new(Operation::Gather, 0) })
}

fn scatter(given: &mut Arguments<'_>) -> Parsed<Collective> {
    let counts = given.counts("lengths sent")?;
    given.count("the length received")?;
    let root = Some(given.root()?);
    let sizes = Some(all_bytes(&counts, given.element()?)?);
    given.element()?;
    let method = Some(Method::Algorithm(Algorithm::Linear));
    Ok(Collective { root, sizes, method, ..Collective::new(Operation::Scatter, 0) })
}

fn all_gather_of_each(given: &mut Arguments<'_>) -> Parsed<Collective> {
    given.count("the length sent")?;
    let counts = given.counts("lengths received")?;
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

fn all_bytes(counts: &[u64], element: u64) -> Parsed<Vec<u64>> {
    counts.iter().map(|&count| in_bytes(count, element)).collect()
}
