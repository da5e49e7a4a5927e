//! Processors: a run queue each, served first in, first out.

use super::stragglers::Stragglers;
use crate::event_queue::{Event, EventQueue};
use crate::ids::{NodeId, ProcessId};
use crate::time::Time;

/// The processors of all nodes.
pub struct Processors {
    processors: Vec<Processor>,
    /// Per process: computing still to do after the present piece.
    remaining: Vec<Time>,
    /// Per process: the one behind it in the run queue.
    next: Vec<ProcessId>,
    /// Work of a piece, at most.
    time_slice: Time,
    /// Nodes that are slower for a time.
    pub(super) stragglers: Stragglers,
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Processor {
    running: ProcessId,
    piece_end: Time,
    /// Time it has computed in the current window, the present piece included.
    busy: Time,
    /// Whether its process is saturated: no event marks the end of the piece.
    is_saturated: bool,
    first: ProcessId,
    last: ProcessId,
}

impl Processors {
    /// Idle processors.
    pub fn new(
        nodes: usize,
        processes: usize,
        time_slice: Option<Time>,
        stragglers: Stragglers,
    ) -> Self {
        let idle = Processor {
            running: ProcessId::NONE,
            piece_end: 0,
            busy: 0,
            is_saturated: false,
            first: ProcessId::NONE,
            last: ProcessId::NONE,
        };
        Self {
            processors: vec![idle; nodes],
            remaining: vec![0; processes],
            next: vec![ProcessId::NONE; processes],
            time_slice: time_slice.unwrap_or(Time::MAX),
            stragglers,
        }
    }

    /// A process wants to compute for `duration`: it starts if the processor is
    /// idle, else joins the run queue. How long the processor is now busy, if it started.
    #[inline]
    pub fn compute(
        &mut self,
        node: NodeId,
        process: ProcessId,
        duration: Time,
        now: Time,
        events: &mut EventQueue,
    ) -> Option<Time> {
        self.remaining[process.index()] = duration;
        if self.processors[node.index()].running.is_some() {
            self.enter(node, process);
            return None;
        }
        Some(self.start(node, process, now, events))
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

    #[inline]
    fn start(
        &mut self,
        node: NodeId,
        process: ProcessId,
        now: Time,
        events: &mut EventQueue,
    ) -> Time {
        let remaining = &mut self.remaining[process.index()];
        let piece = (*remaining).min(self.time_slice);
        *remaining -= piece;
        let piece = self.stragglers.takes(node, now, piece);
        self.processors[node.index()].begin(process, now, piece);
        events.post(now + piece, Event::Cpu(node));
        piece
    }

    /// The process for which a processor computes.
    #[inline]
    pub fn running(&self, node: NodeId) -> ProcessId {
        self.processors[node.index()].running
    }

    /// An idle processor takes the front of its run queue; how long it will be busy.
    #[inline]
    pub fn dispatch(&mut self, node: NodeId, now: Time, events: &mut EventQueue) -> Option<Time> {
        let process = self.processors[node.index()].first;
        if !process.is_some() {
            return None;
        }
        self.processors[node.index()].first = self.next[process.index()];
        Some(self.start(node, process, now, events))
    }

    /// The running process has computed its piece; the process, if it is done.
    ///
    /// One that is not done goes to the end of the run queue.
    #[inline]
    pub fn piece_ends(&mut self, node: NodeId, now: Time) -> Option<ProcessId> {
        let processor = &mut self.processors[node.index()];
        debug_assert_eq!(processor.piece_end, now);
        let process = processor.running;
        processor.running = ProcessId::NONE;
        if self.remaining[process.index()] == 0 {
            return Some(process);
        }
        self.enter(node, process);
        None
    }

    /// A saturated process starts to compute, without events until [`Self::wake`].
    #[inline]
    pub fn compute_saturated(&mut self, node: NodeId, process: ProcessId, now: Time, piece: Time) {
        let processor = &mut self.processors[node.index()];
        processor.begin(process, now, piece);
        processor.is_saturated = true;
    }

    /// If its process is saturated: lets it pass through all pieces
    /// that end before `now`, and marks the end of the one after.
    #[inline]
    pub fn wake(
        &mut self,
        node: NodeId,
        now: Time,
        events: &mut EventQueue,
        passes: impl FnMut(ProcessId, (Time, Time)) -> Time,
    ) {
        let processor = &mut self.processors[node.index()];
        if processor.is_saturated {
            processor.catch_up(now, passes);
            processor.is_saturated = false;
            events.post(processor.piece_end, Event::Cpu(node));
        }
    }

    /// Lets all saturated processes pass through the pieces that end up to `now`.
    pub fn catch_up(&mut self, now: Time, mut passes: impl FnMut(ProcessId, (Time, Time)) -> Time) {
        for processor in self.processors.iter_mut().filter(|p| p.is_saturated) {
            processor.catch_up(now + 1, &mut passes);
        }
    }

    /// For every node, the part of the present piece that lies after `now`.
    pub fn overhang(&self, now: Time) -> impl Iterator<Item = Time> {
        self.processors.iter().map(move |p| p.piece_end.saturating_sub(now))
    }

    /// For every node, time it has computed in the current window, up to `now`.
    pub fn busy(&self, now: Time) -> impl Iterator<Item = Time> {
        self.processors.iter().map(move |p| p.busy - p.piece_end.saturating_sub(now))
    }

    /// A new window begins.
    pub fn begin_window(&mut self, now: Time) {
        for processor in &mut self.processors {
            processor.busy = processor.piece_end.saturating_sub(now);
        }
    }
}

impl Processor {
    /// A process starts to compute a piece.
    #[inline]
    fn begin(&mut self, process: ProcessId, start: Time, piece: Time) {
        self.running = process;
        self.piece_end = start + piece;
        self.busy += piece;
    }

    /// Replaces pieces that end before `before` by those that follow.
    ///
    /// `passes` tells when the last of those ends that begin from one instant on and
    /// before another.
    fn catch_up(&mut self, before: Time, mut passes: impl FnMut(ProcessId, (Time, Time)) -> Time) {
        if self.piece_end < before {
            let end = passes(self.running, (self.piece_end, before));
            self.busy += end - self.piece_end;
            self.piece_end = end;
        }
    }
}
