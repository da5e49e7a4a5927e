//! The nodes: processor, packetisation, virtual links, acknowledgements.
//!
//! Nodes carry out the workload's instructions, hand packets to the fabric, and
//! tell the workload what became of its messages. Everything here is the same
//! for every fidelity and contention mode.

mod alone;
mod classes;
mod commands;
mod desks;
mod interface;
mod meeting;
mod message;
mod multicast;
mod multicasts;
mod nodes;
mod origins;
mod packetisation;
mod processor;
mod protocol;
mod receiving;
mod ringing;
mod sending;
mod software;
mod stragglers;
mod timers;
mod world;

pub use alone::Alone;
pub use desks::cpu::CpuTime;
pub use interface::{Buffers, Heard, Interface, Told};
pub use message::{Life, Message, MessagePool};
pub use nodes::Nodes;
pub use processor::Processors;
pub use stragglers::Stragglers;
pub use world::World;

use crate::ids::{NodeId, ProcessId};
use crate::measure::Measures;
use crate::rare::rare;
use crate::time::Time;
use crate::workload::{Op, Workload};
use world::fast_forward;

/// Events and instructions at one instant after which the clock counts as stuck.
pub const MOST_AT_ONE_INSTANT: u64 = 1 << 24;

impl Nodes {
    /// Brings saturated processes up to `now`, after all events of that instant.
    pub fn catch_up(&mut self, now: Time, workload: &mut Workload, measures: &mut Measures) {
        let cpu = &mut measures.cpu;
        self.processors.catch_up(now, |p, times| fast_forward(workload, cpu, p, times));
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

    /// A process wants to compute.
    #[inline]
    fn compute(&mut self, node: NodeId, process: ProcessId, duration: Time, world: &mut World) {
        if self.software.serves() {
            return self.compute_at_desk(node, process, duration, world);
        }
        world.begins_to_compute(process, Some(duration), (0, 0));
        let (now, events) = (world.now, &mut *world.events);
        if let Some(piece) = self.processors.compute(node, process, duration, now, events) {
            world.computes(process, piece);
        }
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
                Op::ComputeSaturated(duration)
                    if self.software.serves() || self.processors.stragglers.has(node) =>
                {
                    self.compute(node, process, duration, world);
                    break;
                }
                Op::Compute(duration) => {
                    self.compute(node, process, duration, world);
                    // It waits until that has been done.
                    break;
                }
                Op::ComputeReady(duration) => {
                    self.compute(node, process, duration, world);
                    count += 1;
                    self.accept_waiting(process, world);
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
