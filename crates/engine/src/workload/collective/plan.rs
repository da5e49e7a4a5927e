//! Which phases an algorithm consists of.

use super::data::{Data, Layout, with_bit};
use super::group::Group;
use super::moves::{Load, Moves, Order, Way, Worker};
use super::phase::Phase;
use super::tree::Shape;
use crate::spec::{Algorithm, Operation};

/// The lengths of what a collective is about.
#[derive(Clone, Copy, Debug)]
pub enum Amount<'a> {
    /// What each has, or each block.
    Equal(u64),
    /// Each member's block.
    Each(&'a [u64]),
    /// Each pair's block; each member knows its own.
    Pairs,
}

/// The messages of one collective: who sends what to whom, round by round.
///
/// A pure function of operation, algorithm, number of members, root and lengths. It takes no
/// memory to speak of: moves are worked out when they are asked for.
#[derive(Clone, Debug)]
pub struct Plan {
    n: u32,
    layout: Layout,
    phases: Vec<(Phase, u32)>,
}

impl Plan {
    /// The messages of an operation in a group of `n`, made by an algorithm; `root` is a place in
    /// the group, `segment` the longest piece where there are segments.
    ///
    /// # Errors
    /// What the algorithm is not for: in words, to stand behind its name.
    pub fn new(
        operation: Operation,
        algorithm: Algorithm,
        (n, root): (u32, u32),
        amount: Amount,
        segment: Option<u32>,
    ) -> Result<Self, String> {
        let pieces = pieces(algorithm, n, amount, segment)?;
        if algorithm == Algorithm::NeighbourExchange && n % 2 == 1 && n > 1 {
            return Err(format!("is for even numbers of members, not {n}"));
        }
        if algorithm == Algorithm::Bruck && matches!(amount, Amount::Pairs) {
            return Err("is for blocks of one length only".into());
        }
        let Some((phases, parts)) = phases(operation, algorithm, (n, root), pieces) else {
            let is_one = |&one: &Algorithm| phases(operation, one, (2, 0), 1).is_some();
            let known: Vec<_> =
                Algorithm::ALL.into_iter().filter(is_one).map(Algorithm::name).collect();
            return Err(format!("must be one of {} for {}", known.join(", "), operation.name()));
        };
        let layout = match amount {
            // Every pair has its own.
            Amount::Pairs => Layout::Equal { bytes: 0, parts: 0 },
            Amount::Equal(bytes) if operation == Operation::AllToAll => {
                Layout::Equal { bytes, parts: 0 }
            }
            Amount::Each(sizes) => Layout::each(sizes),
            Amount::Equal(bytes) if operation.has_blocks() => Layout::Equal { bytes, parts: n },
            Amount::Equal(bytes) => Layout::Even { bytes, parts },
        };
        Ok(Self { n, layout, phases })
    }

    /// Members of the group.
    pub fn members(&self) -> u32 {
        self.n
    }

    /// Into how many parts it cuts what it is about.
    #[cfg(test)]
    pub fn parts(&self) -> u32 {
        self.layout.parts()
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u32 {
        self.phases.iter().map(|(phase, _)| phase.rounds(self.n)).sum()
    }

    /// What a member does in a round, instead of what is in `out`; whether what it receives is
    /// added to what it has.
    pub fn moves(&self, me: u32, mut round: u32, out: &mut Moves) -> bool {
        out.sends.clear();
        out.receives.clear();
        for &(phase, root) in &self.phases {
            let rounds = phase.rounds(self.n);
            if round < rounds {
                let group = Group { n: self.n, root, layout: &self.layout };
                phase.moves(group, me, round, out);
                return phase.adds();
            }
            round -= rounds;
        }
        false
    }

    /// How long a message is.
    pub fn bytes(&self, data: Data) -> u64 {
        match (data, &self.layout) {
            (Data::Parts { first, count }, layout) => layout.bytes(first, count),
            (Data::Block { .. }, Layout::Equal { bytes, .. }) => *bytes,
            (Data::Distances(bit), Layout::Equal { bytes, .. }) => {
                bytes * with_bit(self.n, bit).count() as u64
            }
            (Data::Block { .. } | Data::Distances(_), _) => 0,
        }
    }
}

/// Pieces of a whole, or of a part of a ring, that are passed on alone.
fn pieces(
    algorithm: Algorithm,
    n: u32,
    amount: Amount,
    segment: Option<u32>,
) -> Result<u32, String> {
    /// A member looks at every round.
    const MOST: u32 = 1 << 16;
    let (Some(segment), Amount::Equal(bytes)) = (segment, amount) else { return Ok(1) };
    let longest = match algorithm {
        Algorithm::Chain | Algorithm::BinaryTree => bytes,
        Algorithm::SegmentedRing => bytes.div_ceil(n.into()),
        _ => return Err("has no segments".into()),
    };
    let pieces = longest.div_ceil(segment.max(1).into()).max(1);
    if pieces > MOST.into() {
        return Err(format!("has at most {MOST} segments, not {pieces}"));
    }
    Ok(pieces as u32)
}

/// The phases of an algorithm, and the root of each; and into how many parts it cuts what has no
/// blocks. None: it is not for that.
fn phases(
    operation: Operation,
    algorithm: Algorithm,
    (n, root): (u32, u32),
    pieces: u32,
) -> Option<(Vec<(Phase, u32)>, u32)> {
    use Algorithm as A;
    use Operation as O;
    let from_first = |phases: Vec<Phase>| phases.into_iter().map(|phase| (phase, 0)).collect();
    let tree = |way, load| of_tree(algorithm, (way, load), pieces).map(|phase| vec![(phase, root)]);
    let (near, odd) = (Order::NearFirst, Worker::Odd);
    let workers = 1 << n.ilog2();
    Some(match (operation, algorithm) {
        (O::Barrier, A::Dissemination) => (from_first(vec![Phase::Dissemination]), 1),
        (O::Barrier, A::DoubleRing) => (from_first(vec![Phase::Token]), 1),
        (O::Barrier | O::AllReduce, A::RecursiveDoubling) => {
            (from_first(folded(Load::Whole, vec![Phase::Exchange(odd)], Load::Whole)), 1)
        }
        (O::Barrier, A::Linear | A::Binomial) | (O::AllReduce, A::Linear) => {
            let ways = [Way::In, Way::Out].map(|way| of_tree(algorithm, (way, Load::Whole), 1));
            (from_first(ways.into_iter().flatten().collect()), 1)
        }
        (O::AllReduce, A::ByRoot) => {
            let ways = [Way::In, Way::Out].map(|way| Phase::Digits(2, way, Load::Whole));
            (from_first(ways.into()), 1)
        }
        (O::AllReduce, A::Rabenseifner) => {
            let phases = vec![Phase::Halve(near, odd), Phase::Double(near, odd)];
            (from_first(folded(Load::Whole, phases, Load::Whole)), workers)
        }
        (O::AllReduce, A::Ring | A::SegmentedRing) => {
            let adds = (0..pieces).map(|piece| Phase::RingAdd(piece, pieces));
            (from_first(adds.chain([Phase::RingCopy(pieces)]).collect()), n * pieces)
        }
        (O::Broadcast, A::ScatterRing | A::ScatterDoubling) => {
            let mut phases = vec![(Phase::Digits(2, Way::Out, Load::Blocks), root)];
            let rest =
                if algorithm == A::ScatterRing { vec![Phase::RingCopy(1)] } else { doubled() };
            phases.extend(rest.into_iter().map(|phase| (phase, 0)));
            (phases, n)
        }
        (O::Reduce, A::Rabenseifner) => {
            let even = Worker::Even;
            let phases = [
                Phase::Fold(Way::In, Load::Whole, even),
                Phase::Halve(near, even),
                Phase::DoubleToRoot(near, even),
            ];
            (phases.map(|phase| (phase, root)).into(), workers)
        }
        (O::Broadcast, _) => (tree(Way::Out, Load::Whole)?, pieces),
        (O::Reduce, _) => (tree(Way::In, Load::Whole)?, pieces),
        (O::Gather, A::Linear | A::Binomial) => (tree(Way::In, Load::Blocks)?, n),
        (O::Scatter, A::Linear | A::Binomial) => (tree(Way::Out, Load::Blocks)?, n),
        (O::AllGather, A::RecursiveDoubling) => (from_first(doubled()), n),
        (O::ReduceScatter, A::RecursiveHalving) => {
            let phases = vec![Phase::Halve(Order::FarFirst, odd)];
            (from_first(folded(Load::Whole, phases, Load::Blocks)), n)
        }
        (O::AllGather, A::ByRoot) => {
            let gather = Phase::Digits(2, Way::In, Load::Blocks);
            (from_first(vec![gather, Phase::Digits(2, Way::Out, Load::Whole)]), n)
        }
        (O::ReduceScatter, A::ByRoot) => {
            let reduce = Phase::Digits(2, Way::In, Load::Whole);
            let scatter = Phase::Tree(Shape::Star, Way::Out, Load::Blocks, 1);
            (from_first(vec![reduce, scatter]), n)
        }
        _ => (vec![(alone(operation, algorithm)?, 0)], n),
    })
}

/// The only phase of an algorithm that has one, without a root.
fn alone(operation: Operation, algorithm: Algorithm) -> Option<Phase> {
    use Algorithm as A;
    use Operation as O;
    Some(match (operation, algorithm) {
        (O::AllGather, A::Ring) => Phase::RingCopy(1),
        (O::AllGather, A::Bruck) => Phase::BruckGather,
        (O::AllGather, A::NeighbourExchange) => Phase::Neighbours,
        (O::ReduceScatter, A::Ring) => Phase::RingAdd(0, 1),
        (O::ReduceScatter, A::Pairwise) => Phase::Pairs(true),
        (O::AllToAll, A::Pairwise) => Phase::Pairs(false),
        (O::AllToAll, A::Bruck) => Phase::BruckAll,
        (O::AllGather | O::AllToAll, A::Linear) => Phase::Everybody,
        _ => return None,
    })
}

/// Along which tree an algorithm passes something on.
fn of_tree(algorithm: Algorithm, (way, load): (Way, Load), pieces: u32) -> Option<Phase> {
    Some(match algorithm {
        Algorithm::Linear => Phase::Tree(Shape::Star, way, load, 1),
        Algorithm::Chain => Phase::Tree(Shape::Chain, way, load, pieces),
        Algorithm::BinaryTree => Phase::Tree(Shape::Binary, way, load, pieces),
        Algorithm::Binomial => Phase::Digits(2, way, load),
        Algorithm::Knomial => Phase::Digits(4, way, load),
        _ => return None,
    })
}

/// Off powers of two some work for two.
fn folded(before: Load, mut phases: Vec<Phase>, after: Load) -> Vec<Phase> {
    phases.insert(0, Phase::Fold(Way::In, before, Worker::Odd));
    phases.push(Phase::Fold(Way::Out, after, Worker::Odd));
    phases
}

/// An all-gather by recursive doubling.
fn doubled() -> Vec<Phase> {
    folded(Load::Blocks, vec![Phase::Double(Order::FarFirst, Worker::Odd)], Load::Whole)
}
