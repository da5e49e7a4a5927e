//! The links that messages share, in units of the rate of the fastest wire, and the ways over them.

use super::own::OwnLinks;
use super::sharing::{self, Sharing};
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, MessageId};
use crate::measure::ChannelKind;
use crate::routing::{Header, Outputs};
use crate::spec::{Machine, Mode};
use crate::time::Time;

/// The rate of the fastest wire.
const FASTEST: u64 = 1 << 46;

/// The most that is not a wire's.
const MOST: u128 = 1 << 60;

/// Which links can be full, and how fast wires are.
#[derive(Clone)]
pub struct Ways {
    mode: Mode,
    /// By group: the number of the link whose wires it is on.
    link_of: Vec<u32>,
    /// By place in [`Wiring::timings`]: the rate of one wire.
    rates: Vec<u64>,
    /// The link that is draining at the first node, and its rate; none where nodes take everything
    /// in at once.
    drains: Option<(u32, u64)>,
    /// Links that are not shared, as messages have them that may meet acknowledgements of theirs there; none
    /// if none do, or all links are shared.
    own: Option<OwnLinks>,
    /// Those of a way; scratch.
    found: Vec<(u32, bool)>,
    chooses: bool,
    outputs: Outputs,
}

/// How a flow goes.
#[derive(Clone, Default)]
pub struct Way {
    /// The leads of the groups it takes.
    pub leads: Vec<ChannelId>,
    /// The rate of the slowest wire.
    pub limit: u64,
    /// How many flows of a message take it side by side.
    pub lanes: u16,
    /// The most each of them can have: those of one message meet themselves, in every mode.
    pub most: u64,
}

impl Ways {
    /// Those of a machine, with what is shared of it in a mode.
    pub fn new(machine: &Machine, wiring: &Wiring, nodes: usize, mode: Mode) -> (Self, Sharing) {
        let rate_of = |timing: &Timing| rate(wiring, 1, timing.flit_ps);
        let rates: Vec<u64> = wiring.timings.iter().map(rate_of).collect();
        let (link_of, mut capacities) = links(&wiring.layout, &rates);
        let drain_ps = wiring.drain_ps(wiring.timings[0].flit_bytes());
        let drains = (drain_ps > 0).then(|| {
            let rate = rate(wiring, 1, drain_ps);
            let first = capacities.len() as u32;
            capacities.resize(capacities.len() + nodes, rate);
            (first, rate)
        });
        let chooses = wiring.routing.chooses();
        let outputs = Outputs::default();
        let sharing = Sharing::new(capacities.into_iter());
        let meets_itself =
            machine.interface.acknowledges && matches!(mode, Mode::Endpoints | Mode::Free);
        let own = meets_itself.then(OwnLinks::default);
        (Self { mode, link_of, rates, drains, own, found: Vec::new(), chooses, outputs }, sharing)
    }

    /// The link whose wires a group is on.
    #[inline]
    pub fn link_of(&self, layout: &Layout, lead: ChannelId) -> u32 {
        self.link_of[layout.group_of[lead.index()].index()]
    }

    /// The links of a way, each with whether it is shared in this mode.
    fn links<'a>(
        &'a self,
        layout: &'a Layout,
        way: &'a Way,
    ) -> impl Iterator<Item = (u32, bool)> + 'a {
        let is_internal = |lead: &ChannelId| layout.group(*lead).kind == ChannelKind::Internal;
        let first = way.leads.iter().position(is_internal);
        let is_shared = move |place: usize, lead: &ChannelId| match self.mode {
            Mode::Full => true,
            Mode::Endpoints => !is_internal(lead),
            Mode::Throttled => first == Some(place),
            Mode::Free | Mode::Ideal => false,
        };
        let all = way.leads.iter().enumerate();
        let all =
            all.map(move |(place, lead)| (self.link_of(layout, *lead), is_shared(place, lead)));
        let drain = self.drain(layout, way).map(|link| (link, is_shared_at_ends(self.mode)));
        all.chain(drain)
    }

    /// A flow of a message joins the links of its way: those that are shared in this mode, and of the others
    /// the message's own, if it has any.
    pub fn join(
        &mut self,
        (slot, message): (u32, MessageId),
        layout: &Layout,
        way: &Way,
        sharing: &mut Sharing,
    ) {
        let mut links = std::mem::take(&mut self.found);
        links.extend(self.links(layout, way));
        links.retain_mut(|(link, is_shared)| match &mut self.own {
            _ if *is_shared => true,
            Some(own) => {
                *link = own.join(message, *link, sharing);
                true
            }
            None => false,
        });
        sharing.join(slot, way.most, links.drain(..).map(|(link, _)| link));
        self.found = links;
    }

    /// A flow of a message has left the links of its way.
    pub fn leave(&mut self, message: MessageId, layout: &Layout, way: &Way, sharing: &Sharing) {
        let Some(mut own) = self.own.take() else { return };
        let unshared = self.links(layout, way).filter(|&(_, is_shared)| !is_shared);
        unshared.for_each(|(link, _)| own.leave(message, link, sharing));
        self.own = Some(own);
    }

    /// The link that is draining at the end of a way.
    fn drain(&self, layout: &Layout, way: &Way) -> Option<u32> {
        let (first, _) = self.drains?;
        match layout.group(way.leads[way.leads.len() - 1]).end {
            End::Node(node) => Some(first + node.0),
            End::Switch(_) => None,
        }
    }

    /// Finds the way of a packet of a message. Where it has a choice it takes, of the outputs that routing
    /// prefers, that with the fewest flows for its capacity; of several the first.
    pub fn find(
        &mut self,
        (message, mut header): (MessageId, Header),
        wiring: &Wiring,
        sharing: &Sharing,
        way: &mut Way,
    ) {
        let layout = &wiring.layout;
        way.leads.clear();
        way.limit = u64::MAX;
        let mut lead = wiring.injection_lead(header.source, header.traffic);
        loop {
            let group = layout.group(lead);
            way.leads.push(lead);
            way.limit = way.limit.min(self.rates[usize::from(group.rate)]);
            let End::Switch(switch) = group.end else { break };
            header.route = wiring.passed(group, header);
            lead = if self.chooses {
                self.least_used(wiring, sharing, switch, (message, header))
            } else {
                wiring.first_lead(switch, header)
            };
        }
        way.limit = way.limit.min(self.drains.map_or(u64::MAX, |(_, rate)| rate));
        let links = way.leads.iter().map(|&lead| self.link_of(layout, lead));
        let capacities = links.chain(self.drain(layout, way)).map(|link| sharing.capacity(link));
        let narrowest = capacities.min().unwrap_or(way.limit);
        way.lanes = u16::try_from(narrowest.div_ceil(way.limit)).unwrap_or(u16::MAX);
        way.most = way.limit.min(narrowest / u64::from(way.lanes));
    }

    /// Of the outputs that are preferred the one with the fewest flows for its capacity.
    fn least_used(
        &mut self,
        wiring: &Wiring,
        sharing: &Sharing,
        switch: crate::ids::SwitchId,
        (message, header): (MessageId, Header),
    ) -> ChannelId {
        let (link_of, own, layout) = (&self.link_of, &self.own, &wiring.layout);
        let used = |lead: ChannelId| {
            let link = link_of[layout.group_of[lead.index()].index()];
            let link = own.as_ref().map_or(link, |own| own.seen(message, link));
            (sharing.flows_on(link) as u128, u128::from(sharing.capacity(link)))
        };
        let mut leads = wiring.leads(switch, header, &mut self.outputs);
        let (mut best, preferred) = leads.next().unwrap_or((ChannelId::NONE, 0));
        for (lead, tier) in leads {
            let ((flows, capacity), (fewest, of)) = (used(lead), used(best));
            if tier == preferred && flows * of < fewest * capacity {
                best = lead;
            }
        }
        best
    }
}

/// The rate of so many flits in a time.
pub fn rate(wiring: &Wiring, flits: u64, time: Time) -> u64 {
    let fastest = wiring.timings.iter().map(|timing| timing.flit_ps).min().unwrap_or(1);
    let all = u128::from(FASTEST) * u128::from(fastest) * u128::from(flits);
    (all / u128::from(time)).clamp(1, MOST) as u64
}

/// Whether flows share what is at the ends of their ways.
fn is_shared_at_ends(mode: Mode) -> bool {
    matches!(mode, Mode::Full | Mode::Endpoints)
}

/// By group its link, and by link its capacity: groups with a wire in common, those of the
/// virtual channels of one link or of both its directions, are one link.
fn links(layout: &Layout, rates: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let mut of = vec![sharing::NONE; layout.groups.len()];
    let mut capacities: Vec<u64> = Vec::new();
    for (number, group) in layout.groups.iter().enumerate() {
        // The wires of a group begin with one of the first group on them.
        let wire = layout.wire_of[group.first.index()];
        let first = layout.group_of[wire.index()].index();
        if of[first] == sharing::NONE {
            of[first] = capacities.len() as u32;
            capacities.push(0);
        }
        of[number] = of[first];
        let own = group.channels().filter(|channel| layout.wire_of[channel.index()] == *channel);
        capacities[of[number] as usize] += own.count() as u64 * rates[usize::from(group.rate)];
    }
    (of, capacities)
}

/// A channel of a group, in turn.
pub fn channel_of(group: &Group, turn: u32) -> ChannelId {
    ChannelId(group.first.0 + turn % u32::from(group.width))
}
