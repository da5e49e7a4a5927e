//! How messages cross the machine.

use crate::spec::{Local, Machine, Mode};

/// How a message crosses the machine, and how its sender knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Without packets and at once: to the same node, or in mode `ideal`.
    Direct,
    /// In packets, each acknowledged by a packet as soon as its header has arrived.
    Acknowledged,
    /// In packets, of which the sender knows at no cost when they have arrived.
    Unacknowledged,
    /// The same; that the first data bytes of a packet have arrived is known before it has.
    Streaming,
}

impl Protocol {
    /// That of messages from node to node.
    pub fn new(machine: &Machine, mode: Mode) -> Self {
        match mode {
            Mode::Ideal => Self::Direct,
            _ if machine.interface.acknowledges => Self::Acknowledged,
            _ if machine.interface.early_bytes > 0 => Self::Streaming,
            _ => Self::Unacknowledged,
        }
    }

    /// That of messages of a node to itself.
    pub fn of_local(machine: &Machine, mode: Mode) -> Self {
        match machine.interface.local {
            Local::Memory => Self::Direct,
            Local::Switch => Self::new(machine, mode),
        }
    }
}
