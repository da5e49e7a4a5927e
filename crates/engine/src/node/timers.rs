//! Times that processes wait for apart from their nodes' processors: what they compute on CPUs of
//! their own, and what they do not use a processor for.

use crate::ids::{NodeId, ProcessId, TimerId};
use crate::pool::Pool;
use crate::time::Time;

/// Timers that run, and what CPUs of processes do.
pub struct Timers {
    pub(super) running: Pool<TimerId, Running>,
    /// Events with lower numbers are those of processes.
    pub(super) processes: u32,
    /// By node.
    busy: Vec<Busy>,
}

/// A timer that runs.
#[derive(Clone, Copy)]
pub(super) struct Running {
    pub process: ProcessId,
    pub tag: u32,
    pub computes: bool,
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

    pub(super) fn begins(&mut self, node: NodeId, now: Time) {
        let busy = &mut self.busy[node.index()];
        busy.running += 1;
        busy.since += now;
    }

    pub(super) fn ends(&mut self, node: NodeId, now: Time) {
        let busy = &mut self.busy[node.index()];
        // Its own beginning need not be known: what is taken off the sum is put to the rest.
        busy.done += busy.running * now - busy.since;
        busy.running -= 1;
        busy.since = busy.running * now;
    }
}
