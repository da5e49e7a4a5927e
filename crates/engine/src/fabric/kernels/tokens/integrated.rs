//! Fidelity `flit` where nodes and switches are one: packets leave their node's list, and
//! others leave the network out of the buffer they come to the front of.

use super::{Control, Rate, TokensKernel};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::{LineId, Lines, Mark, What};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};

/// What else is kept where nodes and switches are one.
#[derive(Clone)]
pub struct Integrated {
    /// The line on which headers wait for arbitration; none where it takes no time.
    pub arbitrates: Option<LineId>,
    /// By channel: the packet that is delivered out of the buffer at its end.
    delivered: Vec<Delivered>,
}

/// A packet that is being delivered.
#[derive(Clone, Copy, Default)]
struct Delivered {
    /// Flits of it that have not been; 0: there is none.
    left: u32,
    /// Of these, those with which its message has not begun; 0: that is not told.
    before_begun: u32,
}

/// A rate of channels as they send packets that go on, and as they send packets that end
/// where they go to.
pub fn rates(timing: &Timing, lines: &mut Lines) -> [Rate; 2] {
    [(What::SentAndArrived, What::Arrived), (What::SentAndCame, What::Came)]
        .map(|(together, there)| Rate::new(timing, lines, together, there))
}

impl Integrated {
    /// Nothing is under way.
    pub fn new(wiring: &Wiring, lines: &mut Lines) -> Self {
        let time = wiring.arbitration_ps;
        Self {
            arbitrates: (time > 0).then(|| lines.line(time, What::MayAsk)),
            delivered: vec![Delivered::default(); wiring.layout.channels()],
        }
    }
}

impl TokensKernel {
    /// A packet has entered its node's output queue; one of a list may ask when it is at its
    /// front.
    #[inline]
    pub(super) fn may_ask_from_list(&mut self, id: PacketId, act: &Act) {
        let Some(integrated) = &self.integrated else { return };
        let list = act.wiring.layout.injection_lead(act.packets[id].source);
        match integrated.arbitrates {
            Some(line) => self.lines.post(line, act.now, list, Mark::default()),
            None => self.list_asks(list, act),
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
        let lane = self.board.at(channel);
        let ends = act.packets[id].destination.0 == lane.port.switch.0;
        let rate = act.wiring.layout.group(channel).rate;
        self.rate_of[channel.index()] = 2 * rate + u16::from(ends);
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
            integrated.delivered[channel.index()] =
                Delivered { left: flits, before_begun: early.unwrap_or(0) };
        }
    }

    /// A flit of a packet that ends there is in the buffer at a channel's end.
    #[inline(never)]
    pub(super) fn came(&mut self, channel: ChannelId, act: &mut Act) {
        self.board.at_mut(channel).held += 1;
        self.deliver(channel, act);
    }

    /// What is in the buffer at a channel's end of the packet that is being delivered leaves it.
    fn deliver(&mut self, channel: ChannelId, act: &mut Act) {
        let Some(integrated) = &mut self.integrated else { return };
        let delivered = &mut integrated.delivered[channel.index()];
        let lane = self.board.at_mut(channel);
        let count = lane.held.min(delivered.left);
        if count == 0 {
            return;
        }
        lane.held -= count;
        delivered.left -= count;
        if (1..=count).contains(&delivered.before_begun) {
            self.board.lists.begin(channel, act.now);
            act.events.post_now(act.now, Event::Head(channel.into()));
        }
        delivered.before_begun = delivered.before_begun.saturating_sub(count);
        if delivered.left == 0 {
            act.events.post_now(act.now, Event::Tail(channel.into()));
        }
        match self.control {
            Control::OutOfBand { credit: Some(line) } => {
                for _ in 0..count {
                    self.lines.post(line, act.now, channel, Mark::default());
                }
            }
            _ => self.credit(channel, count),
        }
    }

    /// The packet that left the buffer at a channel's end, if any, is out of it: the next is
    /// delivered, if it ends there, or may ask.
    pub(super) fn next_leaves(&mut self, channel: ChannelId, act: &mut Act) {
        if channel.is_some() && self.board.front_ends(channel) {
            self.begin_delivery(channel, act);
            self.deliver(channel, act);
        } else {
            self.front_falls_free(channel);
        }
    }

    /// Takes the packet whose last flit has been delivered out of the buffer it ended in.
    #[inline]
    pub(super) fn take_out(&mut self, channel: ChannelId, act: &mut Act) -> PacketId {
        let id = self.board.take_delivered(channel, act);
        self.next_leaves(channel, act);
        id
    }
}
