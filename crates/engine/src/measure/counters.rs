//! What is counted over the whole run.

use super::packet::{Class, PacketRow};
use super::software::Parts;
use crate::time::Time;

macro_rules! counters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: u64,)*
        }

        impl $name {
            /// Every counter with its name.
            fn own(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }
        }
    };
}

counters! {
    /// Counts and sums over the packets of one class.
    PacketCounters {
        /// Entered the node's output queue.
        queued,
        /// Started on their first channel.
        sent,
        /// Delivered.
        delivered,
        /// Delivered, having crossed an internal channel.
        routed,
        /// Sum of channels crossed, over delivered packets.
        hops,
        /// Sum of lifetimes.
        lifetime_ps,
        /// Sum of lifetimes from the first transmission.
        network_lifetime_ps,
        /// Sum of routed lifetimes.
        routed_lifetime_ps,
        /// Sum of waits before the first and before the first internal channel.
        wait_throttling_ps,
        /// Sum of later waits.
        wait_internal_ps,
        /// Sum of the waits of headers that the rest of the packet made up for; only
        /// where links have different rates.
        caught_up_ps,
    }
}

counters! {
    /// Counts and sums since time 0 over the messages of one traffic class.
    ClassCounters {
        /// Messages that sources tried to send, and replies; told by the workload.
        messages_offered,
        /// Messages dropped by a throttle; likewise.
        messages_failed,
        /// Messages between processes of one node.
        messages_local,
        /// Messages received.
        messages_delivered,
        /// Bytes of received messages.
        bytes_delivered,
        /// Sum of message latencies.
        message_latency_ps,
        /// Messages with a latency: those that were packets.
        message_latency_count,
        /// Sum of the times from sending requests until the replies to them had been received.
        round_trip_ps,
        /// Requests with such a time: those to other nodes.
        round_trip_count,
    }
}

impl ClassCounters {
    /// Every counter with its name, that of the class behind it.
    pub fn named<'a>(&self, class: &'a str) -> impl Iterator<Item = (String, u64)> + use<'a> {
        self.own().map(move |(name, value)| (format!("{name}[{class}]"), value))
    }
}

counters! {
    /// Counts and sums since time 0 that do not depend on a packet class.
    RunCounters {
        /// Channel crossings begun.
        packet_hops,
        /// Messages whose last packet has started.
        messages_sent,
        /// Messages received.
        messages_delivered,
        /// Messages acknowledged.
        messages_acknowledged,
        /// Messages dropped by a throttle; told by the workload.
        messages_failed,
        /// Messages between processes of one node (counted as sent, too).
        messages_local,
        /// Bytes of received messages.
        bytes_delivered,
        /// Iterations completed; told by the workload.
        iterations,
        /// Sum of message latencies.
        message_latency_ps,
        /// Messages with a latency: those that were packets.
        message_latency_count,
        /// Sum of the times from sending messages until their first data bytes were there; only
        /// where that is measured.
        message_begins_ps,
        /// Messages whose first data bytes were there; likewise.
        message_begins_count,
        /// Sum of what message latencies spent at both ends; like the next three, only where
        /// messages cost something in software.
        latency_overhead_ps,
        /// Sum of what they would have spent in the network had nobody been in the way.
        latency_wire_ps,
        /// Sum of what they waited for leave to send and for first channels.
        latency_throttling_ps,
        /// Sum of what they waited later.
        latency_contention_ps,
        /// Time processors computed.
        cpu_busy_ps,
        /// Time processors prepared messages; like the next, only where that costs something.
        cpu_sending_ps,
        /// Time processors took messages in.
        cpu_receiving_ps,
        /// Time processors did nothing; likewise.
        cpu_idle_ps,
        /// Time injection (and direct) channels transmitted.
        busy_injection_ps,
        /// Time internal channels transmitted.
        busy_internal_ps,
        /// Time ejection channels transmitted.
        busy_ejection_ps,
        /// Time internal channels were kept idle by a granted packet.
        held_internal_ps,
        /// Packets lost for want of room in a switch.
        packets_lost,
        /// Times that a switch has told its neighbours to pause.
        pauses,
    }
}

/// Parts of the life of a packet that was delivered.
#[derive(Clone, Copy, Debug)]
pub struct PacketTimes {
    /// From queued to delivered.
    pub lifetime: Time,
    /// From its first transmission.
    pub network: Time,
    /// From its first transmission on an internal channel, if there was one.
    pub routed: Option<Time>,
    /// What it waited before that.
    pub throttling: Time,
    /// What it waited later.
    pub internal: Time,
    /// How much of its header's waits the rest of it made up for.
    pub caught_up: Time,
}

/// Everything that is counted, cumulative since time 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    run: RunCounters,
    /// By packet class.
    pub packets: [PacketCounters; 2],
}

impl std::ops::Deref for Counters {
    type Target = RunCounters;

    fn deref(&self) -> &RunCounters {
        &self.run
    }
}

impl std::ops::DerefMut for Counters {
    fn deref_mut(&mut self) -> &mut RunCounters {
        &mut self.run
    }
}

impl Counters {
    /// A message was received.
    #[inline]
    pub fn message_delivered(&mut self, bytes: u64) {
        self.messages_delivered += 1;
        self.bytes_delivered += bytes;
    }

    /// A message that was packets took so long.
    #[inline]
    pub fn message_took(&mut self, latency: Time) {
        self.message_latency_ps += latency;
        self.message_latency_count += 1;
    }

    /// What a latency consists of, besides what it spent at its ends.
    #[inline]
    pub fn latency_consists(&mut self, latency: Time, parts: &Parts) {
        self.latency_overhead_ps += latency - parts.sum();
        self.latency_wire_ps += parts.wire;
        self.latency_throttling_ps += parts.throttling;
        self.latency_contention_ps += parts.contention;
    }

    /// The first data bytes of a message were there after so long.
    #[inline]
    pub fn message_began(&mut self, latency: Time) {
        self.message_begins_ps += latency;
        self.message_begins_count += 1;
    }

    /// A message was sent without packets; `local`: within one node.
    #[inline]
    pub fn message_sent_directly(&mut self, local: bool) {
        self.messages_sent += 1;
        self.messages_local += u64::from(local);
    }

    /// So many messages and bytes of them were sent and received, by no network.
    pub fn messages_passed(&mut self, (messages, bytes): (u64, u64)) {
        self.messages_sent += messages;
        self.messages_delivered += messages;
        self.bytes_delivered += bytes;
    }

    /// A packet has started on its first channel; `ends`: with it a message counts as sent.
    #[inline]
    pub fn packet_sent(&mut self, class: Class, ends: bool) {
        self.class_mut(class).sent += 1;
        self.messages_sent += u64::from(ends);
    }

    /// A packet has been delivered.
    #[inline]
    pub fn packet_delivered(&mut self, row: &PacketRow, times: &PacketTimes) {
        let counters = self.class_mut(row.class);
        counters.delivered += 1;
        counters.hops += u64::from(row.hops);
        counters.lifetime_ps += times.lifetime;
        counters.network_lifetime_ps += times.network;
        if let Some(routed) = times.routed {
            counters.routed += 1;
            counters.routed_lifetime_ps += routed;
        }
        counters.wait_throttling_ps += times.throttling;
        counters.wait_internal_ps += times.internal;
        counters.caught_up_ps += times.caught_up;
    }

    /// Works out how long so many processors did nothing up to now.
    pub fn note_idle(&mut self, now: Time, processors: usize) {
        let work = self.cpu_busy_ps + self.cpu_sending_ps + self.cpu_receiving_ps;
        self.cpu_idle_ps = now * processors as Time - work;
    }

    /// The counters of one packet class.
    pub fn class_mut(&mut self, class: Class) -> &mut PacketCounters {
        &mut self.packets[class as usize]
    }

    /// Every counter with its name; names are unique and stable.
    pub fn named(&self) -> Vec<(String, u64)> {
        let run = self.run.own().map(|(name, value)| (name.to_owned(), value));
        let classes = ["data", "ack"].iter().zip(&self.packets).flat_map(|(class, packets)| {
            packets.own().map(move |(name, value)| (class_name(name, class), value))
        });
        run.chain(classes).collect()
    }
}

/// `hops` → `hops_data`, `lifetime_ps` → `lifetime_data_ps`, `sent` → `packets_sent_data`.
fn class_name(name: &str, class: &str) -> String {
    match name {
        "queued" | "sent" | "delivered" => format!("packets_{name}_{class}"),
        _ => match name.strip_suffix("_ps") {
            Some(stem) => format!("{stem}_{class}_ps"),
            None => format!("{name}_{class}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let named = Counters::default().named();
        let names: BTreeSet<_> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), named.len());
        for name in ["packets_sent_data", "routed_lifetime_ack_ps", "hops_data", "iterations"] {
            assert!(names.contains(name), "{name}");
        }
    }
}
