//! Processes: why they can go on, and where their time went.

use super::forest::Instant;
use super::forest::{Computed, Segment};
use super::piece::{Part, Parts};
use super::rows::{Activity, Doing};
use super::state::{Causes, Process};
use crate::ids::{InstantId, MessageId, ProcessId, TimerId};
use crate::time::Time;

impl Causes {
    /// A process begins, or goes on after something of its own; or a message of it is due.
    pub fn starts(&mut self, process: ProcessId, now: Time) {
        let leaf = self.leaf(process);
        let segment = if leaf.is_some() { Segment::Waited } else { Segment::Start };
        let next = self.forest.add(now, leaf, process, segment);
        self.advances(process, next);
    }

    /// A message of a list is due: it stands on nothing.
    pub fn is_due(&mut self, process: ProcessId, now: Time) {
        let next = self.forest.add(now, InstantId::NONE, process, Segment::Start);
        self.advances(process, next);
    }

    /// A process wants to compute for so long (none: all the time until it has), called from
    /// somewhere; what its CPU has worked for messages until now.
    pub fn begins(
        &mut self,
        process: ProcessId,
        duration: Option<Time>,
        before: (Time, Time),
        call: u32,
    ) {
        let leaf = self.leaf(process);
        let leaf = self.forest.share(leaf);
        let process = &mut self.processes[process.index()];
        (process.duration, process.before, process.call) = (duration, before, call);
        self.forest.replace(&mut process.began, leaf);
    }

    /// A process has computed.
    pub fn computed(&mut self, id: ProcessId, until: (Time, Time), now: Time) {
        let process = &mut self.processes[id.index()];
        let call = process.call;
        let began = std::mem::replace(&mut process.began, InstantId::NONE);
        let time = now - self.forest.at(began);
        let computing = process.duration.unwrap_or(time).min(time);
        let sending = until.0.saturating_sub(process.before.0).min(time - computing);
        let rest = time - computing - sending;
        let receiving = until.1.saturating_sub(process.before.1).min(rest);
        let computed = Computed { computing, sending, receiving, call, ..Computed::default() };
        if let Some(rows) = &mut self.rows
            && process.duration.is_none()
        {
            rows.computes(id, (now - time, now), call);
        }
        let next = self.forest.add(now, began, id, Segment::Computed(computed));
        self.forest.release(began);
        self.advances(id, next);
    }

    /// Where in its program a process is.
    pub fn calls(&mut self, process: ProcessId, call: u32) {
        self.processes[process.index()].call = call;
    }

    /// A process sets a timer: it computes on a CPU of its own, or copies a message.
    pub fn sets(&mut self, timer: TimerId, process: ProcessId, computes: bool, now: Time) {
        let leaf = self.leaf(process);
        let leaf = self.forest.share(leaf);
        if self.timers.len() <= timer.index() {
            self.timers.resize(timer.index() + 1, (InstantId::NONE, u32::MAX));
        }
        let process = &mut self.processes[process.index()];
        self.timers[timer.index()] = (leaf, process.call);
        if computes {
            process.timers.begins(now);
        }
    }

    /// A timer of a process rings: it has computed, or copied a message.
    pub fn rings(&mut self, timer: TimerId, id: ProcessId, computes: bool, now: Time) {
        let (began, call) = self.timers[timer.index()];
        let from = self.forest.at(began);
        let mut computed = Computed { call, ..Computed::default() };
        if computes {
            computed.computing = now - from;
            self.processes[id.index()].timers.ends(now);
            if let Some(rows) = &mut self.rows {
                rows.computes(id, (from, now), call);
            }
        } else {
            computed.sending = now - from;
        }
        let next = self.forest.add(now, began, id, Segment::Computed(computed));
        self.forest.release(began);
        self.advances(id, next);
    }

    /// A process can go on because of what is in hand of a message, unless it is already at work.
    pub fn goes_on(&mut self, process: ProcessId, id: MessageId, now: Time) {
        let leaf = self.leaf(process);
        if leaf.is_some() && self.forest.at(leaf) == now {
            // It came last itself; a message that has waited for it, it accepts now.
            if let Some(edges) = &mut self.edges {
                let stand = self.ways[id.index()].offered;
                if stand.is_some() {
                    edges.joins(stand, leaf);
                }
            }
            return;
        }
        let next = self.stand_of(id, process, now);
        self.advances(process, next);
    }

    /// Something has come for a process that does not go on for it yet.
    pub(super) fn comes_early(&mut self, process: ProcessId, at: InstantId, now: Time) {
        if self.edges.is_some() && self.forest.at(self.leaf(process)) < now {
            self.processes[process.index()].early.push(at);
        }
    }

    /// A message has been acknowledged, for which its sender waits among others; only where slack is asked for.
    pub fn acknowledged_early(&mut self, process: ProcessId, id: MessageId, now: Time) {
        let stand = self.stand(id);
        self.comes_early(process, stand, now);
        self.forest.release(stand);
    }

    /// A CPU computes for a process.
    pub fn cpu_computes(&mut self, process: ProcessId, span: (Time, Time)) {
        if let Some(rows) = &mut self.rows {
            rows.computes(process, span, self.processes[process.index()].call);
        }
    }

    /// The last of some processes has come; they go on after a price.
    pub fn meets(
        &mut self,
        members: impl Iterator<Item = ProcessId>,
        (last, now): (ProcessId, Time),
        price: Time,
    ) {
        let leaf = self.leaf(last);
        let met = self.forest.add(now, leaf, last, Segment::Met);
        for member in members {
            if let Some(edges) = &mut self.edges {
                edges.joins(self.processes[member.index()].leaf, met);
            }
            let next = self.forest.add(now + price, met, member, Segment::Price);
            self.advances(member, next);
        }
        self.forest.release(met);
    }

    /// A process has carried out all it could now.
    pub fn rests(&mut self, process: ProcessId, now: Time) {
        let leaf = self.leaf(process);
        if !leaf.is_some() || self.forest.at(leaf) < now {
            self.starts(process, now);
        }
        if self.forest.at(self.leaf(process)) == now {
            self.ends(self.leaf(process));
        }
    }

    /// A process is at an instant now: where its time went.
    pub(super) fn advances(&mut self, id: ProcessId, next: InstantId) {
        let leaf = self.leaf(id);
        let (from, to) = (self.forest.at(leaf), self.forest.at(next));
        // What it computes meanwhile on CPUs of its own comes first.
        let busy = self.processes[id.index()].timers.take(to);
        let mut parts = self.parts_of(next, from + busy);
        parts[Part::Computing as usize] += busy;
        debug_assert_eq!(parts.iter().sum::<Time>(), to - from, "all of its time went somewhere");
        if let Some(rows) = &mut self.rows {
            let instant = &self.forest[next];
            let (doing, message) = match &instant.segment {
                Segment::Message(leg) if leg.from == id => (Doing::WaitsSent, Some(leg.message)),
                Segment::Message(leg) => (Doing::WaitsReceived, Some(leg.message)),
                Segment::Price | Segment::Met => (Doing::Meets, None),
                Segment::Waited => (Doing::WaitsSent, None),
                Segment::Start | Segment::Computed(_) => (Doing::Computes, None),
            };
            if doing != Doing::Computes {
                let (begin, end, call) = (from, to, u32::MAX);
                rows.add(Activity { process: id, doing, message, begin, end, call, parts });
            }
        }
        if let Some(edges) = &mut self.edges {
            if !matches!(self.forest[next].segment, Segment::Start) {
                edges.joins(leaf, next);
            }
            for early in self.processes[id.index()].early.drain(..) {
                edges.joins(early, next);
            }
        }
        let process = &mut self.processes[id.index()];
        process.parts.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        self.forest.replace(&mut process.leaf, next);
    }

    /// Where the time went of the process that was last at `from`, until an instant of it.
    fn parts_of(&self, next: InstantId, from: Time) -> Parts {
        let mut parts = Parts::default();
        let Instant { at, parent, segment, .. } = &self.forest[next];
        let (at, before) = (*at, self.forest.at(*parent));
        let mut put = |part: Part, time: Time| parts[part as usize] += time;
        match segment {
            Segment::Start => put(Part::Before, at - from),
            Segment::Waited => put(Part::Other, at - from),
            Segment::Computed(computed) => {
                let mut left = at - from;
                for (part, time) in computed.parts() {
                    put(part, time.min(left));
                    left -= time.min(left);
                }
                put(Part::Processor, left);
            }
            Segment::Met => put(Part::Partner, at - from),
            Segment::Price => {
                // It may have come when all had met.
                let met = before.max(from);
                put(Part::Partner, met - from);
                put(Part::Meeting, at - met);
            }
            Segment::Message(_) => return self.parts_of_message(next, from),
        }
        parts
    }

    /// The same where it waited for a message. What lies before that set out was a partner's;
    /// of the rest, contention comes first, since without it the process would have waited so
    /// much less, then what software took; what is left is latency and serialisation.
    fn parts_of_message(&self, next: InstantId, from: Time) -> Parts {
        let (mut of_message, mut parts) = (Parts::default(), Parts::default());
        let (mut set_out, mut number) = (self.forest.at(next), None);
        for (_, instant) in self.forest.back(next) {
            let Segment::Message(leg) = &instant.segment else { break };
            if *number.get_or_insert(leg.message) != leg.message {
                break;
            }
            leg.pieces.iter().for_each(|piece| of_message[piece.part as usize] += piece.time);
            set_out = self.forest.at(instant.parent);
        }
        let at = self.forest.at(next);
        parts[Part::Partner as usize] = set_out.saturating_sub(from);
        let mut left = at - set_out.max(from);
        let contention =
            Part::ALL.into_iter().map(|(part, _)| part).filter(|part| part.is_contention());
        let software = [Part::Processor, Part::Receiving, Part::Sending];
        for part in contention.chain(software) {
            let time = of_message[part as usize].min(left);
            parts[part as usize] = time;
            left -= time;
        }
        parts[Part::Own as usize] = left;
        parts
    }

    /// Where the time of every process went until `until`, in the order of [`Part::ALL`].
    pub fn parts(&self, until: Time) -> Vec<Parts> {
        let of = |process: &Process| {
            let mut parts = process.parts;
            parts[Part::Idle as usize] += until.saturating_sub(self.forest.at(process.leaf));
            parts
        };
        self.processes.iter().map(of).collect()
    }
}
