//! Which way packets go: one file per algorithm, all of which are registered in `registry.rs`.
//!
//! Routing is a pure question: by which outputs may a packet leave a switch? Which of
//! several that are free it takes is the fabric's choice.
//!
//! An algorithm may tell several *classes* of a link's virtual channels apart. What it
//! answers with are *slots*: `port · classes + class`. What it has to remember of one
//! packet is a number the packet carries, its *route*.

mod adaptive;
mod algorithm;
mod ancestor;
mod base;
mod dal;
mod deflection;
pub mod dependency;
mod destination_tag;
mod detour;
mod dimension_order;
mod distances;
mod dragonfly;
mod ecmp;
mod escaping;
mod failed;
mod first_hop;
mod fixed;
mod grid;
mod groups;
mod hamiltonian;
mod header;
mod hop_classes;
mod hosts;
mod hyperx;
mod leaf_spine;
mod loads;
mod named;
mod nearer;
mod odd_even;
mod outputs;
mod parallel;
pub mod possible;
mod prepared;
mod profitable;
mod properties;
mod rails;
mod registry;
mod remaining;
mod remaining_tree;
mod ring_order;
mod source_routes;
mod spanning_tree;
mod table;
mod turn_model;
mod two_phase;
mod up_down;
#[cfg(test)]
mod walk;

use crate::error::SpecError;
use crate::spec::Machine;
use crate::topology::Topology;
use dependency::{Search, find_cycle};
pub use header::Header;
pub use loads::Loads;
pub use outputs::Outputs;
pub use prepared::Routing;
pub use properties::{Otherwise, Properties};

impl Routing {
    /// Prepares the algorithm of a machine.
    ///
    /// With fewer virtual channels than the algorithm has classes, all packets are in one
    /// class. Whether that can deadlock, or an algorithm that is not free of it by its own
    /// argument, is searched for ([`dependency`]), unless the machine allows deadlock. Classes are
    /// no way out where packets may stand behind others in a buffer ([`Machine::joins_queues`]):
    /// there the search is for circles of all channels.
    ///
    /// # Errors
    /// An algorithm the topology cannot have, too few or too many virtual channels, a
    /// routing that can deadlock.
    pub fn new(machine: &Machine, topology: &Topology, seed: u64) -> Result<Self, SpecError> {
        let (routing, doubt) = Self::prepare(machine, topology, seed)?;
        // All routes of a table to a node are one tree, which is walked much faster than all pairs.
        if let Some(doubt) = doubt
            && !machine.routing.allow_deadlock
            && !routing.is_free_table(topology)
        {
            routing.check(machine.routing.algorithm.name(), topology, doubt.remedy)?;
        }
        Ok(routing)
    }

    /// Whether the algorithm of a machine knows a way between all nodes of a topology.
    pub fn knows_ways(machine: &Machine, topology: &Topology, seed: u64) -> bool {
        Self::prepare(machine, topology, seed).is_ok()
    }

    /// Refuses a routing that can deadlock; `remedy`: what would do for certain, if anything.
    fn check(
        &self,
        name: &str,
        topology: &Topology,
        remedy: Option<String>,
    ) -> Result<(), SpecError> {
        let mut circle = Vec::new();
        let (what, needs) = match find_cycle(self, topology) {
            Search::Free => return Ok(()),
            Search::Cycle(cycle) => {
                circle = cycle.held();
                (format!("can deadlock: {cycle}"), remedy.unwrap_or("other routes".to_string()))
            }
            Search::TooLarge => {
                let what = "may deadlock, and the network is too large to find out";
                (what.to_string(), remedy.unwrap_or_default())
            }
        };
        let or = if needs.is_empty() { "" } else { ", or " };
        let allowed = format!("{what}; needs {needs}{or}allow_deadlock = true");
        Err(SpecError { circle, ..SpecError::new("machine.routing", name, allowed) })
    }
}
