//! Which of the frames that wait for a channel is sent next.
//!
//! Where traffic classes are told apart, by priority or because each can be paused, every class
//! has a queue of its own before every channel: that of nodes too, if classes can be paused.

use super::FramesKernel;
use crate::fabric::act::Act;
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{ChannelId, PacketId};
use crate::spec::{Arbiter, Frames, Machine, Pause};

/// Queues of traffic classes, where there are several.
#[derive(Clone)]
pub struct Queues {
    /// How many classes are told apart.
    classes: usize,
    /// By channel, then by class: the queue, if there are several.
    queues: Vec<PacketFifo>,
    /// By class: how urgent it is; higher is more urgent.
    urgency: Vec<u16>,
    /// Whether nodes have such queues too.
    of_sources: bool,
    /// By packet: how many have joined queues before it.
    order: Vec<u64>,
    joined: u64,
}

impl Queues {
    /// Empty queues of so many channels.
    pub fn new(machine: &Machine, frames: &Frames, channels: usize) -> Self {
        let known = &machine.routing.traffic_classes;
        let (by_priority, by_pause) =
            (machine.switch.arbiter == Arbiter::Priority, frames.pause == Pause::PerPriority);
        let classes = if by_priority || by_pause { known.len().max(1) } else { 1 };
        let urgency = |class: usize| {
            if by_priority { known.get(class).map_or(0, |class| class.priority) } else { 0 }
        };
        Self {
            classes,
            queues: vec![PacketFifo::EMPTY; if classes > 1 { classes * channels } else { 0 }],
            urgency: (0..classes).map(urgency).collect(),
            of_sources: by_pause && classes > 1,
            order: Vec::new(),
            joined: 0,
        }
    }

    /// Whether all frames stand in one queue.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.classes == 1
    }

    /// Whether nodes have a queue for every class.
    #[inline]
    pub fn keeps_sources(&self) -> bool {
        self.of_sources
    }

    /// The class of a frame, as far as classes are told apart.
    #[inline]
    pub fn class(&self, id: PacketId, packets: &PacketPool) -> usize {
        if self.classes == 1 { 0 } else { usize::from(packets[id].traffic()) }
    }

    /// A frame joins the queue of its class.
    pub fn push(&mut self, at: ChannelId, id: PacketId, packets: &mut PacketPool) {
        let class = self.class(id, packets);
        self.queues[at.index() * self.classes + class].push(id, packets);
        if self.order.len() <= id.index() {
            self.order.resize(id.index() + 1, 0);
        }
        self.order[id.index()] = self.joined;
        self.joined += 1;
    }

    /// The queue to be served next, of those that may be: the most urgent class, of equals that
    /// whose first frame joined it first.
    pub fn next(&self, at: ChannelId, may_be: impl Fn(usize) -> bool) -> Option<usize> {
        let fronts = self.of(at).iter().map(|queue| queue.first).enumerate();
        let fronts = fronts.filter(|&(class, front)| front.is_some() && may_be(class));
        let rank = |&(class, front): &(usize, PacketId)| {
            (u16::MAX - self.urgency[class], self.order[front.index()])
        };
        fronts.min_by_key(rank).map(|(class, _)| class)
    }

    /// The queues before a channel.
    pub fn of(&self, at: ChannelId) -> &[PacketFifo] {
        &self.queues[at.index() * self.classes..][..self.classes]
    }

    fn queue_mut(&mut self, at: ChannelId, class: usize) -> &mut PacketFifo {
        &mut self.queues[at.index() * self.classes + class]
    }
}

impl FramesKernel {
    /// Whether any frame waits for a channel.
    #[inline]
    pub(super) fn has_frames(&self, at: ChannelId, act: &Act) -> bool {
        let channel = self.board.at(at);
        channel.waiting > 0
            || !channel.from.is_some()
                && self.board.at_hand(act.wiring.layout.group(at).from).is_some()
    }

    /// The frame that a switch would send by a channel, if it is not told to pause.
    #[inline]
    pub(super) fn front(&mut self, at: ChannelId, act: &mut Act) -> Option<PacketId> {
        if self.memory.is_some() {
            self.is_paused(at, 0, act);
        }
        if self.queues.is_one() {
            let front = self.board.at(at).queue.first;
            if !front.is_some() || !self.pauses(at, 0) {
                return front.is_some().then_some(front);
            }
            self.observe_pause(at, front, act);
            return None;
        }
        let class = self.queues.next(at, |class| !self.pauses(at, class));
        if act.is_observed() {
            for class in 0..self.queues.classes {
                let front = self.queues.of(at)[class].first;
                if front.is_some() && self.pauses(at, class) {
                    self.observe_pause(at, front, act);
                }
            }
        }
        class.map(|class| self.queues.of(at)[class].first)
    }

    /// The frame that is sent next by a channel, if nobody is told to pause.
    pub(super) fn first_waiting(&self, at: ChannelId) -> Option<PacketId> {
        if self.queues.is_one() {
            let first = self.board.at(at).queue.first;
            return first.is_some().then_some(first);
        }
        let class = self.queues.next(at, |class| !self.pauses(at, class))?;
        Some(self.queues.of(at)[class].first)
    }

    /// That frame leaves its queue.
    #[inline]
    pub(super) fn take_front(&mut self, at: ChannelId, act: &mut Act) {
        if self.queues.is_one() {
            self.board.at_mut(at).queue.pop(act.packets);
        } else if let Some(class) = self.queues.next(at, |class| !self.pauses(at, class)) {
            self.queues.queue_mut(at, class).pop(act.packets);
        }
    }

    /// Packets at hand go into the queues of their classes, where a node has such.
    pub(super) fn hand_over(&mut self, node: u32, at: ChannelId, act: &mut Act) {
        if !self.queues.keeps_sources() {
            return;
        }
        while let Some((queue, _)) = self.board.at_hand(node) {
            let id = self.board.draw_at_hand(node, queue, act.packets);
            self.set_due(id, act.now);
            self.queues.push(at, id, act.packets);
            self.board.at_mut(at).waiting += 1;
        }
    }

    /// The packet that a node would send, if it is not told to pause.
    pub(super) fn front_of_source(
        &mut self,
        node: u32,
        at: ChannelId,
        act: &mut Act,
    ) -> Option<PacketId> {
        if self.queues.keeps_sources() {
            return self.front(at, act);
        }
        let (_, id) = self.board.at_hand(node)?;
        let is_paused = self.memory.is_some() && self.is_paused(at, 0, act);
        if is_paused {
            self.observe_pause(at, id, act);
        }
        (!is_paused).then_some(id)
    }
}
