//! Who is waited for at an instant: from packet to packet, to one that does not wait.

use super::{Chain, Doing, Inside, Keeps, LONGEST, Place, Root, behind};
use crate::ids::ChannelId;
use crate::measure::late::log::UNNUMBERED;
use crate::measure::late::turns::{Entry, RecordId, Turn, Turns};
use crate::time::Time;

/// Of so many that leave a switch next by a channel it is looked whether they are there.
const PASSED: usize = 64;

impl Chain<'_> {
    /// The root of what a packet waits for just before an instant.
    pub(super) fn root(&mut self, from: Place, at: Time) -> Root {
        self.root_of(from, at).unwrap_or_else(|since| {
            self.way.clear();
            self.rooms.clear();
            let root = Root::at(from.record, self.log.channel(from), since);
            Root { is_known: false, ..root }
        })
    }

    /// The same; or since when it waits, if that is not known.
    pub(super) fn root_of(&mut self, from: Place, at: Time) -> Result<Root, Time> {
        if self.rules.are_in_order {
            // It is not known of each step by itself since when it is so.
            self.path.clear();
        }
        let (place, since) = self.path.resume(from, at);
        #[cfg(debug_assertions)]
        let is_resumed = self.path.has_steps();
        let root = self.search(None, from, (place, since), at);
        #[cfg(debug_assertions)]
        if is_resumed {
            self.check(&root, from, at);
        }
        root
    }

    /// The same of those that wait behind a packet that is being sent.
    pub(super) fn root_of_sent(&mut self, sent: Turn, at: Time) -> Result<Root, Time> {
        self.path.clear();
        self.search(Some((Keeps::Turn(sent), 0)), sent, (sent, 0), at)
    }

    /// The same of a packet, on whose way another keeps the next; nothing has changed up to that since then.
    fn search(
        &mut self,
        mut kept: Option<(Keeps, Time)>,
        from: Place,
        (mut place, mut since): (Place, Time),
        at: Time,
    ) -> Result<Root, Time> {
        // Where channels are chosen by load it is not always told whom packets wait for, and those
        // found may wait in a circle.
        let mut mark = place;
        for step in 0..LONGEST {
            if step > 0 && place == mark {
                break;
            }
            if step.is_power_of_two() {
                mark = place;
            }
            let (keeps, from_then) = kept.take().unwrap_or_else(|| self.keeps(place, at));
            since = since.max(from_then).max(self.ready(place, at));
            let next = match keeps {
                Keeps::Turn(turn) => {
                    self.note(turn.record);
                    since = since.max(self.log.entry(turn).start);
                    match self.stopped(turn, at) {
                        Some(stopped) => stopped,
                        None => return Ok(Root::at(turn.record, self.log.channel(turn), since)),
                    }
                }
                Keeps::Before(next) => next,
                Keeps::Room(next, channel) => {
                    if self.notes_way {
                        self.rooms.push(channel);
                    }
                    if let Some(own) = self.own_of_those(next, channel, at, from) {
                        let root = Root::at(next.record, channel, since);
                        return Ok(Root { own: Some(own), ..root });
                    }
                    next
                }
                Keeps::Fault(channel) => return Ok(Root::at(self.log.fault(), channel, since)),
                Keeps::Nobody => break,
            };
            self.note(next.record);
            let next = self.reached(next, at);
            if next.hop == 0 && self.log.entry(next).ready >= at {
                // It has come to the head of its node's list, and cannot ask yet.
                return Ok(Root::at(next.record, self.log.channel(next), since));
            }
            let before = place;
            match self.doing(next, at) {
                Doing::Comes(then) => {
                    let channel = self.log.record(next.record).hops[next.hop as usize - 1].0;
                    return Ok(Root::at(next.record, channel, since.max(then)));
                }
                Doing::IsSent(then) => {
                    since = since.max(then);
                    match self.stopped(next, at) {
                        Some(stopped) => place = stopped,
                        None => return Ok(Root::at(next.record, self.log.channel(next), since)),
                    }
                }
                Doing::Waits => place = next,
            }
            // Before the next was there something else kept this one.
            since = since.max(self.ready(place, at));
            self.path.goes_on(before, since, place);
        }
        self.path.clear();
        Err(since)
    }

    /// What is found by going back along a way is what would be found anew.
    #[cfg(debug_assertions)]
    fn check(&mut self, found: &Result<Root, Time>, from: Place, at: Time) {
        let path = std::mem::take(self.path);
        let anew = self.search(None, from, (from, 0), at);
        *self.path = path;
        let told = |root: &Result<Root, Time>| {
            let parts = |root: &Root| (root.record, root.channel, root.own, root.since);
            root.as_ref().map(parts).map_err(|&since| since)
        };
        assert_eq!(told(found), told(&anew), "the root of {from:?} at {at}");
    }

    /// When a packet could have started on a channel, if that was before an instant.
    fn ready(&self, place: Place, at: Time) -> Time {
        let ready = self.log.entry(place).ready;
        if ready < at { ready } else { 0 }
    }

    /// A packet stands on the way to a root.
    fn note(&mut self, record: RecordId) {
        if self.notes_way {
            self.way.push(record);
        }
    }

    /// Where a packet waits that holds a channel, if it is stopped there while its header waits.
    fn stopped(&self, turn: Turn, at: Time) -> Option<Place> {
        if !self.rules.are_stopped || self.log.entry(turn).end < at {
            return None;
        }
        // Channels follow each other: those it has started on come first.
        let hops = self.log.record(turn.record).hops.len() as u32;
        let place = |hop| Place { record: turn.record, hop };
        let started = (turn.hop..hops).find(|&hop| self.log.entry(place(hop)).start >= at)?;
        (self.log.entry(place(started)).ready < at).then(|| place(started))
    }

    /// The hop that a packet was about to cross just before an instant, if it had not come as far as it is
    /// asked for: it may stand before an engine.
    fn reached(&self, place: Place, at: Time) -> Place {
        let hops = self.log.record(place.record).hops.len() as u32;
        let start = |hop| self.log.entry(Place { hop, ..place }).start;
        let mut hop = place.hop.min(hops);
        while hop > 0 && start(hop - 1) >= at {
            hop -= 1;
        }
        if hop < place.hop.min(hops) { Place { hop, ..place } } else { place }
    }

    /// What a packet does just before an instant about a channel that it is to cross.
    fn doing(&self, place: Place, at: Time) -> Doing {
        let (log, record) = (self.log, self.log.record(place.record));
        if log.detained(place, at).is_some() {
            return Doing::Waits;
        }
        let before = |hop: u32| log.entry(Place { hop: hop - 1, ..place }).start;
        if record.hops.len() <= place.hop as usize {
            if log.waits(place, at) {
                return Doing::Waits;
            }
            // Where it goes on is not known.
            return Doing::Comes(before(record.hops.len() as u32));
        }
        let entry = log.entry(place);
        if entry.start < at {
            Doing::IsSent(entry.start)
        } else if entry.ready < at || place.hop == 0 {
            Doing::Waits
        } else {
            Doing::Comes(before(place.hop))
        }
    }

    /// What keeps a packet that waits, just before an instant, and since when at the earliest.
    pub(super) fn keeps(&mut self, place: Place, at: Time) -> (Keeps, Time) {
        let log = self.log;
        if let Some(detained) = log.detained(place, at) {
            return (Keeps::Fault(detained.channel), detained.from);
        }
        let record = log.record(place.record);
        let hop = record.hops.get(place.hop as usize).copied();
        // Where it has not started yet all turns are before its own.
        let (channel, number) = hop.unwrap_or_else(|| (log.channel(place), u32::MAX));
        let Some(turns) = log.turns(channel, record.message) else { return (Keeps::Nobody, 0) };
        let latest = turns.before_near(at, turns.place(number));
        let next = latest.map_or(0, |place| place + 1);
        let latest = latest.and_then(|place| turns.get(place));
        let sent = latest.filter(|entry| entry.end >= at);
        let idle_since = latest.map_or(0, |entry| entry.end);
        if log.stations().has(channel) {
            return sent.map_or((Keeps::Nobody, idle_since), |sent| (Keeps::Turn(sent.turn), 0));
        }
        // Since when it is first where it stands.
        let mut first_since = 0;
        if let Some(departures) = log.departures()
            && place.hop > 0
        {
            return self.keeps_in_queue(departures, (turns, next), place, at);
        }
        if place.hop == 0 {
            if let Some((head, since)) = self.heads_list(channel, at)
                && head.record != place.record
            {
                return (Keeps::Before(head), since);
            }
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
        if let Some(from) = log.down_since(channel, at) {
            return (Keeps::Fault(channel), from.max(first_since));
        }
        if let Some(sent) = sent {
            return (Keeps::Turn(sent.turn), first_since);
        }
        let idle_since = idle_since.max(first_since);
        if let Some(last) = latest
            && place.hop > 0
            && at <= last.end.saturating_add(self.rules.regrant_ps)
        {
            // It has waited for that one, and so may not start at once.
            return (Keeps::Turn(last.turn), last.end);
        }
        if let Some(holder) = turns.get(next)
            && holder.turn.record != place.record
            && !self.rules.is_private
            && holder.ready < at
        {
            return (Keeps::Before(holder.turn), idle_since);
        }
        if let Some(reply) = log.lacked(place, at) {
            return (Keeps::Before(reply), idle_since);
        }
        if let Some(departures) = log.departures() {
            return self.lacks_room_behind(departures, (turns, channel), idle_since, at);
        }
        if !log.beyond(channel).is_empty() {
            return self.is_paused(channel, idle_since, at);
        }
        let Some(front) = turns.in_front(at, |entry| log.cleared(entry)) else {
            return self.beside(channel, idle_since, at);
        };
        let before = front.checked_sub(1).and_then(|before| turns.get(before));
        let since = before.map_or(0, |before| log.cleared(before));
        let leaves = turns.get(front).map(|entry| behind(entry.turn));
        let leaves = leaves.filter(|turn| log.record(turn.record).hops.len() > turn.hop as usize);
        self.stand(turns, front, |entry| entry.start < at);
        let since = since.max(idle_since);
        match leaves {
            Some(leaves) => (Keeps::Room(leaves, channel), since),
            None => self.beside(channel, since, at),
        }
    }

    /// Where the switch at a channel's end has told those before it to pause: the packet that leaves that switch
    /// next, just before an instant, and since when at the earliest.
    fn is_paused(&self, channel: ChannelId, idle_since: Time, at: Time) -> (Keeps, Time) {
        let log = self.log;
        let (mut next, mut since): (Option<(Time, Turn)>, _) = (None, idle_since);
        for &out in log.beyond(channel) {
            let Some(turns) = log.turns(out, self.message) else { continue };
            let ended = turns.ended(at);
            let before = ended.checked_sub(1).and_then(|place| turns.get(place));
            since = since.max(before.map_or(0, |entry| entry.end));
            let is_there = |entry: &&Entry| {
                let before = entry.turn.hop.checked_sub(1);
                let before = before.map(|hop| log.entry(Turn { hop, ..entry.turn }));
                before.is_some_and(|before| before.ready < at)
            };
            if let Some(entry) = turns.from(ended).take(PASSED).find(is_there)
                && next.is_none_or(|(end, _)| entry.end < end)
            {
                next = Some((entry.end, entry.turn));
            }
        }
        (next.map_or(Keeps::Nobody, |(_, turn)| Keeps::Room(turn, channel)), since)
    }

    /// Another message's turn on the wire of a channel that is idle, if there is one; and since when at the
    /// earliest.
    pub(super) fn beside(&mut self, channel: ChannelId, since: Time, at: Time) -> (Keeps, Time) {
        (self.on_wire(channel, at).0.map_or(Keeps::Nobody, Keeps::Turn), since)
    }

    /// Another message's turn on the wire of an idle channel just before an instant, or else since when the others
    /// there are idle at the earliest.
    pub(super) fn on_wire(&mut self, channel: ChannelId, at: Time) -> (Option<Turn>, Time) {
        let (log, mut since) = (self.log, 0);
        for &other in log.beside(channel) {
            let Some(turns) = log.turns(other, self.message) else { continue };
            let Some(entry) = turns.before(at).and_then(|place| turns.get(place)) else { continue };
            if entry.end < at {
                since = since.max(entry.end);
            } else if log.record(entry.turn.record).message != self.message {
                return (Some(entry.turn), 0);
            }
        }
        (None, since)
    }

    /// Who is at the head of the list of a node just before an instant, in which all wait for its channels, and
    /// since when.
    fn heads_list(&self, channel: ChannelId, at: Time) -> Option<(Turn, Time)> {
        let listed = self.log.listed(channel)?;
        let before = listed.before(at);
        let head = listed.get(before.map_or(0, |place| place + 1))?;
        let since = before.and_then(|place| listed.get(place)).map_or(0, |entry| entry.start);
        Some((head.turn, since))
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
        let is_asked = |entry: &&Entry| {
            let record = entry.turn.record;
            entry.ready < at && (!is_private || log.record(record).message == message)
        };
        let mut before = turns.from(next).filter(is_asked).map(|entry| entry.turn);
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
        let channel = record.hops[place.hop as usize - 1].0;
        let turns = log.turns(channel, record.message)?;
        if self.rules.is_private {
            let Inside { front, since, .. } = self.inside(turns, record.message, at);
            return Some((behind(front?), since));
        }
        let front = turns.in_front(at, |entry| entry.out)?;
        let turn = turns.get(front)?.turn;
        if turn.record != place.record {
            self.stand(turns, front, |entry| entry.turn.record != place.record);
        }
        let before = front.checked_sub(1).and_then(|before| turns.get(before));
        Some((behind(turn), before.map_or(0, |before| before.out)))
    }

    /// Those that stand in a buffer behind the one in front come onto the way, nearest to that one
    /// last, as long as they are wanted.
    fn stand(&mut self, turns: &Turns, front: usize, is_wanted: impl Fn(&Entry) -> bool) {
        if !self.notes_way {
            return;
        }
        let base = self.way.len();
        let behind = turns.from(front + 1).take_while(|entry| is_wanted(entry));
        self.way.extend(behind.map(|entry| entry.turn.record));
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
        let own = || turns.from(0).filter(|entry| log.record(entry.turn.record).message == message);
        let is_there = |entry: &&Entry| entry.start < at && log.cleared(entry) >= at;
        let gone = own().map(|entry| log.cleared(entry)).filter(|&cleared| cleared < at);
        let size = |entry: &Entry| u64::from(log.record(entry.turn.record).size);
        Inside {
            front: own().find(is_there).map(|entry| entry.turn),
            since: gone.max().unwrap_or(0),
            taken: own().filter(is_there).map(size).sum(),
        }
    }

    /// A packet of the message at hand that leaves a full buffer first, if the message's own packets
    /// from that one to the packet at hand would not fit by themselves.
    pub(super) fn own_of(&self, front: Place, at_hand: Place) -> Option<Place> {
        let (first, last) = (self.log.record(front.record), self.log.record(at_hand.record));
        if first.message != self.message || first.number == UNNUMBERED || last.number == UNNUMBERED
        {
            return None;
        }
        let between = self.packets.get(first.number as usize..=last.number as usize)?;
        let size = |&id: &RecordId| u64::from(self.log.record(id).size);
        let all: u64 = between.iter().map(size).sum();
        // Nobody but they keeps them from the buffers between.
        let buffers = u64::from(front.hop.saturating_sub(at_hand.hop).max(1));
        (all > buffers * u64::from(self.rules.capacity)).then_some(front)
    }

    /// Who is charged for a stretch with this root; nobody if nobody else has anything to do with it.
    pub(super) fn culprit(&mut self, from: Place, root: &Root, at: Time) -> Option<RecordId> {
        let (log, message) = (self.log, self.message);
        let is_other = |id: &RecordId| log.record(*id).message != message;
        if is_other(&root.record) {
            return Some(root.record);
        }
        // Seldom: so it is noted then who stands on the way.
        self.notes_way = true;
        self.way.clear();
        self.rooms.clear();
        self.path.clear();
        self.root(from, at);
        self.notes_way = false;
        let nearest = self.way.iter().rev().find(|id| is_other(id)).copied();
        nearest.or_else(|| {
            self.rooms.iter().rev().find_map(|&channel| {
                if let Some(departures) = self.log.departures() {
                    return self.other_behind(departures, channel, at);
                }
                let turns = self.log.turns(channel, self.message)?;
                let front = turns.in_front(at, |entry| log.cleared(entry))?;
                let there = turns.from(front).take_while(|entry| entry.start < at);
                there.map(|entry| entry.turn.record).find(is_other)
            })
        })
    }
}
