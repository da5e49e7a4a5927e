//! Collectives of MPI programs.

use super::communicators::TOGETHER;
use super::output::Output;
use super::rank::Rank;
use super::record::{Call, Parsed};
use crate::communicator::Communicator;
use crate::sequence;
use crate::words::in_bytes;
use tailback_engine::spec::{Collective, Operation};
use tailback_engine::workload::trace::{Envelope, Filter, What};

const SENT: (&[&str], &[&str]) = (&["sendcount", "count"], &["sendtype", "datatype"]);
const RECEIVED: (&[&str], &[&str]) = (&["recvcount", "count"], &["recvtype", "datatype"]);

impl Rank {
    /// Whether a call is a collective.
    pub(super) fn collective(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<bool> {
        let blocking = blocking(&call.name);
        let Some(kind) = kind(blocking.as_deref().unwrap_or(&call.name)) else { return Ok(false) };
        let communicator = self.communicators.of(call, &["comm"])?;
        if blocking.is_some() {
            let Kind::As(operation) = kind else {
                return Err("is not read: only the same call that blocks is".into());
            };
            let what = self.whole(call, operation, &communicator)?;
            let number = output.batch.collectives.len() as u32;
            output.batch.collectives.push(what);
            self.begin(call, Some((What::Collective(number), 0)), output)?;
            return Ok(true);
        }
        match kind {
            Kind::Scan => self.scan(call, &communicator, output)?,
            Kind::GatherOfEach => self.gather_of_each(call, &communicator, output)?,
            Kind::ScatterOfEach => self.scatter_of_each(call, &communicator, output)?,
            Kind::As(operation) => {
                let what = self.whole(call, operation, &communicator)?;
                let number = output.batch.collectives.len() as u32;
                output.batch.collectives.push(what);
                self.then(What::Collective(number), sequence::Call::Blocks, output);
            }
        }
        Ok(true)
    }

    fn whole(
        &self,
        call: &Call,
        operation: Operation,
        communicator: &Communicator,
    ) -> Parsed<Collective> {
        let root = if operation.has_root() {
            Some(communicator.member(call.number(&["root"])?, self.ranks)?)
        } else {
            None
        };
        let mut what =
            Collective { group: communicator.group(), root, ..Collective::new(operation, 0) };
        let list = |counts: &[&str], datatype: &[&str]| -> Parsed<Vec<u64>> {
            let element = self.types.length(call, datatype)?;
            let counts = call.numbers(counts)?;
            let count = |&count: &i64| u64::try_from(count).map_err(|_| "counts must be 0 or more");
            counts.iter().map(|number| in_bytes(count(number)?, element)).collect()
        };
        let each = |counts: &[&str], types: &[&str]| -> Parsed<Vec<u64>> {
            let (counts, types) = (call.numbers(counts)?, call.numbers(types)?);
            let bytes = |(&count, &number): (&i64, &i64)| {
                let count = u64::try_from(count).map_err(|_| "counts must be 0 or more")?;
                in_bytes(count, self.types.of(number)?)
            };
            counts.iter().zip(&types).map(bytes).collect()
        };
        match blocking(&call.name).as_deref().unwrap_or(&call.name) {
            "MPI_Barrier" => {}
            "MPI_Alltoallw" => {
                what.sizes = Some(each(&["sendcounts"], &["sendtypes"])?);
                what.receives = each(&["recvcounts"], &["recvtypes"])?;
            }
            "MPI_Alltoallv" => {
                what.sizes = Some(list(&["sendcounts"], &["sendtype"])?);
                what.receives = list(&["recvcounts"], &["recvtype"])?;
            }
            "MPI_Allgatherv" => what.sizes = Some(list(&["recvcounts"], &["recvtype"])?),
            "MPI_Reduce_scatter" => {
                what.sizes = Some(list(&["recvcounts", "counts"], &["datatype"])?);
            }
            "MPI_Reduce_scatter_block" => {
                what.bytes = self.length(call, &["recvcount", "count"], &["datatype"])?;
            }
            "MPI_Scatter" => what.bytes = self.length(call, RECEIVED.0, RECEIVED.1)?,
            _ => what.bytes = self.length(call, SENT.0, SENT.1)?,
        }
        Ok(what)
    }

    /// Every member sends its block to the root, which alone knows their lengths.
    fn gather_of_each(
        &mut self,
        call: &Call,
        communicator: &Communicator,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let root = communicator.member(call.number(&["root"])?, self.ranks)?;
        let context = communicator.context | TOGETHER;
        if root != self.me {
            let bytes = self.length(call, SENT.0, SENT.1)?;
            let envelope = Envelope { to: root, bytes, tag: 0, context };
            self.then(What::Send(envelope), sequence::Call::Blocks, output);
            return Ok(());
        }
        let others = communicator.others(self.me, self.ranks);
        let receive = |from| What::Receive(Filter { from: Some(from), tag: Some(0), context });
        output.expected.extend(others.iter().map(|_| 0));
        self.together(others.iter().map(|&from| receive(from)), output);
        Ok(())
    }

    /// The root, which alone knows their lengths, sends every member its block.
    fn scatter_of_each(
        &mut self,
        call: &Call,
        communicator: &Communicator,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let root = communicator.member(call.number(&["root"])?, self.ranks)?;
        let context = communicator.context | TOGETHER;
        if root != self.me {
            output.expected.push(0);
            let filter = Filter { from: Some(root), tag: Some(0), context };
            self.then(What::Receive(filter), sequence::Call::Blocks, output);
            return Ok(());
        }
        let element = self.types.length(call, &["sendtype"])?;
        let counts = call.numbers(&["sendcounts"])?;
        let mut sends = Vec::new();
        for to in communicator.others(self.me, self.ranks) {
            let place = match &communicator.members {
                None => to as usize,
                Some(members) => members.iter().position(|&rank| rank == to).unwrap_or(0),
            };
            let count = counts.get(place).and_then(|&count| u64::try_from(count).ok());
            let count = count.ok_or("sendcounts must have one from 0 for each member")?;
            let bytes = in_bytes(count, element)?;
            sends.push(What::Send(Envelope { to, bytes, tag: 0, context }));
        }
        self.together(sends, output);
        Ok(())
    }

    /// A scan, by recursive doubling.
    fn scan(
        &mut self,
        call: &Call,
        communicator: &Communicator,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let bytes = self.length(call, SENT.0, SENT.1)?;
        let context = communicator.context | TOGETHER;
        for (round, partner) in communicator.doubling(self.me, self.ranks)? {
            let tag = round + 1;
            let envelope = Envelope { to: partner, bytes, tag, context };
            let filter = Filter { from: Some(partner), tag: Some(tag), context };
            output.expected.push(bytes);
            self.together([What::Send(envelope), What::Receive(filter)], output);
        }
        Ok(())
    }
}

/// The call that does the same and blocks, if this one has a name as if it did not:
/// `MPI_Iallreduce`.
pub fn blocking(name: &str) -> Option<String> {
    let rest = name.strip_prefix("MPI_I")?;
    let first = rest.chars().next().filter(char::is_ascii_lowercase)?;
    Some(format!("MPI_{}{}", first.to_ascii_uppercase(), &rest[1..]))
}

/// How a collective is carried out.
enum Kind {
    As(Operation),
    GatherOfEach,
    ScatterOfEach,
    Scan,
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "MPI_Barrier" => Kind::As(Operation::Barrier),
        "MPI_Bcast" => Kind::As(Operation::Broadcast),
        "MPI_Reduce" => Kind::As(Operation::Reduce),
        "MPI_Allreduce" => Kind::As(Operation::AllReduce),
        "MPI_Gather" => Kind::As(Operation::Gather),
        "MPI_Scatter" => Kind::As(Operation::Scatter),
        "MPI_Allgather" | "MPI_Allgatherv" => Kind::As(Operation::AllGather),
        "MPI_Reduce_scatter" | "MPI_Reduce_scatter_block" => Kind::As(Operation::ReduceScatter),
        "MPI_Alltoall" | "MPI_Alltoallv" | "MPI_Alltoallw" => Kind::As(Operation::AllToAll),
        "MPI_Gatherv" => Kind::GatherOfEach,
        "MPI_Scatterv" => Kind::ScatterOfEach,
        "MPI_Scan" | "MPI_Exscan" => Kind::Scan,
        _ => return None,
    })
}
