//! Faults one by one: those that come again, and those of many places, as lists of what they come to.

use super::wiring::{End, Group, Wiring};
use std::collections::BTreeSet;
use tailback_engine::rng::{Key, Purpose, Stream};
use tailback_engine::spec::{FailedLink, Fault, FaultAt, Places, Spec};

/// One failure at one place.
pub struct Outage {
    /// The fault as if there were no other.
    pub fault: Fault,
    /// The groups of channels that it concerns.
    pub groups: BTreeSet<usize>,
}

/// All that faults come to.
pub fn all(spec: &Spec, wiring: &Wiring) -> Vec<Outage> {
    let mut found = Vec::new();
    for (table, fault) in spec.faults.iter().enumerate() {
        for (place, (at, groups)) in places(fault.at, wiring).into_iter().enumerate() {
            for (from_ps, until_ps) in times(fault, (table, place)) {
                let fault = Fault { at, from_ps, until_ps, again: None, ..*fault };
                found.push(Outage { fault, groups: groups.clone() });
            }
        }
    }
    found
}

/// When a fault begins and ends, again and again.
fn times(fault: &Fault, (table, place): (usize, usize)) -> Vec<(u64, u64)> {
    let Some(again) = fault.again else { return vec![(fault.from_ps, fault.until_ps)] };
    let key = |seed| Key::of(seed).and(table as u64).and(place as u64);
    let mut stream = again.seed.map(|seed| Stream::keyed(Purpose::Outage, key(seed)));
    let mut takes = |mean: u64| match &mut stream {
        Some(stream) => ((stream.exponential() * mean as f64).round() as u64).max(1),
        None => mean,
    };
    let (mut at, mut found) = (fault.from_ps, Vec::new());
    while again.count.is_none_or(|count| (found.len() as u64) < count) {
        if again.seed.is_some() || !found.is_empty() {
            at += takes(again.up_ps);
        }
        if at >= again.until_ps {
            break;
        }
        let until = at + takes(fault.until_ps - fault.from_ps);
        found.push((at, until));
        at = until;
    }
    found
}

/// The places of a fault, and the groups there.
fn places(at: FaultAt, wiring: &Wiring) -> Vec<(FaultAt, BTreeSet<usize>)> {
    let one = |at: FaultAt| {
        let groups =
            (0..wiring.groups.len()).filter(|&number| concerns(at, &wiring.groups[number]));
        (at, groups.collect())
    };
    match at {
        FaultAt::Each(Places::Node) => {
            (0..wiring.nodes()).map(|node| one(FaultAt::Node(node as u32))).collect()
        }
        FaultAt::Each(Places::Switch) => {
            (0..wiring.switches()).map(|switch| one(FaultAt::Switch(switch as u32))).collect()
        }
        FaultAt::Each(Places::Link) => {
            wiring.links().into_iter().map(|groups| (at, groups)).collect()
        }
        at => vec![one(at)],
    }
}

fn concerns(at: FaultAt, group: &Group) -> bool {
    let ends = [group.from, group.to];
    match at {
        FaultAt::Link(FailedLink::Between(one, other)) => {
            let [one, other] = [one, other].map(|switch| End::Switch(switch as usize));
            ends == [one, other] || ends == [other, one]
        }
        FaultAt::Switch(switch) => ends.contains(&End::Switch(switch as usize)),
        FaultAt::Node(node) => ends.contains(&End::Node(node as usize)),
        FaultAt::Link(FailedLink::At { .. }) | FaultAt::Each(_) => unreachable!("not generated"),
    }
}
