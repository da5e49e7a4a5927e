//! The messaging software of nodes: what messages cost the CPUs at their ends.
//!
//! The software of a node does *jobs* on its one CPU, which otherwise computes for processes
//! (`desks/cpu.rs`): it prepares messages one after another, packet by packet (`sending.rs`), and takes
//! in packets that have arrived (`receiving.rs`). Messages within a node, and acknowledgements,
//! cost nothing. Where nothing costs anything there are no desks, and all this is passed by.
//! The rules are in `docs/model.md`, "What messages cost in software".

mod receiving;
mod sending;

use super::desks::Software;
use super::desks::cpu::{CpuTime, Work};
use super::nodes::Nodes;
use super::world::World;
use crate::event_queue::Event;
use crate::ids::{NodeId, ProcessId};
use crate::time::Time;

impl Nodes {
    /// What every CPU did in the window, up to now; where messages cost something.
    pub fn processor_times(&self, now: Time) -> Option<Vec<CpuTime>> {
        let times = || self.software.desks.iter().map(|desk| desk.cpu.times(now)).collect();
        self.software.serves().then(times)
    }

    /// A process wants to compute, where messages cost something.
    pub(super) fn compute_at_desk(
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
        let stragglers = &self.processors.stragglers;
        let cpu = &mut desks[node.index()].cpu;
        if cpu.work != Work::Idle {
            if !costs.receive_preempts || !cpu.is_interrupted(world.now) {
                return;
            }
            world.stops(node, cpu.work);
            cpu.interrupt(world.now, |until| stragglers.work(node, (world.now, until)));
        }
        let next = cpu.next(|process| {
            let left = &mut remaining[process.index()];
            let piece = (*left).min(*time_slice);
            *left -= piece;
            piece
        });
        let Some((work, takes)) = next else { return };
        let until = cpu.begin(work, world.now, stragglers.takes(node, world.now, takes));
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
