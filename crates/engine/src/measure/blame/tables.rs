//! The tables of a window.

use super::batches::{BATCHES, Batches};
use super::cause::Charge;
use super::key::{Key, Packed, REST};
use super::sums::Sums;
use super::victims::Victims;
use crate::time::Time;

/// The tables of a window.
#[derive(Clone)]
pub struct Tables {
    /// Charges to who was in the way.
    pub direct: Pairs,
    /// By victim: packets delivered; in batches: messages whose last packet that was.
    pub victims: Sums,
    /// The batches of all of them.
    pub batches: Batches,
    /// The batch of charges that are still to be added.
    batch: usize,
    /// Whether batches are no spans of time, but groups of packets: every so many are of one.
    are_groups: bool,
    /// These: many at once, so that cache misses overlap.
    pending: Vec<Pending>,
}

/// A charge that is to be added to the tables.
#[derive(Clone, Copy)]
struct Pending {
    time: Time,
    key: Packed,
}

impl Pending {
    #[inline]
    fn new(victim: u32, &Charge { channel, culprit, cause, time }: &Charge) -> Self {
        let key = Key { channel: channel.0, victim, culprit, cause: cause as u8 }.into();
        Self { time, key }
    }
}

/// Who made whom wait.
#[derive(Clone, Default)]
pub struct Pairs {
    /// By victim and culprit: pieces of waits, and time. Until [`Tables::settled`] only of those
    /// that `channels` has no room for: the others follow from it.
    pub pairs: Sums,
    /// The same by channel waited for.
    pub channels: Sums,
    /// Charges that `channels` has no room for, and that are still to be added to `pairs`.
    left: Vec<(Packed, Time)>,
}

impl Pairs {
    /// Adds charges of a batch of time.
    fn add(&mut self, all: &[Pending], batch: usize) {
        for some in all.chunks(AHEAD) {
            self.make_room();
            self.channels.prefetch_all(some.iter().map(|pending| pending.key));
            self.left.clear();
            for &Pending { time, key } in some {
                if !self.channels.add_packed(key, time, batch) {
                    self.left.push((key.anywhere(), time));
                }
            }
            self.pairs.prefetch_all(self.left.iter().map(|&(key, _)| key));
            for &(key, time) in &self.left {
                self.pairs.add_packed(key, time, batch);
            }
        }
    }

    /// Adds charges, each with its batch, one by one.
    pub(crate) fn add_all(&mut self, all: &[(Key, Time, usize)]) {
        for some in all.chunks(AHEAD) {
            self.channels.prefetch_all(some.iter().map(|&(key, ..)| key.into()));
            for &(key, time, batch) in some {
                self.add_one(key, time, batch);
            }
        }
    }

    fn add_one(&mut self, key: Key, time: Time, batch: usize) {
        self.make_room();
        let key = Packed::from(key);
        if !self.channels.add_packed(key, time, batch) {
            self.pairs.add_packed(key.anywhere(), time, batch);
        }
    }

    /// Batches become twice as long.
    pub(crate) fn halve(&mut self) {
        self.pairs.halve();
        self.channels.halve();
    }

    /// Where a table is full, what is small in it is not told apart any more.
    #[inline]
    fn make_room(&mut self) {
        if self.channels.is_full() {
            let mut small = Vec::new();
            self.channels.shorten(|key, sum| small.push((key.anywhere(), *sum)));
            self.pairs.merge_all(small.into_iter());
        }
        if self.pairs.is_full() {
            self.pairs.shorten(|_, _| ());
        }
    }

    /// Adds those by channel to those wherever.
    pub(crate) fn settle(&mut self) {
        let of_channels = self.channels.sorted().into_iter();
        // What the table had no room for is among the pairs already. A detour is at no channel, but it
        // has a victim.
        let told = of_channels.filter(|(key, _)| key.victim != REST);
        self.pairs.merge_all(told.map(|(key, sum)| (Packed::from(key).anywhere(), sum)));
    }
}

/// Charges that are added to the tables at once.
const AT_ONCE: usize = 1 << 10;
/// Of these, those of which what they need is read beforehand.
const AHEAD: usize = 32;
/// The first batches are this many sample intervals long.
pub(crate) const FIRST_BATCH: Time = 8;

impl Tables {
    /// Nothing is in them; batches begin at `begin`.
    pub fn new(begin: Time, interval: Time, victims: &Victims) -> Self {
        Self {
            direct: Pairs::default(),
            victims: Sums::default(),
            batches: Batches { begin, length: FIRST_BATCH * interval },
            batch: 0,
            are_groups: victims.are_grouped(),
            pending: Vec::with_capacity(2 * AT_ONCE),
        }
    }

    /// A packet of a class has been delivered: what it is charged.
    pub fn add(&mut self, victim: u32, charges: &[Charge], is_message: bool, now: Time) {
        if self.are_groups || self.batches.at(now) != self.batch {
            self.begin_batch(now);
        }
        let batch = self.batch;
        let whole = Key { channel: 0, victim, culprit: 0, cause: 0 };
        self.victims.add(whole, is_message.into(), batch);
        self.pending.extend(charges.iter().map(|charge| Pending::new(victim, charge)));
        if self.pending.len() >= AT_ONCE {
            self.settle();
        }
    }

    /// Charges are of another batch from `now` on.
    #[cold]
    #[inline(never)]
    fn begin_batch(&mut self, now: Time) {
        self.settle();
        if self.are_groups {
            self.batch = (self.batch + 1) % BATCHES;
            return;
        }
        let Self { direct, victims, batches, .. } = self;
        batches.reach(now, || {
            direct.halve();
            victims.halve();
        });
        self.batch = batches.at(now);
    }

    /// Adds what is still to be added.
    #[cold]
    #[inline(never)]
    fn settle(&mut self) {
        self.direct.add(&self.pending, self.batch);
        self.pending.clear();
    }

    /// The tables with everything in them.
    #[must_use]
    pub fn settled(&self) -> Self {
        let mut tables = self.clone();
        tables.settle();
        tables.direct.settle();
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::super::cause::Cause;
    use super::*;
    use crate::ids::ChannelId;

    /// Pairs are known although the table by channel has room for two of four channels only.
    #[test]
    fn pairs_are_whole_when_channels_are_not() {
        let mut tables = Tables::new(0, 10, &Victims::default());
        tables.direct.channels = Sums::of_at_most(2);
        for number in 0..40 {
            let charge = Charge {
                channel: ChannelId(number % 4),
                culprit: 5,
                cause: Cause::OutputBusy,
                time: 3,
            };
            tables.add(number % 2, &[charge], true, u64::from(number) * 100);
        }
        let settled = tables.settled();
        let pairs = settled.direct.pairs.sorted();
        let known: Vec<_> = pairs.iter().map(|(key, sum)| (key.victim, sum.total())).collect();
        assert_eq!(known, [(0, 60), (1, 60)]);
        let channels = settled.direct.channels.sorted();
        let [.., (last, rest)] = channels[..] else { panic!() };
        assert_eq!((last.channel, rest.count >= 20), (REST, true));
        assert_eq!(channels.iter().map(|(_, sum)| sum.total()).sum::<u64>(), 120);
        assert_eq!(settled.victims.sorted().len(), 2);
    }

    /// Channels are known although the table has no room for most of those who wait there.
    #[test]
    fn channels_are_whole_when_pairs_there_are_not() {
        let mut tables = Tables::new(0, 1 << 40, &Victims::default());
        tables.direct.channels = Sums::of_at_most(64);
        for number in 0..4000_u32 {
            let (channel, culprit) = (ChannelId(number % 4), number % 7);
            let charge = Charge { channel, culprit, cause: Cause::OutputBusy, time: 3 };
            tables.add(number % 101, &[charge], true, 0);
        }
        let settled = tables.settled();
        let (mut by_channel, mut rests) = ([0; 4], 0);
        for (key, sum) in settled.direct.channels.sorted() {
            by_channel[key.channel as usize] += sum.total();
            rests += u64::from(key.victim == REST);
        }
        assert_eq!((by_channel, rests), ([3000; 4], 4));
        let pairs = settled.direct.pairs.sorted();
        assert_eq!(pairs.iter().map(|(_, sum)| sum.total()).sum::<u64>(), 12_000);
        assert!(pairs.iter().all(|(key, _)| key.victim == REST || key.victim <= 100));
    }

    /// What is charged at no channel is charged nevertheless, whether or not there is room.
    #[test]
    fn pairs_have_what_is_at_no_channel() {
        for most in [2, 8] {
            let mut pairs = Pairs { channels: Sums::of_at_most(most), ..Pairs::default() };
            for number in 0..20 {
                let (victim, cause) = (number % 2, 4);
                let at = Key { channel: number % 4, victim, culprit: 5, cause: 1 };
                pairs.add_one(at, 3, 0);
                pairs.add_one(Key { channel: REST, victim, culprit: REST, cause }, 7, 0);
            }
            pairs.settle();
            let sums = pairs.pairs.sorted();
            let known: Vec<_> = sums
                .iter()
                .map(|(key, sum)| (key.victim, key.culprit, key.cause, sum.total()))
                .collect();
            let all = [(0, 5, 1, 30), (0, REST, 4, 70), (1, 5, 1, 30), (1, REST, 4, 70)];
            assert_eq!(known, all, "{most}");
        }
    }

    /// A key that comes when a table is full, and becomes the largest, is told apart.
    #[test]
    fn what_becomes_large_is_told_apart_although_it_comes_late() {
        let mut tables = Tables::new(0, 1 << 40, &Victims::default());
        tables.direct.channels = Sums::of_at_most(8);
        let cause = Cause::OutputBusy;
        for number in 0..1000 {
            let late = number > 500 && number % 2 == 0;
            let channel = ChannelId(if late { 7_777 } else { number });
            let charge = Charge { channel, culprit: 5, cause, time: 3 };
            tables.add(1, &[charge], true, 0);
        }
        let channels = tables.settled().direct.channels.sorted();
        assert_eq!(channels.iter().map(|(_, sum)| sum.total()).sum::<u64>(), 3000);
        let large = channels.iter().find(|(key, _)| key.channel == 7_777);
        assert!(large.is_some_and(|(_, sum)| sum.count > 200), "{channels:?}");
    }
}
