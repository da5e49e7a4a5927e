//! To whom a wait is passed on: to who was in the way, then, of the packet that was in the way.

use super::cause::Charge;
use super::labels::Labels;
use super::log::LONGEST;
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// A piece of a packet's waiting time, charged to who was at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// When it began, or [`NEVER`] where nobody can have waited for this packet meanwhile.
    pub from: Time,
    /// What it is charged: the culprit is who is at the root.
    pub charge: Charge,
}

impl Passed {
    /// The same pieces with classes instead of messages: those of one class that follow each other
    /// are one.
    pub fn by_class(pieces: &[Self], labels: &Labels) -> Vec<Self> {
        let mut named: Vec<Self> = Vec::with_capacity(pieces.len());
        for &Self { from, charge } in pieces {
            let charge = Charge { culprit: labels.class(charge.culprit), ..charge };
            let follows = |last: &&mut Self| {
                let is_same = Charge { time: charge.time, ..last.charge } == charge;
                is_same && from != NEVER && last.until() == from
            };
            match named.last_mut().filter(follows) {
                Some(last) => last.charge.time += charge.time,
                None => named.push(Self { from, charge }),
            }
        }
        named
    }

    /// When it ended.
    #[inline]
    fn until(&self) -> Time {
        self.from.saturating_add(self.charge.time)
    }
}

/// Time in which a packet had its turn somewhere and waited itself.
#[derive(Clone, Copy, Debug)]
struct Waited {
    from: Time,
    until: Time,
    /// Because of whom in the end: a traffic class.
    culprit: u32,
}

/// Of the packets that had their turns at a place, when they waited themselves, and for whom.
#[derive(Clone, Default)]
pub struct Passing(VecDeque<Waited>);

impl Passing {
    /// A packet that has been charged this much has a turn of this length, after all before it.
    pub fn note(&mut self, passed: &[Passed], (from, until): (Time, Time)) {
        let later = passed.iter().rev().take_while(|piece| piece.until() > from).count();
        for piece in &passed[passed.len() - later..] {
            if piece.from != NEVER {
                let end = piece.until().min(until);
                self.add(piece.charge.culprit, (piece.from.max(from), end));
            }
        }
    }

    /// A packet that has its turn has waited that long, because of a culprit.
    pub fn add(&mut self, culprit: u32, (from, until): (Time, Time)) {
        let from = self.0.back().map_or(from, |last| last.until.max(from));
        if from >= until {
            return;
        }
        match self.0.back_mut() {
            Some(last) if last.until == from && last.culprit == culprit => last.until = until,
            _ => {
                if self.0.len() >= LONGEST {
                    self.0.pop_front();
                }
                self.0.push_back(Waited { from, until, culprit });
            }
        }
    }

    /// What ended by `needed` is forgotten.
    #[inline]
    pub fn forget(&mut self, needed: Time) {
        while self.0.front().is_some_and(|waited| waited.until <= needed) {
            self.0.pop_front();
        }
    }

    /// Cuts the time from `from` to `until`, in which somebody had his turn, into pieces, latest
    /// first: when each began, when it ended, and because of whom he waited then, if he did.
    pub fn cut(&self, (from, until): (Time, Time), mut each: impl FnMut(Time, Time, Option<u32>)) {
        let mut end = until;
        let after = self.0.partition_point(|waited| waited.from < until);
        for waited in self.0.range(..after).rev() {
            if end <= from || waited.until <= from {
                break;
            }
            let last = waited.until.min(end);
            each(last, end, None);
            let first = waited.from.max(from);
            each(first, last, Some(waited.culprit));
            end = first;
        }
        each(from, end.max(from), None);
    }
}

/// Pieces of waits as they are passed on, in order of time once a wait is closed.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// All of a packet.
    pub all: Vec<Passed>,
    /// How many there were before its latest wait.
    before: usize,
    /// Whether nobody wants to know.
    is_unknown: bool,
}

impl Pieces {
    /// None yet; none ever if waits are not passed on.
    pub fn new(is_known: bool) -> Self {
        Self { is_unknown: !is_known, ..Self::default() }
    }

    /// Those of another packet will be here.
    pub fn clear(&mut self) {
        self.all.clear();
        self.before = 0;
    }

    /// When the packet started on a channel for which it had waited; 0 if it had not.
    pub fn start_on(&self, channel: ChannelId) -> Time {
        let mut pieces = self.all.iter().rev();
        let piece = pieces.find(|piece| piece.charge.channel == channel);
        piece.map_or(0, |piece| if piece.from == NEVER { 0 } else { piece.until() })
    }

    /// A wait is to be charged, latest first.
    pub fn begin(&mut self) {
        self.before = self.all.len();
    }

    /// All of it has been.
    #[inline]
    pub fn close(&mut self) {
        if self.all.len() > self.before + 1 {
            self.all[self.before..].reverse();
        }
    }

    /// Whether anybody wants to know.
    #[inline]
    pub fn are_known(&self) -> bool {
        !self.is_unknown
    }

    /// Of a wait that is being charged: a piece that begins at `from`, of a turn somewhere.
    #[inline(never)]
    pub fn pass(&mut self, charge: Charge, from: Time, passing: Option<&Passing>) {
        if self.is_unknown {
            return;
        }
        let span = (from, from + charge.time);
        let Some(passing) = passing else { return self.push(charge, from) };
        passing.cut(span, |begin, end, culprit| {
            let culprit = culprit.unwrap_or(charge.culprit);
            self.push(Charge { culprit, time: end - begin, ..charge }, begin);
        });
    }

    fn push(&mut self, charge: Charge, from: Time) {
        if charge.time == 0 {
            return;
        }
        let last = self.all[self.before..].last_mut();
        match last.filter(|last| Charge { time: charge.time, ..last.charge } == charge) {
            Some(last) => {
                last.charge.time += charge.time;
                last.from = from;
            }
            None => self.all.push(Passed { from, charge }),
        }
    }

    /// Adds a piece of time in which nobody can have waited for this packet.
    pub fn add(&mut self, charge: Charge) {
        if charge.time > 0 && !self.is_unknown {
            self.all.push(Passed { from: NEVER, charge });
        }
    }

    /// Takes away time, the latest first.
    pub fn take(&mut self, mut time: Time) {
        while time > 0
            && let Some(Passed { charge, .. }) = self.all.last_mut()
        {
            let taken = time.min(charge.time);
            (time, charge.time) = (time - taken, charge.time - taken);
            if charge.time == 0 {
                self.all.pop();
            }
        }
    }

    /// The root culprit of what is due to the culprit of the last wait, whose last charge is here.
    pub fn culprit_like(&self, last: Option<&Charge>, culprit: u32) -> u32 {
        Self::like(&self.all, last, culprit)
    }

    /// The same while another wait is being charged.
    pub fn culprit_before(&self, last: Option<&Charge>, culprit: u32) -> u32 {
        Self::like(&self.all[..self.before], last, culprit)
    }

    fn like(pieces: &[Passed], last: Option<&Charge>, culprit: u32) -> u32 {
        let is_same = last.is_some_and(|last| last.culprit == culprit);
        pieces.last().filter(|_| is_same).map_or(culprit, |piece| piece.charge.culprit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cause;
    use super::*;

    fn piece(from: Time, culprit: u32, time: Time) -> Passed {
        let (channel, cause) = (ChannelId(0), Cause::OutputBusy);
        Passed { from, charge: Charge { channel, root: channel, culprit, cause, time } }
    }

    fn pieces(passing: &Passing, span: (Time, Time)) -> Vec<(Time, Time, Option<u32>)> {
        let mut found = Vec::new();
        passing.cut(span, |begin, end, culprit| {
            if end > begin {
                found.push((begin, end, culprit));
            }
        });
        found
    }

    #[test]
    fn what_somebody_waited_for_while_he_had_his_turn_is_known() {
        let mut passing = Passing::default();
        passing.note(&[piece(2, 7, 4), piece(10, 8, 5), piece(15, 9, 5)], (5, 18));
        assert_eq!(
            pieces(&passing, (0, 20)),
            [
                (18, 20, None),
                (15, 18, Some(9)),
                (10, 15, Some(8)),
                (6, 10, None),
                (5, 6, Some(7)),
                (0, 5, None)
            ]
        );
        assert_eq!(pieces(&passing, (11, 12)), [(11, 12, Some(8))]);
        passing.note(&[piece(10, 8, 20)], (18, 25));
        assert_eq!(pieces(&passing, (17, 26))[..2], [(25, 26, None), (18, 25, Some(8))]);
        passing.forget(18);
        assert_eq!(pieces(&passing, (0, 25)), [(18, 25, Some(8)), (0, 18, None)]);
    }
}
