//! Times that processes wait for apart from their nodes' processors: what they compute on CPUs of
//! their own, and what they do not use a processor for.

use super::{Nodes, World};
use crate::event_queue::Event;
use crate::ids::{NodeId, ProcessId, TimerId};
use crate::pool::Pool;
use crate::time::Time;
use crate::workload::Timer;

/// Timers that run, and what CPUs of processes do.
pub struct Timers {
    running: Pool<TimerId, Running>,
    /// Events with lower numbers are those of processes.
    processes: u32,
    /// By node.
    busy: Vec<Busy>,
}

#[derive(Clone, Copy)]
struct Running {
    process: ProcessId,
    tag: u32,
    computes: bool,
}

/// How long the CPUs of a node's processes have computed in the window, all together.
#[derive(Clone, Copy, Default)]
struct Busy {
    /// What has ended.
    done: Time,
    /// What goes on: how many, and the sum of the instants since when.
    running: u64,
    since: Time,
}

impl Timers {
    /// No timer runs.
    pub fn new(nodes: usize, processes: usize) -> Self {
        let busy = vec![Busy::default(); nodes];
        Self { running: Pool::default(), processes: processes as u32, busy }
    }

    /// For every node, how long it has computed in the window, up to `now`.
    pub fn busy(&self, now: Time) -> impl Iterator<Item = Time> {
        self.busy.iter().map(move |busy| busy.done + (busy.running * now - busy.since))
    }

    /// A new window begins.
    pub fn begin_window(&mut self, now: Time) {
        for busy in &mut self.busy {
            *busy = Busy { done: 0, since: busy.running * now, ..*busy };
        }
    }

    fn begins(&mut self, node: NodeId, now: Time) {
        let busy = &mut self.busy[node.index()];
        busy.running += 1;
        busy.since += now;
    }

    fn ends(&mut self, node: NodeId, now: Time) {
        let busy = &mut self.busy[node.index()];
        // Its own beginning need not be known: what is taken off the sum is put to the rest.
        busy.done += busy.running * now - busy.since;
        busy.running -= 1;
        busy.since = busy.running * now;
    }
}

impl Nodes {
    /// A process sets a timer.
    pub(super) fn set(&mut self, process: ProcessId, timer: Timer, world: &mut World) {
        let Timer { after, tag, computes } = timer;
        if computes {
            world.measures.cpu.begin(world.now);
            self.timers.begins(self.placement[process.index()], world.now);
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
