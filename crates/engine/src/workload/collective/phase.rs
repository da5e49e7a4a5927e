//! The parts that algorithms are made of: who sends what to whom, round by round.
//!
//! Members are numbered by their place in the group, in phases with a root from there on. What is
//! sent in a round is received in the round of the same number, and was there before it.

use super::data::Data;
use super::group::{Group, digits};
use super::moves::{Load, Moves, Order, Way, Worker};
use super::tree::Shape;

/// A part of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Along the tree in which the lowest digit of a number that is not 0 becomes 0 towards the
    /// root: to the base 2 the binomial tree.
    Digits(u32, Way, Load),
    /// Along another tree, in so many segments.
    Tree(Shape, Way, Load, u32),
    /// Those beyond a power of two give what they have to others, or get what these have.
    Fold(Way, Load, Worker),
    /// All of it to and from the one at distance 1, 2, 4, …
    Exchange(Worker),
    /// Half of what is left to, and half from the one at such a distance, to be added.
    Halve(Order, Worker),
    /// The same backwards: what both have.
    Double(Order, Worker),
    /// The same, but only towards the root.
    DoubleToRoot(Order, Worker),
    /// One part after the other around the ring, added on the way; one of so many segments of each.
    RingAdd(u32, u32),
    /// The same, not added; all segments.
    RingCopy(u32),
    /// A word to the one 1, 2, 4, … on.
    Dissemination,
    /// A word goes around twice.
    Token,
    /// All that one has to the one 1, 2, 4, … back.
    BruckGather,
    /// Blocks for those at distances with one bit, that much further.
    BruckAll,
    /// Everybody to everybody, its own or a block for each.
    Everybody,
    /// One after the other; whether blocks are added.
    Pairs(bool),
    /// With the neighbour to either side in turn.
    Neighbours,
}

/// Doublings until there are `n`, rounded up.
pub fn doublings(n: u32) -> u32 {
    n.next_power_of_two().trailing_zeros()
}

impl Phase {
    /// Its rounds in a group of `n`.
    pub fn rounds(self, n: u32) -> u32 {
        let doubled = n.ilog2();
        match self {
            Self::Digits(radix, ..) => digits(n, radix),
            Self::Tree(shape, _, _, segments) if n > 1 => shape.height(n) + segments - 1,
            Self::Fold(..) => u32::from(!n.is_power_of_two()),
            Self::Exchange(_) | Self::Halve(..) | Self::Double(..) | Self::DoubleToRoot(..) => {
                doubled
            }
            Self::RingAdd(..) | Self::RingCopy(_) | Self::Pairs(_) => n - 1,
            Self::Dissemination | Self::BruckGather | Self::BruckAll => doublings(n),
            Self::Token if n > 1 => 2 * n,
            Self::Everybody => u32::from(n > 1),
            Self::Neighbours => n / 2,
            Self::Tree(..) | Self::Token => 0,
        }
    }

    /// Whether what comes is added to what is there.
    pub fn adds(self) -> bool {
        match self {
            Self::Digits(_, way, load) | Self::Tree(_, way, load, _) | Self::Fold(way, load, _) => {
                way == Way::In && load == Load::Whole
            }
            Self::Exchange(_) | Self::Halve(..) | Self::RingAdd(..) => true,
            Self::Pairs(adds) => adds,
            _ => false,
        }
    }

    /// What a member does in a round.
    pub fn moves(self, group: Group, me: u32, round: u32, out: &mut Moves) {
        match self {
            Self::Digits(radix, way, load) => {
                group.along_digits(radix, (way, load), me, round, out);
            }
            Self::Tree(shape, way, load, segments) => {
                shape.moves(group, (way, load, segments), me, round, out);
            }
            Self::Fold(way, load, worker) => group.fold((way, load, worker), me, out),
            Self::Exchange(worker)
            | Self::Halve(_, worker)
            | Self::Double(_, worker)
            | Self::DoubleToRoot(_, worker) => {
                if let Some(w) = group.worker(me, worker) {
                    self.between_workers(group, (w, worker), round, out);
                }
            }
            _ => self.around(group, me, round, out),
        }
    }

    /// What one of a power of two of workers does.
    fn between_workers(
        self,
        group: Group,
        (w, worker): (u32, Worker),
        round: u32,
        out: &mut Moves,
    ) {
        let back = group.n.ilog2() - 1 - round;
        let range = |order, w, rounds| group.range(order, w, rounds, worker);
        match self {
            Self::Halve(order, _) => {
                let other = w ^ 1 << group.bit(order, round);
                let peer = group.member(other, worker);
                out.send(peer, range(order, other, round + 1));
                out.receive(peer, range(order, w, round + 1));
            }
            Self::Double(order, _) => {
                let other = w ^ 1 << group.bit(order, back);
                let peer = group.member(other, worker);
                out.send(peer, range(order, w, back + 1));
                out.receive(peer, range(order, other, back + 1));
            }
            Self::DoubleToRoot(order, _) => {
                let done = (back + 1..group.n.ilog2()).map(|round| 1 << group.bit(order, round));
                if w & done.sum::<u32>() != 0 {
                    return;
                }
                let bit = 1 << group.bit(order, back);
                let peer = group.member(w ^ bit, worker);
                let data = range(order, w | bit, back + 1);
                if w & bit == 0 { out.receive(peer, data) } else { out.send(peer, data) }
            }
            _ => {
                let peer = group.member(w ^ 1 << round, worker);
                out.send(peer, group.layout.whole());
                out.receive(peer, group.layout.whole());
            }
        }
    }

    /// What a member does that sends around a ring, so far on or back.
    fn around(self, group: Group, me: u32, round: u32, out: &mut Moves) {
        let Group { n, layout, .. } = group;
        let (on, back) = (|far: u32| (me + far) % n, |far: u32| (me + n - far) % n);
        let own = |part: u32| Data::Parts { first: part, count: 1 };
        match self {
            Self::RingAdd(segment, of) => {
                let part = |far: u32| own(back(far % n) * of + segment);
                out.send(on(1), part(round + 1));
                out.receive(back(1), part(round + 2));
            }
            Self::RingCopy(of) => {
                let part = |far: u32| Data::Parts { first: back(far) * of, count: of };
                out.send(on(1), part(round));
                out.receive(back(1), part(round + 1));
            }
            Self::Dissemination => {
                out.send(on(1 << round), layout.whole());
                out.receive(back(1 << round), layout.whole());
            }
            Self::Token => {
                if round % n == me {
                    out.send(on(1), layout.whole());
                }
                if (round + 1) % n == me {
                    out.receive(back(1), layout.whole());
                }
            }
            Self::BruckGather => {
                let far = 1 << round;
                let count = far.min(n - far);
                out.send(back(far), Data::Parts { first: me, count });
                out.receive(on(far), Data::Parts { first: on(far), count });
            }
            Self::BruckAll => {
                out.send(on(1 << round), Data::Distances(round));
                out.receive(back(1 << round), Data::Distances(round));
            }
            Self::Everybody => {
                for far in 1..n {
                    out.send(on(far), group.block(me, on(far)));
                    out.receive(back(far), group.block(back(far), me));
                }
            }
            Self::Pairs(adds) => {
                let far = round + 1;
                let both = n.is_power_of_two().then_some(me ^ far);
                let (to, from) = (both.unwrap_or(on(far)), both.unwrap_or(back(far)));
                let data = |from, to| if adds { own(to) } else { Data::Block { from, to } };
                out.send(to, data(me, to));
                out.receive(from, data(from, me));
            }
            _ => {
                // Neighbours: what came last goes on to the other side.
                let peer = if (me + round).is_multiple_of(2) { on(1) } else { back(1) };
                if round == 0 {
                    out.send(peer, own(me));
                    out.receive(peer, own(peer));
                } else {
                    out.send(peer, group.pair_after(me, round - 1));
                    out.receive(peer, group.pair_after(me, round));
                }
            }
        }
    }
}
