//! What is on its way through a switch: in stages of several cycles that take nothing in until what
//! is in them has left, and in the buffers behind the crossbar, where inputs see them as they stand.

use crate::ids::SwitchId;
use crate::spec::Pipeline;
use std::collections::VecDeque;

/// When the latest batch of each stage of every switch has left it, or will have.
#[derive(Clone)]
pub struct Batches {
    /// By switch; empty where a stage takes something in at every step.
    routing: Vec<u64>,
    crossing: Vec<u64>,
    route_steps: u64,
    traversal_steps: u64,
}

impl Batches {
    /// Empty stages.
    pub fn new(pipeline: &Pipeline, switches: usize) -> Self {
        let of = |steps: u32| vec![0; if pipeline.in_batches && steps > 1 { switches } else { 0 }];
        Self {
            routing: of(pipeline.route_cycles),
            crossing: of(pipeline.traversal_cycles),
            route_steps: pipeline.route_cycles.into(),
            traversal_steps: pipeline.traversal_cycles.into(),
        }
    }

    /// The step in which a header begins to be routed that could in a given one.
    #[inline]
    pub fn routed(&mut self, switch: SwitchId, step: u64) -> u64 {
        match self.routing.get_mut(switch.index()) {
            None => step,
            Some(free_from) => joins(free_from, step, self.route_steps),
        }
    }

    /// The step in which a flit begins to cross a switch that could in a given one.
    #[inline]
    pub fn crosses(&mut self, switch: SwitchId, step: u64) -> u64 {
        match self.crossing.get_mut(switch.index()) {
            None => step,
            Some(free_from) => joins(free_from, step, self.traversal_steps),
        }
    }
}

/// The step in which something begins that could in a given step, of steps that never decrease:
/// with the latest batch if that begins then or later, or else when it has left the stage.
fn joins(free_from: &mut u64, step: u64, length: u64) -> u64 {
    if step + length > *free_from {
        *free_from = step.max(*free_from) + length;
    }
    *free_from - length
}

/// What stands behind the crossbar. By wire, in order: the last step in which a flit crosses, and
/// the cycle in which it is sent.
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

#[cfg(test)]
mod tests {
    use super::joins;

    #[test]
    fn what_comes_late_waits_for_the_next_batch() {
        let mut free_from = 0;
        let begun = |step| joins(&mut free_from, step, 3);
        let steps = [0, 0, 1, 2, 3, 4, 6, 9, 20, 21];
        assert_eq!(steps.map(begun), [0, 0, 3, 3, 3, 6, 6, 9, 20, 23]);
    }
}
