//! How late messages were, and why: who made each of them take longer than it would alone.
//!
//! A message is *late* by what it took longer than alone. What it waited for on its way is found when
//! all of it has arrived, by following the chain of its waits back in time ([`chain`]), in a log of who
//! was sent where when ([`log`]), divided so that it adds up to how late it was ([`charges`]), and added up
//! over all messages ([`tables`]).

mod booking;
mod chain;
mod charges;
mod copies;
mod departures;
mod log;
mod queue;
mod stations;
mod story;
mod tables;
mod turns;

use super::blame::{REST, Victims};
use super::packet::Class;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::mixed::Mixed;
use crate::time::{NEVER, Time};
use booking::Booker;
pub use booking::Fared;
pub use chain::Rules;
use chain::{Chain, Piece, Scratch};
pub use charges::{Charge, Kind, Site, shares};
use log::{FAULT, Hops, Log, NOBODY, NOTHING, Record, UNNUMBERED};
pub use log::{Hop, Places};
pub use stations::{Service, Stations};
use std::collections::VecDeque;
pub use tables::Tables;
use turns::RecordId;

/// What stands for a packet as long as anybody may ask for its turns, also when it has been delivered.
pub type Mark = RecordId;

/// It stands for no packet.
pub const UNMARKED: Mark = NOBODY;

/// What channels are to messages.
pub struct Sites {
    /// By channel: what it connects.
    pub of: Vec<Site>,
    /// Where packets take turns.
    pub places: Places,
    /// How packets stand and are served.
    pub rules: Rules,
}

/// Of so many charges it is looked at each whether it is the same as another.
const FEW: usize = 16;

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

/// A message under way.
#[derive(Clone, Debug)]
struct Message {
    number: u64,
    label: u32,
    queued: Time,
    ends: (NodeId, NodeId),
    /// Its data packets.
    packets: Vec<RecordId>,
    /// Whether the last of them has been queued, and how many have not been delivered.
    has_last: bool,
    undelivered: usize,
    /// How many acknowledgements have been queued, and how many delivered.
    acknowledged: usize,
    acks_delivered: usize,
    /// When each data packet was queued, where that is noted.
    given: Vec<Time>,
    /// The data packet delivered last, or none, and when.
    last: (RecordId, Time),
    /// The packet delivered last by which a window may open.
    opens: (RecordId, Time),
    /// Whether it is asked how late it is.
    is_victim: bool,
    is_over: bool,
}

impl Message {
    /// Whether all of it has been delivered.
    fn is_whole(&self) -> bool {
        self.has_last && self.undelivered == 0
    }

    /// Whether all acknowledgements have been, too.
    fn is_acknowledged(&self) -> bool {
        self.acks_delivered == self.packets.len()
    }
}

/// Why a message took as long as it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// How many were sent before it.
    pub number: u64,
    /// What it is charged as itself.
    pub label: u32,
    /// When its first packet was queued, and when the last was there.
    pub span: (Time, Time),
    /// How long it takes alone.
    pub alone: Time,
    /// What of its latency was its own.
    pub own: Time,
    /// What it waited for, in the order in which waits began.
    pub charges: Vec<Charge>,
}

/// What a packet waited for: what sort of root that had, where, whose label is charged, and from when until when.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// What the root's channel is to the message.
    pub kind: Kind,
    /// The channel of the root.
    pub channel: ChannelId,
    /// What the culprit is charged as.
    pub label: u32,
    /// From when until when.
    pub span: (Time, Time),
}

/// A message that has arrived, kept as long as it may be asked what a packet of it waited for.
struct Aside {
    /// Its number; none: no message is kept.
    message: Option<u64>,
    queued: Time,
    ends: (NodeId, NodeId),
    packets: Vec<RecordId>,
    /// The packet.
    record: RecordId,
}

/// A message that has arrived.
struct Unsettled {
    why: Why,
    /// Its number in the log, where nobody will ask any more for what happened since it was queued.
    ends: Option<u64>,
    /// Whether it was followed what it waited for, and for how long it was not found.
    is_followed: bool,
    unknown: Time,
    /// A channel it crossed that was slower than usual, or none.
    slow: ChannelId,
}

/// How late messages were, and why.
pub struct Late {
    log: Log,
    rules: Rules,
    /// By channel.
    sites: Vec<Site>,
    /// By place of a message.
    messages: Vec<Message>,
    count: u64,
    pieces: Vec<Piece>,
    scratch: Scratch,
    booker: Booker,
    /// Charges of a message that is done with, to be used again.
    unused: Vec<Charge>,
    /// By culprit, root channel and kind: the place among the charges of a message; scratch.
    places: Mixed<(u32, ChannelId, Kind), usize>,
    /// Whether it is followed who made messages wait.
    is_followed: bool,
    /// Whether that is added up over messages; else only those are followed that are asked for by [`Self::waited`].
    adds_up: bool,
    /// What is kept of a message that may still be asked for.
    aside: Aside,
    /// Whose waits are charged.
    victims: Victims,
    interval: Time,
    /// Those that have arrived and of which it is not known how long they take alone.
    unsettled: VecDeque<Unsettled>,
    /// When their data packets were queued, where that is noted.
    given: VecDeque<Vec<Time>>,
    /// Whether it is noted when packets are queued: software prepares them one by one.
    pub notes_packets: bool,
    /// The tables of the window.
    pub tables: Tables,
    /// Messages that have arrived since they were last taken, if they are kept.
    pub rows: Option<Vec<Why>>,
}

impl Late {
    /// Nothing has happened yet; the first batches are as long as `interval`; whether it is followed
    /// who made messages wait, and added up, and how many bytes may be taken for that.
    pub fn new(
        sites: Sites,
        interval: Time,
        victims: Victims,
        (is_followed, adds_up): (bool, bool),
        memory: u64,
    ) -> Self {
        let Sites { of, places, rules } = sites;
        let sites = [of, places.stations.sites().to_vec()].concat();
        Self {
            log: Log::new(places, rules.credit_ps, memory),
            rules,
            sites,
            messages: Vec::new(),
            count: 0,
            pieces: Vec::new(),
            scratch: Scratch::default(),
            booker: Booker::default(),
            unused: Vec::new(),
            places: Mixed::default(),
            tables: Tables::new(0, interval, &victims),
            is_followed,
            adds_up,
            aside: Aside {
                message: None,
                queued: NEVER,
                ends: (NodeId::NONE, NodeId::NONE),
                packets: Vec::new(),
                record: NOBODY,
            },
            victims,
            interval,
            unsettled: VecDeque::new(),
            given: VecDeque::new(),
            notes_packets: false,
            rows: None,
        }
    }

    /// Whether it is followed who made messages wait.
    pub fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Whether channels share wires.
    pub fn shares_wires(&self) -> bool {
        self.log.shares_wires()
    }

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
        let charges = self.charged(id);
        let label = self.messages[id.index()].label;
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

    /// Whether it is wanted of every message how late it was.
    pub fn adds_up(&self) -> bool {
        self.adds_up
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
            self.unused = why.charges;
        }
        (waited > late).then_some(late)
    }

    /// What a packet of a message that is there, or whose header is, has waited for, the latest first; whether it has.
    /// Nothing, if nobody can ask: more packets of its message are to come, and what they wait for will be all that
    /// matters. To be asked at the instant at which it is there.
    pub fn waited(
        &mut self,
        id: MessageId,
        packet: PacketId,
        now: Time,
        put: impl FnMut(Wait),
    ) -> bool {
        let Some(record) = self.asked_of(id, packet) else { return false };
        let message = &self.messages[id.index()];
        let of = (message.number, message.queued);
        let (rules, packets, scratch) = (self.rules, &message.packets, &mut self.scratch);
        let mut chain = Chain::new(&self.log, rules, of, packets, &mut self.pieces, scratch);
        chain.follow(record, now);
        self.put_pieces(message.ends, put)
    }

    /// The record of a packet of which it can be asked what it waited for.
    fn asked_of(&self, id: MessageId, packet: PacketId) -> Option<RecordId> {
        let message = &self.messages[id.index()];
        if !self.rules.asks_of_all && !message.is_whole() || !self.log.keeps(message.number) {
            return None;
        }
        let record = match self.log.record_of(packet) {
            NOBODY => message.opens.0,
            record => record,
        };
        let is_known = record != NOBODY && self.log.record(record).message == message.number;
        is_known.then_some(record)
    }

    /// Does something with the waits that have been found of a message between two nodes; whether there are any.
    fn put_pieces(&self, ends: (NodeId, NodeId), mut put: impl FnMut(Wait)) -> bool {
        for piece in self.pieces.iter().rev() {
            let (kind, label, channel) = self.root_of(piece, ends);
            put(Wait { kind, channel, label, span: (piece.begin, piece.begin + piece.time) });
        }
        !self.pieces.is_empty()
    }

    /// What sort of root a wait of a message between two nodes had, the label of the culprit, and the channel.
    fn root_of(&self, piece: &Piece, ends: (NodeId, NodeId)) -> (Kind, u32, ChannelId) {
        let &Piece { culprit, channel, .. } = piece;
        let kind = self.sites[channel.index()].kind(ends);
        let (kind, label) = if culprit == FAULT { (Kind::Fault, REST) } else { (kind, culprit) };
        (kind, label, self.log.stations().name(channel))
    }

    /// It may be asked later what a packet of a message waited for that has just arrived, instead of any other that
    /// has been set aside; false where that is not possible.
    pub fn sets_aside(&mut self, id: MessageId, packet: PacketId) -> bool {
        let Some(record) = self.asked_of(id, packet) else { return false };
        // Of acknowledged messages turns are kept until they are.
        if self.rules.has_acks {
            return false;
        }
        self.drops_aside();
        let message = &self.messages[id.index()];
        (self.aside.message, self.aside.record) = (Some(message.number), record);
        (self.aside.queued, self.aside.ends) = (message.queued, message.ends);
        self.aside.packets.clone_from(&message.packets);
        true
    }

    /// Nobody asks any more for the message that has been set aside.
    pub fn drops_aside(&mut self) {
        if let Some(number) = self.aside.message.take() {
            self.log.ends(number);
        }
    }

    /// What the packet waited for that has been set aside and was delivered then, as [`Self::waited`] puts it.
    pub fn waited_aside(&mut self, delivered: Time, put: impl FnMut(Wait)) -> bool {
        let &Aside { message, queued, ends, ref packets, record } = &self.aside;
        let Some(number) = message.filter(|&number| self.log.keeps(number)) else { return false };
        let (rules, of, scratch) = (self.rules, (number, queued), &mut self.scratch);
        let mut chain = Chain::new(&self.log, rules, of, packets, &mut self.pieces, scratch);
        chain.follow(record, delivered);
        self.put_pieces(ends, put)
    }

    /// When the message of which [`Self::settle`] is to be told next was queued, and each of its data
    /// packets, where that is noted.
    pub fn next_queued(&self) -> Option<(Time, &[Time])> {
        let given = self.given.front().map_or(&[][..], Vec::as_slice);
        self.unsettled.front().map(|first| (first.why.span.0, given))
    }

    /// The waits found, added up by culprit and root channel, in the order in which they began.
    fn charged(&mut self, id: MessageId) -> Vec<Charge> {
        let ends = self.messages[id.index()].ends;
        let mut charges = std::mem::take(&mut self.unused);
        charges.clear();
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        for piece in self.pieces.iter().rev() {
            let (kind, culprit, channel) = self.root_of(piece, ends);
            let time = piece.time;
            let key = (culprit, channel, kind);
            let key_of = |charge: &Charge| (charge.culprit, charge.channel, charge.kind);
            let is_same = |charge: &Charge| key_of(charge) == key;
            let place = if charges.len() <= FEW {
                charges.iter().position(is_same)
            } else {
                if places.is_empty() {
                    let known = charges.iter().enumerate();
                    places.extend(known.map(|(n, charge)| (key_of(charge), n)));
                }
                places.get(&key).copied()
            };
            if let Some(place) = place {
                charges[place].waited += time;
                continue;
            }
            if !places.is_empty() {
                places.insert(key, charges.len());
            }
            charges.push(Charge { culprit, channel, kind, waited: time, late: 0 });
        }
        self.places = places;
        charges
    }
}
