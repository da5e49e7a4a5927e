//! Requests under way, and those that wait for a reply.

use crate::ids::ProcessId;
use std::collections::VecDeque;

/// A request that has not been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who asks.
    pub asker: ProcessId,
    /// The length of the reply.
    pub bytes: u64,
}

/// Requests by number, and by process those that it has to answer.
pub struct Answers {
    requests: Vec<Request>,
    /// Numbers that are nobody's.
    free: Vec<u32>,
    waiting: Vec<VecDeque<u32>>,
}

impl Answers {
    /// None.
    pub fn new(processes: usize) -> Self {
        Self { requests: Vec::new(), free: Vec::new(), waiting: vec![VecDeque::new(); processes] }
    }

    /// A request is sent: its number until it is answered.
    pub fn open(&mut self, request: Request) -> u32 {
        if let Some(number) = self.free.pop() {
            self.requests[number as usize] = request;
            return number;
        }
        self.requests.push(request);
        self.requests.len() as u32 - 1
    }

    /// A request has arrived at a process, which is to answer it.
    pub fn arrives(&mut self, process: ProcessId, number: u32) {
        self.waiting[process.index()].push_back(number);
    }

    /// The request that a process answers next, with its number.
    pub fn next(&mut self, process: ProcessId) -> Option<(u32, Request)> {
        let number = self.waiting[process.index()].pop_front()?;
        Some((number, self.requests[number as usize]))
    }

    /// A request has been answered.
    pub fn close(&mut self, number: u32) {
        self.free.push(number);
    }
}
