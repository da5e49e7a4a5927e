//! The messaging software of nodes: what messages cost the CPUs at their ends.
//!
//! The software of a node does *jobs* on its one CPU, which otherwise computes for processes
//! (`cpu.rs`): it prepares messages one after another, packet by packet (`sending.rs`), and takes
//! in packets that have arrived (`receiving.rs`). Messages within a node, and acknowledgements,
//! cost nothing. Where nothing costs anything there are no desks, and all this is passed by.
//! The rules are in `docs/model.md`, "What messages cost in software".

mod cpu;
mod receiving;
mod sending;

use super::{Message, Nodes, World};
use crate::event_queue::Event;
use crate::ids::{MessageId, NodeId, ProcessId};
use crate::measure::Parts;
use crate::rare::rarely;
use crate::rng::{Purpose, Stream};
use crate::spec::{Costs, MessageOrder, Side, Spec};
use crate::time::Time;
use crate::workload::Workload;
use cpu::Cpu;
pub use cpu::{CpuTime, Work};
use sending::{Outlet, Stage};
use std::collections::VecDeque;

/// The messaging software of all nodes; none where messages cost nothing.
#[derive(Default)]
pub struct Software {
    costs: Costs,
    /// Whether packets of several messages leave a node in turn.
    takes_turns: bool,
    /// Data bytes of a message that is one packet, at most.
    first_packet_bytes: u32,
    /// By node.
    desks: Vec<Desk>,
    /// By place of a message.
    tickets: Vec<Ticket>,
    /// By process: by how much the start-ups of its messages vary; empty if they do not.
    variations: Vec<Stream>,
    /// By process: computing still to do after the present piece.
    remaining: Vec<Time>,
    time_slice: Time,
}

/// The software of one node.
struct Desk {
    cpu: Cpu,
    /// Messages to be prepared, or to go on with, behind the one in hand.
    queue: VecDeque<MessageId>,
    stage: Stage,
    outlet: Outlet,
}

/// What is known of a message besides.
#[derive(Clone, Copy, Debug, Default)]
struct Ticket {
    /// What is to be paid before its next packet.
    start_up: Time,
    /// Its packets that have been prepared, and those that have arrived.
    made: u32,
    arrived: u32,
    /// Whether it lets others go before it, and since when.
    is_aside: bool,
    since: Time,
    /// When its latest packet was handed to the network.
    handed: Time,
    /// When its last packet was delivered.
    delivered: Time,
    /// What its latency consists of besides overhead, as far as it is known.
    parts: Parts,
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

    /// How long a message took, and on what; one within a node took no time.
    pub fn took(&self, id: MessageId, latency: Time, message: &Message, world: &mut World) {
        if message.from_node != message.to_node {
            world.measures.message_took(message.to_node, latency);
            let parts = &self.tickets[id.index()].parts;
            world.measures.latency_consists(message.to_node, latency, parts);
        }
    }

    /// Whether a node may prepare a packet although it has sent others.
    fn may_prepare(&self, node: NodeId) -> bool {
        self.costs.overlap || self.desks[node.index()].outlet.has_left()
    }

    fn ticket(&mut self, id: MessageId) -> &mut Ticket {
        &mut self.tickets[id.index()]
    }

    /// What a packet costs on one side.
    fn packet_takes(&self, side: &Side, message: &Message, bytes: u32) -> Time {
        let is_only = message.bytes <= self.first_packet_bytes;
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

impl Nodes {
    /// What every CPU did in the window, up to now; where messages cost something.
    pub fn processor_times(&self, now: Time) -> Option<Vec<CpuTime>> {
        let times = || self.software.desks.iter().map(|desk| desk.cpu.times(now)).collect();
        self.software.serves().then(times)
    }

    /// A process wants to compute, where messages cost something.
    pub(super) fn compute(
        &mut self,
        node: NodeId,
        process: ProcessId,
        duration: Time,
        world: &mut World,
    ) {
        let times = self.software.desks[node.index()].cpu.times(world.now);
        world.begins_to_compute(process, Some(duration), (times.sending, times.receiving));
        self.software.remaining[process.index()] = duration;
        self.software.desks[node.index()].cpu.waiting.push_back(process);
        self.serve(node, world);
    }

    /// The CPU of a node goes over to what comes first, if it may.
    fn serve(&mut self, node: NodeId, world: &mut World) {
        let Software { desks, remaining, time_slice, costs, .. } = &mut self.software;
        let cpu = &mut desks[node.index()].cpu;
        if cpu.work != Work::Idle {
            if !costs.receive_preempts || !cpu.is_interrupted(world.now) {
                return;
            }
            world.stops(node, cpu.work);
            cpu.interrupt(world.now);
        }
        let next = cpu.next(|process| {
            let left = &mut remaining[process.index()];
            let piece = (*left).min(*time_slice);
            *left -= piece;
            piece
        });
        let Some((work, takes)) = next else { return };
        let until = cpu.begin(work, world.now, takes);
        world.begins(node, work);
        world.events.post(until, Event::Cpu(node));
    }

    /// `CPU`: what a CPU does ends, unless that was interrupted.
    pub(super) fn work_ends(&mut self, node: NodeId, world: &mut World) -> u64 {
        let cpu = &mut self.software.desks[node.index()].cpu;
        if !cpu.ends(world.now) {
            return 0;
        }
        let work = cpu.stop(world.now);
        world.stops(node, work);
        let times = cpu.times(world.now);
        let mut count = 0;
        match work {
            Work::Computing(process) if self.software.remaining[process.index()] > 0 => {
                cpu.waiting.push_back(process);
            }
            Work::Computing(process) => {
                if let Some(causes) = &mut world.measures.causes {
                    causes.computed(process, (times.sending, times.receiving), world.now);
                }
                world.workload.computed(process);
                count = self.run(process, node, world);
            }
            Work::Sending => self.prepare(node, world),
            Work::Receiving(id, bytes) => {
                if let Some(causes) = &mut world.measures.causes {
                    causes.taken_in(node, id, world.now);
                }
                self.packet_taken(id, bytes, world);
                world.lets_go();
            }
            Work::Idle => {}
        }
        self.serve(node, world);
        count + self.go_on(world)
    }
}

impl World<'_> {
    /// A CPU begins with something.
    fn begins(&mut self, node: NodeId, work: Work) {
        let now = self.now;
        if let Some(causes) = &mut self.measures.causes {
            causes.cpu_begins(node, now);
        }
        self.time_of(work, |binned| binned.begin(now));
    }

    /// A CPU has done something.
    fn stops(&mut self, node: NodeId, work: Work) {
        let now = self.now;
        if let Some(causes) = &mut self.measures.causes {
            match work {
                Work::Idle => {}
                Work::Computing(process) => causes.cpu_computed(node, process, now),
                Work::Sending => causes.cpu_prepared(node, now),
                Work::Receiving(id, _) => causes.cpu_took(node, id, now),
            }
        }
        self.time_of(work, |binned| binned.end(now));
    }

    fn time_of(&mut self, work: Work, note: impl FnOnce(&mut crate::measure::Binned)) {
        let Some(software) = &mut self.measures.software else { return };
        match work {
            Work::Idle => {}
            Work::Computing(_) => note(&mut self.measures.cpu),
            Work::Sending => note(&mut software.sending),
            Work::Receiving(..) => note(&mut software.receiving),
        }
    }
}
