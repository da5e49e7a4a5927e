//! What the messaging software of nodes has in hand.

pub(super) mod cpu;
pub(super) mod outlet;

use super::message::Message;
use super::world::World;
use crate::fabric::Packet;
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::measure::Parts;
use crate::rare::rarely;
use crate::rng::{Purpose, Stream};
use crate::spec::{Costs, Local, MessageOrder, Side, Spec};
use crate::time::{NEVER, Time};
use crate::workload::Workload;
use cpu::Cpu;
use outlet::{Outlet, Stage};
use std::collections::VecDeque;

/// The messaging software of all nodes; none where messages cost nothing.
#[derive(Default)]
pub struct Software {
    pub(super) costs: Costs,
    /// Whether packets of several messages leave a node in turn.
    pub(super) takes_turns: bool,
    /// Whether messages of a node to itself cross its switch, as others do.
    own_by_switch: bool,
    /// Data bytes of a message that is one packet, at most.
    pub(super) first_packet_bytes: u32,
    /// By node.
    pub(super) desks: Vec<Desk>,
    /// By place of a message.
    pub(super) tickets: Vec<Ticket>,
    /// By process: by how much the start-ups of its messages vary; empty if they do not.
    pub(super) variations: Vec<Stream>,
    /// By process: computing still to do after the present piece.
    pub(super) remaining: Vec<Time>,
    pub(super) time_slice: Time,
}

/// The software of one node.
pub(super) struct Desk {
    pub cpu: Cpu,
    /// Messages to be prepared, or to go on with, behind the one in hand.
    pub queue: VecDeque<MessageId>,
    pub stage: Stage,
    pub outlet: Outlet,
}

/// What is known of a message besides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ticket {
    /// What is to be paid before its next packet.
    pub start_up: Time,
    /// Its packets that have been prepared, and those that have arrived.
    pub made: u32,
    pub arrived: u32,
    /// Whether it lets others go before it, and since when.
    pub is_aside: bool,
    pub since: Time,
    /// When its latest packet was handed to the network.
    pub handed: Time,
    /// When its last packet was delivered.
    pub delivered: Time,
    /// What its latency consists of besides overhead, as far as it is known.
    pub parts: Parts,
}

impl Software {
    /// That of a machine.
    pub fn new(spec: &Spec, nodes: usize, workload: &Workload, processes: usize) -> Self {
        let interface = &spec.machine.interface;
        let Some(&costs) = interface.costs() else { return Self::default() };
        let desk = |_| Desk {
            cpu: Cpu::idle(),
            queue: VecDeque::new(),
            stage: Stage::Free,
            outlet: Outlet::idle(),
        };
        let varying = if costs.variation_ps > 0 { processes as u32 } else { 0 };
        let stream = |process| {
            let (seed, number) = workload.stream(ProcessId(process), spec.seed);
            Stream::new(seed, Purpose::Overhead, number)
        };
        Self {
            costs,
            takes_turns: interface.message_order == MessageOrder::RoundRobin,
            own_by_switch: interface.local == Local::Switch,
            first_packet_bytes: spec.machine.first_packet_bytes(),
            desks: (0..nodes).map(desk).collect(),
            tickets: Vec::new(),
            variations: (0..varying).map(stream).collect(),
            remaining: vec![0; processes],
            time_slice: interface.time_slice_ps.unwrap_or(Time::MAX),
        }
    }

    /// Whether messages cost anything.
    #[inline]
    pub fn serves(&self) -> bool {
        rarely(!self.desks.is_empty())
    }

    /// Whether a message from node to node costs anything: all do but those that stay in memory.
    #[inline]
    pub fn prepares(&self, from: NodeId, to: NodeId) -> bool {
        self.serves() && (from != to || self.own_by_switch)
    }

    /// Data packets of a node that have not been handed to the network: of a message that waits
    /// for the software, one.
    #[inline]
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        let desk = self.desks.get(node.index());
        desk.map_or(0, |desk| (desk.queue.len() + desk.outlet.waiting()) as u32)
    }

    /// What is to be paid before a message of a process leaves: a random number of that process.
    pub fn start_up(&mut self, process: ProcessId) -> Time {
        let Costs { send, variation_ps, .. } = self.costs;
        match self.variations.get_mut(process.index()) {
            Some(stream) => send.before_ps - variation_ps + stream.below(2 * variation_ps + 1),
            None => send.before_ps,
        }
    }

    /// What is to be paid before a message leaves, on average.
    pub fn mean_start_up(&self) -> Time {
        self.costs.send.before_ps
    }

    /// A message is sent for which so much is to be paid.
    pub fn open(&mut self, id: MessageId, start_up: Time) {
        if self.tickets.len() <= id.index() {
            self.tickets.resize(id.index() + 1, Ticket::default());
        }
        self.tickets[id.index()] = Ticket { start_up, ..Ticket::default() };
    }

    /// How long a message took, and on what; one within the memory of a node took no time.
    pub fn took(&self, id: MessageId, latency: Time, message: &Message, world: &mut World) {
        if self.prepares(message.from_node, message.to_node) {
            world.measures.message_took(message.to_node, latency);
            let parts = &self.tickets[id.index()].parts;
            world.measures.latency_consists(message.to_node, latency, parts);
        }
    }

    /// Whether a node may prepare a packet although it has sent others.
    pub(super) fn may_prepare(&self, node: NodeId) -> bool {
        self.costs.overlap || self.desks[node.index()].outlet.has_left()
    }

    pub(super) fn ticket(&mut self, id: MessageId) -> &mut Ticket {
        &mut self.tickets[id.index()]
    }

    /// What a packet costs on one side.
    pub(super) fn packet_takes(&self, side: &Side, message: &Message, bytes: u32) -> Time {
        let is_only = message.bytes <= self.first_packet_bytes.into();
        if self.costs.multi_packet_only && is_only {
            return Side { per_packet_ps: 0, ..*side }.packet(bytes);
        }
        side.packet(bytes)
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.desks.iter_mut().for_each(|desk| desk.cpu.begin_window(now));
    }
}

impl Ticket {
    /// The last packet of the message is there, whose lifetime consists of this.
    pub(super) fn last_delivered(&mut self, packet: &Packet, parts: Parts, now: Time) {
        self.delivered = now;
        if packet.first_sent == NEVER {
            // It has not been in any network.
            return;
        }
        self.parts.wire += parts.wire + packet.queued.saturating_sub(self.handed);
        self.parts.throttling += parts.throttling;
        self.parts.contention += parts.contention;
    }
}
