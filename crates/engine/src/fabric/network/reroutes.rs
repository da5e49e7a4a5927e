//! Tables of routing that change while a run goes on: some time after links have failed they are those of
//! the network that is left, and some time after the repair those of the whole again.
//!
//! When they change, and to which, is known before the run. Tables that are not in force are kept here, those
//! that are in the wiring.

use crate::error::SpecError;
use crate::fabric::network::known::{KnownChoices, KnownLeads};
use crate::ids::SwitchId;
use crate::routing::{Header, Properties, Routing};
use crate::spec::{Fault, FaultAt, Machine, RoutingSpec};
use crate::time::{NEVER, Time};
use crate::topology::{Links, Outage, Topology};
use std::collections::btree_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, HashSet};

/// Most different sets of links that tables avoid.
const MOST: usize = 1000;

/// Which way packets go, and what is known of that beforehand.
pub struct Tables {
    /// Which way packets go.
    pub routing: Routing,
    /// Where packets ask, as far as that is known beforehand.
    pub known: KnownLeads,
    /// All by which they may leave, as far as that is known beforehand.
    pub choices: KnownChoices,
}

/// All tables of a run, and when they change.
pub struct Reroutes {
    /// When other tables come into force, and which: in order.
    changes: Vec<(Time, usize)>,
    /// How many have.
    past: usize,
    /// Which are in force, and which were before.
    now: usize,
    before: usize,
    /// All; none where they are in force. The first are those of the whole network.
    all: Vec<Option<Tables>>,
    /// What tables avoid.
    without: Vec<Without>,
}

/// What tables are like that avoid some links.
#[derive(Default)]
struct Without {
    /// The links: switch and port of each direction.
    gone: HashSet<(SwitchId, usize)>,
    /// Shortest ways, for packets at switches from which the tables know none.
    back: Option<Routing>,
}

impl Reroutes {
    /// Those of the outages of a run; none if tables never change.
    ///
    /// # Errors
    /// Routing whose packets cannot go on by other tables, or that knows no way round; one that can deadlock
    /// then; too many different tables.
    pub fn new(
        (machine, topology, seed): (&Machine, &Topology, u64),
        (faults, outages): (&[Fault], &[Outage]),
        usual: &Routing,
        make: impl Fn(Routing, &Topology) -> Tables,
    ) -> Result<Option<Self>, SpecError> {
        let links = topology.every_link();
        let spans = spans(faults, outages, &links)?;
        let Some(&Span { table, .. }) = spans.first() else { return Ok(None) };
        let refused = |table: usize, allowed: String| {
            let given = faults[table].reroute_ps.unwrap_or(0);
            SpecError::new(format!("fault[{table}].reroute_after_ps"), given, allowed)
        };
        let name = machine.routing.algorithm.name();
        if topology.hosts.is_some() {
            let allowed = "must be left out with machine.hosts: tables stay as they are";
            return Err(refused(table, allowed.into()));
        }
        if !usual.properties().takes_new_tables {
            let allowed = format!(
                "must be left out with routing {name}: use shortest, spanning_tree, up_down, d_mod_k, \
                 s_mod_k, nearest_common_ancestor, or ecmp or spray with one class of virtual channels"
            );
            return Err(refused(table, allowed));
        }
        let mut found = Self {
            changes: Vec::new(),
            past: 0,
            now: 0,
            before: 0,
            all: vec![None],
            without: vec![Without::default()],
        };
        let mut known = BTreeMap::from([(Vec::new(), 0)]);
        for (at, gone, table) in sets(&spans) {
            let number = match known.entry(gone) {
                Occupied(known) => *known.get(),
                Vacant(place) => {
                    if found.all.len() > MOST {
                        let allowed =
                            format!("must be left out: tables of more than {MOST} sets of links");
                        return Err(refused(table, allowed));
                    }
                    let way = Way { machine, seed, links: &links, usual };
                    let (topology, gone) = way.left(place.key());
                    let (routing, back) = way.prepared(&topology).map_err(|error| SpecError {
                        circle: error.circle,
                        ..refused(table, error.allowed)
                    })?;
                    found.all.push(Some(make(routing, &topology)));
                    let gone = gone.iter().flat_map(|&link| links.ends(link)).collect();
                    found.without.push(Without { gone, back });
                    *place.insert(found.all.len() - 1)
                }
            };
            if found.changes.last().map_or(0, |&(_, last)| last) != number {
                found.changes.push((at, number));
            }
        }
        Ok(Some(found))
    }

    /// When tables change next, or [`NEVER`].
    pub fn next(&self) -> Time {
        self.changes.get(self.past).map_or(NEVER, |&(at, _)| at)
    }

    /// Tables come into force whose time has come, by `swap`, which gives those that were; whether there are any.
    pub fn change(&mut self, now: Time, swap: impl FnOnce(Tables) -> Tables) -> bool {
        let due = self.changes[self.past..].iter().take_while(|&&(at, _)| at <= now).count();
        let Some(&(_, number)) = self.changes[..self.past + due].last().filter(|_| due > 0) else {
            return false;
        };
        self.past += due;
        let Some(new) = self.all[number].take() else { return false };
        self.all[self.now] = Some(swap(new));
        (self.before, self.now) = (self.now, number);
        true
    }

    /// Those of the whole network, if they are not in force.
    pub fn usual(&self) -> Option<&Tables> {
        self.all[0].as_ref()
    }

    /// Those that were in force before.
    pub fn before(&self) -> Option<&Tables> {
        self.all[self.before].as_ref()
    }

    /// Whether the tables in force avoid the link at a port.
    pub fn avoids(&self, switch: SwitchId, port: usize) -> bool {
        self.without[self.now].gone.contains(&(switch, port))
    }

    /// The slot by which a packet leaves a switch from which the tables know no way: by a shortest way, or if
    /// there is none by that of the whole network, at which it waits for the repair.
    #[cold]
    pub fn beyond(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let back = self.without[self.now].back.as_ref();
        let slot = back.and_then(|routing| routing.next(switch, header));
        slot.or_else(|| self.usual()?.routing.next(switch, header))
    }
}

/// A time in which tables avoid a link.
struct Span {
    from: Time,
    until: Time,
    link: usize,
    /// Of which of the faults.
    table: usize,
}

/// When tables avoid which links. They do not change because of one that is repaired before they would.
fn spans(faults: &[Fault], outages: &[Outage], links: &Links<'_>) -> Result<Vec<Span>, SpecError> {
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
        let [begins, ends] = [from, until].map(|time| time.saturating_add(after));
        if begins < until {
            let span = |link| Span { from: begins, until: ends, link, table };
            spans.extend(meant.into_iter().map(span));
        }
    }
    Ok(spans)
}

/// From when on tables avoid which links, and because of which fault the last that is new.
fn sets(spans: &[Span]) -> Vec<(Time, Vec<usize>, usize)> {
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
struct Way<'a> {
    machine: &'a Machine,
    seed: u64,
    links: &'a Links<'a>,
    usual: &'a Routing,
}

impl Way<'_> {
    /// The network without links that have failed, and these. Links stay that nodes are cut off without, or
    /// without which routing knows no way: packets wait there for the repair.
    fn left(&self, failed: &[usize]) -> (Topology, Vec<usize>) {
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
    fn prepared(&self, topology: &Topology) -> Result<(Routing, Option<Routing>), SpecError> {
        let Self { machine, seed, usual, .. } = *self;
        let routing = Routing::new(machine, topology, seed)?;
        let (old, new) = (usual.properties(), routing.properties());
        if usual.classes() != routing.classes() || !are_alike(old, new) {
            let name = machine.routing.algorithm.name();
            let allowed = format!(
                "must be left out: without the links routing {name} needs other virtual channels"
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
