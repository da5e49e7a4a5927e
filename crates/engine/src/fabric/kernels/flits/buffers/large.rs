//! Buffers that are larger than most of them ever need: what is in them, and what has been.

use super::Run;
use crate::fabric::switch::records::Records;
use crate::ids::ChannelId;
use crate::time::Time;
use std::collections::VecDeque;

/// Instants one behind the other, as runs.
#[derive(Clone)]
pub struct Runs(VecDeque<Run>);

/// The buffers of all channels.
#[derive(Clone)]
pub struct Large {
    /// By channel: when flits are there that have come or will.
    there: Records<Runs>,
    /// By channel: from when on others can start.
    free: Records<Runs>,
}

impl Runs {
    /// The first ones; there must be some, for what it says to mean anything.
    #[inline]
    pub fn first(&self) -> Run {
        self.0.front().copied().unwrap_or(Run::ANY)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = Run> + '_ {
        self.0.iter().copied()
    }

    /// The last instant; 0 if there is none.
    pub fn latest(&self) -> Time {
        self.0.back().map_or(0, Run::last)
    }

    /// The first runs of which all is past, as one; else the first.
    #[inline]
    pub fn gather(&mut self, past: Time) -> Run {
        let mut run = self.0[0];
        if run.last() > past {
            return run;
        }
        while let Some(&next) = self.0.get(1)
            && next.last() <= past
        {
            run = Run { first: next.last(), count: run.count + next.count, step: 0 };
            self.0.pop_front();
            self.0[0] = run;
        }
        run
    }

    /// Takes so many of the first run.
    #[inline]
    fn take(&mut self, count: u32) {
        let run = &mut self.0[0];
        if run.count == count {
            self.0.pop_front();
        } else {
            run.first += Time::from(count) * Time::from(run.step);
            run.count -= count;
        }
    }

    /// Others follow.
    #[inline]
    fn follow(&mut self, next: Run) {
        if !self.0.back_mut().is_some_and(|last| last.joins(next)) {
            self.0.push_back(next);
        }
    }
}

impl Large {
    /// Empty buffers of so many channels, all places of which are free.
    pub fn new(channels: usize, all: Run) -> Self {
        let runs = |run: Option<Run>| Records::of(Runs(run.into_iter().collect()), channels);
        Self { there: runs(None), free: runs(Some(all)) }
    }

    /// Clones have in common what nothing happens to.
    pub fn share(&mut self) {
        self.there.share();
        self.free.share();
    }

    /// Where they have: all buffers are empty, as they were when that began.
    pub fn start_over(&mut self) {
        self.there.start_over();
        self.free.start_over();
    }

    /// The flits of a channel's buffer.
    #[inline]
    pub fn there(&self, channel: ChannelId) -> &Runs {
        &self.there[channel.index()]
    }

    /// Its places.
    #[inline]
    pub fn free(&self, channel: ChannelId) -> &Runs {
        &self.free[channel.index()]
    }

    /// The flits of a channel's buffer.
    #[inline]
    pub fn there_mut(&mut self, channel: ChannelId) -> &mut Runs {
        &mut self.there[channel.index()]
    }

    /// Its places.
    #[inline]
    pub fn free_mut(&mut self, channel: ChannelId) -> &mut Runs {
        &mut self.free[channel.index()]
    }

    /// Flits start that take the next places, all of one run: when they are there.
    pub fn come(&mut self, channel: ChannelId, there: Run) {
        self.free_mut(channel).take(there.count);
        self.there_mut(channel).follow(there);
    }

    /// The first flits leave, all of one run, and others can start for their places from then on.
    pub fn leave(&mut self, channel: ChannelId, free: Run) {
        self.there_mut(channel).take(free.count);
        self.free_mut(channel).follow(free);
    }

    /// The last flits that have started have not, and credits are there for their places.
    pub fn do_not_come(&mut self, channel: ChannelId, count: u32) {
        if let Some(last) = self.there_mut(channel).0.back_mut() {
            last.count -= count;
        }
        self.free_mut(channel).0.push_front(Run { first: 0, count, step: 0 });
    }

    /// The last flits that have left have not: they could have from then on.
    pub fn do_not_leave(&mut self, channel: ChannelId, there: Run) {
        if let Some(last) = self.free_mut(channel).0.back_mut() {
            last.count -= there.count;
        }
        self.there_mut(channel).0.push_front(there);
    }
}
