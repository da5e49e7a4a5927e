//! What is recorded of a packet that has been delivered.

use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::late::Fared;
use crate::measure::{Class, Measures, PacketRow, Undisturbed};
use crate::rare::rare;
use crate::time::Time;

/// A packet that leaves the network.
pub struct Delivery {
    /// The packet.
    pub id: PacketId,
    /// The channel to whose tally time belongs by which it was drawn out; none in the modes
    /// without contention, whose events are about packets.
    pub channel: Option<ChannelId>,
    /// When.
    pub at: Time,
    /// Whether its end can follow its start on the last channel sooner or later than undisturbed.
    pub is_stretched: bool,
}

impl Delivery {
    /// Takes the packet out of the pool and notes how it fared; `message` has the serial number
    /// of its message.
    #[inline]
    pub fn record(
        &self,
        message: impl Fn(&Packet) -> u64,
        wiring: &Wiring,
        packets: &mut PacketPool,
        measures: &mut Measures,
    ) -> Packet {
        let undisturbed = packets.undisturbed(self.id);
        let packet = packets.remove(self.id);
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
            delivered: self.at,
        };
        let zero_load = wiring.zero_load(&packet, &undisturbed);
        let (mut drawn_out, mut caught_up) = (0, 0);
        if self.is_stretched {
            // Its first flit started on this channel a hop before it was last ready.
            let took = self.at - (packet.ready - zero_load.last_hop);
            let takes = zero_load.lifetime - zero_load.last_start;
            (drawn_out, caught_up) = (took.saturating_sub(takes), takes.saturating_sub(took));
        }
        let (lifetime, first_hop) = (zero_load.lifetime, zero_load.first_hop);
        measures.packet_delivered(&row, Undisturbed { lifetime, first_hop, caught_up });
        if let Some(blame) = rare(&mut measures.blame) {
            let labels = measures.labels.as_deref();
            blame.delivered(self.id, &row, (packet.is_last(), lifetime), labels);
        }
        if let (Some(slices), Some(late)) = (rare(&mut measures.slices), &mut measures.late) {
            let beyond = (row.delivered - row.queued).saturating_sub(lifetime);
            let takes = |channel, at| wiring.timing_at(channel, at).packet_ps(packet.bytes);
            let labels = measures.labels.as_deref();
            let class_of = |label| labels.map_or(label, |labels| labels.class(label));
            late.books(slices, self.id, Fared { at: self.at, beyond }, takes, class_of);
        }
        if let Some(late) = rare(&mut measures.late) {
            late.delivered(self.id, packet.message, packet.class == Class::Ack, self.at);
        }
        if let Some(causes) = rare(&mut measures.causes) {
            let of = (packet.message, packet.class == Class::Data);
            let measured = (measures.late.as_deref_mut(), measures.labels.as_deref());
            causes.delivered(self.id, of, (&row, lifetime), measured);
        }
        match self.channel {
            Some(channel) => measures.drawn_out(channel, drawn_out),
            None => debug_assert_eq!(drawn_out, 0, "drawn out where no packet waits for another"),
        }
        packet
    }
}
