//! All nodes of a run: what is kept of them.

use super::classes::Classes;
use super::desks::Software;
use super::interface::Interface;
use super::message::{Life, Message, MessagePool};
use super::multicasts::Multicasts;
use super::origins::Origins;
use super::packetisation::Packetisation;
use super::processor::Processors;
use super::protocol::Protocol;
use super::stragglers::Stragglers;
use super::timers::Timers;
use super::world::World;
use crate::error::SpecError;
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::spec::Spec;
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::Workload;
use std::collections::VecDeque;
use std::hint::black_box;

/// All nodes of a run.
pub struct Nodes {
    pub(super) placement: Vec<NodeId>,
    pub(super) classes: Classes,
    pub(super) processors: Processors,
    pub(super) timers: Timers,
    pub(super) messages: MessagePool,
    /// Per shared virtual link: the message under way, then those behind it.
    pub(super) links: Vec<VecDeque<MessageId>>,
    /// Per process: messages that have arrived and are not accepted, oldest first.
    pub(super) waiting: Vec<VecDeque<MessageId>>,
    /// Processes that can go on, in the order in which they became able to.
    pub(super) ready: VecDeque<ProcessId>,
    /// What serves processes from outside.
    pub(super) interface: Interface,
    /// The process that is carrying out instructions.
    pub(super) at_work: ProcessId,
    pub(super) packetisation: Packetisation,
    /// What tells messages from each other.
    pub(super) origins: Origins,
    /// How messages get to other nodes.
    pub(super) protocol: Protocol,
    /// How a message gets to several processes, and who passes it on.
    pub(super) multicasts: Multicasts,
    /// What messages cost in software, and who does it.
    pub(super) software: Software,
    /// The same of messages to the node itself.
    pub(super) local: Protocol,
    /// Messages that have arrived, as far as it is wanted how long they take alone.
    pub(super) arrived: Vec<Message>,
}

impl Nodes {
    /// The nodes of a machine, idle.
    ///
    /// # Errors
    /// Traffic classes that are not one for each process or message.
    pub fn new(
        spec: &Spec,
        topology: &Topology,
        workload: &Workload,
        stragglers: Stragglers,
    ) -> Result<Self, SpecError> {
        let placement = workload.placement();
        let (machine, processes) = (&spec.machine, placement.len());
        let time_slice = machine.interface.time_slice_ps;
        Ok(Self {
            classes: Classes::new(spec.blame.as_ref(), workload, processes)?,
            processors: Processors::new(topology.nodes, processes, time_slice, stragglers),
            timers: Timers::new(topology.nodes, processes),
            messages: MessagePool::default(),
            links: vec![VecDeque::new(); workload.links()],
            waiting: vec![VecDeque::new(); processes],
            ready: VecDeque::new(),
            interface: Interface::new(workload, &placement, topology),
            at_work: ProcessId::NONE,
            packetisation: Packetisation::new(machine),
            origins: Origins::new(workload, spec.seed, processes),
            protocol: Protocol::new(machine, spec.mode),
            multicasts: Multicasts::new(machine),
            software: Software::new(spec, topology.nodes, workload, processes),
            local: Protocol::of_local(machine, spec.mode),
            arrived: Vec::new(),
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

    /// Reads what the arrival of a packet of a message will change.
    #[inline]
    pub fn prefetch(&self, message: MessageId) {
        let message = &self.messages[message];
        black_box((message.serial, message.undelivered));
    }

    /// Takes the messages that have arrived since it was last asked, as far as it is wanted how long
    /// they take alone.
    pub fn take_arrived(&mut self) -> std::vec::Drain<'_, Message> {
        self.arrived.drain(..)
    }

    /// The processors.
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// For every node, how long it has computed in the current window, up to `now`.
    pub fn busy(&self, now: Time) -> impl Iterator<Item = Time> {
        self.processors.busy(now).zip(self.timers.busy(now)).map(|(shared, own)| shared + own)
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.processors.begin_window(now);
        self.timers.begin_window(now);
        self.software.begin_window(now);
        self.interface.begin_window();
    }

    /// How messages get from one node to another, or to itself.
    #[inline]
    pub(super) fn protocol_between(&self, from: NodeId, to: NodeId) -> Protocol {
        if from == to { self.local } else { self.protocol }
    }

    /// The traffic class of a process' messages.
    #[inline]
    pub(super) fn class_of(&self, process: ProcessId) -> u32 {
        let node = self.placement[process.index()];
        self.classes.of_process(process).unwrap_or(node.0)
    }

    /// What a process waited for is there. The process at work goes on anyway.
    pub(super) fn can_go_on(&mut self, process: ProcessId) {
        if process != self.at_work {
            self.ready.push_back(process);
        }
    }

    /// Tells the interface what became of a message, where processes come from outside; one
    /// that waited for it goes on.
    #[inline]
    pub(super) fn tell(
        &mut self,
        id: MessageId,
        world: &mut World,
        what: impl FnOnce(&mut Interface, MessageId, &Message) -> Option<ProcessId>,
    ) {
        if self.is_told_of(id)
            && let Some(process) = what(&mut self.interface, id, &self.messages[id])
        {
            if let Some(causes) = world.measures.causes_of(id) {
                causes.goes_on(process, id, world.now);
            }
            self.can_go_on(process);
        }
    }

    /// Whether a node's interface is told of a message: where processes come from outside, of all
    /// but those of collectives.
    #[inline]
    pub(super) fn is_told_of(&self, id: MessageId) -> bool {
        if !self.interface.serves() {
            return false;
        }
        let message = &self.messages[id];
        !message.team.is_some() && self.interface.is_for(message.from)
    }
}
