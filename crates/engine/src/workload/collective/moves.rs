//! What members do in a round, and the words in which it is said.

use super::data::Data;

/// One message of one member: sent, or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The member it goes to, or comes from.
    pub peer: u32,
    /// What it carries.
    pub data: Data,
}

/// What one member sends and receives in one round: all is sent, then all is awaited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// What it sends, in this order.
    pub sends: Vec<Move>,
    /// What it receives, in any order.
    pub receives: Vec<Move>,
}

impl Moves {
    /// It sends something to a member.
    pub fn send(&mut self, peer: u32, data: Data) {
        self.sends.push(Move { peer, data });
    }

    /// It receives something from a member.
    pub fn receive(&mut self, peer: u32, data: Data) {
        self.receives.push(Move { peer, data });
    }
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the root, or to those who work for others.
    In,
    /// Back.
    Out,
}

/// What is passed along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// All of it.
    Whole,
    /// The blocks of those that it is for, or from.
    Blocks,
}

/// Which distances come first where these double or halve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// 1, 2, 4, …
    NearFirst,
    /// The largest first.
    FarFirst,
}

/// Who of two works for both, off powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// The first.
    Even,
    /// The second.
    Odd,
}
