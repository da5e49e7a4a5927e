//! The turns and waits of one packet, booked in the slices of time in which they were.
//!
//! Packets that wait in one queue have the same root at every instant, which is therefore looked for once.

use super::chain::{Chain, NO_MESSAGE, Rules, Scratch};
use super::log::{FAULT, Log};
use super::queue::{Queue, Stretch, Waiter, wait};
use super::turns::{Entry, RecordId, Turn};
use crate::ids::ChannelId;
use crate::measure::blame::REST;
use crate::measure::slices::{NONE, Slices, What};
use crate::time::Time;

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
pub struct Booker {
    stands: Vec<Stand>,
    /// What those in them wait for.
    queues: Vec<Queue>,
    /// The same of one packet, the latest first; scratch.
    found: Vec<Stretch>,
}

/// A root of which nothing is known.
const UNKNOWN: (u32, ChannelId) = (NONE, ChannelId(NONE));

/// Of what class somebody is.
pub type Classes<'a> = &'a dyn Fn(u32) -> u32;

impl Booker {
    /// Nothing is known of a packet's waits.
    pub fn clear(&mut self) {
        self.stands.clear();
    }

    /// How long the packet has waited in all.
    pub fn waited(&self) -> Time {
        self.stands.iter().map(|stand| stand.to - stand.from).sum()
    }

    /// Nobody will wait any more: books what is still to be booked, of those of another, too.
    pub fn close(self, other: &Self, slices: &mut Slices) {
        for queue in self.queues.into_iter().chain(other.queues.iter().cloned()) {
            queue.close_all(slices);
        }
    }

    /// Books a packet's turns up to an instant, and finds its waits; those of a class, if it is known, are its ways.
    pub fn takes_turns(
        &mut self,
        (log, id, of): (&Log, RecordId, Option<u32>),
        until: Time,
        slices: &mut Slices,
        takes: impl Fn(ChannelId, Time) -> Time,
    ) {
        for (hop, &(channel, _)) in log.record(id).hops.iter().enumerate() {
            let Entry { start, end, .. } = log.entry(Turn { record: id, hop: hop as u32 });
            if end > start && !log.stations().has(channel) {
                let busy = takes(channel, start).min(end - start);
                let end = start.saturating_add(busy).min(until);
                let span = (start.min(until), end);
                slices.add(What::Busy, channel, span);
                if let Some(class) = of {
                    slices.crosses(class, channel, span);
                }
            }
        }
        self.waits((log, id), until);
    }

    /// Finds a packet's waits up to an instant: those at a station are for the channel by which it goes on, or by
    /// which it came if it goes no further.
    pub fn waits(&mut self, (log, id): (&Log, RecordId), until: Time) {
        let hops = &log.record(id).hops;
        let count = hops.len() as u32;
        for hop in 0..=count {
            let turn = Turn { record: id, hop };
            let Entry { ready, start, .. } = log.entry(turn);
            let (from, to) = (ready, start.min(until));
            if from < to {
                let mut channel = log.channel(turn);
                if log.stations().has(channel) {
                    let next =
                        hops.get(hop as usize + 1).or(hops.get((hop as usize).wrapping_sub(1)));
                    channel = next.map_or(log.stations().name(channel), |&(channel, _)| channel);
                }
                self.stands.push(Stand { hop, channel, from, to });
            }
        }
    }

    /// Takes away waits that the rest of a packet made up for, the latest first.
    pub fn catch_up(&mut self, mut time: Time) {
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
    pub fn books(
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
            let at = (Turn { record: id, hop }, (channel.0, victim));
            self.books_wait(&mut chain, at, (from, to), &of, slices);
        }
        self.stands = stands;
    }

    /// Books a wait, with what it was for.
    fn books_wait(
        &mut self,
        chain: &mut Chain,
        (place, waiter): (Turn, Waiter),
        (from, to): (Time, Time),
        class: Classes,
        slices: &mut Slices,
    ) {
        if let Some(number) = chain.queue(place) {
            if self.queues.len() <= number {
                self.queues.resize_with(number + 1, Queue::default);
            }
            let mut queue = std::mem::take(&mut self.queues[number]);
            queue.forget(chain.since(), slices);
            // Nobody who has been delivered stood there meanwhile.
            queue.goes_on(from);
            if queue.end() < to {
                let span = (queue.end(), to);
                self.find(chain, place, span, class, |stretch, end| queue.push(stretch, end));
            }
            let is_booked = queue.books(waiter, (from, to), slices);
            self.queues[number] = queue;
            // Where packets are stopped on channels it may be seen only later what for.
            #[cfg(debug_assertions)]
            if is_booked && !chain.are_stopped() {
                let mut right = Vec::new();
                self.find(chain, place, (from, to), class, |one, _| {
                    right.push((one.by, one.begin));
                });
                assert_eq!(
                    self.queues[number].cut((from, to)),
                    right,
                    "all in a queue have one root"
                );
            }
            if is_booked {
                return;
            }
        }
        self.find(chain, place, (from, to), class, |stretch, end| {
            let cause = stretch.by.unwrap_or(UNKNOWN);
            slices.waits(wait(waiter, cause), (stretch.begin, end), 1);
        });
    }

    /// What a packet waited for in a span: stretch by stretch, each until when, in order of time.
    fn find(
        &mut self,
        chain: &mut Chain,
        place: Turn,
        span: (Time, Time),
        class: Classes,
        mut put: impl FnMut(Stretch, Time),
    ) {
        let found = &mut self.found;
        found.clear();
        let stations = chain.stations();
        chain.roots(place, span, |root, begin| {
            let cause = |(record, at)| (class(record), stations.name(at));
            let by = Some(root.map_or(UNKNOWN, cause));
            match found.last_mut() {
                Some(last) if last.by == by => last.begin = begin,
                _ => found.push(Stretch { begin, by }),
            }
        });
        let mut ends = found.iter().rev().skip(1).map(|next| next.begin).chain([span.1]);
        for &stretch in found.iter().rev() {
            put(stretch, ends.next().unwrap_or(span.1));
        }
    }
}

/// The class of a packet, if it is told apart; a fault has none.
pub fn class(log: &Log, id: RecordId, is_told: bool, class_of: Classes) -> u32 {
    let label = log.record(id).label;
    if is_told && label != FAULT { class_of(label) } else { NONE }
}

/// The class of a packet, unless it is not told apart.
pub fn own_class(log: &Log, id: RecordId, class_of: Classes) -> Option<u32> {
    let label = log.record(id).label;
    (label != REST).then(|| class_of(label))
}
