//! The network: channels, buffers, arbitration, packets in flight.
//!
//! The node hands packets over with [`Fabric::queue`]; the fabric posts `HEAD`
//! and `TAIL` events when they arrive. What lies between depends on fidelity
//! and contention mode, one file each. The fabric knows packets, never what
//! their messages mean.

mod check;
mod contention_free;
mod flit;
mod layout;
mod packet;
mod policy;
mod stream;
mod switchboard;
mod timing;
mod transit;
mod worm;

pub use layout::{End, Group, Layout};
pub use timing::Timing;
pub use transit::{Packet, PacketPool};

use crate::error::SpecError;
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::measure::{Class, Measures, PacketRow, Undisturbed, Use};
use crate::routing::Routing;
use crate::spec::{Fidelity, Machine, Mode};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use contention_free::ContentionFree;
use flit::FlitFabric;
use packet::PacketFabric;
use stream::StreamFabric;
use switchboard::Act;
use timing::Running;
use worm::WormFabric;

/// The network of one run.
pub struct Fabric {
    wiring: Wiring,
    packets: PacketPool,
    model: Model,
}

/// What every model of the network needs to know.
pub struct Wiring {
    layout: Layout,
    routing: Routing,
    /// The times of a channel at the link's own rate.
    link: Timing,
    /// The times of all rates, see [`Timing::all`].
    timings: Vec<Timing>,
    /// Whether packets end with a token of their own.
    has_end_token: bool,
    /// Whether nodes acknowledge data packets.
    acknowledges: bool,
    /// Whether an undisturbed packet passes every channel in the same time.
    is_even: bool,
}

impl Wiring {
    fn new(machine: &Machine, topology: &Topology, fidelity: Fidelity) -> Result<Self, SpecError> {
        let given = machine.rates.dimension_bit_ps.len();
        if given > 0 && given != topology.dims.len() {
            let needed = format!("must be one for each of {} dimensions", topology.dims.len());
            return Err(SpecError::new("machine.rates.dimension_bit_ps", given, needed));
        }
        let (link, timings) = (Timing::new(&machine.link), Timing::all(machine));
        Ok(Self {
            layout: Layout::new(machine, topology)?,
            routing: Routing::new(&machine.routing, topology)?,
            link,
            has_end_token: machine.link.end_token,
            acknowledges: machine.node.acknowledges,
            is_even: !fidelity.knows_flits()
                || timings.iter().all(|timing| *timing == link) && link.last_ps <= link.flit_ps,
            timings,
        })
    }

    /// The lead of the group by which a packet for `destination` leaves a switch.
    #[inline]
    fn output_lead(&self, switch: SwitchId, destination: NodeId) -> ChannelId {
        self.layout.output_lead(&self.routing, switch, destination)
    }

    /// Whether the arrival of a packet's header is reported before that of all of it:
    /// only if it is to be acknowledged, and not if the header is all there is.
    #[inline]
    fn reports_header(&self, packet: &Packet) -> bool {
        self.acknowledges && packet.class == Class::Data && (packet.bytes > 0 || self.has_end_token)
    }

    /// Whether all channels have the same rate.
    fn is_uniform(&self) -> bool {
        self.timings.iter().all(|timing| *timing == self.link)
    }

    /// The times of a channel.
    fn timing(&self, channel: ChannelId) -> &Timing {
        &self.timings[usize::from(self.layout.group(channel).rate)]
    }

    /// When a packet that starts on a channel now and is not stopped will have been
    /// sent; `running` follows it from its first channel.
    #[inline]
    fn undisturbed(
        &self,
        packet: &Packet,
        start: Time,
        timing: &Timing,
        running: &mut Running,
    ) -> Time {
        if self.is_even {
            start + timing.packet_ps(packet.bytes)
        } else {
            running.cross(start, timing, timing.packet_tokens(packet.bytes))
        }
    }

    /// How a delivered packet would have fared without contention.
    #[inline]
    fn zero_load(&self, packet: &Packet) -> ZeroLoad {
        if !self.is_even {
            return self.zero_load_along(packet);
        }
        let hop = self.link.hop_ps;
        ZeroLoad {
            lifetime: self.link.zero_load_lifetime(packet.hops, packet.bytes),
            first_hop: hop,
            last_hop: hop,
            last_start: hop * u64::from(packet.hops - 1),
        }
    }

    fn zero_load_along(&self, packet: &Packet) -> ZeroLoad {
        let mut running = Running::default();
        let mut lead = self.layout.injection_lead(packet.source);
        let first_hop = self.timing(lead).hop_ps;
        let mut start = 0;
        loop {
            let timing = self.timing(lead);
            let end = self.undisturbed(packet, start, timing, &mut running);
            match self.layout.group(lead).end {
                End::Node(_) => {
                    return ZeroLoad {
                        lifetime: end + timing.wire_ps,
                        first_hop,
                        last_hop: timing.hop_ps,
                        last_start: start,
                    };
                }
                End::Switch(switch) => lead = self.output_lead(switch, packet.destination),
            }
            start += timing.hop_ps;
        }
    }
}

/// A packet's way without contention, from its start on the first channel.
struct ZeroLoad {
    /// Until it has been delivered.
    lifetime: Time,
    /// Until it can start on the second channel.
    first_hop: Time,
    /// Until it starts on the last channel.
    last_start: Time,
    /// From there to where it could start on another.
    last_hop: Time,
}

/// How packets move.
enum Model {
    /// Mode `full`, fidelity `packet`.
    Packet(PacketFabric),
    /// Mode `full`, fidelities `flit` and `token`.
    Flit(FlitFabric),
    /// Mode `full`, fidelity `worm`.
    Worm(WormFabric),
    /// Mode `full`, fidelity `stream`.
    Stream(StreamFabric),
    /// Modes `throttled` and `free`. Mode `ideal` has no packets at all.
    ContentionFree(ContentionFree),
}

impl Model {
    /// Whether a packet can be drawn out: stopped between its header and its end.
    fn draws_out(&self) -> bool {
        matches!(self, Self::Flit(_) | Self::Worm(_) | Self::Stream(_))
    }
}

impl Fabric {
    /// The network of a machine in one contention mode.
    ///
    /// # Errors
    /// Links or buffers that cannot carry a packet.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        mode: Mode,
        fidelity: Fidelity,
        seed: u64,
    ) -> Result<Self, SpecError> {
        check::machine(machine, fidelity)?;
        let wiring = Wiring::new(machine, topology, fidelity)?;
        let layout = &wiring.layout;
        let model = match (mode, fidelity) {
            (Mode::Full, Fidelity::Packet) => {
                Model::Packet(PacketFabric::new(machine, topology, layout, seed))
            }
            (Mode::Full, Fidelity::Flit | Fidelity::Token) => {
                Model::Flit(FlitFabric::new(machine, topology, &wiring, fidelity, seed))
            }
            (Mode::Full, Fidelity::Worm) => {
                Model::Worm(WormFabric::new(machine, topology, &wiring, seed)?)
            }
            (Mode::Full, Fidelity::Stream) => {
                Model::Stream(StreamFabric::new(machine, topology, &wiring, seed))
            }
            (Mode::Throttled, _) => Model::ContentionFree(ContentionFree::throttled(layout)),
            (Mode::Free | Mode::Ideal, _) => Model::ContentionFree(ContentionFree::free(layout)),
        };
        Ok(Self { wiring, packets: PacketPool::default(), model })
    }

    /// The numbering of channels.
    pub fn layout(&self) -> &Layout {
        &self.wiring.layout
    }

    /// A node puts a packet into its output queue.
    #[inline]
    pub fn queue(
        &mut self,
        packet: Packet,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        measures.counters.class_mut(packet.class).queued += 1;
        let id = self.packets.insert(|serial| Packet { serial, ..packet });
        match &mut self.model {
            Model::Packet(fabric) => {
                fabric.board.queue(id, &self.wiring, &mut self.packets, now, measures);
            }
            Model::Flit(fabric) => {
                fabric.board.queue(id, &self.wiring, &mut self.packets, now, measures);
            }
            Model::Worm(fabric) => {
                fabric.board.queue(id, &self.wiring, &mut self.packets, now, measures);
            }
            Model::Stream(fabric) => {
                fabric.board.queue(id, &self.wiring, &mut self.packets, now, measures);
            }
            Model::ContentionFree(fabric) => {
                fabric.send(id, &self.wiring, &mut self.packets, now, events, measures);
            }
        }
    }

    /// The packet at the front of a channel's buffer asks for its output.
    #[inline]
    pub fn request(
        &mut self,
        channel: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Packet(fabric) => fabric.request(ChannelId(channel), now),
            Model::Worm(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.request(ChannelId(channel), act);
            }
            Model::Stream(fabric) => fabric.request(ChannelId(channel)),
            _ => {}
        }
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(
        &mut self,
        lead: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Packet(fabric) => fabric.board.retry(ChannelId(lead), now),
            Model::Worm(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.retry(ChannelId(lead), act);
            }
            Model::Stream(fabric) => fabric.board.retry(ChannelId(lead), now),
            _ => {}
        }
    }

    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    pub fn touch(&self, events: impl Iterator<Item = (Kind, u32)> + Clone) {
        match &self.model {
            Model::Packet(fabric) => fabric.board.touch(events, &self.packets),
            Model::Worm(fabric) => fabric.board.touch(events, &self.packets),
            _ => {}
        }
    }

    /// Every output and node with something to send chooses; after all events of an instant.
    #[inline]
    pub fn arbitrate(&mut self, now: Time, events: &mut EventQueue, measures: &mut Measures) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Packet(fabric) if fabric.board.is_settled() => {}
            Model::Worm(fabric) if fabric.board.is_settled() => {}
            Model::Packet(fabric) => {
                fabric.arbitrate(&mut Act { now, wiring, packets, events, measures });
            }
            Model::Flit(fabric) => {
                fabric.arbitrate(&mut Act { now, wiring, packets, events, measures });
            }
            Model::Worm(fabric) => {
                fabric.arbitrate(&mut Act { now, wiring, packets, events, measures });
            }
            Model::Stream(fabric) => {
                fabric.arbitrate(&mut Act { now, wiring, packets, events, measures });
            }
            Model::ContentionFree(_) => {}
        }
    }

    /// When something next happens that is not in the list of events, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.model {
            Model::Flit(fabric) => fabric.next_time(),
            _ => NEVER,
        }
    }

    /// Lets that happen; how many events it was.
    #[inline]
    pub fn happen(&mut self, now: Time) -> u64 {
        match &mut self.model {
            Model::Flit(fabric) => fabric.happen(now),
            _ => 0,
        }
    }

    /// The packet a `HEAD` event is about.
    #[inline]
    pub fn arrived_head(&mut self, number: u32) -> &Packet {
        let id = match &mut self.model {
            Model::Packet(fabric) => {
                fabric.board.take_head(ChannelId(number), &self.wiring, &self.packets)
            }
            Model::Flit(fabric) => {
                fabric.board.take_head(ChannelId(number), &self.wiring, &self.packets)
            }
            Model::Worm(fabric) => {
                fabric.board.take_head(ChannelId(number), &self.wiring, &self.packets)
            }
            Model::Stream(fabric) => {
                fabric.board.take_head(ChannelId(number), &self.wiring, &self.packets)
            }
            Model::ContentionFree(_) => PacketId(number),
        };
        &self.packets[id]
    }

    /// Takes the packet a `TAIL` event is about out of the network.
    #[inline]
    pub fn take_delivered(
        &mut self,
        number: u32,
        now: Time,
        message: impl Fn(&Packet) -> u64,
        measures: &mut Measures,
    ) -> Packet {
        let id = match &mut self.model {
            Model::Packet(fabric) => fabric.board.take_tail(ChannelId(number), &self.packets),
            Model::Flit(fabric) => fabric.board.take_tail(ChannelId(number), &self.packets),
            Model::Worm(fabric) => fabric.board.take_tail(ChannelId(number), &self.packets),
            Model::Stream(fabric) => fabric.board.take_tail(ChannelId(number), &self.packets),
            Model::ContentionFree(_) => PacketId(number),
        };
        let packet = self.packets.remove(id);
        let row = PacketRow {
            class: packet.class,
            message: message(&packet),
            source: packet.source.0,
            destination: packet.destination.0,
            bytes: packet.bytes,
            hops: packet.hops,
            queued: packet.queued,
            first_sent: packet.first_sent,
            first_internal: packet.first_internal,
            delivered: now,
        };
        let zero_load = self.wiring.zero_load(&packet);
        let (mut drawn_out, mut caught_up) = (0, 0);
        if self.model.draws_out() {
            // Its first flit started on this channel a hop before it was last ready.
            let took = now - (packet.ready - zero_load.last_hop);
            let takes = zero_load.lifetime - zero_load.last_start;
            (drawn_out, caught_up) = (took.saturating_sub(takes), takes.saturating_sub(took));
        }
        let (lifetime, first_hop) = (zero_load.lifetime, zero_load.first_hop);
        measures.packet_delivered(&row, Undisturbed { lifetime, first_hop, caught_up });
        measures.drawn_out(ChannelId(number), drawn_out);
        packet
    }

    /// Serial number of the packet a `HEAD` or `TAIL` event with this number is
    /// about, where such events are ordered by it; else the number itself.
    pub fn order_of(&self, number: u32) -> u64 {
        match &self.model {
            Model::ContentionFree(_) => self.packets[PacketId(number)].serial,
            _ => u64::from(number),
        }
    }

    /// Whether `HEAD` and `TAIL` events of one instant must be put in order of
    /// [`Self::order_of`], because their numbers are not in that order.
    pub fn orders_by_serial(&self) -> bool {
        matches!(self.model, Model::ContentionFree(_))
    }

    /// Data packets waiting in a node's output queue.
    #[inline]
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        match &self.model {
            Model::Packet(fabric) => fabric.board.waiting_data(node),
            Model::Flit(fabric) => fabric.board.waiting_data(node),
            Model::Worm(fabric) => fabric.board.waiting_data(node),
            Model::Stream(fabric) => fabric.board.waiting_data(node),
            Model::ContentionFree(_) => 0,
        }
    }

    /// Packets in flight or queued.
    pub fn packets(&self) -> &PacketPool {
        &self.packets
    }

    /// What every channel has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Vec<Use> {
        match &self.model {
            Model::Packet(fabric) => fabric.used(now),
            Model::Flit(fabric) => fabric.used(now),
            Model::Worm(fabric) => fabric.used(now),
            Model::Stream(fabric) => fabric.used(now),
            Model::ContentionFree(fabric) => fabric.used().to_vec(),
        }
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        match &mut self.model {
            Model::Packet(fabric) => fabric.begin_window(now),
            Model::Flit(fabric) => fabric.begin_window(now),
            Model::Worm(fabric) => fabric.begin_window(now),
            Model::Stream(fabric) => fabric.begin_window(now),
            Model::ContentionFree(fabric) => fabric.begin_window(),
        }
    }

    /// Transmission time already counted that lies after `now`, on injection,
    /// internal and ejection channels; unknown in the modes without contention.
    pub fn overhang_by_kind(&self, now: Time) -> Option<[Time; 3]> {
        let sums = |overhang: &mut dyn Iterator<Item = Time>| {
            let mut sums = [0; 3];
            for (channel, ahead) in overhang.enumerate() {
                let kind = self.wiring.layout.group(ChannelId::from_index(channel)).kind;
                sums[kind.in_sums()] += ahead;
            }
            Some(sums)
        };
        match &self.model {
            Model::Packet(fabric) => sums(&mut fabric.overhang(now)),
            Model::Flit(fabric) => sums(&mut fabric.overhang(now)),
            Model::Worm(fabric) => sums(&mut fabric.overhang(now)),
            Model::Stream(fabric) => sums(&mut fabric.overhang(now)),
            Model::ContentionFree(_) => None,
        }
    }
}
