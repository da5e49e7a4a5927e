//! Why a message was late: its chain of waits, and the root of every instant.
//!
//! The chain begins at the delivery of the packet that came last and goes back in time to when the
//! message was queued. While the packet at hand moves, or is sent, time is the message's own. While it
//! waits, whoever it waits for is followed, and whom that one waits for then, until one is found who
//! does not wait: the root of that instant. Where a message waits for its own packets before it, as it
//! would alone, the chain goes on with those.

mod path;
mod queues;
mod roots;
mod spans;

use super::charges::shares;
use super::log::{Log, NOBODY};
use super::story::{Cost, Story, Told};
use super::turns::{Entry, RecordId, Turn};
use crate::ids::ChannelId;
use crate::time::Time;
use path::Path;

/// How packets stand and are served, as far as it matters who waits for whom.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Rules {
    /// Whether packets stand in the buffers at the ends of channels first in, first out.
    pub are_in_order: bool,
    /// Where packets wait for outputs whoever stands before them: whether those are served in the order in which
    /// they were ready, those of one instant by the channels by which they came.
    pub come_in_order: bool,
    /// Whether there every message has channels and buffers of its own but for those of nodes.
    pub is_private: bool,
    /// Whether a packet on a channel is stopped while its header waits.
    pub are_stopped: bool,
    /// Whether channels are held by packets until these have been delivered, and are busy as long.
    pub are_held: bool,
    /// Whether packets have a choice of ways, or those of a message have several, so that others can make them
    /// take longer ones, or come in another order.
    pub have_choice: bool,
    /// Whether they choose among outputs, or channels, by what is free or loaded, while they wait: else each waits for
    /// the one that is drawn or given, or that it has chosen before.
    pub choose_outputs: bool,
    /// Whether messages have acknowledgements.
    pub has_acks: bool,
    /// Whether it matters what every packet of a message waited for, not only the last.
    pub asks_of_all: bool,
    /// How long after a channel has been left it can be granted to a packet that waited for it.
    pub regrant_ps: Time,
    /// How long after a packet has left a buffer its place there is known to be free.
    pub credit_ps: Time,
    /// Flits that the buffer at the end of a channel holds.
    pub capacity: u32,
}

/// A stretch of waiting that has one root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What the message is charged as whose packet was the root, or nearest to it.
    pub culprit: u32,
    /// Where the root was.
    pub channel: ChannelId,
    /// When it began.
    pub begin: Time,
    /// How long it was; of several that are summed up, all of them.
    pub time: Time,
}

/// A packet waits for a channel, or is sent on it, or is on its way to where it can ask for it: the one
/// that it is its hop to cross.
type Place = Turn;

/// What a packet does at an instant about the channel it is to cross.
enum Doing {
    /// It is not there yet, since then.
    Comes(Time),
    /// It waits for it.
    Waits,
    /// It is sent on it, since then.
    IsSent(Time),
}

/// What keeps a packet from its channel.
enum Keeps {
    /// A packet that is being sent, on the channel waited for.
    Turn(Turn),
    /// A packet that stands before it, which may wait itself; that is to cross its hop.
    Before(Place),
    /// The same, in the buffer for room in which it waits; the buffer's channel.
    Room(Place, ChannelId),
    /// A link that is down, of this channel.
    Fault(ChannelId),
    /// Nobody that is known.
    Nobody,
}

/// How far a packet gets in a stretch of time.
#[derive(Clone, Copy)]
enum Moves {
    /// Its header crosses a channel.
    Header,
    /// All of it crosses a channel.
    Whole,
    /// Its header has started on a channel; in the end its tail leaves that of an earlier turn.
    Tail(Turn),
}

/// The end of a way from packet to packet.
struct Root {
    /// The packet that does not wait.
    record: RecordId,
    /// Where it is.
    channel: ChannelId,
    /// Since when nothing on the way has changed.
    since: Time,
    /// The packet of the message at hand that the chain goes on with instead, or none.
    own: Option<Place>,
    /// Whether it is known who waits for whom on all of the way.
    is_known: bool,
}

impl Root {
    /// One that the chain ends at.
    fn at(record: RecordId, channel: ChannelId, since: Time) -> Self {
        Self { record, channel, since, own: None, is_known: true }
    }
}

/// No message has this number.
pub const NO_MESSAGE: u64 = u64::MAX;

/// A chain that is being followed.
pub struct Chain<'a> {
    log: &'a Log,
    rules: Rules,
    message: u64,
    queued: Time,
    /// Its data packets, by number.
    packets: &'a [RecordId],
    /// The pieces of waiting found, latest first.
    pub pieces: &'a mut Vec<Piece>,
    /// The way to the root that was found last.
    path: &'a mut Path,
    /// Whether it is noted who stands on the way to a root.
    notes_way: bool,
    /// Then: the packets on the way to a root, nearest to the packet at hand first; scratch.
    way: &'a mut Vec<RecordId>,
    /// Then: the buffers for whose room somebody on the way waits; scratch.
    rooms: &'a mut Vec<ChannelId>,
    /// By channel out of a node: what those in its queue wait for.
    stories: &'a mut Vec<Story>,
    /// The same that is to be told, the latest first; scratch.
    told: &'a mut Vec<Told>,
    /// Whether waits in queues are summed up by culprit and root.
    is_summed: bool,
    /// How long it waited for nobody who is known, which counts as its own.
    pub unknown: Time,
}

/// What is kept from one chain to the next.
#[derive(Default)]
pub struct Scratch {
    way: Vec<RecordId>,
    rooms: Vec<ChannelId>,
    stories: Vec<Story>,
    told: Vec<Told>,
    path: Path,
}

/// The packets of a message in a buffer.
struct Inside {
    /// The one in front.
    front: Option<Turn>,
    /// When one of them left it last.
    since: Time,
    /// What they take, in flits.
    taken: u64,
}

/// The hop by which a packet leaves the buffer that it has come to by a turn.
fn behind(turn: Turn) -> Place {
    Place { hop: turn.hop + 1, ..turn }
}

/// Most packets that are followed to a root.
const LONGEST: usize = 1 << 12;

impl<'a> Chain<'a> {
    /// That of a message of a run that was queued then and has these data packets.
    pub fn new(
        log: &'a Log,
        rules: Rules,
        (message, queued): (u64, Time),
        packets: &'a [RecordId],
        pieces: &'a mut Vec<Piece>,
        scratch: &'a mut Scratch,
    ) -> Self {
        let Scratch { way, rooms, stories, told, path } = scratch;
        pieces.clear();
        path.clear();
        let (notes_way, is_summed) = (false, false);
        Self {
            log,
            rules,
            message,
            queued,
            packets,
            pieces,
            path,
            notes_way,
            way,
            rooms,
            stories,
            told,
            is_summed,
            unknown: 0,
        }
    }

    /// The same, with what it waits for in a node's queue summed up by culprit and root.
    #[must_use]
    pub fn summed(self) -> Self {
        Self { is_summed: true, ..self }
    }

    /// Follows it from the delivery of a packet; how much of the message's latency is its own.
    pub fn follow(&mut self, last: RecordId, delivered: Time) -> Time {
        let log = self.log;
        let (mut own, mut at) = (0, delivered);
        let Some(last_hop) = log.record(last).hops.len().checked_sub(1) else {
            return delivered - self.queued;
        };
        let mut place = Place { record: last, hop: last_hop as u32 };
        let mut moves = Moves::Whole;
        loop {
            let Entry { mut ready, start, .. } = log.entry(place);
            if at > start {
                own += self.moves(place, (start, at), moves);
                at = start;
            }
            ready = ready.min(log.detained_since(place));
            // It waits for its channel.
            if at > ready {
                if let Some(own_turn) = self.sent_before(place, at) {
                    // As it would alone: its own packet was sent before it.
                    if self.rules.are_stopped {
                        // That may have been stopped meanwhile, with its header further on.
                        place = self.furthest(own_turn, at);
                        moves = Moves::Tail(own_turn);
                        continue;
                    }
                    let begin = log.entry(own_turn).start;
                    own += self.moves(own_turn, (begin, at), Moves::Whole);
                    (place, at) = (own_turn, begin);
                    continue;
                }
                if place.hop == 0 && self.waits_in_queue(place, (ready, at)) {
                    at = ready;
                } else {
                    let root = self.root(place, at);
                    if let Some(own) = root.own {
                        place = own;
                        continue;
                    }
                    let begin = root.since.max(ready);
                    debug_assert!(begin < at, "a wait of no length");
                    if begin >= at {
                        own += at - ready;
                        at = ready;
                    } else {
                        if let Some(culprit) = self.culprit(place, &root, at) {
                            self.put(culprit, self.site_of(&root), (begin, at));
                        } else {
                            own += at - begin;
                            self.unknown += if root.is_known { 0 } else { at - begin };
                        }
                        at = begin;
                    }
                    if at > ready {
                        continue;
                    }
                }
            }
            if place.hop > 0 {
                // It moves from the channel before.
                place.hop -= 1;
                let start = log.entry(place).start;
                if at > start {
                    own += self.moves(place, (start, at), Moves::Header);
                    at = start;
                }
                continue;
            }
            // It was queued.
            let cause = log.record(place.record).cause;
            if at <= self.queued || cause == NOBODY {
                return own + at.saturating_sub(self.queued);
            }
            let Some(hop) = log.record(cause).hops.len().checked_sub(1) else {
                return own + (at - self.queued);
            };
            place = Place { record: cause, hop: hop as u32 };
            moves = Moves::Whole;
        }
    }

    /// The number of a root's channel, which may say that its packet began there.
    fn site_of(&self, root: &Root) -> ChannelId {
        let first = self.log.record(root.record).hops.first();
        let is_first = first.is_some_and(|&(channel, _)| channel == root.channel);
        self.log.stations().as_root(root.channel, is_first)
    }

    /// A stretch of waiting has a root.
    fn put(&mut self, culprit: RecordId, channel: ChannelId, (begin, end): (Time, Time)) {
        let culprit = self.log.record(culprit).label;
        self.pieces.push(Piece { culprit, channel, begin, time: end - begin });
    }

    /// The first packet of a message waits in its node's queue, where all before it are of others: so it
    /// is charged what everybody there is. False if that is not known.
    fn waits_in_queue(&mut self, place: Place, (ready, at): (Time, Time)) -> bool {
        let (log, record) = (self.log, self.log.record(place.record));
        if self.rules.is_private || record.number != 0 {
            return false;
        }
        let channel = log.channel(place);
        if self.stories.len() <= channel.index() {
            self.stories.resize_with(channel.index() + 1, Story::default);
        }
        let mut story = std::mem::take(&mut self.stories[channel.index()]);
        if story.end() < ready {
            story.begin(ready);
        }
        if story.end() < at {
            self.tell(&mut story, channel, at);
        }
        let base = self.pieces.len();
        let is_known = story.tells_since(ready)
            && story.each((ready, at), self.is_summed, |cost: Cost| {
                let Cost { label: culprit, channel, begin, time } = cost;
                self.pieces.push(Piece { culprit, channel, begin, time });
            });
        if is_known {
            // The latest comes first.
            self.pieces[base..].reverse();
        } else {
            self.pieces.truncate(base);
        }
        self.stories[channel.index()] = story;
        is_known
    }

    /// Tells what those in a node's queue wait for, from where that is told up to an instant.
    fn tell(&mut self, story: &mut Story, channel: ChannelId, until: Time) {
        story.forget(self.log.since());
        let log = self.log;
        let Some(turns) = log.turns(channel, self.message) else { return };
        let message = std::mem::replace(&mut self.message, NO_MESSAGE);
        self.path.clear();
        let mut told = std::mem::take(self.told);
        let (mut at, from) = (until, story.end());
        let mut near = turns.before(at).map_or(0, |place| place + 1);
        while at > from {
            let latest = turns.before_near(at, near);
            near = latest.map_or(0, |place| place + 1);
            let latest = latest.and_then(|place| turns.get(place));
            let sent = latest.filter(|entry| entry.end >= at);
            let root = match (sent, turns.get(near)) {
                (Some(sent), _) => self.root_of_sent(sent.turn, at).ok(),
                (None, Some(next)) if next.ready < at => self.root_of(next.turn, at).ok(),
                _ => None,
            };
            let idle_since = if sent.is_none() { latest.map_or(0, |entry| entry.end) } else { 0 };
            let by = root.as_ref().map(|root| (log.record(root.record).label, self.site_of(root)));
            let since = root.map_or(0, |root| root.since).max(idle_since);
            let begin = since.clamp(from, at - 1);
            told.push(Told { begin, by });
            at = begin;
        }
        let mut end = told.len();
        while let Some(place) = end.checked_sub(1) {
            let next = place.checked_sub(1).map_or(until, |next| told[next].begin);
            story.push(told[place], next);
            end = place;
        }
        told.clear();
        *self.told = told;
        self.path.clear();
        self.message = message;
    }

    /// Where the header of a packet was just before an instant at which it had a turn: the last hop that it had
    /// started.
    fn furthest(&self, turn: Turn, at: Time) -> Place {
        let hops = self.log.record(turn.record).hops.len() as u32;
        let place = |hop| Place { record: turn.record, hop };
        let started = (turn.hop..hops).rev().find(|&hop| self.log.entry(place(hop)).start < at);
        place(started.unwrap_or(turn.hop))
    }

    /// What a packet does between two instants: how much of that time is its own. If others share its wires,
    /// those who used them meanwhile are charged for what it took longer than alone, each as long as it had a
    /// turn there: flits that come late on one wire are late on all wires behind it.
    fn moves(&mut self, place: Place, (from, to): (Time, Time), moves: Moves) -> Time {
        let log = self.log;
        if !log.shares_wires() {
            return to - from;
        }
        let at_hop = |hop| Place { hop, ..place };
        let (takes, first) = match moves {
            Moves::Header => (log.takes(place)[0], place.hop),
            Moves::Whole => (log.takes(place)[1], 0),
            Moves::Tail(turn) => {
                let headers = (turn.hop..place.hop).map(|hop| log.takes(at_hop(hop))[0]);
                (log.takes(turn)[1].saturating_sub(headers.sum()), 0)
            }
        };
        let longer = (to - from).saturating_sub(takes);
        if longer == 0 {
            return to - from;
        }
        let (mut users, mut times) = (Vec::new(), Vec::new());
        for hop in first..=place.hop {
            let Entry { start: began, end: ended, .. } = log.entry(at_hop(hop));
            let (from, to) = if hop == place.hop { (from, to) } else { (began, ended.min(to)) };
            for &other in log.beside(log.channel(at_hop(hop))) {
                let Some(turns) = log.turns(other, self.message) else { continue };
                let meanwhile = turns.from(turns.before(from).unwrap_or(0));
                for &Entry { turn, start, end, .. } in
                    meanwhile.take_while(|entry| entry.start < to)
                {
                    let time = end.min(to).saturating_sub(start.max(from));
                    if log.record(turn.record).message != self.message && time > 0 {
                        users.push((log.record(turn.record).label, other));
                        times.push(time);
                    }
                }
            }
        }
        let charged = shares(&times, longer);
        for (&(culprit, channel), &time) in users.iter().zip(&charged) {
            self.pieces.push(Piece { culprit, channel, begin: from, time });
        }
        to - from - charged.iter().sum::<Time>()
    }

    /// The turn on the channel that a packet waits for, if it ends at an instant and is one of its message.
    fn sent_before(&self, place: Place, at: Time) -> Option<Turn> {
        let record = self.log.record(place.record);
        let (channel, number) = record.hops[place.hop as usize];
        let turns = self.log.turns(channel, self.message)?;
        let latest = turns.before_near(at, turns.place(number)).and_then(|place| turns.get(place));
        let Some(entry) = latest.filter(|entry| entry.end >= at) else {
            return self.sent_by_input(place, at);
        };
        let is_own = self.log.record(entry.turn.record).message == self.message;
        (is_own && entry.end == at).then_some(entry.turn)
    }
}
