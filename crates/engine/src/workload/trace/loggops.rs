//! The `LogGOPS` machine: ranks with nothing but latency, overheads and gaps between them
//! [Hoefler, Schneider & Lumsdaine 2010].
//!
//! It says what the classic simulator of that model says, to the last tick, so its rules are that
//! one's, oddities included: what is after a computation is released when that begins, and queues
//! behind its CPU (what another CPU of the rank does waits until it is over: there the classic
//! simulator forgets it); a receiver pays the gap per byte on its CPU; a rendezvous has no latency back.
//! They are in `docs/model.md`. Dependencies and matching are those of ranks on any machine; nodes
//! and network have no part in it.

mod collectives;
mod messages;
mod order;

use super::machine::LogGops;
use super::machine::behind::Until;
use super::machine::events::Subject;
use super::machine::message::Message;
use super::operation::{Envelope, Operation, What};
use super::ranks::Ranks;
use crate::error::{RunError, SpecError};
use crate::ids::{MessageId, ProcessId, TeamId};
use crate::measure::Causes;
use crate::time::Time;
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

impl Ranks {
    /// What carries them out, if that is no network.
    pub fn loggops(&self) -> Option<&LogGops> {
        self.loggops.as_deref()
    }

    /// Goes on where there is no network, for so many events; how many of them are left. Why ranks go
    /// on is told to `causes`, if there are any.
    ///
    /// # Errors
    /// Collectives that do not agree.
    pub fn carry_on(
        &mut self,
        max_events: u64,
        causes: &mut Option<Box<Causes>>,
    ) -> Result<(Reached, u64), RunError> {
        let Some(mut machine) = self.loggops.take() else { return Ok((Reached::End, max_events)) };
        let count = self.dependencies.ranks();
        let reached = machine.watched(causes, count, |machine| machine.carry_on(self, max_events));
        self.loggops = Some(machine);
        reached
    }
}

impl LogGops {
    /// See [`Ranks::carry_on`].
    fn carry_on(&mut self, ranks: &mut Ranks, max_events: u64) -> Result<(Reached, u64), RunError> {
        if !std::mem::replace(&mut self.has_begun, true) {
            let count = ranks.dependencies.ranks();
            (0..count).for_each(|rank| ranks.feeding.wants(ProcessId(rank)));
            if let Some(watch) = &mut self.watch {
                watch.begins(count);
            }
        }
        self.behind.was_fed(&mut ranks.dependencies, self.now);
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
                if let Some(watch) = &mut self.watch {
                    watch.ends(ranks.dependencies.ranks());
                }
                return Ok((Reached::End, left));
            };
            left -= 1;
            self.now = at;
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
            self.behind.reach(cpu);
            self.sending.reach(nic);
            self.receiving.reach(nic);
            if let Some(watch) = &mut self.watch {
                watch.reach(cpu, nic);
            }
            let mut at = *self.cpus.of(rank, cpu);
            if matches!(what, What::Send(_)) {
                at = at.max(*self.sending.of(rank, nic));
            }
            if let Some(until) = self.behind.of(rank, number) {
                at = at.max(until.at);
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
        let behind = self.behind.of(rank, number);
        let duration = match operation.what {
            What::Send(envelope) => {
                return Ok(self.sends(ranks, (rank, number), operation, envelope, at));
            }
            What::Receive(filter) => {
                self.begun(ranks, rank, (number, operation.cpu), at);
                if let Some(id) = ranks.matching.posts(rank, filter, number) {
                    let id = MessageId(id);
                    let message = self.messages.remove(id);
                    // The clocks are those of the receive's numbers.
                    let Operation { cpu, nic, .. } = operation;
                    let stands = behind.filter(|until| until.at == at).map_or(cpu, |of| of.cpu);
                    let taken = self.watch.as_mut().map(|watch| watch.takes((rank, stands), at));
                    self.frees_sender(ranks, id, &Message { cpu, nic, ..message }, (at, taken));
                    let until = Until { cpu: message.cpu, at: message.taken_in.max(at) };
                    self.done(ranks, rank, number, until);
                }
                return Ok(None);
            }
            What::Collective(_) => {
                self.follows((rank, 0), behind);
                self.begun(ranks, rank, (number, operation.cpu), at);
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
        self.follows((rank, operation.cpu), behind);
        if let Some(watch) = &mut self.watch {
            watch.computes((rank, operation.cpu), (at, at + duration), operation.call);
        }
        self.begun(ranks, rank, (number, operation.cpu), at);
        self.done(ranks, rank, number, Until { cpu: operation.cpu, at: at + duration });
        Ok(None)
    }

    /// What a CPU does next stands behind what another one of its rank did, if that was longer.
    fn follows(&mut self, (rank, cpu): (u32, u8), behind: Option<Until>) {
        if let (Some(watch), Some(behind)) = (&mut self.watch, behind) {
            watch.follows((rank, cpu), behind);
        }
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
        let behind = self.behind.of(rank, number);
        self.follows((rank, cpu), behind);
        self.begun(ranks, rank, (number, cpu), at);
        let team = TeamId::NONE;
        let message = Message { from: rank, envelope, number, cpu, nic, taken_in: 0, team };
        self.sets_out(at, message, operation.call);
        if envelope.bytes <= self.law.eager_bytes {
            let until = Until { cpu, at: *self.cpus.of(rank, cpu) };
            self.done(ranks, rank, number, until);
        }
        None
    }

    /// An operation begins at a time, on a CPU.
    fn begun(&mut self, ranks: &mut Ranks, rank: u32, (number, cpu): (u32, u8), at: Time) {
        self.behind.begins(rank, number);
        let until = Until { cpu, at };
        self.behind.holds_up(&ranks.dependencies, (rank, number), until, true);
        ranks.dependencies.begun(rank, number, &mut self.ready);
        self.released.extend(self.ready.drain(..).map(|number| (rank, number)));
        if ranks.dependencies.wants(rank) {
            ranks.feeding.wants(ProcessId(rank));
        }
    }

    /// An operation is done, as far as those behind it go that a CPU does; those that others do wait
    /// until that is through with it.
    fn done(&mut self, ranks: &mut Ranks, rank: u32, number: u32, until: Until) {
        self.behind.holds_up(&ranks.dependencies, (rank, number), until, false);
        ranks.dependencies.done(rank, number, &mut self.ready);
        self.released.extend(self.ready.drain(..).map(|number| (rank, number)));
    }
}
