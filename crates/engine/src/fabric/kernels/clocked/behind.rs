//! What stands in the buffers behind the crossbar, where inputs see them as they stand.

use crate::spec::Pipeline;
use std::collections::VecDeque;

/// By wire, in order: the last step in which a flit crosses, and the cycle in which it is sent.
#[derive(Clone)]
pub struct Behind {
    wires: Vec<VecDeque<(u64, u64)>>,
}

impl Behind {
    /// Empty buffers; none where nobody looks at them.
    pub fn new(pipeline: &Pipeline, wires: usize) -> Self {
        Self { wires: vec![VecDeque::new(); if pipeline.sees_output_buffer { wires } else { 0 }] }
    }

    /// Whether somebody looks at them.
    #[inline]
    pub fn is_seen(&self) -> bool {
        !self.wires.is_empty()
    }

    /// A flit that crosses until a step is to be sent in a cycle, and some before it have been.
    #[inline]
    pub fn add(&mut self, wire: usize, step: u64, start: u64, now: u64) {
        let flits = &mut self.wires[wire];
        while flits.front().is_some_and(|&(_, sent)| sent < now) {
            flits.pop_front();
        }
        flits.push_back((step, start));
    }

    /// Flits that stand in a buffer in a step of a cycle.
    #[inline]
    pub fn count(&self, wire: usize, step: u64, cycle: u64) -> u64 {
        let stands = |&&(crossed, sent): &&(u64, u64)| crossed < step && sent >= cycle;
        self.wires[wire].iter().filter(stands).count() as u64
    }
}
