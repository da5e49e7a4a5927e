//! What happens to flits in a slot.

use super::SlotsKernel;
use super::alike::Alike;
use super::bits::{Bits, FLOWS};
use super::block::Block;
use super::flows::NOBODY;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::sets_out;
use crate::ids::PacketId;
use crate::measure::ChannelKind;
use crate::time::Time;

/// Flits of a block that start together.
#[derive(Clone, Copy)]
struct Start {
    /// The number of the block.
    block: usize,
    /// Its flows that send one.
    flows: Bits,
    /// What they have in common.
    alike: Alike,
    /// Number of the slot.
    slot: u64,
}

impl SlotsKernel {
    /// All that is there in a slot; how much it was.
    pub(super) fn happens(&mut self, slot: u64, act: &mut Act) -> u64 {
        let mut due = std::mem::take(self.flights.due(slot));
        for &(block, flows) in &due.ended {
            self.flows.blocks[block].end(flows);
            let kind = self.flows.blocks[block].alike.kind;
            flows.for_each(|flow| self.release(place(block, flow), kind, act));
        }
        for &(block, flows) in &due.begun {
            self.flows.begun(block, flows);
        }
        for &(block, flows) in &due.flits {
            self.flows.flits_come(block, flows);
        }
        let mut headers = 0;
        for &(block, flows) in &due.headers {
            flows.for_each(|flow| {
                headers += 1;
                self.header_comes(place(block, flow));
            });
        }
        for &(block, flows) in &due.credits {
            self.credits_come(block, flows);
        }
        let blocks = [&due.ended, &due.begun, &due.flits, &due.credits].map(Vec::len);
        let count = blocks.iter().sum::<usize>() + headers;
        due.clear();
        *self.flights.due(slot) = due;
        count as u64
    }

    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    #[inline]
    fn release(&mut self, place: u32, kind: ChannelKind, act: &mut Act) {
        let kept = self.flows.settle(place, act.now, 0);
        let channel = self.flows.channel(place);
        // Even if it was not: whether it was nobody could foresee.
        act.measures.kept(channel, kind, kept);
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

    /// Credits come back to flows of a block.
    #[inline]
    fn credits_come(&mut self, block: usize, flows: Bits) {
        self.flows.credits_come(block, flows);
        // Who waits for room looks again; behind some that are idle in vain, as they have just sent
        // the last flit of a packet.
        let Block { awaited, sending, .. } = self.flows.blocks[block];
        (flows & awaited & !sending).for_each(|flow| {
            let lead = self.board.at(self.flows.channel(place(block, flow))).rest.lead;
            self.board.mark(lead);
        });
    }

    /// All that can start at this instant starts: of the flows of every free wire one. What it
    /// leaves behind may be a credit at once, with which another can start in the next round.
    /// Whether any could. `OBSERVED`: whether somebody wants to know who waits.
    pub(super) fn send_round<const OBSERVED: bool>(&mut self, slot: u64, act: &mut Act) -> bool {
        let is_first = self.sent_in != slot;
        let parity = parity(slot);
        if is_first {
            self.flows.show_all(parity);
        }
        self.sent_in = slot;
        let mut flits = [0; 3];
        for word in self.flows.active.words() {
            for number in self.flows.active.of(word) {
                let block = &mut self.flows.blocks[number];
                if is_first {
                    block.begin_slot();
                }
                let flows = block.choose(parity, self.sharing);
                let stop = block.missing(flows, parity);
                // Those that send a flit already do not contend for another.
                let losers = block.ready(parity) & !block.sent & !flows;
                if !flows.is_empty() {
                    let alike = block.alike;
                    flits[alike.kind.in_sums()] += flows.count();
                    self.start::<OBSERVED>(Start { block: number, flows, alike, slot }, act);
                }
                if OBSERVED && !losers.is_empty() {
                    self.gather_losers(number, losers, flows, act);
                }
                // In later rounds of a slot others send than those which have.
                if is_first && !stop.is_empty() {
                    self.flows.stop(number, stop, parity);
                }
            }
        }
        if OBSERVED {
            self.tell(act);
        }
        self.flows.slots[parity] = slot;
        self.count_all(slot);
        if flits == [0; 3] {
            return false;
        }
        act.measures.transmit(flits, act.now, act.now + self.slot_ps);
        true
    }

    /// What has happened to flits in this round is counted, and credits set out.
    fn count_all(&mut self, slot: u64) {
        let parity = parity(slot);
        let mut credits = std::mem::take(self.credits_of(slot));
        for word in self.flows.active.words() {
            for number in self.flows.active.of(word) {
                let block = &mut self.flows.blocks[number];
                let left = block.count(parity, self.flows.chunks);
                if !left.is_empty() {
                    credits.push((number, left));
                }
                if block.is_quiet() {
                    block.left = Bits::default();
                    self.flows.active.rest(number);
                }
            }
        }
        if self.credit_slots == 0 {
            for (block, flows) in credits.drain(..) {
                self.credits_come(block, flows);
            }
        }
        *self.credits_of(slot) = credits;
    }

    /// Credits that set out in a slot, and others that come back when they do.
    #[inline]
    fn credits_of(&mut self, slot: u64) -> &mut Vec<(usize, Bits)> {
        match self.credit_slots {
            0 => &mut self.at_once,
            slots => &mut self.flights.due(slot + slots).credits,
        }
    }

    /// It is accounted for how long flows were kept from sending until they started their last flits.
    pub(super) fn settle_all(&mut self, act: &mut Act) {
        for word in self.flows.active.words() {
            for number in self.flows.active.of(word) {
                let Block { alike, expected: [even, odd], sending, lingering, .. } =
                    self.flows.blocks[number];
                (even | odd | sending | lingering).for_each(|flow| {
                    let place = place(number, flow);
                    let kept = self.flows.settle_so_far(place);
                    act.measures.kept(self.flows.channel(place), alike.kind, kept);
                });
            }
        }
    }

    /// Flits of a block start.
    #[inline]
    fn start<const OBSERVED: bool>(&mut self, start: Start, act: &mut Act) {
        let Start { block: number, flows, slot, .. } = start;
        let block = &mut self.flows.blocks[number];
        let begin = block.unexpected(flows, parity(slot));
        let first = flows & !block.started;
        let last = block.send(flows, self.flows.chunks);
        if !begin.is_empty() {
            block.expect(begin);
            self.begin::<OBSERVED>(&start, begin, first, act);
        }
        if OBSERVED {
            let pace = start.alike.pace;
            self.gather_starts(number, first, pace.hop_ps, act);
            self.gather_ends(number, last & first, pace.gap_slots.into(), act);
            self.gather_ends(number, last & !first, 0, act);
        }
        if act.wiring.link.header_flits > 1 {
            self.end_headers(&start, act);
        }
        if start.alike.pace.gap_slots > 0 {
            return self.set_out_in_parts(&start, (first, last), act);
        }
        self.set_out(&start, (flows, last), 0, act);
    }

    /// Some flits of those that start, of which some are the last of packets, are sent in one slot and
    /// so many more, and then on their way.
    #[inline]
    fn set_out(&mut self, start: &Start, (flows, last): (Bits, Bits), more: u64, act: &mut Act) {
        let Start { block: number, slot, .. } = *start;
        if !last.is_empty() {
            self.flights.due(slot + 1 + more).ended.push((number, last));
        }
        let pace = start.alike.pace;
        if start.alike.reach_buffers() {
            self.flights.due(slot + u64::from(pace.there_slots) + more).flits.push((number, flows));
        } else {
            self.reach_nodes(start, last, pace.there(act.now) + more * self.slot_ps, act);
        }
    }

    /// The same where some are the first flits of packets, which take several slots.
    #[inline(never)]
    fn set_out_in_parts(&mut self, start: &Start, (first, last): (Bits, Bits), act: &mut Act) {
        let Start { block: number, flows, alike, slot } = *start;
        let others = flows & !first;
        if !others.is_empty() {
            self.set_out(start, (others, last & !first), 0, act);
        }
        if first.is_empty() {
            return;
        }
        let more = u64::from(alike.pace.gap_slots);
        self.flows.linger(number, first, act.now + (more + 1) * self.slot_ps);
        self.flights.due(slot + 1 + more).begun.push((number, first));
        let mut flits = [0; 3];
        flits[alike.kind.in_sums()] = first.count();
        let sent_alone = act.now + self.slot_ps;
        act.measures.transmit(flits, sent_alone, sent_alone + more * self.slot_ps);
        self.set_out(start, (first, last & first), more, act);
    }

    /// Flows begin to send that were not expected to, some the first flits of packets.
    // Out of line, so that it takes no registers where all go on.
    #[inline(never)]
    fn begin<const OBSERVED: bool>(
        &mut self,
        start: &Start,
        begin: Bits,
        first: Bits,
        act: &mut Act,
    ) {
        let &Start { block, alike, .. } = start;
        let from_buffers = alike.leave_buffers();
        begin.for_each(|flow| {
            let place = place(block, flow);
            self.flows.begins_to_send(place, from_buffers);
            if !OBSERVED && first.has(flow) {
                let channel = self.flows.channel(place);
                let packet = self.board.at(channel).packet;
                sets_out(channel, packet, alike.kind, act.now, alike.pace.hop_ps, act);
            }
        });
        // Its first flit is all of a packet's header, unless that has several.
        if act.wiring.link.header_flits <= 1 {
            let more = u64::from(alike.pace.gap_slots);
            self.headers_leave(start, begin & first, more, act);
        }
    }

    /// Of flows that send a flit each, some send the last of a header of several.
    #[cold]
    #[inline(never)]
    fn end_headers(&mut self, start: &Start, act: &mut Act) {
        let mut headers = Bits::default();
        start.flows.for_each(|flow| {
            if self.flows.ends_header(place(start.block, flow)) {
                headers.insert(flow);
            }
        });
        self.headers_leave(start, headers, 0, act);
    }

    /// The last flits of headers start, if any, and take so many slots more than one: they are due in
    /// buffers, or known when they will have reached nodes.
    #[inline]
    fn headers_leave(&mut self, start: &Start, headers: Bits, more: u64, act: &mut Act) {
        if headers.is_empty() {
            return;
        }
        let pace = start.alike.pace;
        if start.alike.reach_buffers() {
            let due = self.flights.due(start.slot + u64::from(pace.there_slots) + more);
            due.headers.push((start.block, headers));
            return;
        }
        let there = pace.there(act.now) + more * self.slot_ps;
        headers.for_each(|flow| {
            let channel = self.flows.channel(place(start.block, flow));
            let packet = self.board.at(channel).packet;
            self.board.post_header(channel, packet, there, act);
        });
    }

    /// It is known when last flits will have reached nodes.
    #[inline]
    fn reach_nodes(&mut self, start: &Start, last: Bits, there: Time, act: &mut Act) {
        last.for_each(|flow| {
            let channel = self.flows.channel(place(start.block, flow));
            let packet = self.board.at(channel).packet;
            self.board.post_tail(channel, packet, there, act);
        });
    }
}

/// The place of a slot's parity.
#[inline]
fn parity(slot: u64) -> usize {
    slot as usize % 2
}

/// The place of a flow of a block.
#[inline]
fn place(block: usize, bit: usize) -> u32 {
    (block * FLOWS + bit) as u32
}
