//! Switches and output queues of nodes: who asks for which output, and who gets it.

pub mod allocate;
pub mod arbiter;
pub mod records;
pub mod selection;
pub mod switchboard;
pub mod weighing;
