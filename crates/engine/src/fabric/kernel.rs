//! How packets move: what the fabric, nodes and the run ask of a kernel, whichever it is.
//!
//! A kernel is what simulates the channels of a machine at one fidelity. It implements [`Kernel`], and
//! the queues before its channels are those of a [`Switchboard`] ([`Switched`]), or its own ([`Queues`]).

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Asker, Gate, HasBoard};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Use;
use crate::time::{NEVER, Time};

/// Whether an account is kept of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accounts {
    /// Nobody wants to know.
    None,
    /// Who has turns on channels.
    OfTurns,
    /// Of these, and of what packets wait for, by cause.
    OfWaits,
}

/// When nodes do what they do by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instants {
    /// At any time.
    Any,
    /// At multiples of the time of a flit.
    OfSlots,
}

/// How things stand at a group of channels between a node and its switch that several networks share,
/// in one of them ([`Kernel::gate_cycle`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct AtGate {
    /// Channels that cannot be granted.
    pub taken: u32,
    /// Channels whose packets can send a flit, and when the first of these packets could have started.
    pub ready: u32,
    pub since: Time,
    /// Flits that have been sent and for which there is no credit yet; how many there may be.
    pub flits: u32,
    pub room: u32,
    /// The first cycle in which another flit can start on a wire, if they may queue for it.
    pub free_from: u64,
}

impl AtGate {
    /// The same with another group of the gate.
    pub fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.since = match (self.ready, other.ready) {
            (_, 0) => self.since,
            (0, _) => other.since,
            _ => self.since.min(other.since),
        };
        self.ready += other.ready;
        self.flits += other.flits;
        self.room += other.room;
        self.free_from = self.free_from.max(other.free_from);
    }
}

/// What is said of a kernel, once and for all.
#[allow(clippy::struct_excessive_bools, reason = "each is independent of the others")]
#[derive(Clone, Copy, Default)]
pub struct Traits {
    /// Whether a packet's end can follow its start on the last channel sooner or later than
    /// it would alone: it is drawn out, stopped between its header and its end, or while its
    /// header waited, even in mode `throttled`, the rest has caught up.
    pub stretches: bool,
    /// Whether all the time for which a channel is busy with a packet is counted when it sets out.
    pub books: bool,
    /// Whether nodes have receive FIFOs.
    pub receives: bool,
    /// Whether nodes store packets on their way, and it is to be measured how much.
    pub stores: bool,
    /// Whether packets stand nowhere but in the buffers at the ends of channels, each first in, first
    /// out.
    pub in_order: bool,
    /// Whether it makes copies of packets with riders: where their ways part, it parts them
    /// ([`Act::part`]).
    pub replicates: bool,
    /// Whether packets stand nowhere in buffers at the ends of channels, first in, first out.
    pub has_no_buffers: bool,
    /// Whether a packet keeps every channel that it is granted until it has been delivered.
    pub holds_channels: bool,
    /// Whether packets in the buffers at the ends of channels wait for their outputs, whoever stands before
    /// them there.
    pub queues_by_output: bool,
    /// Whether it is on links of nodes only that packets wait for wires that channels share.
    pub node_wires: bool,
    /// Below which number channels stand for the lists of nodes that are one with their
    /// switches; 0: there are none.
    pub lists: u32,
}

/// The queues in which packets wait for channels, and what channels have carried.
pub trait Queues {
    /// A packet enters its node's output queue.
    fn queue(&mut self, id: PacketId, act: &mut Act);
    /// `RETRY`: somebody who had to wait looks again.
    fn retry(&mut self, of: Subject, act: &mut Act);
    /// Whether nothing has to choose at this instant.
    fn is_settled(&self) -> bool;
    /// The packet a `HEAD` event is about; none if all of it has been there before.
    fn take_head(
        &mut self,
        of: Subject,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId;
    /// The packet a `TAIL` event is about: it leaves the network.
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId;
    /// Data packets waiting in a node's output queue.
    fn waiting_data(&self, node: NodeId, now: Time) -> u32;
    /// What every channel has done in the current window, up to `now`.
    fn used(&self, now: Time) -> Vec<Use>;
    /// The same, added to `sums`.
    fn add_used(&self, now: Time, sums: &mut [Use]) {
        sums.iter_mut().zip(self.used(now)).for_each(|(sum, used)| sum.add(used));
    }
    /// A new measurement window begins.
    fn begin_window(&mut self, now: Time);
    /// Nodes have places for so many replies to requests; by traffic class the one that answers it.
    fn limit_replies(&mut self, _limit: u32, _answered_by: &[Option<u32>]) {}
    /// Where they have: a node has received all of a message.
    fn received(&mut self, _: MessageId, _: NodeId) {}
    /// Where it has gates ([`Kernel::has_gates`]): what a group grants from now on.
    fn set_gate(&mut self, _lead: ChannelId, _: Gate) {}
    /// Where nodes have receive FIFOs: how many packets have a place in that of one, how many places there
    /// are, and when those whose end is known will have been drained.
    fn standing_of_receiver(&self, _: NodeId) -> Option<(u32, u32, Time)> {
        None
    }
    /// The same: a node will have drained what others have sent it by then.
    fn drains_until(&mut self, _: NodeId, _: Time) {}
    /// Where it has gates: adds the packets that wait for a channel of a group; of those that are
    /// granted them in a fixed order the first will do.
    fn askers(&self, _lead: ChannelId, _: &Wiring, _: &PacketPool, _: &mut Vec<Asker>) {}
}

/// What channels do with packets.
///
/// What has a default is for few: a clock of its own, or what is only there for speed.
pub trait Kernel: Queues {
    /// Whether it may have a clock of its own: things happen that are not in the list of events.
    const HAS_CLOCK: bool = false;
    /// Whether events carry packet numbers, which are no order: those of one instant are put in
    /// order of the packets' serial numbers.
    const NUMBERS_PACKETS: bool = false;
    /// Where they do: whether those of `RETRY` carry channel numbers all the same.
    const RETRIES_ARE_OF_CHANNELS: bool = false;

    /// Where it takes memory while packets are queued: whether it has taken much since this was asked last.
    #[inline]
    fn has_grown(&mut self) -> bool {
        false
    }
    /// Other tables of routing are in force, before all else that happens at this instant.
    fn rerouted(&mut self, _: &mut Act) {}
    /// `REQUEST`: a packet asks for its output, or for what else it posted the event.
    fn request(&mut self, from: Subject, act: &mut Act);
    /// Every output and node with something to send chooses; after all events of an instant.
    fn arbitrate(&mut self, act: &mut Act);
    /// Transmission already counted that lies after `now`, with the number of the channel, if that is
    /// known; none for channels that are not told.
    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>>;
    /// The packets that wait for each other in a circle and will never move again; empty if
    /// every packet can move, or where that is not known.
    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked>;
    /// What others have to know of it.
    fn traits(&self, wiring: &Wiring) -> Traits;

    /// By channel: the one at which it is noted whom the engine of the switch at its end serves; empty
    /// where switches have none.
    fn engines(&self, _: &Wiring) -> Vec<ChannelId> {
        Vec::new()
    }
    /// The packet a `TAIL` event is about, with the channel by which it is delivered, if it may be
    /// drawn out on it.
    #[inline]
    fn take_delivered(&mut self, of: Subject, act: &mut Act) -> (PacketId, Option<ChannelId>) {
        let channel =
            if Self::NUMBERS_PACKETS { self.last_channel(of) } else { Some(of.channel()) };
        (self.take_tail(of, act), channel)
    }
    /// Where events carry packet numbers: the channel by which a packet is delivered, if it may
    /// be drawn out on it.
    fn last_channel(&self, _: Subject) -> Option<ChannelId> {
        None
    }
    /// With a clock of its own: when it next strikes, or [`NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        NEVER
    }
    /// With a clock of its own: handles what it strikes for; how many events it was.
    #[inline]
    fn step(&mut self, _: &mut Act) -> u64 {
        0
    }
    /// Where the last event was at `now`, none is left and packets stand still: since when nothing moves.
    fn at_rest(&self, now: Time) -> Time {
        now
    }
    /// Works out all that has happened, at the end of an instant.
    #[inline]
    fn catch_up(&mut self, _: &mut Act) {}
    /// Whether groups of channels between nodes and switches can be told when to grant.
    fn has_gates(&self) -> bool {
        false
    }
    /// Where it has: the cycle at whose beginning they are told, before packets move; 0: they are told
    /// whenever somebody waits and a channel is free, after all else has happened at an instant.
    fn gate_cycle(&self) -> Time {
        0
    }
    /// Where that is a cycle: how often something has happened that may change how things stand there.
    fn changes_at_gates(&self) -> u64 {
        0
    }
    /// The same: how things stand at a group.
    fn at_gate(&self, _lead: ChannelId, _: &Wiring) -> AtGate {
        AtGate::default()
    }
    /// The same: in this cycle flits cross a switch to a group, whose wires are free from a cycle on.
    fn lets_cross(&mut self, _lead: ChannelId, _free_from: u64, _: &Wiring) {}
    /// Where it has: until when a channel is taken, up to now if it is not, or [`NEVER`] if that is not
    /// known: it will have something to do at that instant then.
    fn taken_until(&self, _channel: ChannelId, _now: Time) -> Time {
        0
    }
    /// Copies have what they can in common from now on; whether they need memory for nothing but what
    /// differs.
    fn share(&mut self) -> bool {
        false
    }
    /// Does of a network at rest, in which packets have crossed channels (`crossed`, some several times),
    /// what makes it the same for packets to come as one at the start of a run (`like`); what channels
    /// have done is added to `past` and begins anew. False if it cannot.
    fn renew(&mut self, _like: &Self, _crossed: &[ChannelId], _: &mut [Use], _: &mut Act) -> bool {
        false
    }
    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    fn prefetch(&self, _: impl Iterator<Item = Event> + Clone, _: &PacketPool, _: &Wiring) {}
    /// The packet that one of these delivers to its node, or lets leave it, as far as that is known; else none.
    #[inline]
    fn at_node(&self, _: Event, _: &Wiring) -> PacketId {
        PacketId::NONE
    }
}

/// A kernel whose queues are those of a switchboard, but for what it does otherwise itself.
pub trait Switched: HasBoard + Kernel {
    /// A packet enters its node's output queue.
    #[inline]
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.board_mut().queue(id, act.wiring, act.packets, act.now, act.measures);
    }
    /// `RETRY`: a group that had to wait looks again.
    #[inline]
    fn retry(&mut self, of: Subject, act: &mut Act) {
        self.board_mut().retry(of.channel(), act.now);
    }
    /// Whether no group must choose at this instant.
    #[inline]
    fn is_settled(&self) -> bool {
        self.board().is_settled()
    }
    /// The packet whose header has reached the node at a channel's end.
    #[inline]
    fn take_head(
        &mut self,
        of: Subject,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId {
        self.board_mut().take_head(of.channel(), wiring, packets, now)
    }
    /// The packet all of which has reached the node at a channel's end.
    #[inline]
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        self.board_mut().take_tail(of.channel(), act)
    }
    /// Data packets waiting in a node's output queue.
    #[inline]
    fn waiting_data(&self, node: NodeId) -> u32 {
        self.board().waiting_data(node)
    }
    /// What a group grants from now on.
    fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.board_mut().set_gate(lead, gate);
    }
    /// Adds the packets that wait for a channel of a group.
    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        self.board().askers(lead, wiring, packets, askers);
    }
    /// Adds what every channel has done in the current window, up to `now`.
    fn add_used(&self, now: Time, sums: &mut [Use]) {
        self.board().add_used(self.overhang(now).into_iter().flatten(), sums);
    }
    /// A new measurement window begins.
    fn begin_window(&mut self, now: Time) {
        let overhang: Vec<(usize, Time)> = self.overhang(now).into_iter().flatten().collect();
        self.board_mut().begin_window(&overhang);
    }
}

impl<K: Switched> Queues for K {
    #[inline]
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        Switched::queue(self, id, act);
    }
    #[inline]
    fn retry(&mut self, of: Subject, act: &mut Act) {
        Switched::retry(self, of, act);
    }
    #[inline]
    fn is_settled(&self) -> bool {
        Switched::is_settled(self)
    }
    #[inline]
    fn take_head(
        &mut self,
        of: Subject,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId {
        Switched::take_head(self, of, now, wiring, packets)
    }
    #[inline]
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        Switched::take_tail(self, of, act)
    }
    #[inline]
    fn waiting_data(&self, node: NodeId, _: Time) -> u32 {
        Switched::waiting_data(self, node)
    }
    fn used(&self, now: Time) -> Vec<Use> {
        let mut used = vec![Use::default(); self.board().channels.len()];
        Switched::add_used(self, now, &mut used);
        used
    }
    fn add_used(&self, now: Time, sums: &mut [Use]) {
        Switched::add_used(self, now, sums);
    }
    fn begin_window(&mut self, now: Time) {
        Switched::begin_window(self, now);
    }
    fn limit_replies(&mut self, limit: u32, answered_by: &[Option<u32>]) {
        self.board_mut().limit_replies(limit, answered_by);
    }
    fn received(&mut self, message: MessageId, node: NodeId) {
        self.board_mut().received(message, node);
    }
    fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        Switched::set_gate(self, lead, gate);
    }
    fn standing_of_receiver(&self, node: NodeId) -> Option<(u32, u32, Time)> {
        self.board().standing_of_receiver(node)
    }
    fn drains_until(&mut self, node: NodeId, at: Time) {
        self.board_mut().drains_until(node, at);
    }
    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        Switched::askers(self, lead, wiring, packets, askers);
    }
}
