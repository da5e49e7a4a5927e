//! What happens to flits in a slot.

use super::block::{Block, FLOWS, places};
use super::flights::Due;
use super::flows::{Marked, NOBODY};
use super::{Pace, SlottedFabric};
use crate::fabric::switch::switchboard::{Act, first_flit};
use crate::ids::PacketId;
use crate::measure::ChannelKind;

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
        for &place in &due.ended {
            self.release(place);
        }
        for &(block, flits) in &due.flits {
            self.flows.flits_come(block, flits);
        }
        for &place in &due.headers {
            self.header_comes(place);
        }
        self.credits_come(&due.credits);
        let Due { ended, flits, headers, credits } = &due;
        let count = ended.len() + flits.len() + headers.len() + credits.len();
        due.clear();
        *self.flights.due(slot) = due;
        count as u64
    }

    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    #[inline]
    fn release(&mut self, place: u32) {
        let channel = self.flows.channels[place as usize];
        let lane = self.board.at_mut(channel);
        lane.packet = PacketId::NONE;
        let lead = lane.rest.lead;
        self.board.falls_free(lead);
        let input = self.flows.flows[place as usize].input;
        let from = &mut self.flows.flows[input as usize];
        from.output = NOBODY;
        if from.headers > 0 {
            self.asking.push(self.flows.channels[input as usize]);
        }
    }

    /// The header of a packet is in the buffer at a channel's end.
    #[inline]
    fn header_comes(&mut self, place: u32) {
        let flow = &mut self.flows.flows[place as usize];
        flow.headers += 1;
        if flow.headers == 1 && flow.output == NOBODY {
            self.asking.push(self.flows.channels[place as usize]);
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
                let lane = self.board.at(self.flows.channels[place as usize]);
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
                    flits[block.kind.in_sums()] += u64::from(chosen.count_ones());
                    self.start_all(Start { block: number, flows: chosen, slot }, act);
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

    /// Flits of a block start.
    #[inline]
    fn start_all(&mut self, start: Start, act: &mut Act) {
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
        for bit in places(start.flows & !before) {
            let place = start.block * FLOWS + bit;
            let channel = self.flows.channels[place];
            if started >> bit & 1 == 0 {
                let packet = self.board.at(channel).packet;
                first_flit(channel, packet, kind, act.now, pace.hop_ps, act);
            }
            let stalled = act.now - self.flows.flows[place].free_at;
            if stalled > 0 {
                act.measures.kept(channel, kind, stalled);
            }
        }
    }

    /// Flits of a block start on channels that lead from buffers, or nodes, to others.
    fn start<const FROM_BUFFERS: bool, const TO_BUFFERS: bool>(
        &mut self,
        start: Start,
        pace: &Pace,
        act: &mut Act,
    ) {
        let free_at = act.now + self.slot_ps;
        let Start { block: number, flows, slot } = start;
        let credits = match self.credit_slots {
            0 => &mut self.at_once,
            slots => &mut self.flights.due(slot + slots).credits,
        };
        let Marked { headers, last } =
            self.flows.send::<FROM_BUFFERS, TO_BUFFERS>(number, flows, free_at, credits);
        if TO_BUFFERS {
            let due = self.flights.due(slot + pace.there_slots);
            due.flits.push((number as u32, flows));
        }
        if headers != 0 {
            self.headers_start::<TO_BUFFERS>(Start { flows: headers, ..start }, pace, act);
        }
        if last != 0 {
            self.last_start::<TO_BUFFERS>(Start { flows: last, ..start }, pace, act);
        }
    }

    /// Some of them are of headers.
    #[inline]
    fn headers_start<const TO_BUFFERS: bool>(&mut self, start: Start, pace: &Pace, act: &mut Act) {
        let there = act.now + self.slot_ps + pace.wire_ps;
        for bit in places(start.flows) {
            let place = start.block * FLOWS + bit;
            let flow = &mut self.flows.flows[place];
            flow.header_unsent -= 1;
            if flow.header_unsent > 0 {
                continue;
            }
            self.flows.blocks[start.block].in_header &= !(1 << bit);
            if TO_BUFFERS {
                self.flights.due(start.slot + pace.there_slots).headers.push(place as u32);
            } else {
                let channel = self.flows.channels[place];
                let packet = self.board.at(channel).packet;
                self.board.post_header(channel, packet, there, act);
            }
        }
    }

    /// Some of them are the last of packets.
    #[inline]
    fn last_start<const TO_BUFFERS: bool>(&mut self, start: Start, pace: &Pace, act: &mut Act) {
        let there = act.now + self.slot_ps + pace.wire_ps;
        for bit in places(start.flows) {
            let place = start.block * FLOWS + bit;
            self.flights.due(start.slot + 1).ended.push(place as u32);
            if !TO_BUFFERS {
                let channel = self.flows.channels[place];
                let packet = self.board.at(channel).packet;
                self.board.post_tail(channel, packet, there, act);
            }
        }
    }
}
