//! The `LogGOPS` machine: its clocks, and the messages on it. What ranks do with it is in `loggops.rs`.

pub mod behind;
pub mod clocks;
pub mod events;
pub mod message;
pub mod watch;

use super::operation::Envelope;
use crate::ids::MessageId;
use crate::measure::Causes;
use crate::pool::Pool;
use crate::spec;
use crate::time::Time;
use crate::workload::instruction::Send;
use behind::Behind;
use clocks::Clocks;
use events::Events;
use message::Message;
use std::collections::VecDeque;
use watch::{Stands, Watch};

/// What there is of such a machine besides its ranks.
pub struct LogGops {
    pub(super) law: spec::LogGops,
    pub(super) messages: Pool<MessageId, Message>,
    pub(super) events: Events,
    /// By rank: when CPUs are free, and interfaces to send and to receive.
    pub(super) cpus: Clocks<Time>,
    pub(super) sending: Clocks<Time>,
    pub(super) receiving: Clocks<Time>,
    /// Operations that may begin and are no events yet: rank, number.
    pub(super) released: Vec<(u32, u32)>,
    pub(super) ready: Vec<u32>,
    /// What is behind something on another CPU.
    pub(super) behind: Behind,
    /// When what happened last did.
    pub(super) now: Time,
    /// By rank: its part in collectives.
    pub(super) members: Vec<Member>,
    /// Messages sent, and bytes.
    pub(super) sent: (u64, u64),
    pub(super) has_begun: bool,
    /// Why clocks are what they are, if that is kept: while ranks are carried out, and in between.
    pub(super) watch: Option<Box<Watch>>,
    pub(super) stands: Option<Stands>,
}

/// A rank, as far as collectives go.
#[derive(Default)]
pub struct Member {
    /// Operations that are collectives and have begun: the one under way, and those behind it.
    pub queue: VecDeque<u32>,
    /// What it sends, in this order.
    pub sends: VecDeque<Send>,
}

impl LogGops {
    /// The machine, on which nothing has happened.
    pub fn new(law: spec::LogGops, ranks: u32) -> Self {
        Self {
            law,
            messages: Pool::default(),
            events: Events::default(),
            cpus: Clocks::new(ranks, 0),
            sending: Clocks::new(ranks, 0),
            receiving: Clocks::new(ranks, 0),
            released: Vec::new(),
            ready: Vec::new(),
            behind: Behind::new(ranks),
            now: 0,
            members: (0..ranks).map(|_| Member::default()).collect(),
            sent: (0, 0),
            has_begun: false,
            watch: None,
            stands: None,
        }
    }

    /// When a rank is done: the latest of its CPUs' clocks.
    pub fn end_of(&self, rank: u32) -> Time {
        self.cpus.all(rank).iter().copied().max().unwrap_or(0)
    }

    /// Messages sent so far, and their bytes.
    pub fn sent(&self) -> (u64, u64) {
        self.sent
    }

    /// The sender of a message that nobody has taken, and what it is known by.
    pub fn untaken(&self, message: u32) -> (u32, Envelope) {
        let Message { from, envelope, .. } = self.messages[MessageId(message)];
        (from, envelope)
    }

    /// The operation that sent such a message, if its sender waits for it to be taken.
    pub fn holds_up(&self, message: u32) -> Option<u32> {
        let Message { envelope, number, .. } = self.messages[MessageId(message)];
        (envelope.bytes > self.law.eager_bytes).then_some(number)
    }

    /// Carries out with causes kept, if there are any, what is given: they are the caller's again
    /// when it is done.
    pub(super) fn watched<T>(
        &mut self,
        causes: &mut Option<Box<Causes>>,
        ranks: u32,
        carry_out: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.watch = causes.take().map(|causes| {
            let stands = self.stands.take().unwrap_or_else(|| Stands::new(ranks));
            Box::new(Watch { causes, stands })
        });
        let done = carry_out(self);
        if let Some(watch) = self.watch.take() {
            let Watch { causes: made, stands } = *watch;
            (*causes, self.stands) = (Some(made), Some(stands));
        }
        done
    }
}
