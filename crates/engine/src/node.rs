//! The nodes: processor, packetisation, virtual links, acknowledgements.
//!
//! Nodes carry out the workload's instructions, hand packets to the fabric, and
//! tell the workload what became of its messages. Everything here is the same
//! for every fidelity and contention mode.

mod classes;
mod commands;
mod interface;
mod message;
mod packetisation;
mod processor;

pub use interface::{Buffers, Heard, Interface, Told};
pub use message::{Message, MessagePool};
pub use processor::Processors;

use crate::error::SpecError;
use crate::event_queue::EventQueue;
use crate::fabric::{Fabric, Packet};
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::measure::{Binned, Class, Measures};
use crate::spec::Machine;
use crate::time::Time;
use crate::workload::{Op, Send, Workload};
use classes::Classes;
use message::in_progress;
use packetisation::Packetisation;
use std::collections::VecDeque;

/// Instructions at one instant after which control returns to the run loop,
/// which finds that the clock is stuck.
const MOST_AT_ONCE: u64 = 1 << 24;

/// All nodes of a run.
pub struct Nodes {
    placement: Vec<NodeId>,
    classes: Classes,
    processors: Processors,
    messages: MessagePool,
    /// Per shared virtual link: the message under way, then those behind it.
    links: Vec<VecDeque<MessageId>>,
    /// Per process: messages that have arrived and are not accepted, oldest first.
    waiting: Vec<VecDeque<MessageId>>,
    /// Processes that can go on, in the order in which they became able to.
    ready: VecDeque<ProcessId>,
    /// What serves processes from outside, if they are such.
    interface: Option<Box<Interface>>,
    /// The process that is carrying out instructions.
    at_work: ProcessId,
    packetisation: Packetisation,
    /// Whether data packets are acknowledged by packets.
    acknowledges: bool,
    /// Whether a packet without data is nothing but its header.
    has_bare_headers: bool,
    /// Whether messages arrive when they are sent (mode `ideal`).
    ideal: bool,
}

/// What nodes act on, at one instant.
pub struct World<'a> {
    /// The instant.
    pub now: Time,
    /// The network.
    pub fabric: &'a mut Fabric,
    /// The processes.
    pub workload: &'a mut Workload,
    /// Future events.
    pub events: &'a mut EventQueue,
    /// What is measured.
    pub measures: &'a mut Measures,
}

impl World<'_> {
    /// A processor is busy for the next `piece` of time.
    #[inline]
    fn computes(&mut self, piece: Time) {
        self.measures.cpu.add(self.now, self.now + piece);
    }
}

/// A saturated process passes into the iterations that begin from `start` on and before
/// `before`; until when it computes in the last of them.
fn pass(
    workload: &mut Workload,
    cpu: &mut Binned,
    process: ProcessId,
    (start, before): (Time, Time),
) -> Time {
    let end = workload.pass(process, start, before);
    cpu.add(start, end);
    end
}

impl Nodes {
    /// The nodes of a machine, idle.
    ///
    /// # Errors
    /// Traffic classes that are not one for each process or message.
    pub fn new(
        machine: &Machine,
        nodes: usize,
        workload: &Workload,
        ideal: bool,
        blame: Option<&crate::spec::Blame>,
    ) -> Result<Self, SpecError> {
        let placement = workload.placement();
        Ok(Self {
            classes: Classes::new(blame, placement.len(), workload.rows())?,
            processors: Processors::new(nodes, placement.len(), machine.interface.time_slice_ps),
            messages: MessagePool::default(),
            links: vec![VecDeque::new(); workload.links()],
            waiting: vec![VecDeque::new(); placement.len()],
            ready: VecDeque::new(),
            interface: None,
            at_work: ProcessId::NONE,
            packetisation: Packetisation::new(machine),
            acknowledges: machine.interface.acknowledges,
            has_bare_headers: !machine.link.end_token,
            ideal,
            placement,
        })
    }

    /// The same, for processes from outside.
    pub fn serve(&mut self, interface: Interface) {
        self.interface = Some(Box::new(interface));
    }

    /// The node of every process.
    pub fn placement(&self) -> &[NodeId] {
        &self.placement
    }

    /// Messages in progress, in order of sending.
    pub fn messages(&self) -> Vec<&Message> {
        in_progress(&self.messages)
    }

    /// The processors.
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// Brings processes that were left alone up to `now`, when everything else has
    /// happened.
    pub fn catch_up(&mut self, now: Time, workload: &mut Workload, measures: &mut Measures) {
        let cpu = &mut measures.cpu;
        self.processors.catch_up(now, |p, times| pass(workload, cpu, p, times));
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.processors.begin_window(now);
        if let Some(interface) = &mut self.interface {
            interface.begin_window();
        }
    }

    /// `START`: a process begins, or one from outside may go on.
    pub fn start(&mut self, process: ProcessId, world: &mut World) -> u64 {
        if self.is_up(process, world) {
            self.ready.push_back(process);
        }
        self.go_on(world)
    }

    /// `MESSAGE`: a row of the message list is due.
    pub fn row(&mut self, row: u32, world: &mut World) {
        if let Some((process, send)) = world.workload.row(row) {
            let class = self.classes.of_row(row).unwrap_or(self.class_of(process));
            self.send(process, &send, class, world);
        }
    }

    /// The traffic class of a process' messages.
    #[inline]
    fn class_of(&self, process: ProcessId) -> u32 {
        let node = self.placement[process.index()];
        self.classes.of_process(process).unwrap_or(node.0)
    }

    /// `CPU`: a processor's piece of work ends.
    #[inline]
    pub fn processor(&mut self, node: NodeId, world: &mut World) -> u64 {
        let done = self.processors.piece_ends(node, world.now);
        if let Some(piece) = self.processors.dispatch(node, world.now, world.events) {
            world.computes(piece);
        }
        let Some(process) = done else { return 0 };
        world.workload.computed(process);
        self.run(process, node, world) + self.go_on(world)
    }

    /// `HEAD`: the header of a data packet has arrived.
    pub fn head(&mut self, number: u32, world: &mut World) -> u64 {
        let Some(packet) = world.fabric.arrived_head(number, world.now) else { return 0 };
        let id = packet.message;
        let early = self.packetisation.early_bytes;
        if early == 0 || self.interface.is_some() {
            self.header_arrived(id, world);
        }
        if early > 0 {
            self.messages[id].told_bytes = early;
            self.bytes_there(id, early, world);
        }
        self.go_on(world)
    }

    /// More data bytes of a message are at its destination, if anybody wants to know.
    #[inline]
    fn bytes_there(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        if self.packetisation.early_bytes > 0 {
            self.note_beginning(id, bytes, world);
        }
        if self.interface.is_some() {
            self.read(id, bytes, world);
        }
    }

    #[inline(never)]
    fn note_beginning(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.arrived_bytes += bytes;
        if self.packetisation.begins(message) && !message.has_begun {
            message.has_begun = true;
            world.measures.message_began(world.now - message.sent);
        }
    }

    /// A data packet of a message has been delivered.
    #[inline]
    fn packet_arrived(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let message = &mut self.messages[id];
        message.undelivered -= 1;
        message.arrived = message.packetised && message.undelivered == 0;
        // Its first bytes may have been told of before.
        let rest = bytes - std::mem::take(&mut message.told_bytes);
        self.bytes_there(id, rest, world);
    }

    fn header_arrived(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        if !message.accepted {
            if !world.workload.accepts(message.to, message.tag) {
                // Of a stream of packets each comes by here.
                if !message.waits {
                    message.waits = true;
                    self.waiting[message.to.index()].push_back(id);
                }
                return;
            }
            message.accepted = true;
            self.arrives(id);
        }
        self.acknowledge(id, world);
    }

    /// A message begins to arrive at a process from outside.
    #[inline]
    fn arrives(&mut self, id: MessageId) {
        let Some(interface) = &mut self.interface else { return };
        if let Some(process) = interface.arrives(id, &self.messages[id]) {
            self.can_go_on(process);
        }
    }

    /// `TAIL`: the last token of a packet has arrived.
    pub fn tail(&mut self, number: u32, world: &mut World) -> u64 {
        let messages = &self.messages;
        let serial = |packet: &Packet| messages[packet.message].serial;
        let (events, measures) = (&mut *world.events, &mut *world.measures);
        let packet = world.fabric.take_delivered(number, world.now, serial, events, measures);
        let id = packet.message;
        match packet.class {
            Class::Data => {
                if !self.acknowledges || packet.bytes == 0 && self.has_bare_headers {
                    // Its header has not been reported before.
                    self.header_arrived(id, world);
                }
                if let Some(offered) = &mut world.measures.offered {
                    offered.byte_hops += u64::from(packet.bytes) * u64::from(packet.hops);
                }
                self.packet_arrived(id, packet.bytes, world);
                if self.messages[id].accepted {
                    self.delivered(id, world);
                }
            }
            Class::Ack => self.packet_acknowledged(id, world),
        }
        self.go_on(world)
    }

    /// The latest packet of an accepted message has been delivered.
    #[inline]
    fn delivered(&mut self, id: MessageId, world: &mut World) {
        let has_arrived = self.messages[id].arrived;
        if has_arrived {
            self.receive(id, world);
        }
        if self.packetisation.streams {
            if has_arrived {
                self.acknowledged(id, world);
            }
        } else if !self.acknowledges {
            self.packet_acknowledged(id, world);
        }
    }

    /// The latest packet of a message has been acknowledged.
    fn packet_acknowledged(&mut self, id: MessageId, world: &mut World) {
        if self.messages[id].packetised {
            self.acknowledged(id, world);
        } else {
            self.send_packet(id, world);
        }
    }

    /// What a process waited for has happened. The process at work goes on anyway.
    fn can_go_on(&mut self, process: ProcessId) {
        if process != self.at_work {
            self.ready.push_back(process);
        }
    }

    /// Lets every process that can go on do so, in the order in which they
    /// became able to; how many instructions that took.
    #[inline]
    fn go_on(&mut self, world: &mut World) -> u64 {
        let mut count = 0;
        while count <= MOST_AT_ONCE
            && let Some(process) = self.ready.pop_front()
        {
            count += self.run(process, self.placement[process.index()], world);
        }
        count
    }

    /// Lets a process go on until it waits; how many instructions that took.
    #[inline]
    fn run(&mut self, process: ProcessId, node: NodeId, world: &mut World) -> u64 {
        self.at_work = process;
        let mut count = 0;
        while count <= MOST_AT_ONCE {
            let waiting_data = || world.fabric.waiting_data(node, world.now);
            let Some(op) = world.workload.next(process, waiting_data) else { break };
            count += 1;
            match op {
                Op::Compute(duration) => {
                    let (now, events) = (world.now, &mut *world.events);
                    let piece = self.processors.compute(node, process, duration, now, events);
                    if let Some(piece) = piece {
                        world.computes(piece);
                    }
                    // It waits until that has been done.
                    break;
                }
                Op::ComputeSaturated(duration) => {
                    self.processors.leave_alone(node, process, world.now, duration);
                    world.computes(duration);
                    break;
                }
                Op::Send(send) => self.send(process, &send, self.class_of(process), world),
                Op::AcceptWaiting => self.accept_waiting(process, world),
                Op::Command => {
                    if !self.carry_out(process, world) {
                        break;
                    }
                }
            }
        }
        world.measures.completes(process, world.now);
        self.at_work = ProcessId::NONE;
        count
    }

    fn send(&mut self, from: ProcessId, send: &Send, class: u32, world: &mut World) {
        let node = self.placement[from.index()];
        let to_node = self.placement[send.to.index()];
        let to = (to_node, class);
        if let Some(offered) = &mut world.measures.offered {
            offered.last_sent = world.now;
        }
        let message = |serial| Message::new(serial, (from, node), send, to, world.now);
        let id = self.messages.insert(message);
        if send.link.is_some() {
            let link = &mut self.links[send.link.index()];
            link.push_back(id);
            if link.len() > 1 {
                return;
            }
        }
        self.begin(id, world);
    }

    /// A message is the first of its virtual link: it goes out.
    fn begin(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        let local = message.from_node == message.to_node;
        if !local && !self.ideal {
            self.send_packet(id, world);
            while self.packetisation.streams && !self.messages[id].packetised {
                self.send_packet(id, world);
            }
            return;
        }
        world.measures.message_sent_directly(message.from_node, local);
        message.direct = true;
        message.arrived = true;
        if world.workload.accepts(message.to, message.tag) {
            message.accepted = true;
            self.arrives(id);
            self.receive(id, world);
        } else {
            self.waiting[message.to.index()].push_back(id);
        }
    }

    /// Queues the next packet of a message.
    #[inline]
    fn send_packet(&mut self, id: MessageId, world: &mut World) {
        let bytes = self.packetisation.next(&self.messages[id]);
        if self.interface.is_some() && self.is_short(id, bytes) {
            return;
        }
        let message = &mut self.messages[id];
        let is_first = message.unsent == message.bytes;
        let mut packet = Packet::new(Class::Data, id, message.from_node, message.to_node);
        packet.bytes = self.packetisation.take(message);
        message.undelivered += 1;
        packet.last = message.packetised;
        let class = message.class;
        let packet = world.fabric.queue(packet, class, world.now, world.events, world.measures);
        if let Some(interface) = self.interface.as_mut().filter(|_| is_first) {
            interface.queued(id, packet);
        }
    }

    /// Queues the acknowledgement of a message's latest packet.
    fn acknowledge(&mut self, id: MessageId, world: &mut World) {
        if !self.acknowledges {
            return;
        }
        let message = &self.messages[id];
        let packet = Packet::new(Class::Ack, id, message.to_node, message.from_node);
        let class = message.class;
        world.fabric.queue(packet, class, world.now, world.events, world.measures);
    }

    /// Accepts what a process is now ready for.
    fn accept_waiting(&mut self, process: ProcessId, world: &mut World) {
        let mut place = 0;
        while let Some(&id) = self.waiting[process.index()].get(place) {
            if !world.workload.accepts(process, self.messages[id].tag) {
                place += 1;
                continue;
            }
            self.waiting[process.index()].remove(place);
            let message = &mut self.messages[id];
            message.accepted = true;
            if message.direct {
                self.receive(id, world);
                continue;
            }
            let is_there = message.undelivered == 0;
            self.acknowledge(id, world);
            if is_there {
                self.delivered(id, world);
            }
        }
    }

    /// A message that was accepted has arrived completely.
    fn receive(&mut self, id: MessageId, world: &mut World) {
        let message = &mut self.messages[id];
        message.received = true;
        world.measures.message_delivered(message.to_node, message.bytes);
        if !message.direct {
            world.measures.message_took(world.now - message.sent);
        }
        let (from, to) = (message.from, message.to);
        world.measures.completes(from, world.now);
        world.measures.completes(to, world.now);
        if let Some(interface) = &mut self.interface
            && let Some(process) = interface.complete(id, message)
        {
            self.can_go_on(process);
        }
        let message = &self.messages[id];
        if world.workload.received(to, message.tag) {
            self.can_go_on(to);
        }
        let message = &self.messages[id];
        if message.direct {
            self.acknowledged(id, world);
        } else if message.acknowledged {
            self.messages.remove(id);
        }
    }

    /// The last packet of a message has been acknowledged.
    fn acknowledged(&mut self, id: MessageId, world: &mut World) {
        let (workload, cpu) = (&mut *world.workload, &mut world.measures.cpu);
        self.processors.wake(self.messages[id].from_node, world.now, world.events, |p, times| {
            pass(workload, cpu, p, times)
        });
        let message = &mut self.messages[id];
        message.acknowledged = true;
        let (from, blocking, link) = (message.from, message.blocking, message.link);
        let received = message.received;
        world.measures.message_acknowledged(message.from_node);
        if link.is_some() {
            let link = &mut self.links[link.index()];
            link.pop_front();
            if let Some(&next) = link.front() {
                self.begin(next, world);
            }
        }
        if world.workload.acknowledged(from, blocking) {
            self.can_go_on(from);
        }
        if let Some(interface) = &mut self.interface
            && let Some(process) = interface.acknowledged(id, &self.messages[id])
        {
            self.can_go_on(process);
        }
        if received {
            self.messages.remove(id);
        }
    }
}
