//! Fidelity `stream`: a packet on a channel is a stream that flows or stands still,
//! and signals that stop it take no time [Tweedie, section 3.5.4].
//!
//! A channel may send as much as has left the buffer at its end, and the room of that
//! buffer. So its stream is followed as far as it certainly flows ([`StreamKernel::flow`]),
//! and further whenever the channel that drains the buffer is: what is known of a stream
//! never changes. It stops where that ends, without an event; the events are the head of a
//! packet at a switch and its end on a channel. The rules are in `docs/model.md`.

mod accepts;
mod channel;

pub use accepts::accepts_network;

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Grants, Switchboard, first_flit, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use channel::Channel;

/// The real network, stream by stream.
#[derive(Clone)]
pub struct StreamKernel {
    pub board: Switchboard<Channel>,
    /// How much stream an input buffer holds, with what is on the way to it.
    capacity: Time,
    /// From when stream has been sent until it is in the buffer.
    delay: Time,
    /// Whether a buffer can be empty before the end of a stream that flows through it.
    ///
    /// Not if it holds at least what is sent during the delay. If the channel into it has
    /// stood still since the stream began, that was for a full buffer, and it went on as
    /// soon as that was drained: what the full buffer held lasts until more arrives. If it
    /// never has, the stream flows in a header time and the delay before it flows out.
    may_run_dry: bool,
    /// Channels whose streams may flow further than is known.
    stale: Vec<ChannelId>,
}

impl StreamKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let link = &wiring.link;
        // No run is so long that it could fill half of the range of time.
        let room = machine.switch.input_buffer_flits.map(u64::from);
        let capacity = room.map_or(NEVER, |room| link.flit_ps.saturating_mul(room)).min(NEVER / 2);
        let delay = link.delay_ps();
        let board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| {
            Channel::idle(port, rest)
        });
        Self { board, capacity, delay, may_run_dry: capacity < delay, stale: Vec::new() }
    }

    /// Follows a channel's stream as far as it certainly flows without a pause.
    fn flow(&mut self, id: ChannelId, act: &mut Act) {
        let channel = self.board.at(id);
        if !channel.owner.is_some() {
            return;
        }
        let (lead, left, from) = (channel.rest.lead, channel.left, channel.until.max(act.now));
        let mut length = left.min(channel.room(self.capacity));
        if self.may_run_dry && channel.input.is_some() {
            let (supply, again) = self.board.at(channel.input).supply(from);
            length = length.min(supply);
            if supply < left && again != NEVER {
                self.board.post_retry(lead, again, act.events);
            }
        }
        if length > 0 {
            self.flows(id, from, length, act);
        }
    }

    /// A channel certainly sends so much more of its stream, from `from` on.
    fn flows(&mut self, id: ChannelId, from: Time, length: Time, act: &mut Act) {
        let link = &act.wiring.link;
        let channel = &mut self.board.channels[id.index()];
        let (owner, input, kind) = (channel.owner, channel.input, channel.port.kind);
        let sent = link.packet_ps(act.packets[owner].bytes) - channel.left;
        act.measures.kept(id, kind, from - channel.until);
        act.measures.transmits(kind, from, from + length);
        channel.extend(from, length);
        if sent == 0 {
            first_flit(id, owner, kind, from, link.hop_ps, act);
        }
        if sent < link.header_ps && link.header_ps <= sent + length {
            self.header_is_known(id, from + link.header_ps - sent, act);
        }
        if self.board.at(id).left == 0 {
            self.end_is_known(id, act);
        }
        if input.is_some() {
            self.board.at_mut(input).flowed_out += length;
            self.stale.push(input);
        }
        if self.may_run_dry {
            let channel = self.board.at_mut(id);
            channel.will_arrive(act.now, from + self.delay, length);
            self.stale.extend(Some(channel.output).filter(|output| output.is_some()));
        }
    }

    /// It is known when the header of a channel's owner has been sent.
    fn header_is_known(&mut self, id: ChannelId, sent: Time, act: &mut Act) {
        let channel = self.board.at_mut(id);
        let owner = channel.owner;
        if !channel.port.switch.is_some() {
            self.board.post_header(id, owner, sent + act.wiring.link.wire_ps, act);
            return;
        }
        let there = sent + self.delay;
        channel.headers.push_back(there);
        if channel.port.buffer.first == owner && !channel.output.is_some() {
            act.events.post(there.max(channel.front_free), Event::Request(id.into()));
        }
    }

    /// It is known when all of a channel's owner has been sent: then the channel is
    /// released, and so is the front of the buffer that the packet came from.
    fn end_is_known(&mut self, id: ChannelId, act: &mut Act) {
        let channel = self.board.at_mut(id);
        let owner = std::mem::replace(&mut channel.owner, PacketId::NONE);
        let (input, at) = (channel.input, channel.until);
        act.leaves(id, owner, at);
        act.observe(Observation::Left { channel: id, at });
        act.observe(Observation::Cleared { buffer: input, at });
        act.events.post(at, Event::Retry(channel.rest.lead.into()));
        if !channel.port.switch.is_some() {
            act.events.post(at + act.wiring.link.wire_ps, Event::Tail(id.into()));
        }
        if input.is_some() {
            let from = self.board.at_mut(input);
            from.output = ChannelId::NONE;
            from.front_free = at;
            if let Some(&there) = from.headers.front() {
                act.events.post(there.max(at), Event::Request(input.into()));
            }
        }
    }
}

has_board!(StreamKernel, Channel in board);

impl Switched for StreamKernel {}

impl Kernel for StreamKernel {
    fn request(&mut self, of: Subject, act: &mut Act) {
        let channel = of.channel();
        if act.is_observed() {
            self.board.observe_request(channel, act);
        }
        self.board.wait(channel, act.packets);
        self.board.mark(self.board.at(channel).port.front_output);
    }

    /// Every group marked at this instant grants what it can; then streams flow.
    fn arbitrate(&mut self, act: &mut Act) {
        while let Some((lead, kind)) = self.board.next_marked() {
            self.serve(lead, kind, act);
            if self.may_run_dry {
                self.stale.extend(self.board.at(lead).group());
            }
        }
        while let Some(channel) = self.stale.pop() {
            self.flow(channel, act);
        }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead =
            move |(number, channel): (usize, &Channel)| (number, channel.until.saturating_sub(now));
        Some(self.board.channels.changed().map(ahead))
    }

    /// That is not known.
    fn deadlock(&self, _: Time, _: &Wiring, _: &PacketPool) -> Vec<Blocked> {
        Vec::new()
    }

    fn traits(&self, _: &Wiring) -> Traits {
        Traits { stretches: true, in_order: true, ..Traits::default() }
    }
}

impl Grants for StreamKernel {
    #[inline]
    fn is_idle(channel: &Channel, now: Time) -> bool {
        channel.is_idle(now)
    }

    /// The lowest-numbered idle channel of a group.
    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        self.board.at(lead).group().find(|&channel| self.board.at(channel).is_idle(act.now))
    }

    /// Whether there is any: streams are not cut into tokens.
    fn room(&self, channel: ChannelId, _: Time) -> u32 {
        let channel = self.board.at(channel);
        if channel.port.switch.is_some() { u32::from(channel.room(self.capacity) > 0) } else { 1 }
    }

    fn grant(&mut self, id: ChannelId, packet_id: PacketId, input: ChannelId, act: &mut Act) {
        if input.is_some() {
            self.board.leave(input, act);
            let from = self.board.at_mut(input);
            from.headers.pop_front();
            from.output = id;
        }
        let channel = self.board.at_mut(id);
        channel.owner = packet_id;
        channel.input = input;
        channel.left = act.wiring.link.packet_ps(act.packets[packet_id].bytes);
        channel.until = act.now;
        channel.packets += 1;
        self.board.enter(id, packet_id, act);
        act.observe(Observation::Granted { packet: packet_id, channel: id });
        if act.is_observed() && self.room(id, act.now) == 0 {
            self.board.observe_room(packet_id, || Some(id), act);
        }
        self.stale.push(id);
    }
}
