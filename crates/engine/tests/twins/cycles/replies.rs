//! Nodes that take in requests only while they have places for the replies: the simulator that goes
//! tick by tick, and the engine against it.

use super::agreement::{self, Half, tallies};
use super::simulator::{Packet, Simulator, message_packets};
use crate::common::arbiters;
use crate::common::random::{Dice, check, random_cases, same_packets_in_any_order};
use crate::common::requests::{self, Asks, delivered, is_closed};
use crate::reference::wiring::{End, Wiring};
use tailback_engine::error::RunError;
use tailback_engine::spec::{
    Fidelity, RoutingSpec, Sharing, Spec, TopologySpec, Traffic, TrafficClass, Workload,
};
use tailback_engine::time::{NEVER, Time};
use tailback_engine::{Progress, Simulation};

/// The places of a node for replies.
#[derive(Clone, Default)]
pub struct Places {
    taken: u32,
    /// Messages that have one.
    admitted: Vec<u64>,
    /// Requests that wait for one: since when, in which buffer, which packet.
    waiting: Vec<(Time, usize, usize)>,
}

impl Simulator {
    /// Whether a packet that asks in a buffer has no place at its node: then it waits for one.
    pub fn lacks_place(&mut self, packet: usize, number: usize) -> bool {
        let &Packet { row, asks, .. } = &self.packets[packet];
        let is_limited = self.machine.interface.reply_queue.is_some();
        if !is_limited || !matches!(asks, Asks::Reply(..)) {
            return false;
        }
        let (node, output) = (row.destination as usize, self.outputs(packet)[0].0);
        let places = &mut self.places[node];
        let is_there = self.wiring.groups[output].to == End::Node(node);
        let lacks = is_there && !places.admitted.contains(&row.message);
        if lacks {
            places.waiting.push((self.now, number, packet));
        }
        lacks
    }

    /// Free places go to those who have waited longest, node by node.
    pub fn give_places(&mut self) {
        let Some(limit) = self.machine.interface.reply_queue else { return };
        for node in 0..self.places.len() {
            let mut waiting = std::mem::take(&mut self.places[node].waiting);
            waiting.sort_unstable();
            for (since, number, packet) in waiting {
                let message = self.packets[packet].row.message;
                let places = &mut self.places[node];
                if !places.admitted.contains(&message) {
                    if places.taken == limit {
                        places.waiting.push((since, number, packet));
                        continue;
                    }
                    places.taken += 1;
                    places.admitted.push(message);
                }
                self.asks(packet, number);
            }
        }
    }

    /// The tail of a packet has been sent on a channel: a reply may have left its node.
    pub fn has_left(&mut self, number: usize, packet: usize) {
        let from = self.wiring.groups[self.wiring.group_of[number]].from;
        if let End::Node(node) = from
            && self.packets[packet].asks == Asks::Answers(true)
        {
            self.places[node].taken = self.places[node].taken.saturating_sub(1);
        }
    }

    /// A packet is there: if it is the last of a request, its receiver sends the reply.
    pub fn answer(&mut self, number: usize) {
        let &Packet { row, asks, .. } = &self.packets[number];
        let Asks::Reply(bytes, traffic) = asks else { return };
        let is_left = |p: &Packet| p.row.message == row.message && p.row.delivered == NEVER;
        if self.packets.iter().any(is_left) {
            return;
        }
        let message = self.packets.iter().map(|packet| packet.row.message).max().unwrap() + 1;
        let ends = (row.destination, row.source);
        let reply = message_packets(&self.machine, message, ends, bytes, self.now);
        let (first, count) = (self.packets.len(), reply.len());
        self.packets.extend(reply.into_iter().enumerate().map(|(place, packet)| Packet {
            traffic,
            asks: Asks::Answers(place + 1 == count),
            ..packet
        }));
        self.number_message(message, (traffic, row.destination as usize));
        for number in first..first + count {
            if std::mem::replace(&mut self.packets[number].is_first, false) {
                self.line_up(number);
            }
        }
    }
}

/// A random machine, with nothing that asks; its packets may have a choice.
fn machine(dice: &mut Dice, fidelity: Fidelity) -> Spec {
    loop {
        let is_flit = fidelity == Fidelity::Flit;
        let spec = match dice.number(0, 3) {
            0 => agreement::with_receivers(dice, fidelity),
            1 => agreement::with_choices(dice, is_flit),
            2 if is_flit => agreement::with_half_duplex(dice, Half::Switched),
            _ => agreement::with_channels(dice),
        };
        if spec.machine.topology != TopologySpec::Pair {
            return spec;
        }
    }
}

/// Virtual channels of a link are shared out among classes, if there are enough.
fn share_out(dice: &mut Dice, spec: &mut Spec) {
    let (count, machine) = (spec.machine.routing.traffic_classes.len(), &mut spec.machine);
    let escapes = matches!(machine.routing.algorithm, RoutingSpec::MinimalAdaptive { .. });
    let least = if escapes { 2 } else { 1 };
    let all = machine.switch.virtual_channels;
    let shares = (all / least).min(dice.number(1, 3) as u32);
    if shares < 2 || count < shares as usize {
        return;
    }
    let range = |share: u32| {
        let last = if share + 1 == shares { all } else { (share + 1) * least };
        (share * least, last - 1)
    };
    for (class, known) in (0..).zip(&mut machine.routing.traffic_classes) {
        known.virtual_channels = Some(range((count as u32 - 1 - class) % shares));
    }
}

/// How many places for replies there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Few,
    None,
}

/// A random machine whose nodes ask each other.
fn spec(dice: &mut Dice, fidelity: Fidelity, places: Limit) -> Spec {
    let mut spec = machine(dice, fidelity);
    let nodes = Wiring::new(&spec.machine).nodes();
    let classes = requests::classes(dice, nodes, spec.machine.link.flit_ps);
    let name = |class| TrafficClass {
        name: format!("c{class}"),
        priority: dice.number(0, 2) as u16,
        ..TrafficClass::default()
    };
    spec.machine.routing.traffic_classes = (0..classes.len()).map(name).collect();
    share_out(dice, &mut spec);
    arbiters::share_out(dice, &mut spec.machine);
    if places == Limit::Few {
        spec.machine.interface.reply_queue = Some(dice.one_of(&[1, 1, 2, 4, 8]));
    }
    spec.workload = Workload::Traffic(Traffic { classes });
    if fidelity == Fidelity::Worm {
        spec.machine.link.packet_gap_ps = 0;
        spec.machine.link.sharing = Sharing::Separate;
    }
    Spec { fidelity, ..spec }
}

/// Compares a case; whether it comes to a standstill.
fn compare(spec: &Spec, piece: u64) -> bool {
    let mut simulator = Simulator::new(spec);
    let is_stuck = !simulator.comes_to_its_end();
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut progress = Ok(Progress::Events);
    while progress == Ok(Progress::Events) {
        progress = simulation.advance(Time::MAX, piece);
    }
    match &progress {
        Ok(_) => assert!(!is_stuck, "the simulator stands still"),
        Err(error @ RunError::Deadlock { circle, .. }) => {
            assert!(is_stuck, "the simulator goes on: {error}");
            is_closed(circle, error);
        }
        Err(error) => panic!("{error}"),
    }
    let (expected, expected_tallies) = simulator.results();
    same_packets_in_any_order(delivered(expected), delivered(simulation.take_packets()));
    if !is_stuck {
        agreement::same_tallies(&tallies(&simulation), &expected_tallies);
    }
    is_stuck
}

fn compare_all(fidelity: Fidelity, places: Limit, first: u64) {
    let (mut stuck, number) = (0, random_cases(1_500));
    for case in first..first + number {
        let mut dice = Dice::new(case);
        let spec = spec(&mut dice, fidelity, places);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        stuck += u64::from(check(case, &spec, |spec| compare(spec, piece)));
    }
    let is_usual = match places {
        Limit::Few => stuck * 20 > number && stuck * 3 < number * 2,
        Limit::None => stuck == 0,
    };
    assert!(is_usual, "{stuck} of {number} stand still");
}

#[test]
fn flit_agrees_where_requests_wait_for_places() {
    compare_all(Fidelity::Flit, Limit::Few, 140_000_000);
}

#[test]
fn worm_agrees_where_requests_wait_for_places() {
    compare_all(Fidelity::Worm, Limit::Few, 150_000_000);
}

/// Classes with virtual channels of their own, and priorities; flits may be deferred, or in slots.
#[test]
fn flit_agrees_where_there_are_places_for_all() {
    compare_all(Fidelity::Flit, Limit::None, 160_000_000);
}

#[test]
fn worm_agrees_where_there_are_places_for_all() {
    compare_all(Fidelity::Worm, Limit::None, 170_000_000);
}
