//! Who was sent when: turns of packets on channels, as long as anybody may ask for them.

mod hops;

use super::copies::{Copies, Open};
use super::departures::{Departure, Departures};
use super::stations::{Service, Stations};
use super::turns::{Entry, RecordId, Turn, Turns};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::REST;
use crate::mixed::Mixed;
use crate::time::{NEVER, Time};
pub use hops::Hops;
use std::collections::VecDeque;

/// Stands for no record.
pub const NOBODY: RecordId = u32::MAX;

/// What waits for a link that is down are charged to.
pub const FAULT: u32 = REST - 1;

/// The number of no message, whose packet stands for all faults.
const OF_FAULTS: u64 = u64::MAX - 1;

/// A packet crosses a channel.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The channel it has started on.
    pub channel: ChannelId,
    /// When it could have started there, had nobody else been there.
    pub ready: Time,
    /// When it started.
    pub start: Time,
    /// When the channel could be granted again; [`NEVER`] as long as that is not known.
    pub end: Time,
    /// How long its header takes to where it can ask for the next, and the whole packet to the other
    /// end, if nobody else uses the wire; 0: nobody else ever does.
    pub takes: [Time; 2],
}

/// What is kept of a packet: what every hop needs, and its first hop, in one line of a cache, the next in another.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub struct Record {
    /// The number of its message among all messages of the run.
    pub message: u64,
    /// What its message is charged as.
    pub label: u32,
    /// How many packets of its message were queued before it; acknowledgements are not numbered.
    pub number: u32,
    /// What it takes in a buffer, in flits.
    pub size: u32,
    /// The packet by whose arrival its window opened, or which it acknowledges.
    pub cause: RecordId,
    /// The channel that it crossed latest of those that were slower than usual, or none.
    pub slow: ChannelId,
    /// Turns in the log, and whether it is on its way.
    pub held: u32,
    /// What it waits for, where it has not started yet and that is known.
    pub asks: Asks,
    /// The channels it has crossed, in order, and the number of its turn on each.
    pub hops: Hops,
}

/// What a packet waits for on its next hop.
#[derive(Clone, Copy, Debug)]
pub struct Asks {
    /// Since when.
    since: Time,
    /// The lead of the group of channels, or none.
    channel: ChannelId,
}

/// It is not known that a packet waits.
pub const NOTHING: Asks = Asks { since: NEVER, channel: ChannelId::NONE };

/// A packet that waits for a channel on which it has not started yet.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The lead of the group it waits for.
    pub channel: ChannelId,
    /// The turn to come.
    pub entry: Entry,
}

impl Waiting {
    /// For a turn to come, since then.
    pub fn new(turn: Turn, channel: ChannelId, since: Time) -> Self {
        let entry = Entry { turn, ready: since, start: NEVER, end: NEVER, out: NEVER };
        Self { channel, entry }
    }
}

/// What a packet without hops takes, and each of its hops, in bytes.
const OF_RECORD: (usize, usize) = (56, 8);

/// A packet could not cross a channel until another had left its node.
#[derive(Clone, Copy, Debug)]
struct Lacked {
    /// Which of its hops it could not cross.
    hop: u32,
    until: Time,
    by: RecordId,
}

/// A wait for a link that was down.
#[derive(Clone, Copy, Debug)]
pub struct Detained {
    /// Which of the packet's hops it was to be.
    hop: u32,
    /// The channel it waited for.
    pub channel: ChannelId,
    /// When that began.
    pub from: Time,
    /// When it went elsewhere.
    until: Time,
}

/// The number of packets that have none.
pub const UNNUMBERED: u32 = u32::MAX;

/// The turns of one message on its private channels.
type Private = Vec<(ChannelId, Turns)>;

/// Messages that are dropped at once where there is no memory for all: one of so many.
const DROPPED: usize = 8;

/// A turn that was over before anybody asked.
const LONG_AGO: Entry =
    Entry { turn: Turn { record: NOBODY, hop: 0 }, ready: 0, start: 0, end: 0, out: 0 };

/// Turns on all channels.
pub struct Log {
    records: Vec<Record>,
    free: Vec<RecordId>,
    /// By packet.
    of_packet: Vec<RecordId>,
    /// By channel.
    shared: Vec<Turns>,
    /// Where packets leave buffers in any order: when they do.
    departures: Option<Departures>,
    /// While it is told of those who wait at this instant: what for.
    standing: Mixed<RecordId, Waiting>,
    /// By channel that was down: from when until when.
    down: Mixed<ChannelId, Vec<(Time, Time)>>,
    /// What stands for all faults, where there are any.
    fault: RecordId,
    /// By packet that has waited for a link that was down, and crossed another: where, and when.
    detained: Mixed<RecordId, Vec<Detained>>,
    /// By packet that had to wait for a place at its node: how long, and for whom.
    lacked: Mixed<RecordId, Lacked>,
    /// Turns in copies of the network that have not ended.
    copies: Copies,
    /// Turns on these.
    kept: usize,
    /// By channel: whether every message has one of its own.
    is_private: Vec<bool>,
    /// By channel, where copies of the network share those of nodes: the first of those of its group, and how
    /// many these are.
    alike: Vec<(ChannelId, u16)>,
    /// How long after a packet has left a buffer its place there is known to be free.
    credit_ps: Time,
    /// By channel: the others on its wire.
    beside: Vec<Vec<ChannelId>>,
    stations: Stations,
    /// By channel, where switches tell their neighbours to pause: those out of the switch at its end.
    outgoing: Vec<Vec<ChannelId>>,
    /// By channel, where packets for all channels out of a node wait in one list: that node.
    lists: Vec<NodeId>,
    /// By node: the first turns of packets that stood in its list.
    listed: Vec<Turns>,
    /// By message.
    private: Mixed<u64, Private>,
    unused: Vec<Private>,
    /// Messages under way, the one queued first in front, with when; some of these may be over.
    under_way: VecDeque<(u64, Time)>,
    /// By message from the one in front on: whether it is over.
    over: VecDeque<bool>,
    /// Bytes that all this may take.
    memory: u64,
    /// The first message of which turns are kept, as far as that is said by number: those before were
    /// under way for so long that there was no memory for all that happened meanwhile.
    first_kept: u64,
}

/// Where packets take turns.
pub struct Places {
    /// By channel, and by station: whether every message has one of its own.
    pub is_private: Vec<bool>,
    /// By channel, where copies of the network share those of nodes: the first of those of its group, and how
    /// many these are.
    pub alike: Vec<(ChannelId, u16)>,
    /// By channel: the others on its wire; empty where nobody shares one.
    pub beside: Vec<Vec<ChannelId>>,
    /// By channel, where switches have queues for each output: how many packets the input at its end may send
    /// at a time.
    pub speedups: Option<Vec<u16>>,
    /// What there is besides channels.
    pub stations: Stations,
    /// By channel, where switches tell their neighbours to pause: those out of the switch at its end.
    pub outgoing: Vec<Vec<ChannelId>>,
    /// By channel, where packets for all channels out of a node wait in one list: that node.
    pub lists: Vec<NodeId>,
}

impl Log {
    /// Nothing has happened; kept in so many bytes.
    pub fn new(places: Places, credit_ps: Time, memory: u64) -> Self {
        let Places { is_private, alike, beside, speedups, stations, outgoing, lists } = places;
        let nodes = lists.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let numbers = is_private.len();
        let speedups = speedups.map(|mut speedups| {
            speedups.resize(numbers, u16::MAX);
            speedups
        });
        Self {
            credit_ps,
            shared: vec![Turns::default(); is_private.len()],
            stations,
            outgoing,
            lists,
            listed: vec![Turns::default(); nodes],
            detained: Mixed::default(),
            lacked: Mixed::default(),
            copies: Copies::default(),
            kept: 0,
            departures: speedups.map(Departures::new),
            standing: Mixed::default(),
            down: Mixed::default(),
            fault: NOBODY,
            beside,
            records: Vec::new(),
            free: Vec::new(),
            of_packet: Vec::new(),
            is_private,
            alike,
            private: Mixed::default(),
            unused: Vec::new(),
            under_way: VecDeque::new(),
            over: VecDeque::new(),
            memory,
            first_kept: 0,
        }
    }

    /// The record of a packet on its way.
    #[inline]
    pub fn record_of(&self, packet: PacketId) -> RecordId {
        self.of_packet.get(packet.index()).copied().unwrap_or(NOBODY)
    }

    /// What is kept of a packet.
    #[inline]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id as usize]
    }

    /// A turn; one of long ago, if it has been forgotten.
    #[inline]
    pub fn entry(&self, turn: Turn) -> Entry {
        let record = self.record(turn.record);
        let Some(&(channel, number)) = record.hops.get(turn.hop as usize) else {
            return self.waiting(turn).map_or(LONG_AGO, |waiting| waiting.entry);
        };
        let turns = self.turns(channel, record.message);
        turns.and_then(|turns| turns.at(number)).copied().unwrap_or(LONG_AGO)
    }

    /// The channel of a turn.
    #[inline]
    pub fn channel(&self, turn: Turn) -> ChannelId {
        if let Some(&(channel, _)) = self.record(turn.record).hops.get(turn.hop as usize) {
            return channel;
        }
        self.waiting(turn).map_or(ChannelId::NONE, |waiting| waiting.channel)
    }

    /// Whether a packet waits for a channel on which it has not started yet, just before an instant.
    pub fn waits(&self, turn: Turn, at: Time) -> bool {
        self.waiting(turn).is_some_and(|waiting| waiting.entry.ready < at)
    }

    /// The channel that a packet waits for on which it has not started yet, where that is known.
    fn waiting(&self, turn: Turn) -> Option<Waiting> {
        let known = self.asking(turn.record).filter(|is| is.entry.turn == turn);
        known
            .or_else(|| self.standing.get(&turn.record).filter(|is| is.entry.turn == turn).copied())
    }

    /// The same of a packet that has said so.
    #[inline]
    fn asking(&self, id: RecordId) -> Option<Waiting> {
        let &Record { asks, ref hops, .. } = self.record(id);
        let turn = Turn { record: id, hop: hops.len() as u32 };
        asks.channel.is_some().then(|| Waiting::new(turn, asks.channel, asks.since))
    }

    /// Turns on a channel that are still to come, of those who wait for it, where that is known.
    pub fn to_come(&self, channel: ChannelId) -> impl Iterator<Item = Entry> {
        let asking = self.departures.as_ref().map_or(&[][..], |of| of.asking(channel));
        asking.iter().filter_map(|&id| self.asking(id)).map(|waiting| waiting.entry)
    }

    /// What packets wait for at this instant, as long as that is told of; nothing, when it has been.
    pub fn stand(&mut self, standing: Mixed<RecordId, Waiting>) {
        self.standing = standing;
    }

    /// Since when a packet waits, or will, where it is told of those.
    pub fn waits_since(&self, id: RecordId) -> Time {
        self.standing.get(&id).map_or(NEVER, |waiting| waiting.entry.ready)
    }

    /// Packets on their way, and their records.
    pub fn on_their_way(&self) -> impl Iterator<Item = (PacketId, RecordId)> {
        let all = self.of_packet.iter().enumerate();
        let all = all.map(|(packet, &id)| (PacketId::from_index(packet), id));
        all.filter(|&(_, id)| id != NOBODY)
    }

    /// A channel is down in a span of time.
    pub fn is_down(&mut self, channel: ChannelId, (from, until): (Time, Time)) {
        if self.fault == NOBODY {
            self.fault = self.records.len() as RecordId;
            self.records.push(Record {
                message: OF_FAULTS,
                label: FAULT,
                number: UNNUMBERED,
                size: 0,
                cause: NOBODY,
                slow: ChannelId::NONE,
                held: 1,
                asks: NOTHING,
                hops: Hops::default(),
            });
        }
        let spans = self.down.entry(channel).or_default();
        if spans.last().is_none_or(|&(_, last)| last < until) {
            spans.push((from, until));
        }
    }

    /// A packet has waited for a channel that is down, and waits for it no more.
    pub fn leaves_link(
        &mut self,
        packet: PacketId,
        channel: ChannelId,
        (since, until): (Time, Time),
    ) {
        let id = self.record_of(packet);
        let Some(down) = self.down_since(channel, until).filter(|_| id != NOBODY) else { return };
        let hop = self.records[id as usize].hops.len() as u32;
        let from = since.max(down);
        if from < until {
            self.detained.entry(id).or_default().push(Detained { hop, channel, from, until });
        }
    }

    /// The channel that was down, for which a packet waited just before an instant that crossed another.
    pub fn detained(&self, turn: Turn, at: Time) -> Option<&Detained> {
        if self.detained.is_empty() {
            return None;
        }
        let is_it = |one: &&Detained| one.hop == turn.hop && one.from < at && at <= one.until;
        self.detained.get(&turn.record)?.iter().find(is_it)
    }

    /// Since when a packet has waited for links that were down, before it crossed a channel; never if it has not.
    pub fn detained_since(&self, turn: Turn) -> Time {
        if self.detained.is_empty() {
            return NEVER;
        }
        let of_hop = self.detained.get(&turn.record).into_iter().flatten();
        of_hop.filter(|one| one.hop == turn.hop).map(|one| one.from).min().unwrap_or(NEVER)
    }

    /// A packet crosses a channel that is slower than usual.
    pub fn is_slow(&mut self, packet: PacketId, channel: ChannelId) {
        let id = self.record_of(packet);
        if id != NOBODY {
            self.records[id as usize].slow = channel;
        }
    }

    /// Since when a channel was down just before an instant, if it was.
    pub fn down_since(&self, channel: ChannelId, at: Time) -> Option<Time> {
        if self.fault == NOBODY {
            return None;
        }
        let spans = self.down.get(&channel)?;
        let &(from, _) = spans.get(spans.partition_point(|&(_, until)| until < at))?;
        (from < at).then_some(from)
    }

    /// What stands for all faults.
    pub fn fault(&self) -> RecordId {
        self.fault
    }

    /// How many channels and stations there are.
    pub fn numbers(&self) -> usize {
        self.shared.len()
    }

    /// Where packets leave buffers in any order: one waits for a channel from now on.
    pub fn begins_to_wait(&mut self, packet: PacketId, channel: ChannelId, now: Time) {
        let id = self.record_of(packet);
        if let Some(departures) = self.departures.as_mut().filter(|_| id != NOBODY) {
            self.records[id as usize].asks = Asks { since: now, channel };
            departures.begins_to_wait(channel, id);
        }
    }

    /// How long its header takes there, and the whole packet, if nobody else uses the wire; 0: nobody
    /// else does.
    pub fn takes(&self, turn: Turn) -> [Time; 2] {
        let record = self.record(turn.record);
        let (channel, number) = record.hops[turn.hop as usize];
        self.turns(channel, record.message).map_or([0; 2], |turns| turns.takes(number))
    }

    /// The next message begins; they are numbered in this order.
    pub fn begins(&mut self, message: u64, now: Time) {
        self.under_way.push_back((message, now));
        self.over.push_back(false);
    }

    /// Whether turns are kept since a message that is under way was queued.
    pub fn keeps(&self, message: u64) -> bool {
        message >= self.first_kept
    }

    /// A message is over: nobody will ask for what happened before all others were queued.
    pub fn ends(&mut self, message: u64) {
        if let Some(&(first, _)) = self.under_way.front()
            && let Some(place) = message.checked_sub(first)
        {
            self.over[place as usize] = true;
            while self.over.front() == Some(&true) {
                self.over.pop_front();
                self.under_way.pop_front();
            }
        }
        if !self.private.is_empty()
            && let Some(mut private) = self.private.remove(&message)
        {
            for (_, turns) in &mut private {
                while let Some(record) = turns.pop() {
                    self.lets_go(record);
                }
            }
            self.unused.push(private);
        }
    }

    /// A packet is queued.
    pub fn joins(&mut self, packet: PacketId, record: Record) -> RecordId {
        let id = if let Some(id) = self.free.pop() {
            let old = &mut self.records[id as usize];
            let mut hops = std::mem::take(&mut old.hops);
            hops.clear();
            *old = Record { hops, ..record };
            id
        } else {
            self.records.push(record);
            self.records.len() as RecordId - 1
        };
        if self.of_packet.len() <= packet.index() {
            self.of_packet.resize(packet.index() + 1, NOBODY);
        }
        self.of_packet[packet.index()] = id;
        id
    }

    /// A packet that has been delivered, or lost.
    pub fn leaves(&mut self, packet: PacketId) {
        let id = std::mem::replace(&mut self.of_packet[packet.index()], NOBODY);
        if let Some(entry) = self.last_entry_mut(id) {
            entry.out = 0;
        }
        self.lets_go(id);
    }

    /// A packet that has been lost: who waits for it finds its turns all the same.
    pub fn loses(&mut self, packet: PacketId) {
        if let Some(id) = self.of_packet.get_mut(packet.index()) {
            *id = NOBODY;
        }
    }

    #[inline]
    fn lets_go(&mut self, id: RecordId) {
        let record = &mut self.records[id as usize];
        record.held -= 1;
        if record.held == 0 {
            self.free.push(id);
            if !self.lacked.is_empty() {
                self.lacks_no_more(id);
            }
            if !self.detained.is_empty() {
                self.detained.remove(&id);
            }
        }
    }

    /// Nobody asks any more what a packet lacked.
    #[cold]
    fn lacks_no_more(&mut self, id: RecordId) {
        if let Some(Lacked { by, .. }) = self.lacked.remove(&id) {
            self.lets_go(by);
        }
    }

    /// A packet lacks nothing any more at its node, where it had to wait until another left that.
    pub fn gets_place(&mut self, packet: PacketId, by: RecordId, now: Time) {
        let id = self.record_of(packet);
        if id == NOBODY || by == NOBODY {
            return;
        }
        self.records[by as usize].held += 1;
        let hop = self.records[id as usize].hops.len() as u32;
        self.lacked.insert(id, Lacked { hop, until: now, by });
    }

    /// The packet that was to leave its node before another could cross a channel to that, just before an
    /// instant; that is to start there.
    pub fn lacked(&self, turn: Turn, at: Time) -> Option<Turn> {
        if self.lacked.is_empty() {
            return None;
        }
        let &Lacked { hop, until, by } = self.lacked.get(&turn.record)?;
        (hop == turn.hop && at <= until).then_some(Turn { record: by, hop: 0 })
    }

    /// A packet starts on a channel.
    pub fn starts(&mut self, packet: PacketId, hop: Hop) {
        let id = self.record_of(packet);
        if id == NOBODY {
            return;
        }
        let Hop { channel: named, mut ready, start, end, takes } = hop;
        let channel = if self.copies.is_inside() { self.free_alike(named, start) } else { named };
        if !self.is_private[channel.index()] && self.shared[channel.index()].is_full() {
            self.forget(channel);
        }
        let record = &mut self.records[id as usize];
        let (message, hop) = (record.message, record.hops.len() as u32);
        let before = record.hops.last().copied();
        let asked = std::mem::replace(&mut record.asks, NOTHING).channel;
        record.held += 1;
        if let Some((from, number)) = before {
            let is_served = self.stations.has(from);
            if let Some(entry) = self.turns_mut(from, message).at_mut(number) {
                if is_served {
                    ready = ready.max(entry.out);
                } else {
                    entry.out = end;
                }
            }
        }
        let entry = Entry { turn: Turn { record: id, hop }, ready, start, end, out: NEVER };
        if hop == 0 && !self.lists.is_empty() {
            self.leaves_list(channel, Entry { end: start, out: 0, ..entry });
        }
        let has_takes = !self.beside.is_empty();
        let number = self.turns_mut(channel, message).push(entry, has_takes.then_some(takes));
        if let (Some(departures), Some((from, _))) = (&mut self.departures, before) {
            departures.waits_no_more(asked, id);
            departures.push(from, Departure { turn: entry.turn, start, end });
        }
        self.records[id as usize].hops.push((channel, number));
        if end == NEVER && self.copies.is_inside() {
            self.copies.begins(named, entry.turn, message);
        }
        self.kept += usize::from(!self.is_private[channel.index()]);
    }

    /// The channel of a node on which a packet starts that does so, in its copy of the network, on another of the
    /// group: of those that were free the one that was so for the shortest time.
    fn free_alike(&self, channel: ChannelId, start: Time) -> ChannelId {
        let Some(&(first, width)) = self.alike.get(channel.index()).filter(|of| of.1 > 1) else {
            return channel;
        };
        let all = (first.0..first.0 + u32::from(width)).map(ChannelId);
        let ends = |of: &ChannelId| self.shared[of.index()].last().map_or(0, |last| last.end);
        let free = all.filter(|of| ends(of) <= start).max_by_key(|of| (ends(of), *of == channel));
        free.unwrap_or(channel)
    }

    /// A packet has its turn at the station at the end of the channel that it crossed last, if there is one.
    pub fn serves(&mut self, packet: PacketId, service: Service) {
        let id = self.record_of(packet);
        if id == NOBODY {
            return;
        }
        let last = self.records[id as usize].hops.last();
        let Some(channel) = last.and_then(|&(channel, _)| self.stations.behind(channel)) else {
            return;
        };
        let Service { ready, start, end, done } = service;
        self.starts(packet, Hop { channel, ready, start, end, takes: [0; 2] });
        if let Some(entry) = self.last_entry_mut(id) {
            entry.out = done;
        }
    }

    /// A packet is at the head of its node's list no more.
    #[cold]
    fn leaves_list(&mut self, channel: ChannelId, entry: Entry) {
        let (since, node) = (self.since(), self.lists[channel.index()].index());
        if self.listed[node].is_full() {
            while let Some(record) = self.listed[node].forget(since, 0) {
                self.lets_go(record);
            }
            self.listed[node].leave_room();
        }
        self.records[entry.turn.record as usize].held += 1;
        self.listed[node].push(entry, None);
    }

    /// The first turns of packets that stood in the list in which a packet waits for its first channel, if
    /// there are lists.
    #[inline]
    pub fn listed(&self, channel: ChannelId) -> Option<&Turns> {
        self.listed.get(self.lists.get(channel.index())?.index())
    }

    /// What packets take turns at besides channels.
    #[inline]
    pub fn stations(&self) -> &Stations {
        &self.stations
    }

    /// Where switches tell their neighbours to pause: the channels out of the switch at a channel's end.
    #[inline]
    pub fn beyond(&self, channel: ChannelId) -> &[ChannelId] {
        self.outgoing.get(channel.index()).map_or(&[], Vec::as_slice)
    }

    /// The turn of a packet that began last.
    #[inline]
    fn last_entry_mut(&mut self, id: RecordId) -> Option<&mut Entry> {
        let hop = self.records[id as usize].hops.len().checked_sub(1)?;
        self.entry_mut(Turn { record: id, hop: hop as u32 })
    }

    /// A turn, to be changed.
    #[inline]
    fn entry_mut(&mut self, turn: Turn) -> Option<&mut Entry> {
        let record = &self.records[turn.record as usize];
        let (&(channel, number), message) = (record.hops.get(turn.hop as usize)?, record.message);
        self.turns_mut(channel, message).at_mut(number)
    }

    /// The packet that a channel was granted to last starts there.
    pub fn started(&mut self, packet: PacketId, start: Time) {
        let id = self.record_of(packet);
        if id != NOBODY
            && let Some(entry) = self.last_entry_mut(id)
        {
            entry.start = start;
        }
    }

    /// The first packet that was granted a channel and has not left it leaves it.
    pub fn left(&mut self, channel: ChannelId, at: Time) {
        if self.copies.is_inside() {
            if let Some(open) = self.copies.leaves(channel) {
                self.left_copy(open, at);
            }
            return;
        }
        let Some(entry) = self.shared[channel.index()].leaving_mut() else { return };
        entry.end = at;
        let turn = entry.turn;
        self.leaves_before(turn, at);
    }

    /// A packet is out of the buffer that it stood in before a turn.
    #[inline]
    fn leaves_before(&mut self, turn: Turn, at: Time) {
        if let Some(hop) = turn.hop.checked_sub(1)
            && let Some(entry) = self.entry_mut(Turn { hop, ..turn })
        {
            entry.out = at;
        }
    }

    /// A turn in a copy has ended, unless nobody will ask for it.
    fn left_copy(&mut self, Open { turn, message, .. }: Open, at: Time) {
        if self.record(turn.record).message == message
            && let Some(entry) = self.entry_mut(turn)
        {
            entry.end = at;
            self.leaves_before(turn, at);
        }
    }

    /// What happens from now on does in a copy of the network, by its number, or (0) in the network itself.
    pub fn enter_copy(&mut self, copy: u64) {
        self.copies.enter(copy);
    }

    /// Nobody is any more in the copy in which something happens.
    pub fn close_copy(&mut self, now: Time) {
        for open in self.copies.closes() {
            self.left_copy(open, now);
        }
    }

    /// Turns on a channel of which nobody will ask any more are forgotten.
    #[cold]
    #[inline(never)]
    fn forget(&mut self, channel: ChannelId) {
        self.forget_before(channel, self.since());
        if self.bytes() > self.memory {
            self.drop_messages();
        }
    }

    /// Since when turns are kept.
    pub fn since(&self) -> Time {
        self.under_way.front().map_or(NEVER, |&(_, queued)| queued)
    }

    fn forget_before(&mut self, channel: ChannelId, since: Time) {
        while let Some(record) = self.shared[channel.index()].forget(since, self.credit_ps) {
            self.lets_go(record);
            self.kept -= 1;
        }
        if let Some(departures) = &mut self.departures {
            departures.forget(channel, since);
        }
        self.shared[channel.index()].leave_room();
    }

    /// About what all this takes, in bytes.
    fn bytes(&self) -> u64 {
        let of_departures = if self.departures.is_some() { size_of::<Departure>() } else { 0 };
        let (of_turns, (of_record, of_hop)) = (size_of::<Entry>() + of_departures, OF_RECORD);
        ((self.kept * (of_turns + of_hop)) + self.records.len() * of_record) as u64
    }

    /// There is no memory for all that happened since the messages were queued that have been under way
    /// for longest: it will not be known what they waited for.
    fn drop_messages(&mut self) {
        while self.bytes() > self.memory && self.under_way.len() > 1 {
            for _ in 0..self.under_way.len().div_ceil(DROPPED) {
                self.over.pop_front();
                self.under_way.pop_front();
            }
            self.first_kept = self.under_way.front().map_or(self.first_kept, |&(first, _)| first);
            let since = self.since();
            for channel in 0..self.shared.len() {
                self.forget_before(ChannelId::from_index(channel), since);
            }
        }
    }

    #[inline]
    fn turns_mut(&mut self, channel: ChannelId, message: u64) -> &mut Turns {
        if !self.is_private[channel.index()] {
            return &mut self.shared[channel.index()];
        }
        self.private_turns_mut(channel, message)
    }

    fn private_turns_mut(&mut self, channel: ChannelId, message: u64) -> &mut Turns {
        let unused = &mut self.unused;
        let all = self.private.entry(message).or_insert_with(|| unused.pop().unwrap_or_default());
        let place = all.iter().position(|&(of, _)| of == channel);
        let place = place.or_else(|| all.iter().position(|(_, turns)| turns.is_empty()));
        let place = place.unwrap_or_else(|| {
            all.push((channel, Turns::default()));
            all.len() - 1
        });
        all[place].0 = channel;
        &mut all[place].1
    }

    /// The turns on a channel, as a message knows it; none if there were none.
    #[inline]
    pub fn turns(&self, channel: ChannelId, message: u64) -> Option<&Turns> {
        if !self.is_private[channel.index()] {
            return Some(&self.shared[channel.index()]);
        }
        let all = self.private.get(&message)?;
        all.iter().find(|&&(of, _)| of == channel).map(|(_, turns)| turns)
    }

    /// When packets leave buffers, where they do in any order.
    #[inline]
    pub fn departures(&self) -> Option<&Departures> {
        self.departures.as_ref()
    }

    /// Whether channels share wires.
    #[inline]
    pub fn shares_wires(&self) -> bool {
        !self.beside.is_empty()
    }

    /// The channels that share a channel's wire.
    pub fn beside(&self, channel: ChannelId) -> &[ChannelId] {
        self.beside.get(channel.index()).map_or(&[], Vec::as_slice)
    }

    /// When the place of a packet in the buffer at the end of a channel is known to be free again;
    /// [`NEVER`] as long as that is not known.
    #[inline]
    pub fn cleared(&self, entry: &Entry) -> Time {
        entry.out.saturating_add(self.credit_ps)
    }
}
