//! Modes `free` and `endpoints` of whole packets whose ways are fixed: a packet meets packets of its own
//! message only, but in `endpoints` for the channels between nodes and switches.
//!
//! All packets of a message take one way, so on each of its channels they come in their order, and a
//! recurrence says when. Packet k starts on channel h at the latest of
//!
//! * when it is ready there (and an engine of the message's own has served those before it),
//! * when packet k - 1 is off the channel,
//! * when enough of the packets before it are out of the buffer at the channel's end.
//!
//! [`ways`] has the state of one message on its way, [`hops`] the recurrence. In `free` all of that is
//! known when a packet leaves its node: one event marks that, if it had to wait, and one its arrival. In
//! `endpoints` ([`endpoints`]) packets of all messages take turns at the channels out of nodes and into them;
//! what lies between is worked out ahead as far as it does not depend on a turn that is not known yet.

mod accepts;
mod endpoints;
mod gates;
mod hops;
mod lanes;
mod ways;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Queues, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{NodeId, PacketId};
use crate::measure::{Class, Use};
use crate::spec::{Machine, MessageOrder, Mode};
use crate::time::Time;
use gates::Gates;
use lanes::{LaneId, Lanes};
use ways::Ways;

pub use accepts::never_wait_inside;

/// How an engine looks up where frames go.
#[derive(Clone, Copy)]
struct Engine {
    /// Time that it takes.
    forwarding_ps: Time,
    /// Time from then until a frame stands in its queue.
    delay_ps: Time,
}

/// Messages by themselves, each on its own way.
#[derive(Clone)]
pub struct LineKernel {
    /// Tokens that an input buffer holds, if it has bounds.
    capacity: Option<u32>,
    /// Where switches forward frames.
    engine: Option<Engine>,
    /// In `endpoints`: whether packets ask at their last switch when they are ready, whoever stands before them.
    asks_when_ready: bool,
    /// In `endpoints`: whether acknowledgements leave their nodes before all else, and their last switches.
    acks_first: [bool; 2],
    /// Whether messages of a node take turns.
    takes_turns: bool,
    lanes: Lanes,
    ways: Ways,
    /// In `endpoints`: where messages wait for each other.
    gates: Option<Gates>,
    /// What each channel has done in the current window.
    used: Vec<Use>,
    /// By node: data packets that wait to be sent.
    waiting_data: Vec<u32>,
}

impl LineKernel {
    /// A network at rest, of a machine that it [is for](Self::is_for).
    pub fn new(machine: &Machine, wiring: &Wiring, nodes: usize, mode: Mode) -> Self {
        let engine = machine.switch.frames.map(|frames| Engine {
            forwarding_ps: frames.forwarding_ps,
            delay_ps: machine.switch.delay_ps,
        });
        let capacity = machine.switch.input_buffer_flits;
        Self {
            capacity: capacity.filter(|_| engine.is_none()),
            engine,
            asks_when_ready: engine.is_some() || !machine.switch.queueing.is_fifo(),
            acks_first: [machine.interface.ack_priority, machine.switch.ack_priority],
            takes_turns: machine.interface.message_order == MessageOrder::RoundRobin,
            lanes: Lanes::default(),
            ways: Ways::default(),
            gates: (mode == Mode::Endpoints).then(|| Gates::new(&wiring.layout)),
            used: vec![Use::default(); wiring.layout.channels()],
            waiting_data: vec![0; nodes],
        }
    }

    /// In `free`, the first packet that waits in a lane leaves its node as soon as its message lets it:
    /// now, or an event is posted.
    fn leaves_freely(&mut self, lane: LaneId, act: &mut Act) {
        loop {
            let Some((id, from)) = self.next_of(lane, act) else { return };
            let from = from.unwrap_or(act.now);
            if from > act.now {
                return act.events.post(from, Event::Request(id.into()));
            }
            self.runs_through(lane, act);
        }
    }

    /// The first packet that waits in a lane, and when its message lets it leave its node; none: that
    /// depends on turns that are not known yet.
    fn next_of(&mut self, lane: LaneId, act: &Act) -> Option<(PacketId, Option<Time>)> {
        let lane = &self.lanes[lane];
        let id = lane.waiting.first;
        if !id.is_some() {
            return None;
        }
        if lane.way.is_none() {
            return Some((id, Some(act.now)));
        }
        let is_bounded = lane.way.len() > 1;
        let hop = &mut self.ways[lane.way.hop(0)];
        let free_at = hop.free_at;
        let room = match self.capacity {
            Some(capacity) if is_bounded => hop.room_from(tokens_of(id, act), capacity),
            _ => Some(0),
        };
        Some((id, room.map(|room| room.max(free_at).max(act.now))))
    }

    /// In `free`, a packet leaves its node now and runs on until it is delivered.
    fn runs_through(&mut self, lane: LaneId, act: &mut Act) {
        let (id, mut ask) = self.sets_out(lane, act);
        let way = self.lanes[lane].way;
        for place in 1..way.len() {
            let start = self.start_from(way, place, id, ask, act);
            debug_assert!(start.is_some(), "all before it are known");
            let Some(start) = start else { return };
            ask = self.starts(way, place, id, start, act);
        }
    }

    /// The first packet that waits in a lane starts on the channel by which it leaves its node; when it
    /// asks for the next.
    fn sets_out(&mut self, lane: LaneId, act: &mut Act) -> (PacketId, Time) {
        let id = self.lanes[lane].waiting.pop(act.packets);
        if self.lanes[lane].way.is_none() {
            self.lanes[lane].way = self.ways.of(id, act);
        }
        self.lanes[lane].in_flight += 1;
        let way = self.lanes[lane].way;
        let packet = &mut act.packets[id];
        packet.first_sent = act.now;
        let (node, class, is_last) = (packet.source, packet.class, packet.is_last());
        let is_data = class == Class::Data;
        self.waiting_data[node.index()] -= u32::from(is_data);
        act.measures.nodes[node.index()].queues[class as usize].leave(act.now);
        act.measures.packet_sent(node, class, is_last);
        let ask = self.starts(way, 0, id, act.now, act);
        let hop = &self.ways[way.hop(0)];
        act.leaves(hop.channel, id, hop.sent_at);
        (id, ask)
    }
}

/// Tokens that a packet takes in a buffer.
#[inline]
fn tokens_of(id: PacketId, act: &Act) -> u32 {
    act.wiring.link.packet_flits(act.packets[id].bytes)
}

impl Queues for LineKernel {
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        let packet = &mut act.packets[id];
        (packet.queued, packet.ready) = (act.now, act.now);
        let (node, class) = (packet.source.index(), packet.class);
        act.measures.nodes[node].queues[class as usize].enter(act.now);
        self.waiting_data[node] += u32::from(class == Class::Data);
        let lane = self.lanes.join(id, &mut self.ways, act.packets);
        if self.lanes[lane].waiting.first != id {
            return;
        }
        if self.gates.is_some() {
            self.comes_first(lane, act);
        } else {
            self.leaves_freely(lane, act);
        }
    }

    /// The turn of somebody at a channel between a node and a switch may have come.
    fn retry(&mut self, of: Subject, act: &mut Act) {
        if let Some(gates) = &mut self.gates {
            gates.looks_again(of.channel(), act.now);
        }
    }

    #[inline]
    fn is_settled(&self) -> bool {
        self.gates.as_ref().is_none_or(Gates::is_settled)
    }

    #[inline]
    fn take_head(&mut self, of: Subject, _: Time, _: &Wiring, _: &PacketPool) -> PacketId {
        of.packet()
    }

    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        let id = of.packet();
        self.lanes.delivered(id, &mut self.ways, act.packets);
        id
    }

    fn waiting_data(&self, node: NodeId, _: Time) -> u32 {
        self.waiting_data[node.index()]
    }

    fn used(&self, _: Time) -> Vec<Use> {
        self.used.clone()
    }

    fn begin_window(&mut self, _: Time) {
        self.used.fill(Use::default());
    }
}

impl Kernel for LineKernel {
    const NUMBERS_PACKETS: bool = true;
    const RETRIES_ARE_OF_CHANNELS: bool = true;

    /// In `free`: a packet leaves its node.
    fn request(&mut self, of: Subject, act: &mut Act) {
        let lane = Lanes::of(of.packet(), act.packets);
        self.leaves_freely(lane, act);
    }

    fn arbitrate(&mut self, act: &mut Act) {
        while let Some(channel) = self.gates.as_mut().and_then(Gates::next_marked) {
            self.serve_gate(channel, act);
        }
    }

    fn overhang(&self, _: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        None::<std::iter::Empty<(usize, Time)>>
    }

    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { has_no_buffers: self.engine.is_some(), ..Traits::default() }
    }
}

/// Whether a channel is the last of a way.
#[inline]
fn is_last(place: usize, len: usize) -> bool {
    place + 1 == len
}
