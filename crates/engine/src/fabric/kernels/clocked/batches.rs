//! Stages of several cycles that take nothing in until what is in them has left.

use crate::ids::SwitchId;
use crate::spec::Pipeline;

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
