//! What packets waited for, booked in the slices of time in which they did.
//!
//! When a packet has been delivered it is known what it waited for, since whoever kept it has gone on. Packets
//! that wait in one queue have the same root at every instant, which is therefore looked for once.

use super::Late;
use super::chain::{Chain, NO_MESSAGE, Rules, Scratch};
use super::departures::Waiting;
use super::log::{Log, NOBODY};
use super::story::{Cost, Story, Told};
use super::turns::{Entry, RecordId, Turn};
use crate::ids::{ChannelId, PacketId};
use crate::measure::slices::{NONE, Slices, Wait, What};
use crate::mixed::Mixed;
use crate::time::{NEVER, Time};

/// A packet's wait on its way to a hop.
#[derive(Clone, Copy)]
struct Stand {
    hop: u32,
    /// The channel that it is charged to.
    channel: ChannelId,
    from: Time,
    to: Time,
}

/// What is kept from one packet to the next.
#[derive(Default)]
pub(super) struct Booker {
    stands: Vec<Stand>,
    /// By queue: what those in it wait for.
    stories: Vec<Story>,
    /// The same of one packet, the latest first; scratch.
    told: Vec<Told>,
}

/// How long a packet has lived.
#[derive(Clone, Copy, Debug)]
pub struct Fared {
    /// When it was delivered.
    pub at: Time,
    /// How much longer it lived than without contention.
    pub beyond: Time,
}

/// A root of which nothing is known.
const UNKNOWN: (u32, ChannelId) = (NONE, ChannelId(NONE));

/// The queue in which packets wait, whatever for, is of no use.
type Classes<'a> = &'a dyn Fn(u32) -> u32;

impl Late {
    /// A packet has been delivered: books its turns, and what it waited for. `takes`: how long it transmits on a
    /// channel; labels become classes.
    pub fn books(
        &mut self,
        slices: &mut Slices,
        packet: PacketId,
        fared: Fared,
        takes: impl Fn(ChannelId) -> Time,
        class_of: impl Fn(u32) -> u32,
    ) {
        let id = self.log.record_of(packet);
        if id == NOBODY {
            return;
        }
        let booker = &mut self.booker;
        booker.stands.clear();
        booker.takes_turns((&self.log, id), NEVER, slices, takes);
        let waited: Time = booker.stands.iter().map(|stand| stand.to - stand.from).sum();
        booker.catch_up(waited.saturating_sub(fared.beyond));
        let late = fared.beyond.saturating_sub(waited);
        if let Some(channel) = last_channel(&self.log, id).filter(|_| late > 0) {
            let victim = class(&self.log, id, slices.by_class, &class_of);
            let wait = Wait { channel: channel.0, root: NONE, victim, culprit: NONE };
            slices.waits(wait, (fared.at - late, fared.at));
        }
        let (rules, scratch) = (self.rules, &mut self.scratch);
        booker.books((&self.log, rules, scratch), id, slices, &class_of);
    }

    /// Books what all packets on their way have done until now. `stands`: the channel that a packet waits for
    /// that crossed another last, or none, and since when.
    pub fn books_those_on_their_way(
        &mut self,
        slices: &mut Slices,
        now: Time,
        takes: impl Fn(PacketId, ChannelId) -> Time,
        stands: impl Fn(PacketId, Option<ChannelId>) -> Option<(ChannelId, Time)>,
        class_of: impl Fn(u32) -> u32,
    ) {
        let all: Vec<_> = self.log.on_their_way().collect();
        let mut standing = Mixed::default();
        for &(packet, id) in &all {
            let Some((channel, ready)) = stands(packet, last_channel(&self.log, id)) else { continue };
            let hop = self.log.record(id).hops.len() as u32;
            let (turn, start) = (Turn { record: id, hop }, NEVER);
            let entry = Entry { turn, ready, start, end: NEVER, out: NEVER };
            standing.insert(id, Waiting { channel, entry });
        }
        self.log.stand(standing);
        // What is told of those who wait still is told of now only.
        let (mut booker, mut scratch) = (Booker::default(), Scratch::default());
        let mut order: Vec<_> = all.iter().map(|&(_, id)| (self.log.waits_since(id), id)).collect();
        order.sort_unstable();
        for &(packet, id) in &all {
            booker.takes_turns((&self.log, id), now, slices, |channel| takes(packet, channel));
            booker.stands.clear();
        }
        for (_, id) in order {
            booker.stands.clear();
            booker.waits((&self.log, id), now);
            booker.books((&self.log, self.rules, &mut scratch), id, slices, &class_of);
        }
        self.log.stand(Mixed::default());
    }
}

impl Booker {
    /// Books a packet's turns up to an instant, and finds its waits.
    fn takes_turns(
        &mut self,
        (log, id): (&Log, RecordId),
        until: Time,
        slices: &mut Slices,
        takes: impl Fn(ChannelId) -> Time,
    ) {
        for (hop, &(channel, _)) in log.record(id).hops.iter().enumerate() {
            let &Entry { start, end, .. } = log.entry(Turn { record: id, hop: hop as u32 });
            if end > start && !log.stations().has(channel) {
                let busy = takes(channel).min(end - start);
                slices.add(What::Busy, channel, (start.min(until), (start + busy).min(until)));
            }
        }
        self.waits((log, id), until);
    }

    /// Finds a packet's waits up to an instant: those at a station are for the channel by which it goes on, or by
    /// which it came if it goes no further.
    fn waits(&mut self, (log, id): (&Log, RecordId), until: Time) {
        let hops = &log.record(id).hops;
        let count = hops.len() as u32;
        for hop in 0..=count {
            let turn = Turn { record: id, hop };
            let &Entry { ready, start, .. } = log.entry(turn);
            let (from, to) = (ready, start.min(until));
            if from < to {
                let mut channel = log.channel(turn);
                if log.stations().has(channel) {
                    let next = hops.get(hop as usize + 1).or(hops.get((hop as usize).wrapping_sub(1)));
                    channel = next.map_or(log.stations().name(channel), |&(channel, _)| channel);
                }
                self.stands.push(Stand { hop, channel, from, to });
            }
        }
    }

    /// Takes away waits that the rest of a packet made up for, the latest first.
    fn catch_up(&mut self, mut time: Time) {
        while time > 0
            && let Some(last) = self.stands.last_mut()
        {
            let taken = time.min(last.to - last.from);
            last.to -= taken;
            time -= taken;
            if last.to == last.from {
                self.stands.pop();
            }
        }
    }

    /// Books the waits found of a packet.
    fn books(
        &mut self,
        (log, rules, scratch): (&Log, Rules, &mut Scratch),
        id: RecordId,
        slices: &mut Slices,
        class_of: Classes,
    ) {
        let message = if rules.is_private { log.record(id).message } else { NO_MESSAGE };
        let mut pieces = Vec::new();
        let mut chain = Chain::new(log, rules, (message, 0), &[], &mut pieces, scratch);
        let by_class = slices.by_class;
        let victim = class(log, id, by_class, class_of);
        let of = |record| class(log, record, by_class, class_of);
        let stands = std::mem::take(&mut self.stands);
        for &Stand { hop, channel, from, to } in &stands {
            let place = Turn { record: id, hop };
            self.tell(&mut chain, place, (from, to), &of, |Cost { label, channel: root, begin, time }| {
                let root = if root.0 == NONE { NONE } else { log.stations().name(root).0 };
                let wait = Wait { channel: channel.0, root, victim, culprit: label };
                slices.waits(wait, (begin, begin + time));
            });
        }
        self.stands = stands;
    }

    /// Tells what a packet waited for in a span, in order of time.
    fn tell(
        &mut self,
        chain: &mut Chain,
        place: Turn,
        (from, to): (Time, Time),
        class: Classes,
        mut put: impl FnMut(Cost),
    ) {
        let Some(queue) = chain.queue(place) else {
            self.find(chain, place, (from, to), class);
            return self.each((from, to), put);
        };
        if self.stories.len() <= queue {
            self.stories.resize_with(queue + 1, Story::default);
        }
        let mut story = std::mem::take(&mut self.stories[queue]);
        story.forget(chain.since());
        if story.is_empty() {
            story.begin(from);
        } else if story.end() < from {
            // Nobody who has been delivered stood there meanwhile.
            story.push(Told { begin: story.end(), by: None }, from);
        }
        if story.end() < to {
            self.find(chain, place, (story.end(), to), class);
            let mut end = self.told.len();
            while let Some(at) = end.checked_sub(1) {
                let next = at.checked_sub(1).map_or(to, |next| self.told[next].begin);
                story.push(self.told[at], next);
                end = at;
            }
        }
        let is_known = story.knows((from, to));
        if is_known {
            let _ = story.each((from, to), false, &mut put);
        }
        self.stories[queue] = story;
        if !is_known {
            self.find(chain, place, (from, to), class);
            self.each((from, to), put);
        }
    }

    /// Finds what a packet waited for, the latest first.
    fn find(&mut self, chain: &mut Chain, place: Turn, span: (Time, Time), class: Classes) {
        let told = &mut self.told;
        told.clear();
        chain.roots(place, span, |found, begin| {
            let by = found.map_or(UNKNOWN, |(record, channel)| (class(record), channel));
            match told.last_mut() {
                Some(last) if last.by == Some(by) => last.begin = begin,
                _ => told.push(Told { begin, by: Some(by) }),
            }
        });
    }

    /// Does something with all that was found of a span, in order of time.
    fn each(&self, (_, to): (Time, Time), mut put: impl FnMut(Cost)) {
        for (at, &Told { begin, by }) in self.told.iter().enumerate().rev() {
            let end = at.checked_sub(1).map_or(to, |next| self.told[next].begin);
            let (label, channel) = by.unwrap_or(UNKNOWN);
            put(Cost { label, channel, begin, time: end - begin });
        }
    }
}

/// The class of a packet, if it is told apart.
fn class(log: &Log, id: RecordId, is_told: bool, class_of: Classes) -> u32 {
    if is_told { class_of(log.record(id).label) } else { NONE }
}

/// The channel that a packet crossed last.
fn last_channel(log: &Log, id: RecordId) -> Option<ChannelId> {
    let mut hops = log.record(id).hops.iter().rev();
    hops.find(|&&(number, _)| !log.stations().has(number)).map(|&(channel, _)| channel)
}
