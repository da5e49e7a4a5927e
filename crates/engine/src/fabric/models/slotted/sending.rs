//! What happens to flits in a slot.

use super::block::{Block, FLOWS, places};
use super::flights::Arrival;
use super::flows::NOBODY;
use super::{Pace, SlottedFabric};
use crate::fabric::switch::switchboard::{Act, sets_out};
use crate::ids::PacketId;
use crate::measure::ChannelKind;
use crate::time::Time;

/// Flits of a block that start together.
#[derive(Clone, Copy)]
struct Start {
    /// The number of the block.
    block: usize,
    /// Its flows that send one.
    flows: u64,
    /// Number of the slot.
    slot: u64,
}

impl SlottedFabric {
    /// All that is there in a slot; how much it was.
    pub(super) fn happens(&mut self, slot: u64) -> u64 {
        let mut due = std::mem::take(self.flights.due(slot));
        for &(block, flows) in &due.ended {
            places(flows).for_each(|bit| self.release(place(block, bit)));
        }
        for &Arrival { block, flits, headers } in &due.arrivals {
            self.flows.flits_come(block, flits);
            places(headers).for_each(|bit| self.header_comes(place(block, bit)));
        }
        self.credits_come(&due.credits);
        let count = due.ended.len() + due.arrivals.len() + due.credits.len();
        due.clear();
        *self.flights.due(slot) = due;
        count as u64
    }

    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    #[inline]
    fn release(&mut self, place: u32) {
        let channel = self.flows.channel(place);
        let lane = self.board.at_mut(channel);
        lane.packet = PacketId::NONE;
        let lead = lane.rest.lead;
        self.board.falls_free(lead);
        let input = self.flows.ends(place);
        if self.flows.at(input).headers > 0 {
            self.asking.push(self.flows.channel(input));
        }
    }

    /// The header of a packet is in the buffer at a channel's end.
    #[inline]
    fn header_comes(&mut self, place: u32) {
        let flow = self.flows.at_mut(place);
        flow.headers += 1;
        if flow.headers == 1 && flow.output == NOBODY {
            self.asking.push(self.flows.channel(place));
        }
    }

    /// Credits come back to flows.
    #[inline]
    pub(super) fn credits_come(&mut self, credits: &[u32]) {
        for &place in credits {
            self.flows.credit_comes(place);
        }
        if self.room_for_all.is_some() {
            // Somebody may wait for the room behind an idle channel.
            for &place in credits {
                let lane = self.board.at(self.flows.channel(place));
                if !lane.packet.is_some() {
                    self.board.falls_free(lane.rest.lead);
                }
            }
        }
    }

    /// All that can start at this instant starts: of the flows of every free wire one. What it
    /// leaves behind may be a credit at once, with which another can start in the next round.
    /// Whether any could.
    pub(super) fn send_round(&mut self, slot: u64, act: &mut Act) -> bool {
        let is_first = self.sent_in != slot;
        self.sent_in = slot;
        let mut flits = [0; 3];
        for word in 0..self.flows.active.len() {
            for bit in places(self.flows.active[word]) {
                let number = word * FLOWS + bit;
                let block = &mut self.flows.blocks[number];
                if is_first {
                    block.before = std::mem::replace(&mut block.sent, 0);
                }
                let chosen = block.choose(self.sharing);
                if chosen != 0 {
                    let kind = block.kind.in_sums();
                    let start = Start { block: number, flows: chosen, slot };
                    flits[kind] += self.start_all(start, act);
                } else if block.sending == 0 && block.sent == 0 {
                    self.flows.active[word] &= !(1 << bit);
                }
            }
        }
        if flits == [0; 3] {
            return false;
        }
        act.measures.transmit(flits, act.now, act.now + self.slot_ps);
        if !self.at_once.is_empty() {
            let mut credits = std::mem::take(&mut self.at_once);
            self.credits_come(&credits);
            credits.clear();
            self.at_once = credits;
        }
        true
    }

    /// Flits of a block start; how many.
    #[inline]
    fn start_all(&mut self, start: Start, act: &mut Act) -> u64 {
        let block = &self.flows.blocks[start.block];
        let (kind, pace) = (block.kind, self.paces[usize::from(block.rate)]);
        self.go_on(start, &pace, act);
        match kind {
            ChannelKind::Injection => self.start::<false, true>(start, &pace, act),
            ChannelKind::Internal => self.start::<true, true>(start, &pace, act),
            ChannelKind::Ejection => self.start::<true, false>(start, &pace, act),
            ChannelKind::Direct => self.start::<false, false>(start, &pace, act),
        }
    }

    /// What is told of flows that sent no flit in the slot before.
    #[inline]
    fn go_on(&mut self, start: Start, pace: &Pace, act: &mut Act) {
        let Block { before, started, kind, .. } = self.flows.blocks[start.block];
        let (flows, channels) = self.flows.in_block(start.block);
        for bit in places(start.flows & !before) {
            let channel = channels[bit];
            if started >> bit & 1 == 0 {
                let packet = self.board.at(channel).packet;
                sets_out(channel, packet, kind, act.now, pace.hop_ps, act);
            }
            let stalled = act.now - flows[bit].free_at;
            if stalled > 0 {
                act.measures.kept(channel, kind, stalled);
            }
        }
    }

    /// Flits of a block start on channels that lead from buffers, or nodes, to others; how many.
    #[inline]
    fn start<const FROM_BUFFERS: bool, const TO_BUFFERS: bool>(
        &mut self,
        start: Start,
        pace: &Pace,
        act: &mut Act,
    ) -> u64 {
        let free_at = act.now + self.slot_ps;
        let Start { block: number, flows, slot } = start;
        let credits = match self.credit_slots {
            0 => &mut self.at_once,
            slots => &mut self.flights.due(slot + slots).credits,
        };
        let sent = self.flows.send::<FROM_BUFFERS, TO_BUFFERS>(number, flows, free_at, credits);
        let headers = match sent.headers {
            0 => 0,
            headers => self.flows.end_headers(number, headers, act.wiring.link.header_flits),
        };
        if sent.last != 0 {
            self.flights.due(slot + 1).ended.push((number as u32, sent.last));
        }
        if TO_BUFFERS {
            let arrival = Arrival { block: number as u32, flits: flows, headers };
            self.flights.due(slot + pace.there_slots).arrivals.push(arrival);
        } else {
            self.reach_nodes(number, (headers, sent.last), free_at + pace.wire_ps, act);
        }
        sent.count
    }

    /// It is known when headers and last flits will have reached nodes.
    #[inline]
    fn reach_nodes(&mut self, block: usize, flows: (u64, u64), there: Time, act: &mut Act) {
        let (headers, last) = flows;
        let (_, channels) = self.flows.in_block(block);
        for bit in places(headers) {
            let channel = channels[bit];
            let packet = self.board.at(channel).packet;
            self.board.post_header(channel, packet, there, act);
        }
        for bit in places(last) {
            let channel = channels[bit];
            let packet = self.board.at(channel).packet;
            self.board.post_tail(channel, packet, there, act);
        }
    }
}

/// The place of a flow of a block.
#[inline]
fn place(block: u32, bit: usize) -> u32 {
    block * FLOWS as u32 + bit as u32
}
