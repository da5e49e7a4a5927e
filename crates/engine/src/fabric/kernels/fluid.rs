//! Fidelity `fluid`: messages flow through all channels of their way at once, and share links
//! max-min fairly.
//!
//! Packets of one message that follow each other without a gap, or at the interval that their node
//! keeps, are one *flow*: they go the same way, and nothing is worked out again between them. A packet has left its node when its bytes
//! are through; its end arrives as much later as it would if nobody else were there. Rates are
//! worked out at the end of an instant, for all flows that have begun and ended at it.

mod accepts;
mod agenda;
mod own;
mod pace;
mod pacing;
mod passage;
mod sharing;
mod sources;
mod ways;

pub use accepts::accepts_network;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Queues, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::{ChannelKind, Use, Wait};
use crate::spec::{Machine, Mode};
use crate::time::{NEVER, Time};
use agenda::Agenda;
use pace::Pace;
use pacing::Pacing;
use passage::Passage;
use sharing::Sharing;
use sources::{Awake, Origin, Sources};
use ways::{Way, Ways, channel_of};

/// The network as links that are shared, in any mode.
#[derive(Clone)]
pub struct FluidKernel {
    sources: Sources,
    ways: Ways,
    sharing: Sharing,
    pacing: Option<Pacing>,
    /// By slot.
    flows: Vec<Flow>,
    /// Slots without a flow.
    free: Vec<u32>,
    /// By slot: when the bytes of its packet are through.
    agenda: Agenda,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// Flows whose rates are others now; empty between instants.
    changed: Vec<(u32, u64)>,
    /// Flows that end with this instant unless another packet of their message comes; empty
    /// between instants.
    lingering: Vec<u32>,
    /// Counts flows: they take the channels of a group in turn.
    turn: u32,
}

/// One flow.
#[derive(Clone)]
struct Flow {
    packet: PacketId,
    /// That of all its packets.
    origin: Origin,
    /// How long nothing follows its packet when the bytes of that are through; and whether they are.
    pause: Time,
    pauses: bool,
    way: Way,
    /// What its first packet had to remember.
    route: u32,
    turn: u32,
    rate: u64,
    /// Work left of its packet at `settled`: time alone on the slowest wires, times their rate.
    /// Below 0 for the part of a picosecond by which the packet before was reckoned longer.
    left: i128,
    settled: Time,
    pace: Pace,
    /// What its packet does on its way.
    passage: Passage,
    /// From when the bytes of its packet are through until its end arrives.
    behind: Time,
}

impl FluidKernel {
    /// An empty network.
    pub fn new(machine: &Machine, wiring: &Wiring, nodes: usize, mode: Mode) -> Self {
        let (ways, sharing) = Ways::new(machine, wiring, nodes, mode);
        let width = |node| wiring.layout.injection(NodeId::from_index(node)).width;
        Self {
            sources: Sources::new(&machine.interface, mode, (0..nodes).map(width)),
            ways,
            sharing,
            pacing: Pacing::new(machine, wiring),
            flows: Vec::new(),
            free: Vec::new(),
            agenda: Agenda::new(),
            used: vec![Use::default(); wiring.layout.channels()],
            changed: Vec::new(),
            lingering: Vec::new(),
            turn: 0,
        }
    }

    /// A packet whose turn has come begins a flow.
    fn begin(&mut self, id: PacketId, act: &mut Act) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::new(Origin::of(&act.packets[id])));
            self.flows.len() as u32 - 1
        });
        let flow = &mut self.flows[slot as usize];
        let header = act.packets[id].header();
        let message = act.packets[id].message;
        self.ways.find((message, header), act.wiring, &self.sharing, &mut flow.way);
        flow.origin = Origin::of(&act.packets[id]);
        if let Some(limit) = self.pacing.as_ref().and_then(|pacing| pacing.limit(&act.packets[id]))
        {
            flow.way.limit = flow.way.limit.min(limit);
            flow.way.most = flow.way.most.min(limit);
        }
        (flow.route, flow.turn, self.turn) = (header.route, self.turn, self.turn.wrapping_add(1));
        (flow.rate, flow.left, flow.settled) = (0, 0, act.now);
        flow.pace.begin(&flow.way, act.wiring);
        let layout = &act.wiring.layout;
        self.ways.join((slot, message), layout, &flow.way, &mut self.sharing);
        self.sources.begins(flow.origin, flow.way.lanes);
        self.set_out(id, slot, act);
    }

    /// A packet sets out on its flow's way.
    fn set_out(&mut self, id: PacketId, slot: u32, act: &mut Act) {
        let flow = &mut self.flows[slot as usize];
        let (wiring, now) = (act.wiring, act.now);
        let packet = &mut act.packets[id];
        packet.route = flow.route;
        packet.first_sent = now;
        let (source, class, bytes) = (packet.source, packet.class, packet.bytes);
        if self.sources.is_contention() {
            act.measures.nodes[source.index()].queues[class as usize].leave(now);
        } else {
            packet.queued = now;
        }
        let waited = now - packet.queued;
        act.measures.packet_sent(source, class, packet.is_last());
        self.sources.sets_out(source, class);
        flow.passage.cross(id, &flow.way, flow.turn, act);
        let passage = &flow.passage;
        let wait = Wait { time: waited, is_throttling: true };
        act.measures.waited(passage.channels[0], wait);
        act.measures.books(passage.channels.len(), passage.busy_by_kind);
        for channel in &passage.channels {
            self.used[channel.index()].packets += 1;
        }
        for &(channel, takes) in &passage.busy {
            self.used[channel.index()].busy_ps += takes;
        }
        let packet = &mut act.packets[id];
        packet.first_internal = passage.first_internal.map_or(NEVER, |after| now + after);
        if wiring.reports_header(packet) {
            act.events.post(now + passage.header_ps, Event::Head(id.into()));
        }
        let pause = |pacing: &Pacing| pacing.pause(packet, flow.way.limit, passage.takes);
        flow.pause = self.pacing.as_ref().map_or(0, pause);
        flow.packet = id;
        flow.left += i128::from(passage.takes) * i128::from(flow.way.limit);
        flow.behind = flow.pace.next(bytes, passage, &flow.way, wiring);
        self.look_ahead(slot, act.now);
    }

    /// When the bytes of a flow's packet will be through, as its rate is now: rounded to the
    /// nearest picosecond, so that roundings of rates have no effect on whole numbers.
    fn look_ahead(&mut self, slot: u32, now: Time) {
        let Flow { rate, left, .. } = self.flows[slot as usize];
        if rate == 0 {
            return;
        }
        let left = left.max(0) as u128 + u128::from(rate / 2);
        let rate = u128::from(rate);
        let takes = Time::try_from(left / rate).unwrap_or(NEVER).min(NEVER / 2);
        self.agenda.set(slot, now + takes);
    }

    /// A flow has another rate from now on.
    fn set_rate(&mut self, slot: u32, rate: u64, now: Time) {
        let flow = &mut self.flows[slot as usize];
        flow.settle(now);
        flow.rate = rate.max(1);
        self.look_ahead(slot, now);
    }

    /// The bytes of a flow's packet are through: its end is on the way, and the next one follows.
    fn is_through(&mut self, slot: u32, act: &mut Act) {
        let flow = &mut self.flows[slot as usize];
        flow.settle(act.now);
        if std::mem::take(&mut flow.pauses) {
            return self.linger(slot);
        }
        let (id, delivered) = (flow.packet, act.now + flow.behind);
        self.note_waits(slot, act);
        if delivered == act.now {
            act.events.post_now(act.now, Event::Tail(id.into()));
        } else {
            act.events.post(delivered, Event::Tail(id.into()));
        }
        let flow = &mut self.flows[slot as usize];
        act.leaves(flow.way.leads[0], id, act.now);
        if flow.pause > 0 {
            flow.pauses = true;
            flow.left += i128::from(flow.pause) * i128::from(flow.way.limit);
            return self.look_ahead(slot, act.now);
        }
        if let Some(next) = self.sources.take_behind(flow.origin, act.packets) {
            return self.set_out(next, slot, act);
        }
        if act.packets[id].is_last() {
            return self.end(slot, act.wiring);
        }
        self.linger(slot);
    }

    /// A flow ends unless its message's next packet comes at this instant.
    fn linger(&mut self, slot: u32) {
        self.agenda.set(slot, NEVER);
        self.lingering.push(slot);
    }

    /// No packet follows on a flow.
    fn end(&mut self, slot: u32, wiring: &Wiring) {
        let Flow { origin, ref way, .. } = self.flows[slot as usize];
        self.sources.ends(origin);
        self.sharing.leave(slot);
        self.ways.leave(origin.message, &wiring.layout, way, &self.sharing);
        self.flows[slot as usize].passage.forget();
        self.agenda.set(slot, NEVER);
        self.free.push(slot);
    }

    /// What channels are still to do of packets that have set out: it is told when they do.
    fn each_overhang(&self, now: Time, mut tell: impl FnMut(ChannelId, Time)) {
        let is_busy = |flow: &&Flow| !flow.pauses && !flow.passage.busy.is_empty();
        for flow in self.flows.iter().filter(is_busy) {
            let (of, left) = (u128::from(flow.passage.takes), u128::from(flow.left_alone(now)));
            for &(channel, takes) in &flow.passage.busy {
                tell(channel, (u128::from(takes) * left).div_ceil(of) as Time);
            }
        }
    }

    /// By how much a packet was slower than alone is a wait for the link that stopped its flow
    /// last. At the first channels that is throttling, as elsewhere.
    fn note_waits(&self, slot: u32, act: &mut Act) {
        let Flow { packet: id, ref way, turn, behind, ref passage, .. } = self.flows[slot as usize];
        let layout = &act.wiring.layout;
        let took = act.now + behind - act.packets[id].first_sent;
        let time = took - passage.lifetime;
        if time == 0 {
            return;
        }
        let stopped_by = self.sharing.stopped_by(slot);
        let at = |&lead: &ChannelId| self.ways.link_of(layout, lead) == stopped_by;
        // By nobody but those of its own message: they leave where it is slowest.
        let place = way.leads.iter().position(at).unwrap_or(way.leads.len() - 1);
        let packet = &mut act.packets[id];
        let is_throttling = place <= 1 && packet.first_internal != NEVER && {
            let first = layout.group(way.leads[place]).kind;
            first != ChannelKind::Ejection
        };
        if is_throttling {
            packet.first_internal += time;
        }
        let channel = channel_of(layout.group(way.leads[place]), turn);
        act.measures.waited(channel, Wait { time, is_throttling });
    }
}

impl Flow {
    fn new(origin: Origin) -> Self {
        Self {
            packet: PacketId::NONE,
            origin,
            pause: 0,
            pauses: false,
            way: Way::default(),
            route: 0,
            turn: 0,
            rate: 0,
            left: 0,
            settled: 0,
            pace: Pace::default(),
            passage: Passage::default(),
            behind: 0,
        }
    }

    /// What is left of its packet at `now`, in time alone.
    fn left_alone(&self, now: Time) -> Time {
        let left = self.left - i128::from(self.rate) * i128::from(now - self.settled);
        let left = (left.max(0) as u128).div_ceil(u128::from(self.way.limit));
        (left as Time).min(self.passage.takes)
    }

    /// What it has done up to now at its rate.
    fn settle(&mut self, now: Time) {
        self.left -= i128::from(self.rate) * i128::from(now - self.settled);
        self.settled = now;
    }
}

impl Queues for FluidKernel {
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        let packet = &mut act.packets[id];
        packet.queued = act.now;
        if self.sources.is_contention() {
            let node = &mut act.measures.nodes[packet.source.index()];
            node.queues[packet.class as usize].enter(act.now);
        }
        self.sources.push(id, act.packets);
    }

    fn retry(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn is_settled(&self) -> bool {
        self.sources.is_settled() && self.sharing.is_settled() && self.lingering.is_empty()
    }

    #[inline]
    fn take_head(&mut self, of: Subject, _: Time, _: &Wiring, _: &PacketPool) -> PacketId {
        of.packet()
    }

    #[inline]
    fn take_tail(&mut self, of: Subject, _: &mut Act) -> PacketId {
        of.packet()
    }

    fn waiting_data(&self, node: NodeId, _: Time) -> u32 {
        self.sources.waiting_data(node)
    }

    fn used(&self, now: Time) -> Vec<Use> {
        let mut used = self.used.clone();
        self.each_overhang(now, |channel, ahead| used[channel.index()].busy_ps -= ahead);
        used
    }

    fn begin_window(&mut self, now: Time) {
        let mut used = vec![Use::default(); self.used.len()];
        self.each_overhang(now, |channel, ahead| used[channel.index()].busy_ps += ahead);
        self.used = used;
    }
}

impl Kernel for FluidKernel {
    const HAS_CLOCK: bool = true;
    const NUMBERS_PACKETS: bool = true;

    fn request(&mut self, _: Subject, _: &mut Act) {}

    fn arbitrate(&mut self, act: &mut Act) {
        while let Some(slot) = self.lingering.pop() {
            match self.sources.take_behind(self.flows[slot as usize].origin, act.packets) {
                Some(next) => self.set_out(next, slot, act),
                None => self.end(slot, act.wiring),
            }
        }
        while let Some(awake) = self.sources.next_awake() {
            while let Some(id) = self.sources.take(awake, act.packets) {
                self.begin(id, act);
                if matches!(awake, Awake::Packet(_)) {
                    break;
                }
            }
        }
        if self.sharing.is_settled() {
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        self.sharing.work_out(|slot, rate| changed.push((slot, rate)));
        changed.drain(..).for_each(|(slot, rate)| self.set_rate(slot, rate, act.now));
        self.changed = changed;
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let mut overhang = vec![0; self.used.len()];
        self.each_overhang(now, |channel, ahead| overhang[channel.index()] += ahead);
        Some(overhang.into_iter().enumerate())
    }

    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { books: true, ..Traits::default() }
    }

    #[inline]
    fn next_time(&self) -> Time {
        self.agenda.next_time()
    }

    fn step(&mut self, act: &mut Act) -> u64 {
        let mut count = 0;
        while self.agenda.next_time() <= act.now {
            self.is_through(self.agenda.first(), act);
            count += 1;
        }
        count
    }
}
