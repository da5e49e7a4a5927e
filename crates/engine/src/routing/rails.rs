//! Minimal routing between islands of accelerators [Wang et al. 2024].
//!
//! A packet for another island goes to the accelerator of its own that has the place of its
//! destination, unless it is on the same rail already, and over that rail; one for the same island
//! directly.
//!
//! Free of deadlock with one class: every hop is of the next kind, within the island, up to a rail,
//! down from it. Minimal.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Family, Topology};

/// Minimal routing for some islands.
pub struct Rails {
    /// Accelerators of an island.
    n: usize,
    islands: usize,
    rails: usize,
}

impl Rails {
    /// Prepares routing on islands.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let Family::Islands { accelerators, islands, rails } = topology.family else {
            return Err(SpecError::new("machine.routing", name, "needs islands"));
        };
        let [n, islands, rails] = [accelerators, islands, rails].map(|one| one as usize);
        Ok(Self { n, islands, rails })
    }

    /// The port by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, destination: NodeId) -> Option<usize> {
        let (at, to) = (switch.index(), destination.index());
        let (island, place) = (to / self.n, to % self.n);
        if at == to {
            None
        } else if at >= self.islands * self.n {
            Some(island * (self.n / self.rails) + place / self.rails)
        } else if at / self.n == island || at % self.n % self.rails != place % self.rails {
            Some(place)
        } else {
            Some(self.n)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::routing::walk::{Promise, cases, check_free, check_ways, routing};
    use crate::spec::{RoutingSpec, TopologySpec};
    use crate::topology::Topology;

    #[test]
    fn random_islands_have_no_circle_of_channels() {
        let mut random = cases(74);
        for _ in 0..200 {
            let [rails, per_rail] = [4, 3].map(|most| 1 + random.below(most) as u32);
            let (accelerators, islands) = (rails * per_rail, 2 + random.below(4) as u32);
            let spec = TopologySpec::Islands { accelerators, islands, rails };
            let topology = Topology::new(&spec).unwrap();
            let minimal = routing(&spec, &RoutingSpec::Minimal, 1);
            let longest = check_ways(&topology, &minimal, Promise::Minimal);
            assert_eq!(longest, if rails > 1 { 3 } else { 2 });
            check_free(&topology, &minimal);
            if topology.nodes <= 20 {
                let two_phase = routing(&spec, &RoutingSpec::Valiant { order: vec![] }, 2);
                assert!(check_ways(&topology, &two_phase, Promise::Arrives) <= 6);
                check_free(&topology, &two_phase);
            }
        }
    }
}
