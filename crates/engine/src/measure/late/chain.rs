//! Why a message was late: its chain of waits, and the root of every instant.
//!
//! The chain begins at the delivery of the packet that came last and goes back in time to when the
//! message was queued. While the packet at hand moves, or is sent, time is the message's own. While it
//! waits, whoever it waits for is followed, and whom that one waits for then, until one is found who
//! does not wait: the root of that instant. Where a message waits for its own packets before it, as it
//! would alone, the chain goes on with those.

use super::charges::shares;
use super::log::{Hop, Log, NOBODY, RecordId, Turn, Turns, UNNUMBERED};
use crate::ids::ChannelId;
use crate::time::Time;

/// How packets stand and are served, as far as it matters who waits for whom.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Rules {
    /// Whether packets stand in the buffers at the ends of channels first in, first out.
    pub are_in_order: bool,
    /// Whether there every message has channels and buffers of its own but for those of nodes.
    pub is_private: bool,
    /// Whether a packet on a channel is stopped while its header waits.
    pub are_stopped: bool,
    /// Whether packets have a choice of ways, so that others can make them take longer ones.
    pub have_choice: bool,
    /// Whether messages have acknowledgements.
    pub has_acks: bool,
    /// Whether it matters what every packet of a message waited for, not only the last.
    pub asks_of_all: bool,
    /// How long after a packet has left a buffer its place there is known to be free.
    pub credit_ps: Time,
    /// Flits that the buffer at the end of a channel holds.
    pub capacity: u32,
}

/// A stretch of waiting that has one root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose packet was the root, or nearest to it.
    pub culprit: RecordId,
    /// Where the root was.
    pub channel: ChannelId,
    /// When it began.
    pub begin: Time,
    /// How long it was.
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
    /// Nobody that is known.
    Nobody,
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
}

impl Root {
    /// One that the chain ends at.
    fn at(record: RecordId, channel: ChannelId, since: Time) -> Self {
        Self { record, channel, since, own: None }
    }
}

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
    /// Whether it is noted who stands on the way to a root.
    notes_way: bool,
    /// The packets on the way to a root, nearest to the packet at hand first; scratch.
    way: &'a mut Vec<RecordId>,
    /// The buffers for whose room somebody on the way waits, with when; scratch.
    rooms: &'a mut Vec<ChannelId>,
}

/// Scratch of chains, used again each time.
#[derive(Default)]
pub struct Scratch {
    way: Vec<RecordId>,
    rooms: Vec<ChannelId>,
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
        let Scratch { way, rooms } = scratch;
        pieces.clear();
        Self { log, rules, message, queued, packets, pieces, notes_way: false, way, rooms }
    }

    /// Follows it from the delivery of a packet; how much of the message's latency is its own.
    pub fn follow(&mut self, last: RecordId, delivered: Time) -> Time {
        let (mut own, mut at) = (0, delivered);
        let Some(last_hop) = self.log.record(last).hops.len().checked_sub(1) else {
            return delivered - self.queued;
        };
        let mut place = Place { record: last, hop: last_hop as u32 };
        loop {
            let &Hop { ready, start, takes, .. } = self.log.hop(place);
            if at > start {
                let is_last = self.log.record(place.record).hops.len() == place.hop as usize + 1;
                own += self.moves(place, (start, at), takes[usize::from(is_last)]);
                at = start;
            }
            // It waits for its channel.
            if at > ready {
                if let Some(own_turn) = self.sent_before(place, at) {
                    // As it would alone: its own packet was sent before it.
                    let &Hop { start: begin, takes: [_, takes], .. } = self.log.hop(own_turn);
                    own += self.moves(own_turn, (begin, at), takes);
                    (place, at) = (own_turn, begin);
                    continue;
                }
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
                    match self.culprit(place, &root, at) {
                        Some(culprit) => {
                            let channel = root.channel;
                            self.pieces.push(Piece { culprit, channel, begin, time: at - begin });
                        }
                        None => own += at - begin,
                    }
                    at = begin;
                }
                if at > ready {
                    continue;
                }
            }
            if place.hop > 0 {
                // It moves from the channel before.
                place.hop -= 1;
                let &Hop { start, takes: [takes, _], .. } = self.log.hop(place);
                if at > start {
                    own += self.moves(place, (start, at), takes);
                    at = start;
                }
                continue;
            }
            // It was queued.
            let cause = self.log.record(place.record).cause;
            if at <= self.queued || cause == NOBODY {
                return own + at.saturating_sub(self.queued);
            }
            let Some(hop) = self.log.record(cause).hops.len().checked_sub(1) else {
                return own + (at - self.queued);
            };
            place = Place { record: cause, hop: hop as u32 };
        }
    }

    /// A packet crosses a channel, or its header does, between two instants: how much of that is its own.
    /// If others share the wire, those who used it meanwhile are charged for what it took longer than
    /// alone, each as long as it had a turn there.
    fn moves(&mut self, place: Place, (from, to): (Time, Time), takes: Time) -> Time {
        let longer = (to - from).saturating_sub(takes);
        if takes == 0 || longer == 0 {
            return to - from;
        }
        let channel = self.log.hop(place).channel;
        let (mut users, mut times) = (Vec::new(), Vec::new());
        for &other in self.log.beside(channel) {
            let Some(turns) = self.log.turns(other, self.message) else { continue };
            let first = self.log.before(turns, from).unwrap_or(0);
            let meanwhile = turns.iter().skip(first);
            for turn in meanwhile.take_while(|turn| self.log.hop(**turn).start < to) {
                let &Hop { start, end, .. } = self.log.hop(*turn);
                let time = end.min(to).saturating_sub(start.max(from));
                let is_other = self.log.record(turn.record).message != self.message;
                if is_other && time > 0 {
                    users.push((turn.record, other));
                    times.push(time);
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
        let channel = self.log.hop(place).channel;
        let turns = self.log.turns(channel, self.message)?;
        let turn = turns[self.log.before(turns, at)?];
        let is_own = self.log.record(turn.record).message == self.message;
        (is_own && self.log.hop(turn).end == at).then_some(turn)
    }

    /// The root of what a packet waits for just before an instant.
    fn root(&mut self, from: Place, at: Time) -> Root {
        self.way.clear();
        self.rooms.clear();
        let (mut place, mut since) = (from, 0);
        // Where channels are chosen by load it is not always told whom packets wait for, and those
        // found may wait in a circle.
        let mut mark = from;
        for step in 0..LONGEST {
            if step > 0 && place == mark {
                break;
            }
            if step.is_power_of_two() {
                mark = place;
            }
            let (keeps, from_then) = self.keeps(place, at);
            since = since.max(from_then).max(self.log.hop(place).ready);
            let next = match keeps {
                Keeps::Turn(turn) => {
                    self.note(turn.record);
                    since = since.max(self.log.hop(turn).start);
                    match self.stopped(turn, at) {
                        Some(stopped) => stopped,
                        None => return Root::at(turn.record, self.log.hop(turn).channel, since),
                    }
                }
                Keeps::Before(next) => next,
                Keeps::Room(next, channel) => {
                    self.rooms.push(channel);
                    if let Some(own) = self.own_of(next, from) {
                        let root = Root::at(next.record, channel, since);
                        return Root { own: Some(own), ..root };
                    }
                    next
                }
                Keeps::Nobody => break,
            };
            self.note(next.record);
            match self.doing(next, at) {
                Doing::Comes(then) => {
                    let hops = &self.log.record(next.record).hops;
                    let channel = hops[next.hop as usize - 1].channel;
                    return Root::at(next.record, channel, since.max(then));
                }
                Doing::IsSent(then) => {
                    since = since.max(then);
                    match self.stopped(next, at) {
                        Some(stopped) => place = stopped,
                        None => return Root::at(next.record, self.log.hop(next).channel, since),
                    }
                }
                Doing::Waits => place = next,
            }
        }
        self.way.clear();
        self.rooms.clear();
        Root::at(from.record, self.log.hop(from).channel, since)
    }

    /// A packet stands on the way to a root.
    fn note(&mut self, record: RecordId) {
        if self.notes_way {
            self.way.push(record);
        }
    }

    /// Where a packet waits that holds a channel, if it is stopped there while its header waits.
    fn stopped(&self, turn: Turn, at: Time) -> Option<Place> {
        if !self.rules.are_stopped {
            return None;
        }
        let hops = &self.log.record(turn.record).hops;
        let started = hops.partition_point(|hop| hop.start < at);
        let next = hops.get(started).filter(|hop| hop.ready < at)?;
        debug_assert!(next.start >= at);
        Some(Place { record: turn.record, hop: started as u32 })
    }

    /// What a packet does just before an instant about a channel that it is to cross.
    fn doing(&self, place: Place, at: Time) -> Doing {
        let hops = &self.log.record(place.record).hops;
        let Some(hop) = hops.get(place.hop as usize) else {
            // Where it goes on is not known.
            return Doing::Comes(hops.last().map_or(0, |hop| hop.start));
        };
        if hop.start < at {
            Doing::IsSent(hop.start)
        } else if hop.ready < at || place.hop == 0 {
            Doing::Waits
        } else {
            Doing::Comes(hops[place.hop as usize - 1].start)
        }
    }

    /// What keeps a packet that waits, just before an instant, and since when at the earliest.
    fn keeps(&mut self, place: Place, at: Time) -> (Keeps, Time) {
        let log = self.log;
        let record = log.record(place.record);
        let channel = record.hops[place.hop as usize].channel;
        let Some(turns) = log.turns(channel, record.message) else { return (Keeps::Nobody, 0) };
        let latest = log.before(turns, at);
        let sent = latest.filter(|&turn| log.hop(turns[turn]).end >= at);
        let idle_since = latest.map_or(0, |turn| log.hop(turns[turn]).end);
        let next = latest.map_or(0, |turn| turn + 1);
        // Since when it is first where it stands.
        let mut first_since = 0;
        if place.hop == 0 {
            if sent.is_none()
                && let Some(found) = self.first_in_node(turns, next, place, at)
            {
                return (found, idle_since);
            }
        } else if self.rules.are_in_order
            && let Some((front, since)) = self.in_front_of(place, at)
        {
            if front.record != place.record {
                return (Keeps::Before(front), since);
            }
            first_since = since;
        }
        if self.rules.is_private {
            let (front, since) = self.lacks_room(place, turns, at);
            first_since = first_since.max(since);
            if let Some(front) = front {
                return (Keeps::Room(front, channel), first_since);
            }
        }
        if let Some(turn) = sent {
            return (Keeps::Turn(turns[turn]), first_since);
        }
        let idle_since = idle_since.max(first_since);
        let holder = turns.get(next).copied();
        if let Some(holder) = holder.filter(|turn| turn.record != place.record)
            && !self.rules.is_private
            && log.hop(holder).ready < at
        {
            return (Keeps::Before(holder), idle_since);
        }
        let Some(front) = log.in_front(turns, at, Log::cleared) else {
            return self.beside(channel, at);
        };
        let since = front.checked_sub(1).map_or(0, |front| log.cleared(turns[front]));
        let turn = turns[front];
        self.stand(turns, front, |turn| log.hop(turn).start < at);
        let leaves = behind(turn);
        if log.record(leaves.record).hops.len() <= leaves.hop as usize {
            return self.beside(channel, at);
        }
        (Keeps::Room(leaves, channel), since.max(idle_since))
    }

    /// Another message's turn on the wire of a channel that is idle, if there is one.
    fn beside(&self, channel: ChannelId, at: Time) -> (Keeps, Time) {
        let log = self.log;
        let turn = |&other: &ChannelId| {
            let turns = log.turns(other, self.message)?;
            let turn = turns[log.before(turns, at)?];
            let is_other = log.record(turn.record).message != self.message;
            (is_other && log.hop(turn).end >= at).then_some(turn)
        };
        let found = log.beside(channel).iter().find_map(turn);
        (found.map_or(Keeps::Nobody, Keeps::Turn), 0)
    }

    /// Whoever stands before a packet in its node's queue, if anybody does.
    fn first_in_node(
        &mut self,
        turns: &Turns,
        next: usize,
        place: Place,
        at: Time,
    ) -> Option<Keeps> {
        let log = self.log;
        let message = log.record(place.record).message;
        let is_private = self.rules.is_private;
        let is_there = |turn: &Turn| log.hop(*turn).ready < at;
        let is_asked = |turn: &Turn| {
            is_there(turn) && (!is_private || log.record(turn.record).message == message)
        };
        let mut before = turns.iter().skip(next).filter(|turn| is_asked(turn)).copied();
        let first = before.next()?;
        if first.record == place.record {
            return None;
        }
        if !self.notes_way {
            return Some(Keeps::Before(first));
        }
        let base = self.way.len();
        for turn in before {
            if turn.record == place.record {
                break;
            }
            self.way.push(turn.record);
        }
        self.way[base..].reverse();
        Some(Keeps::Before(first))
    }

    /// Who is first in the first-in-first-out buffer that a packet stands in, and since when.
    fn in_front_of(&mut self, place: Place, at: Time) -> Option<(Place, Time)> {
        let log = self.log;
        let record = log.record(place.record);
        let channel = record.hops[place.hop as usize - 1].channel;
        let turns = log.turns(channel, record.message)?;
        if self.rules.is_private {
            let Inside { front, since, .. } = self.inside(turns, record.message, at);
            return Some((behind(front?), since));
        }
        let front = log.in_front(turns, at, Log::out)?;
        let turn = turns[front];
        if turn.record != place.record {
            self.stand(turns, front, |turn| turn.record != place.record);
        }
        let since = front.checked_sub(1).map_or(0, |front| log.out(turns[front]));
        Some((behind(turn), since))
    }

    /// Those that stand in a buffer behind the one in front come onto the way, nearest to that one
    /// last, as long as they are wanted.
    fn stand(&mut self, turns: &Turns, front: usize, is_wanted: impl Fn(Turn) -> bool) {
        if !self.notes_way {
            return;
        }
        let base = self.way.len();
        let behind = turns.iter().skip(front + 1).take_while(|turn| is_wanted(**turn));
        self.way.extend(behind.map(|turn| turn.record));
        self.way[base..].reverse();
    }

    /// Where a message has buffers of its own: whom a packet waits for that lacks room in one, if it
    /// does, and since when that has not changed.
    fn lacks_room(&self, place: Place, turns: &Turns, at: Time) -> (Option<Place>, Time) {
        let record = self.log.record(place.record);
        let Inside { front, since, taken } = self.inside(turns, record.message, at);
        let is_full = taken + u64::from(record.size) > u64::from(self.rules.capacity);
        let leaves = front.filter(|_| is_full).map(behind);
        // Nodes always accept.
        let goes_on = |place: &Place| self.log.record(place.record).hops.len() > place.hop as usize;
        (leaves.filter(goes_on), since)
    }

    /// What there is of a message in the buffer at the end of a channel.
    fn inside(&self, turns: &Turns, message: u64, at: Time) -> Inside {
        let log = self.log;
        let own = || turns.iter().filter(|turn| log.record(turn.record).message == message);
        let is_there = |turn: &&Turn| log.hop(**turn).start < at && log.cleared(**turn) >= at;
        let gone = own().map(|turn| log.cleared(*turn)).filter(|&cleared| cleared < at);
        Inside {
            front: own().find(is_there).copied(),
            since: gone.max().unwrap_or(0),
            taken: own().filter(is_there).map(|turn| u64::from(log.record(turn.record).size)).sum(),
        }
    }

    /// A packet of the message at hand that leaves a full buffer first, if the message's own packets
    /// from that one to the packet at hand would not fit by themselves.
    fn own_of(&self, front: Place, at_hand: Place) -> Option<Place> {
        let (first, last) = (self.log.record(front.record), self.log.record(at_hand.record));
        if first.message != self.message || first.number == UNNUMBERED || last.number == UNNUMBERED
        {
            return None;
        }
        let between = self.packets.get(first.number as usize..=last.number as usize)?;
        let size = |&id: &RecordId| u64::from(self.log.record(id).size);
        let all: u64 = between.iter().map(size).sum();
        (all > u64::from(self.rules.capacity)).then_some(front)
    }

    /// Who is charged for a stretch with this root; nobody if nobody else has anything to do with it.
    fn culprit(&mut self, from: Place, root: &Root, at: Time) -> Option<RecordId> {
        let (log, message) = (self.log, self.message);
        let is_other = |id: &RecordId| log.record(*id).message != message;
        if is_other(&root.record) {
            return Some(root.record);
        }
        // Seldom: so it is noted then who stands on the way.
        self.notes_way = true;
        self.root(from, at);
        self.notes_way = false;
        let nearest = self.way.iter().rev().find(|id| is_other(id)).copied();
        nearest.or_else(|| {
            self.rooms.iter().rev().find_map(|&channel| {
                let turns = self.log.turns(channel, self.message)?;
                let front = self.log.in_front(turns, at, Log::cleared)?;
                let there = turns.iter().skip(front);
                let there = there.take_while(|turn| self.log.hop(**turn).start < at);
                there.map(|turn| turn.record).find(is_other)
            })
        })
    }
}
