//! What a process tells its node to do, and what came of it.

use crate::ids::{LinkId, ProcessId, TeamId};
use crate::time::Time;
use std::sync::Arc;

/// An instruction to the node a process runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Use the processor for a time; the process waits until it has been computed.
    Compute(Time),
    /// The same, and from then on the process is ready for more messages: those that wait for it are offered
    /// as by [`Self::AcceptWaiting`].
    ComputeReady(Time),
    /// The same as [`Self::Compute`], by a process alone on its processor that until one of its messages
    /// is acknowledged will only go on computing and have its messages dropped: it
    /// need not be looked at until then ([`super::Workload::pass`]).
    ComputeSaturated(Time),
    /// Let the process go on after a time ([`super::Workload::rings`]); meanwhile it does other things.
    Timer(Timer),
    /// Send a message.
    Send(Send),
    /// Send a message to several processes ([`super::Workload::several`]).
    Multicast,
    /// Offer the messages that wait for this process to [`super::Workload::accepts`], oldest first.
    AcceptWaiting,
    /// Carry out what came from outside ([`super::External::take_command`]).
    Command,
    /// Meet the other members of a group ([`super::Workload::meets`]).
    Meet,
    /// Stop the run: what a process is to do does not agree with others ([`super::Workload::refused`]).
    Refuse,
}

/// A time that a process waits for while it does other things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// How long it is.
    pub after: Time,
    /// What the process knows it by.
    pub tag: u32,
    /// Whether a CPU of the process computes meanwhile.
    pub computes: bool,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The receiving process.
    pub to: ProcessId,
    /// What the receiver knows it by: an iteration, or a socket.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
    /// The virtual link it shares with other messages; [`LinkId::NONE`]: one of its own.
    pub link: LinkId,
    /// Whether the sender waits for this message's acknowledgement.
    pub blocking: bool,
    /// The group whose collective it is part of; [`TeamId::NONE`]: it is of no collective.
    pub team: TeamId,
    /// The traffic class that the network knows it by.
    pub traffic: u8,
}

/// A message to several processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// Who receives it, in order, counted from [`Send::to`] of `send`.
    pub to: Arc<[u32]>,
    /// All else of the message to each.
    pub send: Send,
}

/// What processes have done, apart from what the network sees of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Iterations completed.
    pub iterations: u64,
    /// Messages dropped by a throttle.
    pub dropped: u64,
}
