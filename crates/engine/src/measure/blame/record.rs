//! What is kept of a packet on its way, and how its waits are cut into pieces.

use super::cause::{Cause, Charge};
use super::lanes::Past;
use super::log::Log;
use super::turn::Turn;
use super::waiters::Waiting;
use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};

/// From when on a packet that might start lacks what it needs.
#[derive(Clone, Copy, Debug)]
pub struct Stall {
    /// Since when.
    pub from: Time,
    /// What it lacks.
    pub cause: Cause,
    /// Because of whom: a traffic class.
    pub culprit: u32,
}

/// A header's wait for a channel.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// When it could have begun on the channel, had it never been in anybody's way.
    pub ready: Time,
    /// When it asked.
    pub asked: Time,
    /// When it was granted the channel.
    pub granted: Time,
}

/// What is kept of a packet on its way: a cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Record {
    /// Its traffic class.
    pub class: u32,
    /// The channel it was granted last, or none; of a header that asks, the lead it asks at.
    pub head: ChannelId,
    /// The channel whose buffer it leaves, or left last; none: its node's queue.
    pub from: ChannelId,
    /// When it asked last; [`NEVER`]: it has not waited since it started last.
    pub asked: Time,
    /// When it was granted a channel last.
    pub granted: Time,
    /// When it starts or started there, or [`NEVER`] as long as that is not known.
    pub start: Time,
    /// Where it asks for a channel.
    pub asking: Waiting,
    /// The traffic class of who was in its way last.
    pub last: u32,
    /// The list it is in, or the buffer whose front it has left without having started.
    pub unstarted: Waiting,
    /// Whether it has left its buffer for its switch's own queue.
    pub is_stored: bool,
    /// Whether its waits are charged.
    pub is_victim: bool,
    /// Whether there is anything in its [`Waits`].
    pub has_waited: bool,
    /// Whether channels have been taken from it since it was granted one last.
    pub has_lost: bool,
}

impl Record {
    /// A packet of a class that enters its node's output queue.
    #[inline]
    pub fn new(class: u32, is_victim: bool, now: Time) -> Self {
        let none = ChannelId::NONE;
        Self {
            class,
            head: none,
            from: none,
            asked: now,
            granted: NEVER,
            start: now,
            asking: Waiting::NOWHERE,
            last: class,
            unstarted: Waiting::NOWHERE,
            is_stored: false,
            is_victim,
            has_waited: false,
            has_lost: false,
        }
    }

    /// Its turn on the channel it was granted last.
    #[inline]
    pub fn turn(&self, packet: PacketId, (asked, granted, end): (Time, Time, Time)) -> Turn {
        let &Self { class, head: channel, .. } = self;
        Turn { packet, class, channel, asked, granted, end }
    }

    /// Whether it is in any queue or list of those that wait.
    #[inline]
    pub fn waits_anywhere(&self) -> bool {
        (self.asking, self.unstarted) != (Waiting::NOWHERE, Waiting::NOWHERE)
    }

    /// The charge for a time by which its header came late: that was stopped on its way.
    fn is_late(&self, time: Time) -> Charge {
        let &Self { head: channel, last: culprit, .. } = self;
        Charge { channel, culprit, cause: Cause::Stretched, time }
    }

    /// The buffer whose front it leaves for that, or none.
    #[inline]
    pub fn buffer(&self) -> ChannelId {
        if self.is_stored { ChannelId::NONE } else { self.from }
    }
}

/// How a packet on its way has waited: looked at only if it has.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// What it has lacked since it might have started.
    pub stalls: Vec<Stall>,
    /// What it has been charged so far, in order of time.
    pub charges: Vec<Charge>,
    /// How long it was not drained because of others before it in the receive FIFO.
    pub behind: Time,
    /// How many charges there were before its latest wait.
    before: usize,
    /// For every wait: how many charges there were before, and when it began.
    pub begins: Vec<(usize, Time)>,
}

/// Those who had their turns before a packet.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// All turns there.
    pub log: &'a Log,
    /// How many of them came before its own.
    pub count: usize,
}

impl<'a> Before<'a> {
    /// All who have had turns there.
    pub fn all(log: &'a Log) -> Self {
        Self { log, count: log.count() }
    }
}

/// What stood in a packet's way: the turns on the channel that came before its own.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    /// Turns on the channel.
    pub holders: Before<'a>,
    /// Turns at the front of the buffer it stood in, and the cause that comes with these; none
    /// for its node's queue.
    pub fronts: Option<(Before<'a>, Cause)>,
    /// Where the channel leads into a receive FIFO: the class of the packet drained last.
    pub drained: Option<u32>,
}

impl Waits {
    /// Another packet takes the place of this one.
    pub fn clear(&mut self) {
        self.stalls.clear();
        self.charges.clear();
        self.begins.clear();
        (self.before, self.behind) = (0, 0);
    }

    /// Charges the time from when it was ready until it starts on a channel: for room there,
    /// in turn to those who held it, and to those who stood before this packet in its buffer.
    pub fn charge_wait(&mut self, record: &mut Record, ahead: Ahead, (ready, start): (Time, Time)) {
        self.begin_wait(record, ready);
        self.charge_backwards(record, ahead, (ready, start));
        self.close_wait(record, start - ready);
    }

    /// The same where turns are kept in lanes: those on the channel, and at the front of the buffer it
    /// stood in; none for its node's queue.
    // There one turn is most often all that was in the way.
    #[inline]
    pub fn charge_past(
        &mut self,
        record: &mut Record,
        (holders, fronts): (&Past, Option<&Past>),
        (ready, start): (Time, Time),
    ) {
        self.begin_wait(record, ready);
        let channel = record.head;
        let asked = if fronts.is_some() { record.asked.clamp(ready, start) } else { ready };
        let idle = holders.end().clamp(asked, start);
        if idle < start {
            self.charge_stalls(record, (idle, start));
        }
        holders.cut((asked, idle), |turn, time| {
            let cause = match fronts {
                None => Cause::Throttling,
                Some(_) if turn.granted < asked => Cause::OutputBusy,
                Some(_) => Cause::Arbitration,
            };
            self.push(Charge { channel, culprit: turn.class, cause, time });
        });
        if let Some(fronts) = fronts {
            let free = fronts.end().clamp(ready, asked);
            if free < asked {
                self.push(record.is_late(asked - free));
            }
            fronts.cut((ready, free), |turn, time| {
                let (culprit, cause) = (turn.class, Cause::HeadOfLine);
                self.push(Charge { channel, culprit, cause, time });
            });
        }
        self.close_wait(record, start - ready);
    }

    /// Charges a wait that has been cut into pieces, latest first.
    pub fn charge_pieces(
        &mut self,
        record: &mut Record,
        (ready, start): (Time, Time),
        pieces: impl Iterator<Item = Charge>,
    ) {
        self.begin_wait(record, ready);
        for charge in pieces {
            self.push(charge);
        }
        self.close_wait(record, start - ready);
    }

    /// The pieces of a wait that began at `ready` will be charged, latest first.
    fn begin_wait(&mut self, record: &mut Record, ready: Time) {
        record.has_waited = true;
        self.before = self.charges.len();
        self.begins.push((self.before, ready));
    }

    /// They are put in order of time.
    #[inline]
    fn order(&mut self) {
        if self.charges.len() > self.before + 1 {
            self.charges[self.before..].reverse();
        }
    }

    /// The pieces of a wait are put in order of time.
    fn close_wait(&mut self, record: &mut Record, waited: Time) {
        let sum: Time = self.charges[self.before..].iter().map(|charge| charge.time).sum();
        debug_assert_eq!(sum, waited, "every instant is charged once");
        self.order();
        if let Some(last) = self.charges.last() {
            record.last = last.culprit;
        }
    }

    /// Charges the wait of a header for a channel that it keeps: the time since it asked in turn
    /// to those who held it; the time before to who took channels from it, or to those who
    /// were at the head of its node's list. Before its first channel it is throttled.
    pub fn charge_held(
        &mut self,
        record: &mut Record,
        holders: Before,
        (is_first, fronts): (bool, Option<Before>),
        Span { ready, asked, granted }: Span,
    ) {
        self.begin_wait(record, ready);
        let channel = record.head;
        for (turn, time) in holders.log.cut(holders.count, (asked, granted)) {
            let cause = match turn.granted < asked {
                _ if is_first => Cause::Throttling,
                _ if turn.channel != channel => Cause::SharedWire,
                true => Cause::OutputBusy,
                false => Cause::Arbitration,
            };
            self.push(Charge { channel, culprit: turn.class, cause, time });
        }
        if record.has_lost {
            let (culprit, cause, time) = (record.last, Cause::Arbitration, asked - ready);
            self.push(Charge { channel, culprit, cause, time });
        } else if let Some(fronts) = fronts {
            self.charge_fronts((fronts, Cause::Throttling), channel, (ready, asked));
        }
        self.close_wait(record, granted - ready);
    }

    /// Charges the time until a packet was at the head of its node's list to those who were
    /// before, in turn.
    pub fn charge_list(
        &mut self,
        record: &mut Record,
        channel: ChannelId,
        fronts: Before,
        span: (Time, Time),
    ) {
        self.begin_wait(record, span.0);
        self.charge_fronts((fronts, Cause::HeadOfLine), channel, span);
        self.order();
        record.last = record.class;
    }

    /// Charges time, latest first, to those who were before a packet at a front.
    fn charge_fronts(
        &mut self,
        (fronts, cause): (Before, Cause),
        channel: ChannelId,
        (from, to): (Time, Time),
    ) {
        for (turn, time) in fronts.log.cut(fronts.count, (from, to)) {
            self.push(Charge { channel, culprit: turn.class, cause, time });
        }
    }

    /// What [`Self::charge_wait`] does, latest first.
    fn charge_backwards(
        &mut self,
        record: &Record,
        Ahead { holders: Before { log: holders, count: place }, fronts, drained }: Ahead,
        (ready, start): (Time, Time),
    ) {
        let channel = record.head;
        let asked = if fronts.is_some() { record.asked.clamp(ready, start) } else { ready };
        let idle = holders.end_before(place).clamp(asked, start);
        // While the channel was idle and it was not granted that, there was no place.
        let closed = drained.map_or(idle, |_| record.granted.clamp(idle, start));
        if closed < start {
            self.charge_stalls(record, (closed, start));
        }
        self.push(receiver(channel, drained.unwrap_or(0), closed - idle));
        let mut until = idle;
        for (turn, time) in holders.cut(place, (asked, idle)) {
            let begin = until - time;
            let granted = match (drained, fronts) {
                (Some(_), Some(_)) => turn.granted.clamp(begin, until),
                _ => begin,
            };
            let (closed, time) = (granted - begin, until - granted);
            until = begin;
            let cause = match (fronts, turn.granted < asked) {
                (None, _) => Cause::Throttling,
                _ if turn.channel != channel => Cause::SharedWire,
                (_, true) => Cause::OutputBusy,
                (_, false) => Cause::Arbitration,
            };
            self.push(Charge { channel, culprit: turn.class, cause, time });
            self.push(receiver(channel, turn.class, closed));
        }
        let Some((fronts, cause)) = fronts else { return };
        let free = fronts.log.end_before(fronts.count).clamp(ready, asked);
        if free < asked {
            self.push(record.is_late(asked - free));
        }
        self.charge_fronts((fronts, cause), channel, (ready, free));
    }

    /// Charges time in which it might have started, had it not lacked something.
    #[inline(never)]
    fn charge_stalls(&mut self, record: &Record, (from, to): (Time, Time)) {
        let channel = record.head;
        let mut until = to;
        for at in (0..self.stalls.len()).rev() {
            let Stall { from: since, cause, culprit } = self.stalls[at];
            let begin = if at == 0 { from } else { since.clamp(from, until) };
            self.push(Charge { channel, culprit, cause, time: until - begin });
            until = begin;
        }
        let (culprit, cause) = (record.class, Cause::BufferFull);
        self.push(Charge { channel, culprit, cause, time: until - from });
    }

    /// Charges a piece.
    // Most pieces are empty: that is found out before a charge is made up.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn push(&mut self, charge: Charge) {
        if charge.time > 0 {
            self.push_piece(charge);
        }
    }

    #[inline(never)]
    fn push_piece(&mut self, charge: Charge) {
        // Those of this wait only: a packet may cross a channel twice.
        match self.charges[self.before..].last_mut() {
            Some(last) if (Charge { time: charge.time, ..*last }) == charge => {
                last.time += charge.time;
            }
            _ => self.charges.push(charge),
        }
    }

    /// Makes the sum of all charges `beyond`, by which it lived longer than alone: the rest
    /// of it was stopped, or caught up with waits of its header.
    ///
    /// `before`: the class of who was drained before it at its node.
    pub fn settle(&mut self, record: &Record, beyond: Time, before: u32) {
        let sum: Time = self.charges.iter().map(|charge| charge.time).sum();
        self.begins.push((self.charges.len(), NEVER));
        if beyond > sum {
            self.charge_rest(record, beyond - sum, before);
        } else if sum > beyond {
            self.catch_up(sum - beyond);
        }
    }

    /// Charges the time by which the rest of it came late.
    fn charge_rest(&mut self, record: &Record, late: Time, before: u32) {
        let (culprit, channel) = (record.last, record.head);
        let behind = self.behind.min(late);
        let time = late - behind;
        self.push(Charge { channel, culprit, cause: Cause::Stretched, time });
        self.push(Charge { channel, culprit: before, cause: Cause::ReceiverBusy, time: behind });
    }

    /// Takes away time in which it caught up with waits of its header, the latest first.
    fn catch_up(&mut self, mut time: Time) {
        while time > 0
            && let Some(last) = self.charges.last_mut()
        {
            let taken = time.min(last.time);
            last.time -= taken;
            time -= taken;
            if last.time == 0 {
                self.charges.pop();
            }
        }
    }
}

/// A charge for the time in which there was no place in the receive FIFO.
fn receiver(channel: ChannelId, culprit: u32, time: Time) -> Charge {
    Charge { channel, culprit, cause: Cause::ReceiverBusy, time }
}
