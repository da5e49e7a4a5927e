//! Where nodes and switches are one: packets leave their node's list, and others leave the network
//! out of the buffer they come to the front of. There every flit of a packet that ends at a
//! switch is an event, and so is the end of every packet, before nodes do anything at that instant.

use super::buffers::Run;
use super::lane::Pace;
use super::{FlitsKernel, What};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::{LineId, Lines, Mark};
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};

/// What else is kept where nodes and switches are one.
#[derive(Clone)]
pub struct Integrated {
    /// By rate.
    ends: Vec<Ends>,
    /// By channel: the packet that is delivered out of the buffer at its end.
    delivered: Vec<Delivered>,
}

/// Where it is noted what happens to a packet's first flit, those in its middle and its last.
#[derive(Clone, Copy)]
struct Ends {
    /// The last of a packet has been sent.
    sent: [LineId; 3],
    /// It is in the buffer at the end, and ends there.
    came: [LineId; 3],
}

/// A packet that is being delivered.
#[derive(Clone, Copy, Default)]
struct Delivered {
    /// Flits of it that have not been; 0: there is none.
    left: u32,
    /// Of these, those with which its message has not begun; 0: that is not told.
    before_begun: u32,
    /// Flits in the buffer of packets that end there.
    held: u32,
}

impl Integrated {
    /// Nothing is under way; none where nodes are attached to switches.
    pub fn new(wiring: &Wiring, paces: &[Pace], lines: &mut Lines<What>) -> Option<Self> {
        wiring.integrated_timing.as_ref()?;
        let ends = |pace: &Pace| {
            let times = [pace.first_ps, pace.flit_ps, pace.last_ps];
            Ends {
                sent: times.map(|time| lines.line(time, What::Sent)),
                came: times.map(|time| lines.line(time + pace.delay_ps, What::Came)),
            }
        };
        Some(Self {
            ends: paces.iter().map(ends).collect(),
            delivered: vec![Delivered::default(); wiring.layout.channels()],
        })
    }
}

impl FlitsKernel {
    /// A packet has entered its node's output queue; one of a list may ask when it is at its
    /// front.
    #[inline]
    pub(super) fn may_ask_from_list(&mut self, id: PacketId, act: &mut Act) {
        if self.integrated.is_none() {
            return;
        }
        let list = act.wiring.layout.injection_lead(act.packets[id].source);
        if act.wiring.arbitration_ps > 0 {
            act.events.post(act.now + act.wiring.arbitration_ps, Event::Request(list.into()));
        } else {
            self.list_asks(list, act);
        }
    }

    /// The first packet of a node's list has been granted a channel: the next may ask.
    #[inline(never)]
    pub(super) fn leave_list(&mut self, list: ChannelId, act: &mut Act) {
        self.board.leave_list(list, act);
        self.board.at_mut(list).headers = 0;
        self.list_asks(list, act);
    }

    /// The first packet of a node's list asks, if it may and has not. It need not be the one
    /// that has been there longest: messages may take turns.
    #[inline(never)]
    pub(super) fn list_asks(&mut self, list: ChannelId, act: &Act) {
        let lane = self.board.at_mut(list);
        let first = lane.port.buffer.first;
        if lane.headers == 0 && first.is_some() && act.packets[first].ready <= act.now {
            lane.headers = 1;
            self.asking.push(list);
        }
    }

    /// A packet has been granted a channel; if it ends there and is the first in the buffer,
    /// it is delivered as it comes.
    #[inline(never)]
    pub(super) fn may_come_home(&mut self, channel: ChannelId, id: PacketId, act: &Act) {
        let lane = self.board.at_mut(channel);
        let ends = act.packets[id].destination.0 == lane.port.switch.0;
        lane.set_ending(ends);
        if ends && lane.port.buffer.first == id && !lane.output.is_some() {
            self.begin_delivery(channel, act);
        }
    }

    /// The packet at the front of a channel's buffer is delivered from now on.
    fn begin_delivery(&mut self, channel: ChannelId, act: &Act) {
        let lane = self.board.at_mut(channel);
        lane.output = lane.port.front_output;
        let id = lane.port.buffer.first;
        let flits = act.wiring.link.packet_flits(act.packets[id].bytes);
        let early = self.board.lists.early_flits(id, act);
        if let Some(integrated) = &mut self.integrated {
            let delivered = &mut integrated.delivered[channel.index()];
            (delivered.left, delivered.before_begun) = (flits, early.unwrap_or(0));
        }
    }

    /// A channel starts a flit of its packet.
    #[inline(never)]
    pub(super) fn is_under_way(
        &mut self,
        channel: ChannelId,
        (is_first, is_last): (bool, bool),
        act: &Act,
    ) {
        let Some(integrated) = &self.integrated else { return };
        let lane = self.board.at(channel);
        let ends = &integrated.ends[usize::from(lane.rate)];
        let which = if is_first { 0 } else { 1 + usize::from(is_last) };
        if is_last {
            self.lines.post(ends.sent[which], act.now, channel, Mark::default());
        }
        if lane.is_ending() {
            self.lines.post(ends.came[which], act.now, channel, Mark::default());
        }
    }

    /// A flit of a packet that ends there is in the buffer at a channel's end.
    pub(super) fn came(&mut self, channel: ChannelId, act: &mut Act) {
        if let Some(integrated) = &mut self.integrated {
            integrated.delivered[channel.index()].held += 1;
        }
        self.deliver(channel, act);
    }

    /// What is in the buffer at a channel's end of the packet that is being delivered leaves it.
    fn deliver(&mut self, channel: ChannelId, act: &mut Act) {
        let Some(integrated) = &mut self.integrated else { return };
        let delivered = &mut integrated.delivered[channel.index()];
        let count = delivered.held.min(delivered.left);
        if count == 0 {
            return;
        }
        delivered.held -= count;
        delivered.left -= count;
        if (1..=count).contains(&delivered.before_begun) {
            self.board.lists.begin(channel, act.now);
            act.events.post_now(act.now, Event::Head(channel.into()));
        }
        delivered.before_begun = delivered.before_begun.saturating_sub(count);
        if delivered.left == 0 {
            act.events.post_now(act.now, Event::Tail(channel.into()));
        }
        let was_full = self.is_full(channel);
        let mut left = count;
        while left > 0 {
            let lane = &mut self.board.channels[channel.index()];
            let some = self.buffers.flits_there(channel, lane).count.min(left);
            left -= some;
            let free = Run { first: act.now + self.credit_ps, count: some, step: 0 };
            self.buffers.leave(channel, lane, free);
        }
        self.has_left(channel, (count, was_full), act);
    }

    /// The packet that left the buffer at a channel's end, if any, is out of it: the next is
    /// delivered, if it ends there, or may ask.
    #[inline(never)]
    pub(super) fn next_leaves(&mut self, channel: ChannelId, act: &mut Act) {
        if channel.is_some() && self.board.front_ends(channel) {
            self.begin_delivery(channel, act);
            self.deliver(channel, act);
        } else {
            self.front_falls_free(channel);
        }
    }

    /// Takes the packet whose last flit has been delivered out of the buffer it ended in.
    #[inline(never)]
    pub(super) fn take_out(&mut self, channel: ChannelId, act: &mut Act) -> PacketId {
        let id = self.board.take_delivered(channel, act);
        self.next_leaves(channel, act);
        id
    }
}
