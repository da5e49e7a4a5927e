//! The network: channels, buffers, arbitration, packets in flight.
//!
//! The node hands packets over with [`Fabric::queue`]; the fabric posts `HEAD`
//! and `TAIL` events when they arrive. What lies between depends on fidelity
//! and contention mode, one file each. The fabric knows packets, never what
//! their messages mean.

mod contention_free;
mod layout;
mod packet;
mod policy;
mod timing;
mod transit;

pub use layout::{End, Group, Layout};
pub use timing::Timing;
pub use transit::{Packet, PacketPool};

use crate::error::SpecError;
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::measure::{Measures, PacketRow, Use};
use crate::routing::Routing;
use crate::spec::{Machine, Mode};
use crate::time::Time;
use crate::topology::Topology;
use contention_free::ContentionFree;
use packet::PacketFabric;

/// The network of one run.
pub struct Fabric {
    wiring: Wiring,
    packets: PacketPool,
    model: Model,
}

/// What every model of the network needs to know.
struct Wiring {
    layout: Layout,
    routing: Routing,
    link: Timing,
}

impl Wiring {
    /// The lead of the group by which a packet for `destination` leaves a switch.
    #[inline]
    fn output_lead(&self, switch: SwitchId, destination: NodeId) -> ChannelId {
        self.layout.output_lead(&self.routing, switch, destination)
    }
}

/// How packets move.
enum Model {
    /// Mode `full`, fidelity `packet`.
    Packet(PacketFabric),
    /// Modes `throttled` and `free`. Mode `ideal` has no packets at all.
    ContentionFree(ContentionFree),
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
        seed: u64,
    ) -> Result<Self, SpecError> {
        check_link(machine)?;
        let layout = Layout::new(machine, topology)?;
        let routing = Routing::new(&machine.routing, topology)?;
        let model = match mode {
            Mode::Full => Model::Packet(PacketFabric::new(machine, topology, &layout, seed)),
            Mode::Throttled => Model::ContentionFree(ContentionFree::throttled(&layout)),
            Mode::Free | Mode::Ideal => Model::ContentionFree(ContentionFree::free(&layout)),
        };
        let wiring = Wiring { layout, routing, link: Timing::new(&machine.link) };
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
                fabric.queue(id, &self.wiring, &mut self.packets, now, measures);
            }
            Model::ContentionFree(fabric) => {
                fabric.send(id, &self.wiring, &mut self.packets, now, events, measures);
            }
        }
    }

    /// The packet at the front of a channel's buffer asks for its output.
    #[inline]
    pub fn request(&mut self, channel: u32, now: Time) {
        if let Model::Packet(fabric) = &mut self.model {
            fabric.request(ChannelId(channel), now);
        }
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(&mut self, lead: u32, now: Time) {
        if let Model::Packet(fabric) = &mut self.model {
            fabric.retry(ChannelId(lead), now);
        }
    }

    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    pub fn touch(&self, events: impl Iterator<Item = (Kind, u32)> + Clone) {
        if let Model::Packet(fabric) = &self.model {
            fabric.touch(events, &self.packets);
        }
    }

    /// Every output and node with something to send chooses; after all events of an instant.
    #[inline]
    pub fn arbitrate(&mut self, now: Time, events: &mut EventQueue, measures: &mut Measures) {
        if let Model::Packet(fabric) = &mut self.model {
            fabric.arbitrate(&self.wiring, &mut self.packets, now, events, measures);
        }
    }

    /// The packet a `HEAD` event is about.
    #[inline]
    pub fn arrived_head(&mut self, number: u32) -> &Packet {
        let id = match &mut self.model {
            Model::Packet(fabric) => fabric.take_head(ChannelId(number), &self.packets),
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
            Model::Packet(fabric) => fabric.take_tail(ChannelId(number), &self.packets),
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
        let link = &self.wiring.link;
        let zero_load = link.zero_load_lifetime(packet.hops, packet.bytes);
        measures.packet_delivered(&row, zero_load, link.hop_ps);
        packet
    }

    /// Serial number of the packet a `HEAD` or `TAIL` event with this number is
    /// about, where such events are ordered by it; else the number itself.
    pub fn order_of(&self, number: u32) -> u64 {
        match &self.model {
            Model::Packet(_) => u64::from(number),
            Model::ContentionFree(_) => self.packets[PacketId(number)].serial,
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
            Model::Packet(fabric) => fabric.waiting_data(node),
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
            Model::ContentionFree(fabric) => fabric.used().to_vec(),
        }
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        match &mut self.model {
            Model::Packet(fabric) => fabric.begin_window(now),
            Model::ContentionFree(fabric) => fabric.begin_window(),
        }
    }

    /// Transmission time already counted that lies after `now`, on injection,
    /// internal and ejection channels; unknown in the modes without contention.
    pub fn overhang_by_kind(&self, now: Time) -> Option<[Time; 3]> {
        let Model::Packet(fabric) = &self.model else { return None };
        let mut sums = [0; 3];
        for (channel, ahead) in fabric.overhang(now).enumerate() {
            let kind = self.wiring.layout.group(ChannelId::from_index(channel)).kind;
            sums[kind.in_sums()] += ahead;
        }
        Some(sums)
    }
}

fn check_link(machine: &Machine) -> Result<(), SpecError> {
    let (link, node, switch) = (&machine.link, &machine.node, &machine.switch);
    /// Bound on times of single bits and delays, so that sums cannot overflow.
    const LONGEST_PS: u64 = 1_000_000_000_000;
    let ranges = [
        ("machine.link.bit_ps", link.bit_ps, 1, LONGEST_PS),
        ("machine.link.data_token_bits", link.data_token_bits.into(), 1, 1_000),
        ("machine.link.control_token_bits", link.control_token_bits.into(), 1, 1_000),
        ("machine.link.header_bytes", link.header_bytes.into(), 1, 1_000),
        ("machine.link.wire_delay_ps", link.wire_delay_ps, 0, LONGEST_PS),
        ("machine.link.switch_delay_ps", link.switch_delay_ps, 0, LONGEST_PS),
        ("machine.node.packet_bytes", node.packet_bytes.into(), 1, 1 << 24),
        (
            "machine.switch.input_buffer_tokens",
            switch.input_buffer_tokens.into(),
            u64::from(link.header_bytes) + u64::from(node.packet_bytes) + 1,
            1 << 30,
        ),
    ];
    for (field, value, low, high) in ranges {
        if !(low..=high).contains(&value) {
            return Err(SpecError::new(field, value, format!("must be {low} to {high}")));
        }
    }
    if node.time_slice_ps == Some(0) {
        return Err(SpecError::new("machine.node.time_slice_ps", 0, "must be above 0, or absent"));
    }
    Ok(())
}
