//! Switches and output queues of nodes: who asks for which output, and who gets it.

pub mod observe;
pub mod policy;
pub mod selection;
pub mod switchboard;
