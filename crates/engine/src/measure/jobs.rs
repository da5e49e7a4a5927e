//! What is counted of every job.

use super::counters::Counters;
use super::distribution::Distribution;
use crate::ids::NodeId;

/// What is counted of every job, by whose nodes things happen.
pub struct ByJob {
    /// Per node: its job; [`NONE`].
    job_of: Vec<u32>,
    /// By job.
    pub jobs: Vec<OfJob>,
    /// The counters of all jobs at the end of each sample interval, one job after the other.
    pub samples: Vec<Counters>,
}

/// The node is in no job.
const NONE: u32 = u32::MAX;

/// What is counted of one job.
#[derive(Clone, Default)]
pub struct OfJob {
    /// Cumulative since time 0: of what happens at nodes. What is counted of channels and
    /// processors, or told by the workload, is 0.
    pub counters: Counters,
    /// From sending to receiving a message, in the current window.
    pub latency: Distribution,
}

impl ByJob {
    /// Nothing yet: of the processes with these jobs, on these nodes.
    pub fn new(jobs: &[u32], placement: &[NodeId], nodes: usize) -> Self {
        let mut job_of = vec![NONE; nodes];
        for (node, &job) in placement.iter().zip(jobs) {
            job_of[node.index()] = job;
        }
        let count = jobs.iter().max().map_or(0, |&last| last as usize + 1);
        Self { job_of, jobs: vec![OfJob::default(); count], samples: Vec::new() }
    }

    /// The job of a node.
    #[inline]
    pub fn of(&mut self, node: NodeId) -> Option<&mut OfJob> {
        self.jobs.get_mut(self.job_of[node.index()] as usize)
    }

    /// A new window begins.
    pub fn begin_window(&mut self) {
        for job in &mut self.jobs {
            job.latency = Distribution::default();
        }
    }
}
