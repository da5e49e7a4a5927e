//! Every arbiter; the words for them are in [`spec::Arbiter`](crate::spec::Arbiter).

use super::{Arbitrate, Places};
use crate::fabric::packet::Packet;
use crate::fabric::switch::records::Records;
use crate::ids::ChannelId;
use crate::rng::{Key, Purpose, Stream};
use crate::time::NEVER;
use std::sync::Arc;

/// In order of request.
#[derive(Clone)]
pub struct Fifo;

impl Arbitrate for Fifo {
    const TAKES_FIRST: bool = true;

    fn new(_: &Places<'_>) -> Self {
        Self
    }

    #[inline]
    fn key(&self, _: usize, _: ChannelId, _: &Packet) -> u64 {
        0
    }
}

/// Any waiting input, all equally likely.
#[derive(Clone)]
pub struct Random {
    seed: Key,
}

impl Arbitrate for Random {
    fn new(places: &Places<'_>) -> Self {
        Self { seed: Key::of(places.seed) }
    }

    /// A request takes any place among those that wait. If all places are equally likely, so are all
    /// orders, whoever has been served before; and what a packet draws depends on nobody else.
    fn joined(
        &self,
        place: usize,
        others: impl FnOnce() -> usize,
        packet: impl FnOnce() -> u64,
    ) -> Option<usize> {
        let others = others() as u64;
        if others == 0 {
            return None;
        }
        let key = self.seed.and(place as u64).and(packet());
        Some(Stream::keyed(Purpose::Arbitration, key).below(others + 1) as usize)
    }

    #[inline]
    fn key(&self, _: usize, _: ChannelId, _: &Packet) -> u64 {
        0
    }
}

/// Packets from other switches before packets from nodes.
#[derive(Clone)]
pub struct NetFirst;

impl Arbitrate for NetFirst {
    fn new(_: &Places<'_>) -> Self {
        Self
    }

    /// A packet that no switch has sent to another comes from the node.
    #[inline]
    fn key(&self, _: usize, _: ChannelId, packet: &Packet) -> u64 {
        u64::from(packet.first_internal == NEVER)
    }
}

/// The packet that was queued at its source first.
#[derive(Clone)]
pub struct OldestFirst;

impl Arbitrate for OldestFirst {
    fn new(_: &Places<'_>) -> Self {
        Self
    }

    #[inline]
    fn key(&self, _: usize, _: ChannelId, packet: &Packet) -> u64 {
        packet.queued
    }
}

/// The input behind the one that was granted last, round and round
/// [Dally & Towles 2004, chapter 18].
#[derive(Clone)]
pub struct RoundRobin {
    /// By place: the input granted last, as its place in the order of turns, or none.
    last: Records<ChannelId>,
    /// By input: its place in that order; empty: its number.
    turns: Arc<[u32]>,
}

impl RoundRobin {
    #[inline]
    fn turn(&self, input: ChannelId) -> ChannelId {
        self.turns.get(input.index()).map_or(input, |&turn| ChannelId(turn))
    }
}

impl Arbitrate for RoundRobin {
    const REORDERS: bool = true;

    fn new(places: &Places<'_>) -> Self {
        Self {
            last: Records::of(ChannelId::NONE, places.count),
            turns: places.turns.clone().into(),
        }
    }

    /// How many numbers it is behind the one after the last; none lies before number 0.
    #[inline]
    fn key(&self, place: usize, input: ChannelId, _: &Packet) -> u64 {
        self.turn(input).0.wrapping_sub(self.last[place].0).wrapping_sub(1).into()
    }

    fn share(&mut self) {
        self.last.share();
    }

    fn renew(&mut self, like: &Self, place: usize) {
        self.last.renew(&like.last, place);
    }

    #[inline]
    fn granted(&mut self, place: usize, input: ChannelId, _: &Packet) {
        self.last[place] = self.turn(input);
    }
}

/// The packet that has crossed most channels.
#[derive(Clone)]
pub struct HopsFirst;

impl Arbitrate for HopsFirst {
    fn new(_: &Places<'_>) -> Self {
        Self
    }

    #[inline]
    fn key(&self, _: usize, _: ChannelId, packet: &Packet) -> u64 {
        u64::MAX - u64::from(packet.hops)
    }
}

/// The packet whose traffic class is most urgent.
#[derive(Clone)]
pub struct Priority {
    /// By traffic class; empty where there are none.
    urgencies: Vec<u16>,
}

impl Arbitrate for Priority {
    fn new(places: &Places<'_>) -> Self {
        let classes = &places.machine.routing.traffic_classes;
        Self { urgencies: classes.iter().map(|class| class.priority).collect() }
    }

    #[inline]
    fn key(&self, _: usize, _: ChannelId, packet: &Packet) -> u64 {
        let urgency = self.urgencies.get(usize::from(packet.traffic())).copied().unwrap_or(0);
        u64::from(u16::MAX - urgency)
    }
}

/// The input that was granted least recently: a matrix arbiter
/// [Dally & Towles 2004, chapter 18], with the time of the request among those never granted.
#[derive(Clone)]
pub struct LeastRecentlyGranted {
    /// By place: the inputs that have been granted, the latest last.
    recent: Records<Vec<ChannelId>>,
}

impl Arbitrate for LeastRecentlyGranted {
    fn new(places: &Places<'_>) -> Self {
        Self { recent: Records::of(Vec::new(), places.count) }
    }

    #[inline]
    fn key(&self, place: usize, input: ChannelId, _: &Packet) -> u64 {
        let latest = self.recent[place].iter().position(|&other| other == input);
        latest.map_or(0, |position| position as u64 + 1)
    }

    fn share(&mut self) {
        self.recent.share();
    }

    fn renew(&mut self, like: &Self, place: usize) {
        self.recent.renew(&like.recent, place);
    }

    /// Who is granted something does not wait any more: the order of the others stays.
    fn granted(&mut self, place: usize, input: ChannelId, _: &Packet) {
        let recent = &mut self.recent[place];
        match recent.iter().position(|&other| other == input) {
            Some(position) => recent[position..].rotate_left(1),
            None => recent.push(input),
        }
    }
}

/// The packets of traffic classes in turn, each class for as many bytes as its share: deficit round
/// robin [Shreedhar & Varghese 1996]. A class is served while it has credit, whatever the length of
/// the packet, and owes what it sent beyond that, as in surplus round robin
/// [Adiseshu et al. 1996]: the packets of a class wait at several inputs, and none is kept
/// waiting because it is longer than another.
///
/// Whoever has no turn has no credit left, but debts, perhaps. So it need not be known which
/// classes have packets that wait.
#[derive(Clone)]
pub struct DeficitRoundRobin {
    /// By traffic class: what a turn gives it.
    shares: Vec<i64>,
    header_bytes: u32,
    /// By place: whose turn it is.
    turns: Records<usize>,
    /// By place, then class: the bytes that it may send, or owes.
    credits: Records<i64>,
}

impl DeficitRoundRobin {
    #[inline]
    fn class(&self, packet: &Packet) -> usize {
        // Packets of workloads without classes are all alike.
        usize::from(packet.traffic()).min(self.shares.len() - 1)
    }

    /// How many classes behind the one whose turn it is another stands, that itself being the last.
    #[inline]
    fn behind(&self, place: usize, class: usize) -> usize {
        let count = self.shares.len();
        (class + count - self.turns[place] - 1) % count + 1
    }

    /// How often turns pass on until a class may send.
    fn passes(&self, place: usize, class: usize) -> usize {
        let (count, credit) = (self.shares.len(), self.credits[place * self.shares.len() + class]);
        if credit > 0 {
            return 0;
        }
        // The turns in which it only pays what it owes.
        let in_debt = usize::try_from(-credit / self.shares[class]).unwrap_or(usize::MAX);
        in_debt.saturating_mul(count).saturating_add(self.behind(place, class))
    }

    /// Turns pass on so often, to a class that may send then.
    fn pass(&mut self, place: usize, passes: usize, to: usize) {
        let (count, holder) = (self.shares.len(), self.turns[place]);
        let credits = place * count;
        // What it does not use in its turn it loses.
        self.credits[credits + holder] = self.credits[credits + holder].min(0);
        for class in 0..count {
            let behind = self.behind(place, class);
            let turns = if passes < behind { 0 } else { (passes - behind) / count + 1 };
            let given = i64::try_from(turns).unwrap_or(i64::MAX).saturating_mul(self.shares[class]);
            let credit = self.credits[credits + class].saturating_add(given);
            self.credits[credits + class] = if class == to { credit } else { credit.min(0) };
        }
        self.turns[place] = to;
    }
}

impl Arbitrate for DeficitRoundRobin {
    const REORDERS: bool = true;

    fn new(places: &Places<'_>) -> Self {
        let machine = places.machine;
        let interface = &machine.interface;
        let usual = interface.header_bytes.saturating_add(interface.packet_bytes);
        let classes = machine.routing.traffic_classes.len().max(1);
        let given = machine.switch.arbiter_keys.shares_bytes.iter();
        let mut shares: Vec<i64> = given.map(|&share| share.into()).collect();
        shares.resize(classes, usual.max(1).into());
        Self {
            header_bytes: interface.header_bytes,
            // The first class has the next turn.
            turns: Records::of(classes - 1, places.count),
            credits: Records::of(0, places.count * classes),
            shares,
        }
    }

    #[inline]
    fn key(&self, place: usize, _: ChannelId, packet: &Packet) -> u64 {
        self.passes(place, self.class(packet)) as u64
    }

    fn share(&mut self) {
        self.turns.share();
        self.credits.share();
    }

    fn renew(&mut self, like: &Self, place: usize) {
        self.turns.renew(&like.turns, place);
        let credits = place * self.shares.len()..(place + 1) * self.shares.len();
        credits.for_each(|credit| self.credits.renew(&like.credits, credit));
    }

    fn granted(&mut self, place: usize, _: ChannelId, packet: &Packet) {
        let class = self.class(packet);
        let passes = self.passes(place, class);
        if passes > 0 {
            self.pass(place, passes, class);
        }
        let bytes = i64::from(self.header_bytes) + i64::from(packet.bytes);
        self.credits[place * self.shares.len() + class] -= bytes;
    }
}

#[cfg(test)]
mod tests {
    use crate::fabric::switch::arbiter::{Arbitrate, Places, kinds, tests::Place};
    use crate::spec::{Machine, TopologySpec};

    fn random() -> kinds::Random {
        let machine = Machine::t9000(TopologySpec::Pair);
        kinds::Random::new(&Places { count: 1, seed: 3, machine: &machine, turns: Vec::new() })
    }

    /// A packet joins others at place 0 of a list.
    fn join<T>(arbiter: &kinds::Random, list: &mut Vec<T>, packet: u64, request: T) {
        let others = list.len();
        let behind = arbiter.joined(0, || others, || packet << 16);
        list.insert(behind.unwrap_or(others), request);
    }

    #[test]
    fn drawn_orders_are_equally_likely() {
        let (arbiter, mut counts) = (random(), [0_u32; 256]);
        for round in 0..24_000 {
            let mut list = Vec::new();
            (0..4).for_each(|input| join(&arbiter, &mut list, 4 * round + input, input));
            counts[list.iter().fold(0, |sum, &input| 4 * sum + input as usize)] += 1;
        }
        let seen: Vec<u32> = counts.into_iter().filter(|&count| count > 0).collect();
        // Of 23 degrees of freedom: mean 23, standard deviation 6.8.
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(seen.len() == 24 && (5.0..60.0).contains(&chi), "{chi}: {seen:?}");
    }

    /// Four inputs always have another packet: who waits is served next with 1/4, however long it has
    /// waited; nobody is passed over for ever, nor has an input more than its share.
    #[test]
    fn drawn_places_are_fair_to_all_who_wait() {
        let (arbiter, mut list) = (random(), Vec::new());
        (0..4).for_each(|input| join(&arbiter, &mut list, input, (input, 0)));
        let (mut inputs, mut waits) = ([0_u32; 4], vec![0_u32; 200]);
        for grant in 0..40_000 {
            let (input, since) = list.remove(0);
            inputs[input as usize] += 1;
            waits[grant - since] += 1;
            join(&arbiter, &mut list, 4 + grant as u64, (input, grant + 1));
        }
        assert!(inputs.iter().all(|count| (9_600..10_400).contains(count)), "{inputs:?}");
        for (wait, &count) in (0_i32..).zip(&waits[..12]) {
            let expected = 10_000.0 * 0.75_f64.powi(wait);
            let error = (f64::from(count) - expected).abs() / expected.sqrt();
            assert!(error < 4.0, "{count} waits of {wait} grants, not {expected}");
        }
        assert!(waits[60..].iter().all(|&count| count == 0), "{waits:?}");
    }

    #[test]
    fn inputs_take_turns() {
        let mut place = Place::<kinds::RoundRobin>::new(&[0; 4]);
        let all: [&[u32]; 7] =
            [&[3, 1, 2], &[2, 3, 1], &[1, 2, 3], &[1, 2], &[0, 1], &[0, 3], &[0, 3]];
        assert_eq!(all.map(|asking| place.grant(asking)), [1, 2, 3, 1, 0, 3, 0]);
        assert_eq!(place.order(&[0, 3, 1]), [1, 3, 0]);
    }

    #[test]
    fn who_was_granted_least_recently_comes_first() {
        let mut place = Place::<kinds::LeastRecentlyGranted>::new(&[0; 4]);
        let all: [&[u32]; 7] =
            [&[3, 1, 2], &[1, 2, 3], &[2, 3], &[3, 0], &[3, 1], &[1, 2, 0], &[2, 0, 1]];
        assert_eq!(all.map(|asking| place.grant(asking)), [3, 1, 2, 0, 3, 1, 2]);
        assert_eq!(place.order(&[0, 1, 2, 3]), [0, 3, 1, 2]);
    }
}
