//! What is behind something that another CPU of its rank does: when that is over.
//!
//! What is behind something on its own CPU needs none of this: it queues behind that CPU.

use super::clocks::Clocks;
use crate::time::Time;
use crate::workload::trace::dependencies::{Dependencies, Late};
use std::collections::HashMap;

/// Until when a CPU of a rank does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    pub cpu: u8,
    pub at: Time,
}

/// Until when operations may not begin because of other CPUs of their ranks.
pub struct Behind {
    /// By rank and number of an operation.
    until: HashMap<(u32, u32), Until>,
    /// By CPU: the operation that it carries out, or did last, and until when.
    latest: Clocks<(u32, Time)>,
    /// Whether some CPU is not the first of its rank.
    has_several: bool,
}

impl Behind {
    /// Nothing is behind anything.
    pub fn new(ranks: u32) -> Self {
        let latest = Clocks::new(ranks, (u32::MAX, 0));
        Self { until: HashMap::new(), latest, has_several: false }
    }

    /// Every rank has a CPU of this number.
    #[inline]
    pub fn reach(&mut self, cpu: u8) {
        self.has_several |= cpu > 0;
        self.latest.reach(cpu);
    }

    /// An operation has begun, or is done as far as those behind it on its CPU go; they may begin
    /// on others when its CPU is through with it.
    #[inline]
    pub fn holds_up(
        &mut self,
        all: &Dependencies,
        (rank, number): (u32, u32),
        until: Until,
        is_begun: bool,
    ) {
        let Self { until: known, .. } = self;
        all.waiting(rank, number, is_begun, |later, cpu| {
            if cpu != until.cpu {
                comes(known, (rank, later), until);
            }
        });
        if !is_begun {
            self.latest.reach(until.cpu);
            let latest = self.latest.of(rank, until.cpu);
            if latest.1 <= until.at {
                *latest = (number, until.at);
            }
        }
    }

    /// Ranks have been told, at a time, of operations behind some that have begun, or are done.
    pub fn was_fed(&mut self, all: &mut Dependencies, now: Time) {
        let Self { until: known, latest, has_several } = self;
        for Late { rank, number, cpu, earlier } in all.take_late() {
            if cpu == 0 && !*has_several {
                continue;
            }
            for (other, &(done, at)) in (0..).zip(latest.all(rank)) {
                if done == earlier && other != cpu {
                    comes(known, (rank, number), Until { cpu: other, at });
                }
            }
            comes(known, (rank, number), Until { cpu, at: now });
        }
    }

    /// Until when another CPU does what an operation is behind, if one does.
    #[inline]
    pub fn of(&self, rank: u32, number: u32) -> Option<Until> {
        if self.until.is_empty() { None } else { self.until.get(&(rank, number)).copied() }
    }

    /// An operation begins.
    #[inline]
    pub fn begins(&mut self, rank: u32, number: u32) {
        if !self.until.is_empty() {
            self.until.remove(&(rank, number));
        }
    }
}

/// One more that an operation is behind: the last counts.
fn comes(known: &mut HashMap<(u32, u32), Until>, of: (u32, u32), until: Until) {
    let latest = known.entry(of).or_insert(until);
    if until.at > latest.at {
        *latest = until;
    }
}
