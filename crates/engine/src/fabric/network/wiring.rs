//! What every kernel needs to know: channels, routes, times.

use crate::error::SpecError;
use crate::fabric::network::cells::CellTiming;
use crate::fabric::network::faults::Faults;
use crate::fabric::network::integrated::IntegratedTiming;
use crate::fabric::network::known::{KnownChoices, KnownLeads};
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::network::line::Line;
use crate::fabric::network::reroutes::{Reroutes, Tables};
use crate::fabric::network::shares::Shares;
use crate::fabric::network::timing::{Rates, Running, Timing};
use crate::fabric::packet::Packet;
use crate::ids::{ChannelId, NodeId, SwitchId};
use crate::measure::{ChannelKind, Class};
use crate::rare::rarely;
use crate::routing::{Header, Otherwise, Outputs, Routing};
use crate::spec::{Fault, Fidelity, Machine, Multicast, Switching};
use crate::time::{NEVER, Time};
use crate::topology::{Outage, Topology};

/// What every kernel needs to know.
#[allow(clippy::struct_excessive_bools, reason = "each is found out once, and asked per hop")]
pub struct Wiring {
    /// The numbering of channels.
    pub layout: Layout,
    /// Which way packets go.
    pub routing: Routing,
    /// Which virtual channels are whose.
    pub shares: Shares,
    /// The times of a channel at the link's own rate.
    pub link: Timing,
    /// The times of all rates, see [`Rates::all`].
    pub timings: Vec<Timing>,
    /// How packets pass where nodes and switches are one; else none.
    pub integrated_timing: Option<IntegratedTiming>,
    /// The times of cells where switches are line cards; else none.
    pub cells: Option<CellTiming>,
    /// From when a packet is in its node until it may ask for its first channel: not 0 only
    /// where nodes and switches are one.
    pub arbitration_ps: Time,
    /// Whether nodes acknowledge data packets.
    acknowledges: bool,
    /// Whether all channels have the same times.
    is_uniform: bool,
    /// Whether a flit takes as long on all of them.
    has_one_flit_time: bool,
    /// Whether packets ask at allocators.
    has_allocators: bool,
    /// Whether it takes more than the first output of routing to say where a packet asks.
    asks_by_rules: bool,
    /// Where packets ask, as far as that is known beforehand.
    known: KnownLeads,
    /// All by which they may leave, as far as that is known beforehand.
    choices: KnownChoices,
    /// How channels differ for an undisturbed packet.
    pace: Pace,
    /// When packets may go on.
    onward: Onward,
    /// Whether circuits are made of the channels of a way.
    makes_circuits: bool,
    /// Time in which a node drains a data byte of what it has taken in.
    drain_byte_ps: Time,
    /// Whether switches make copies of packets with riders.
    pub replicates: bool,
    /// Links that are down, or slower, for a time.
    pub faults: Option<Box<Faults>>,
    /// Tables of routing that change because of them.
    reroutes: Option<Box<Reroutes>>,
}

/// When a packet may go on from a switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// When its header is there: a time of the channel.
    Header,
    /// When it can follow its header without a gap, however fast the next channel is.
    WithoutGap,
    /// When all of it is there.
    Stored,
}

impl Onward {
    /// From a packet's start on a channel until it may start on the next.
    fn after_ps(self, timing: &Timing, next: &Timing, bytes: u32) -> Time {
        match self {
            Self::Header => timing.hop_ps,
            Self::WithoutGap => timing.behind_header_ps(next, bytes),
            Self::Stored => timing.stored_ps(bytes),
        }
    }
}

/// How an undisturbed packet passes channels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// All in the same time, and routing remembers nothing: nothing has to be kept of it.
    Plain,
    /// All in the same time.
    Even,
    /// As a whole, in the time of each channel.
    Whole,
    /// As fast as the slowest before lets its flits come.
    Uneven,
}

impl Wiring {
    /// The wiring of a machine.
    ///
    /// # Errors
    /// A topology, routing or rates that do not fit together.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        fidelity: Fidelity,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let integrated_timing = IntegratedTiming::new(machine);
        let mut link = Timing::of(machine);
        let mut rates = Rates::new(machine, topology, fidelity)?;
        let wormhole = integrated_timing.filter(IntegratedTiming::is_wormhole);
        if wormhole.is_some() {
            link = link.arbitrated();
            rates.all.iter_mut().for_each(|timing| *timing = timing.arbitrated());
        }
        let makes_circuits = machine.makes_circuits();
        if integrated_timing.is_none() && fidelity.has_whole_packets() && !makes_circuits {
            link = link.of_whole_packets();
            rates.all.iter_mut().for_each(|timing| *timing = timing.of_whole_packets());
        }
        let routing = Routing::new(machine, topology, seed)?;
        let shares = Shares::new(machine)?;
        let classes = classes_of(&routing, &shares)?;
        let layout = Layout::new(machine, topology, &rates, (&classes, &routing, &shares))?;
        let timings = rates.all;
        let is_uniform = timings.iter().all(|timing| *timing == link);
        let has_allocators =
            routing.chooses() || fidelity == Fidelity::Packet && layout.has_shared_wires();
        let knows_flits = fidelity.knows_flits();
        let is_even = is_uniform && (!knows_flits || link.last_ps <= link.flit_ps);
        let cells = CellTiming::new(machine);
        let pace = match knows_flits {
            _ if cells.is_some() => Pace::Whole,
            _ if is_even && !routing.remembers() => Pace::Plain,
            _ if is_even => Pace::Even,
            false => Pace::Whole,
            true => Pace::Uneven,
        };
        let has_one_rate = timings.iter().all(|timing| timing.has_rate_of(&link));
        let onward = match machine.switch.switching {
            _ if integrated_timing.is_some() || makes_circuits => Onward::Header,
            Switching::StoreAndForward => Onward::Stored,
            _ if fidelity.has_whole_packets() && !has_one_rate => Onward::WithoutGap,
            _ => Onward::Header,
        };
        let asks_by_rules = has_allocators || !shares.is_one();
        let is_one = shares.is_one();
        let Tables { routing, known, choices } =
            Tables::new(routing, topology, &layout, (asks_by_rules, has_allocators && is_one));
        Ok(Self {
            has_allocators,
            asks_by_rules,
            known,
            choices,
            layout,
            routing,
            shares,
            link,
            arbitration_ps: wormhole
                .map_or(0, |integrated_timing| integrated_timing.arbitration_ps),
            integrated_timing,
            cells,
            acknowledges: machine.interface.acknowledges,
            is_uniform,
            has_one_flit_time: timings.iter().all(|timing| timing.flit_ps == link.flit_ps),
            pace,
            onward,
            makes_circuits,
            drain_byte_ps: machine.interface.drain_byte_ps.unwrap_or(0),
            replicates: machine.interface.multicast == Multicast::Switches,
            faults: None,
            reroutes: None,
            timings,
        })
    }

    /// Tables of routing change because of faults.
    ///
    /// # Errors
    /// Routing that knows no way round failed links, or whose packets cannot go on by other tables.
    pub fn reroute(
        &mut self,
        of: (&Machine, &Topology, u64),
        faults: (&[Fault], &[Outage]),
    ) -> Result<(), SpecError> {
        let knows = (self.asks_by_rules, self.has_allocators && self.shares.is_one());
        let layout = &self.layout;
        let make = |routing, topology: &Topology| Tables::new(routing, topology, layout, knows);
        self.reroutes = Reroutes::new(of, faults, &self.routing, make)?.map(Box::new);
        Ok(())
    }

    /// When tables of routing change next, or [`NEVER`].
    pub fn next_change(&self) -> Time {
        self.reroutes.as_ref().map_or(NEVER, |reroutes| reroutes.next())
    }

    /// Tables come into force whose time has come; whether there are any.
    pub fn change_tables(&mut self, now: Time) -> bool {
        let Some(reroutes) = &mut self.reroutes else { return false };
        let (routing, known, choices) = (&mut self.routing, &mut self.known, &mut self.choices);
        reroutes.change(now, |new| Tables {
            routing: std::mem::replace(routing, new.routing),
            known: std::mem::replace(known, new.known),
            choices: std::mem::replace(choices, new.choices),
        })
    }

    /// The lead of the first group by which a packet might have left a switch by the tables before these.
    pub fn lead_before(&self, switch: SwitchId, header: Header) -> Option<ChannelId> {
        let slot = self.reroutes.as_ref()?.slot_before(switch, header)?;
        Some(self.lead_in_share(switch, Some(slot), header))
    }

    /// A packet starts on a channel because other tables are in force than those of the whole network: the
    /// channel it would have taken by these, as far as its way leads to a link that those in force avoid to
    /// that link.
    pub fn turned_from(&self, channel: ChannelId, header: Header) -> Option<ChannelId> {
        let lead = |switch, slot| self.lead_in_share(switch, Some(slot), header);
        self.reroutes.as_ref()?.turned_from((channel, header), &self.layout, lead)
    }

    /// Virtual channels of a link that each of routing's classes has, share by share.
    pub fn classes(&self) -> Vec<u16> {
        classes_of(&self.routing, &self.shares).unwrap_or_default()
    }

    /// Whether packets ask at allocators: they may have a choice, or are sent as a whole over
    /// wires that channels share.
    #[inline]
    pub fn has_allocators(&self) -> bool {
        self.has_allocators
    }

    /// By channel: the one that stands for the queue of those who may be granted it. Where whole
    /// packets or messages leave integrated nodes it is the node's, whichever way they go.
    pub fn queues(&self) -> Vec<ChannelId> {
        let has_queues = self
            .integrated_timing
            .is_some_and(|integrated_timing| !integrated_timing.is_wormhole());
        let queue = |group: &crate::ids::GroupId| {
            let group = &self.layout.groups[group.index()];
            let leaves_switch = matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection);
            match group.from {
                node if has_queues => self.layout.injection_lead(NodeId(node)),
                switch if self.has_allocators && leaves_switch => {
                    self.layout.allocators[switch as usize]
                }
                _ => group.first,
            }
        };
        self.layout.group_of.iter().map(queue).collect()
    }

    /// Where a packet that is to leave a switch asks: at the lead of the group it leaves
    /// by, or, where it may have a choice, at the allocator of the switch.
    // Inlined into its callers, as every hop passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn asks_at(&self, switch: SwitchId, packet: &Packet) -> ChannelId {
        match self.routing.in_order() {
            Some(routing) if !self.asks_by_rules => self.layout.lead_at(
                switch,
                routing.next_to(switch, packet.destination),
                packet.destination,
            ),
            _ if self.has_allocators => self.layout.allocators[switch.index()],
            _ => match self.known.at(switch, packet.destination) {
                Some(lead) => lead,
                None => self.asks_by_rules(switch, packet),
            },
        }
    }

    /// The same where it is not plain dimension order, and not known beforehand.
    #[inline(never)]
    fn asks_by_rules(&self, switch: SwitchId, packet: &Packet) -> ChannelId {
        self.first_lead(switch, packet.header())
    }

    /// The lead of the only, or of the first group by which a packet may leave a switch.
    // Inlined into the above, as every hop of what is not plain dimension order passes here.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn first_lead(&self, switch: SwitchId, header: Header) -> ChannelId {
        let slot = self.routing.next(switch, header);
        if slot.is_none() && rarely(self.reroutes.is_some()) {
            return self.lead_in_share(switch, self.slot_beyond(switch, header), header);
        }
        if self.shares.is_one() {
            return self.layout.lead_at(switch, slot, header.destination);
        }
        self.lead_in_share(switch, slot, header)
    }

    /// The same of the channels that are the packet's.
    #[inline(never)]
    fn lead_in_share(&self, switch: SwitchId, slot: Option<usize>, header: Header) -> ChannelId {
        match slot {
            Some(slot) => {
                self.layout.slot_lead(switch, self.slot_of(slot, self.shares.of(header.traffic)))
            }
            None => self.ejection_lead(header.destination, header.traffic),
        }
    }

    /// The slot by which a packet leaves a switch from which tables after a fault know no way; none where it has
    /// arrived.
    #[cold]
    fn slot_beyond(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let ejection = self.layout.ejection_lead(header.destination);
        if self.layout.group(ejection).from == switch.0 {
            return None;
        }
        self.reroutes.as_ref()?.beyond(switch, header)
    }

    /// The slot of the layout for one that routing names, in a share.
    #[inline]
    pub fn slot_of(&self, slot: usize, share: usize) -> usize {
        if self.shares.is_one() {
            return slot;
        }
        let classes = self.routing.classes().len();
        let (port, class) = (slot / classes, slot % classes);
        (port * self.shares.count() + share) * classes + class
    }

    /// The slot by which routing names one of the layout.
    #[inline]
    fn named_slot(&self, slot: usize) -> usize {
        if self.shares.is_one() {
            return slot;
        }
        let (classes, shares) = (self.routing.classes().len(), self.shares.count());
        slot / (classes * shares) * classes + slot % classes
    }

    /// The lead of the group by which packets of a traffic class come to a node.
    #[inline]
    pub fn ejection_lead(&self, node: NodeId, traffic: u8) -> ChannelId {
        let lead = self.layout.ejection_lead(node);
        if self.shares.is_one() {
            lead
        } else {
            self.layout.of_share(lead, self.shares.of(traffic))
        }
    }

    /// The lead of the group by which packets of a traffic class leave a node.
    #[inline]
    pub fn injection_lead(&self, node: NodeId, traffic: u8) -> ChannelId {
        let lead = self.layout.injection_lead(node);
        if self.shares.is_one() {
            lead
        } else {
            self.layout.of_share(lead, self.shares.of(traffic))
        }
    }

    /// The leads of all groups by which packets to a destination may leave a switch, with their tiers,
    /// if that is known beforehand; else none.
    #[inline]
    pub fn known_leads(&self, switch: SwitchId, destination: NodeId) -> &[(ChannelId, u8)] {
        self.choices.at(switch, destination)
    }

    /// The leads of all groups by which a packet may leave a switch, with their tiers.
    pub fn leads(
        &self,
        switch: SwitchId,
        header: Header,
        outputs: &mut Outputs,
    ) -> impl Iterator<Item = (ChannelId, u8)> + Clone {
        outputs.clear();
        let known = self.known_leads(switch, header.destination);
        let is_known = !known.is_empty();
        if !is_known {
            self.routing.outputs(switch, header, outputs);
            if outputs.is_empty() && rarely(self.reroutes.is_some()) {
                let slot = self.slot_beyond(switch, header);
                slot.into_iter().for_each(|slot| outputs.add(slot, 0));
            }
        }
        let share = self.shares.of(header.traffic);
        let is_there = !is_known && outputs.is_empty();
        let ejection = is_there.then(|| self.ejection_lead(header.destination, header.traffic));
        let outputs = &*outputs;
        let slots = outputs.iter();
        let lead = move |slot| self.layout.slot_lead(switch, self.slot_of(slot, share));
        let leads = slots.map(move |(slot, tier)| (lead(slot), tier));
        known.iter().copied().chain(leads).chain(ejection.map(|lead| (lead, 0)))
    }

    /// Whether all packets of a message take the same groups of channels, whatever happens.
    pub fn has_fixed_ways(&self) -> bool {
        let properties = self.routing.properties();
        let chooses = self.routing.chooses() || self.routing.weighs();
        let differs = properties.draws || properties.chooses_late || properties.escapes > 0;
        !chooses && !differs && properties.otherwise == Otherwise::Wait
    }

    /// The route of a packet that has been granted a channel of a group.
    #[inline]
    pub fn passed(&self, group: &Group, header: Header) -> u32 {
        match group.end {
            End::Switch(switch) if self.routing.remembers() => {
                let slot = group.slot.map(|slot| self.named_slot(slot as usize));
                self.routing.passed(switch, header, slot)
            }
            _ => header.route,
        }
    }

    /// Whether the arrival of a packet's header is reported before that of all of it:
    /// only if it is to be acknowledged, and not if the header is all there is. Where nodes
    /// and switches are one: whether that of its first data bytes is.
    #[inline]
    pub fn reports_header(&self, packet: &Packet) -> bool {
        if !self.acknowledges {
            let is_early = |integrated_timing: IntegratedTiming| {
                integrated_timing.early_ps(packet.bytes).is_some()
            };
            return self
                .integrated_timing
                .filter(IntegratedTiming::has_queues)
                .is_some_and(is_early);
        }
        packet.class == Class::Data && (packet.bytes > 0 || self.link.ends_with_token())
    }

    /// Whether nothing has to be kept of a packet that crosses a channel: routing remembers
    /// nothing, and it passes all channels in the same time.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.pace == Pace::Plain
    }

    /// Time in which a node drains a packet with so many data bytes, from its start on the
    /// channel to the node on: the least from there to its delivery.
    #[inline]
    pub fn drain_ps(&self, bytes: u32) -> Time {
        self.drain_byte_ps * u64::from(bytes)
    }

    /// Whether all channels have the same rate.
    pub fn is_uniform(&self) -> bool {
        self.is_uniform
    }

    /// Whether all channels between switches have the same times.
    pub fn is_even_inside(&self) -> bool {
        let inside = self.layout.groups.iter();
        let mut inside = inside.filter(|group| group.kind == ChannelKind::Internal);
        let first = inside.next().map(|group| group.rate);
        inside.all(|group| Some(group.rate) == first)
    }

    /// Whether an undisturbed packet passes every channel in the same time.
    #[inline]
    pub fn is_even(&self) -> bool {
        matches!(self.pace, Pace::Plain | Pace::Even)
    }

    /// The times of a channel.
    #[inline]
    pub fn timing(&self, channel: ChannelId) -> &Timing {
        if self.is_uniform {
            return &self.link;
        }
        &self.timings[usize::from(self.layout.group(channel).rate)]
    }

    /// The times of a packet that starts on a channel at an instant, when it may be slower than usual.
    #[inline]
    pub fn timing_at(&self, channel: ChannelId, at: Time) -> Timing {
        let usual = self.timing(channel);
        let slowed = self.faults.as_deref().and_then(|of| of.slowed(channel, at, usual));
        slowed.unwrap_or(*usual)
    }

    /// Whether packets may go on from a switch a fixed time after they start on the channel to
    /// it; else see [`Self::onward_ps`].
    #[inline]
    pub fn goes_on_behind_header(&self) -> bool {
        self.onward == Onward::Header
    }

    /// What a flit counts in the load of the link of a channel: the time it takes there, or 1 where it
    /// takes the same on all links.
    #[inline]
    pub fn flit_counts(&self, channel: ChannelId) -> u64 {
        if self.has_one_flit_time { 1 } else { self.timing(channel).flit_ps }
    }

    /// The same on a link of the machine's own rate.
    #[inline]
    pub fn usual_flit_counts(&self) -> u64 {
        if self.has_one_flit_time { 1 } else { self.link.flit_ps }
    }

    /// From a packet's start on a channel until it may start on one of another group.
    pub fn onward_ps(&self, timing: &Timing, next: &Timing, bytes: u32) -> Time {
        self.onward.after_ps(timing, next, bytes)
    }

    /// From a packet's start on a channel that is slower for a time until it may start on any that it
    /// may take next: it can follow its header there without a gap.
    pub fn onward_from_slow_ps(&self, slow: &Timing, switch: SwitchId, packet: &Packet) -> Time {
        let onward = match self.onward {
            Onward::Stored => Onward::Stored,
            Onward::Header | Onward::WithoutGap => Onward::WithoutGap,
        };
        self.latest_onward_ps(onward, slow, switch, packet)
    }

    /// The same where it may have a choice: until it may start on the last of them. If loads will decide
    /// between ways that is the last of those by which these begin.
    pub fn onward_to_any_ps(&self, timing: &Timing, switch: SwitchId, packet: &Packet) -> Time {
        self.latest_onward_ps(self.onward, timing, switch, packet)
    }

    fn latest_onward_ps(
        &self,
        onward: Onward,
        timing: &Timing,
        switch: SwitchId,
        packet: &Packet,
    ) -> Time {
        if onward == Onward::Stored {
            return timing.stored_ps(packet.bytes);
        }
        if self.routing.weighs() {
            let (header, mut latest) = (packet.header(), 0);
            self.routing.alternatives(switch, header, |route| {
                let lead = self.first_lead(switch, Header { route, ..header });
                let next = self.timing(lead);
                latest = onward.after_ps(timing, next, packet.bytes).max(latest);
            });
            return latest;
        }
        let mut outputs = Outputs::default();
        let leads = self.leads(switch, packet.header(), &mut outputs);
        let onward_ps = |lead| onward.after_ps(timing, self.timing(lead), packet.bytes);
        let times = leads.map(|(lead, _)| onward_ps(lead));
        times.max().unwrap_or(timing.hop_ps)
    }

    /// Whether circuits are made of channels between nodes and switches too.
    #[inline]
    pub fn makes_circuits_of_all(&self) -> bool {
        self.makes_circuits && self.integrated_timing.is_none()
    }

    /// A channel becomes part of a circuit. Where nodes and switches are one only headers wait
    /// for the switch, which arbitrates.
    #[inline]
    pub fn lengthen(&self, line: &mut Line, channel: ChannelId) {
        let timing = self.timing(channel);
        let is_through = self.integrated_timing.is_none() && self.ends_at_switch(channel);
        line.add(timing, if is_through { timing.delay_ps() } else { timing.wire_ps });
    }

    fn ends_at_switch(&self, channel: ChannelId) -> bool {
        matches!(self.layout.group(channel).end, End::Switch(_))
    }

    /// From when a header is granted the last channel of a circuit until all data are there.
    #[inline]
    pub fn completes_ps(&self, line: &Line, last: ChannelId, bytes: u32) -> Time {
        let timing = self.timing(last);
        timing.header_ps + timing.wire_ps + line.takes_ps(timing.data_flits(bytes))
    }

    /// When a packet of `bytes` data bytes that starts on a channel now and is not stopped will have been
    /// sent; `running` follows it from its first channel.
    #[inline]
    pub fn undisturbed(
        &self,
        bytes: u32,
        start: Time,
        timing: &Timing,
        running: &mut Running,
    ) -> Time {
        if self.pace == Pace::Uneven {
            running.cross(start, timing, timing.packet_flits(bytes))
        } else {
            start + timing.packet_ps(bytes)
        }
    }

    /// A packet has been granted a channel: how it would have fared there without
    /// contention.
    #[inline]
    pub fn cross(&self, channel: ChannelId, packet: &Packet, undisturbed: &mut Undisturbed) {
        let timing = self.timing(channel);
        if packet.hops <= 1 {
            *undisturbed = Undisturbed::default();
            undisturbed.zero_load.first_hop = timing.hop_ps;
        } else {
            undisturbed.zero_load.last_start += undisturbed.zero_load.last_hop;
        }
        let ZeroLoad { lifetime, last_start, last_hop, .. } = &mut undisturbed.zero_load;
        if self.makes_circuits {
            self.lengthen(&mut undisturbed.line, channel);
            *lifetime = *last_start + self.completes_ps(&undisturbed.line, channel, packet.bytes);
        } else {
            let end = self.undisturbed(packet.bytes, *last_start, timing, &mut undisturbed.running);
            let drained = *last_start + self.drain_byte_ps * u64::from(packet.bytes);
            *lifetime = drained.max(end + timing.wire_ps);
        }
        *last_hop = timing.hop_ps;
    }

    /// Bytes that a packet takes in a node that stores it.
    #[inline]
    pub fn bytes_in_node(&self, packet: &Packet) -> u64 {
        let flits = self.link.header_flits + self.link.data_flits(packet.bytes);
        u64::from(flits) * u64::from(self.link.flit_bytes())
    }

    /// How a delivered packet would have fared without contention, the way it went.
    #[inline]
    pub fn zero_load(&self, packet: &Packet, undisturbed: &Undisturbed) -> ZeroLoad {
        if let Some(integrated_timing) = &self.integrated_timing
            && (self.is_even() || !integrated_timing.is_wormhole())
        {
            let (steps, bytes) = (packet.hops, packet.bytes);
            let lifetime = integrated_timing.lifetime(steps, bytes);
            return ZeroLoad {
                lifetime,
                first_hop: integrated_timing.arbitration_ps,
                last_start: lifetime - integrated_timing.last_step_ps(steps, bytes),
                last_hop: self.link.hop_ps,
            };
        }
        if !self.is_even() {
            return undisturbed.zero_load.with_arbitration(self.integrated_timing.as_ref());
        }
        let hop = self.onward_ps(&self.link, &self.link, packet.bytes);
        let before = u64::from(packet.hops - 1);
        let last_start = hop * before;
        let delays =
            if self.makes_circuits { self.link.delay_ps() * before + self.link.wire_ps } else { 0 };
        let sent = self.link.packet_ps(packet.bytes) + self.link.wire_ps + delays;
        ZeroLoad {
            lifetime: last_start + sent.max(self.drain_ps(packet.bytes)),
            first_hop: hop,
            last_hop: self.link.hop_ps,
            last_start,
        }
    }
}

/// Virtual channels of a link that each of routing's classes has, share by share.
fn classes_of(routing: &Routing, shares: &Shares) -> Result<Vec<u16>, SpecError> {
    let mut classes = Vec::new();
    for size in shares.sizes() {
        classes.extend(routing.classes_of(size)?);
    }
    Ok(classes)
}

/// What is kept of a packet where it does not pass every channel in the same time: how
/// it would have fared so far without contention.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undisturbed {
    running: Running,
    line: Line,
    zero_load: ZeroLoad,
}

impl Undisturbed {
    /// It may go on from the channel it has started on so much later.
    pub fn goes_on_after(&mut self, time: Time) {
        self.zero_load.last_hop = time;
        if self.zero_load.last_start == 0 {
            self.zero_load.first_hop = time;
        }
    }
}

/// A packet's way without contention, from its start on the first channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroLoad {
    /// Until it has been delivered.
    pub lifetime: Time,
    /// Until it can start on the second channel.
    pub first_hop: Time,
    /// Until it starts on the last channel.
    pub last_start: Time,
    /// From there to where it could start on another.
    pub last_hop: Time,
}

impl From<ZeroLoad> for Undisturbed {
    fn from(zero_load: ZeroLoad) -> Self {
        Self { zero_load, ..Self::default() }
    }
}

impl ZeroLoad {
    /// The same from when the packet asks for its first channel, where nodes and switches are
    /// one, as which `integrated_timing` comes.
    fn with_arbitration(self, integrated_timing: Option<&IntegratedTiming>) -> Self {
        let Some(integrated_timing) = integrated_timing else { return self };
        let arbitration = integrated_timing.arbitration_ps;
        Self {
            lifetime: self.lifetime + arbitration,
            first_hop: arbitration,
            last_start: self.last_start + arbitration,
            ..self
        }
    }
}
