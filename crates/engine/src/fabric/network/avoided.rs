//! Ways round failed links: when tables of routing avoid which, and what the tables of the network that is
//! left are.

use crate::error::SpecError;
use crate::routing::{Properties, Routing};
use crate::spec::{Fault, FaultAt, Machine, RoutingSpec};
use crate::time::Time;
use crate::topology::{Links, Outage, Topology};
use std::collections::BTreeMap;

/// A time in which tables avoid a link.
pub struct Span {
    from: Time,
    until: Time,
    link: usize,
    /// Of which of the faults.
    pub table: usize,
}

/// When tables avoid which links. They do not change because of one that is repaired before they would.
pub fn spans(
    faults: &[Fault],
    outages: &[Outage],
    links: &Links<'_>,
) -> Result<Vec<Span>, SpecError> {
    let mut spans = Vec::new();
    for &Outage { table, at, from, until } in outages {
        let Some(after) = faults[table].reroute_ps else { continue };
        let field = || format!("fault[{table}].reroute_after_ps");
        if faults[table].share > 0 || faults[table].time_factor.is_some() {
            return Err(SpecError::new(field(), after, "must be left out: the link is not down"));
        }
        let meant = match at {
            FaultAt::Link(link) => links.numbers(&link, &format!("fault[{table}].link"))?,
            FaultAt::Switch(switch) => links.of_switch(switch),
            FaultAt::Node(_) | FaultAt::Each(_) => {
                let allowed = "must be left out: no other way leads to a node";
                return Err(SpecError::new(field(), after, allowed));
            }
        };
        let (of_hosts, meant): (Vec<usize>, Vec<usize>) =
            meant.into_iter().partition(|&link| links.leads_to_host(link));
        let is_one = !matches!(faults[table].at, FaultAt::Each(_));
        if is_one && meant.is_empty() && !of_hosts.is_empty() {
            let allowed = "must be left out: no other way leads to an interface of a host";
            return Err(SpecError::new(field(), after, allowed));
        }
        let [begins, ends] = [from, until].map(|time| time.saturating_add(after));
        if begins < until {
            let span = |link| Span { from: begins, until: ends, link, table };
            spans.extend(meant.into_iter().map(span));
        }
    }
    Ok(spans)
}

/// From when on tables avoid which links, and because of which fault the last that is new.
pub fn sets(spans: &[Span]) -> Vec<(Time, Vec<usize>, usize)> {
    let mut ends: Vec<(Time, bool, usize, usize)> = spans
        .iter()
        .flat_map(|span| {
            let Span { from, until, link, table } = *span;
            [(from, true, link, table), (until, false, link, table)]
        })
        .collect();
    ends.sort_unstable();
    let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
    let mut sets: Vec<(Time, Vec<usize>, usize)> = Vec::new();
    for (at, begins, link, table) in ends {
        let count = gone.entry(link).or_default();
        if begins {
            *count += 1;
        } else {
            *count -= 1;
        }
        if *count == 0 {
            gone.remove(&link);
        }
        if sets.last().is_some_and(|last| last.0 == at) {
            sets.pop();
        }
        sets.push((at, gone.keys().copied().collect(), table));
    }
    sets
}

/// What ways round failed links are worked out from.
pub struct Avoiding<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The seed of the run.
    pub seed: u64,
    /// All links of its network.
    pub links: &'a Links<'a>,
    /// How packets are routed while all is well.
    pub usual: &'a Routing,
}

impl Avoiding<'_> {
    /// The network without links that have failed, and these. Links stay that nodes are cut off without, or
    /// without which routing knows no way: packets wait there for the repair.
    pub fn left(&self, failed: &[usize]) -> (Topology, Vec<usize>) {
        let knows = |gone: &[usize]| {
            let (topology, is_whole) = self.links.without(gone);
            // Others say themselves what they do not know.
            let is_known = is_whole
                && (!self.usual.properties().avoids_failed
                    || Routing::knows_ways(self.machine, &topology, self.seed));
            is_known.then_some(topology)
        };
        if let Some(topology) = knows(failed) {
            return (topology, failed.to_vec());
        }
        let mut gone = Vec::new();
        for &link in failed {
            gone.push(link);
            if knows(&gone).is_none() {
                gone.pop();
            }
        }
        (self.links.without(&gone).0, gone)
    }

    /// The tables of a network that is left, and shortest ways for switches from which they know none.
    pub fn prepared(&self, topology: &Topology) -> Result<(Routing, Option<Routing>), SpecError> {
        let Self { machine, seed, usual, .. } = *self;
        let routing = Routing::new(machine, topology, seed)?;
        let (old, new) = (usual.properties(), routing.properties());
        if usual.classes() != routing.classes() || !are_alike(old, new) {
            let name = machine.routing.algorithm.name();
            let (before, after) = (old.classes, new.classes);
            let allowed = format!(
                "must be left out: without the links routing {name} tells {after} classes of virtual \
                 channels apart, and {before} with them; use up_down, or failed_links for a failure \
                 that lasts"
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let mut other = machine.clone();
        other.routing.algorithm = RoutingSpec::Shortest;
        other.routing.allow_deadlock = true;
        let back = Routing::new(&other, topology, seed).ok();
        Ok((routing, back.filter(|_| old.classes == 1)))
    }
}

/// Whether the same switches can route by either.
fn are_alike(one: &Properties, other: &Properties) -> bool {
    let of = |of: &Properties| {
        let (own, kept) = (of.chooses, of.remembers);
        (of.classes, of.escapes, own, kept, of.draws, of.varies, of.weighs, of.takes_new_tables)
    };
    of(one) == of(other)
}
