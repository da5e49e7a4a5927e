//! The messages that loosely synchronous processes wait for.

use super::destinations::Destinations;
use super::iterations::Iterations;
use crate::ids::ProcessId;
use crate::rng::Stream;

/// What each process that sends is still to receive in the iteration it is in.
pub enum Expected {
    /// As many as have drawn it as their destination.
    Drawn(Iterations),
    /// As many as one process sends; none, if nobody sends to it.
    ///
    /// Processes that do not wait for each other may be any number of iterations apart,
    /// so that nothing may be kept of whole iterations. A process receives messages of no
    /// other iteration than its own: it is not ready for later ones, and has all of
    /// earlier ones.
    Fixed {
        /// Per process: messages of its iteration that it has not received.
        missing: Vec<u32>,
        /// Per process: messages of every iteration.
        all: Vec<u32>,
    },
}

impl Expected {
    /// Nothing received yet; `messages` messages are sent in every iteration.
    pub fn new(destinations: &Destinations, processes: usize, messages: u32) -> Self {
        if let Destinations::Permutation(..) = destinations {
            let all = vec![messages; processes];
            return Self::Fixed { missing: all.clone(), all };
        }
        Self::Drawn(Iterations::new(processes, messages as usize))
    }

    /// The place to which a process sends its message number `message` of an iteration.
    pub fn place(
        &mut self,
        process: ProcessId,
        iteration: u32,
        message: usize,
        destinations: &Destinations,
        streams: &mut [Stream],
    ) -> u32 {
        match self {
            Self::Drawn(open) => open.place(process, iteration, message, destinations, streams),
            Self::Fixed { .. } => destinations.draw(process.index(), &mut streams[process.index()]),
        }
    }

    /// A process has received a message of an iteration.
    pub fn received(&mut self, process: ProcessId, iteration: u32) {
        match self {
            Self::Drawn(iterations) => iterations.received(process, iteration),
            Self::Fixed { missing, .. } => missing[process.index()] -= 1,
        }
    }

    /// Messages of an iteration a process has still to receive, if it has sent.
    pub fn missing(&self, process: ProcessId, iteration: u32) -> u32 {
        match self {
            Self::Drawn(iterations) => iterations.missing(process, iteration),
            Self::Fixed { missing, .. } => missing[process.index()],
        }
    }

    /// A process has completed an iteration.
    pub fn complete(&mut self, process: ProcessId, iteration: u32) {
        match self {
            Self::Drawn(iterations) => iterations.complete(iteration),
            Self::Fixed { missing, all } => missing[process.index()] = all[process.index()],
        }
    }
}
