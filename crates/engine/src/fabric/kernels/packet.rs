//! Mode `full`, fidelity `packet`: a packet starts on a channel when the buffer
//! at its end has room for all of it, and then runs through.
//!
//! When a transmission starts, three instants are known: when the channel will
//! be free, when the buffer the packet leaves will have its room back, and when
//! the packet's header will be ready to ask at the other end. No event marks the
//! first two unless somebody waits for them ([`Event::Retry`]).

mod accepts;
mod allocator;
mod channel;
mod queued;
mod rerouted;

pub use accepts::{accepts, accepts_network};

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wires::Wires;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{HasPort, Port, Switchboard, has_board};
use crate::fabric::switch::weighing;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::blame::Observation;
use crate::measure::{ChannelKind, Use, Wait};
use crate::routing::Otherwise;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use allocator::Allocator;
pub use channel::Channel;
pub use queued::{QueuedKernel, speedups};

/// Capacity of a buffer without bounds: whatever is counted in it, there is room.
const UNBOUNDED: u32 = u32::MAX;

/// The real network, packet by packet.
#[derive(Clone)]
pub struct PacketKernel {
    pub board: Switchboard<Channel>,
    /// Tokens an input buffer holds.
    pub capacity: u32,
    /// Where channels share wires.
    wires: Option<Wires>,
    allocator: Allocator,
    /// Places that every packet takes in a buffer, where they are counted in packets; else 0.
    pub slot: u32,
}

impl PacketKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| {
            Channel::idle(port, rest)
        });
        let otherwise = wiring.routing.properties().otherwise;
        let longest = wiring.link.packet_flits(machine.interface.packet_bytes);
        Self {
            board,
            capacity: machine.switch.input_buffer_flits.unwrap_or(UNBOUNDED),
            wires: wiring.layout.has_shared_wires().then(|| Wires::new(&wiring.layout)),
            allocator: Allocator::default(),
            slot: if otherwise == Otherwise::Wait { 0 } else { longest },
        }
    }

    /// How things stand at every channel. A packet on its way through finishes: what is
    /// left of it in a buffer holds up nobody for ever.
    fn standings(&self, now: Time) -> Vec<Standing> {
        let standing = |channel: &Channel| {
            let leaving = if channel.leaving_at > now { channel.leaving } else { 0 };
            Standing {
                owner: PacketId::NONE,
                unsent: 0,
                room: match self.capacity {
                    UNBOUNDED => u64::MAX,
                    capacity => u64::from(capacity - (channel.occupied_at(now) - leaving)),
                },
                shut: false,
                output: ChannelId::NONE,
                front: channel.port.buffer.first,
            }
        };
        self.board.channels.iter().map(standing).collect()
    }

    /// Flits of the packets that wait for a group since before this instant: who has been granted it, but
    /// lacks room, and those that ask.
    fn waiting_flits(&self, lead: ChannelId, act: &Act) -> u32 {
        let granted = self.board.at(lead).granted;
        let is_kept = granted.is_some() && !self.board.has_asked_now(granted, act.now);
        let kept = if is_kept {
            weighing::flits_of(self.board.at(granted).port.buffer.first, act)
        } else {
            0
        };
        kept + self.board.waiting_flits(lead, act)
    }

    /// Whether nobody asks at a group and a channel of it is free.
    #[inline]
    fn is_idle(&self, lead: ChannelId, now: Time) -> bool {
        let output = self.board.at(lead);
        !output.granted.is_some()
            && !output.port.first_waiting.is_some()
            && !output.port.is_closed()
            && self.idle_from(lead, now) <= now
    }

    /// When the first channel of a group will be free, or some instant up to now.
    #[inline]
    fn idle_from(&self, lead: ChannelId, now: Time) -> Time {
        let output = self.board.at(lead);
        if output.port.width == 1 || output.free_at <= now {
            return output.free_at;
        }
        let group = lead.index()..lead.index() + usize::from(output.port.width);
        let free_at = group.map(|number| self.board.channels[number].free_at);
        free_at.min().unwrap_or(NEVER)
    }

    /// Places that a packet takes in a buffer: its tokens, or as many as the longest has.
    #[inline]
    pub fn places_of(&self, id: PacketId, act: &Act) -> u32 {
        if self.slot > 0 { self.slot } else { act.wiring.link.packet_flits(act.packets[id].bytes) }
    }

    /// A node sends what it can, the packet at hand first.
    pub fn serve_source(&mut self, lead: ChannelId, act: &mut Act) {
        let node = act.wiring.layout.group(lead).from;
        while !self.board.is_closed(lead)
            && let Some((queue, id)) = self.board.at_hand(node)
        {
            if let Some(until) = act.in_vain_until(id) {
                return self.board.post_retry(lead, until, act.events);
            }
            let tokens = self.places_of(id, act);
            let Some(channel) = self.find_channel(lead, tokens, act) else {
                if act.is_observed() {
                    self.observe_room(lead, id, ChannelId::NONE, act);
                }
                return;
            };
            if let Some(at) = act.fails_under(channel, id) {
                return self.is_cut_off(channel, at, lead, act);
            }
            self.board.take_at_hand(node, queue, act);
            act.packets[id].first_sent = act.now;
            let end = self.start(channel, id, tokens, act);
            self.board.leaves(channel, id, end, act);
        }
    }

    /// A switch output grants and starts what it can.
    #[inline]
    fn serve_output(&mut self, lead: ChannelId, act: &mut Act) {
        loop {
            if !self.grant(lead, act) {
                return;
            }
            let input = self.board.at(lead).granted;
            let id = self.board.at(input).port.buffer.first;
            if let Some(until) = act.in_vain_until(id) {
                return self.board.post_retry(lead, until, act.events);
            }
            let tokens = act.wiring.link.packet_flits(act.packets[id].bytes);
            let Some(channel) = self.find_channel(lead, tokens, act) else {
                if act.is_observed() {
                    self.observe_room(lead, id, lead, act);
                }
                return;
            };
            if let Some(at) = act.fails_under(channel, id) {
                return self.is_cut_off(channel, at, lead, act);
            }
            self.board.at_mut(input).port.buffer.pop(act.packets);
            let output = self.board.at_mut(lead);
            output.granted = ChannelId::NONE;
            if output.keeps() {
                output.set_keeps(false);
                let since = output.kept_from;
                act.measures.kept(output.kept, output.port.kind, act.now - since);
                act.observe(Observation::Kept { packet: id, since });
            }
            let end = self.start(channel, id, tokens, act);
            self.leave(input, tokens, end, act);
        }
    }

    /// A packet is sent on a channel until an instant, in vain: it will be sent again.
    #[cold]
    fn is_cut_off(&mut self, channel: ChannelId, at: Time, lead: ChannelId, act: &mut Act) {
        let of = self.board.at_mut(channel);
        of.busy += at - act.now;
        of.free_at = at;
        act.measures.transmits(of.port.kind, act.now, at);
        if let Some(wires) = &mut self.wires {
            wires.sends(channel, at);
        }
        self.board.post_retry(lead, at, act.events);
    }

    /// A packet might start on an idle channel of a group, had that room; `keeps`: that group, if it has
    /// been granted that, else none.
    #[cold]
    #[inline(never)]
    fn observe_room(&self, lead: ChannelId, packet: PacketId, keeps: ChannelId, act: &mut Act) {
        if act.notes_room(packet, keeps) {
            self.tell_room(lead, packet, keeps, act);
        }
    }

    #[inline(never)]
    fn tell_room(&self, lead: ChannelId, packet: PacketId, keeps: ChannelId, act: &mut Act) {
        let mut group = lead.0..lead.0 + u32::from(self.board.at(lead).port.width);
        let full = group.find(|&channel| self.wire_free_at(ChannelId(channel)) <= act.now);
        let keeper = |lead: &Channel| if lead.keeps() { lead.granted } else { ChannelId::NONE };
        if let Some(channel) = full.map(ChannelId) {
            self.board.tell_room(packet, channel, (keeps, keeper), act);
        }
    }

    /// Makes sure that a request is granted, if there is one and a channel is idle.
    #[inline]
    fn grant(&mut self, lead: ChannelId, act: &mut Act) -> bool {
        let output = self.board.at(lead);
        if output.granted.is_some() {
            return true;
        }
        if !output.port.first_waiting.is_some() || output.port.is_closed() {
            return false;
        }
        let idle_from = self.idle_from(lead, act.now);
        if idle_from > act.now {
            self.board.post_retry(lead, idle_from, act.events);
            return false;
        }
        self.board.at_mut(lead).granted = self.board.take_best(lead, act);
        true
    }

    /// The lowest-numbered idle channel of a group whose buffer has room for a
    /// packet. If there is none, sees to it that the group looks again in time.
    #[inline]
    fn find_channel(&mut self, lead: ChannelId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        if let Some(until) = act.down_until(lead) {
            self.board.post_retry(lead, until, act.events);
            return None;
        }
        let first = self.board.at(lead);
        if first.free_at <= act.now && first.has_room(tokens, self.capacity, act.now) {
            return Some(lead);
        }
        self.find_other(lead, tokens, act)
    }

    /// The rest of [`Self::find_channel`], when it is not the first channel.
    #[inline(never)]
    fn find_other(&mut self, lead: ChannelId, tokens: u32, act: &mut Act) -> Option<ChannelId> {
        let width = u32::from(self.board.at(lead).port.width);
        let mut again = NEVER;
        let mut kept = ChannelId::NONE;
        for candidate in (lead.0..lead.0 + width).map(ChannelId) {
            let channel = self.board.at_mut(candidate);
            if channel.free_at > act.now {
                again = again.min(channel.free_at);
                continue;
            }
            if channel.has_room(tokens, self.capacity, act.now) {
                return Some(candidate);
            }
            if channel.leaving_at > act.now {
                again = again.min(channel.leaving_at);
            } else {
                channel.wait_for_room();
            }
            if !kept.is_some() {
                kept = candidate;
            }
        }
        let output = self.board.at_mut(lead);
        if output.granted.is_some() && !output.keeps() && kept.is_some() {
            output.set_keeps(true);
            output.kept = kept;
            output.kept_from = act.now;
        }
        if again != NEVER {
            self.board.post_retry(lead, again, act.events);
        }
        None
    }

    /// A packet that has left a buffer (none: its node's queue) starts on a channel; when it
    /// will have left the sending side.
    // Inlined into both its callers: 3 % fewer instructions in all.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn start(&mut self, id: ChannelId, packet_id: PacketId, tokens: u32, act: &mut Act) -> Time {
        let channel = self.board.at_mut(id);
        let (end, ready) = sets_off(id, packet_id, &channel.port, act);
        let (now, packet) = (act.now, &act.packets[packet_id]);
        channel.packets += 1;
        channel.busy += end - now;
        channel.free_at = end;
        if channel.port.switch.is_some() {
            channel.occupied = channel.occupied.wrapping_add(tokens);
            if !channel.port.buffer.first.is_some() {
                channel.port.front_output = act.wiring.asks_at(channel.port.switch, packet);
                act.events.post(ready.max(channel.leaving_at), Event::Request(id.into()));
            } else if self.slot > 0 {
                // The one in front of it may have to go now.
                let allocator = channel.port.front_output;
                self.board.mark(allocator);
            }
        } else {
            comes_to_node(&mut self.board, id, packet_id, end, act);
        }
        self.board.at_mut(id).port.buffer.push(packet_id, act.packets);
        end
    }

    /// The front packet of a buffer departs; its last token leaves at `end`.
    // As above.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub fn leave(&mut self, id: ChannelId, tokens: u32, end: Time, act: &mut Act) {
        let channel = self.board.at_mut(id);
        channel.occupied = channel.occupied_at(act.now);
        channel.leaving = tokens;
        channel.leaving_at = end;
        if channel.port.buffer.first.is_some() {
            let front = &act.packets[channel.port.buffer.first];
            channel.port.front_output = act.wiring.asks_at(channel.port.switch, front);
            act.events.post(front.ready.max(end), Event::Request(id.into()));
        }
        if channel.take_waits_for_room() {
            let lead = channel.rest.lead;
            self.board.post_retry(lead, end, act.events);
        }
    }
}

has_board!(PacketKernel, Channel in board);

impl Switched for PacketKernel {}

impl Kernel for PacketKernel {
    #[inline]
    fn prefetch(
        &self,
        events: impl Iterator<Item = Event> + Clone,
        packets: &PacketPool,
        _: &Wiring,
    ) {
        self.board.prefetch(events, packets);
    }

    #[inline]
    fn at_node(&self, event: Event, wiring: &Wiring) -> PacketId {
        self.board.at_node(event, wiring)
    }

    /// It waits for its output, at least until the end of this instant, unless that is idle.
    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        let channel = of.channel();
        if act.wiring.routing.weighs() {
            let port = self.board.at(channel).port;
            let held = |of: &mut &Self, channel: ChannelId, act: &mut Act| {
                of.board.at(channel).occupied_at(act.now)
            };
            let waiting = |of: &&Self, lead: ChannelId, act: &Act| of.waiting_flits(lead, act);
            let front = (port.switch, port.buffer.first);
            weighing::decide(&mut &*self, front, act, held, waiting);
            self.board.redirect(channel, act);
        }
        let lead = self.board.at(channel).port.front_output;
        if self.board.arbiter.takes_first() && self.is_idle(lead, act.now) {
            // Requests of one instant come in order of channel number: this is the best.
            self.board.at_mut(lead).granted = channel;
            return self.board.mark(lead);
        }
        self.board.mark(lead);
        if act.is_observed() {
            self.board.observe_request(channel, act);
        }
        if self.board.has_reply_places() && self.board.lacks_reply_place(channel, act.now, act) {
            return;
        }
        self.board.wait(channel, act.packets);
    }

    fn rerouted(&mut self, act: &mut Act) {
        self.goes_by_new_tables(act);
    }

    #[inline]
    fn arbitrate(&mut self, act: &mut Act) {
        if self.board.has_reply_places() {
            self.board.ask_with_places(act);
        }
        while let Some((lead, kind)) = self.board.next_marked() {
            match kind {
                ChannelKind::Injection | ChannelKind::Direct => self.serve_source(lead, act),
                ChannelKind::Internal | ChannelKind::Ejection => {
                    if self.board.choices.is_none() {
                        self.serve_output(lead, act);
                    } else {
                        self.serve_allocator(lead, act);
                    }
                }
            }
        }
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn share(&mut self) -> bool {
        self.board.share();
        true
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        self.wire_free_at(channel)
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead = move |(number, channel): (usize, &Channel)| {
            (number, channel.free_at.saturating_sub(now))
        };
        Some(self.board.channels.changed().map(ahead))
    }

    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let nodes = self.board.nodes_with_groups(wiring);
        deadlock::find_with_nodes(wiring, packets, (&self.standings(now), &nodes), Needs::Packet)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let receives = self.board.has_receivers();
        Traits { stretches: receives, receives, in_order: true, ..Traits::default() }
    }
}

/// A packet starts on a channel: what is told of that. When it will have left the sending side, and
/// when it may go on from a switch at the channel's end.
// Inlined into its callers, of which one is called with every hop.
#[allow(clippy::inline_always)]
#[inline(always)]
fn sets_off(id: ChannelId, packet_id: PacketId, port: &Port, act: &mut Act) -> (Time, Time) {
    if act.wiring.faults.is_some() {
        return sets_off_slowly(id, packet_id, port, act);
    }
    let link = act.wiring.timing(id);
    let (end, ready) = is_sent(id, packet_id, port, (link, 0), act);
    if !act.wiring.goes_on_behind_header() && port.switch.is_some() {
        return (end, goes_on_at(id, packet_id, port.switch, act));
    }
    (end, ready)
}

/// The same where the link may be slower for a time.
#[cold]
#[inline(never)]
fn sets_off_slowly(id: ChannelId, packet_id: PacketId, port: &Port, act: &mut Act) -> (Time, Time) {
    let (link, usual) = (act.timing(id), *act.wiring.timing(id));
    let turned_from = act.wiring.turned_from(id, act.packets[packet_id].header());
    let before = act.packets.waited_before(packet_id);
    let (end, mut ready) = is_sent(id, packet_id, port, (&link, before), act);
    if port.switch.is_some() {
        if !act.wiring.goes_on_behind_header() {
            ready = goes_on_at(id, packet_id, port.switch, act);
        }
        if link != usual {
            let packet = &act.packets[packet_id];
            ready = act.now + act.wiring.onward_from_slow_ps(&link, port.switch, packet);
            act.packets[packet_id].ready = ready;
        }
    }
    let slow = turned_from.or((link != usual).then_some(id));
    if let (Some(late), Some(slow)) = (&mut act.measures.late, slow) {
        late.is_slow(packet_id, slow);
    }
    (end, ready)
}

/// A packet is sent on a channel, in these times, and had waited so long before it asked for it: when it will
/// have left the sending side, and when its header may go on.
#[allow(clippy::inline_always)]
#[inline(always)]
fn is_sent(
    id: ChannelId,
    packet_id: PacketId,
    port: &Port,
    (link, before): (&Timing, Time),
    act: &mut Act,
) -> (Time, Time) {
    let now = act.now;
    let packet = &act.packets[packet_id];
    let end = now + link.packet_ps(packet.bytes);
    let ready = packet.ready;
    act.observe(Observation::Sent {
        packet: packet_id,
        channel: id,
        ready,
        start: now,
        until: end,
    });
    let packet = &mut act.packets[packet_id];
    let first_internal = port.kind == ChannelKind::Internal && packet.first_internal == NEVER;
    let wait =
        Wait { time: now - ready + before, is_throttling: first_internal || packet.hops == 0 };
    act.measures.starts(id, port.kind, (now, end), wait);
    if first_internal {
        packet.first_internal = now;
    }
    let ready = now + link.hop_ps;
    packet.ready = ready;
    act.packets.crosses(packet_id, id, act.wiring);
    (end, ready)
}

/// A packet that starts on a channel to its node, and has left the sending side at `end`, will be there.
#[inline]
fn comes_to_node<C: HasPort>(
    board: &mut Switchboard<C>,
    id: ChannelId,
    packet: PacketId,
    end: Time,
    act: &mut Act,
) {
    let link = act.timing(id);
    board.post_header(id, packet, act.now + link.header_ps + link.wire_ps, act);
    if board.watches_ends() {
        board.comes_home(id, packet, act);
    }
    board.post_tail(id, packet, end + link.wire_ps, act);
}

/// When a packet that starts on a channel now may go on from the switch at its end, where that
/// is not when its header is there.
#[inline(never)]
fn goes_on_at(channel: ChannelId, id: PacketId, switch: SwitchId, act: &mut Act) -> Time {
    let timing = act.wiring.timing(channel);
    let after = act.wiring.onward_to_any_ps(timing, switch, &act.packets[id]);
    act.packets[id].ready = act.now + after;
    act.packets.goes_on_after(id, after, act.wiring);
    act.now + after
}
