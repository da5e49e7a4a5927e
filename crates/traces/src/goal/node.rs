//! Operations of GOAL, as they are kept until they are asked for.

use crate::graph;
use tailback_engine::workload::trace::{Envelope, Filter, Operation, What};

/// What an operation of a graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Compute for so many nanoseconds.
    Compute,
    /// Send to a peer.
    Send,
    /// Receive from a peer.
    Receive,
}

/// An operation: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Nanoseconds, or bytes.
    pub amount: u64,
    /// The other rank; of a receive perhaps [`ANY`].
    pub peer: u32,
    /// The tag; of a receive perhaps [`ANY`].
    pub tag: u32,
    /// What it is.
    pub kind: Kind,
    /// The CPU that carries it out.
    pub cpu: u8,
    /// The network interface.
    pub nic: u8,
}

/// Any rank, or any tag.
pub const ANY: u32 = u32::MAX;

impl Node {
    fn what(self) -> What {
        let bytes = self.amount;
        let given = |number: u32| (number != ANY).then_some(number);
        match self.kind {
            Kind::Compute => What::Compute(self.amount.saturating_mul(1000)),
            Kind::Send => What::Send(Envelope { to: self.peer, bytes, tag: self.tag, context: 0 }),
            Kind::Receive => {
                What::Receive(Filter { from: given(self.peer), tag: given(self.tag), context: 0 })
            }
        }
    }
}

impl graph::Node for Node {
    fn operation(self, after: u32) -> Operation {
        Operation { cpu: self.cpu, nic: self.nic, ..Operation::new(self.what(), after) }
    }

    fn expected(self) -> Option<u64> {
        (self.kind == Kind::Receive).then_some(self.amount)
    }
}
