//! What a channel needs to send flits, and where it stands among all.

use super::block::{Alike, Block, FLOWS, places};
use super::lane::Lane;
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::switchboard::Switchboard;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::time::Time;

/// Nobody's flow: what has none is told to it, instead of being asked for.
pub const NOBODY: u32 = 0;

/// A channel's packet, and who leaves the buffer at its end.
#[derive(Clone, Copy, Default)]
pub struct Flow {
    /// Flits of packets that were granted it in the current window; those that had not started
    /// when it began count.
    granted: u64,
    /// When what it sent last has been sent; if a packet that was granted it later has not
    /// started, when it was.
    pub free_at: Time,
    /// Flits of the packet it sends that have not started.
    pub unsent: u32,
    /// The flow whose buffer that packet leaves, or [`NOBODY`]: its node's.
    pub input: u32,
    /// The flow by which a packet leaves the buffer at its end, or [`NOBODY`].
    pub output: u32,
    /// Header flits of the packet it sends that have not started.
    pub header_unsent: u16,
    /// Packets in that buffer whose header is there and that have not been granted a channel.
    pub headers: u16,
}

/// Which flits they are that flows of a block send together.
#[derive(Clone, Copy)]
pub struct Marked {
    /// Flows that send the last of a packet.
    pub last: u64,
    /// How many send one.
    pub count: u64,
}

/// The flows of all channels, in places of blocks.
pub struct Flows {
    /// The first is [`NOBODY`]'s.
    pub blocks: Vec<Block>,
    /// By block.
    pub alike: Vec<Alike>,
    /// By place.
    flows: Vec<Flow>,
    /// By place: flits in the buffer at its end.
    held: Vec<u16>,
    /// By place: flits that may still start, as far as that buffer goes.
    credits: Vec<u16>,
    /// By place: the channel.
    channels: Vec<ChannelId>,
    /// By place: time of a flit that had started when the window began, which lies in it.
    ahead: Vec<Time>,
    /// Blocks with something to send or sent in the last slot, as bits.
    pub active: Vec<u64>,
}

impl Flows {
    /// Those of idle channels, with so many credits each; every channel is told its place.
    pub fn new(layout: &Layout, credits: u16, board: &mut Switchboard<Lane>) -> Self {
        let mut all = Self {
            blocks: Vec::new(),
            alike: Vec::new(),
            flows: Vec::new(),
            held: Vec::new(),
            credits: Vec::new(),
            channels: Vec::new(),
            ahead: Vec::new(),
            active: Vec::new(),
        };
        all.add_block(Alike { kind: ChannelKind::Internal, rate: 0, stride: 1 });
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
        for alike in channels.chunk_by(|&one, &other| segment(one) == segment(other)) {
            let wires = || alike.chunk_by(|&one, &other| wire(one) == wire(other));
            let stride = wires().map(<[_]>::len).max().unwrap_or(1).next_power_of_two();
            let (kind, rate) = segment(alike[0]);
            for (number, wire) in wires().enumerate() {
                if number * stride % FLOWS == 0 {
                    all.add_block(Alike { kind, rate, stride: stride as u8 });
                }
                all.add_wire(wire, number * stride % FLOWS, credits, board);
            }
        }
        all.active = vec![0; all.blocks.len().div_ceil(FLOWS)];
        all
    }

    fn add_block(&mut self, alike: Alike) {
        self.blocks.push(Block::default());
        self.alike.push(alike);
        let places = self.blocks.len() * FLOWS;
        self.flows.resize(places, Flow::default());
        self.held.resize(places, 0);
        self.credits.resize(places, 0);
        self.channels.resize(places, ChannelId::NONE);
        self.ahead.resize(places, 0);
    }

    /// The channels of a wire, from a place of the last block on.
    fn add_wire(
        &mut self,
        channels: &[ChannelId],
        first: usize,
        credits: u16,
        board: &mut Switchboard<Lane>,
    ) {
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        block.ends_wire(first + channels.len() - 1);
        for (place, &channel) in (first..).zip(channels) {
            block.has_credit |= 1 << place;
            let all = number * FLOWS + place;
            self.channels[all] = channel;
            self.credits[all] = credits;
            board.at_mut(channel).place = all as u32;
        }
    }

    /// A packet of so many flits, of which so many are its header, is granted a channel, out of the
    /// buffer of `input`.
    #[inline]
    pub fn begin(&mut self, place: u32, input: u32, (flits, header): (u32, u32), now: Time) {
        let has_flit = input == NOBODY || self.held[input as usize] > 0;
        self.flows[input as usize].output = place;
        let flow = &mut self.flows[place as usize];
        flow.granted += u64::from(flits);
        (flow.free_at, flow.input) = (now, input);
        (flow.unsent, flow.header_unsent) = (flits, header as u16);
        let (number, bit) = split(place);
        let (block, flow) = (&mut self.blocks[number], 1 << bit);
        block.sending |= flow;
        block.started &= !flow;
        put(&mut block.has_flit, flow, has_flit);
        put(&mut block.last, flow, flits == 1);
        self.active[number / FLOWS] |= 1 << (number % FLOWS);
    }

    /// A packet has left a channel, and the buffer of a flow, which is told; none: its node.
    #[inline]
    pub fn ends(&mut self, place: u32) -> u32 {
        let input = self.at(place).input;
        self.flows[input as usize].output = NOBODY;
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

    /// The flows of a block, and their channels.
    #[inline]
    pub fn in_block(&mut self, number: usize) -> (&[Flow; FLOWS], &[ChannelId; FLOWS]) {
        (block_of(&mut self.flows, number), block_of(&mut self.channels, number))
    }

    /// Flits of a block have come to the buffers at the ends of their channels.
    #[inline]
    pub fn flits_come(&mut self, number: u32, flits: u64) {
        let held = block_of(&mut self.held, number as usize);
        let flows = block_of(&mut self.flows, number as usize);
        for bit in places(flits) {
            held[bit] += 1;
            let (output, bit) = split(flows[bit].output);
            self.blocks[output].has_flit |= 1 << bit;
        }
    }

    /// A credit comes back to a flow.
    #[inline]
    pub fn credit_comes(&mut self, place: u32) {
        let (number, bit) = split(place);
        self.credits[place as usize] += 1;
        // Without a branch, which nobody would foresee under load.
        self.blocks[number].has_credit |= 1 << bit;
    }

    /// Flits that may still start on a channel, as far as the buffer at its end goes.
    #[inline]
    pub fn credits(&self, place: u32) -> u16 {
        self.credits[place as usize]
    }

    /// Some flows of a block send a flit each, until `free_at`, from buffers or not, to buffers or
    /// not, whose flows are added to `left`.
    #[inline]
    pub fn send<const FROM_BUFFERS: bool, const TO_BUFFERS: bool>(
        &mut self,
        number: usize,
        flows: u64,
        free_at: Time,
        left: &mut Vec<u32>,
    ) -> Marked {
        let all = block_of(&mut self.flows, number);
        let credits = block_of(&mut self.credits, number);
        let (mut one_left, mut no_flit, mut no_credit) = (0, 0, 0);
        let mut count = 0;
        for bit in places(flows) {
            let flow = &mut all[bit];
            flow.free_at = free_at;
            flow.unsent -= 1;
            one_left |= u64::from(flow.unsent == 1) << bit;
            if TO_BUFFERS {
                credits[bit] -= 1;
                no_credit |= u64::from(credits[bit] == 0) << bit;
            }
            if FROM_BUFFERS {
                let held = &mut self.held[flow.input as usize];
                *held -= 1;
                no_flit |= u64::from(*held == 0) << bit;
                left.push(flow.input);
            }
            count += 1;
        }
        let block = &mut self.blocks[number];
        let last = block.last & flows;
        block.take_turns(flows, self.alike[number].stride);
        block.started |= flows;
        block.sending &= !last;
        block.last = block.last & !flows | one_left;
        block.has_flit &= !no_flit;
        block.has_credit &= !no_credit;
        Marked { last, count }
    }

    /// Whether the flit that a flow sends is the last of a header.
    #[inline]
    pub fn ends_header(&mut self, place: u32) -> bool {
        let unsent = &mut self.flows[place as usize].header_unsent;
        let is_last = *unsent == 1;
        *unsent = unsent.saturating_sub(1);
        is_last
    }

    /// Time that a flow transmitted in the current window, all of its last flit included.
    pub fn busy(&self, place: u32, slot: Time) -> Time {
        let Flow { granted, unsent, .. } = *self.at(place);
        self.ahead[place as usize] + (granted - u64::from(unsent)) * slot
    }

    /// Whether a flow sends in the slot at hand, or has sent in the last that there was.
    pub fn has_sent(&self, place: u32) -> bool {
        let (number, bit) = split(place);
        self.blocks[number].sent >> bit & 1 != 0
    }

    /// A new window begins, in which a flow goes on transmitting for so long.
    pub fn begin_window(&mut self, place: u32, ahead: Time) {
        let flow = self.at_mut(place);
        flow.granted = flow.unsent.into();
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

/// Sets or clears a bit.
#[inline]
fn put(word: &mut u64, bit: u64, on: bool) {
    *word = *word & !bit | if on { bit } else { 0 };
}
