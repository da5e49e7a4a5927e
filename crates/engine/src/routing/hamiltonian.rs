//! Label-based routing along a Hamiltonian path [Lin et al. 1994].
//!
//! A path through all switches of a mesh or hypercube, back and forth line by line, labels them in
//! its order. A packet goes to the neighbour with the label nearest to that of its destination
//! which is not beyond it: up all the way, or down all the way.
//!
//! Free of deadlock without classes: links to higher labels and links to lower ones are two networks.
//! No packet uses both, and in neither can a way return to where it has been. In two dimensions
//! ways are the shortest; in more they may be longer, since labels alone decide.

use super::algorithm::Algorithm;
use super::grid::Grid;
use super::header::Header;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::Topology;

/// Label-based routing for one mesh.
pub struct Hamiltonian {
    /// By switch: its place in the path.
    labels: Vec<u32>,
    /// By node: that of its switch.
    targets: Vec<u32>,
    /// By switch: its links, ports and the labels they lead to, those to lower labels first.
    links: Vec<Vec<(u32, usize)>>,
}

impl Hamiltonian {
    /// Prepares routing on a mesh or hypercube.
    ///
    /// # Errors
    /// A topology that is no grid; a torus with rings; a link of the path that has failed.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Grid::open(name, topology)?;
        let switches = || (0..topology.switches).map(SwitchId::from_index);
        let labels: Vec<u32> =
            switches().map(|switch| label(&topology.place(switch), &topology.dims)).collect();
        let around = |switch| {
            let ends = topology.links(switch).map(|(port, to)| (labels[to.index()], port));
            let mut links: Vec<(u32, usize)> = ends.collect();
            links.sort_unstable();
            links
        };
        let links: Vec<Vec<(u32, usize)>> = switches().map(around).collect();
        let last = topology.switches as u32 - 1;
        let is_cut = |switch: &SwitchId| {
            let label = labels[switch.index()];
            let goes_on = links[switch.index()].iter().any(|&(next, _)| next == label + 1);
            label < last && !goes_on
        };
        if let Some(switch) = switches().find(is_cut) {
            let allowed = format!(
                "needs every link of its path, and that from switch {} to the next label has failed; \
                 use minimal_adaptive, hop_classes or up_down",
                switch.0
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let homes = topology.attachments.iter().filter_map(|at| at.leaves());
        Ok(Self { targets: homes.map(|home| labels[home.index()]).collect(), links, labels })
    }
}

/// The place of a switch in the path that goes back and forth along dimension 0, then one on along
/// dimension 1, and so on: the last dimension weighs most.
fn label(place: &[u32], dims: &[u32]) -> u32 {
    place.iter().zip(dims).rev().fold(0, |label, (&at, &side)| {
        // Odd lines are gone through backwards.
        label * side + if label % 2 == 0 { at } else { side - 1 - at }
    })
}

impl Algorithm for Hamiltonian {
    fn properties(&self) -> Properties {
        Properties::one_way(true)
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let (here, there) = (self.labels[switch.index()], self.targets[header.destination.index()]);
        let links = &self.links[switch.index()];
        // A neighbour on the path is always between, whatever other links have failed.
        let found = if here < there {
            links.iter().rev().find(|(label, _)| (here + 1..=there).contains(label))
        } else {
            links.iter().find(|(label, _)| (there..here).contains(label))
        };
        if let Some(&(_, port)) = found {
            allow(port, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing, sides};
    use crate::spec::{FailedLink, RoutingSpec, TopologySpec};

    #[test]
    fn random_meshes_have_no_circle_of_channels() {
        let mut random = cases(8);
        for case in 0..200 {
            let dimensions = 1 + case % 3;
            let mesh = TopologySpec::Mesh { dims: sides(&mut random, dimensions, 64) };
            let topology = Topology::new(&mesh).unwrap();
            let routing = routing(&mesh, &RoutingSpec::Hamiltonian, 1);
            let promise = if dimensions < 3 { Promise::Minimal } else { Promise::Arrives };
            check_ways(&topology, &routing, promise);
            check_free(&topology, &routing);
        }
    }

    /// From 100 to 001 a packet goes by 110, 010 and 011, whose labels are nearer to the last.
    #[test]
    fn ways_on_hypercubes_may_be_longer() {
        for (dimensions, longest) in [(1, 1), (2, 2), (3, 4), (4, 6), (5, 8)] {
            let cube = TopologySpec::Hypercube { dimensions };
            let topology = Topology::new(&cube).unwrap();
            let routing = routing(&cube, &RoutingSpec::Hamiltonian, 1);
            assert_eq!(check_ways(&topology, &routing, Promise::Arrives), longest);
            check_free(&topology, &routing);
        }
    }

    /// Every label once, each next to the one before: a Hamiltonian path.
    #[test]
    fn labels_are_a_path_through_all_switches() {
        let mut random = cases(9);
        for case in 0..50 {
            let dims = sides(&mut random, 1 + case % 4, 200);
            let topology = Topology::new(&TopologySpec::Mesh { dims }).unwrap();
            let made = Hamiltonian::new("hamiltonian", &topology).unwrap();
            let mut path = vec![usize::MAX; topology.switches];
            for (switch, &label) in made.labels.iter().enumerate() {
                path[label as usize] = switch;
            }
            for pair in path.windows(2) {
                let mut links = topology.links(SwitchId::from_index(pair[0]));
                assert!(links.any(|(_, to)| to.index() == pair[1]));
            }
        }
        // The mesh of 4 by 3 of the paper.
        let place = |y| [0, 1, 2, 3].map(|x| label(&[x, y], &[4, 3]));
        assert_eq!([place(0), place(1), place(2)], [[0, 1, 2, 3], [7, 6, 5, 4], [8, 9, 10, 11]]);
    }

    #[test]
    fn links_off_the_path_may_fail() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
        // Switch 0 and 3 have labels 0 and 5; 2 and 5 have 2 and 3.
        let failing = |from, to| mesh.clone().failing(vec![FailedLink::Between(from, to)], 0, 1);
        let topology = Topology::new(&failing(0, 3)).unwrap();
        let made = routing(&failing(0, 3), &RoutingSpec::Hamiltonian, 1);
        check_ways(&topology, &made, Promise::Arrives);
        check_free(&topology, &made);
        let cut = refusal(&failing(2, 5), &RoutingSpec::Hamiltonian, 1);
        assert!(cut.contains("from switch 2 to the next label has failed"), "{cut}");
    }

    #[test]
    fn other_topologies_are_refused() {
        let torus = TopologySpec::Torus { dims: vec![4, 4] };
        assert!(refusal(&torus, &RoutingSpec::Hamiltonian, 1).contains("needs a mesh"));
        let star = TopologySpec::FullyConnected { switches: 3, nodes_per_switch: 1 };
        assert!(refusal(&star, &RoutingSpec::Hamiltonian, 1).contains("with dimensions"));
    }
}
