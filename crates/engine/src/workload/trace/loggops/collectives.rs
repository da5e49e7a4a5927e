//! Collectives of ranks: each rank carries out one at a time, by messages like any others.

use crate::error::SpecError;
use crate::ids::{ProcessId, TeamId};
use crate::time::Time;
use crate::workload::collective::Next;
use crate::workload::instruction::Op;
use crate::workload::trace::machine::LogGops;
use crate::workload::trace::machine::behind::Until;
use crate::workload::trace::machine::events::Subject;
use crate::workload::trace::machine::message::Message;
use crate::workload::trace::ranks::Ranks;

impl LogGops {
    /// An operation that is a collective has begun.
    pub(super) fn joins(
        &mut self,
        ranks: &mut Ranks,
        (rank, number): (u32, u32),
        at: Time,
    ) -> Result<(), SpecError> {
        let queue = &mut self.members[rank as usize].queue;
        queue.push_back(number);
        if queue.len() == 1 { self.begins_together(ranks, rank, at) } else { Ok(()) }
    }

    /// A rank begins with the first collective of its queue.
    fn begins_together(&mut self, ranks: &mut Ranks, rank: u32, at: Time) -> Result<(), SpecError> {
        let Some(&number) = self.members[rank as usize].queue.front() else {
            return Ok(());
        };
        ranks.joins(ProcessId(rank), number)?;
        self.goes_on_together(ranks, rank, at)
    }

    /// A rank in a collective goes on until it waits.
    fn goes_on_together(
        &mut self,
        ranks: &mut Ranks,
        rank: u32,
        at: Time,
    ) -> Result<(), SpecError> {
        loop {
            match ranks.collectives.next(ProcessId(rank)) {
                Next::Do(Op::Send(send)) => {
                    self.members[rank as usize].sends.push_back(send);
                    let free = (*self.cpus.of(rank, 0)).max(*self.sending.of(rank, 0));
                    self.events.post(free.max(at), Subject::Part(rank));
                }
                Next::Do(Op::Compute(time)) => {
                    let free = *self.cpus.of(rank, 0);
                    self.events.post(free.max(at), Subject::Adding(rank, time));
                    return Ok(());
                }
                Next::Do(Op::Meet) => self.meets(ranks, rank, at),
                Next::Do(_) | Next::Waits => return Ok(()),
                Next::Over => {
                    let queue = &mut self.members[rank as usize].queue;
                    if let Some(number) = queue.pop_front() {
                        self.done(ranks, rank, number, Until { cpu: 0, at });
                    }
                    return self.begins_together(ranks, rank, at);
                }
            }
        }
    }

    /// A rank meets others: once the last has come, and after the price, all go on.
    fn meets(&mut self, ranks: &mut Ranks, rank: u32, at: Time) {
        let all = &mut ranks.collectives;
        let Some((members, price)) = all.meets(ProcessId(rank)) else { return };
        if let Some(watch) = &mut self.watch {
            watch.meets(rank, at, &members, price);
        }
        for &member in members.iter() {
            all.leaves_at(ProcessId(member), at + price);
            self.events.post(at + price, Subject::Leaving(member));
        }
    }

    /// A rank leaves others it has met: its CPU was theirs until now.
    pub(super) fn leaves(
        &mut self,
        ranks: &mut Ranks,
        rank: u32,
        at: Time,
    ) -> Result<(), SpecError> {
        if !ranks.collectives.leaves(ProcessId(rank), at) {
            return Ok(());
        }
        let cpu = self.cpus.of(rank, 0);
        *cpu = (*cpu).max(at);
        if let Some(watch) = &mut self.watch {
            watch.leaves(rank);
        }
        self.goes_on_together(ranks, rank, at)
    }

    /// A rank sends the next message of its collective, if its clocks are free; else when they are.
    pub(super) fn sends_part(
        &mut self,
        ranks: &mut Ranks,
        rank: u32,
        at: Time,
    ) -> Result<Option<Time>, SpecError> {
        let Some(&send) = self.members[rank as usize].sends.front() else {
            return Ok(None);
        };
        let free = (*self.cpus.of(rank, 0)).max(*self.sending.of(rank, 0));
        if free > at {
            return Ok(Some(free));
        }
        self.members[rank as usize].sends.pop_front();
        let call = self.call_of_collective(ranks, rank);
        self.sets_out(at, Message::of_collective(rank, &send), call);
        if ranks.collectives.acknowledged(ProcessId(rank)) {
            self.goes_on_together(ranks, rank, at)?;
        }
        Ok(None)
    }

    /// Where in the program the collective is that a rank carries out, if somebody wants to know.
    fn call_of_collective(&self, ranks: &Ranks, rank: u32) -> u32 {
        if self.watch.is_none() {
            return u32::MAX;
        }
        let number = self.members[rank as usize].queue.front();
        number.map_or(u32::MAX, |&number| ranks.dependencies.operation(rank, number).call)
    }

    /// A rank adds what has come, if its CPU is free; else when it is.
    pub(super) fn adds(
        &mut self,
        ranks: &mut Ranks,
        (rank, time): (u32, Time),
        at: Time,
    ) -> Result<Option<Time>, SpecError> {
        let cpu = self.cpus.of(rank, 0);
        if *cpu > at {
            return Ok(Some(*cpu));
        }
        *cpu = at + time;
        let call = self.call_of_collective(ranks, rank);
        if let Some(watch) = &mut self.watch {
            watch.computes((rank, 0), (at, at + time), call);
        }
        ranks.collectives.computed(ProcessId(rank));
        self.goes_on_together(ranks, rank, at)?;
        Ok(None)
    }

    /// A message of a collective is there.
    pub(super) fn receives_part(
        &mut self,
        ranks: &mut Ranks,
        (rank, team, tag): (u32, TeamId, u32),
        at: Time,
    ) -> Result<(), SpecError> {
        if ranks.collectives.received(ProcessId(rank), team, tag) {
            return self.goes_on_together(ranks, rank, at);
        }
        Ok(())
    }
}
