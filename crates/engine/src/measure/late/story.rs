//! What the packets in a node's queue wait for, instant by instant: the same for all of them but for
//! those of one message.
//!
//! Where a queue grows, everyone in it waits for all who are sent before, and roots are looked for once,
//! not by everyone again. Sums over spans are added up from sums over 16, 256, 4096... pieces.

use crate::ids::ChannelId;
use crate::time::Time;
use std::collections::VecDeque;

/// A stretch of time in which those in the queue wait for one root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// When it began; it lasts until the next begins.
    pub begin: Time,
    /// Who is charged as what, and where the root was; none: that is not known.
    pub by: Option<(u32, ChannelId)>,
}

/// What one culprit at one root costs, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// What the culprit is charged as.
    pub label: u32,
    /// The root channel.
    pub channel: ChannelId,
    /// When its first piece began.
    pub begin: Time,
    /// How long all of it was.
    pub time: Time,
}

/// Costs over a number of pieces, in the order in which their first pieces began.
#[derive(Clone, Debug, Default)]
struct Block {
    costs: Vec<Cost>,
    /// Whether it is known for all of them who is charged.
    is_known: bool,
}

/// Pieces that one block is the sum of, or blocks of the next.
const EACH: u64 = 16;

/// What those in one node's queue wait for.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pieces: VecDeque<Told>,
    /// The number of the first of them.
    first: u64,
    /// Until when it is told.
    end: Time,
    /// By size: blocks, with the number of the first.
    blocks: Vec<(VecDeque<Block>, u64)>,
}

impl Block {
    fn add(&mut self, cost: Cost) {
        let same = |own: &&mut Cost| (own.label, own.channel) == (cost.label, cost.channel);
        match self.costs.iter_mut().find(same) {
            Some(own) => own.time += cost.time,
            None => self.costs.push(cost),
        }
    }
}

impl Story {
    /// Until when it is told.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Whether it tells of an instant, up to where it ends.
    pub fn tells_since(&self, at: Time) -> bool {
        self.pieces.front().is_some_and(|piece| piece.begin <= at) && at <= self.end
    }

    /// It is told anew, from an instant on.
    pub fn begin(&mut self, at: Time) {
        self.pieces.clear();
        self.blocks.clear();
        (self.first, self.end) = (0, at);
    }

    /// What was before an instant is not asked for any more.
    pub fn forget(&mut self, since: Time) {
        while self.pieces.get(1).is_some_and(|next| next.begin <= since) {
            self.pieces.pop_front();
            self.first += 1;
        }
        let mut size = 1;
        for (blocks, first) in &mut self.blocks {
            size *= EACH;
            while *first * size < self.first && !blocks.is_empty() {
                blocks.pop_front();
                *first += 1;
            }
        }
    }

    /// The next piece, until an instant.
    pub fn push(&mut self, told: Told, end: Time) {
        self.end = end;
        if self.pieces.back().is_some_and(|last| last.by == told.by) {
            return;
        }
        self.pieces.push_back(told);
        // All before the new one are whole.
        let number = self.first + self.pieces.len() as u64 - 1;
        let mut size = EACH;
        for level in 0.. {
            if !number.is_multiple_of(size) || number < size {
                return;
            }
            self.add_block(level, number / size - 1, size);
            size *= EACH;
        }
    }

    /// Adds the block of a number of so many pieces, if all of them are there.
    fn add_block(&mut self, level: usize, number: u64, size: u64) {
        if self.blocks.len() == level {
            self.blocks.push((VecDeque::new(), number));
        }
        if number * size < self.first {
            // Not all of it is there: the next is the first.
            let (blocks, first) = &mut self.blocks[level];
            blocks.clear();
            *first = number + 1;
            return;
        }
        let mut sum = Block { costs: Vec::new(), is_known: true };
        if level == 0 {
            let from = (number * size - self.first) as usize;
            for place in from..from + size as usize {
                let Told { begin, by } = self.pieces[place];
                let time = self.pieces[place + 1].begin - begin;
                match by {
                    Some((label, channel)) => sum.add(Cost { label, channel, begin, time }),
                    None => sum.is_known = false,
                }
            }
        } else {
            let (parts, first) = &self.blocks[level - 1];
            let from = (number * EACH - first) as usize;
            for part in parts.range(from..from + EACH as usize) {
                part.costs.iter().for_each(|&cost| sum.add(cost));
                sum.is_known &= part.is_known;
            }
        }
        let (blocks, first) = &mut self.blocks[level];
        if blocks.is_empty() {
            *first = number;
        }
        blocks.push_back(sum);
    }

    /// Does something with the pieces of a span in order of time, or with sums of many at once if `summed`.
    /// False if it is not known for all of it who is charged: then it has been done with some.
    #[must_use]
    pub fn each(&self, (from, to): (Time, Time), summed: bool, mut put: impl FnMut(Cost)) -> bool {
        let begin = self.pieces.partition_point(|piece| piece.begin <= from);
        let Some(mut place) = begin.checked_sub(1) else { return false };
        let end = self.pieces.partition_point(|piece| piece.begin < to);
        // The first and the last are not whole.
        let first = place;
        while place < end {
            let most = if summed && place > first { (end - 1 - place) as u64 } else { 0 };
            if let Some((block, size)) = self.largest(self.first + place as u64, most) {
                if !block.is_known {
                    return false;
                }
                block.costs.iter().for_each(|&cost| put(cost));
                place += size as usize;
                continue;
            }
            let Told { begin, by } = self.pieces[place];
            let Some((label, channel)) = by else { return false };
            let next = self.pieces.get(place + 1).map_or(self.end, |next| next.begin);
            let begin = begin.max(from);
            put(Cost { label, channel, begin, time: next.min(to) - begin });
            place += 1;
        }
        true
    }

    /// The largest block that begins with the piece of a number and has at most so many, and how many.
    fn largest(&self, number: u64, most: u64) -> Option<(&Block, u64)> {
        let (mut found, mut size) = (None, 1);
        for (blocks, first) in &self.blocks {
            size *= EACH;
            if size > most || !number.is_multiple_of(size) {
                break;
            }
            let place = (number / size).checked_sub(*first).map(|place| place as usize);
            found = place.and_then(|place| blocks.get(place)).map(|block| (block, size)).or(found);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, Story, Told};
    use crate::ids::ChannelId;
    use crate::rng::{Purpose, Stream};
    use std::collections::BTreeMap;

    /// Sums of many are the sums of all, wherever it begins and ends, and whatever has been forgotten.
    #[test]
    fn sums_of_many_pieces_are_those_of_each() {
        let mut random = Stream::new(1, Purpose::Length, 0);
        let mut story = Story::default();
        story.begin(5);
        let mut end = 5;
        for number in 0..20_000 {
            let by = (random.below(7) as u32, ChannelId(random.below(3) as u32));
            let told = Told { begin: end, by: Some(by) };
            end += 1 + random.below(9);
            story.push(told, end);
            if number % 97 != 0 {
                continue;
            }
            let from = end.saturating_sub(1 + random.below(40_000)).max(5);
            if number % 970 == 0 {
                story.forget(from);
            }
            if !story.tells_since(from) {
                continue;
            }
            let to = from + 1 + random.below(end - from);
            let sums = |summed| {
                let (mut sums, mut order) = (BTreeMap::new(), Vec::new());
                let is_known = story.each((from, to), summed, |cost: Cost| {
                    let key = (cost.label, cost.channel);
                    if !sums.contains_key(&key) {
                        order.push(key);
                    }
                    *sums.entry(key).or_insert(0) += cost.time;
                });
                assert!(is_known);
                (sums, order)
            };
            let (all, summed) = (sums(false), sums(true));
            assert_eq!(all, summed, "from {from} to {to} of {end}");
            assert_eq!(all.0.values().sum::<u64>(), to - from);
        }
    }
}
