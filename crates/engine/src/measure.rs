//! What is measured.
//!
//! [`Measures`] is told what happens (a packet starts, waits, is delivered) and
//! keeps three kinds of record: [`Counters`], cumulative since time 0 and
//! sampled at fixed intervals; moments and histograms of the current window;
//! tallies per channel and per node of the current window.

mod binned;
pub mod blame;
pub mod causes;
mod counters;
mod distribution;
mod forwarding;
mod histogram;
mod jobs;
pub mod late;
mod messages;
mod moments;
mod packet;
pub mod slices;
mod software;
pub mod stored;
mod tally;
pub mod traffic;
mod window;

pub use binned::Binned;
pub use blame::Blame;
pub use causes::Causes;
pub use counters::{ClassCounters, Counters, PacketCounters, PacketTimes};
pub use distribution::{Distribution, PacketDistributions};
pub use forwarding::{Forwarding, OfFrames};
pub use histogram::Histogram;
pub use jobs::{ByJob, OfJob};
pub use late::Late;
pub use messages::{MOST_MESSAGES, MessageRow, MessageRows};
pub use moments::Moments;
pub use packet::{Class, PacketRow, Undisturbed};
pub use slices::Slices;
pub use software::{InSoftware, Parts};
pub use stored::Stored;
pub use tally::{ChannelTally, NodeTally, QueueTally, Use};
pub use traffic::Traffic;
pub use window::Window;

use crate::ids::{ChannelId, MessageId, NodeId, PacketId, ProcessId};
use crate::rare::rare;
use crate::time::{NEVER, Time};
use blame::Labels;
use std::hint::black_box;

/// Where a channel lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ChannelKind {
    /// Node to switch.
    Injection = 0,
    /// Switch to switch.
    Internal = 1,
    /// Switch to node.
    Ejection = 2,
    /// Node to node, without a switch.
    Direct = 3,
}

impl ChannelKind {
    /// Place among sums by kind: injection, internal, ejection. A direct channel
    /// both injects and ejects; it counts as injection.
    #[inline]
    pub fn in_sums(self) -> usize {
        [0, 1, 2, 0][self as usize]
    }
}

/// How long a packet has waited for a channel, and as what that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub time: Time,
    /// Throttling, or else internal contention.
    pub is_throttling: bool,
}

/// What the workload has asked of the network, whatever became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Data bytes times channels between switches, over the packets delivered.
    pub byte_hops: u64,
    /// When the latest message was sent.
    pub last_sent: Time,
}

/// All measures of one run.
pub struct Measures {
    /// Cumulative since time 0.
    pub counters: Counters,
    /// Transmission time on injection, internal and ejection channels.
    pub busy: [Binned; 3],
    /// Time processors compute.
    pub cpu: Binned,
    /// Distributions by class, in the current window.
    pub packets: [PacketDistributions; 2],
    /// From sending to receiving a message, in the current window.
    pub message_latency: Distribution,
    /// From sending a message until its first data bytes are there, in the current window;
    /// if that is measured.
    pub message_begins: Option<Distribution>,
    /// What was offered, since time 0; of integrated nodes only.
    pub offered: Option<Offered>,
    /// Per channel, in the current window.
    pub channels: Vec<ChannelTally>,
    /// Per node, in the current window.
    pub nodes: Vec<NodeTally>,
    /// Per process: when it had carried out its latest instruction, and the latest message that it
    /// sent or that was sent to it had been received; 0 if there was neither.
    pub completed: Vec<Time>,
    /// Rows of delivered packets since they were last taken, if recorded.
    pub rows: Option<Vec<PacketRow>>,
    /// Rows of received messages since they were last taken, if they are kept.
    pub messages: Option<Box<MessageRows>>,
    /// What nodes store of packets, in the current window, where that is part of how they cross
    /// the network.
    pub stored: Option<Box<Stored>>,
    /// What messages cost in software, where they cost something there.
    pub software: Option<Box<InSoftware>>,
    /// Whether switches may lose packets, and pause: they forward frames.
    pub forwards: bool,
    /// What they lost by channel, and whom they paused, if they do.
    pub forwarding: Option<Box<Forwarding>>,
    /// Whether anybody wants to know what happens to packets on their way.
    pub is_observed: bool,
    /// What packets waited for, if that is kept.
    pub blame: Option<Box<Blame>>,
    /// Messages by what they are charged as, where everyone is charged by itself.
    pub labels: Option<Box<Labels>>,
    /// How late messages were, and why, if that is wanted.
    pub late: Option<Box<Late>>,
    /// What happened on channels over time, if that is wanted.
    pub slices: Option<Box<Slices>>,
    /// What is measured of every traffic class, where there are several.
    pub traffic: Option<Box<Traffic>>,
    /// Why everybody could go on, if that is kept.
    pub causes: Option<Box<Causes>>,
    /// The same counted by job, where there are jobs.
    pub jobs: Option<Box<ByJob>>,
}

impl Measures {
    /// What stands for a packet on its way for who keeps account of how late messages are, if anybody does.
    pub fn mark(&self, id: PacketId) -> late::Mark {
        self.late.as_ref().map_or(late::UNMARKED, |late| late.mark(id))
    }

    /// Why everybody could go on, if that is kept, for who stands on what is in hand of a message.
    #[inline]
    pub fn causes_of(&mut self, id: MessageId) -> Option<&mut Causes> {
        let Self { causes, labels, late, .. } = self;
        let causes = rare(causes)?;
        causes.tells(id, (late.as_deref_mut(), labels.as_deref()));
        Some(causes)
    }

    /// Whether all is kept that anybody waited for, besides why they could go on.
    #[inline]
    pub fn keeps_all_causes(&mut self) -> bool {
        rare(&mut self.causes).is_some_and(|causes| causes.keeps_all())
    }

    /// Measures of a machine, from time 0.
    pub fn new(channels: usize, nodes: usize, sample_interval: Time, record: bool) -> Self {
        Self {
            counters: Counters::default(),
            busy: std::array::from_fn(|_| Binned::new(sample_interval)),
            cpu: Binned::new(sample_interval),
            packets: Default::default(),
            message_latency: Distribution::default(),
            message_begins: None,
            offered: None,
            channels: vec![ChannelTally::default(); channels],
            nodes: vec![NodeTally::default(); nodes],
            completed: Vec::new(),
            rows: record.then(Vec::new),
            messages: None,
            stored: None,
            software: None,
            forwards: false,
            forwarding: None,
            is_observed: false,
            blame: None,
            labels: None,
            late: None,
            slices: None,
            traffic: None,
            causes: None,
            jobs: None,
        }
    }

    /// The counters of the job of a node, where there are jobs.
    #[inline]
    fn job(&mut self, node: NodeId) -> Option<&mut OfJob> {
        rare(&mut self.jobs)?.of(node)
    }

    /// Ends the open sample interval; the counters at its end.
    pub fn sample(&mut self, time: Time) -> Counters {
        let [injection, internal, ejection] = &mut self.busy;
        self.counters.busy_injection_ps = injection.close();
        self.counters.busy_internal_ps = internal.close();
        self.counters.busy_ejection_ps = ejection.close();
        self.counters.cpu_busy_ps = self.cpu.close();
        if let Some(software) = &mut self.software {
            self.counters.cpu_sending_ps = software.sending.close();
            self.counters.cpu_receiving_ps = software.receiving.close();
            self.counters.note_idle(time, self.nodes.len());
        }
        self.counters
    }

    /// The sample interval at hand becomes so many intervals longer, in which nothing happens.
    pub fn lengthen_interval(&mut self, intervals: u64) {
        self.busy.iter_mut().for_each(|busy| busy.lengthen(intervals));
        self.cpu.lengthen(intervals);
        if let Some(software) = &mut self.software {
            software.sending.lengthen(intervals);
            software.receiving.lengthen(intervals);
        }
    }

    /// Forgets everything but the counters: a new window begins at `now`.
    pub fn begin_window(&mut self, now: Time) {
        self.packets = Default::default();
        self.message_latency = Distribution::default();
        self.message_begins = self.message_begins.take().map(|_| Distribution::default());
        self.channels.fill(ChannelTally::default());
        for node in &mut self.nodes {
            node.begin_window(now);
        }
        if let Some(stored) = &mut self.stored {
            stored.begin_window();
        }
        if let Some(forwarding) = &mut self.forwarding {
            forwarding.begin_window(now);
        }
        if let Some(blame) = &mut self.blame {
            blame.begin_window(now);
        }
        if let Some(late) = &mut self.late {
            late.begin_window(now);
        }
        if let Some(slices) = &mut self.slices {
            slices.begin_window(now);
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.begin_window();
        }
        if let Some(jobs) = &mut self.jobs {
            jobs.begin_window();
        }
    }

    /// A packet occupies a channel from `start` to `end`, having waited for it.
    #[inline]
    pub fn starts(
        &mut self,
        channel: ChannelId,
        kind: ChannelKind,
        (start, end): (Time, Time),
        wait: Wait,
    ) {
        self.waited(channel, wait);
        self.counters.packet_hops += 1;
        self.transmits(kind, start, end);
    }

    /// A packet sets out over so many channels that it will keep busy for so long in all, by kind.
    /// What of that is still to come is told by [`crate::fabric::Fabric`].
    #[inline]
    pub fn books(&mut self, channels: usize, busy: [Time; 3]) {
        self.counters.packet_hops += channels as u64;
        self.busy.iter_mut().zip(busy).for_each(|(sum, busy)| sum.book(busy));
    }

    /// A packet has waited for a channel it now starts on.
    #[inline]
    pub fn waited(&mut self, channel: ChannelId, wait: Wait) {
        if wait.time > 0 {
            let tally = &mut self.channels[channel.index()];
            tally.waits += 1;
            if wait.is_throttling {
                tally.wait_throttling_ps += wait.time;
            } else {
                tally.wait_internal_ps += wait.time;
            }
        }
    }

    /// A channel transmits from `start` to `end`.
    #[inline]
    pub fn transmits(&mut self, kind: ChannelKind, start: Time, end: Time) {
        self.busy[kind.in_sums()].add(start, end);
    }

    /// So many channels of each kind transmit from `start` to `end`, by place among sums.
    #[inline]
    pub fn transmit(&mut self, channels: [u64; 3], start: Time, end: Time) {
        for (busy, count) in self.busy.iter_mut().zip(channels) {
            busy.add_alike(count, start, end);
        }
    }

    /// Whether an instant is not after the present sample interval.
    #[inline]
    pub fn is_in_interval(&self, kind: ChannelKind, time: Time) -> bool {
        self.busy[kind.in_sums()].is_open(time)
    }

    /// A channel does not transmit for so long after all, in the present sample interval.
    #[inline]
    pub fn takes_back(&mut self, kind: ChannelKind, time: Time) {
        self.busy[kind.in_sums()].take_back(time);
    }

    /// A channel transmits in stretches that begin at equal distances between two instants, for
    /// so long each, the last to the end, and for so long in all.
    #[inline]
    pub fn transmits_in_turn(
        &mut self,
        kind: ChannelKind,
        within: (Time, Time),
        each_and_step: (Time, Time),
        busy: Time,
    ) {
        self.busy[kind.in_sums()].add_each(within, each_and_step, busy);
    }

    /// A packet occupies a channel from now on, until it is known to fall free.
    #[inline]
    pub fn occupies(&mut self, kind: ChannelKind, now: Time) {
        self.counters.packet_hops += 1;
        self.busy[kind.in_sums()].begin(now);
    }

    /// A channel that is occupied without a known end falls free.
    #[inline]
    pub fn falls_free(&mut self, kind: ChannelKind, now: Time) {
        self.busy[kind.in_sums()].end(now);
    }

    /// A packet was drawn out on its way to be delivered over a channel.
    #[inline]
    pub fn drawn_out(&mut self, channel: ChannelId, time: Time) {
        if time > 0 {
            self.channels[channel.index()].wait_internal_ps += time;
        }
    }

    /// A granted packet has kept a channel idle while it waited for room.
    #[inline]
    pub fn kept(&mut self, channel: ChannelId, kind: ChannelKind, time: Time) {
        self.channels[channel.index()].kept_ps += time;
        self.counters.held_internal_ps += if kind == ChannelKind::Internal { time } else { 0 };
    }

    /// A process has something behind it.
    #[inline]
    pub fn completes(&mut self, process: ProcessId, now: Time) {
        self.completed[process.index()] = now;
    }

    /// All of a message is there; whether it is wanted how long it takes alone.
    #[inline]
    pub fn message_arrived(&mut self, id: MessageId, now: Time) -> bool {
        if let Some(rows) = rare(&mut self.messages) {
            rows.arrives(id, now);
        }
        rare(&mut self.late).as_mut().is_some_and(|late| late.arrived(id))
    }

    /// A message has been received.
    pub fn message_delivered(&mut self, node: NodeId, bytes: u64) {
        self.counters.message_delivered(bytes);
        self.nodes[node.index()].messages_delivered += 1;
        if let Some(job) = self.job(node) {
            job.counters.message_delivered(bytes);
        }
    }

    /// How long a message to a node that was packets took.
    pub fn message_took(&mut self, node: NodeId, latency: Time) {
        self.counters.message_took(latency);
        self.message_latency.add(latency);
        if let Some(job) = self.job(node) {
            job.counters.message_took(latency);
            job.latency.add(latency);
        }
    }

    /// What the latency of a message to a node consists of, besides what it spent at its ends.
    pub fn latency_consists(&mut self, node: NodeId, latency: Time, parts: &Parts) {
        self.counters.latency_consists(latency, parts);
        if let Some(job) = self.job(node) {
            job.counters.latency_consists(latency, parts);
        }
    }

    /// The first data bytes of a message are at its destination, so long after it was sent.
    pub fn message_began(&mut self, node: NodeId, latency: Time) {
        if let Some(begins) = rare(&mut self.message_begins) {
            begins.add(latency);
            self.counters.message_began(latency);
            if let Some(job) = self.job(node) {
                job.counters.message_began(latency);
            }
        }
    }

    /// A message of a node has been acknowledged.
    pub fn message_acknowledged(&mut self, node: NodeId) {
        self.counters.messages_acknowledged += 1;
        self.nodes[node.index()].messages_acknowledged += 1;
        if let Some(job) = self.job(node) {
            job.counters.messages_acknowledged += 1;
        }
    }

    /// A message was sent without packets; `local`: within one node.
    pub fn message_sent_directly(&mut self, node: NodeId, local: bool) {
        self.counters.message_sent_directly(local);
        self.nodes[node.index()].messages_sent += 1;
        if let Some(job) = self.job(node) {
            job.counters.message_sent_directly(local);
        }
    }

    /// Reads what the start or arrival of a packet will change at its node.
    #[inline]
    pub fn prefetch(&self, node: NodeId) {
        let tally = &self.nodes[node.index()];
        black_box((tally.packets_delivered[0], tally.queues[0].length));
    }

    /// A packet has started on its first channel.
    ///
    /// With the last data packet its message counts as sent.
    #[inline]
    pub fn packet_sent(&mut self, node: NodeId, class: Class, last: bool) {
        let ends = last && class == Class::Data;
        self.counters.packet_sent(class, ends);
        let tally = &mut self.nodes[node.index()];
        tally.packets_sent[class as usize] += 1;
        tally.messages_sent += u64::from(ends);
        if let Some(job) = self.job(node) {
            job.counters.packet_sent(class, ends);
        }
    }

    /// A packet has been delivered.
    ///
    /// # Panics
    /// If it was faster than it would be alone: its times are wrong.
    pub fn packet_delivered(&mut self, row: &PacketRow, undisturbed: Undisturbed) {
        let class = row.class as usize;
        let lifetime = row.delivered - row.queued;
        let network = row.delivered - row.first_sent;
        let distributions = &mut self.packets[class];
        distributions.lifetime.add(lifetime);
        distributions.network_lifetime.add(network);
        distributions.hops.add(u64::from(row.hops));
        let mut throttling = row.first_sent - row.queued;
        let mut routed = None;
        if row.first_internal != NEVER {
            let time = row.delivered - row.first_internal;
            distributions.routed_lifetime.add(time);
            throttling += row.first_internal - row.first_sent - undisturbed.first_hop;
            routed = Some(time);
        }
        let caught_up = undisturbed.caught_up;
        let (took, alone) = (lifetime + caught_up, undisturbed.lifetime + throttling);
        assert!(took >= alone, "a packet was faster than it can be: {row:?}");
        let internal = took - alone;
        let times = PacketTimes { lifetime, network, routed, throttling, internal, caught_up };
        self.counters.packet_delivered(row, &times);
        if let Some(software) = rare(&mut self.software) {
            software.delivered = Parts::of(lifetime, undisturbed.lifetime, throttling);
        }
        if let Some(job) = self.job(NodeId(row.destination)) {
            job.counters.packet_delivered(row, &times);
        }
        self.nodes[row.destination as usize].packets_delivered[class] += 1;
        if let Some(rows) = rare(&mut self.rows) {
            rows.push(*row);
        }
    }
}
