//! Who sends to whom in which iteration, where that is drawn.
//!
//! A loosely synchronous process waits for all messages that others address to
//! it in *their* iteration k, sent or not. So the destinations of an iteration
//! are drawn for all processes as soon as the first process sends in it. Each
//! process has its own stream, so this changes nobody's destinations. A process that has nobody to
//! send to takes no part: it is in no iteration, and nobody waits for it.

use super::destinations::Destinations;
use crate::ids::ProcessId;
use crate::rng::Stream;
use std::collections::VecDeque;

/// The iterations that some process has reached and not all have completed.
pub struct Iterations {
    processes: usize,
    messages: usize,
    /// Number of the first iteration kept.
    first: u32,
    open: VecDeque<Iteration>,
    /// Iterations completed by all, for reuse.
    spare: Vec<Iteration>,
}

struct Iteration {
    /// Per process and message: the destination's place, see [`Destinations`].
    places: Vec<u32>,
    /// Per process: messages addressed to it and not yet received.
    missing: Vec<u32>,
    /// Processes that have not completed it.
    remaining: usize,
}

impl Iterations {
    /// Nothing reached yet.
    pub fn new(processes: usize, messages: usize) -> Self {
        Self { processes, messages, first: 0, open: VecDeque::new(), spare: Vec::new() }
    }

    /// The place to which a process sends its message number `message` of an
    /// iteration.
    pub fn place(
        &mut self,
        process: ProcessId,
        iteration: u32,
        message: usize,
        destinations: &Destinations,
        streams: &mut [Stream],
    ) -> u32 {
        while (self.open.len() as u32) <= iteration - self.first {
            let next = self.draw(destinations, streams);
            self.open.push_back(next);
        }
        let open = &self.open[(iteration - self.first) as usize];
        open.places[process.index() * self.messages + message]
    }

    /// Draws the destinations of the next iteration for all processes.
    fn draw(&mut self, destinations: &Destinations, streams: &mut [Stream]) -> Iteration {
        let mut iteration = self.spare.pop().unwrap_or_else(|| Iteration {
            places: vec![0; self.processes * self.messages],
            missing: vec![0; self.processes],
            remaining: 0,
        });
        iteration.missing.fill(0);
        iteration.remaining = 0;
        for (process, places) in iteration.places.chunks_exact_mut(self.messages).enumerate() {
            if destinations.is_silent(process) {
                continue;
            }
            iteration.remaining += 1;
            for place in places {
                *place = destinations.draw(process, &mut streams[process]);
                iteration.missing[destinations.process_at(process, *place)] += 1;
            }
        }
        iteration
    }

    /// A process has received a message of an iteration.
    pub fn received(&mut self, process: ProcessId, iteration: u32) {
        let open = &mut self.open[(iteration - self.first) as usize];
        open.missing[process.index()] -= 1;
    }

    /// Messages of an iteration a process has still to receive, if it has sent.
    pub fn missing(&self, process: ProcessId, iteration: u32) -> u32 {
        let open = iteration.checked_sub(self.first).and_then(|at| self.open.get(at as usize));
        open.map_or(0, |open| open.missing[process.index()])
    }

    /// A process has completed an iteration.
    pub fn complete(&mut self, iteration: u32) {
        self.open[(iteration - self.first) as usize].remaining -= 1;
        while self.open.front().is_some_and(|front| front.remaining == 0) {
            self.first += 1;
            self.spare.extend(self.open.pop_front());
        }
    }
}
