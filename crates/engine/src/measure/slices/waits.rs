//! Waits of packets by slice: for which channel, where the root was, who waited, and for whom.
//!
//! A wait may last for many slices, and there are many waits: what it fills whole slices with is noted where
//! those begin and where they end, so that a wait costs the same however long it is.

use super::{Clock, Waited};
use crate::mixed::Mixed;
use crate::time::Time;
use std::collections::BTreeMap;

/// Stands for no channel, and for no class.
pub const NONE: u32 = u32::MAX;

/// Most sums that are kept.
const MOST: usize = 1 << 21;

/// What is summed up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// The channel waited for.
    pub channel: u32,
    /// The channel at which the wait has its root, or [`NONE`].
    pub root: u32,
    /// The class of those that waited, or [`NONE`].
    pub victim: u32,
    /// The class of who was at the root, or [`NONE`].
    pub culprit: u32,
}

/// What there is of a sum in one slice.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Of waits that did not last for all of it.
    part: Time,
    /// How many more waits last for all of it than for all of the one before.
    more: i64,
}

/// Waits by slice.
#[derive(Clone)]
pub struct Waits {
    cells: Mixed<(Wait, u32), Cell>,
    most: usize,
}

impl Default for Waits {
    fn default() -> Self {
        Self::of_at_most(MOST)
    }
}

impl Waits {
    /// Sums of so many at most; beyond that roots and classes are not told apart.
    pub fn of_at_most(most: usize) -> Self {
        Self { cells: Mixed::default(), most }
    }

    /// Whether there is room for no more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.cells.len() >= self.most
    }

    /// Adds so many waits over a span that is not empty.
    #[inline]
    pub fn add(&mut self, clock: &Clock, wait: Wait, (from, to): (Time, Time), count: i64) {
        let times = |time: Time| time * count as Time;
        let (first, last) = (clock.at(from), clock.at(to - 1));
        let wait = if self.is_full() { self.known(wait, (first, last)) } else { wait };
        if first == last {
            self.cell(wait, first).part += times(to - from);
            return;
        }
        self.cell(wait, first).part += times(clock.starts(first + 1) - from);
        let cell = self.cell(wait, last);
        cell.part += times(to - clock.starts(last));
        if last > first + 1 {
            cell.more -= count;
            self.cell(wait, first + 1).more += count;
        }
    }

    #[inline]
    fn cell(&mut self, wait: Wait, slice: u32) -> &mut Cell {
        self.cells.entry((wait, slice)).or_default()
    }

    /// A wait by which nothing new is told apart but its channel.
    #[cold]
    fn known(&self, wait: Wait, (first, last): (u32, u32)) -> Wait {
        let mut slices = [first, last, last.min(first + 1)].into_iter();
        if slices.all(|slice| self.cells.contains_key(&(wait, slice))) {
            return wait;
        }
        Wait { channel: wait.channel, root: NONE, victim: NONE, culprit: NONE }
    }

    /// All sums, in no order; none is 0.
    pub fn rows(&self, clock: &Clock) -> Vec<Waited> {
        let mut all: BTreeMap<Wait, Vec<(u32, Cell)>> = BTreeMap::new();
        for (&(wait, slice), &cell) in &self.cells {
            all.entry(wait).or_default().push((slice, cell));
        }
        let mut rows = Vec::with_capacity(self.cells.len());
        for (wait, mut cells) in all {
            cells.sort_unstable_by_key(|&(slice, _)| slice);
            let (mut whole, mut next) = (0, 0);
            for (slice, cell) in cells {
                let between = if whole > 0 { next..slice } else { slice..slice };
                let time = whole as Time * clock.width();
                rows.extend(between.map(|slice| Waited { slice, wait, time }));
                whole += cell.more;
                let time = cell.part + whole as Time * clock.width();
                if time > 0 {
                    rows.push(Waited { slice, wait, time });
                }
                next = slice + 1;
            }
        }
        rows
    }

    /// Slices become twice as long, from what a clock has said until now.
    pub fn double(&mut self, clock: &Clock) {
        let rows = self.rows(clock);
        self.cells.clear();
        for Waited { slice, wait, time } in rows {
            self.cells.entry((wait, slice / 2)).or_default().part += time;
        }
    }
}
