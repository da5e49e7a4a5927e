//! Who was sent when: turns of packets on channels, as long as anybody may ask for them.

use crate::ids::{ChannelId, PacketId};
use crate::time::{NEVER, Time};
use std::collections::{HashMap, VecDeque};

/// A packet's place among the records.
pub type RecordId = u32;

/// Stands for no record.
pub const NOBODY: RecordId = u32::MAX;

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

/// What is kept of a packet.
#[derive(Clone, Debug)]
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
    /// The channels it has crossed, in order.
    pub hops: Vec<Hop>,
    /// Whether it has been delivered, or lost.
    pub is_over: bool,
    /// Turns in the log, and whether it is on its way.
    pub held: u32,
}

/// The number of packets that have none.
pub const UNNUMBERED: u32 = u32::MAX;

/// A packet's turn on a channel: its record, and which of its hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The packet.
    pub record: RecordId,
    /// The hop.
    pub hop: u32,
}

/// The turns on a channel, in the order in which they began.
pub type Turns = VecDeque<Turn>;

/// The turns of one message on its private channels.
type Private = Vec<(ChannelId, Turns)>;

/// Turns on all channels.
pub struct Log {
    records: Vec<Record>,
    free: Vec<RecordId>,
    /// By packet.
    of_packet: Vec<RecordId>,
    /// By channel.
    shared: Vec<Turns>,
    /// By channel: whether every message has one of its own.
    is_private: Vec<bool>,
    /// How long after a packet has left a buffer its place there is known to be free.
    credit_ps: Time,
    /// By channel: the others on its wire.
    beside: Vec<Vec<ChannelId>>,
    /// By message.
    private: HashMap<u64, Private>,
    unused: Vec<Private>,
    /// Messages under way, the one queued first in front, with when; some of these may be over.
    under_way: VecDeque<(u64, Time)>,
    /// By message from the one in front on: whether it is over.
    over: VecDeque<bool>,
}

impl Log {
    /// Of channels of which some are private to every message, and some share wires with others.
    pub fn new(is_private: Vec<bool>, beside: Vec<Vec<ChannelId>>, credit_ps: Time) -> Self {
        Self {
            credit_ps,
            beside,
            records: Vec::new(),
            free: Vec::new(),
            of_packet: Vec::new(),
            shared: vec![Turns::new(); is_private.len()],
            is_private,
            private: HashMap::new(),
            unused: Vec::new(),
            under_way: VecDeque::new(),
            over: VecDeque::new(),
        }
    }

    /// The record of a packet on its way.
    pub fn record_of(&self, packet: PacketId) -> RecordId {
        self.of_packet.get(packet.index()).copied().unwrap_or(NOBODY)
    }

    /// What is kept of a packet.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id as usize]
    }

    /// The same, to be changed.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id as usize]
    }

    /// A hop of a turn.
    pub fn hop(&self, turn: Turn) -> &Hop {
        &self.record(turn.record).hops[turn.hop as usize]
    }

    /// The next message begins; they are numbered in this order.
    pub fn begins(&mut self, message: u64, now: Time) {
        self.under_way.push_back((message, now));
        self.over.push_back(false);
    }

    /// A message is over: nobody will ask for what happened before all others were queued.
    pub fn ends(&mut self, message: u64) {
        let Some(&(first, _)) = self.under_way.front() else { return };
        self.over[(message - first) as usize] = true;
        while self.over.front() == Some(&true) {
            self.over.pop_front();
            self.under_way.pop_front();
        }
        if let Some(mut private) = self.private.remove(&message) {
            for (_, turns) in &mut private {
                while let Some(turn) = turns.pop_front() {
                    self.lets_go(turn.record);
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
        self.records[id as usize].is_over = true;
        self.lets_go(id);
    }

    fn lets_go(&mut self, id: RecordId) {
        let record = &mut self.records[id as usize];
        record.held -= 1;
        if record.held == 0 {
            self.free.push(id);
        }
    }

    /// A packet starts on a channel.
    pub fn starts(&mut self, packet: PacketId, hop: Hop) {
        let id = self.record_of(packet);
        if id == NOBODY {
            return;
        }
        let record = &mut self.records[id as usize];
        let turn = Turn { record: id, hop: record.hops.len() as u32 };
        let message = record.message;
        record.hops.push(hop);
        record.held += 1;
        self.forget(hop.channel);
        self.turns_mut(hop.channel, message).push_back(turn);
    }

    /// The packet that was granted a channel last leaves it.
    pub fn left(&mut self, channel: ChannelId, at: Time) {
        let Some(&turn) = self.shared[channel.index()].back() else { return };
        self.records[turn.record as usize].hops[turn.hop as usize].end = at;
    }

    /// Turns on a channel of which nobody will ask any more are forgotten.
    fn forget(&mut self, channel: ChannelId) {
        if self.is_private[channel.index()] {
            return;
        }
        let since = self.under_way.front().map_or(NEVER, |&(_, queued)| queued);
        while let Some(&turn) = self.shared[channel.index()].front() {
            let until = self.hop(turn).end.max(self.cleared(turn));
            if until >= since {
                return;
            }
            self.shared[channel.index()].pop_front();
            self.lets_go(turn.record);
        }
    }

    fn turns_mut(&mut self, channel: ChannelId, message: u64) -> &mut Turns {
        if !self.is_private[channel.index()] {
            return &mut self.shared[channel.index()];
        }
        let unused = &mut self.unused;
        let all = self.private.entry(message).or_insert_with(|| unused.pop().unwrap_or_default());
        let place = all.iter().position(|&(of, _)| of == channel);
        let place = place.or_else(|| all.iter().position(|(_, turns)| turns.is_empty()));
        let place = place.unwrap_or_else(|| {
            all.push((channel, Turns::new()));
            all.len() - 1
        });
        all[place].0 = channel;
        &mut all[place].1
    }

    /// The turns on a channel, as a message knows it; none if there were none.
    pub fn turns(&self, channel: ChannelId, message: u64) -> Option<&Turns> {
        if !self.is_private[channel.index()] {
            return Some(&self.shared[channel.index()]);
        }
        let all = self.private.get(&message)?;
        all.iter().find(|&&(of, _)| of == channel).map(|(_, turns)| turns)
    }

    /// Whether channels share wires.
    pub fn shares_wires(&self) -> bool {
        !self.beside.is_empty()
    }

    /// The channels that share a channel's wire.
    pub fn beside(&self, channel: ChannelId) -> &[ChannelId] {
        self.beside.get(channel.index()).map_or(&[], Vec::as_slice)
    }

    /// When a packet is out of the buffer at the end of a channel; [`NEVER`] as long as that is not
    /// known.
    pub fn out(&self, turn: Turn) -> Time {
        let record = self.record(turn.record);
        let still = if record.is_over { 0 } else { NEVER };
        record.hops.get(turn.hop as usize + 1).map_or(still, |hop| hop.end)
    }

    /// When its place there is known to be free again, likewise.
    pub fn cleared(&self, turn: Turn) -> Time {
        self.out(turn).saturating_add(self.credit_ps)
    }

    /// The turn that went on just before an instant, by its place.
    pub fn before(&self, turns: &Turns, at: Time) -> Option<usize> {
        turns.partition_point(|&turn| self.hop(turn).start < at).checked_sub(1)
    }

    /// The packet that was in front in a first-in-first-out buffer just before an instant, by its place;
    /// `gone`: when packets are not there any more.
    pub fn in_front(
        &self,
        turns: &Turns,
        at: Time,
        gone: impl Fn(&Self, Turn) -> Time,
    ) -> Option<usize> {
        let place = turns.partition_point(|&turn| gone(self, turn) < at);
        let is_there = turns.get(place).is_some_and(|&turn| self.hop(turn).start < at);
        is_there.then_some(place)
    }
}
