//! What has been prepared of messages, and leaves.

use crate::fabric::Packet;
use crate::ids::MessageId;
use crate::time::Time;
use std::collections::VecDeque;

/// What the software of a node does last with the message in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There is none.
    Free,
    /// It begins, or goes on, with a message.
    Begins(MessageId),
    /// It prepares a packet.
    Packet(MessageId),
    /// A packet leaves that is not the last of its message.
    Leaves(MessageId),
    /// The last packet of a message leaves: the message may be complete, and forgotten.
    LastLeaves,
    /// It finishes with a message.
    Ends,
}

/// Packets that have been prepared, and the one that leaves.
#[derive(Debug)]
pub struct Outlet {
    /// Prepared packets of messages of a traffic class; whether it is the message's first.
    pub ready: VecDeque<(Packet, u32, bool)>,
    pub state: State,
}

/// Whether the next packet may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The next packet may be sent.
    Clear,
    /// A packet of so many bytes leaves, which was handed over at an instant.
    Leaving { message: MessageId, is_last: bool, bytes: u32, since: Time },
    /// The next packet may start at an instant.
    Until(Time),
}

impl Outlet {
    /// Nothing to be sent.
    pub fn idle() -> Self {
        Self { ready: VecDeque::new(), state: State::Clear }
    }

    /// Whether every packet that has been prepared has left.
    pub fn has_left(&self) -> bool {
        self.ready.is_empty() && !matches!(self.state, State::Leaving { .. })
    }

    /// Data packets that have not been handed over.
    pub fn waiting(&self) -> usize {
        self.ready.len()
    }
}
