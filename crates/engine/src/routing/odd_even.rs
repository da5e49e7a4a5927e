//! The odd-even turn model on two-dimensional meshes [Chiu 2000].
//!
//! In even columns (of even coordinate x) no packet turns from east to north or south; in
//! odd columns none turns from north or south to west. Minimal: the algorithm ROUTE there,
//! which also sees to it that no packet comes to a place from which all shorter ways are
//! forbidden.
//!
//! Free of deadlock: the rightmost column of a cycle of waiting packets would need, in
//! its corners, a turn from east and one to west, which no column allows both. Ways are
//! spread more evenly than by west first.

use super::algorithm::Algorithm;
use super::grid::Grid;
use super::header::Header;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;
use std::cmp::Ordering;

/// Odd-even routing for one mesh.
pub struct OddEven {
    grid: Grid,
}

const WEST: usize = 0;
const EAST: usize = 1;

impl OddEven {
    /// Prepares routing on a mesh of two dimensions.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let grid = Grid::open(name, topology)?;
        if grid.lines.len() != 2 {
            let allowed = "needs a mesh of two dimensions";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        Ok(Self { grid })
    }
}

impl Algorithm for OddEven {
    fn properties(&self) -> Properties {
        Properties::choosing(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let (here, there) = self.grid.ends(switch, header.destination);
        let [x, y] = [self.grid.lines[0], self.grid.lines[1]];
        let (column, target) = (x.of(here), x.of(there));
        let begun = x.of(self.grid.of_node(header.source));
        let vertical = match y.of(there).cmp(&y.of(here)) {
            Ordering::Less => Some(2),
            Ordering::Equal => None,
            Ordering::Greater => Some(3),
        };
        let may_turn = match target.cmp(&column) {
            Ordering::Equal => true,
            Ordering::Greater => column % 2 == 1 || column == begun,
            Ordering::Less => column % 2 == 0,
        };
        match target.cmp(&column) {
            Ordering::Greater if vertical.is_none() || target % 2 == 1 || target - column > 1 => {
                allow(EAST, 0);
            }
            Ordering::Less => allow(WEST, 0),
            _ => {}
        }
        if let (true, Some(port)) = (may_turn, vertical) {
            allow(port, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing, sides};
    use crate::spec::{RoutingSpec, TopologySpec};

    #[test]
    fn random_meshes_have_no_circle_of_channels() {
        let mut random = cases(5);
        for _ in 0..200 {
            let mesh = TopologySpec::Mesh { dims: sides(&mut random, 2, 64) };
            let topology = Topology::new(&mesh).unwrap();
            let routing = routing(&mesh, &RoutingSpec::OddEven, 1);
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    /// Chiu's two rules, for every hop that may follow another.
    #[test]
    fn turns_depend_on_the_column() {
        use crate::ids::NodeId;
        let mesh = TopologySpec::Mesh { dims: vec![6, 5] };
        let topology = Topology::new(&mesh).unwrap();
        let routing = routing(&mesh, &RoutingSpec::OddEven, 1);
        let mut outputs = crate::routing::Outputs::default();
        for pair in 0..30 * 30 {
            let (source, destination) = (NodeId(pair / 30), NodeId(pair % 30));
            let header = Header { source, destination, route: 0, traffic: 0 };
            let mut open = vec![(SwitchId(source.0), None)];
            while let Some((at, came_by)) = open.pop() {
                outputs.clear();
                routing.outputs(at, header, &mut outputs);
                for (port, _) in outputs.iter() {
                    let is_odd = at.0 % 6 % 2 == 1;
                    assert!(is_odd || came_by != Some(EAST) || port < 2, "{header:?} at {at:?}");
                    let turns_west = came_by.is_some_and(|port| port >= 2) && port == WEST;
                    assert!(!(is_odd && turns_west), "{header:?} at {at:?}");
                    open.push((topology.neighbour(at, port), Some(port)));
                }
            }
        }
    }

    #[test]
    fn two_dimensions_are_needed() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 3, 3] };
        assert_eq!(
            refusal(&mesh, &RoutingSpec::OddEven, 1),
            "machine.routing = odd_even: needs a mesh of two dimensions"
        );
    }
}
