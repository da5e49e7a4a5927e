//! Messages of ranks: on their way, received, and taken.

use crate::error::SpecError;
use crate::ids::{InstantId, MessageId, TeamId};
use crate::time::Time;
use crate::workload::trace::machine::LogGops;
use crate::workload::trace::machine::behind::Until;
use crate::workload::trace::machine::events::Subject;
use crate::workload::trace::machine::message::Message;
use crate::workload::trace::machine::watch::Busy;
use crate::workload::trace::ranks::Ranks;

impl LogGops {
    /// A message is on its way: `o + (n-1) O` of the CPU, `g + (n-1) G` of the interface, and
    /// `o + L` to the receiver.
    pub(super) fn sets_out(&mut self, at: Time, message: Message, call: u32) {
        let Message { from, cpu, nic, .. } = message;
        let law = &self.law;
        let cpu_until = at + law.overhead_ps + message.takes(law.overhead_per_byte_fs);
        let nic_until = at + law.gap_ps + message.takes(law.gap_per_byte_fs);
        *self.cpus.of(from, cpu) = cpu_until;
        *self.sending.of(from, nic) = nic_until;
        let there = at + law.overhead_ps + law.latency_ps;
        let id = self.messages.insert(|_| message);
        if let Some(watch) = &mut self.watch {
            watch.sends(&message, Busy { id, at, cpu_until, nic_until }, (self.sent.0, call));
        }
        self.sent = (self.sent.0 + 1, self.sent.1 + message.envelope.bytes);
        self.events.post(there, Subject::Message(id));
    }

    /// A message is received, if CPU and interface of its receiver are free; else when they are.
    pub(super) fn arrives(
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
        let cpu_until = at + law.overhead_ps + message.takes(per_byte);
        let nic_until = at + law.gap_ps + message.takes(law.gap_per_byte_fs);
        *self.cpus.of(to, cpu) = cpu_until;
        *self.receiving.of(to, nic) = nic_until;
        self.messages[id].taken_in = cpu_until;
        let busy = Busy { id, at, cpu_until, nic_until };
        let taken = self.watch.as_mut().map(|watch| watch.arrives(&message, busy, law));
        if team.is_some() {
            self.messages.remove(id);
            self.is_taken(id, &message, taken);
            return self.receives_part(ranks, (to, team, envelope.tag), at).map(|()| None);
        }
        if let Some(receive) = ranks.matching.arrives(from, &envelope, id.0) {
            self.messages.remove(id);
            self.frees_sender(ranks, id, &message, (at, taken));
            self.done(ranks, to, receive, Until { cpu, at: cpu_until });
        } else if let (Some(watch), Some(taken)) = (&mut self.watch, taken) {
            watch.lets_lie(taken);
        }
        Ok(None)
    }

    /// A message has been taken: if it was no eager one its sender goes on, from now.
    pub(super) fn frees_sender(
        &mut self,
        ranks: &mut Ranks,
        id: MessageId,
        message: &Message,
        (at, taken): (Time, Option<InstantId>),
    ) {
        let Message { from, envelope, number, cpu, nic, .. } = *message;
        self.is_taken(id, message, taken);
        if envelope.bytes <= self.law.eager_bytes {
            return;
        }
        for clock in [self.cpus.of(from, cpu), self.sending.of(from, nic)] {
            *clock = (*clock).max(at);
        }
        self.done(ranks, from, number, Until { cpu, at });
    }

    /// A message has been taken, at an instant that is known if there is a watch.
    fn is_taken(&mut self, id: MessageId, message: &Message, taken: Option<InstantId>) {
        let holds_up =
            message.team == TeamId::NONE && message.envelope.bytes > self.law.eager_bytes;
        if let (Some(watch), Some(taken)) = (&mut self.watch, taken) {
            watch.is_taken(message, id, taken, holds_up);
        }
    }
}
