//! Tables of routing that change after faults. At every instant it is looked which links they avoid.

use super::machine::{Reference, Time};
use super::outages::Outage;
use super::wiring::{End, Wiring};
use std::collections::BTreeSet;
use tailback_engine::spec::Mode;

/// When tables avoid the links of a fault, if they ever do.
fn span(Outage { fault, .. }: &Outage) -> Option<(Time, Time)> {
    let after = fault.reroute_ps.filter(|after| fault.from_ps + after < fault.until_ps)?;
    Some((fault.from_ps + after, fault.until_ps + after))
}

impl Reference {
    /// The instants at which tables may change.
    pub fn changes(&self) -> BTreeSet<Time> {
        let is_full = self.spec.mode == Mode::Full;
        let outages = self.outages.iter().filter(|_| is_full);
        outages.filter_map(span).flat_map(|(from, until)| [from, until]).collect()
    }

    /// Before all else that happens at an instant.
    pub fn change_tables(&mut self) {
        if !self.changes().contains(&self.now) {
            return;
        }
        let avoided = self.avoided();
        if avoided == self.wiring.avoided {
            return;
        }
        if self.has_queues() {
            self.wiring.avoided = avoided;
            self.leave_queues();
        } else if self.has_allocators() {
            self.wiring.avoided = avoided;
        } else {
            self.ask_anew(avoided);
        }
    }

    /// The groups that tables avoid: of links that have failed as many as there are ways without.
    fn avoided(&self) -> BTreeSet<usize> {
        let is_on = |outage: &&Outage| {
            span(outage).is_some_and(|(from, until)| from <= self.now && self.now < until)
        };
        let outages: Vec<&Outage> = self.outages.iter().filter(is_on).collect();
        let has_failed =
            |link: &BTreeSet<usize>| outages.iter().any(|one| !one.groups.is_disjoint(link));
        let is_inside = |link: &BTreeSet<usize>| {
            link.iter().all(|&group| self.wiring.is_inside(&self.wiring.groups[group]))
        };
        let links = self.wiring.links().into_iter().filter(is_inside);
        let failed: Vec<BTreeSet<usize>> = links.filter(has_failed).collect();
        let all: BTreeSet<usize> = failed.iter().flatten().copied().collect();
        if self.wiring.is_whole_without(&all) {
            return all;
        }
        let mut avoided = BTreeSet::new();
        for link in failed {
            let more: BTreeSet<usize> = avoided.union(&link).copied().collect();
            if self.wiring.is_whole_without(&more) {
                avoided = more;
            }
        }
        avoided
    }

    /// Those at the front of buffers that have asked for another group than they would by the new tables.
    fn ask_anew(&mut self, avoided: BTreeSet<usize>) {
        let fronts = |of: &Self| -> Vec<(usize, usize, usize)> {
            let switches = (0..of.wiring.switches()).map(End::Switch);
            let inputs =
                switches.flat_map(|here| of.askers(here).into_iter().map(move |i| (here, i)));
            let mut all: Vec<(usize, usize, usize)> = inputs
                .map(|(here, input)| {
                    let packet = of.channels[input].buffer[0].packet;
                    let from = Some(of.wiring.group_of[input]);
                    (input, packet, of.wiring.route(here, of.aim(packet), from))
                })
                .collect();
            all.sort_unstable();
            all
        };
        let before = fronts(self);
        self.wiring.avoided = avoided;
        let after = fronts(self);
        for ((input, packet, old), (.., new)) in before.into_iter().zip(after) {
            let has_asked = self.asked(input, &self.channels[input].buffer[0]) < self.now;
            if old == new || !has_asked {
                continue;
            }
            if self.granted[old].as_ref().is_some_and(|grant| grant.input == input) {
                self.granted[old] = None;
            }
            self.queues[old].retain(|&other| other != input);
            self.anew.insert(packet, self.now);
            self.lines_up(input, new);
        }
    }

    /// When a packet asked that was ready then, and whether it did so by itself.
    pub fn asked_at(&self, packet: usize, ready: Time) -> (Time, bool) {
        self.anew.get(&packet).map_or((ready, true), |&anew| (anew.max(ready), anew < ready))
    }
}

impl Wiring {
    /// The groups of each link, both ways.
    pub fn links(&self) -> Vec<BTreeSet<usize>> {
        let mut ways: Vec<(usize, usize, usize)> = (0..self.groups.len())
            .filter(|&group| self.groups[group].class == 0 && self.groups[group].share == 0)
            .filter_map(|group| match (self.groups[group].from, self.groups[group].to) {
                (End::Switch(from), End::Switch(to)) => Some((from, to, group)),
                _ => None,
            })
            .collect();
        ways.sort_by_key(|&(from, to, group)| (from.min(to), from, group));
        let mut links: Vec<(Vec<usize>, (usize, usize))> = Vec::new();
        for (from, to, group) in ways {
            let back = links.iter_mut().find(|(all, ends)| all.len() == 1 && *ends == (to, from));
            match back {
                Some((all, _)) => all.push(group),
                None => links.push((vec![group], (from, to))),
            }
        }
        let beside = |one: usize| {
            let of = move |group: usize| {
                (self.groups[group].from, self.groups[group].to, self.groups[group].port)
            };
            (0..self.groups.len()).filter(move |&other| of(other) == of(one))
        };
        let all = |(ways, _): (Vec<usize>, _)| ways.into_iter().flat_map(beside).collect();
        links.into_iter().map(all).collect()
    }

    /// Whether all nodes reach each other without some groups.
    fn is_whole_without(&self, avoided: &BTreeSet<usize>) -> bool {
        let all = 0..self.interfaces();
        let pairs = all.clone().flat_map(|from| all.clone().map(move |to| (from, to)));
        let mut pairs = pairs.filter(|(from, to)| from != to);
        pairs.all(|(from, to)| {
            self.distance_without(self.network_enters(from), to, avoided).is_some()
        })
    }
}
