//! What routing knows of a packet.

use crate::ids::NodeId;

/// What routing knows of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where it comes from.
    pub source: NodeId,
    /// Where it goes.
    pub destination: NodeId,
    /// What its routing algorithm has to remember of it.
    pub route: u32,
    /// Its traffic class. Algorithms do not look at it: it says which virtual channels of those
    /// they name are the packet's ([`crate::fabric::Wiring`]).
    pub traffic: u8,
}
