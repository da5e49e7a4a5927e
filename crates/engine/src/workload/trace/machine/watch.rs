//! Why ranks go on: on which instant each of their clocks stands.

use super::behind::Until;
use super::clocks::Clocks;
use super::message::Message;
use crate::ids::{InstantId, MessageId, ProcessId};
use crate::measure::Causes;
use crate::measure::causes::{Computed, Crossing, Opened};
use crate::spec;
use crate::time::Time;

/// On what clocks and messages stand.
pub struct Stands {
    cpus: Clocks<InstantId>,
    sending: Clocks<InstantId>,
    receiving: Clocks<InstantId>,
    /// By place of a message.
    messages: Vec<Option<Crossing>>,
    /// By rank: the instant at which it leaves others it has met.
    leaving: Vec<InstantId>,
}

impl Stands {
    /// Nothing has happened.
    pub fn new(ranks: u32) -> Self {
        let clocks = || Clocks::new(ranks, InstantId::NONE);
        Self {
            cpus: clocks(),
            sending: clocks(),
            receiving: clocks(),
            messages: Vec::new(),
            leaving: vec![InstantId::NONE; ranks as usize],
        }
    }
}

/// Watches ranks, while they are carried out.
pub struct Watch {
    /// What is made of it.
    pub causes: Box<Causes>,
    /// What it is made from.
    pub stands: Stands,
}

/// A message, and when the clocks are free again that it keeps busy.
#[derive(Clone, Copy)]
pub struct Busy {
    pub id: MessageId,
    pub at: Time,
    pub cpu_until: Time,
    pub nic_until: Time,
}

impl Watch {
    /// Ranks begin.
    pub fn begins(&mut self, ranks: u32) {
        for rank in 0..ranks {
            let start = self.causes.begins_at_once(ProcessId(rank));
            self.causes.replace(self.stands.cpus.of(rank, 0), start);
        }
    }

    /// Every rank has clocks of these numbers.
    pub fn reach(&mut self, cpu: u8, nic: u8) {
        self.stands.cpus.reach(cpu);
        self.stands.sending.reach(nic);
        self.stands.receiving.reach(nic);
    }

    /// What a CPU of a rank does next is behind what another one did, until then; unless it has been
    /// busy itself for as long.
    pub fn follows(&mut self, (rank, cpu): (u32, u8), behind: Until) {
        let own = *self.stands.cpus.of(rank, cpu);
        if behind.cpu == cpu || self.causes.at(own) >= behind.at {
            return;
        }
        let start = self.stands_at((rank, behind.cpu), behind.at);
        self.causes.needs(own, start);
        self.causes.replace(self.stands.cpus.of(rank, cpu), start);
    }

    /// A rank computes.
    pub fn computes(&mut self, (rank, cpu): (u32, u8), (at, until): (Time, Time), call: u32) {
        if until == at {
            return;
        }
        let computed = Computed { computing: until - at, call, ..Computed::default() };
        let start = self.stands_at((rank, cpu), at);
        let next = self.causes.works(ProcessId(rank), start, until, (computed, None));
        self.causes.replace(self.stands.cpus.of(rank, cpu), next);
        self.let_go(start);
    }

    /// A message sets out, which has a number and a place in the program.
    pub fn sends(&mut self, message: &Message, busy: Busy, (number, call): (u64, u32)) {
        let Busy { id, at, cpu_until, nic_until } = busy;
        let &Message { from, envelope, cpu, nic, .. } = message;
        let rank = ProcessId(from);
        let (of_cpu, of_nic) =
            (*self.stands.cpus.of(from, cpu), *self.stands.sending.of(from, nic));
        let start = if self.causes.at(of_cpu) < at && self.causes.at(of_nic) == at {
            self.causes.share(of_nic)
        } else {
            self.stands_at((from, cpu), at)
        };
        let causes = &mut self.causes;
        for clock in [of_cpu, of_nic] {
            causes.needs(clock, start);
        }
        causes.goes_on_at(rank, start);
        let sending = cpu_until - at;
        let with = Computed { sending, call, ..Computed::default() };
        let worked = causes.works(rank, start, cpu_until, (with, Some(number)));
        // What follows waits for the interface, as far as it is longer than the CPU at work.
        let sent = if nic_until >= cpu_until {
            causes.busy(rank, worked, nic_until, Computed::default())
        } else {
            let with = Computed { sending: nic_until - at, ..with };
            causes.busy(rank, start, nic_until, with)
        };
        let opened = Opened {
            number,
            from: rank,
            to: ProcessId(envelope.to),
            bytes: envelope.bytes,
            tag: envelope.tag,
            class: 0,
            call,
        };
        let crossing = causes.sets_out(&opened, start);
        causes.replace(self.stands.cpus.of(from, cpu), worked);
        causes.replace(self.stands.sending.of(from, nic), sent);
        let messages = &mut self.stands.messages;
        if messages.len() <= id.0 as usize {
            messages.resize(id.0 as usize + 1, None);
        }
        messages[id.0 as usize] = Some(crossing);
        self.let_go(start);
    }

    /// A message begins to be taken in: the instant, on which the caller stands.
    pub fn arrives(&mut self, message: &Message, busy: Busy, law: &spec::LogGops) -> InstantId {
        let Busy { id, at, cpu_until, nic_until } = busy;
        let &Message { envelope, cpu, nic, .. } = message;
        let to = envelope.to;
        let Some(crossing) = self.stands.messages[id.0 as usize] else { return InstantId::NONE };
        let (of_cpu, of_nic) = (*self.stands.cpus.of(to, cpu), *self.stands.receiving.of(to, nic));
        let causes = &mut self.causes;
        let came = causes.at(crossing.set_out) + law.overhead_ps + law.latency_ps;
        let is_own = causes.at(of_cpu) == at && !causes.has_received(of_cpu);
        let start = if is_own {
            let there = causes.comes(&crossing, law.overhead_ps, came);
            causes.needs(there, of_cpu);
            let mut there = there;
            causes.replace(&mut there, InstantId::NONE);
            causes.share(of_cpu)
        } else if at > came {
            let clock = if causes.at(of_cpu) == at { of_cpu } else { of_nic };
            causes.comes_behind(&crossing, clock, (came, at))
        } else {
            causes.comes(&crossing, law.overhead_ps, at)
        };
        for clock in [of_cpu, of_nic] {
            causes.needs(clock, start);
        }
        let rank = ProcessId(to);
        causes.goes_on_at(rank, start);
        let takes = law.overhead_ps + message.takes(law.overhead_per_byte_fs);
        let (receiving, call) = (takes.min(cpu_until - at), crossing.call);
        let crossed = cpu_until - at - receiving;
        let with = Computed { receiving, crossing: crossed, call, ..Computed::default() };
        let worked = causes.works(rank, start, cpu_until, (with, Some(crossing.number)));
        let receiving = takes.min(nic_until - at);
        let with = Computed { receiving, crossing: nic_until - at - receiving, ..with };
        let received = causes.busy(rank, start, nic_until, with);
        causes.has_crossed(&crossing, law.overhead_ps, cpu_until);
        causes.replace(self.stands.cpus.of(to, cpu), worked);
        causes.replace(self.stands.receiving.of(to, nic), received);
        start
    }

    /// A receive that was posted at a time takes a message that was there: the instant, on which the
    /// caller stands.
    pub fn takes(&mut self, (rank, cpu): (u32, u8), at: Time) -> InstantId {
        self.stands_at((rank, cpu), at)
    }

    /// A message has been taken, at an instant on which the caller does not stand from now on; what
    /// clocks of its sender are held up until then.
    pub fn is_taken(&mut self, message: &Message, id: MessageId, taken: InstantId, holds_up: bool) {
        let Some(crossing) = self.stands.messages[id.0 as usize].take() else { return };
        let at = self.causes.at(taken);
        self.causes.is_received(&crossing, at);
        if holds_up {
            let goes_on = self.causes.is_taken(&crossing, taken);
            let Message { from, cpu, nic, .. } = *message;
            for clock in [self.stands.cpus.of(from, cpu), self.stands.sending.of(from, nic)] {
                if self.causes.at(*clock) < at {
                    self.causes.needs(*clock, goes_on);
                    let goes_on = self.causes.share(goes_on);
                    self.causes.replace(clock, goes_on);
                }
            }
            self.let_go(goes_on);
        }
        self.let_go(crossing.set_out);
        self.let_go(taken);
    }

    /// Nobody takes a message yet whose instant the caller stood on.
    pub fn lets_lie(&mut self, taken: InstantId) {
        self.let_go(taken);
    }

    /// The last of some ranks has come at a time; they go on after a price.
    pub fn meets(&mut self, last: u32, at: Time, members: &[u32], price: Time) {
        let came = self.stands_at((last, 0), at);
        let met = self.causes.met(ProcessId(last), came);
        for &member in members {
            let before = *self.stands.cpus.of(member, 0);
            if self.causes.at(before) <= at {
                self.causes.needs(before, met);
            }
            let next = self.causes.leaves(ProcessId(member), met, at + price);
            self.causes.replace(&mut self.stands.leaving[member as usize], next);
        }
        self.let_go(came);
        self.let_go(met);
    }

    /// A rank leaves others it has met.
    pub fn leaves(&mut self, rank: u32) {
        let left = std::mem::replace(&mut self.stands.leaving[rank as usize], InstantId::NONE);
        if self.causes.at(left) > self.causes.at(*self.stands.cpus.of(rank, 0)) {
            self.causes.goes_on_at(ProcessId(rank), left);
            self.causes.replace(self.stands.cpus.of(rank, 0), left);
        } else {
            self.let_go(left);
        }
    }

    /// All has happened.
    pub fn ends(&mut self, ranks: u32) {
        for rank in 0..ranks {
            let clocks = self.stands.cpus.all(rank);
            let mut latest = InstantId::NONE;
            for &clock in clocks {
                if self.causes.at(clock) > self.causes.at(latest) {
                    latest = clock;
                }
            }
            self.causes.has_ended(latest);
        }
    }

    /// Where a CPU of a rank stands, or stood at a time (one that nobody has used, where the rank's
    /// first did); the caller stands there, too.
    fn stands_at(&mut self, (rank, cpu): (u32, u8), at: Time) -> InstantId {
        let now = *self.stands.cpus.of(rank, cpu);
        let now = if now.is_some() { now } else { *self.stands.cpus.of(rank, 0) };
        self.causes.stood(now, ProcessId(rank), at)
    }

    fn let_go(&mut self, mut of: InstantId) {
        self.causes.replace(&mut of, InstantId::NONE);
    }
}
