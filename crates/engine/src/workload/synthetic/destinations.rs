//! Whom each process sends to, drawn or laid down by a pattern.

use super::hot_spots::HotSpots;
use super::pattern::{self, Own};
use super::reach::Reach;
use super::weighted::{Matrix, NextGroup};
use crate::error::SpecError;
use crate::rng::Stream;
use crate::spec::{self, Pattern};
use crate::topology::Topology;

/// Whom each process sends to. What is drawn is a *place*; which process is there need
/// only be known of messages that are sent.
pub enum Destinations {
    /// Any other process in reach.
    Uniform(Reach),
    /// One process each: the node it is on, and the number of processes on a node.
    Permutation(Vec<u32>, u32, Own),
    /// Some more often than others.
    HotSpots(HotSpots),
    /// Those of the next group.
    NextGroup(NextGroup),
    /// In proportion to weights.
    Matrix(Matrix),
}

impl Destinations {
    /// The destinations of a workload on a machine.
    ///
    /// # Errors
    /// A pattern that is not defined for this machine, or a radius that it has no use
    /// for, that is beyond the network, or that leaves nobody to send to.
    pub fn new(spec: &spec::Synthetic, topology: &Topology) -> Result<Self, SpecError> {
        let per_node = spec.processes_per_node;
        let own = if spec.includes_self { Own::Included } else { Own::Excluded };
        if spec.pattern == Pattern::Uniform {
            return Reach::new(topology, spec.radius, per_node, own).map(Self::Uniform);
        }
        if spec.radius > 0 {
            let allowed = "must be left out: it limits the pattern \"uniform\" only";
            return Err(SpecError::new("workload.radius", spec.radius, allowed));
        }
        if own == Own::Included && !pattern::may_include_self(&spec.pattern) {
            let allowed = "must be false with this pattern";
            return Err(SpecError::new("workload.includes_self", true, allowed));
        }
        if let Pattern::HotSpot { nodes, share } = &spec.pattern {
            return HotSpots::new(nodes, *share, topology.nodes, per_node).map(Self::HotSpots);
        }
        match &spec.pattern {
            Pattern::NextGroup => return NextGroup::new(topology, per_node).map(Self::NextGroup),
            Pattern::Matrix { rows, periods } => {
                let matrix = Matrix::new((rows, periods), topology.nodes, per_node, own);
                return matrix.map(Self::Matrix);
            }
            _ => {}
        }
        let to = pattern::permutation(&spec.pattern, topology, own)?.unwrap_or_default();
        Ok(Self::Permutation(to, per_node, own))
    }

    /// Whether a process has nobody to send to, or is its own destination.
    #[inline]
    pub fn is_silent(&self, process: usize) -> bool {
        match self {
            Self::Permutation(to, per_node, own) => {
                let node = process as u32 / per_node;
                *own == Own::Excluded && to[node as usize] == node
            }
            Self::Matrix(matrix) => matrix.is_silent(process),
            _ => false,
        }
    }

    /// Whether any process has nobody to send to.
    pub fn has_silent(&self) -> bool {
        match self {
            Self::Permutation(to, _, Own::Excluded) => {
                to.iter().zip(0..).any(|(&to, node)| to == node)
            }
            Self::Matrix(matrix) => matrix.has_silent(),
            _ => false,
        }
    }

    /// How many times the period of all a node has between messages.
    pub fn period(&self, node: usize) -> f64 {
        match self {
            Self::Matrix(matrix) => matrix.period(node),
            _ => 1.0,
        }
    }

    /// The place of a process' next destination. A permutation draws nothing.
    #[inline]
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        match self {
            Self::Uniform(reach) => reach.draw(process, stream),
            Self::Permutation(to, per_node, _) => {
                let process = process as u32;
                to[(process / per_node) as usize] * per_node + process % per_node
            }
            Self::HotSpots(spots) => spots.draw(process, stream),
            Self::NextGroup(next) => next.draw(process, stream),
            Self::Matrix(matrix) => matrix.draw(process, stream),
        }
    }

    /// The process at a place drawn by another.
    #[inline]
    pub fn process_at(&self, process: usize, place: u32) -> usize {
        match self {
            Self::Uniform(reach) => reach.process_at(process, place),
            _ => place as usize,
        }
    }

    /// Number of nodes that a node may send to, itself included.
    pub fn pairs_of(&self, node: usize) -> usize {
        match self {
            Self::Uniform(reach) => reach.size(node),
            Self::Permutation(..) => 1,
            Self::HotSpots(spots) => spots.nodes(),
            Self::NextGroup(next) => next.size(),
            Self::Matrix(matrix) => matrix.size(node),
        }
    }

    /// Calls `visit` with every node that a node may send to, and the share of its messages
    /// that go there; in all 1, or 0 where nothing is sent.
    pub fn each_share(&self, node: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Uniform(reach) => reach.each_share(node, visit),
            Self::Permutation(to, _, own) => {
                let to = to[node] as usize;
                if to != node || *own == Own::Included {
                    visit(to, 1.0);
                }
            }
            Self::HotSpots(spots) => spots.each_share(node, visit),
            Self::NextGroup(next) => next.each_share(node, visit),
            Self::Matrix(matrix) => matrix.each_share(node, visit),
        }
    }
}
