//! Line cards in front of a fabric of cells [Chen & Wyckoff], in all modes with packets but `free`, in which
//! every message has a network in mode `full` for itself.
//!
//! A frame has the line of its node to itself. When its card has all of it, its cells go one by
//! one through the card's port into the fabric, the links of its way and the port out of it. Each
//! of these takes one cell in a cell time, in the order in which they ask; of those that ask at one
//! instant that of the packet that was queued first. Where cells wait there is room for any number.
//! So it is known when a cell asks when it starts. The last card puts the frame together, which
//! then has the line to its destination to itself. A multicast is one frame up to its card, and as
//! many as it has destinations from there on: their cells are offered together.
//!
//! In mode `endpoints` all share lines alone: before ports and links cells wait for those of their own
//! message only. Mode `throttled` has queues before ports into the fabric alone.

mod accepts;
mod agenda;
mod way;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Queues, Traits};
use crate::fabric::kernels::baseline::following::Following;
use crate::fabric::network::cells::CellTiming;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::{PacketPool, Part};
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Class, Use, Wait};
use crate::mixed::Mixed;
use crate::spec::{Machine, Mode};
use crate::time::Time;
use agenda::{Agenda, Due, What};
use way::OnWay;

/// The network of line cards and a fabric of cells.
#[derive(Clone)]
pub struct CellsKernel {
    timing: CellTiming,
    mode: Mode,
    agenda: Agenda,
    /// By packet.
    packets: Vec<OnWay>,
    /// By wire: from when on it can take another frame, or cell.
    free_at: Vec<Time>,
    /// In mode `endpoints`, by place of a message and wire of the fabric: the same for this message.
    own_free_at: Mixed<(MessageId, ChannelId), Time>,
    /// By channel: until when it transmits what it has started to.
    until: Vec<Time>,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// By node: data packets that have not set out.
    waiting_data: Vec<u32>,
    /// In modes without queues before lines: when packets can follow those of their message.
    following: Option<Following>,
    /// For how long the cells of the longest packet keep a port busy.
    longest_ps: Time,
    /// The parts of a multicast that comes to its card.
    parts: Vec<Part<u32>>,
}

impl CellsKernel {
    /// An empty network with so many nodes.
    pub fn new(machine: &Machine, wiring: &Wiring, (nodes, mode): (usize, Mode)) -> Self {
        let Some(timing) = wiring.cells else { unreachable!("line cards say how they cut frames") };
        let layout = &wiring.layout;
        let channels = layout.channels();
        Self {
            timing,
            mode,
            agenda: Agenda::default(),
            packets: Vec::new(),
            free_at: vec![0; channels],
            own_free_at: Mixed::default(),
            until: vec![0; channels],
            used: vec![Use::default(); channels],
            waiting_data: vec![0; nodes],
            following: Following::new(machine, layout),
            longest_ps: timing.port_ps(machine.interface.packet_bytes),
            parts: Vec::new(),
        }
    }

    /// Whether frames wait for lines.
    fn has_queues_at_lines(&self) -> bool {
        matches!(self.mode, Mode::Full | Mode::Endpoints)
    }

    /// Whether cells wait for what lies at a place of a way.
    #[inline]
    fn has_queue(&self, place: u16) -> bool {
        self.has_queues_at_lines() || self.mode == Mode::Throttled && place == 0
    }

    /// Something will happen to a packet.
    #[inline]
    fn post(&mut self, at: Time, what: What, packet: PacketId, act: &Act) {
        self.agenda.add(Due { at, serial: act.packets[packet].serial, what, packet });
    }

    /// Takes something that can carry one thing at a time from when it is free, but not before now,
    /// for so long; from when that is.
    #[inline]
    fn take(&mut self, channel: ChannelId, takes: Time, act: &Act) -> Time {
        let free_at = &mut self.free_at[act.wiring.layout.wire_of[channel.index()].index()];
        let start = act.now.max(*free_at);
        *free_at = start + takes;
        start
    }

    /// Takes a wire of the fabric for a cell from when no cell of its own message has it; from when
    /// that is. Who had the place of a message before has long had its last cell there.
    fn take_of_own(&mut self, id: PacketId, channel: ChannelId, act: &Act) -> Time {
        let wire = act.wiring.layout.wire_of[channel.index()];
        let owner = self.packets[id.index()].owner;
        let free_at = self.own_free_at.entry((owner, wire)).or_default();
        let start = act.now.max(*free_at);
        *free_at = start + self.timing.cell_ps;
        start
    }

    /// A channel transmits from now on.
    #[inline]
    fn transmits(&mut self, channel: ChannelId, kind: ChannelKind, takes: Time, act: &mut Act) {
        let until = act.now + takes;
        self.until[channel.index()] = until;
        self.used[channel.index()].busy_ps += takes;
        act.measures.transmits(kind, act.now, until);
    }

    /// The turn of a packet has come on the line of its node.
    fn sets_out(&mut self, id: PacketId, act: &mut Act) {
        let wiring = act.wiring;
        let packet = &mut act.packets[id];
        packet.first_sent = act.now;
        if !self.has_queues_at_lines() {
            packet.queued = act.now;
        }
        let (source, class, bytes) = (packet.source, packet.class, packet.bytes);
        let (ready, is_last) = (packet.queued, packet.is_last());
        let line = wiring.injection_lead(source, packet.traffic());
        if self.mode == Mode::Full {
            act.measures.nodes[source.index()].queues[class as usize].leave(act.now);
        }
        self.waiting_data[source.index()] -= u32::from(class == Class::Data);
        act.measures.packet_sent(source, class, is_last);
        let timing = wiring.timing(line);
        let takes = self.timing.line_ps(timing, bytes);
        let until = act.now + self.timing.busy_ps(timing, bytes);
        self.starts_on_line(id, line, (ready, takes, until), act);
        act.leaves(line, id, act.now + takes);
        let (entry, owner) = (act.now + takes + timing.wire_ps, act.packets[id].message);
        if !act.packets.has_riders(id) {
            return self.enters((id, owner), entry, act);
        }
        // Each has cells of its own: they part when they come.
        let mut parts = std::mem::take(&mut self.parts);
        act.part(id, &mut parts, |packet| packet.serial);
        parts.drain(..).for_each(|part| self.enters((part.carrier, owner), entry, act));
        self.parts = parts;
    }

    /// The card of a packet's node will have all of it at `entry`; it counts as one of a message: those of
    /// a multicast as of the one that carried them.
    fn enters(&mut self, (id, owner): (PacketId, MessageId), entry: Time, act: &mut Act) {
        self.find_way(id, act);
        let way = &mut self.packets[id.index()];
        way.owner = owner;
        (way.cells, way.entry) = (self.timing.cells(act.packets[id].bytes), entry);
        let at = entry + self.timing.offered_ps(0);
        self.post(at, What::Asks { place: 0, cell: 0 }, id, act);
    }

    /// A packet that has waited since `ready` starts on a line, which carries it for so long and is
    /// busy with it until `until`.
    fn starts_on_line(
        &mut self,
        id: PacketId,
        line: ChannelId,
        (ready, takes, until): (Time, Time, Time),
        act: &mut Act,
    ) {
        let kind = act.wiring.layout.group(line).kind;
        let is_throttling = kind == ChannelKind::Injection;
        self.transmits(line, kind, takes, act);
        self.used[line.index()].packets += 1;
        act.measures.counters.packet_hops += 1;
        act.measures.waited(line, Wait { time: act.now - ready, is_throttling });
        if self.has_queues_at_lines() {
            let start = act.now;
            act.observe(Observation::Sent { packet: id, channel: line, ready, start, until });
        }
    }

    /// A cell asks for what lies at a place of its packet's way: it is known when it starts there.
    #[inline]
    fn asks(&mut self, id: PacketId, (place, cell): (u16, u32), act: &mut Act) {
        let way = &mut self.packets[id.index()];
        let (channel, is_last) = (way.channels[usize::from(place)], cell + 1 == way.cells);
        if is_last {
            way.asked = act.now;
        } else if place == 0 {
            let at = way.entry + self.timing.offered_ps(cell + 1);
            self.post(at, What::Asks { place, cell: cell + 1 }, id, act);
        }
        if !self.has_queue(place) {
            return self.starts(id, (place, cell), act);
        }
        let start = match self.mode {
            Mode::Endpoints => self.take_of_own(id, channel, act),
            _ => self.take(channel, self.timing.cell_ps, act),
        };
        if self.mode != Mode::Endpoints && act.is_observed() {
            self.observe(id, channel, (start, is_last), act);
        }
        if start == act.now {
            self.starts(id, (place, cell), act);
        } else {
            self.post(start, What::Starts { place, cell }, id, act);
        }
    }

    /// Tells that a cell will start on a channel, and whether it is the last of its packet.
    fn observe(&self, packet: PacketId, channel: ChannelId, cell: (Time, bool), act: &mut Act) {
        let (start, is_last) = cell;
        let ready = act.now;
        if is_last {
            act.observe(Observation::LastCell { packet, channel, ready, start });
        }
        let (until, since) = (start + self.timing.cell_ps, ready.saturating_sub(self.longest_ps));
        act.observe(Observation::Cell { packet, channel, start, until, since });
    }

    /// A cell starts on what lies at a place of its packet's way.
    #[inline]
    fn starts(&mut self, id: PacketId, (place, cell): (u16, u32), act: &mut Act) {
        let way = &self.packets[id.index()];
        let channel = way.channels[usize::from(place)];
        let (is_last, ends) = (cell + 1 == way.cells, usize::from(place) + 1 == way.channels.len());
        let after = way.after(place, &self.timing, act.wiring);
        let asked = way.asked;
        self.transmits(channel, ChannelKind::Internal, self.timing.cell_ps, act);
        if is_last {
            self.used[channel.index()].packets += 1;
            act.measures.counters.packet_hops += 1;
            let wait = Wait { time: act.now - asked, is_throttling: place == 0 };
            act.measures.waited(channel, wait);
            if place == 0 {
                let first_hop = self.packets[id.index()].entry - act.packets[id].first_sent;
                let packet = &mut act.packets[id];
                packet.first_internal = packet.first_sent + first_hop + wait.time;
            }
        }
        if !ends {
            self.post(act.now + after, What::Asks { place: place + 1, cell }, id, act);
        } else if is_last {
            self.post(act.now + self.timing.cell_ps, What::IsOut, id, act);
        }
    }

    /// All of a packet is out of the fabric: it joins the queue of the line to its destination.
    fn is_out(&mut self, id: PacketId, act: &mut Act) {
        let packet = &mut act.packets[id];
        packet.ready = act.now;
        let line = act.wiring.ejection_lead(packet.destination, packet.traffic());
        if !self.has_queues_at_lines() {
            return self.returns(id, act);
        }
        let busy = self.timing.busy_ps(act.wiring.timing(line), packet.bytes);
        let start = self.take(line, busy, act);
        act.observe(Observation::LinedUp { packet: id, channel: line, from: act.now });
        if start == act.now {
            self.returns(id, act);
        } else {
            self.post(start, What::Returns, id, act);
        }
    }

    /// A packet starts on the line to its destination.
    fn returns(&mut self, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let (ready, bytes) = (packet.ready, packet.bytes);
        let line = act.wiring.ejection_lead(packet.destination, packet.traffic());
        let timing = act.wiring.timing(line);
        let takes = self.timing.line_ps(timing, bytes);
        let until = act.now + self.timing.busy_ps(timing, bytes);
        self.starts_on_line(id, line, (ready, takes, until), act);
        act.events.post(act.now + takes + timing.wire_ps, Event::Tail(id.into()));
    }

    /// When a packet may start that is queued now.
    fn start_on_line(&mut self, id: PacketId, act: &Act) -> Time {
        let packet = &act.packets[id];
        let line = act.wiring.injection_lead(packet.source, packet.traffic());
        let busy = self.timing.busy_ps(act.wiring.timing(line), packet.bytes);
        if self.has_queues_at_lines() {
            return self.take(line, busy, act);
        }
        let Some(following) = &mut self.following else { return act.now };
        let start = act.now.max(following.from(packet.message, 1));
        following.send(packet.message, 1, start + busy);
        start
    }
}

impl Queues for CellsKernel {
    /// A packet enters its node's output queue: it is known when it starts on the line.
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        let packet = &mut act.packets[id];
        packet.queued = act.now;
        let (source, class) = (packet.source.index(), packet.class);
        if self.mode == Mode::Full {
            act.measures.nodes[source].queues[class as usize].enter(act.now);
        }
        self.waiting_data[source] += u32::from(class == Class::Data);
        let start = self.start_on_line(id, act);
        if start == act.now {
            self.sets_out(id, act);
        } else {
            self.post(start, What::SetsOut, id, act);
        }
    }

    fn retry(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn is_settled(&self) -> bool {
        true
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
        if self.has_queues_at_lines() { self.waiting_data[node.index()] } else { 0 }
    }

    fn used(&self, now: Time) -> Vec<Use> {
        let mut used = self.used.clone();
        let ahead = self.overhang(now).into_iter().flatten();
        ahead.for_each(|(channel, ahead)| used[channel].busy_ps -= ahead);
        used
    }

    fn begin_window(&mut self, now: Time) {
        let mut used = vec![Use::default(); self.used.len()];
        let ahead = self.overhang(now).into_iter().flatten();
        ahead.for_each(|(channel, ahead)| used[channel].busy_ps += ahead);
        self.used = used;
    }
}

impl Kernel for CellsKernel {
    const HAS_CLOCK: bool = true;
    const NUMBERS_PACKETS: bool = true;

    fn request(&mut self, _: Subject, _: &mut Act) {}

    fn arbitrate(&mut self, _: &mut Act) {}

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let until = self.until.iter();
        (self.mode == Mode::Full)
            .then(|| until.map(move |until| until.saturating_sub(now)).enumerate())
    }

    /// Nobody waits for room.
    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        let replicates = wiring.replicates;
        Traits { replicates, has_no_buffers: true, ..Traits::default() }
    }

    #[inline]
    fn next_time(&self) -> Time {
        self.agenda.next_time()
    }

    fn step(&mut self, act: &mut Act) -> u64 {
        let mut count = 0;
        while let Some(Due { packet, what, .. }) = self.agenda.take(act.now) {
            count += 1;
            match what {
                What::SetsOut => self.sets_out(packet, act),
                What::Asks { place, cell } => self.asks(packet, (place, cell), act),
                What::Starts { place, cell } => self.starts(packet, (place, cell), act),
                What::IsOut => self.is_out(packet, act),
                What::Returns => self.returns(packet, act),
            }
        }
        count
    }
}
