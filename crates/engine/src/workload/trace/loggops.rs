//! The `LogGOPS` machine: ranks with nothing but latency, overheads and gaps between them
//! [Hoefler, Schneider & Lumsdaine 2010].
//!
//! It says what the classic simulator of that model says, to the last tick, so its rules are that
//! one's, oddities included: what is after a computation is released when that begins, and queues
//! behind its CPU; a receiver pays the gap per byte on its CPU; a rendezvous has no latency back.
//! They are in `docs/model.md`. Dependencies and matching are those of ranks on any machine; nodes
//! and network have no part in it.

mod clocks;
mod collectives;
mod events;
mod order;

use super::operation::{Envelope, Operation, What};
use super::ranks::Ranks;
use crate::error::{RunError, SpecError};
use crate::ids::{MessageId, ProcessId, TeamId};
use crate::pool::Pool;
use crate::spec;
use crate::time::Time;
use crate::workload::Send;
use clocks::Clocks;
use collectives::Member;
use events::{Events, Subject};
use order::sort_by_class;

/// Why ranks do not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The number of events asked for has been handled.
    Events,
    /// Ranks want their next batches.
    Wants,
    /// All that can happen has happened.
    End,
}

/// A message on its way, or there and not taken.
#[derive(Clone, Copy)]
struct Message {
    from: u32,
    envelope: Envelope,
    /// The operation that sent it.
    number: u32,
    cpu: u8,
    nic: u8,
    /// The group whose collective it is part of; none: it is of no collective.
    team: TeamId,
}

impl Message {
    /// One of a collective.
    fn of_collective(from: u32, send: &Send) -> Self {
        let Send { to, tag, bytes, team, .. } = *send;
        let envelope = Envelope { to: to.0, bytes, tag, context: 0 };
        Self { from, envelope, number: u32::MAX, cpu: 0, nic: 0, team }
    }

    /// What its bytes but the first take, at so many femtoseconds each.
    #[inline]
    fn takes(&self, per_byte_fs: u64) -> Time {
        let bytes = u64::from(self.envelope.bytes.saturating_sub(1));
        (bytes * per_byte_fs + 500) / 1000
    }
}

impl Ranks {
    /// What carries them out, if that is no network.
    pub fn loggops(&self) -> Option<&LogGops> {
        self.loggops.as_deref()
    }

    /// Goes on where there is no network, for so many events; how many of them are left.
    ///
    /// # Errors
    /// Collectives that do not agree.
    pub fn carry_on(&mut self, max_events: u64) -> Result<(Reached, u64), RunError> {
        let Some(mut machine) = self.loggops.take() else { return Ok((Reached::End, max_events)) };
        let reached = machine.carry_on(self, max_events);
        self.loggops = Some(machine);
        reached
    }
}

/// What there is of such a machine besides its ranks.
pub struct LogGops {
    law: spec::LogGops,
    messages: Pool<MessageId, Message>,
    events: Events,
    /// By rank: when CPUs are free, and interfaces to send and to receive.
    cpus: Clocks,
    sending: Clocks,
    receiving: Clocks,
    /// Operations that may begin and are no events yet: rank, number.
    released: Vec<(u32, u32)>,
    ready: Vec<u32>,
    /// By rank: its part in collectives.
    members: Vec<Member>,
    /// Messages sent, and bytes.
    sent: (u64, u64),
    has_begun: bool,
}

impl LogGops {
    /// The machine, on which nothing has happened.
    pub fn new(law: spec::LogGops, ranks: u32) -> Self {
        Self {
            law,
            messages: Pool::default(),
            events: Events::default(),
            cpus: Clocks::new(ranks),
            sending: Clocks::new(ranks),
            receiving: Clocks::new(ranks),
            released: Vec::new(),
            ready: Vec::new(),
            members: (0..ranks).map(|_| Member::default()).collect(),
            sent: (0, 0),
            has_begun: false,
        }
    }

    /// When a rank is done: the latest of its CPUs' clocks.
    pub fn end_of(&self, rank: u32) -> Time {
        self.cpus.latest(rank)
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

    /// See [`Ranks::carry_on`].
    fn carry_on(&mut self, ranks: &mut Ranks, max_events: u64) -> Result<(Reached, u64), RunError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            (0..ranks.dependencies.ranks()).for_each(|rank| ranks.feeding.wants(ProcessId(rank)));
        }
        for process in ranks.take_fed().unwrap_or_default() {
            self.was_fed(ranks, process);
        }
        let mut left = max_events;
        loop {
            if !ranks.wanting().is_empty() {
                return Ok((Reached::Wants, left));
            }
            self.release(ranks);
            if left == 0 {
                return Ok((Reached::Events, left));
            }
            let Some((at, order, subject)) = self.events.next() else {
                return Ok((Reached::End, left));
            };
            left -= 1;
            let handled = self.handle(ranks, at, subject);
            let later = handled.map_err(|error| RunError::Refused { at, error })?;
            if let Some(later) = later {
                self.events.put_back(later, order, subject);
            }
        }
    }

    /// A rank has been told what comes next.
    fn was_fed(&mut self, ranks: &mut Ranks, process: ProcessId) {
        let ready = ranks.ranks[process.index()].ready.drain(..);
        self.released.extend(ready.map(|number| (process.0, number)));
    }

    /// Something happens, or else is to happen at another time.
    fn handle(
        &mut self,
        ranks: &mut Ranks,
        at: Time,
        subject: Subject,
    ) -> Result<Option<Time>, SpecError> {
        match subject {
            Subject::Operation(rank, number) => self.begins(ranks, (rank, number), at),
            Subject::Message(id) => self.arrives(ranks, id, at),
            Subject::Part(rank) => self.sends_part(ranks, rank, at),
            Subject::Adding(rank, time) => self.adds(ranks, (rank, time), at),
            Subject::Leaving(rank) => self.leaves(ranks, rank, at).map(|()| None),
        }
    }

    /// Posts what may begin: rank by rank, sends first, then receives, then the rest.
    fn release(&mut self, ranks: &Ranks) {
        let mut released = std::mem::take(&mut self.released);
        if released.len() > 1 {
            let class = |&(rank, number): &(u32, u32)| match ranks
                .dependencies
                .operation(rank, number)
                .what
            {
                What::Send(_) => 0,
                What::Receive(_) => 1,
                What::Compute(_) | What::Flops(_) | What::Join | What::Collective(_) => 2,
            };
            released.sort_by_key(|&(rank, _)| rank);
            for of_one in released.chunk_by_mut(|a, b| a.0 == b.0) {
                sort_by_class(of_one, class);
            }
        }
        for (rank, number) in released.drain(..) {
            let Operation { what, cpu, nic, .. } = ranks.dependencies.operation(rank, number);
            self.cpus.reach(cpu);
            self.sending.reach(nic);
            self.receiving.reach(nic);
            let mut at = *self.cpus.of(rank, cpu);
            if matches!(what, What::Send(_)) {
                at = at.max(*self.sending.of(rank, nic));
            }
            self.events.post(at, Subject::Operation(rank, number));
        }
        // Its place is used again.
        self.released = released;
    }

    /// An operation begins, if its clocks are free.
    fn begins(
        &mut self,
        ranks: &mut Ranks,
        (rank, number): (u32, u32),
        at: Time,
    ) -> Result<Option<Time>, SpecError> {
        let operation = ranks.dependencies.operation(rank, number);
        let duration = match operation.what {
            What::Send(envelope) => {
                return Ok(self.sends(ranks, (rank, number), operation, envelope, at));
            }
            What::Receive(filter) => {
                self.begun(ranks, rank, number);
                if let Some(id) = ranks.matching.posts(rank, filter, number) {
                    let message = self.messages.remove(MessageId(id));
                    // The clocks are those of the receive's numbers.
                    let Operation { cpu, nic, .. } = operation;
                    self.frees_sender(ranks, &Message { cpu, nic, ..message }, at);
                    self.done(ranks, rank, number);
                }
                return Ok(None);
            }
            What::Collective(_) => {
                self.begun(ranks, rank, number);
                return self.joins(ranks, (rank, number), at).map(|()| None);
            }
            What::Compute(time) => time,
            What::Flops(_) | What::Join => 0,
        };
        let cpu = self.cpus.of(rank, operation.cpu);
        if *cpu > at {
            return Ok(Some(*cpu));
        }
        *cpu = at + duration;
        self.begun(ranks, rank, number);
        self.done(ranks, rank, number);
        Ok(None)
    }

    /// A message is sent, if CPU and interface are free; else when they are.
    fn sends(
        &mut self,
        ranks: &mut Ranks,
        (rank, number): (u32, u32),
        operation: Operation,
        envelope: Envelope,
        at: Time,
    ) -> Option<Time> {
        let Operation { cpu, nic, .. } = operation;
        let free = (*self.cpus.of(rank, cpu)).max(*self.sending.of(rank, nic));
        if free > at {
            return Some(free);
        }
        self.begun(ranks, rank, number);
        self.sets_out(at, Message { from: rank, envelope, number, cpu, nic, team: TeamId::NONE });
        if envelope.bytes <= self.law.eager_bytes {
            self.done(ranks, rank, number);
        }
        None
    }

    /// A message is on its way: `o + (n-1) O` of the CPU, `g + (n-1) G` of the interface, and
    /// `o + L` to the receiver.
    fn sets_out(&mut self, at: Time, message: Message) {
        let Message { from, cpu, nic, .. } = message;
        let law = &self.law;
        *self.cpus.of(from, cpu) = at + law.overhead_ps + message.takes(law.overhead_per_byte_fs);
        *self.sending.of(from, nic) = at + law.gap_ps + message.takes(law.gap_per_byte_fs);
        self.sent = (self.sent.0 + 1, self.sent.1 + u64::from(message.envelope.bytes));
        let there = at + law.overhead_ps + law.latency_ps;
        let id = self.messages.insert(|_| message);
        self.events.post(there, Subject::Message(id));
    }

    /// A message is received, if CPU and interface of its receiver are free; else when they are.
    fn arrives(
        &mut self,
        ranks: &mut Ranks,
        id: MessageId,
        at: Time,
    ) -> Result<Option<Time>, SpecError> {
        let message = self.messages[id];
        let Message { from, envelope, cpu, nic, team, .. } = message;
        let to = envelope.to;
        let free = (*self.cpus.of(to, cpu)).max(*self.receiving.of(to, nic));
        if free > at {
            return Ok(Some(free));
        }
        let law = &self.law;
        let per_byte = law.gap_per_byte_fs.max(law.overhead_per_byte_fs);
        *self.cpus.of(to, cpu) = at + law.overhead_ps + message.takes(per_byte);
        *self.receiving.of(to, nic) = at + law.gap_ps + message.takes(law.gap_per_byte_fs);
        if team.is_some() {
            self.messages.remove(id);
            return self.receives_part(ranks, (to, team, envelope.tag), at).map(|()| None);
        }
        if let Some(receive) = ranks.matching.arrives(from, &envelope, id.0) {
            self.messages.remove(id);
            self.frees_sender(ranks, &message, at);
            self.done(ranks, to, receive);
        }
        Ok(None)
    }

    /// A message has been taken: if it was no eager one its sender goes on, from now.
    fn frees_sender(&mut self, ranks: &mut Ranks, message: &Message, at: Time) {
        let Message { from, envelope, number, cpu, nic, .. } = *message;
        if envelope.bytes <= self.law.eager_bytes {
            return;
        }
        for clock in [self.cpus.of(from, cpu), self.sending.of(from, nic)] {
            *clock = (*clock).max(at);
        }
        self.done(ranks, from, number);
    }

    fn begun(&mut self, ranks: &mut Ranks, rank: u32, number: u32) {
        ranks.dependencies.begun(rank, number, &mut self.ready);
        self.released.extend(self.ready.drain(..).map(|number| (rank, number)));
        if ranks.dependencies.wants(rank) {
            ranks.feeding.wants(ProcessId(rank));
        }
    }

    fn done(&mut self, ranks: &mut Ranks, rank: u32, number: u32) {
        ranks.dependencies.done(rank, number, &mut self.ready);
        self.released.extend(self.ready.drain(..).map(|number| (rank, number)));
    }
}
