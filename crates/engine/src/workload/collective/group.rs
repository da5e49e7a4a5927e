//! Where members of a group stand to each other, and what they hold.

use super::data::{Data, Layout};
use super::moves::{Load, Move, Moves, Order, Way, Worker};

/// Those who take part in a phase.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    /// Their number.
    pub n: u32,
    /// The one that the phase counts from.
    pub root: u32,
    /// What it is about.
    pub layout: &'a Layout,
}

/// Digits of the numbers below `n` to a base.
pub fn digits(n: u32, radix: u32) -> u32 {
    let (mut digits, mut count) = (0, 1);
    while count < n {
        count *= radix;
        digits += 1;
    }
    digits
}

impl Group<'_> {
    /// A member's number, counted from the root.
    pub fn number_of(&self, member: u32) -> u32 {
        (member + self.n - self.root) % self.n
    }

    /// The member with a number that is counted from the root.
    pub fn at(&self, number: u32) -> u32 {
        (number + self.root) % self.n
    }

    /// A block for each, or the own block of everybody.
    pub fn block(&self, from: u32, to: u32) -> Data {
        // An all-gather has a layout; in an all-to-all every pair has a block of its own.
        if self.layout.parts() == self.n {
            Data::Parts { first: from, count: 1 }
        } else {
            Data::Block { from, to }
        }
    }

    /// What a member does along the tree of digits.
    pub fn along_digits(
        &self,
        radix: u32,
        (way, load): (Way, Load),
        me: u32,
        round: u32,
        out: &mut Moves,
    ) {
        let v = self.number_of(me);
        let place = if way == Way::In { round } else { digits(self.n, radix) - 1 - round };
        let span = radix.pow(place);
        if !v.is_multiple_of(span) {
            return;
        }
        let data = |child: u32| match load {
            Load::Whole => self.layout.whole(),
            Load::Blocks => Data::Parts { first: self.at(child), count: span.min(self.n - child) },
        };
        let digit = v / span % radix;
        if digit > 0 {
            let (parent, data) = (self.at(v - digit * span), data(v));
            if way == Way::In {
                out.send(parent, data);
            } else {
                out.receive(parent, data);
            }
            return;
        }
        let children = (1..radix).map(|digit| v + digit * span).filter(|&child| child < self.n);
        let down = children.map(|child| Move { peer: self.at(child), data: data(child) });
        let moves = if way == Way::In { &mut out.receives } else { &mut out.sends };
        moves.extend(down);
    }

    /// Members that share a worker with another: the first ones, in pairs.
    fn shared(&self) -> u32 {
        2 * (self.n - (1 << self.n.ilog2()))
    }

    /// The number of a member among those that work: a power of two.
    pub fn worker(&self, me: u32, worker: Worker) -> Option<u32> {
        let (v, shared) = (self.number_of(me), self.shared());
        match () {
            () if v >= shared => Some(v - shared / 2),
            () if (v % 2 == 1) == (worker == Worker::Odd) => Some(v / 2),
            () => None,
        }
    }

    /// The member that works as such a number.
    pub fn member(&self, w: u32, worker: Worker) -> u32 {
        let shared = self.shared();
        let odd = u32::from(worker == Worker::Odd);
        self.at(if 2 * w < shared { 2 * w + odd } else { w + shared / 2 })
    }

    /// What a member does that shares a worker.
    pub fn fold(&self, (way, load, worker): (Way, Load, Worker), me: u32, out: &mut Moves) {
        let v = self.number_of(me);
        if v >= self.shared() {
            return;
        }
        let works = (v % 2 == 1) == (worker == Worker::Odd);
        let idle = if works { v ^ 1 } else { v };
        let data = match load {
            Load::Whole => self.layout.whole(),
            Load::Blocks => Data::Parts { first: self.at(idle), count: 1 },
        };
        let peer = self.at(v ^ 1);
        if works == (way == Way::Out) { out.send(peer, data) } else { out.receive(peer, data) }
    }

    /// The bit by which partners differ in a round of halving.
    pub fn bit(&self, order: Order, round: u32) -> u32 {
        match order {
            Order::NearFirst => round,
            Order::FarFirst => self.n.ilog2() - 1 - round,
        }
    }

    /// What is left to a worker after so many rounds of halving.
    pub fn range(&self, order: Order, w: u32, rounds: u32, worker: Worker) -> Data {
        let workers = 1 << self.n.ilog2();
        let kept = |round| (w >> self.bit(order, round) & 1) * (workers >> (round + 1));
        let first: u32 = (0..rounds).map(kept).sum();
        let last = first + (workers >> rounds);
        // Where parts are those of members, one who works for two has both.
        let shared = if self.layout.parts() == self.n { self.shared() } else { 0 };
        debug_assert!(shared == 0 || worker == Worker::Odd);
        let start = |w: u32| if 2 * w < shared { 2 * w } else { w + shared / 2 };
        Data::Parts { first: start(first), count: start(last) - start(first) }
    }

    /// The pair of blocks that a member has got in a round of exchanges with neighbours.
    pub fn pair_after(&self, me: u32, round: u32) -> Data {
        let (pairs, back) = (self.n / 2, round.div_ceil(2));
        // Those on either side in turn: the even ones get what comes before them first.
        let goes_down = me.is_multiple_of(2) != round.is_multiple_of(2);
        let pair = me / 2 + if goes_down { pairs - back % pairs } else { back };
        Data::Parts { first: pair % pairs * 2, count: 2 }
    }
}
