//! The nodes: processor, packetisation, virtual links, acknowledgements.
//!
//! Nodes carry out the workload's instructions, hand packets to the fabric, and
//! tell the workload what became of its messages. Everything here is the same
//! for every fidelity and contention mode.

mod classes;
mod commands;
mod interface;
mod meeting;
mod message;
mod multicast;
mod packetisation;
mod processor;
mod protocol;
mod receiving;
mod sending;
mod software;
mod timers;

pub use interface::{Buffers, Heard, Interface, Told};
pub use message::{Life, Message, MessagePool};
pub use processor::Processors;

use crate::error::SpecError;
use crate::event_queue::EventQueue;
use crate::fabric::Fabric;
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::measure::{Binned, Measures};
use crate::rare::rare;
use crate::spec::Spec;
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::{Op, Workload};
use classes::Classes;
use multicast::Multicasts;
use packetisation::Packetisation;
use protocol::Protocol;
pub use software::CpuTime;
use software::Software;
use std::collections::VecDeque;
use timers::Timers;

/// Events and instructions at one instant after which the clock counts as stuck.
pub const MOST_AT_ONE_INSTANT: u64 = 1 << 24;

/// All nodes of a run.
pub struct Nodes {
    placement: Vec<NodeId>,
    classes: Classes,
    processors: Processors,
    timers: Timers,
    messages: MessagePool,
    /// Per shared virtual link: the message under way, then those behind it.
    links: Vec<VecDeque<MessageId>>,
    /// Per process: messages that have arrived and are not accepted, oldest first.
    waiting: Vec<VecDeque<MessageId>>,
    /// Processes that can go on, in the order in which they became able to.
    ready: VecDeque<ProcessId>,
    /// What serves processes from outside.
    interface: Interface,
    /// The process that is carrying out instructions.
    at_work: ProcessId,
    packetisation: Packetisation,
    /// How messages get to other nodes.
    protocol: Protocol,
    /// How a message gets to several processes, and who passes it on.
    multicasts: Multicasts,
    /// What messages cost in software, and who does it.
    software: Software,
    /// The same of messages to the node itself.
    local: Protocol,
}

/// What nodes act on, at one instant.
pub struct World<'a> {
    /// The instant.
    pub now: Time,
    /// The graph of the machine.
    pub topology: &'a Topology,
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
    /// A processor is busy for the next `piece` of time, for a process.
    #[inline]
    fn computes(&mut self, process: ProcessId, piece: Time) {
        self.measures.cpu.add(self.now, self.now + piece);
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.cpu_computes(process, (self.now, self.now + piece));
        }
    }
}

/// How long a CPU has worked for messages, sending and receiving.
type Served = (Time, Time);

impl World<'_> {
    /// The message that is being dealt with is not any more.
    #[inline]
    fn lets_go(&mut self) {
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.lets_go();
        }
    }

    /// A process wants to compute for so long; none: all the time until it is told to stop.
    #[inline]
    fn begins_to_compute(&mut self, process: ProcessId, duration: Option<Time>, before: Served) {
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.begins(process, duration, before, self.workload.call_of(process));
        }
    }
}

/// A saturated process passes into the iterations that begin from `start` on and before
/// `before`; until when it computes in the last of them.
fn fast_forward(
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
    pub fn new(spec: &Spec, topology: &Topology, workload: &Workload) -> Result<Self, SpecError> {
        let placement = workload.placement();
        let (machine, processes) = (&spec.machine, placement.len());
        let time_slice = machine.interface.time_slice_ps;
        Ok(Self {
            classes: Classes::new(spec.blame.as_ref(), workload, processes)?,
            processors: Processors::new(topology.nodes, processes, time_slice),
            timers: Timers::new(topology.nodes, processes),
            messages: MessagePool::default(),
            links: vec![VecDeque::new(); workload.links()],
            waiting: vec![VecDeque::new(); processes],
            ready: VecDeque::new(),
            interface: Interface::new(workload, &placement, topology),
            at_work: ProcessId::NONE,
            packetisation: Packetisation::new(machine),
            protocol: Protocol::new(machine, spec.mode),
            multicasts: Multicasts::new(machine),
            software: Software::new(spec, topology.nodes, workload, processes),
            local: Protocol::of_local(machine, spec.mode),
            placement,
        })
    }

    /// The node of every process.
    pub fn placement(&self) -> &[NodeId] {
        &self.placement
    }

    /// Messages in progress, in order of sending.
    pub fn messages(&self) -> Vec<&Message> {
        let open = |message: &&Message| message.life != Life::Complete;
        let mut messages: Vec<_> = self.messages.places().iter().filter(open).collect();
        messages.sort_by_key(|message| message.serial);
        messages
    }

    /// How many messages were sent before a message under way.
    pub fn serial_of(&self, id: MessageId) -> u64 {
        self.messages[id].serial
    }

    /// The processors.
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// For every node, how long it has computed in the current window, up to `now`.
    pub fn busy(&self, now: Time) -> impl Iterator<Item = Time> {
        self.processors.busy(now).zip(self.timers.busy(now)).map(|(shared, own)| shared + own)
    }

    /// Brings saturated processes up to `now`, after all events of that instant.
    pub fn catch_up(&mut self, now: Time, workload: &mut Workload, measures: &mut Measures) {
        let cpu = &mut measures.cpu;
        self.processors.catch_up(now, |p, times| fast_forward(workload, cpu, p, times));
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.processors.begin_window(now);
        self.timers.begin_window(now);
        self.software.begin_window(now);
        self.interface.begin_window();
    }

    /// `START`: a process begins, one from outside may go on, or a timer rings.
    pub fn start(&mut self, process: ProcessId, world: &mut World) -> u64 {
        if self.is_timer(process) {
            return self.ring(process, world);
        }
        let leaves = world.workload.leaves(process, world.now);
        if leaves || self.is_up(process, world) {
            if let Some(causes) = rare(&mut world.measures.causes)
                && !leaves
            {
                causes.starts(process, world.now);
            }
            self.ready.push_back(process);
        }
        self.go_on(world)
    }

    /// `MESSAGE`: a row of the message list is due.
    pub fn row(&mut self, row: u32, world: &mut World) {
        if let Some((process, send)) = world.workload.row(row) {
            let class = self.classes.of_row(row).unwrap_or(self.class_of(process));
            if let Some(causes) = rare(&mut world.measures.causes) {
                causes.is_due(process, world.now);
            }
            self.send(process, &send, class, world);
        }
    }

    /// How messages get from one node to another, or to itself.
    #[inline]
    fn protocol_between(&self, from: NodeId, to: NodeId) -> Protocol {
        if from == to { self.local } else { self.protocol }
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
        if self.software.serves() {
            return self.work_ends(node, world);
        }
        let done = self.processors.piece_ends(node, world.now);
        if let Some(piece) = self.processors.dispatch(node, world.now, world.events) {
            world.computes(self.processors.running(node), piece);
        }
        let Some(process) = done else { return 0 };
        if let Some(causes) = rare(&mut world.measures.causes) {
            causes.computed(process, (0, 0), world.now);
        }
        world.workload.computed(process);
        self.run(process, node, world) + self.go_on(world)
    }

    /// What a process waited for is there. The process at work goes on anyway.
    fn can_go_on(&mut self, process: ProcessId) {
        if process != self.at_work {
            self.ready.push_back(process);
        }
    }

    /// Tells the interface what became of a message, where processes come from outside; one
    /// that waited for it goes on.
    #[inline]
    fn tell(
        &mut self,
        id: MessageId,
        world: &mut World,
        what: impl FnOnce(&mut Interface, MessageId, &Message) -> Option<ProcessId>,
    ) {
        if self.is_told_of(id)
            && let Some(process) = what(&mut self.interface, id, &self.messages[id])
        {
            if let Some(causes) = rare(&mut world.measures.causes) {
                causes.goes_on(process, id, world.now);
            }
            self.can_go_on(process);
        }
    }

    /// Whether a node's interface is told of a message: where processes come from outside, of all
    /// but those of collectives.
    #[inline]
    fn is_told_of(&self, id: MessageId) -> bool {
        if !self.interface.serves() {
            return false;
        }
        let message = &self.messages[id];
        !message.team.is_some() && self.interface.is_for(message.from)
    }

    /// Lets every process that can go on do so, in the order in which they
    /// became able to; how many instructions that took.
    #[inline]
    fn go_on(&mut self, world: &mut World) -> u64 {
        let mut count = 0;
        while count <= MOST_AT_ONE_INSTANT
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
        while count <= MOST_AT_ONE_INSTANT {
            let software = &self.software;
            let waiting_data =
                || world.fabric.waiting_data(node, world.now) + software.waiting_data(node);
            let Some(op) = world.workload.next(process, waiting_data) else { break };
            count += 1;
            match op {
                Op::Compute(duration) | Op::ComputeSaturated(duration)
                    if self.software.serves() =>
                {
                    self.compute(node, process, duration, world);
                    break;
                }
                Op::Compute(duration) => {
                    world.begins_to_compute(process, Some(duration), (0, 0));
                    let (now, events) = (world.now, &mut *world.events);
                    let piece = self.processors.compute(node, process, duration, now, events);
                    if let Some(piece) = piece {
                        world.computes(process, piece);
                    }
                    // It waits until that has been done.
                    break;
                }
                Op::ComputeSaturated(duration) => {
                    world.begins_to_compute(process, None, (0, 0));
                    self.processors.compute_saturated(node, process, world.now, duration);
                    world.measures.cpu.add(world.now, world.now + duration);
                    break;
                }
                Op::Timer(timer) => self.set(process, timer, world),
                Op::Send(send) => self.send(process, &send, self.class_of(process), world),
                Op::Multicast => self.multicast(process, world),
                Op::AcceptWaiting => self.accept_waiting(process, world),
                Op::Meet => self.meet(process, world),
                Op::Refuse => {
                    count = MOST_AT_ONE_INSTANT + 1;
                    break;
                }
                Op::Command => {
                    if !self.carry_out(process, world) {
                        break;
                    }
                }
            }
        }
        world.measures.completes(process, world.now);
        if let Some(causes) = rare(&mut world.measures.causes) {
            causes.rests(process, world.now);
        }
        self.at_work = ProcessId::NONE;
        count
    }
}
