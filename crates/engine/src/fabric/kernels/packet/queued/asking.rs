//! Packets become ready, and join those that wait for their output.

use super::QueuedKernel;
use super::lines::LineId;
use super::turns::leaves_switch;
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::layout::Layout;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::selection::Free;
use crate::fabric::switch::weighing;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::time::NEVER;

/// Tells that a packet waits for a channel of a group from now on, whoever stands before it in its buffer.
#[cold]
#[inline(never)]
fn observe_asks(packet: PacketId, lead: ChannelId, act: &mut Act) {
    if let Some(late) = &mut act.measures.late {
        late.begins_to_wait(packet, lead, act.now);
    }
    if act.measures.blame.as_ref().is_some_and(|blame| blame.follows(packet)) {
        act.observe(Observation::LinedUp { packet, channel: lead, from: NEVER });
    }
}

/// The lead of the only group by which a packet may leave a switch.
#[inline]
fn only_output(switch: SwitchId, id: PacketId, act: &Act) -> ChannelId {
    let (wiring, packet) = (act.wiring, &act.packets[id]);
    if wiring.has_allocators() {
        wiring.first_lead(switch, packet.header())
    } else {
        wiring.asks_at(switch, packet)
    }
}

/// By channel: the lowest-numbered lead of the groups on its wire, which stands for what is granted there.
pub(super) fn places(layout: &Layout) -> Vec<ChannelId> {
    let lead_of_wire = |number: usize| {
        let lead = layout.group(ChannelId::from_index(number)).first;
        let wire = layout.wire_of[lead.index()];
        layout.group(wire).first
    };
    (0..layout.channels()).map(lead_of_wire).collect()
}

/// Outputs that a packet may choose.
#[derive(Clone, Copy)]
enum Wanted {
    /// It could start there now.
    Free,
    /// The link is not down.
    Up,
    Any,
}

impl QueuedKernel {
    /// The first of the packets on their way to the buffer at a channel's end is ready: it joins those that
    /// wait for its output.
    #[inline]
    pub(super) fn becomes_ready(&mut self, input: ChannelId, act: &mut Act) {
        if act.wiring.routing.weighs() {
            let port = self.board.at(input).port;
            let held = |of: &mut Self, channel, act: &mut Act| of.occupied_at(channel, act.now);
            let front = (port.switch, port.buffer.first);
            weighing::decide(self, front, act, held, Self::waiting_flits);
        }
        let id = self.board.at_mut(input).port.buffer.pop(act.packets);
        let next = self.board.at(input).port.buffer.first;
        if next.is_some() {
            act.events.post(act.packets[next].ready, Event::Request(input.into()));
        }
        let lead = self.output_of(input, id, act);
        if next.is_some() {
            self.notes_output(input, next, act);
        }
        self.joins(input, id, lead, act);
    }

    /// A packet that is ready, and has come by the channel of an input, joins those that wait for an output.
    #[inline]
    pub(super) fn joins(&mut self, input: ChannelId, id: PacketId, lead: ChannelId, act: &mut Act) {
        if act.is_observed() {
            observe_asks(id, lead, act);
        }
        if self.in_queues {
            return self.joins_queue(lead, (id, input), act.packets);
        }
        let mut first = self.board.at(input).lines;
        if let Some(line) = self.lines.find(first, lead) {
            self.lines.push(line, id, act.packets);
            return;
        }
        let line = self.lines.begin((input, lead), &mut first, id, act.packets);
        self.board.at_mut(input).lines = first;
        self.begins_to_ask(line, act);
    }

    /// A packet that has come by the channel of an input joins the queue of its output.
    #[inline]
    fn joins_queue(
        &mut self,
        lead: ChannelId,
        (id, input): (PacketId, ChannelId),
        packets: &mut PacketPool,
    ) {
        packets.comes_by(id, input);
        let output = self.board.at_mut(lead);
        let (place, is_first) = (output.rest.lead, !output.queue.first.is_some());
        output.queue.push(id, packets);
        if self.wires.is_some() {
            if is_first {
                // It became ready after all others that wait.
                self.board.wait_last(place, lead);
            }
            let mut latest = self.board.at(input).latest();
            let is_new = self.latest.join(&mut latest, id, lead);
            self.board.at_mut(input).set_latest(latest);
            if !is_new {
                return;
            }
        }
        self.board.mark(place);
    }

    /// Flits of the packets that wait for a group since before this instant.
    fn waiting_flits(&self, lead: ChannelId, act: &Act) -> u32 {
        let flits = |mut id: PacketId| {
            let mut sum = 0;
            while id.is_some() {
                let packet = &act.packets[id];
                if packet.ready < act.now {
                    sum += weighing::flits_of(id, act);
                }
                id = packet.next;
            }
            sum
        };
        if self.in_queues {
            return flits(self.board.at(lead).queue.first);
        }
        let place = self.board.at(self.board.at(lead).rest.lead);
        let lines = self.lines.at_place(place.ends[0]);
        let of_lead = lines.filter(|&line| self.lines.at(line).lead == lead);
        of_lead.map(|line| flits(self.lines.front(line))).sum()
    }

    /// The packet at the front of a line begins to ask, at its place.
    pub(super) fn begins_to_ask(&mut self, line: LineId, act: &Act) {
        let &super::lines::Line { input, lead, packets, .. } = self.lines.at(line);
        let place = self.board.at(lead).rest.lead;
        let ends = self.board.at(place).ends;
        let others = || self.lines.at_place(ends[0]).count();
        let drawn = || act.packets.drawn_by(packets.first);
        let behind = match self.board.arbiter.joined(place, others, drawn) {
            Some(0) => LineId::NONE,
            Some(others) => self.lines.at_place(ends[0]).nth(others - 1).unwrap_or(LineId::NONE),
            None => {
                let until = act.packets.turn(packets.first, input);
                self.lines.last_until(ends, until, act.packets)
            }
        };
        self.lines.insert(line, behind, &mut self.board.at_mut(place).ends);
        self.board.mark(place);
    }

    /// The lead of the group by which a packet that is ready will leave the switch.
    #[inline]
    pub(super) fn output_of(&mut self, input: ChannelId, id: PacketId, act: &mut Act) -> ChannelId {
        if act.wiring.routing.chooses() {
            return self.choose(input, id, act);
        }
        let port = &self.board.at(input).port;
        if act.wiring.routing.weighs() {
            return only_output(port.switch, id, act);
        }
        port.front_output
    }

    /// A packet is the first of those on their way to a buffer: where it will ask, if that does not depend on
    /// how things stand then, is noted now, so that it can be read beforehand.
    #[inline]
    pub(super) fn notes_output(&mut self, input: ChannelId, id: PacketId, act: &Act) {
        if !act.wiring.routing.chooses() && !act.wiring.routing.weighs() {
            let port = &mut self.board.at_mut(input).port;
            port.front_output = only_output(port.switch, id, act);
        }
    }

    /// The same where it has a choice: what is selected of the outputs of the best tier in which it could
    /// start at this instant, as things stand, with nobody waiting there; if there are none, of those of
    /// the best tier whose links are up, and of all of it if none is.
    #[inline(never)]
    fn choose(&mut self, input: ChannelId, id: PacketId, act: &mut Act) -> ChannelId {
        let switch = self.board.at(input).port.switch;
        let (wiring, header) = (act.wiring, act.packets[id].header());
        let tokens = wiring.link.packet_flits(act.packets[id].bytes);
        let mut outputs = self.board.take_outputs();
        let mut chosen = None;
        for wanted in [Wanted::Free, Wanted::Up, Wanted::Any] {
            let mut best = u8::MAX;
            let leads = wiring.leads(switch, header, &mut outputs);
            self.board.prefetch_leads(leads.clone().map(|(lead, _)| lead));
            for (lead, tier) in leads {
                if tier > best || chosen.is_some() {
                    break;
                }
                let channel = match wanted {
                    Wanted::Free => self.free_channel(lead, tokens, act),
                    Wanted::Up => act.down_until(lead).is_none().then_some(lead),
                    Wanted::Any => Some(lead),
                };
                let Some(channel) = channel else { continue };
                best = tier;
                if self.offers(channel, matches!(wanted, Wanted::Free), act) {
                    chosen = Some(channel);
                }
            }
            chosen = chosen.or_else(|| self.board.select((switch, id), act.packets));
            if chosen.is_some() {
                break;
            }
        }
        self.board.put_outputs(outputs);
        let lead = |channel: ChannelId| match self.board.at(channel).port.width {
            1 => channel,
            _ => wiring.layout.group(channel).first,
        };
        chosen.map_or(ChannelId::NONE, lead)
    }

    /// The lowest-numbered channel of a group on which a packet could start now, if nobody waits there.
    fn free_channel(&mut self, lead: ChannelId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let waits_in_line = || {
            let place = self.board.at(self.board.at(lead).rest.lead);
            self.lines.at_place(place.ends[0]).any(|line| self.lines.at(line).lead == lead)
        };
        let is_asked = self.board.at(lead).queue.first.is_some();
        if is_asked || self.board.is_closed(lead) || !self.in_queues && waits_in_line() {
            return None;
        }
        self.find_channel(lead, tokens, &mut NEVER.clone(), act).ok()
    }

    /// Offers a channel, which may be free, to the packet that chooses; whether that is taken, whatever others
    /// there are.
    fn offers(&mut self, id: ChannelId, is_free: bool, act: &Act) -> bool {
        let compares = self.board.choices.as_ref().is_some_and(|c| c.selector.compares());
        let free = if compares || !is_free {
            self.settle(id, act.now);
            let channel = self.board.at(id);
            let is_at_node = !channel.port.switch.is_some();
            let room =
                if is_at_node { u32::MAX } else { self.capacity.saturating_sub(channel.occupied) };
            Free { channel: id, waiting: channel.waiting, room }
        } else {
            // There is room, and how much does not matter.
            Free { channel: id, waiting: 0, room: 1 }
        };
        let Some(choices) = &mut self.board.choices else { return false };
        choices.selector.offer(free)
    }

    /// Where all who wait for an output stand in one queue: these, with the channels by which they came, and its
    /// lead; where outputs share a wire the first of each channel.
    pub(super) fn waiting_in_queues(
        &self,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> Vec<(PacketId, ChannelId, ChannelId)> {
        let mut all: Vec<(PacketId, ChannelId, ChannelId)> = Vec::new();
        for group in wiring.layout.groups.iter().filter(|group| leaves_switch(group.kind)) {
            let mut id = self.board.at(group.first).queue.first;
            let before = all.len();
            while id.is_some() {
                let input = packets.came_by(id);
                if self.wires.is_none() || all[before..].iter().all(|&(_, other, _)| other != input)
                {
                    all.push((id, input, group.first));
                }
                id = packets[id].next;
            }
        }
        all
    }
}
