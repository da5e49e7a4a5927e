//! What will happen a fixed time after it was caused, in first-in-first-out lines.
//!
//! Flits take one of few times, so that of all flits of one duration the one that
//! started first ends first: a queue per duration needs no sorting, and the next
//! thing to happen is at the front of one of them. Within one instant there is no
//! order: the rules of the fabric do not depend on one.

use crate::ids::ChannelId;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// What happens at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A flit has been sent and is there.
    SentAndArrived,
    /// A flit has been sent.
    Sent,
    /// A flit is there.
    Arrived,
    /// A flit of a packet that ends at the switch it goes to has been sent and is there.
    SentAndCame,
    /// Such a flit is there.
    Came,
    /// A header has been at a switch for as long as it takes to arbitrate.
    MayAsk,
    /// A credit has come back.
    Credit,
    /// A flow-control token has been sent and is there.
    ControlSentAndArrived,
    /// A flow-control token has been sent.
    ControlSent,
    /// A flow-control token is there.
    ControlArrived,
}

/// Which flit of its packet it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// It completes the header.
    pub ends_header: bool,
    /// It is the last.
    pub is_last: bool,
}

/// A place among the lines.
pub type LineId = u32;

/// All lines of a run.
pub struct Lines {
    lines: Vec<Line>,
    /// When the first thing happens on each; apart, so that looking is cheap.
    first: Vec<Time>,
    /// The earliest of these.
    next: Time,
}

struct Line {
    delay: Time,
    what: What,
    queue: VecDeque<(Time, u32)>,
}

const ENDS_HEADER: u32 = 1 << 31;
const IS_LAST: u32 = 1 << 30;

impl Lines {
    /// None yet.
    pub fn new() -> Self {
        Self { lines: Vec::new(), first: Vec::new(), next: NEVER }
    }

    /// The line on which something happens after a time.
    pub fn line(&mut self, delay: Time, what: What) -> LineId {
        let known = self.lines.iter().position(|line| line.delay == delay && line.what == what);
        let place = known.unwrap_or_else(|| {
            self.lines.push(Line { delay, what, queue: VecDeque::new() });
            self.first.push(NEVER);
            self.lines.len() - 1
        });
        place as LineId
    }

    /// It will happen to a channel, the line's delay from now.
    #[inline]
    pub fn post(&mut self, line: LineId, now: Time, channel: ChannelId, mark: Mark) {
        let bits = u32::from(mark.ends_header) << 31 | u32::from(mark.is_last) << 30;
        let line = line as usize;
        let Line { delay, queue, .. } = &mut self.lines[line];
        let at = now + *delay;
        debug_assert!(*delay > 0 && queue.back().is_none_or(|&(last, _)| last <= at));
        if queue.is_empty() {
            self.first[line] = at;
            self.next = self.next.min(at);
        }
        queue.push_back((at, channel.0 | bits));
    }

    /// The channels to which something happens on a line.
    pub fn on(&self, line: LineId) -> impl Iterator<Item = ChannelId> + '_ {
        let channels = self.lines[line as usize].queue.iter();
        channels.map(|&(_, code)| ChannelId(code & (IS_LAST - 1)))
    }

    /// When the next thing happens, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        self.next
    }

    /// Takes something that happens now.
    #[inline]
    pub fn take(&mut self, now: Time) -> Option<(What, ChannelId, Mark)> {
        if self.next != now {
            return None;
        }
        let place = self.first.iter().position(|&first| first == now)?;
        let line = &mut self.lines[place];
        let (_, code) = line.queue.pop_front()?;
        let first = line.queue.front().map_or(NEVER, |&(at, _)| at);
        if first != now {
            self.first[place] = first;
            self.next = self.first.iter().copied().min().unwrap_or(NEVER);
        }
        let mark = Mark { ends_header: code & ENDS_HEADER != 0, is_last: code & IS_LAST != 0 };
        Some((line.what, ChannelId(code & (IS_LAST - 1)), mark))
    }
}
