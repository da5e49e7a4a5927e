//! Timers are set, and ring.

use super::nodes::Nodes;
use super::timers::Running;
use super::world::World;
use crate::event_queue::Event;
use crate::ids::{ProcessId, TimerId};
use crate::workload::Timer;

impl Nodes {
    /// A process sets a timer.
    pub(super) fn set(&mut self, process: ProcessId, timer: Timer, world: &mut World) {
        let Timer { mut after, tag, computes } = timer;
        if computes {
            let node = self.placement[process.index()];
            after = self.processors.stragglers.takes(node, world.now, after);
            world.measures.cpu.begin(world.now);
            self.timers.begins(node, world.now);
        }
        let id = self.timers.running.insert(|_| Running { process, tag, computes });
        if let Some(causes) = &mut world.measures.causes {
            causes.calls(process, world.workload.call_of(process));
            causes.sets(id, process, computes, world.now);
        }
        let name = ProcessId(self.timers.processes + id.0);
        world.events.post(world.now + after, Event::Start(name));
    }

    /// Whether a `START` is that of a timer.
    #[inline]
    pub(super) fn is_timer(&self, name: ProcessId) -> bool {
        name.0 >= self.timers.processes
    }

    /// A timer rings: its process goes on; how many instructions that took.
    pub(super) fn ring(&mut self, name: ProcessId, world: &mut World) -> u64 {
        let id = TimerId(name.0 - self.timers.processes);
        let Running { process, tag, computes } = self.timers.running.remove(id);
        let node = self.placement[process.index()];
        if computes {
            world.measures.cpu.end(world.now);
            self.timers.ends(node, world.now);
        }
        if let Some(causes) = &mut world.measures.causes {
            causes.rings(id, process, computes, world.now);
        }
        world.workload.rings(process, tag);
        self.run(process, node, world) + self.go_on(world)
    }
}
