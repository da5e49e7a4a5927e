//! Who grants, and how: the same for all fidelities in which a packet is granted an idle
//! channel whatever room there is, and waits on it.

use super::{HasBoard, HasPort, Port};
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Wait};
use crate::time::{NEVER, Time};

/// Requests at allocators that are looked up together: each for itself is a chain of places in memory, and
/// whether it finds an output nobody can foresee.
const AT_ONCE: usize = 8;

/// What a packet that has a choice of outputs asks for.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    packet: PacketId,
    /// Where it is.
    switch: SwitchId,
    /// Flits for which there must be room, if routing has an escape.
    needed: Option<u32>,
    /// The leads of the groups it may leave by, with their tiers, if they are known beforehand.
    known: &'a [(ChannelId, u8)],
}

impl Request<'_> {
    /// Nobody's.
    const NONE: Self =
        Self { packet: PacketId::NONE, switch: SwitchId::NONE, needed: None, known: &[] };
}

/// A fidelity in which a packet is granted an idle channel whatever room there is, and
/// waits on it.
pub trait Grants: HasBoard {
    /// Whether a channel can be granted to a packet.
    fn is_idle(channel: &Self::Channel, now: Time) -> bool;
    /// Tokens that may start on a channel now, as far as the buffer at its end goes;
    /// as many as there are at a node.
    fn room(&self, channel: ChannelId, now: Time) -> u32;
    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act);

    /// Where routing has an escape: what a buffer holds. With it, a channel counts as free
    /// for a packet only if the buffer at its end is empty or has room for all of it.
    #[inline]
    fn room_for_all(&self) -> Option<u32> {
        None
    }

    /// Whether packets wait at an allocator after what has just been granted, or asked for.
    #[inline]
    fn note_asked(&mut self, _allocator: ChannelId, _is_asked: bool) {}

    /// The channel of a group that a packet is granted now, if one is idle.
    #[inline]
    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        self.lowest_idle(lead, act)
    }

    /// The lowest-numbered idle channel of a group that has room, else the lowest-numbered
    /// idle one.
    #[inline]
    fn lowest_idle(&mut self, lead: ChannelId, act: &Act) -> Option<ChannelId> {
        let channels = self.board_mut().open_channels(lead);
        let has_others = channels.len() > 1;
        let mut idle = None;
        for channel in channels.map(ChannelId) {
            if Self::is_idle(self.board_mut().at(channel), act.now) {
                if !has_others || self.room(channel, act.now) > 0 {
                    return Some(channel);
                }
                idle = idle.or(Some(channel));
            }
        }
        idle
    }

    /// The channel of a group that a packet with a choice would be granted now, if one is free, and the
    /// room there; where routing has an escape, of channels with so much room at least.
    #[inline]
    fn free_channel(
        &mut self,
        lead: ChannelId,
        needed: Option<u32>,
        act: &mut Act,
    ) -> Option<(ChannelId, u32)> {
        let Some(needed) = needed else {
            let channel = self.idle_channel(lead, act)?;
            return Some((channel, self.room(channel, act.now)));
        };
        self.board_mut().open_channels(lead).map(ChannelId).find_map(|channel| {
            let is_idle = Self::is_idle(self.board_mut().at(channel), act.now);
            let room = if is_idle { self.room(channel, act.now) } else { 0 };
            (is_idle && room >= needed).then_some((channel, room))
        })
    }

    /// The front packets of channels ask, in order of channel number. Who finds nobody before it is
    /// the best where the first is, and takes an idle channel; all others join the queues.
    #[inline]
    fn ask(&mut self, asking: &mut Vec<ChannelId>, act: &mut Act) {
        if self.board_mut().choices.is_some() {
            return self.ask_allocators(asking, act);
        }
        if !self.board_mut().arbiter.takes_first() {
            return self.board_mut().join(asking, act.packets);
        }
        for input in asking.drain(..) {
            let Port { front_output: lead, buffer, .. } = *self.board_mut().at(input).port();
            let is_first = !self.board_mut().at(lead).port().first_waiting.is_some();
            match is_first.then(|| self.idle_channel(lead, act)).flatten() {
                Some(channel) => self.grant(channel, buffer.first, input, act),
                // The group looks again when a channel falls free, if it is not going to anyway.
                None => self.board_mut().wait(input, act.packets),
            }
        }
    }

    /// The same where packets have a choice of outputs.
    fn ask_allocators(&mut self, asking: &mut Vec<ChannelId>, act: &mut Act) {
        if !self.board_mut().arbiter.serves_first() {
            return self.board_mut().join(asking, act.packets);
        }
        for some in asking.chunks(AT_ONCE) {
            let mut requests = [Request::NONE; AT_ONCE];
            for (request, &input) in requests.iter_mut().zip(some) {
                *request = self.request_of(input, act);
            }
            for (request, &input) in requests.iter().zip(some) {
                self.ask_allocator(input, request, act);
            }
        }
        asking.clear();
    }

    /// The front packet of `input` asks at its allocator.
    #[inline]
    fn ask_allocator(&mut self, input: ChannelId, request: &Request, act: &mut Act) {
        let allocator = self.board_mut().at(input).port().front_output;
        if self.board_mut().asks(allocator) {
            self.board_mut().wait(input, act.packets);
            return self.board_mut().mark(allocator);
        }
        if let Some(channel) = self.free_output(request, act) {
            self.board_mut().note_leaving(input, act.now);
            self.grant(channel, request.packet, input, act);
        } else {
            self.board_mut().wait(input, act.packets);
            self.note_asked(allocator, true);
        }
    }

    /// A group grants what it can.
    #[inline]
    fn serve(&mut self, lead: ChannelId, kind: ChannelKind, act: &mut Act) {
        match kind {
            ChannelKind::Injection | ChannelKind::Direct => self.grant_source(lead, act),
            ChannelKind::Internal | ChannelKind::Ejection => {
                if self.board_mut().choices.is_some() {
                    self.grant_choices(lead, act);
                } else {
                    self.grant_output(lead, act);
                }
            }
        }
    }

    /// Those that ask at an allocator, the best first, each get a free output if there is one
    /// for them.
    #[inline(never)]
    fn grant_choices(&mut self, allocator: ChannelId, act: &mut Act) {
        self.board_mut().list_asking(allocator, act);
        let mut place = 0;
        while let Some(input) = self.board_mut().asking(place) {
            place += 1;
            let request = self.request_of(input, act);
            if let Some(channel) = self.free_output(&request, act) {
                self.board_mut().withdraw(allocator, input, act.packets);
                self.board_mut().note_leaving(input, act.now);
                self.grant(channel, request.packet, input, act);
            }
        }
        let is_asked = self.board_mut().asks(allocator);
        self.note_asked(allocator, is_asked);
    }

    /// What the front packet of `input` asks for.
    #[inline]
    fn request_of<'a>(&mut self, input: ChannelId, act: &Act<'a>) -> Request<'a> {
        let Port { switch, buffer, .. } = *self.board_mut().at(input).port();
        let packet = &act.packets[buffer.first];
        let flits = act.wiring.link.packet_flits(packet.bytes);
        Request {
            packet: buffer.first,
            switch,
            needed: self.room_for_all().map(|all| flits.min(all)),
            known: act.wiring.known_leads(switch, packet.destination),
        }
    }

    /// The output that a packet takes, if one is free.
    #[inline]
    fn free_output(&mut self, request: &Request, act: &mut Act) -> Option<ChannelId> {
        let &Request { packet, switch, needed, known } = request;
        let at = (switch, packet);
        if !known.is_empty() {
            return self.select_of(at, known.iter().copied(), needed, act);
        }
        let mut outputs = self.board_mut().take_outputs();
        let leads = act.wiring.leads(switch, act.packets[packet].header(), &mut outputs);
        let taken = self.select_of(at, leads, needed, act);
        self.board_mut().put_outputs(outputs);
        taken
    }

    /// Which channel of the leads by which a packet may leave a switch, with their tiers, it takes.
    #[inline]
    fn select_of(
        &mut self,
        at: (SwitchId, PacketId),
        leads: impl Iterator<Item = (ChannelId, u8)>,
        needed: Option<u32>,
        act: &mut Act,
    ) -> Option<ChannelId> {
        let mut best = u8::MAX;
        for (lead, tier) in leads {
            if tier > best {
                break;
            }
            let Some((channel, room)) = self.free_channel(lead, needed, act) else { continue };
            best = tier;
            if self.board_mut().offer(channel, room, act) {
                return Some(channel);
            }
        }
        self.board_mut().select(at, act.packets)
    }

    /// A node's packets go out, the packet at hand first.
    fn grant_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(lead).from;
        while let Some((queue, id)) = self.board_mut().at_hand(node) {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            self.board_mut().take_at_hand(node, queue, act);
            self.grant(channel, id, ChannelId::NONE, act);
        }
    }

    /// A switch output grants waiting inputs, the best first.
    fn grant_output(&mut self, lead: ChannelId, act: &mut Act) {
        while self.board_mut().at(lead).port().first_waiting.is_some() {
            let Some(channel) = self.idle_channel(lead, act) else { return };
            let input = self.board_mut().take_best(lead, act);
            let id = self.board_mut().at(input).port().buffer.first;
            self.grant(channel, id, input, act);
        }
    }
}

/// The first flit of a packet starts on a channel at `start`, where a hop takes `hop`.
// Inlined into its caller in each fidelity: 1 % fewer instructions flit by flit.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn first_flit(
    channel: ChannelId,
    id: PacketId,
    kind: ChannelKind,
    start: Time,
    hop: Time,
    act: &mut Act,
) {
    act.observe(Observation::Started { packet: id, channel, start });
    sets_out(channel, id, kind, start, hop, act);
}

/// The same where it has been noted whom it waited for.
#[inline]
pub fn sets_out(
    channel: ChannelId,
    id: PacketId,
    kind: ChannelKind,
    start: Time,
    hop: Time,
    act: &mut Act,
) {
    let packet = &mut act.packets[id];
    let is_first = packet.first_sent == NEVER;
    let is_first_internal = kind == ChannelKind::Internal && packet.first_internal == NEVER;
    let wait = Wait { time: start - packet.ready, is_throttling: is_first | is_first_internal };
    // Without branches, which nobody could foresee.
    let first_sent = start - act.wiring.arbitration_ps;
    packet.first_sent = if is_first { first_sent } else { packet.first_sent };
    packet.first_internal = if is_first_internal { start } else { packet.first_internal };
    packet.ready = start + hop;
    act.measures.waited(channel, wait);
}
