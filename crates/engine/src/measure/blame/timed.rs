//! When a packet on its way, or just delivered, waited.

use super::cause::Charge;
use super::passing::Passed;
use super::record::Waits;

use crate::time::{NEVER, Time};

/// A piece of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When it began.
    pub begin: Time,
    /// What is charged, to who was in the way.
    pub charge: Charge,
    /// Who was at the root.
    pub at_root: u32,
}

impl Waits {
    /// All charges, cut where another is at the root.
    pub(super) fn pieces(&self, now: Time) -> impl Iterator<Item = Timed> {
        let mut passed = PassedOn::of(&self.passed.all);
        self.timed(now).flat_map(move |(begin, charge)| passed.pieces(begin, charge))
    }

    /// All charges, each with when it began.
    pub(super) fn timed(&self, now: Time) -> impl Iterator<Item = (Time, Charge)> {
        let (mut wait, mut at) = (0, 0);
        self.charges.iter().enumerate().map(move |(place, &charge)| {
            while let Some(&(first, began)) = self.begins.get(wait)
                && first <= place
            {
                wait += 1;
                let rest = || self.charges[first..].iter().map(|charge| charge.time).sum();
                at = if began == NEVER { now.saturating_sub(rest()) } else { began };
            }
            let begin = at;
            at += charge.time;
            (begin, charge)
        })
    }
}

/// The same time passed on, in the same order: how far it has been looked at.
struct PassedOn<'a> {
    left: std::slice::Iter<'a, Passed>,
    culprit: u32,
    /// What is left of the piece of that culprit.
    time: Time,
}

impl<'a> PassedOn<'a> {
    fn of(pieces: &'a [Passed]) -> Self {
        Self { left: pieces.iter(), culprit: 0, time: 0 }
    }

    /// The next charge, in pieces that have one root culprit each.
    fn pieces(&mut self, mut begin: Time, charge: Charge) -> Vec<Timed> {
        let (mut left, mut found) = (charge.time, Vec::new());
        while left > 0 {
            if self.time == 0 {
                // If there is nothing to pass on, who was in the way was at the root.
                let next = self.left.next().map(|next| (next.charge.culprit, next.charge.time));
                (self.culprit, self.time) = next.unwrap_or((charge.culprit, left));
            }
            let time = left.min(self.time);
            let charge = Charge { time, ..charge };
            found.push(Timed { begin, charge, at_root: self.culprit });
            begin += time;
            left -= time;
            self.time -= time;
        }
        found
    }
}
