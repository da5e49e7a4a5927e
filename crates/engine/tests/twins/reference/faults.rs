//! Faults of links and nodes. At every instant it is looked which of them there are.

use super::machine::{Event, Reference, Time};
use super::network::Packet;
use super::wiring::{End, Wiring};
use crate::common::draws;
use crate::common::random::Dice;
use tailback_engine::spec::{
    Again, Arbiter, FailedLink, Fault, FaultAt, Mode, Places, Queueing, RoutingSpec, Spec,
};

const MILLION: u64 = 1_000_000;

impl Reference {
    /// The faults of the links of a group at this instant.
    fn faults_of(&self, group: usize) -> impl Iterator<Item = &Fault> {
        let now = self.now;
        self.all_faults_of(group).filter(move |one| one.from_ps <= now && now < one.until_ps)
    }

    fn all_faults_of(&self, group: usize) -> impl Iterator<Item = &Fault> {
        let is_in_vain = self.spec.mode == Mode::Full;
        let all = self.outages.iter().filter(move |outage| {
            is_in_vain && outage.fault.time_factor.is_none() && outage.groups.contains(&group)
        });
        all.map(|outage| &outage.fault)
    }

    pub fn is_down(&self, group: usize) -> bool {
        self.faults_of(group).any(|fault| fault.share == 0)
    }

    /// The times of a data flit and of a control token of a packet that starts now.
    pub fn flit_times_now(&self, group: usize) -> [Time; 2] {
        let share = self.faults_of(group).map(|fault| u64::from(fault.share)).min();
        let share = share.filter(|&share| share > 0).unwrap_or(MILLION);
        let usual = self.wiring.flit_times(&self.spec.machine, group);
        usual.map(|time| (time * MILLION).div_ceil(share))
    }

    /// Whether a packet is being sent for nothing.
    pub fn is_in_vain(&self, packet: usize) -> bool {
        self.in_vain.get(&packet).is_some_and(|&until| until > self.now)
    }

    /// Whether a packet that starts on a channel now will not get across: then it is sent for nothing.
    pub fn goes_in_vain(&mut self, packet: usize, channel: usize) -> bool {
        let group = self.wiring.group_of[channel];
        let end = self.now + self.duration(self.packets[packet].bytes, group);
        let down = self.all_faults_of(group).filter(|fault| fault.share == 0);
        let fails = down.map(|fault| fault.from_ps).filter(|&at| self.now < at && at < end).min();
        let until = match fails {
            Some(at) => at,
            None if self.is_damaged(packet, channel) => end + 2 * self.wire_delay(group),
            None => return false,
        };
        self.channels[channel].is_busy = true;
        self.in_vain.insert(packet, until);
        self.post(until, Event::Left { channel });
        true
    }

    fn is_damaged(&self, packet: usize, channel: usize) -> bool {
        let group = self.wiring.group_of[channel];
        let Some(errors) = self.faults_of(group).filter_map(|fault| fault.bit_errors).max() else {
            return false;
        };
        let bits = f64::from(8 * self.tokens(packet) * self.spec.machine.link.flit_bytes);
        let share = -libm::expm1(bits * libm::log1p(-(errors as f64) / 1e18));
        let Packet { drawn_by, hops, .. } = self.packets[packet];
        draws::unit((self.spec.seed, channel), (drawn_by, hops.into()), self.now) < share
    }

    /// By how many millionths a node is slower at an instant, and until when that is so.
    fn factor(&self, node: usize, at: Time) -> (u64, Time) {
        let at_node = FaultAt::Node(node as u32);
        let all: Vec<(Time, Time, u64)> = (self.outages.iter().map(|outage| &outage.fault))
            .filter(|fault| fault.at == at_node)
            .filter_map(|fault| fault.time_factor.map(|f| (fault.from_ps, fault.until_ps, f)))
            .collect();
        let factor = |at: Time| {
            let there = all.iter().filter(|one| one.0 <= at && at < one.1);
            there.map(|one| one.2).max().unwrap_or(MILLION)
        };
        let mut changes: Vec<Time> = all.iter().flat_map(|one| [one.0, one.1]).collect();
        changes.retain(|&change| change > at && factor(change) != factor(change - 1));
        (factor(at), changes.into_iter().min().unwrap_or(Time::MAX))
    }

    /// How long work takes on a node that begins now.
    pub fn work_takes(&self, node: usize, mut work: Time) -> Time {
        let mut at = self.now;
        loop {
            let (factor, until) = self.factor(node, at);
            let takes = (work * factor).div_ceil(MILLION);
            let done = (u128::from(until - at) * u128::from(MILLION) / u128::from(factor)) as Time;
            if work <= done {
                return at + takes - self.now;
            }
            (work, at) = (work - done, until);
        }
    }

    /// The work that is left of what would end at an instant.
    pub fn work_left(&self, node: usize, end: Time) -> Time {
        let (mut at, mut work) = (self.now, 0);
        while at < end {
            let (factor, until) = self.factor(node, at);
            let span = until.min(end) - at;
            work += (span * MILLION).div_ceil(factor);
            at += span;
        }
        work
    }
}

/// Some faults of a machine, at times that matter to packets of this length.
pub fn some(dice: &mut Dice, spec: &mut Spec, packet_ps: Time) {
    spec.mode = Mode::Full;
    let wiring = Wiring::new(&spec.machine);
    for _ in 0..dice.number(1, 4) {
        let fault = one(dice, &wiring, spec, packet_ps);
        spec.faults.push(fault);
    }
}

/// Tables change after those of them that links are down by, where routing knows of that.
pub fn reroute(dice: &mut Dice, spec: &mut Spec, packet_ps: Time) {
    if spec.machine.routing.algorithm != RoutingSpec::Shortest {
        return;
    }
    spec.machine.routing.allow_deadlock = true;
    let switch = &mut spec.machine.switch;
    if switch.queueing != Queueing::Fifo && switch.arbiter == Arbiter::Random {
        switch.arbiter = Arbiter::Fifo;
    }
    for fault in &mut spec.faults {
        let is_down = fault.share == 0 && fault.time_factor.is_none();
        let is_node = matches!(fault.at, FaultAt::Node(_) | FaultAt::Each(Places::Node));
        if is_down && !is_node && dice.chance(80) {
            fault.reroute_ps = Some(dice.one_of(&[0, 1, 2, 4]) * packet_ps / 2);
        }
    }
}

/// Some of the faults come again, after times that are drawn or not, and some are at each of many places.
pub fn repeat(dice: &mut Dice, spec: &mut Spec, packet_ps: Time) {
    for fault in &mut spec.faults {
        if dice.chance(30) {
            continue;
        }
        let seed = dice.number(0, 99);
        let again = Again {
            up_ps: packet_ps / 4 * dice.number(1, 16),
            until_ps: fault.from_ps + packet_ps * dice.number(1, 30),
            count: dice.one_of(&[None, Some(1), Some(2), Some(4)]),
            seed: dice.one_of(&[None, Some(seed)]),
        };
        fault.again = Some(again);
        if fault.time_factor.is_some() {
            fault.at = dice.one_of(&[fault.at, FaultAt::Each(Places::Node)]);
        } else if dice.chance(30) {
            let places = [Places::Link, Places::Link, Places::Switch, Places::Node];
            fault.at = FaultAt::Each(dice.one_of(&places));
        }
    }
}

fn one(dice: &mut Dice, wiring: &Wiring, spec: &Spec, packet_ps: Time) -> Fault {
    let group = &wiring.groups[dice.number(0, wiring.groups.len() as u64 - 1) as usize];
    let at = match (group.from, group.to) {
        (End::Switch(from), End::Switch(to)) if dice.chance(70) => {
            FaultAt::Link(FailedLink::Between(from as u32, to as u32))
        }
        (End::Node(node), _) | (_, End::Node(node)) => FaultAt::Node(node as u32),
        (End::Switch(switch), _) => FaultAt::Switch(switch as u32),
    };
    let flit = spec.machine.link.flit_ps;
    let time = |dice: &mut Dice, most: u64| match dice.number(0, 2) {
        0 => flit * dice.number(0, most * packet_ps / flit),
        1 => packet_ps * dice.number(0, most),
        _ => dice.number(0, most * packet_ps),
    };
    let from_ps = time(dice, 12);
    let until_ps = from_ps + 1 + time(dice, 8);
    let usual = Fault {
        at,
        from_ps,
        until_ps,
        share: MILLION as u32,
        bit_errors: None,
        time_factor: None,
        reroute_ps: None,
        again: None,
    };
    let is_node = matches!(at, FaultAt::Node(_));
    match dice.number(0, 3) {
        0 if is_node => Fault { time_factor: Some(dice.number(MILLION + 1, 5 * MILLION)), ..usual },
        0 | 1 => Fault { share: 0, ..usual },
        2 => Fault { share: dice.one_of(&[500_000, 250_000, 333_333, 900_000]), ..usual },
        _ => {
            let bytes = spec.machine.interface.packet_bytes + spec.machine.interface.header_bytes;
            let bits = u64::from(8 * bytes * spec.machine.link.flit_bytes);
            Fault { bit_errors: Some(dice.one_of(&[5, 8]) * 10_u64.pow(17) / bits), ..usual }
        }
    }
}
