//! Whom a process may send to under the pattern `uniform`.

use super::pattern::{Own, grid};
use crate::error::SpecError;
use crate::ids::NodeId;
use crate::rng::Stream;
use crate::topology::Topology;

/// The processes within a radius of each process: a box of nodes, cut at the edges.
pub struct Reach {
    dims: Vec<u32>,
    radius: u32,
    per_node: usize,
    /// Whether every node is in every box: then a place is a number.
    is_everywhere: bool,
    /// Coordinates of every node, one after the other.
    coordinates: Vec<u32>,
    /// Per process: how many it may send to, and its own place among them if it is none itself.
    candidates: Vec<(u32, u32)>,
    own: Own,
}

impl Reach {
    /// All coordinates differ by at most `radius`; without coordinates, everybody.
    ///
    /// # Errors
    /// A radius without coordinates or beyond the network, or nobody to send to.
    pub fn new(
        topology: &Topology,
        radius: u32,
        per_node: u32,
        own: Own,
    ) -> Result<Self, SpecError> {
        let Some(dims) = grid(topology) else {
            if radius > 0 {
                let allowed = "must be left out: the machine has no coordinates";
                return Err(SpecError::new("workload.radius", radius, allowed));
            }
            return Ok(Self::everywhere(topology.nodes, per_node, own));
        };
        let largest = dims.iter().max().copied().unwrap_or(1) - 1;
        if radius > largest {
            return Err(SpecError::new(
                "workload.radius",
                radius,
                format!("must be at most {largest} (the largest dimension less one)"),
            ));
        }
        if radius == 0 && per_node == 1 && own == Own::Excluded {
            return Err(SpecError::new(
                "workload.radius",
                0,
                "leaves nobody to send to: must be at least 1, or have several processes per node",
            ));
        }
        let nodes = 0..topology.nodes;
        let coordinates = nodes.flat_map(|n| topology.coordinates(NodeId::from_index(n)));
        let coordinates = coordinates.collect();
        Ok(Self::boxes(dims.to_vec(), coordinates, radius, (per_node, own)))
    }

    /// All processes: one box, as if the nodes stood in a line.
    fn everywhere(nodes: usize, per_node: u32, own: Own) -> Self {
        let nodes = nodes as u32;
        Self::boxes(vec![nodes], (0..nodes).collect(), nodes - 1, (per_node, own))
    }

    fn boxes(
        dims: Vec<u32>,
        coordinates: Vec<u32>,
        radius: u32,
        (per_node, own): (u32, Own),
    ) -> Self {
        let nodes = coordinates.len() / dims.len();
        let mut reach = Self {
            is_everywhere: dims.iter().all(|&side| radius + 1 >= side),
            dims,
            radius,
            per_node: per_node as usize,
            coordinates,
            candidates: Vec::new(),
            own,
        };
        let processes = 0..nodes * per_node as usize;
        reach.candidates = processes.map(|process| reach.candidates_of(process)).collect();
        reach
    }

    fn candidates_of(&self, process: usize) -> (u32, u32) {
        let (node, local_place) = (process / self.per_node, process % self.per_node);
        let own = &self.coordinates[node * self.dims.len()..];
        let (mut index, mut size) = (0, 1);
        for ((low, length), &at) in self.sides(node).zip(own) {
            index += (at - low) as usize * size;
            size *= length as usize;
        }
        let all = (size * self.per_node) as u32;
        match self.own {
            Own::Excluded => (all - 1, (index * self.per_node + local_place) as u32),
            Own::Included => (all, all),
        }
    }

    /// First coordinate and number of coordinates of a node's box, by dimension.
    pub fn sides(&self, node: usize) -> impl Iterator<Item = (u32, u32)> + Clone {
        let own = &self.coordinates[node * self.dims.len()..];
        own.iter().zip(&self.dims).map(|(&at, &side)| {
            let low = at.saturating_sub(self.radius);
            let high = (at + self.radius).min(side - 1);
            (low, high - low + 1)
        })
    }

    /// The node at place `index` of a node's box, in order of node numbers.
    pub fn node_at(&self, node: usize, index: usize) -> usize {
        let (mut rest, mut stride, mut at) = (index as u32, 1, 0);
        for ((low, length), &side) in self.sides(node).zip(&self.dims) {
            at += (low + rest % length) * stride;
            rest /= length;
            stride *= side;
        }
        at as usize
    }

    /// Number of nodes in a node's box, itself included.
    pub fn size(&self, node: usize) -> usize {
        self.sides(node).map(|(_, length)| length as usize).product()
    }

    /// See [`super::Destinations::each_share`].
    pub fn each_share(&self, node: usize, mut visit: impl FnMut(usize, f64)) {
        let size = self.size(node);
        let excluded = usize::from(self.own == Own::Excluded);
        let candidates = (size * self.per_node - excluded) as f64;
        for index in 0..size {
            let to = self.node_at(node, index);
            let here = if to == node { excluded } else { 0 };
            visit(to, (self.per_node - here) as f64 / candidates);
        }
    }

    /// Draws a place among the processes in reach, uniform, the process itself excluded or not.
    #[inline]
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        let (candidates, own) = self.candidates[process];
        let drawn = stream.below(u64::from(candidates)) as u32;
        drawn + u32::from(drawn >= own)
    }

    /// The process at a place in the reach of another.
    pub fn process_at(&self, process: usize, place: u32) -> usize {
        let place = place as usize;
        if self.is_everywhere {
            return place;
        }
        if self.per_node == 1 {
            return self.node_at(process, place);
        }
        self.node_at(process / self.per_node, place / self.per_node) * self.per_node
            + place % self.per_node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::spec::TopologySpec;
    use std::collections::BTreeSet;

    #[test]
    fn exactly_the_processes_in_reach_are_drawn() {
        let topology = Topology::new(&TopologySpec::Mesh { dims: vec![5, 3, 2] }).unwrap();
        for (radius, per_node) in [(1, 1), (2, 3), (0, 2), (4, 1)] {
            let reach = Reach::new(&topology, radius, per_node, Own::Excluded).unwrap();
            for process in (0..topology.nodes * per_node as usize).step_by(4) {
                let mut stream = Stream::new(9, Purpose::Destination, process as u32);
                let drawn: BTreeSet<_> = (0..4_000)
                    .map(|_| reach.process_at(process, reach.draw(process, &mut stream)))
                    .collect();
                let own = topology.coordinates(NodeId::from_index(process / per_node as usize));
                let near = |other: &usize| {
                    let at = topology.coordinates(NodeId::from_index(other / per_node as usize));
                    *other != process && own.iter().zip(&at).all(|(a, b)| a.abs_diff(*b) <= radius)
                };
                let all = 0..topology.nodes * per_node as usize;
                assert_eq!(drawn, all.filter(near).collect());
            }
        }
    }

    #[test]
    fn impossible_radii_are_named() {
        let topology = Topology::new(&TopologySpec::Mesh { dims: vec![16, 4] }).unwrap();
        let error = Reach::new(&topology, 16, 1, Own::Excluded).err().unwrap();
        assert_eq!(
            error.to_string(),
            "workload.radius = 16: must be at most 15 (the largest dimension less one)"
        );
        assert!(Reach::new(&topology, 0, 1, Own::Excluded).is_err());
        let pair = Topology::new(&TopologySpec::Pair).unwrap();
        let error = Reach::new(&pair, 1, 1, Own::Excluded).err().unwrap();
        assert_eq!(
            error.to_string(),
            "workload.radius = 1: must be left out: the machine has no coordinates"
        );
    }

    #[test]
    fn without_coordinates_all_others_are_drawn() {
        let star = Topology::new(&TopologySpec::Star { nodes: 5 }).unwrap();
        for per_node in [1, 2] {
            let reach = Reach::new(&star, 0, per_node, Own::Excluded).unwrap();
            let all = 5 * per_node as usize;
            for process in 0..all {
                let mut stream = Stream::new(9, Purpose::Destination, process as u32);
                let drawn: BTreeSet<_> = (0..1_000)
                    .map(|_| reach.process_at(process, reach.draw(process, &mut stream)))
                    .collect();
                assert_eq!(drawn, (0..all).filter(|&other| other != process).collect());
                let with_own = Reach::new(&star, 0, per_node, Own::Included).unwrap();
                let places = (0..1_000).map(|_| with_own.draw(process, &mut stream) as usize);
                assert_eq!(places.collect::<BTreeSet<_>>(), (0..all).collect());
                let mut shares = 0.0;
                with_own.each_share(0, |_, share| shares += share);
                assert!((shares - 1.0_f64).abs() < 1e-12);
            }
        }
    }
}
