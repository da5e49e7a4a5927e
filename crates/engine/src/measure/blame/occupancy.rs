//! Who held which channel when, and who waited for it: what timelines show of the network.
//!
//! It is told what blame is told. What is held until nobody knows when is kept by channel, and
//! becomes a row when it ends; so rows are in the order in which that became known.

use super::labels::{Labels, Sender};
use super::observation::{Observation, Ways};
use super::record::Waits;
use super::timed::Timed;
use crate::ids::{ChannelId, PacketId};
use crate::measure::window::Window;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// A packet's turn on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The channel.
    pub channel: ChannelId,
    /// What the packet is called.
    pub label: u32,
    /// When it was granted the channel.
    pub granted: Time,
    /// When its first flit started there.
    pub start: Time,
    /// When its last one had left.
    pub end: Time,
    /// For how long of that the channel was busy with it.
    pub busy: Time,
}

/// A piece of a packet's wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// What the packet is called.
    pub label: u32,
    /// When it waited, for what, and for whom.
    pub timed: Timed,
}

/// A turn that has not ended.
struct Open {
    packet: PacketId,
    label: u32,
    granted: Time,
    start: Time,
    /// For how long the channel will be busy with it; [`NEVER`]: as long as it holds it.
    takes: Time,
}

impl Open {
    fn ended(&self, channel: ChannelId, end: Time) -> Hold {
        let &Self { label, granted, start, takes, .. } = self;
        let start = start.min(end);
        Hold { channel, label, granted, start, end, busy: takes.min(end - start) }
    }
}

/// Turns on channels, and waits for them, of a window.
pub(crate) struct Occupancy {
    window: Window,
    /// By channel: turns that have not ended, in order.
    open: Vec<VecDeque<Open>>,
    /// Most rows of either kind.
    most: usize,
    full: Time,
    holds: Vec<Hold>,
    waits: Vec<Waited>,
}

/// What a timeline shows of channels.
pub struct Turns<'a> {
    /// Turns, in the order in which their ends became known; then those that go on, until now.
    pub holds: Vec<Hold>,
    /// Waits of packets that have been delivered.
    pub waits: &'a [Waited],
    /// Since when rows have been left out; [`NEVER`]: none has.
    pub full: Time,
    labels: &'a Labels,
}

impl Turns<'_> {
    /// The number of the message that packets of a name are of, modulo 2^32, and who sends it.
    pub fn named(&self, label: u32) -> (u32, Option<Sender>) {
        (Labels::number(label), self.labels.sender(label))
    }
}

impl Occupancy {
    /// Nothing has happened; at most so many rows of either kind are kept.
    pub fn new(channels: usize, window: Window, most: usize) -> Self {
        Self {
            window,
            open: (0..channels).map(|_| VecDeque::new()).collect(),
            most,
            full: NEVER,
            holds: Vec::new(),
            waits: Vec::new(),
        }
    }

    /// What is shown until `now`.
    pub(super) fn turns<'a>(&'a self, labels: &'a Labels, now: Time) -> Turns<'a> {
        let open = self.open.iter().enumerate().flat_map(|(channel, turns)| {
            turns.iter().map(move |turn| turn.ended(ChannelId::from_index(channel), now))
        });
        let open = open.filter(|hold| self.shows((hold.granted, hold.end), hold.label, labels));
        let room = self.most - self.holds.len();
        let holds = self.holds.iter().copied().chain(open.take(room)).collect();
        Turns { holds, waits: &self.waits, full: self.full, labels }
    }

    /// Takes note of what has happened to a packet, whose name is `label(packet)`.
    #[cold]
    #[inline(never)]
    pub(super) fn observe(
        &mut self,
        what: Observation,
        (label, labels): (impl Fn(PacketId) -> u32, &Labels),
        now: Time,
        ways: &impl Ways,
    ) {
        let opened = |packet, (start, takes)| Open {
            packet,
            label: label(packet),
            granted: now,
            start,
            takes,
        };
        match what {
            Observation::Granted { packet, channel } => {
                let takes = ways.takes(packet, channel);
                self.open[channel.index()].push_back(opened(packet, (NEVER, takes)));
            }
            // A circuit is all its own until it is released.
            Observation::Held { packet, channel } => {
                self.open[channel.index()].push_back(opened(packet, (now, NEVER)));
            }
            Observation::Started { packet, channel, start } => {
                let mut open = self.open[channel.index()].iter_mut();
                if let Some(turn) = open.find(|turn| turn.packet == packet) {
                    turn.start = start;
                }
            }
            Observation::Left { channel, at: end } => {
                let Some(turn) = self.open[channel.index()].pop_front() else { return };
                self.hold(turn.ended(channel, end), labels, now);
            }
            Observation::RunsThrough { packet, channel, until: end } => {
                self.hold(whole(channel, label(packet), (now, end)), labels, now);
            }
            // Behind it there may be a gap, in which nobody else can have the channel.
            Observation::Sent { packet, channel, start, until: end, .. } => {
                let hold = whole(channel, label(packet), (start, end));
                let busy = hold.busy.min(ways.takes(packet, channel));
                self.hold(Hold { busy, ..hold }, labels, now);
            }
            Observation::Cell { packet, channel, start, until: end, .. } => {
                self.hold(whole(channel, label(packet), (start, end)), labels, now);
            }
            _ => {}
        }
    }

    fn hold(&mut self, hold: Hold, labels: &Labels, now: Time) {
        if !self.shows((hold.granted, hold.end), hold.label, labels) {
            return;
        }
        if self.holds.len() < self.most {
            self.holds.push(hold);
        } else {
            self.full = self.full.min(now);
        }
    }

    /// A packet has been delivered, and waited so.
    pub(super) fn waited(&mut self, label: u32, waits: &Waits, labels: &Labels, now: Time) {
        for (begin, charge) in waits.timed(now) {
            let span = (begin, begin + charge.time);
            if !self.shows(span, label, labels) {
                continue;
            }
            if self.waits.len() < self.most {
                self.waits.push(Waited { label, timed: Timed { begin, charge } });
            } else {
                self.full = self.full.min(now);
            }
        }
    }

    /// Whether what a packet did from when until when is shown: it is of a message from or to a process
    /// that is.
    fn shows(&self, (begin, end): (Time, Time), label: u32, labels: &Labels) -> bool {
        let (from, to) = self.window.time;
        let is_of = labels.sender(label).is_some_and(|sender| {
            self.window.shows(sender.process) || self.window.shows(sender.to)
        });
        end > begin && end > from && begin < to && is_of
    }
}

/// A turn in which a channel is busy all the time.
fn whole(channel: ChannelId, label: u32, (start, end): (Time, Time)) -> Hold {
    Hold { channel, label, granted: start, start, end, busy: end - start }
}
