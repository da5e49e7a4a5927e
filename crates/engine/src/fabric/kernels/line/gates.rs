//! The channels between nodes and switches, where messages take turns in mode `endpoints`.
//!
//! Such a channel is a *gate*. At one out of a node those messages stand whose first waiting packet has
//! room in the message's own buffer, at one into a node the packets at the fronts of their buffers.
//! When somebody comes to a gate is known before, and nobody who comes later is served before him.

use crate::event_queue::{Event, EventQueue};
use crate::fabric::act::Act;
use crate::fabric::network::layout::Layout;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Who stands at a gate, in the order in which they are served.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    /// Whether others go first whenever they come.
    pub is_behind: bool,
    /// When it asked, or was queued; or how many had a turn in its node before.
    pub since: u64,
    /// The channel that it comes by, if it does not come out of a node.
    pub by: ChannelId,
    /// How many packets were queued before it.
    pub serial: u32,
    /// The lane, or the packet.
    pub who: u32,
}

impl Turn {
    /// Nobody's.
    pub(super) const NOBODY: Self =
        Self { is_behind: false, since: 0, by: ChannelId::NONE, serial: 0, who: u32::MAX };
}

/// A channel between a node and a switch.
#[derive(Clone, Default)]
pub(super) struct Gate {
    /// From when on it is free.
    pub free_at: Time,
    /// The earliest retry posted, or [`NEVER`].
    retry_at: Time,
    /// Whether it must be looked at at the end of this instant.
    is_marked: bool,
    /// Those who stand there.
    ready: BinaryHeap<Reverse<Turn>>,
    /// Those who will, and when.
    coming: BinaryHeap<Reverse<(Time, Turn)>>,
}

impl Gate {
    /// Who is served now.
    #[inline]
    pub(super) fn serve(&mut self, now: Time) -> Option<Turn> {
        if self.free_at > now {
            return None;
        }
        while let Some(&Reverse((at, turn))) = self.coming.peek()
            && at <= now
        {
            self.coming.pop();
            self.ready.push(Reverse(turn));
        }
        self.ready.pop().map(|Reverse(turn)| turn)
    }

    /// When somebody may be served next.
    #[inline]
    fn next(&self) -> Time {
        if !self.ready.is_empty() {
            return self.free_at;
        }
        self.coming.peek().map_or(NEVER, |&Reverse((at, _))| at.max(self.free_at))
    }

    /// Sees to it that it is looked at then; if that is now, it is marked.
    #[inline]
    pub(super) fn look_then(&mut self, channel: ChannelId, now: Time, events: &mut EventQueue) {
        let next = self.next();
        if next > now && next < self.retry_at {
            self.retry_at = next;
            events.post(next, Event::Retry(channel.into()));
        }
    }
}

/// All of them.
#[derive(Clone)]
pub(super) struct Gates {
    /// By channel: the number of its gate.
    of: Vec<u32>,
    all: Vec<Gate>,
    marked: Vec<ChannelId>,
    /// Turns that messages of nodes have had.
    pub turns: u64,
}

impl Gates {
    /// Those of a network, at rest.
    pub(super) fn new(layout: &Layout) -> Self {
        let mut all = Vec::new();
        let mut of = vec![u32::MAX; layout.channels()];
        for (channel, number) in of.iter_mut().enumerate() {
            if layout.group(ChannelId::from_index(channel)).kind != ChannelKind::Internal {
                *number = all.len() as u32;
                all.push(Gate { retry_at: NEVER, ..Gate::default() });
            }
        }
        Self { of, all, marked: Vec::new(), turns: 0 }
    }

    #[inline]
    pub(super) fn at(&mut self, channel: ChannelId) -> &mut Gate {
        &mut self.all[self.of[channel.index()] as usize]
    }

    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.marked.is_empty()
    }

    /// A gate must be looked at at the end of this instant.
    #[inline]
    fn mark(&mut self, channel: ChannelId) {
        let gate = self.at(channel);
        if !gate.is_marked {
            gate.is_marked = true;
            self.marked.push(channel);
        }
    }

    /// `RETRY`.
    #[inline]
    pub(super) fn looks_again(&mut self, channel: ChannelId, now: Time) {
        let gate = self.at(channel);
        if gate.retry_at <= now {
            gate.retry_at = NEVER;
        }
        self.mark(channel);
    }

    /// Takes one of those that must be looked at.
    #[inline]
    pub(super) fn next_marked(&mut self) -> Option<ChannelId> {
        let channel = self.marked.pop()?;
        self.at(channel).is_marked = false;
        Some(channel)
    }

    /// Somebody comes to a gate at `at`.
    #[inline]
    pub(super) fn comes(&mut self, channel: ChannelId, turn: Turn, at: Time, act: &mut Act) {
        let gate = self.at(channel);
        if at > act.now {
            gate.coming.push(Reverse((at, turn)));
            return gate.look_then(channel, act.now, act.events);
        }
        gate.ready.push(Reverse(turn));
        if gate.free_at > act.now {
            gate.look_then(channel, act.now, act.events);
        } else {
            self.mark(channel);
        }
    }
}
