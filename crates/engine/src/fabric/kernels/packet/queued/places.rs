//! Places, where queues or lines wait for the outputs on one wire, or on the wires of one group: who is best, and
//! starts.

use super::QueuedKernel;
use super::lines::LineId;
use crate::fabric::act::Act;
use crate::fabric::switch::arbiter::Rank;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::time::{NEVER, Time};

impl QueuedKernel {
    /// Those that stand in the one queue of an output start, the first first, as long as they can.
    #[inline]
    pub(super) fn serve_queue(&mut self, lead: ChannelId, act: &mut Act) {
        loop {
            let id = self.board.at(lead).queue.first;
            if !id.is_some() || self.board.is_closed(lead) {
                return;
            }
            if let Some(until) = act.in_vain_until(id) {
                return self.board.post_retry(lead, until, act.events);
            }
            let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
            let mut again = NEVER;
            match self.find_channel(lead, tokens, &mut again, act) {
                Ok(channel) => {
                    let input = act.packets.came_by(id);
                    if let Some(at) = act.fails_under(channel, id) {
                        self.is_cut_off(channel, input, at, act);
                        return self.board.post_retry(lead, at, act.events);
                    }
                    self.board.at_mut(lead).queue.pop(act.packets);
                    self.start(channel, id, (input, tokens), act);
                }
                Err(lacks_room) => {
                    if again != NEVER {
                        self.board.post_retry(lead, again, act.events);
                    }
                    if lacks_room && act.is_observed() {
                        self.observe_room(lead, id, act);
                    }
                    return;
                }
            }
        }
    }

    /// The same of the queues of all outputs on one wire: whoever became ready first, and can, starts.
    #[inline]
    pub(super) fn serve_wire(&mut self, place: ChannelId, act: &mut Act) {
        let mut again = NEVER;
        while let Some((before, channel)) = self.look_at_queues(place, &mut again, act) {
            self.sends_first(place, before, channel, act);
            again = NEVER;
        }
        if again != NEVER {
            self.board.post_retry(place, again, act.events);
        }
    }

    /// The first queue on a wire whose first packet can start, as the one it stands behind (none: none), and on
    /// which channel, if there is one. `again` is brought forward to when something under way may change that.
    #[inline]
    fn look_at_queues(
        &mut self,
        place: ChannelId,
        again: &mut Time,
        act: &mut Act,
    ) -> Option<(ChannelId, ChannelId)> {
        let (mut before, mut lead) = (ChannelId::NONE, self.board.at(place).port.first_waiting);
        if !lead.is_some() {
            return None;
        }
        if let Some(free_at) = self.is_sending(place, lead, act.now) {
            *again = free_at;
            return None;
        }
        while lead.is_some() {
            let output = self.board.at(lead);
            let (id, next) = (output.queue.first, output.rest.next_waiting);
            if let Some(until) = act.in_vain_until(id) {
                *again = until.min(*again);
            } else if !self.board.is_closed(lead) {
                let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
                match self.find_channel(lead, tokens, again, act) {
                    Ok(channel) => match act.fails_under(channel, id) {
                        None => return Some((before, channel)),
                        Some(at) => {
                            self.is_cut_off(channel, act.packets.came_by(id), at, act);
                            *again = at.min(*again);
                        }
                    },
                    Err(true) if act.is_observed() => self.observe_room(lead, id, act),
                    Err(_) => {}
                }
            }
            (before, lead) = (lead, next);
        }
        None
    }

    /// The first packet of the queue behind another at a place starts on a channel.
    #[inline]
    fn sends_first(
        &mut self,
        place: ChannelId,
        before: ChannelId,
        channel: ChannelId,
        act: &mut Act,
    ) {
        let lead = self.board.unlink(place, before);
        let id = self.board.at_mut(lead).queue.pop(act.packets);
        let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
        let input = act.packets.came_by(id);
        let first = self.board.at(lead).queue.first;
        if first.is_some() {
            self.waits_in_turn(place, lead, act.packets);
        }
        self.start(channel, id, (input, tokens), act);
        let mut latest = self.board.at(input).latest();
        if self.latest.leave(&mut latest, id) {
            self.board.mark(place);
        } else {
            self.board.at_mut(input).set_latest(latest);
        }
    }

    /// A queue that is not empty waits at its place, by the turn of its first packet.
    #[inline]
    pub(super) fn waits_in_turn(
        &mut self,
        place: ChannelId,
        lead: ChannelId,
        packets: &PacketPool,
    ) {
        let turn = |lead: ChannelId| {
            let first = self.board.at(lead).queue.first;
            packets.turn(first, packets.came_by(first))
        };
        let own = turn(lead);
        let others = self.board.waiting(place).take_while(|&other| turn(other) < own).count();
        self.board.wait_behind(others, place, lead);
    }

    /// The best at a place start as long as they can.
    pub(super) fn serve_place(&mut self, place: ChannelId, act: &mut Act) {
        while let Some((line, channel)) = self.look(place, act) {
            self.sends(line, channel, act);
        }
    }

    /// The packet at the front of a line starts on a channel, perhaps in vain.
    pub(super) fn sends(&mut self, line: LineId, channel: ChannelId, act: &mut Act) {
        let &super::lines::Line { input, lead, .. } = self.lines.at(line);
        let place = self.board.at(lead).rest.lead;
        if let Some(at) = act.fails_under(channel, self.lines.front(line)) {
            self.is_cut_off(channel, input, at, act);
            return self.board.post_retry(place, at, act.events);
        }
        self.lines.remove(line, &mut self.board.at_mut(place).ends);
        let id = self.lines.pop(line, act.packets);
        if !self.board.arbiter.takes_first() {
            self.board.arbiter.granted(place, input, &act.packets[id]);
        }
        let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
        self.start(channel, id, (input, tokens), act);
        if self.lines.front(line).is_some() {
            self.begins_to_ask(line, act);
        } else {
            let mut first = self.board.at(input).lines;
            self.lines.end(line, &mut first);
            self.board.at_mut(input).lines = first;
        }
    }

    /// The line at a place whose first packet starts next, and on which channel, if there is one that can.
    /// If there is none, sees to it that the place looks again in time.
    pub(super) fn look(&mut self, place: ChannelId, act: &mut Act) -> Option<(LineId, ChannelId)> {
        if !self.board.at(place).ends[0].is_some() {
            return None;
        }
        self.board.at_mut(place).set_blocked(false);
        let first = self.lines.at(self.board.at(place).ends[0]).lead;
        if let Some(free_at) = self.is_sending(place, first, act.now) {
            self.board.post_retry(place, free_at, act.events);
            return None;
        }
        self.claimed.clear();
        let mut again = NEVER;
        while let Some((line, id)) = self.best(place, &mut again, act) {
            let lead = self.lines.at(line).lead;
            let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
            match self.find_channel(lead, tokens, &mut again, act) {
                Ok(channel) => return Some((line, channel)),
                Err(lacks_room) => {
                    // Nobody passes it on these.
                    self.claimed.push(lead);
                    if lacks_room {
                        self.board.at_mut(place).set_blocked(true);
                        if act.is_observed() {
                            self.observe_room(lead, id, act);
                        }
                    }
                    if self.wires.is_none() {
                        break;
                    }
                }
            }
        }
        if again != NEVER {
            self.board.post_retry(place, again, act.events);
        }
        None
    }

    /// When the only wire of a place falls free, if that is all that who waits there first, for a channel of a
    /// group, waits for.
    #[inline]
    fn is_sending(&self, place: ChannelId, lead: ChannelId, now: Time) -> Option<Time> {
        let wires = self.wires.as_ref().filter(|_| !self.has_rounds)?;
        let is_one = self.board.at(place).port.width == 1;
        let free_at = wires.free_at(place);
        (is_one && free_at > now && !self.board.is_closed(lead)).then_some(free_at)
    }

    /// The best of the lines at a place whose inputs may send, to outputs that are not claimed, with its first
    /// packet. `again` is brought forward to when another may be better.
    fn best(
        &mut self,
        place: ChannelId,
        again: &mut Time,
        act: &mut Act,
    ) -> Option<(LineId, PacketId)> {
        let takes_first = self.board.arbiter.takes_first();
        let mut best: Option<(Rank, LineId, PacketId)> = None;
        let mut line = self.board.at(place).ends[0];
        while line.is_some() {
            let &super::lines::Line { input, lead, packets, next, .. } = self.lines.at(line);
            let this = std::mem::replace(&mut line, next);
            if self.board.is_closed(lead)
                || (!self.claimed.is_empty() && self.claimed.contains(&lead))
            {
                continue;
            }
            if let Some(until) = act.in_vain_until(packets.first) {
                *again = until.min(*again);
                continue;
            }
            if self.has_rounds && !self.may_send(input, act.now) {
                *again = self.first_end(input).min(*again);
                if act.is_observed() {
                    let granted = self.board.at(input).turns;
                    act.observe(Observation::Outdone { packet: packets.first, granted });
                }
                continue;
            }
            if takes_first {
                return Some((this, packets.first));
            }
            let rank = self.board.arbiter.rank(place, input, &act.packets[packets.first]);
            if best.is_none_or(|(best, ..)| rank < best) {
                best = Some((rank, this, packets.first));
            }
        }
        best.map(|(_, line, id)| (line, id))
    }
}
