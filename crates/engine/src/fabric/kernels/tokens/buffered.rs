//! Packets leave a switch through output buffers, and
//! flow-control tokens share the channel of the other direction with its data.

use super::TokensKernel;
use crate::fabric::act::Act;
use crate::fabric::check::TOKENS_PER_GRANT;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::time::Time;

impl TokensKernel {
    /// Crossbars in rounds until nothing moves; then every channel that can send starts to.
    ///
    /// What can move has moved already: tokens move whenever a token, a place or a
    /// connection is new.
    pub(super) fn choose_buffered(&mut self, act: &mut Act) {
        loop {
            self.note_requests(act);
            if self.board.is_settled() {
                break;
            }
            while let Some((lead, kind)) = self.board.next_marked() {
                match kind {
                    ChannelKind::Injection | ChannelKind::Direct => self.nodes.push(lead),
                    ChannelKind::Internal | ChannelKind::Ejection => self.connect(lead, act),
                }
            }
        }
        while let Some(channel) = self.awake.pop() {
            self.board.at_mut(channel).sleeps();
            self.send_or_grant(channel, act);
        }
        while let Some(lead) = self.nodes.pop() {
            self.send_from_node(lead, act);
        }
    }

    /// A place of an output buffer is free: its token has been sent.
    #[inline]
    pub(super) fn place_falls_free(&mut self, channel: ChannelId) {
        let lane = self.board.at_mut(channel);
        if is_from_switch(lane.port.kind) {
            let was_full = lane.band.placed == self.output_buffer;
            lane.band.placed -= 1;
            // Had there been a place, what could move would have moved.
            if was_full && lane.band.unmoved > 0 {
                self.move_tokens(channel);
            }
        }
        self.wake(channel);
    }

    /// A flow-control token sent by a channel has reached the sender it is for.
    pub(super) fn control_arrived(&mut self, channel: ChannelId) {
        self.credit(self.opposite[channel.index()], TOKENS_PER_GRANT);
    }

    /// The buffer at a channel's end has so many more places.
    #[inline]
    pub(super) fn makes_room(&mut self, channel: ChannelId, places: u32) {
        let grants = self.board.at_mut(channel).band.add_room(places);
        if grants > 0 {
            self.grants_tokens(channel, grants);
        }
    }

    /// Flow-control tokens for a channel are queued on the one of the other direction.
    fn grants_tokens(&mut self, channel: ChannelId, grants: u32) {
        let back = self.opposite[channel.index()];
        self.board.at_mut(back).band.add_grants(grants);
        self.wake(back);
    }

    /// A group connects waiting inputs to its channels that are not connected.
    fn connect(&mut self, lead: ChannelId, act: &mut Act) {
        while self.board.at(lead).port.first_waiting.is_some() {
            let width = u32::from(self.board.at(lead).port.width);
            let free = |&channel: &ChannelId| self.board.at(channel).band.unmoved == 0;
            let Some(channel) = (lead.0..lead.0 + width).map(ChannelId).find(free) else { return };
            let input = self.board.take_best(lead, act);
            let id = self.board.at(input).port.buffer.first;
            self.assign(channel, id, input, act);
            let flits = act.wiring.link.packet_flits(act.packets[id].bytes);
            let band = &mut self.board.at_mut(channel).band;
            band.unmoved = flits;
            if !band.next.is_some() {
                band.next = id;
            }
            self.move_tokens(channel);
        }
    }

    /// Tokens of the connected packet move into a channel's output buffer.
    #[inline]
    pub(super) fn move_tokens(&mut self, channel: ChannelId) {
        let lane = self.board.at(channel);
        let (band, input, lead) = (lane.band, lane.input, lane.rest.lead);
        let places = self.output_buffer - band.placed;
        let count = places.min(band.unmoved).min(self.board.at(input).held);
        if count == 0 {
            return;
        }
        let lane = self.board.at_mut(channel);
        lane.band.unmoved -= count;
        lane.band.placed += count;
        let is_done = lane.band.unmoved == 0;
        self.board.at_mut(input).held -= count;
        self.makes_room(input, count);
        if is_done {
            self.front_falls_free(input);
            self.board.mark(lead);
        }
        self.wake(channel);
    }

    /// At a token boundary: a flow-control token, the next token of a packet, or, on a
    /// node's channel with nothing under way, its packet at hand.
    fn send_or_grant(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        if lane.free_at > act.now {
            return;
        }
        if lane.band.grants() > 0 {
            return self.send_control(channel, act);
        }
        let is_from_switch = is_from_switch(lane.port.kind);
        let has_token = if is_from_switch { lane.band.placed > 0 } else { lane.unsent > 0 };
        if !has_token {
            if lane.unsent > 0 {
                self.board.at_mut(channel).stalls(act.now);
            } else if !is_from_switch {
                self.nodes.push(lane.rest.lead);
            }
            return;
        }
        if lane.unsent == 0 {
            self.begin_stored(channel, act);
        }
        if self.board.at(channel).credits == 0 {
            let lane = self.board.at(channel);
            if act.is_observed() && !lane.has_started() {
                self.board.observe_room(lane.packet, || Some(channel), act);
            }
            return self.board.at_mut(channel).stalls(act.now);
        }
        self.start(channel, act);
    }

    /// A channel goes over to the next packet in its output buffer.
    fn begin_stored(&mut self, channel: ChannelId, act: &mut Act) {
        let id = self.board.at(channel).band.next;
        self.board.at_mut(channel).band.next = act.packets[id].next;
        self.begin(channel, id, act);
    }

    fn send_control(&mut self, channel: ChannelId, act: &mut Act) {
        if act.is_observed() {
            self.observe_control(channel, act);
        }
        let journey = self.rate(channel).control;
        let lane = self.board.at_mut(channel);
        lane.band.grant_is_sent();
        lane.free_at = act.now + journey.time;
        lane.busy += journey.time;
        act.measures.transmits(lane.port.kind, act.now, lane.free_at);
        self.lines.post(journey.sent, act.now, channel, super::Mark::default());
        if let Some(line) = journey.arrived {
            self.lines.post(line, act.now, channel, super::Mark::default());
        }
    }

    /// A node's packet at hand starts on its lowest-numbered channel that can send.
    fn send_from_node(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(lead).from;
        let width = u32::from(self.board.at(lead).port.width);
        while let Some((queue, id)) = self.board.at_hand(node) {
            let channels = (lead.0..lead.0 + width).map(ChannelId);
            let Some(channel) = channels.into_iter().find(|&c| self.can_take(c, act.now)) else {
                if act.is_observed() {
                    self.observe_room(lead, id, act);
                }
                return;
            };
            self.board.take_at_hand(node, queue, act);
            self.assign(channel, id, ChannelId::NONE, act);
            self.begin(channel, id, act);
            self.start(channel, act);
        }
    }

    /// A flow-control token is sent before the packet that would be next.
    #[cold]
    #[inline(never)]
    fn observe_control(&self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        let next = match lane.port.kind {
            _ if lane.unsent > 0 => Some(lane.packet),
            kind if is_from_switch(kind) => Some(lane.band.next),
            _ => self.board.at_hand(act.wiring.layout.group(channel).from).map(|(_, id)| id),
        };
        if let Some(packet) = next.filter(|id| id.is_some()) {
            let user = self.opposite[channel.index()];
            act.observe(Observation::LacksWire { packet, channel, user });
        }
    }

    /// A node's packet at hand cannot start: is there a channel where it only lacks room?
    #[cold]
    #[inline(never)]
    fn observe_room(&self, lead: ChannelId, packet: PacketId, act: &mut Act) {
        let now = act.now;
        let lacks_room = |&channel: &ChannelId| {
            let lane = self.board.at(channel);
            lane.free_at <= now && lane.unsent == 0 && lane.band.grants() == 0
        };
        let width = u32::from(self.board.at(lead).port.width);
        let full = || (lead.0..lead.0 + width).map(ChannelId).find(lacks_room);
        self.board.observe_room(packet, full, act);
    }

    fn can_take(&self, channel: ChannelId, now: Time) -> bool {
        let lane = self.board.at(channel);
        lane.free_at <= now && lane.unsent == 0 && lane.band.grants() == 0 && lane.credits > 0
    }
}

fn is_from_switch(kind: ChannelKind) -> bool {
    matches!(kind, ChannelKind::Internal | ChannelKind::Ejection)
}
