//! Kernels of machines of the source documents, kept exact: streams of DS-Links that stop and go, queues
//! at the outgoing channels of nodes that are their own switches, chaos routers, line cards in front of a
//! fabric of cells.

pub mod cells;
pub mod chaos;
pub mod stored;
pub mod stream;
