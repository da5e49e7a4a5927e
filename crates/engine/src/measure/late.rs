//! How late messages were, and why: who made each of them take longer than it would alone.
//!
//! A message is *late* by what it took longer than alone. What it waited for on its way is found when
//! all of it has arrived, by following the chain of its waits back in time ([`chain`]), in a log of who
//! was sent where when ([`log`]), divided so that it adds up to how late it was ([`charges`]), and added up
//! over all messages ([`tables`]).

mod asked;
mod booker;
mod booking;
mod chain;
mod charges;
mod copies;
mod departures;
mod log;
mod queue;
mod state;
mod stations;
mod story;
mod tables;
mod turns;

use super::blame::REST;
use super::packet::Class;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::time::{NEVER, Time};
pub use asked::Wait;
pub use booking::Fared;
use chain::Chain;
pub use chain::Rules;
pub use charges::{Charge, Kind, Site, Why, shares};
pub use log::{Hop, Places};
use log::{Hops, NOBODY, NOTHING, Record, UNNUMBERED};
pub use state::{Late, Sites};
use state::{Message, Unsettled};
pub use stations::{Service, Stations};
pub use tables::Tables;
use turns::RecordId;

/// What stands for a packet as long as anybody may ask for its turns, also when it has been delivered.
pub type Mark = RecordId;

/// It stands for no packet.
pub const UNMARKED: Mark = NOBODY;

/// A packet that is queued, as far as this goes.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The message it belongs to, or acknowledges.
    pub message: MessageId,
    /// Whether it acknowledges.
    pub is_ack: bool,
    /// What its message is charged as.
    pub label: u32,
    /// Whether it is the last of its message.
    pub is_last: bool,
    /// What it takes in a buffer, in flits.
    pub size: u32,
    /// Where it comes from, and where it goes.
    pub ends: (NodeId, NodeId),
}

impl Late {
    /// A packet enters its node's output queue.
    pub fn queued(&mut self, id: PacketId, packet: &Queued, now: Time) {
        self.begins(packet, now);
        let message = &mut self.messages[packet.message.index()];
        let (number, cause) = if packet.is_ack {
            let cause = message.packets.get(message.acknowledged).copied();
            message.acknowledged += 1;
            (UNNUMBERED, cause.unwrap_or(NOBODY))
        } else {
            let (opens, at) = message.opens;
            (message.packets.len() as u32, if at == now { opens } else { NOBODY })
        };
        let &Queued { label, size, .. } = packet;
        let (message_number, asks, hops) = (message.number, NOTHING, Hops::default());
        let (message, slow) = (message_number, ChannelId::NONE);
        let record = Record { message, label, number, size, cause, slow, held: 1, asks, hops };
        let record = self.log.joins(id, record);
        let message = &mut self.messages[packet.message.index()];
        if !packet.is_ack {
            message.packets.push(record);
            message.undelivered += 1;
            message.has_last |= packet.is_last;
            if self.notes_packets {
                message.given.push(now);
            }
        }
    }

    /// A message begins with its first packet.
    fn begins(&mut self, packet: &Queued, now: Time) {
        let place = packet.message.index();
        let is_new = self.messages.get(place).is_none_or(|message| message.is_over);
        if !is_new || packet.is_ack {
            return;
        }
        let number = self.count;
        self.count += 1;
        self.log.begins(number, now);
        let nobody = (NOBODY, NEVER);
        let is_victim = self.victims.has_next(packet.ends.0, Class::Data);
        let message = |packets| Message {
            number,
            label: packet.label,
            queued: now,
            ends: packet.ends,
            packets,
            has_last: false,
            undelivered: 0,
            acknowledged: 0,
            acks_delivered: 0,
            given: Vec::new(),
            last: nobody,
            opens: nobody,
            is_victim,
            is_over: false,
        };
        if self.messages.len() <= place {
            let none = Message { is_over: true, ..message(Vec::new()) };
            self.messages.resize(place + 1, none);
        }
        let mut packets = std::mem::take(&mut self.messages[place].packets);
        packets.clear();
        self.messages[place] = message(packets);
    }

    /// A packet starts on a channel; when it could have, and when the channel can be granted again, if
    /// that is known.
    pub fn starts(&mut self, id: PacketId, hop: Hop) {
        self.log.starts(id, hop);
    }

    /// Where packets wait for outputs whoever stands before them: one does from now on, for a channel.
    pub fn begins_to_wait(&mut self, id: PacketId, channel: ChannelId, now: Time) {
        self.log.begins_to_wait(id, channel, now);
    }

    /// A packet has its turn at the station at the end of the channel that it crossed last, if there is one.
    #[cold]
    pub fn serves(&mut self, id: PacketId, service: Service) {
        self.log.serves(id, service);
    }

    /// A channel is down in a span of time, in which nobody begins another turn there.
    #[cold]
    pub fn is_down(&mut self, channel: ChannelId, span: (Time, Time)) {
        self.log.is_down(channel, span);
    }

    /// A packet has waited for a link that is down, from a time to another, and waits for it no more.
    #[cold]
    pub fn leaves_link(&mut self, id: PacketId, channel: ChannelId, span: (Time, Time)) {
        self.log.leaves_link(id, channel, span);
    }

    /// A packet crosses a channel that is slower than usual.
    #[cold]
    pub fn is_slow(&mut self, id: PacketId, channel: ChannelId) {
        self.log.is_slow(id, channel);
    }

    /// What stands for a packet on its way.
    pub fn mark(&self, id: PacketId) -> Mark {
        self.log.record_of(id)
    }

    /// A packet may cross the channel to its node from now on, which had no place for it until another left
    /// its own node.
    #[cold]
    pub fn gets_place(&mut self, id: PacketId, by: Mark, now: Time) {
        self.log.gets_place(id, by, now);
    }

    /// The packet that a channel was granted to last starts there.
    pub fn started(&mut self, id: PacketId, start: Time) {
        self.log.started(id, start);
    }

    /// A channel is left by the packet that it was granted to first of those that have not.
    pub fn left(&mut self, channel: ChannelId, at: Time) {
        self.log.left(channel, at);
    }

    /// What happens from now on does in a copy of the network, by its number, or (0) in the network itself.
    pub fn enter_copy(&mut self, copy: u64) {
        self.log.enter_copy(copy);
    }

    /// Nobody is any more in the copy in which something happens.
    pub fn close_copy(&mut self, now: Time) {
        self.log.close_copy(now);
    }

    /// A packet has been delivered.
    pub fn delivered(&mut self, id: PacketId, message: MessageId, is_ack: bool, now: Time) {
        let record = self.log.record_of(id);
        if record == NOBODY {
            return;
        }
        let message = &mut self.messages[message.index()];
        if message.number == self.log.record(record).message {
            message.opens = (record, now);
            message.undelivered -= usize::from(!is_ack);
            message.acks_delivered += usize::from(is_ack);
            let number = |id| self.log.record(id).number;
            let (last, at) = message.last;
            if !is_ack && (last == NOBODY || at < now || number(last) < number(record)) {
                message.last = (record, now);
            }
        }
        let ends = message.is_over && self.rules.has_acks && message.is_acknowledged();
        let number = message.number;
        self.log.leaves(id);
        if ends {
            self.log.ends(number);
        }
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval, &self.victims);
    }

    /// All of a message is there: why it took so long, but for how long it takes alone
    /// ([`Self::settle`]). Whether that is wanted.
    pub fn arrived(&mut self, id: MessageId) -> bool {
        let Some(message) = self.messages.get_mut(id.index()).filter(|message| !message.is_over)
        else {
            return false;
        };
        message.is_over = true;
        if !message.is_victim {
            if let Some(number) = self.ending(id) {
                self.log.ends(number);
            }
            return false;
        }
        let (last, delivered) = message.last;
        let span = (message.queued, delivered);
        if !self.adds_up {
            let why = Why { span, label: message.label, ..Why::default() };
            self.waits_to_settle(id, why, (false, 0), ChannelId::NONE);
            return true;
        }
        let of = (message.number, message.queued);
        let scratch = &mut self.scratch;
        let (rules, packets) = (self.rules, &message.packets);
        self.pieces.clear();
        let is_followed = self.is_followed && self.log.keeps(message.number);
        let (own, unknown) = if is_followed {
            let chain = Chain::new(&self.log, rules, of, packets, &mut self.pieces, scratch);
            let mut chain = chain.summed();
            (chain.follow(last, delivered), chain.unknown)
        } else {
            (delivered - message.queued, 0)
        };
        let all = std::iter::once(&last).chain(packets);
        let mut slow = all.map(|&packet| self.log.record(packet).slow);
        let slow = slow.find(|channel| channel.is_some()).unwrap_or(ChannelId::NONE);
        let message = &self.messages[id.index()];
        let (label, ends) = (message.label, message.ends);
        let mut adder = std::mem::take(&mut self.adder);
        let waits = self.pieces.iter().rev();
        let charges = adder.add(waits.map(|piece| (self.root_of(piece, ends), piece.time)));
        self.adder = adder;
        let why = Why { number: 0, label, span, alone: 0, own, charges };
        self.waits_to_settle(id, why, (is_followed, unknown), slow);
        true
    }

    /// A message has arrived: it is to be told how long it takes alone. Until then its turns are kept: it may be
    /// asked at this instant what packets of it waited for.
    fn waits_to_settle(
        &mut self,
        id: MessageId,
        why: Why,
        (is_followed, unknown): (bool, Time),
        slow: ChannelId,
    ) {
        if self.notes_packets {
            let given = std::mem::take(&mut self.messages[id.index()].given);
            self.given.push_back(given);
        }
        let ends = self.ending(id);
        self.unsettled.push_back(Unsettled { why, ends, is_followed, unknown, slow });
    }

    /// The number of a message that has arrived, if nobody will ask for its turns: no acknowledgements are to come.
    fn ending(&self, id: MessageId) -> Option<u64> {
        let message = &self.messages[id.index()];
        let is_over = !self.rules.has_acks || message.is_acknowledged();
        is_over.then_some(message.number)
    }

    /// The message that has arrived first of those of which it is not known how long they take alone: nobody wants to
    /// know that.
    pub fn passes_over(&mut self) {
        self.next_settled();
    }

    fn next_settled(&mut self) -> Option<Unsettled> {
        let unsettled = self.unsettled.pop_front()?;
        self.given.pop_front();
        if let Some(number) = unsettled.ends.filter(|_| self.aside.message != unsettled.ends) {
            self.log.ends(number);
        }
        Some(unsettled)
    }

    /// How long the message takes alone that has arrived first of those of which that is not known, and
    /// how many were sent before it; labels become classes. How late it was, unless it is known that it waited no
    /// longer than that.
    pub fn settle(
        &mut self,
        number: u64,
        alone: Time,
        class_of: impl Fn(u32) -> u32,
    ) -> Option<Time> {
        let Unsettled { mut why, is_followed, unknown, slow, .. } = self.next_settled()?;
        (why.number, why.alone) = (number, alone);
        let latency = why.span.1 - why.span.0;
        let late = latency.saturating_sub(alone);
        if !self.adds_up {
            return Some(late);
        }
        let waited: Time = why.charges.iter().map(|charge| charge.waited).sum();
        if waited <= late {
            why.charges.iter_mut().for_each(|charge| charge.late = charge.waited);
        } else {
            let waits: Vec<Time> = why.charges.iter().map(|charge| charge.waited).collect();
            for (charge, late) in why.charges.iter_mut().zip(shares(&waits, late)) {
                charge.late = late;
            }
        }
        let charged: Time = why.charges.iter().map(|charge| charge.late).sum();
        let beyond = match () {
            () if slow.is_some() => Some((Kind::Fault, self.log.stations().name(slow))),
            () => self.rules.have_choice.then_some((Kind::Detour, ChannelId(REST))),
        };
        // Of waits of which nothing is known, nobody can say that they were a longer way.
        let surplus = if is_followed { late.saturating_sub(charged + unknown) } else { 0 };
        if let Some((kind, channel)) = beyond.filter(|_| surplus > 0) {
            let (late, waited) = (surplus, 0);
            why.charges.push(Charge { culprit: REST, channel, kind, waited, late });
        }
        self.tables.add(class_of(why.label), &why, self.is_followed, class_of);
        if let Some(rows) = &mut self.rows {
            rows.push(why);
        } else {
            self.adder.reuse(why.charges);
        }
        (waited > late).then_some(late)
    }

    /// When the message of which [`Self::settle`] is to be told next was queued, and each of its data
    /// packets, where that is noted.
    pub fn next_queued(&self) -> Option<(Time, &[Time])> {
        let given = self.given.front().map_or(&[][..], Vec::as_slice);
        self.unsettled.front().map(|first| (first.why.span.0, given))
    }
}
