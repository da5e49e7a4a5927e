//! Tables of routing that change while a run goes on: some time after links have failed they are those of
//! the network that is left, and some time after the repair those of the whole again.
//!
//! When they change, and to which, is known before the run. Tables that are not in force are kept here, those
//! that are in the wiring.

use crate::error::SpecError;
use crate::fabric::network::avoided::{Avoiding, Span, sets, spans};
use crate::fabric::network::known::{KnownChoices, KnownLeads};
use crate::fabric::network::layout::{End, Layout};
use crate::ids::{ChannelId, SwitchId};
use crate::measure::ChannelKind;
use crate::routing::{Header, Outputs, Routing};
use crate::spec::{Fault, Machine};
use crate::time::{NEVER, Time};
use crate::topology::{Outage, Topology};
use std::collections::{BTreeMap, HashSet};

/// Most different sets of links that tables avoid.
const MOST: usize = 1000;

/// Most links of a way that are looked at for one that has failed.
const MOST_STEPS: usize = 64;

/// Which way packets go, and what is known of that beforehand.
pub struct Tables {
    /// Which way packets go.
    pub routing: Routing,
    /// Where packets ask, as far as that is known beforehand.
    pub known: KnownLeads,
    /// All by which they may leave, as far as that is known beforehand.
    pub choices: KnownChoices,
}

impl Tables {
    /// What is known of routing on a topology: where packets ask unless they do so by rules, and all outputs
    /// if they choose of those.
    pub fn new(
        routing: Routing,
        topology: &Topology,
        layout: &Layout,
        (asks_by_rules, chooses): (bool, bool),
    ) -> Self {
        let known = if asks_by_rules {
            KnownLeads::default()
        } else {
            KnownLeads::new(topology, &routing, layout)
        };
        let choices = if chooses {
            KnownChoices::new(topology, &routing, layout)
        } else {
            KnownChoices::default()
        };
        Self { routing, known, choices }
    }
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

/// Numbers of tables: by the links that have failed, and by those of them that the tables avoid.
struct Known {
    of_failed: BTreeMap<Vec<usize>, usize>,
    of_avoided: BTreeMap<Vec<usize>, usize>,
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
        let avoiding = Avoiding { machine, seed, links: &links, usual };
        let mut known = Known {
            of_failed: BTreeMap::from([(Vec::new(), 0)]),
            of_avoided: BTreeMap::from([(Vec::new(), 0)]),
        };
        for (at, gone, table) in sets(&spans) {
            let number = found.number(gone, &mut known, &avoiding, &make).map_err(|error| {
                SpecError { circle: error.circle, ..refused(table, error.allowed) }
            })?;
            if found.changes.last().map_or(0, |&(_, last)| last) != number {
                found.changes.push((at, number));
            }
        }
        Ok(Some(found))
    }

    /// The number of the tables for links that have failed, which are made if they are new.
    fn number(
        &mut self,
        failed: Vec<usize>,
        known: &mut Known,
        avoiding: &Avoiding<'_>,
        make: &impl Fn(Routing, &Topology) -> Tables,
    ) -> Result<usize, SpecError> {
        if let Some(&number) = known.of_failed.get(&failed) {
            return Ok(number);
        }
        let (topology, avoided) = avoiding.left(&failed);
        if let Some(&number) = known.of_avoided.get(&avoided) {
            known.of_failed.insert(failed, number);
            return Ok(number);
        }
        if self.all.len() > MOST {
            let allowed = format!("must be left out: tables of more than {MOST} sets of links");
            return Err(SpecError::new("", "", allowed));
        }
        let (routing, back) = avoiding.prepared(&topology)?;
        let number = self.all.len();
        self.all.push(Some(make(routing, &topology)));
        let gone = avoided.iter().flat_map(|&link| avoiding.links.ends(link)).collect();
        self.without.push(Without { gone, back });
        known.of_avoided.insert(avoided, number);
        known.of_failed.insert(failed, number);
        Ok(number)
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

    /// The routing of the whole network, if it is not in force.
    fn usual(&self) -> Option<&Routing> {
        self.all[0].as_ref().map(|tables| &tables.routing)
    }

    /// The slot of the first output by which a packet might have left a switch by the tables before these.
    pub fn slot_before(&self, switch: SwitchId, header: Header) -> Option<usize> {
        self.all[self.before].as_ref()?.routing.next(switch, header)
    }

    /// A packet starts on a channel because other tables are in force than those of the whole network: the
    /// channel it would have taken by these, as far as its way leads to a link that those in force avoid to
    /// that link. `lead`: that of a slot of a switch.
    pub fn turned_from(
        &self,
        (channel, header): (ChannelId, Header),
        layout: &Layout,
        lead: impl Fn(SwitchId, usize) -> ChannelId,
    ) -> Option<ChannelId> {
        let usual = self.usual()?;
        let group = layout.group(channel);
        if group.kind != ChannelKind::Internal {
            return None;
        }
        let mut switch = SwitchId(group.from);
        let mut outputs = Outputs::default();
        usual.outputs(switch, header, &mut outputs);
        if outputs.iter().any(|(slot, _)| lead(switch, slot) == group.first) {
            return None;
        }
        let mut first = None;
        for _ in 0..MOST_STEPS {
            let Some(slot) = usual.next(switch, header) else { break };
            let lead = lead(switch, slot);
            first.get_or_insert(lead);
            let group = layout.group(lead);
            let port = layout.port_and_class(group).map(|(port, _)| port);
            if port.is_some_and(|port| self.avoids(switch, port)) {
                return Some(lead);
            }
            let End::Switch(next) = group.end else { break };
            switch = next;
        }
        first
    }

    /// Whether the tables in force avoid the link at a port.
    fn avoids(&self, switch: SwitchId, port: usize) -> bool {
        self.without[self.now].gone.contains(&(switch, port))
    }

    /// The slot by which a packet leaves a switch from which the tables know no way: by a shortest way, or if
    /// there is none by that of the whole network, at which it waits for the repair.
    #[cold]
    pub fn beyond(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let back = self.without[self.now].back.as_ref();
        let slot = back.and_then(|routing| routing.next(switch, header));
        slot.or_else(|| self.usual()?.next(switch, header))
    }
}
