//! What a channel needs to send flits, and where it stands among all.

use super::active::Active;
use super::alike::{Alike, Pace};
use super::bits::{Bits, FLOWS};
use super::block::{Block, Chunks};
use super::counters::chunks_up_to;
use super::lane::Lane;
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::switchboard::Switchboard;
use crate::ids::ChannelId;
use crate::time::Time;

/// Nobody's flow: what has none is told to it, instead of being asked for.
pub const NOBODY: u32 = 0;

/// A channel's packet, and who leaves the buffer at its end.
#[derive(Clone, Copy, Default)]
pub struct Flow {
    /// Slots for which packets take it that were granted it in the current window; those that had not
    /// started when it began count.
    granted: u64,
    /// When what it sent last had been sent, when that was accounted for; if a packet was granted it
    /// later, when that was. What of the time since is not in the slots that the packet takes it was
    /// kept idle.
    settled: Time,
    /// The flow whose buffer that packet leaves, or [`NOBODY`]: its node's.
    pub input: u32,
    /// The flow by which a packet leaves the buffer at its end, or [`NOBODY`].
    pub output: u32,
    /// Slots that the packet was to take then.
    to_come: u32,
    /// Header flits of the packet it sends that have not started.
    pub header_unsent: u16,
    /// Packets in that buffer whose header is there and that have not been granted a channel.
    pub headers: u16,
}

/// The flows of all channels, in places of blocks.
#[derive(Clone)]
pub struct Flows {
    /// The first is [`NOBODY`]'s.
    pub blocks: Vec<Block>,
    /// By place.
    flows: Vec<Flow>,
    /// Those of the numbers of all blocks.
    pub chunks: Chunks,
    /// By place: the channel.
    channels: Vec<ChannelId>,
    /// By place: time of a flit that had started when the window began, which lies in it.
    ahead: Vec<Time>,
    /// By place: when the latest flit had been sent, or will have been, after which it was kept from
    /// sending, or that is a first one and takes several slots.
    paused_at: Vec<Time>,
    /// By parity: the last slot in which flits could start.
    pub slots: [u64; 2],
    /// Time of a slot.
    slot_ps: Time,
    /// Blocks to which something happens.
    pub active: Active,
}

impl Flows {
    /// Those of idle channels, with so many credits each, for packets of so many flits at most; by
    /// rate, how long flits take. Every channel is told its place.
    pub fn new(
        layout: &Layout,
        (credits, most_flits): (u32, u32),
        pace_of: impl Fn(u16) -> Pace,
        slot_ps: Time,
        board: &mut Switchboard<Lane>,
    ) -> Self {
        let mut all = Self {
            blocks: Vec::new(),
            flows: Vec::new(),
            chunks: Chunks { flits: chunks_up_to(most_flits), room: chunks_up_to(credits) },
            channels: Vec::new(),
            ahead: Vec::new(),
            paused_at: Vec::new(),
            slots: [0; 2],
            slot_ps,
            active: Active::default(),
        };
        all.add_block(Alike::default());
        let segment = |channel: ChannelId| {
            let group = &layout.groups[layout.group_of[channel.index()].index()];
            (group.kind, group.rate)
        };
        let wire = |channel: ChannelId| layout.wire_of[channel.index()];
        let mut channels: Vec<ChannelId> =
            (0..layout.channels()).map(ChannelId::from_index).collect();
        channels.sort_by_key(|&channel| {
            let (kind, rate) = segment(channel);
            (kind as usize, rate, wire(channel), channel)
        });
        for channels in channels.chunk_by(|&one, &other| segment(one) == segment(other)) {
            let wires = || channels.chunk_by(|&one, &other| wire(one) == wire(other));
            let stride = wires().map(<[_]>::len).max().unwrap_or(1);
            let (kind, rate) = segment(channels[0]);
            let alike = Alike { kind, stride: stride as u8, pace: pace_of(rate) };
            for (number, wire) in wires().enumerate() {
                let number = number % alike.wires();
                if number == 0 {
                    all.add_block(alike);
                }
                all.add_wire(wire, alike.first_of(number), credits, board);
            }
        }
        all.active = Active::new(all.blocks.len());
        all
    }

    fn add_block(&mut self, alike: Alike) {
        self.blocks.push(Block::new(alike));
        let places = self.blocks.len() * FLOWS;
        self.flows.resize(places, Flow::default());
        self.channels.resize(places, ChannelId::NONE);
        self.ahead.resize(places, 0);
        self.paused_at.resize(places, 0);
    }

    /// The channels of a wire, from a place of the last block on.
    fn add_wire(
        &mut self,
        channels: &[ChannelId],
        first: usize,
        credits: u32,
        board: &mut Switchboard<Lane>,
    ) {
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        block.ends_wire(first + channels.len() - 1);
        for (place, &channel) in (first..).zip(channels) {
            block.set_credits(place, credits, self.chunks);
            let all = number * FLOWS + place;
            self.channels[all] = channel;
            let lane = board.at_mut(channel);
            lane.place = all as u32;
        }
    }

    /// A packet of so many flits, of which so many are its header, is granted a channel, out of the
    /// buffer of `input`.
    #[inline]
    pub fn begin(&mut self, place: u32, input: u32, (flits, header): (u32, u32), now: Time) {
        self.flows[input as usize].output = place;
        let (number, bit) = split(input);
        let has_flit = self.blocks[number].leads_on(bit) || input == NOBODY;
        let flow = &mut self.flows[place as usize];
        let (number, bit) = split(place);
        let to_come = flits + self.blocks[number].alike.pace.gap_slots;
        flow.granted += u64::from(to_come);
        (flow.settled, flow.to_come, flow.input) = (now, to_come, input);
        flow.header_unsent = header as u16;
        self.blocks[number].begin(bit, flits, has_flit, self.chunks);
        self.active.wake(number);
    }

    /// A packet has left a channel, and the buffer of a flow, which is told; none: its node.
    #[inline]
    pub fn ends(&mut self, place: u32) -> u32 {
        let input = self.at(place).input;
        self.flows[input as usize].output = NOBODY;
        let (number, bit) = split(input);
        self.blocks[number].leads_nowhere(bit);
        input
    }

    /// A flow.
    #[inline]
    pub fn at(&self, place: u32) -> &Flow {
        &self.flows[place as usize]
    }

    /// A flow.
    #[inline]
    pub fn at_mut(&mut self, place: u32) -> &mut Flow {
        &mut self.flows[place as usize]
    }

    /// The channel of a flow.
    #[inline]
    pub fn channel(&self, place: u32) -> ChannelId {
        self.channels[place as usize]
    }

    /// Whether any packet waits for a flow's channel, or for another that is as good.
    #[inline]
    pub fn is_awaited(&self, place: u32) -> bool {
        let (number, bit) = split(place);
        self.blocks[number].awaited.has(bit)
    }

    /// It is so, or not.
    pub fn put_awaited(&mut self, place: u32, is_awaited: bool) {
        let (number, bit) = split(place);
        self.blocks[number].awaited.put(bit, is_awaited);
    }

    /// First flits of packets of some flows of a block, which took several slots, have been sent.
    #[inline]
    pub fn begun(&mut self, number: usize, flows: Bits) {
        self.blocks[number].lingering &= !flows;
    }

    /// Flits have come to the buffers at the ends of the channels of some flows of a block.
    #[inline]
    pub fn flits_come(&mut self, number: usize, flows: Bits) {
        self.blocks[number].come |= flows;
        self.active.wake(number);
    }

    /// Whether a flit has come in the slot at hand to the buffer that a flow sends from.
    pub fn gets_flit(&self, place: u32) -> bool {
        let (number, bit) = split(self.at(place).input);
        self.blocks[number].come.has(bit)
    }

    /// Credits come back to some flows of a block.
    #[inline]
    pub fn credits_come(&mut self, number: usize, flows: Bits) {
        self.blocks[number].back |= flows;
        self.active.wake(number);
    }

    /// Flits that may still start on a channel, as far as the buffer at its end goes.
    #[inline]
    pub fn credits(&self, place: u32) -> u32 {
        let (number, bit) = split(place);
        self.blocks[number].credits(bit, self.chunks)
    }

    /// Those that send from buffers are told where something is there, or no more.
    pub fn show_all(&mut self, parity: usize) {
        for word in self.active.words() {
            self.active.of(word).for_each(|number| self.show(number, parity));
        }
    }

    /// Those that send from the buffers of a block are told where something is there, or no more.
    #[inline]
    fn show(&mut self, number: usize, parity: usize) {
        let new = self.blocks[number].show(parity);
        let flows = block_of(&mut self.flows, number);
        new.for_each(|place| {
            let (output, place) = split(flows[place].output);
            self.blocks[output].has_flit[parity].toggle(place);
        });
    }

    /// A flow begins to send, and so does the buffer it sends from, if it does.
    #[inline]
    pub fn begins_to_send(&mut self, place: u32, from_buffer: bool) {
        if from_buffer {
            let (input, place) = split(self.flows[place as usize].input);
            self.blocks[input].leaving.iter_mut().for_each(|flows| flows.insert(place));
            self.active.wake(input);
        }
    }

    /// Some flows of a block do not send any more in slots of a parity, nor the buffers they send from,
    /// if they do. Who sends in those of the other takes turns with another, who does not is kept from
    /// sending.
    #[inline]
    pub fn stop(&mut self, number: usize, flows: Bits, parity: usize) {
        let block = &mut self.blocks[number];
        block.expected[parity] &= !flows;
        let halted = flows & !block.expected[1 - parity];
        let end = (self.slots[parity] + 1) * self.slot_ps;
        let paused_at = block_of(&mut self.paused_at, number);
        halted.for_each(|place| paused_at[place] = paused_at[place].max(end));
        if self.blocks[number].alike.leave_buffers() {
            let all = block_of(&mut self.flows, number);
            flows.for_each(|place| {
                let (input, place) = split(all[place].input);
                self.blocks[input].leaving[parity].remove(place);
            });
        }
    }

    /// First flits of packets of some flows of a block take their wires until then.
    pub fn linger(&mut self, number: usize, flows: Bits, until: Time) {
        self.blocks[number].lingering |= flows;
        let paused_at = block_of(&mut self.paused_at, number);
        flows.for_each(|place| paused_at[place] = until);
    }

    /// When a flow has sent the flit that it started last; if its packet has not started, when it was
    /// granted its channel.
    fn sent_at(&self, place: u32) -> Time {
        let (number, bit) = split(place);
        let sends = self.blocks[number].expected.map(|flows| flows.has(bit));
        let slots = sends.iter().zip(self.slots).filter(|(sends, _)| **sends);
        let end = slots.map(|(_, slot)| slot + 1).max().unwrap_or(0) * self.slot_ps;
        end.max(self.paused_at[place as usize]).max(self.at(place).settled)
    }

    /// For how long a flow has been kept from sending until it has sent the flit that it started
    /// last, at `end`, as far as that has not been accounted for. It has so many slots to go.
    #[inline]
    pub fn settle(&mut self, place: u32, end: Time, to_come: u32) -> Time {
        let flow = &mut self.flows[place as usize];
        let taken = Time::from(flow.to_come - to_come) * self.slot_ps;
        let kept = end - flow.settled - taken;
        (flow.settled, flow.to_come) = (end, to_come);
        kept
    }

    /// The same up to the flit that it started last.
    pub fn settle_so_far(&mut self, place: u32) -> Time {
        let (end, to_come) = (self.sent_at(place), self.to_come(place));
        self.settle(place, end, to_come)
    }

    /// Whether the flit that a flow sends is the last of a header.
    #[inline]
    pub fn ends_header(&mut self, place: u32) -> bool {
        let unsent = &mut self.flows[place as usize].header_unsent;
        let is_last = *unsent == 1;
        *unsent = unsent.saturating_sub(1);
        is_last
    }

    /// Flits of the packet that a flow sends that have not started.
    pub fn unsent(&self, place: u32) -> u32 {
        let (number, bit) = split(place);
        self.blocks[number].unsent(bit, self.chunks)
    }

    /// Slots that the packet which a flow sends will still take of its channel.
    fn to_come(&self, place: u32) -> u32 {
        let (number, bit) = split(place);
        let block = &self.blocks[number];
        let begins = block.sending.has(bit) && !block.started.has(bit);
        self.unsent(place) + if begins { block.alike.pace.gap_slots } else { 0 }
    }

    /// Time that a flow transmitted in the current window, all of its last flit included.
    pub fn busy(&self, place: u32) -> Time {
        let taken = self.at(place).granted - u64::from(self.to_come(place));
        self.ahead[place as usize] + taken * self.slot_ps
    }

    /// When a flow will have sent the flit that it sends in the slot that ends at `end`, or has sent
    /// in the last that there was; none if there is none.
    pub fn sends_until(&self, place: u32, end: Time) -> Option<Time> {
        let (number, bit) = split(place);
        let block = &self.blocks[number];
        if block.lingering.has(bit) {
            return Some(self.paused_at[place as usize]);
        }
        block.sent.has(bit).then_some(end)
    }

    /// A flow at rest begins a new window, and who takes turns on its wire is who does with others.
    pub fn renew(&mut self, like: &Self, place: u32) {
        self.begin_window(place, 0);
        let (number, bit) = split(place);
        self.blocks[number].renew(&like.blocks[number], bit);
    }

    /// A new window begins, in which a flow goes on transmitting for so long.
    pub fn begin_window(&mut self, place: u32, ahead: Time) {
        self.flows[place as usize].granted = self.to_come(place).into();
        self.ahead[place as usize] = ahead;
    }
}

/// The places of a block: none of them is out of bounds.
#[inline]
fn block_of<T>(all: &mut [T], number: usize) -> &mut [T; FLOWS] {
    let block = &mut all[number * FLOWS..][..FLOWS];
    block.try_into().expect("all blocks are whole")
}

/// The block of a place, and the place in it.
#[inline]
fn split(place: u32) -> (usize, usize) {
    (place as usize / FLOWS, place as usize % FLOWS)
}
