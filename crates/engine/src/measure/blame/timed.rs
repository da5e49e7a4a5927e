//! When a packet on its way, or just delivered, waited.

use super::cause::Charge;
use super::record::Waits;

use crate::time::{NEVER, Time};

/// A piece of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// When it began.
    pub begin: Time,
    /// What is charged, to who was in the way.
    pub charge: Charge,
}

impl Waits {
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
