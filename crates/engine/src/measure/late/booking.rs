//! What packets waited for, booked when it is known: once a packet has been delivered, since whoever kept it has
//! gone on, or when the run ends.

use super::booker::{Booker, class, own_class};
use super::chain::Scratch;
use super::log::{Log, NOBODY, Waiting};
use super::state::Late;
use super::turns::{RecordId, Turn};
use crate::ids::{ChannelId, PacketId};
use crate::measure::slices::{NONE, Slices, Wait};
use crate::mixed::Mixed;
use crate::time::{NEVER, Time};

/// How long a packet has lived.
#[derive(Clone, Copy, Debug)]
pub struct Fared {
    /// When it was delivered.
    pub at: Time,
    /// How much longer it lived than without contention.
    pub beyond: Time,
}

impl Late {
    /// A packet has been delivered: books its turns, and what it waited for. `takes`: how long it transmits on a
    /// channel on which it starts at an instant; labels become classes. What it was late on a channel that was
    /// slower than usual is booked there, until it had left it.
    pub fn books(
        &mut self,
        slices: &mut Slices,
        packet: PacketId,
        fared: Fared,
        takes: impl Fn(ChannelId, Time) -> Time,
        class_of: impl Fn(u32) -> u32,
    ) {
        let id = self.log.record_of(packet);
        if id == NOBODY {
            return;
        }
        let booker = &mut self.booker;
        booker.clear();
        let takes = |channel, at| if self.rules.are_held { NEVER } else { takes(channel, at) };
        let of = own_class(&self.log, id, &class_of);
        booker.takes_turns((&self.log, id, of), fared.at, slices, takes);
        let waited: Time = booker.waited();
        booker.catch_up(waited.saturating_sub(fared.beyond));
        let late = fared.beyond.saturating_sub(waited);
        let slow = slow_until(&self.log, id);
        let last = last_channel(&self.log, id).map(|channel| (channel, NONE, fared.at));
        if let Some((channel, root, until)) = slow.or(last).filter(|_| late > 0) {
            let victim = class(&self.log, id, slices.by_class, &class_of);
            let wait = Wait { channel: channel.0, root, victim, culprit: NONE };
            slices.waits(wait, (until.saturating_sub(late), until), 1);
        }
        let (rules, scratch) = (self.rules, &mut self.scratch);
        booker.books((&self.log, rules, scratch), id, slices, &class_of);
    }

    /// A packet has been lost: its turns are booked, and nothing of what it waited for.
    pub fn lost(
        &mut self,
        slices: Option<&mut Slices>,
        packet: PacketId,
        now: Time,
        takes: impl Fn(ChannelId, Time) -> Time,
    ) {
        let id = self.log.record_of(packet);
        if let Some(slices) = slices.filter(|_| id != NOBODY) {
            self.booker.takes_turns((&self.log, id, None), now, slices, takes);
            self.booker.clear();
        }
        self.log.loses(packet);
    }

    /// Books what all packets on their way have done until now. `stands`: the channel that a packet waits for
    /// that crossed another last, or none, and since when.
    pub fn books_those_on_their_way(
        &mut self,
        slices: &mut Slices,
        now: Time,
        takes: impl Fn(PacketId, ChannelId, Time) -> Time,
        stands: impl Fn(PacketId, Option<ChannelId>) -> Option<(ChannelId, Time)>,
        class_of: impl Fn(u32) -> u32,
    ) {
        let all: Vec<_> = self.log.on_their_way().collect();
        let mut standing = Mixed::default();
        for &(packet, id) in &all {
            let Some((channel, ready)) = stands(packet, last_channel(&self.log, id)) else {
                continue;
            };
            let hop = self.log.record(id).hops.len() as u32;
            standing.insert(id, Waiting::new(Turn { record: id, hop }, channel, ready));
        }
        self.log.stand(standing);
        // What is told of those who wait still holds at this instant only.
        let (mut booker, mut scratch) = (Booker::default(), Scratch::default());
        let mut order: Vec<_> = all.iter().map(|&(_, id)| (self.log.waits_since(id), id)).collect();
        order.sort_unstable();
        for &(packet, id) in &all {
            let are_held = self.rules.are_held;
            let takes = |channel, at| if are_held { NEVER } else { takes(packet, channel, at) };
            let of = own_class(&self.log, id, &class_of);
            booker.takes_turns((&self.log, id, of), now, slices, takes);
            booker.clear();
        }
        for (_, id) in order {
            booker.clear();
            booker.waits((&self.log, id), now);
            booker.books((&self.log, self.rules, &mut scratch), id, slices, &class_of);
        }
        self.log.stand(Mixed::default());
        booker.close(&self.booker, slices);
    }
}

/// The latest channel a packet crossed that was slower than usual: it, as the root, and until when.
fn slow_until(log: &Log, id: RecordId) -> Option<(ChannelId, u32, Time)> {
    let record = log.record(id);
    let hop = record.hops.iter().position(|&(channel, _)| channel == record.slow)?;
    let entry = log.entry(Turn { record: id, hop: hop as u32 });
    Some((record.slow, record.slow.0, entry.end))
}

/// The channel that a packet crossed last.
fn last_channel(log: &Log, id: RecordId) -> Option<ChannelId> {
    let mut hops = log.record(id).hops.iter().rev();
    hops.find(|&&(number, _)| !log.stations().has(number)).map(|&(channel, _)| channel)
}
