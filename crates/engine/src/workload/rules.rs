//! What a machine says to workloads.

use crate::spec;

/// What the machine says of collectives and nodes.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    pub collectives: &'a spec::Collectives,
    /// What is no messages costs nothing, nor what stays within a node.
    pub is_free: bool,
    /// Messages cost something in software.
    pub has_costs: bool,
    /// How messages of a node to itself are delivered.
    pub local: spec::Local,
    /// Instead of nodes and a network.
    pub loggops: Option<spec::LogGops>,
}
