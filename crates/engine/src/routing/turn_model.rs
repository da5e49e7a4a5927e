//! Turn models: some directions before all others [Glass & Ni 1992].
//!
//! A packet that has to descend in any of certain dimensions does so first, in any order
//! of them; then it goes any way that is nearer. What is forbidden are the turns back into
//! those directions.
//!
//! * *west first*: all dimensions but the last; in two dimensions, the first ("west").
//!   In more it is called all-but-one-negative-first.
//! * *negative first*: all dimensions.
//!
//! Free of deadlock on open grids: nobody turns back into the first directions. Along them
//! coordinates only fall. Along the others those of the dimensions descended first never
//! fall, so that a circle would stay on one line of the last dimension, where nobody turns
//! round. Minimal.

use super::algorithm::Algorithm;
use super::grid::Grid;
use super::header::Header;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// In which dimensions packets descend before they go anywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// In all but the last.
    AllButLast,
    /// In all.
    All,
}

/// A turn model for one open grid.
pub struct TurnModel {
    grid: Grid,
    /// Ports below it are in the dimensions descended first.
    bound: usize,
}

impl TurnModel {
    /// Prepares routing on an open grid.
    pub fn new(name: &str, first: First, topology: &Topology) -> Result<Self, SpecError> {
        let grid = Grid::open(name, topology)?;
        let dimensions = grid.lines.len();
        let first = match first {
            First::AllButLast => dimensions.saturating_sub(1),
            First::All => dimensions,
        };
        Ok(Self { grid, bound: 2 * first })
    }
}

impl Algorithm for TurnModel {
    fn properties(&self) -> Properties {
        Properties::choosing(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let (here, there) = self.grid.ends(switch, header.destination);
        let mut descends = false;
        self.grid.each_profitable(here, there, |port| {
            if port % 2 == 0 && port < self.bound {
                descends = true;
                allow(port, 0);
            }
        });
        if !descends {
            self.grid.each_profitable(here, there, |port| allow(port, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::routing::Outputs;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_meshes_have_no_circle_of_channels() {
        let mut random = cases(4);
        for case in 0..210 {
            let mesh = TopologySpec::Mesh { dims: sides(&mut random, 1 + case % 3, 40) };
            let topology = Topology::new(&mesh).unwrap();
            for spec in [RoutingSpec::WestFirst, RoutingSpec::NegativeFirst] {
                let routing = routing(&mesh, &spec, 1);
                check_ways(&topology, &routing, Promise::Minimal);
                check_free(&topology, &routing);
            }
        }
    }

    #[test]
    fn forbidden_turns_are_not_offered() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        let ports = |spec: &RoutingSpec, from, to| {
            let mut outputs = Outputs::default();
            let header =
                Header { source: NodeId(from), destination: NodeId(to), route: 0, traffic: 0 };
            routing(&mesh, spec, 1).outputs(SwitchId(from), header, &mut outputs);
            outputs.iter().map(|(slot, _)| slot).collect::<Vec<_>>()
        };
        // From (1, 1) to the four corners: west, east, south, north are ports 0 to 3.
        let (west, negative) = (RoutingSpec::WestFirst, RoutingSpec::NegativeFirst);
        assert_eq!(
            [0, 3, 12, 15].map(|to| ports(&west, 5, to)),
            [vec![0], vec![1, 2], vec![0], vec![1, 3]]
        );
        assert_eq!(
            [0, 3, 12, 15].map(|to| ports(&negative, 5, to)),
            [vec![0, 2], vec![2], vec![0], vec![1, 3]]
        );
    }

    #[test]
    fn rings_are_refused() {
        let torus = TopologySpec::Torus { dims: vec![4, 4] };
        assert_eq!(
            refusal(&torus, &RoutingSpec::WestFirst, 4),
            "machine.routing = west_first: needs a mesh: on the rings of a torus it can deadlock"
        );
    }
}
