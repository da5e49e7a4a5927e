//! What a channel needs to send flits, and where it stands among all.

use super::block::{Block, FLOWS, places};
use super::counts::Counts;
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
    /// Since when that packet waits, if it does.
    pub stalled_from: Time,
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
    /// Flows that send one of a header.
    pub headers: u64,
    /// Flows that send the last of a packet.
    pub last: u64,
}

/// The flows of all channels, in places of blocks.
pub struct Flows {
    /// The first is [`NOBODY`]'s.
    pub blocks: Vec<Block>,
    /// By place.
    pub flows: Vec<Flow>,
    /// Flits of the packet it sends that have not started.
    unsent: Counts,
    /// Flits in the buffer at its end.
    held: Counts,
    /// Flits that may still start, as far as that buffer goes.
    credits: Counts,
    /// By block: flows out of whose buffers flits leave at this instant.
    leaving: Vec<u64>,
    /// By place: the channel.
    pub channels: Vec<ChannelId>,
    /// By place: flits of packets that were granted it in the current window; those that had not
    /// started when it began count.
    granted: Vec<u64>,
    /// By place: time of a flit that had started when the window began, which lies in it.
    ahead: Vec<Time>,
    /// Blocks with something to send or sent in the last slot, as bits.
    pub active: Vec<u64>,
}

impl Flows {
    /// Those of idle channels, with so many credits each, for packets of so many flits at most;
    /// every channel is told its place.
    pub fn new(
        layout: &Layout,
        (credits, longest): (u32, u32),
        board: &mut Switchboard<Lane>,
    ) -> Self {
        let mut all = Self {
            blocks: Vec::new(),
            flows: Vec::new(),
            unsent: Counts::up_to(longest),
            held: Counts::up_to(credits),
            credits: Counts::up_to(credits),
            leaving: Vec::new(),
            channels: Vec::new(),
            granted: Vec::new(),
            ahead: Vec::new(),
            active: Vec::new(),
        };
        all.add_block(Block::idle(ChannelKind::Internal, 0, 1));
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
                    all.add_block(Block::idle(kind, rate, stride));
                }
                all.add_wire(wire, number * stride % FLOWS, credits, board);
            }
        }
        all.active = vec![0; all.blocks.len().div_ceil(FLOWS)];
        all
    }

    fn add_block(&mut self, block: Block) {
        self.blocks.push(block);
        let places = self.blocks.len() * FLOWS;
        self.flows.resize(places, Flow::default());
        for counts in [&mut self.unsent, &mut self.held, &mut self.credits] {
            counts.add_block();
        }
        self.leaving.push(0);
        self.channels.resize(places, ChannelId::NONE);
        self.granted.resize(places, 0);
        self.ahead.resize(places, 0);
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
            block.has_credit |= 1 << place;
            let all = number * FLOWS + place;
            self.channels[all] = channel;
            self.credits.set(all as u32, credits);
            board.at_mut(channel).place = all as u32;
        }
    }

    /// A packet of so many flits, of which so many are its header, is granted a channel, out of the
    /// buffer of `input`.
    #[inline]
    pub fn begin(&mut self, place: u32, input: u32, (flits, header): (u32, u32), now: Time) {
        let mut has_flit = true;
        if input != NOBODY {
            let (block, bit) = self.block_of(input);
            block.has_output |= bit;
            has_flit = block.holds & bit != 0;
            self.flows[input as usize].output = place;
        }
        self.granted[place as usize] += u64::from(flits);
        self.unsent.set(place, flits);
        let flow = &mut self.flows[place as usize];
        (flow.stalled_from, flow.input, flow.header_unsent) = (now, input, header as u16);
        let (block, bit) = self.block_of(place);
        for word in [&mut block.is_granted, &mut block.sending, &mut block.in_header] {
            *word |= bit;
        }
        // Whatever it sent before was of another packet.
        for word in [&mut block.started, &mut block.sent, &mut block.before] {
            *word &= !bit;
        }
        put(&mut block.has_flit, bit, has_flit);
        put(&mut block.last, bit, flits == 1);
        let number = place as usize / FLOWS;
        self.active[number / FLOWS] |= 1 << (number % FLOWS);
    }

    /// A packet has left a channel, and the buffer of a flow, which is told; none: its node.
    #[inline]
    pub fn ends(&mut self, place: u32) -> u32 {
        let (block, bit) = self.block_of(place);
        block.is_granted &= !bit;
        let input = self.flows[place as usize].input;
        let (block, bit) = self.block_of(input);
        block.has_output &= !bit;
        self.flows[input as usize].output = NOBODY;
        input
    }

    /// The block of a place, and the bit of its flow.
    #[inline]
    fn block_of(&mut self, place: u32) -> (&mut Block, u64) {
        (&mut self.blocks[place as usize / FLOWS], 1 << (place as usize % FLOWS))
    }

    /// Flits of a block have come to the buffers at the ends of their channels.
    #[inline]
    pub fn flits_come(&mut self, number: usize, flits: u64) {
        self.held.count_up(number, flits);
        let block = &mut self.blocks[number];
        // Who has more of them than these knows.
        let news = flits & !block.holds & block.has_output;
        block.holds |= flits;
        for bit in places(news) {
            let output = self.flows[number * FLOWS + bit].output;
            let (block, bit) = self.block_of(output);
            block.has_flit |= bit;
        }
    }

    /// Credits come back to flows of a block: those of them that are idle.
    #[inline]
    pub fn credits_come(&mut self, number: usize, flows: u64) -> u64 {
        self.credits.count_up(number, flows);
        let block = &mut self.blocks[number];
        block.has_credit |= flows;
        flows & !block.is_granted
    }

    /// Flows of a block that have sent a flit do not send another at once.
    #[inline]
    pub fn stall(&mut self, number: usize, flows: u64, now: Time) {
        for bit in places(flows) {
            self.flows[number * FLOWS + bit].stalled_from = now;
        }
    }

    /// Flits that may still start on a channel, as far as the buffer at its end goes.
    #[inline]
    pub fn credits(&self, place: u32) -> u32 {
        self.credits.at(place)
    }

    /// Flits of the packet a channel sends that have not started.
    #[inline]
    pub fn unsent(&self, place: u32) -> u32 {
        self.unsent.at(place)
    }

    /// Some flows of a block send a flit each: from buffers, whose flows are noted as those out of
    /// which flits leave, or not; to buffers or not.
    #[inline]
    pub fn send<const FROM_BUFFERS: bool, const TO_BUFFERS: bool>(
        &mut self,
        number: usize,
        flows: u64,
    ) -> Marked {
        let (_, one_left) = self.unsent.count_down(number, flows);
        let block = &mut self.blocks[number];
        if TO_BUFFERS {
            let (none, _) = self.credits.count_down(number, flows);
            block.has_credit &= !none;
        }
        let marked = Marked { headers: block.in_header & flows, last: block.last & flows };
        block.take_turns(flows);
        block.started |= flows;
        block.sending &= !marked.last;
        block.last = one_left;
        if FROM_BUFFERS {
            let first = number * FLOWS;
            let all: &[Flow; FLOWS] =
                self.flows[first..first + FLOWS].try_into().expect("all blocks are whole");
            for bit in places(flows) {
                let input = all[bit].input as usize;
                self.leaving[input / FLOWS] |= 1 << (input % FLOWS);
            }
        }
        marked
    }

    /// The flits that leave buffers at this instant have left them; told of each block.
    #[inline]
    pub fn leave(&mut self, mut told: impl FnMut(u32, u64)) {
        for number in 0..self.blocks.len() {
            let flits = std::mem::take(&mut self.leaving[number]);
            if flits != 0 {
                let (none, _) = self.held.count_down(number, flits);
                let empty = flits & none;
                self.blocks[number].holds &= !empty;
                for bit in places(empty) {
                    let output = self.flows[number * FLOWS + bit].output;
                    let (block, bit) = self.block_of(output);
                    block.has_flit &= !bit;
                }
                told(number as u32, flits);
            }
        }
    }

    /// Time that a flow transmitted in the current window, and will until `until` with its
    /// last flit, if that began in the slot that ends then.
    pub fn busy(&self, place: u32, slot: Time) -> Time {
        let place = place as usize;
        let sent = self.granted[place] - u64::from(self.unsent(place as u32));
        self.ahead[place] + sent * slot
    }

    /// Whether a flow sends in the slot at hand, or has sent in the last that there was.
    pub fn has_sent(&self, place: u32) -> bool {
        let place = place as usize;
        self.blocks[place / FLOWS].sent >> (place % FLOWS) & 1 != 0
    }

    /// A new window begins, in which a flow goes on transmitting for so long.
    pub fn begin_window(&mut self, place: u32, ahead: Time) {
        let place = place as usize;
        self.granted[place] = self.unsent(place as u32).into();
        self.ahead[place] = ahead;
    }
}

/// Sets or clears a bit.
#[inline]
fn put(word: &mut u64, bit: u64, on: bool) {
    *word = *word & !bit | if on { bit } else { 0 };
}
