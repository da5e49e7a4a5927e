//! Processors: a run queue each, served first in, first out.

use crate::event_queue::{EventQueue, Kind};
use crate::ids::{NodeId, ProcessId};
use crate::time::Time;

/// The processors of all nodes.
pub struct Processors {
    processors: Vec<Processor>,
    /// Per process: computing still to do.
    remaining: Vec<Time>,
    /// Per process: the one behind it in the run queue.
    next: Vec<ProcessId>,
    time_slice: Time,
}

#[derive(Clone, Copy)]
struct Processor {
    running: ProcessId,
    piece: Time,
    piece_end: Time,
    first: ProcessId,
    last: ProcessId,
}

impl Processors {
    /// Idle processors.
    pub fn new(nodes: usize, processes: usize, time_slice: Option<Time>) -> Self {
        let idle = Processor {
            running: ProcessId::NONE,
            piece: 0,
            piece_end: 0,
            first: ProcessId::NONE,
            last: ProcessId::NONE,
        };
        Self {
            processors: vec![idle; nodes],
            remaining: vec![0; processes],
            next: vec![ProcessId::NONE; processes],
            time_slice: time_slice.unwrap_or(Time::MAX),
        }
    }

    /// A process joins the run queue to compute for `duration`.
    pub fn add(&mut self, node: NodeId, process: ProcessId, duration: Time) {
        self.remaining[process.index()] = duration;
        self.enter(node, process);
    }

    fn enter(&mut self, node: NodeId, process: ProcessId) {
        let processor = &mut self.processors[node.index()];
        self.next[process.index()] = ProcessId::NONE;
        if processor.first.is_some() {
            self.next[processor.last.index()] = process;
        } else {
            processor.first = process;
        }
        processor.last = process;
    }

    /// An idle processor takes the front of its run queue; how long it will be busy.
    pub fn dispatch(
        &mut self,
        node: NodeId,
        now: Time,
        events: &mut EventQueue,
    ) -> Option<Time> {
        let processor = &mut self.processors[node.index()];
        if processor.running.is_some() || !processor.first.is_some() {
            return None;
        }
        let process = processor.first;
        processor.first = self.next[process.index()];
        processor.running = process;
        processor.piece = self.remaining[process.index()].min(self.time_slice);
        processor.piece_end = now + processor.piece;
        events.post(processor.piece_end, Kind::Cpu, node.0);
        Some(processor.piece)
    }

    /// The running process has computed its piece; the process, if it is done.
    ///
    /// One that is not done goes to the end of the run queue.
    pub fn piece_ends(&mut self, node: NodeId, now: Time) -> Option<ProcessId> {
        let processor = &mut self.processors[node.index()];
        debug_assert_eq!(processor.piece_end, now);
        let process = processor.running;
        processor.running = ProcessId::NONE;
        let remaining = &mut self.remaining[process.index()];
        *remaining -= processor.piece;
        if *remaining == 0 {
            return Some(process);
        }
        self.enter(node, process);
        None
    }

    /// For every node, processor time already counted that lies after `now`.
    pub fn overhang(&self, now: Time) -> impl Iterator<Item = Time> {
        self.processors.iter().map(move |p| p.piece_end.saturating_sub(now))
    }
}
