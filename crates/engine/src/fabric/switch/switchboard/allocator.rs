//! Where packets ask that have a choice of outputs.

use super::{HasPort, Switchboard};
use crate::fabric::act::Act;
use crate::fabric::switch::selection::{Free, Selector};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::routing::Outputs;
use crate::spec::Selection;
use crate::time::{NEVER, Time};

/// What is needed where packets have a choice: they ask at the *allocator* of their switch,
/// the lead of one of its groups, which is told whenever any output falls free.
#[derive(Clone)]
pub struct Choices {
    /// Which of several free outputs is taken.
    pub selector: Selector,
    /// Those a packet may take.
    pub outputs: Outputs,
    /// Those that ask at an allocator, the one to be served first at the front.
    asking: Vec<ChannelId>,
    /// By channel: when a packet in the buffer at its end was last granted its next
    /// channel; empty unless the selection counts those that wait.
    left_at: Vec<Time>,
}

impl Choices {
    /// Nobody asks at any allocator.
    pub fn new(selection: Selection, channels: usize, seed: u64) -> Self {
        let counts = selection == Selection::FewestWaiting;
        Self {
            selector: Selector::new(selection, seed),
            outputs: Outputs::default(),
            asking: Vec::new(),
            left_at: vec![NEVER; if counts { channels } else { 0 }],
        }
    }
}

impl<C: HasPort> Switchboard<C> {
    /// A packet in the buffer at a channel's end is granted its next channel.
    #[inline]
    pub fn note_leaving(&mut self, input: ChannelId, now: Time) {
        if let Some(choices) = &mut self.choices
            && let Some(left_at) = choices.left_at.get_mut(input.index())
        {
            *left_at = now;
        }
    }

    /// Puts those that ask at an allocator in order of service.
    pub fn list_asking(&mut self, allocator: ChannelId, act: &Act) {
        let Some(mut choices) = self.choices.take() else { return };
        choices.asking.clear();
        choices.asking.extend(self.waiting(allocator));
        let (channels, packets) = (&self.channels, &act.packets);
        let packet = |c: ChannelId| &packets[channels[c.index()].port().buffer.first];
        self.arbiter.put_in_order(allocator, &mut choices.asking, packet);
        self.choices = Some(choices);
    }

    /// Moves some of them to the end of that order.
    pub fn put_last(&mut self, is_last: impl Fn(&C) -> bool) {
        let Some(choices) = &mut self.choices else { return };
        choices.asking.sort_by_key(|&channel| is_last(&self.channels[channel.index()]));
    }

    /// The one at a place of that order asks no more.
    pub fn served(&mut self, place: usize) {
        if let Some(choices) = &mut self.choices {
            choices.asking.remove(place);
        }
    }

    /// The channel at a place of that order.
    pub fn asking(&self, place: usize) -> Option<ChannelId> {
        self.choices.as_ref()?.asking.get(place).copied()
    }

    /// Takes the list of those that ask at an allocator, in that order.
    pub fn take_asking(&mut self, allocator: ChannelId, act: &Act) -> Vec<ChannelId> {
        self.list_asking(allocator, act);
        self.choices.as_mut().map(|choices| std::mem::take(&mut choices.asking)).unwrap_or_default()
    }

    /// Puts the list back, so that its storage is used again.
    pub fn put_asking(&mut self, list: Vec<ChannelId>) {
        if let Some(choices) = &mut self.choices {
            choices.asking = list;
        }
    }

    /// Whether anybody asks at an allocator.
    pub fn asks(&self, allocator: ChannelId) -> bool {
        self.at(allocator).port().first_waiting.is_some()
    }

    /// Removes a request that is granted from an allocator's list.
    pub fn withdraw(&mut self, allocator: ChannelId, input: ChannelId, packets: &PacketPool) {
        let packet = &packets[self.at(input).port().buffer.first];
        self.arbiter.granted(allocator, input, packet);
        let before = self.waiting(allocator).take_while(|&channel| channel != input).last();
        self.unlink(allocator, before.unwrap_or(ChannelId::NONE));
    }

    /// Packets in the buffer at a channel's end, or on the way there, that were not granted
    /// their next channel before `now`; 0 where nobody needs to know.
    ///
    /// Those granted it at this instant count: in which order switches choose must not matter.
    fn waiting_at(&self, channel: ChannelId, packets: &PacketPool, now: Time) -> u32 {
        let left_at = self.choices.as_ref().and_then(|c| c.left_at.get(channel.index()));
        let Some(&left_at) = left_at else { return 0 };
        let mut waiting = u32::from(left_at == now);
        let mut id = self.at(channel).port().buffer.first;
        while id.is_some() {
            waiting += 1;
            id = packets[id].next;
        }
        waiting
    }

    /// What was made once to list the outputs a packet may take.
    #[inline]
    pub fn take_outputs(&mut self) -> Outputs {
        self.choices
            .as_mut()
            .map(|choices| std::mem::take(&mut choices.outputs))
            .unwrap_or_default()
    }

    /// An output that a packet may take is free: it would get this channel. Whether it gets it,
    /// whatever else there is: then none is selected.
    #[inline]
    pub fn offer(&mut self, channel: ChannelId, room: u32, act: &Act) -> bool {
        let waiting = self.waiting_at(channel, act.packets, act.now);
        let Some(choices) = &mut self.choices else { return false };
        choices.selector.offer(Free { channel, waiting, room })
    }

    /// What was made to list outputs is not needed any more.
    #[inline]
    pub fn put_outputs(&mut self, outputs: Outputs) {
        if let Some(choices) = &mut self.choices {
            choices.outputs = outputs;
        }
    }

    /// Selects one of those offered to a packet at a switch.
    pub fn select(
        &mut self,
        (switch, packet): (SwitchId, PacketId),
        packets: &PacketPool,
    ) -> Option<ChannelId> {
        self.choices.as_mut()?.selector.take(switch, || packets.drawn_by(packet))
    }
}
