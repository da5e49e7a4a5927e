//! Nodes that take in requests only while they have places for the replies: the reference, and the
//! engine against it.

use super::machine::{Reference, Time};
use super::network::Packet;
use super::wiring::{End as At, Wiring};
use super::{
    End, INSTANTS, LONG, Row, cases, engine_rows, networks, reference_end, reference_rows,
};
use crate::common::arbiters;
use crate::common::random::{Dice, check, random_cases, same_packets};
use crate::common::requests::{self, Asks, Sent};
use std::collections::BTreeMap;
use tailback_engine::Simulation;
use tailback_engine::spec::{Mode, Spec, TopologySpec, Traffic, TrafficClass, Workload};

/// What is known of replies at all nodes.
pub struct Replies {
    /// By node: places that are taken, and when of them some fall free.
    taken: Vec<u32>,
    leaving: Vec<(Time, usize)>,
    /// Messages that have a place, or had one.
    admitted: Vec<usize>,
    /// Packets that have waited for one and have it: when they got it, and their turn then.
    given: BTreeMap<usize, (Time, usize)>,
    /// Packets that wait for one.
    waiting: Vec<usize>,
}

impl Replies {
    pub fn new(nodes: usize) -> Self {
        Self {
            taken: vec![0; nodes],
            leaving: Vec::new(),
            admitted: Vec::new(),
            given: BTreeMap::new(),
            waiting: Vec::new(),
        }
    }
}

/// Messages that are sent at times known beforehand, if there are such.
pub fn rows(spec: &Spec, nodes: usize) -> Option<Vec<Sent>> {
    match &spec.workload {
        Workload::Messages(list) => {
            let message = |at: usize| {
                let ends = (list.source[at], list.destination[at]);
                (list.time_ps[at], ends, list.bytes[at] as u32, (0, Asks::Nothing))
            };
            Some((0..list.time_ps.len()).map(message).collect())
        }
        Workload::Traffic(traffic) => Some(requests::requests(traffic, nodes)),
        _ => None,
    }
}

impl Reference {
    /// A message has been received: if it is a request its receiver sends the reply.
    pub fn reply_to(&mut self, number: usize) {
        let Asks::Reply(bytes, class) = self.messages[number].asks else { return };
        let way = (self.messages[number].to, self.messages[number].from);
        self.send_as(way, (0, 0), bytes, (class, Asks::Answers(true)));
    }

    /// A packet starts on the channel of its node, where its last token has left then.
    pub fn reply_leaves(&mut self, packet: usize, end: Time) {
        let Packet { is_ack, is_last, message, source, .. } = self.packets[packet];
        let is_reply = matches!(self.messages[message].asks, Asks::Answers(_));
        if !is_ack && is_last && is_reply {
            self.replies.leaving.push((end, source));
        }
    }

    /// Whether the packet at the front of a buffer does not wait for a place.
    pub fn may_ask(&self, input: usize) -> bool {
        !self.replies.waiting.contains(&self.channels[input].buffer[0].packet)
    }

    /// When a packet got the place for which it had waited, and its turn then.
    pub fn given(&self, packet: usize) -> Option<(Time, usize)> {
        self.replies.given.get(&packet).copied()
    }

    /// Places that are free go to those who have waited longest, node by node.
    pub fn give_places(&mut self) {
        let Some(limit) = self.spec.machine.interface.reply_queue else { return };
        let now = self.now;
        for (_, node) in self.replies.leaving.extract_if(.., |(end, _)| *end <= now) {
            self.replies.taken[node] -= 1;
        }
        for node in 0..self.replies.taken.len() {
            let mut waiting = self.waiting_at(node);
            waiting.sort_unstable();
            for (turn, (_, _, packet)) in waiting.into_iter().enumerate() {
                let message = self.packets[packet].message;
                if !self.replies.admitted.contains(&message) {
                    if self.replies.taken[node] == limit {
                        continue;
                    }
                    self.replies.taken[node] += 1;
                    self.replies.admitted.push(message);
                }
                self.replies.waiting.retain(|&other| other != packet);
                let turn = node * self.channels.len() + turn + 1;
                self.replies.given.insert(packet, (now, turn));
            }
        }
    }

    /// Those that wait for places of a node, or begin to: since when, in which buffer, which packet.
    fn waiting_at(&mut self, node: usize) -> Vec<(Time, usize, usize)> {
        let home = At::Switch(self.wiring.home(node));
        let mut found = Vec::new();
        for input in 0..self.channels.len() {
            let Some(front) = self.channels[input].buffer.front() else { continue };
            let packet = front.packet;
            let Packet { is_ack, message, destination, .. } = self.packets[packet];
            let asks = matches!(self.messages[message].asks, Asks::Reply(..)) && !is_ack;
            let since = self.asked(input, front);
            let is_at = self.wiring.groups[self.wiring.group_of[input]].to == home;
            let is_there = is_at && destination == node && since <= self.now;
            if !asks || !is_there || front.left.is_some() || self.given(packet).is_some() {
                continue;
            }
            let waits = self.replies.waiting.contains(&packet);
            if !waits && self.replies.admitted.contains(&message) {
                continue;
            }
            if !waits {
                self.replies.waiting.push(packet);
            }
            found.push((since, input, packet));
        }
        found
    }
}

/// A random machine whose nodes ask each other, mostly with few places for replies.
fn spec(dice: &mut Dice) -> Spec {
    let mut spec = loop {
        let spec = cases::spec(dice, cases::Kind::Messages);
        if spec.machine.topology != TopologySpec::Pair {
            break spec;
        }
    };
    spec.mode = Mode::Full;
    let machine = &mut spec.machine;
    if dice.chance(50) {
        networks::share(dice, machine);
    }
    if dice.chance(30) {
        networks::choose(dice, machine, true);
    }
    if dice.chance(20) {
        networks::vary(dice, machine);
    }
    if dice.chance(60) {
        cases::open_windows(dice, machine);
    }
    if dice.chance(20) {
        networks::receive(dice, machine);
    }
    machine.interface.reply_queue =
        dice.one_of(&[Some(1), Some(1), Some(2), Some(3), Some(6), None]);
    let nodes = Wiring::new(machine).nodes();
    let classes = requests::classes(dice, nodes, machine.link.flit_ps);
    let name = |class| TrafficClass {
        name: format!("c{class}"),
        priority: dice.number(0, 2) as u16,
        ..TrafficClass::default()
    };
    machine.routing.traffic_classes = (0..classes.len()).map(name).collect();
    arbiters::share_out(dice, machine);
    spec.workload = Workload::Traffic(Traffic { classes });
    spec
}

/// The packets, whatever messages are called.
fn unnamed(rows: Vec<Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = rows.into_iter().map(|row| Row { message: 0, ..row }).collect();
    rows.sort();
    rows
}

/// Compares a case; how it ended.
fn compare(spec: &Spec, piece: u64) -> End {
    let mut reference = Reference::new(spec);
    let last = reference.run(LONG, INSTANTS);
    let mut simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
    let end = super::run_engine(&mut simulation, last, piece);
    let expected = unnamed(reference_rows(&reference));
    same_packets(&expected, &unnamed(engine_rows(simulation.take_packets())));
    assert_eq!(end, reference_end(&reference), "engine, reference; until {last} ps");
    end
}

#[test]
fn requests_that_wait_for_places() {
    let number = random_cases(1_000);
    let mut ends = [0; 2];
    for case in 200_000..200_000 + number {
        let mut dice = Dice::new(case);
        let spec = spec(&mut dice);
        let piece = dice.one_of(&[1, 7, u64::MAX]);
        let end = check(case, &spec, |spec| compare(spec, piece));
        ends[0] += u64::from(end == End::Finished);
        ends[1] += u64::from(end == End::Deadlock);
    }
    assert!(ends.iter().all(|&count| count * 20 > number), "{ends:?} of {number} end, stand still");
}
