//! Who made whom wait, and how: every wait of every packet is charged to one cause.
//!
//! [`Blame`] is told when packets ask, are granted a channel, start and fall free. When a
//! packet starts on a channel its wait for that is cut into pieces, each charged to
//! whoever had his turn then ([`Charge`]); when it has been delivered its charges are
//! added to the tables of the window ([`Tables`]). The rules are in `docs/model.md`.

mod log;
mod sums;

pub use log::{Log, Turn};
pub use sums::{BATCHES, Batches, Key, MOST_KEYS, REST, Sum, Sums};

use crate::ids::{ChannelId, PacketId};
use crate::measure::{Class, PacketRow};
use crate::time::{NEVER, Time};

/// Why a packet waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// In its node's output queue, for packets sent before it.
    Throttling,
    /// For an output held by a packet that was granted it before this one asked.
    OutputBusy,
    /// For an output that another was granted while this one was waiting for it.
    Arbitration,
    /// For room in the next buffer.
    BufferFull,
    /// Behind another packet in an input buffer.
    HeadOfLine,
    /// For a wire that another virtual channel, or flow control, used.
    SharedWire,
    /// Later flits were stopped after its first had gone on.
    Stretched,
}

impl Cause {
    /// All causes, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 7] = [
        (Self::Throttling, "throttling"),
        (Self::OutputBusy, "output_busy"),
        (Self::Arbitration, "arbitration"),
        (Self::BufferFull, "buffer_full"),
        (Self::HeadOfLine, "head_of_line"),
        (Self::SharedWire, "shared_wire"),
        (Self::Stretched, "stretched"),
    ];
}

/// A piece of a packet's waiting time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The channel it waited for.
    pub channel: ChannelId,
    /// Where those that stood in its way wait for each other at last.
    pub root: ChannelId,
    /// The traffic class of who stood in its way.
    pub culprit: u32,
    /// Why it waited.
    pub cause: Cause,
    /// How long.
    pub time: Time,
}

/// Who is to blame in the end: a traffic class, and the channel it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The traffic class.
    pub class: u32,
    /// The channel.
    pub channel: ChannelId,
}

/// Since when packets have waited, as far as a packet that is granted a channel knows.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    /// It was itself ready to go on.
    pub ready: Time,
    /// Others have asked for the channel.
    pub asked: Time,
    /// Others have been behind it in the buffer it leaves.
    pub behind: Time,
}

/// Whether the turns of a packet whose wait is charged have been noted.
#[derive(Clone, Copy)]
enum Turns {
    Noted,
    ToCome,
}

/// From when on a packet that might start lacks what it needs.
#[derive(Clone, Copy, Debug)]
struct Stall {
    from: Time,
    cause: Cause,
    root: Root,
}

/// What is kept of a packet on its way.
#[derive(Clone, Debug)]
struct Record {
    class: u32,
    /// The channel it was granted last, or none.
    head: ChannelId,
    /// The channel whose buffer it leaves, or left last; none: its node's queue.
    from: ChannelId,
    /// When it asked ([`NEVER`]: has not waited since it started last), was granted a channel, and starts on it ([`NEVER`]: unknown).
    asked: Time,
    granted: Time,
    start: Time,
    /// Where the tree of those it waits behind has its root, as found when it asked.
    asked_root: Option<ChannelId>,
    /// Where what it waited for at its last channel has its root: that channel, if it did not.
    root: ChannelId,
    /// The lead of the group where it keeps others waiting while it waits for room, or none.
    keeps: ChannelId,
    stalls: Vec<Stall>,
    charges: Vec<Charge>,
    /// Who was in its way last.
    last: Root,
}

/// All charges of a delivered packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The packet.
    pub packet: PacketRow,
    /// Its traffic class.
    pub class: u32,
    /// Its lifetime without contention.
    pub alone: Time,
    /// In order of time.
    pub charges: Vec<Charge>,
}

/// The tables of a window.
#[derive(Clone)]
pub struct Tables {
    /// By victim and culprit: pieces of waits, and time.
    pub pairs: Sums,
    /// The same by channel waited for.
    pub channels: Sums,
    /// By root channel: pieces of waits, and time.
    pub roots: Sums,
    /// By victim: packets delivered; in batches: messages whose last packet that was.
    pub victims: Sums,
    /// The batches of all of them.
    pub batches: Batches,
    /// Charges that are still to be added: many at once, so that cache misses overlap.
    pending: Vec<Pending>,
}

/// A charge that is to be added to the tables.
#[derive(Clone, Copy)]
struct Pending {
    key: Key,
    root: ChannelId,
    batch: u32,
    time: Time,
}

/// Charges that are added to the tables at once.
const AT_ONCE: usize = 1 << 10;
/// The first batches are this many sample intervals long.
const FIRST_BATCH: Time = 8;

/// Who made whom wait.
pub struct Blame {
    records: Vec<Record>,
    /// By channel (where whole packets share a wire: by wire): who held it.
    holders: Vec<Log>,
    /// By channel: who was at the front of the buffer at its end.
    fronts: Vec<Log>,
    /// By lead: the packet granted that waits for room and keeps the others waiting.
    keepers: Vec<PacketId>,
    /// The tables of the window.
    pub tables: Tables,
    /// Charges packet by packet since they were last taken, if recorded.
    pub packets: Option<Vec<Charged>>,
    /// By channel: the first of its wire, where whole packets are sent over shared wires;
    /// else empty.
    wires: Vec<ChannelId>,
    interval: Time,
}

impl Blame {
    /// Nothing has happened yet; the first batches are as long as `interval`. `wires`: by
    /// channel, if each is held by whole packets.
    pub fn new(channels: usize, wires: Vec<ChannelId>, interval: Time, record: bool) -> Self {
        Self {
            wires,
            records: Vec::new(),
            holders: vec![Log::default(); channels],
            fronts: vec![Log::default(); channels],
            keepers: vec![PacketId::NONE; channels],
            tables: Tables::new(0, interval),
            packets: record.then(Vec::new),
            interval,
        }
    }

    /// A new measurement window begins. What packets on their way have been charged stays.
    pub fn begin_window(&mut self, now: Time) {
        self.tables = Tables::new(now, self.interval);
    }

    /// A packet of a traffic class enters its node's output queue.
    #[cold]
    #[inline(never)]
    pub fn queued(&mut self, id: PacketId, class: u32, now: Time) {
        let none = ChannelId::NONE;
        let fresh = |stalls, charges| Record {
            class,
            head: none,
            from: none,
            asked: now,
            granted: NEVER,
            start: now,
            asked_root: None,
            root: none,
            keeps: none,
            stalls,
            charges,
            last: Root { class, channel: none },
        };
        while self.records.len() <= id.index() {
            self.records.push(fresh(Vec::new(), Vec::new()));
        }
        let record = &mut self.records[id.index()];
        let (mut stalls, mut charges) =
            (std::mem::take(&mut record.stalls), std::mem::take(&mut record.charges));
        stalls.clear();
        charges.clear();
        *record = fresh(stalls, charges);
    }

    /// A packet at the front of a buffer asks for an output; `root`: where those that hold
    /// it wait for each other at last.
    pub fn asks(&mut self, id: PacketId, now: Time, root: Option<Root>) {
        let record = &mut self.records[id.index()];
        record.asked = now;
        record.asked_root = root.map(|root| root.channel);
    }

    /// A packet that might start does not, from now on, because of `cause`.
    pub fn stalls(&mut self, id: PacketId, now: Time, cause: Cause, root: Root) {
        let record = &mut self.records[id.index()];
        if record.stalls.last().is_none_or(|last| (last.cause, last.root) != (cause, root)) {
            record.stalls.push(Stall { from: now, cause, root });
        }
    }

    /// Flits of a packet that has started wait for those of another.
    pub fn slowed(&mut self, id: PacketId, root: Root) {
        self.records[id.index()].last = root;
    }

    /// Whether a packet that might start is known to lack room.
    pub fn lacks_room(&self, id: PacketId) -> bool {
        let last = self.records[id.index()].stalls.last();
        last.is_some_and(|stall| stall.cause == Cause::BufferFull)
    }

    /// The traffic class of the packet that was granted a channel last.
    pub fn latest(&self, channel: ChannelId) -> Option<Root> {
        let turn = self.holders[channel.index()].latest()?;
        Some(Root { class: turn.class, channel })
    }

    /// A packet that has been granted an output waits for room and keeps others waiting.
    pub fn keeps(&mut self, id: PacketId, lead: ChannelId, now: Time) {
        let record = &mut self.records[id.index()];
        record.granted = now;
        record.keeps = lead;
        self.keepers[lead.index()] = id;
    }

    /// A packet is granted a channel and leaves the front of the buffer it stands in, if any.
    #[cold]
    #[inline(never)]
    pub fn granted(&mut self, id: PacketId, channel: ChannelId, now: Time, since: Since) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        record.granted = now;
        record.start = NEVER;
        record.root = channel;
        if record.asked == NEVER {
            record.asked = now;
        }
        self.take_turns(id, (now, NEVER), since);
    }

    /// A packet's turns on the channel it is granted and at the front of the buffer it leaves.
    fn take_turns(&mut self, id: PacketId, (granted, end): (Time, Time), since: Since) {
        let record = &self.records[id.index()];
        let &Record { class, head: channel, from, root, .. } = record;
        let asked = record.asked.min(granted);
        let turn = Turn { packet: id, class, channel, root, asked, granted, end };
        let place = self.place(channel);
        self.holders[place.index()].push(turn, since.asked);
        if from.is_some() {
            // It has waited behind others itself, since it was ready.
            let turn = Turn { asked: since.ready, ..turn };
            self.fronts[from.index()].push(turn, since.behind);
        }
    }

    /// It is known when the packet that leaves a buffer is out of it.
    #[cold]
    pub fn front_falls_free(&mut self, buffer: ChannelId, at: Time) {
        self.fronts[buffer.index()].end(at);
    }

    /// It is known when a channel is released, and with it the front of the buffer (none:
    /// its node's queue) that the packet it was granted to leaves.
    #[cold]
    #[inline(never)]
    pub fn released(&mut self, channel: ChannelId, buffer: ChannelId, at: Time) {
        self.holders[channel.index()].end(at);
        if buffer.is_some() {
            self.front_falls_free(buffer, at);
        }
    }

    /// A packet that is sent as a whole starts on a channel; it will have been sent at `end`.
    #[cold]
    #[inline(never)]
    pub fn starts_whole(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (now, end): (Time, Time),
        since: Since,
    ) {
        let record = &mut self.records[id.index()];
        record.from = std::mem::replace(&mut record.head, channel);
        let granted = std::mem::replace(&mut record.granted, NEVER).min(now);
        let keeps = std::mem::replace(&mut record.keeps, ChannelId::NONE);
        if record.from.is_some() {
            // Its header came as fast as it could.
            let free = self.fronts[record.from.index()].latest().map_or(0, |turn| turn.end);
            record.asked = free.max(since.ready);
        }
        if keeps.is_some() {
            self.keepers[keeps.index()] = PacketId::NONE;
        }
        self.charge(id, channel, (since.ready, now), Turns::ToCome);
        self.take_turns(id, (granted, end), since);
        self.records[id.index()].asked = NEVER;
    }

    /// A packet that was ready at `ready` starts on the channel it has been granted at `start`.
    #[cold]
    #[inline(never)]
    pub fn starts(&mut self, id: PacketId, channel: ChannelId, ready: Time, start: Time) {
        self.charge(id, channel, (ready, start), Turns::Noted);
        let record = &mut self.records[id.index()];
        let (granted, from, root) = (record.granted, record.from, record.root);
        record.asked = NEVER;
        if root == channel {
            return;
        }
        if start > granted
            && let Some(turn) = self.holders[channel.index()].of(id)
        {
            turn.root = root;
        }
        if from.is_some()
            && let Some(turn) = self.fronts[from.index()].of(id)
        {
            turn.root = root;
        }
    }

    /// Cuts a packet's wait for a channel into pieces, and charges each.
    fn charge(
        &mut self,
        id: PacketId,
        channel: ChannelId,
        (ready, start): (Time, Time),
        turns: Turns,
    ) {
        let place = self.place(channel);
        let record = &mut self.records[id.index()];
        record.start = start;
        record.root = channel;
        if start > ready {
            let before = |log: &Log| match turns {
                Turns::Noted => log.before(id),
                Turns::ToCome => log.count(),
            };
            let holders = &self.holders[place.index()];
            // There is none for its node's queue.
            let fronts = self.fronts.get(record.from.index());
            let holders = (holders, before(holders));
            let fronts = fronts.map(|fronts| (fronts, before(fronts)));
            let first = record.charges.len();
            record.charge_wait(channel, holders, fronts, (ready, start));
            let pieces = record.charges[first..].iter().map(|charge| charge.time);
            debug_assert_eq!(pieces.sum::<Time>(), start - ready, "every instant is charged once");
            record.charges[first..].reverse();
            if let Some(last) = record.charges.last() {
                record.last = Root { class: last.culprit, channel: last.root };
                record.root = last.root;
            }
        }
        record.stalls.clear();
        record.asked_root = None;
    }

    /// A packet has been delivered; without contention it would have lived `alone`.
    pub fn delivered(&mut self, id: PacketId, row: &PacketRow, last: bool, alone: Time) {
        let record = &mut self.records[id.index()];
        record.settle((row.delivered - row.queued).saturating_sub(alone));
        let is_message = last && row.class == Class::Data;
        self.tables.add(record.class, &record.charges, is_message, row.delivered);
        if let Some(packets) = &mut self.packets {
            let charges = record.charges.clone();
            packets.push(Charged { packet: *row, class: record.class, alone, charges });
        }
    }

    /// The packet that holds a channel, if any.
    pub fn holder(&self, channel: ChannelId, now: Time) -> Option<PacketId> {
        self.holders[self.place(channel).index()].holder(now).map(|turn| turn.packet)
    }

    /// Where it is noted who holds a channel.
    fn place(&self, channel: ChannelId) -> ChannelId {
        self.wires.get(channel.index()).copied().unwrap_or(channel)
    }

    /// The packet that leaves the buffer at a channel's end, if any, and by which channel.
    pub fn leaver(&self, buffer: ChannelId, now: Time) -> Option<(PacketId, ChannelId)> {
        self.fronts[buffer.index()].holder(now).map(|turn| (turn.packet, turn.channel))
    }

    /// The packet that has been granted a group and waits for room, if any.
    pub fn keeper(&self, lead: ChannelId) -> Option<PacketId> {
        Some(self.keepers[lead.index()]).filter(|id| id.is_some())
    }

    /// The channel a packet was granted last, and when it starts or started there.
    pub fn head(&self, id: PacketId) -> (ChannelId, Time) {
        let record = &self.records[id.index()];
        (record.head, record.start)
    }

    /// When a packet asked last; when it was queued, if it is still in its node.
    pub fn asked(&self, id: PacketId) -> Time {
        self.records[id.index()].asked
    }

    /// A packet's traffic class.
    pub fn class(&self, id: PacketId) -> u32 {
        self.records[id.index()].class
    }
}

impl Record {
    /// Charges the time from when it was ready until it starts on a channel, latest first:
    /// for room there, in turn to those who held it, and to those who stood before this
    /// packet in its buffer.
    fn charge_wait(
        &mut self,
        channel: ChannelId,
        (holders, place): (&Log, usize),
        fronts: Option<(&Log, usize)>,
        (ready, start): (Time, Time),
    ) {
        let asked = if fronts.is_some() { self.asked.clamp(ready, start) } else { ready };
        let idle = holders.end_before(place).clamp(asked, start);
        self.charge_stalls(channel, (idle, start));
        for (turn, time) in holders.cut(place, (asked, idle)) {
            let is_before = turn.granted < asked;
            let cause = match (fronts, is_before) {
                (None, _) => Cause::Throttling,
                _ if turn.channel != channel => Cause::SharedWire,
                (_, true) => Cause::OutputBusy,
                (_, false) => Cause::Arbitration,
            };
            let root = self.asked_root.filter(|_| is_before).unwrap_or(turn.root);
            self.push(Charge { channel, root, culprit: turn.class, cause, time });
        }
        let Some((fronts, place)) = fronts else { return };
        let free = fronts.end_before(place).clamp(ready, asked);
        // Its header came late: that was stopped on its way.
        let Root { class, channel: root } = self.last;
        let cause = Cause::Stretched;
        self.push(Charge { channel, root, culprit: class, cause, time: asked - free });
        for (turn, time) in fronts.cut(place, (ready, free)) {
            let (root, culprit, cause) = (turn.root, turn.class, Cause::HeadOfLine);
            self.push(Charge { channel, root, culprit, cause, time });
        }
    }

    /// Charges time in which it might have started, had it not lacked something.
    fn charge_stalls(&mut self, channel: ChannelId, (from, to): (Time, Time)) {
        let mut until = to;
        for at in (0..self.stalls.len()).rev() {
            let Stall { from: since, cause, root } = self.stalls[at];
            let begin = if at == 0 { from } else { since.clamp(from, until) };
            let (culprit, root) = (root.class, root.channel);
            self.push(Charge { channel, root, culprit, cause, time: until - begin });
            until = begin;
        }
        let (culprit, cause) = (self.class, Cause::BufferFull);
        self.push(Charge { channel, root: channel, culprit, cause, time: until - from });
    }

    fn push(&mut self, charge: Charge) {
        if charge.time == 0 {
            return;
        }
        match self.charges.last_mut() {
            Some(last) if (Charge { time: charge.time, ..*last }) == charge => {
                last.time += charge.time;
            }
            _ => self.charges.push(charge),
        }
    }

    /// Makes the sum of all charges `beyond`, by which it lived longer than alone: the rest
    /// of it was stopped, or caught up with waits of its header.
    fn settle(&mut self, beyond: Time) {
        let sum: Time = self.charges.iter().map(|charge| charge.time).sum();
        let (culprit, channel) = (self.last.class, self.head);
        let root = if self.last.channel.is_some() { self.last.channel } else { channel };
        let time = beyond.saturating_sub(sum);
        self.push(Charge { channel, root, culprit, cause: Cause::Stretched, time });
        let mut caught_up = sum.saturating_sub(beyond);
        while caught_up > 0
            && let Some(last) = self.charges.last_mut()
        {
            let time = caught_up.min(last.time);
            last.time -= time;
            caught_up -= time;
            if last.time == 0 {
                self.charges.pop();
            }
        }
    }
}

impl Tables {
    fn new(begin: Time, interval: Time) -> Self {
        Self {
            pairs: Sums::default(),
            channels: Sums::default(),
            roots: Sums::default(),
            victims: Sums::default(),
            batches: Batches { begin, length: FIRST_BATCH * interval },
            pending: Vec::with_capacity(2 * AT_ONCE),
        }
    }

    /// A packet of a class has been delivered.
    fn add(&mut self, victim: u32, charges: &[Charge], is_message: bool, now: Time) {
        if !self.batches.has(now) {
            self.settle();
            let Self { pairs, channels, roots, victims, batches, .. } = self;
            batches.reach(now, || {
                for sums in [&mut *pairs, channels, roots, victims] {
                    sums.halve();
                }
            });
        }
        let batch = self.batches.at(now);
        let whole = Key { channel: 0, victim, culprit: 0, cause: Cause::Throttling };
        self.victims.add(whole, is_message.into(), batch);
        self.pending.extend(charges.iter().map(
            |&Charge { channel, root, culprit, cause, time }| {
                let key = Key { channel: channel.0, victim, culprit, cause };
                Pending { key, root, batch: batch as u32, time }
            },
        ));
        if self.pending.len() >= AT_ONCE {
            self.settle();
        }
    }

    /// Adds what is still to be added.
    fn settle(&mut self) {
        for &Pending { key, batch, time, .. } in &self.pending {
            self.channels.add(key, time, batch as usize);
        }
        for &Pending { key, batch, time, .. } in &self.pending {
            self.pairs.add(Key { channel: 0, ..key }, time, batch as usize);
        }
        for &Pending { key: Key { cause, .. }, root, batch, time } in &self.pending {
            let key = Key { channel: root.0, victim: 0, culprit: 0, cause };
            self.roots.add(key, time, batch as usize);
        }
        self.pending.clear();
    }

    /// The tables with everything in them.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut tables = self.clone();
        tables.settle();
        tables
    }
}
