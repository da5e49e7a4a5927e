//! What can be read of a run at any time, and why one that stands still does.

use super::state::Simulation;
use crate::error::{LostPacket, RunError, Waiting};
use crate::fabric::{self, Layout, Wiring};
use crate::ids::{NodeId, ProcessId};
use crate::measure::blame::Charged;
use crate::measure::late::Why;
use crate::measure::traffic::OfClass;
use crate::measure::{
    Binned, ClassCounters, Counters, Measures, MessageRow, NodeTally, PacketRow, Slices, Use,
};
use crate::node::{CpuTime, Life};
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::Progress as Done;
use std::collections::BTreeSet;

impl Simulation {
    /// Simulated time reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The kernel that simulates the network; `loggops` where there is none.
    pub fn kernel(&self) -> &'static str {
        if self.is_without_network() { "loggops" } else { self.fabric.kernel().name() }
    }

    /// Messages that never arrive: of which a packet has been lost so far.
    pub fn messages_lost(&self) -> usize {
        self.fabric.packets().lost().undelivered.len()
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events_handled
    }

    /// The machine's graph.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Channels, routes and times.
    pub fn wiring(&self) -> &Wiring {
        self.fabric.wiring()
    }

    /// The numbering of channels.
    pub fn layout(&self) -> &Layout {
        &self.wiring().layout
    }

    /// The node of every process.
    pub fn placement(&self) -> &[NodeId] {
        self.nodes.placement()
    }

    /// Packets queued or in flight.
    pub fn packets_in_flight(&self) -> usize {
        self.fabric.packets().len()
    }

    /// Distributions of the current window, and more.
    pub fn measures(&self) -> &Measures {
        &self.measures
    }

    /// Everything counted until now.
    ///
    /// In the modes without contention, busy times of channels are exact at
    /// multiples of the sample interval and at the end of a finite workload; in
    /// between they run ahead by less than an interval.
    pub fn counters(&self) -> Counters {
        let measures = &self.measures;
        let mut counters = self.with_progress(measures.counters);
        let mut busy = measures.busy.each_ref().map(|busy| busy.so_far(self.now));
        if let Some(ahead) = self.fabric.overhang_by_kind(self.now) {
            busy = measures.busy.each_ref().map(|busy| Binned::booked(busy, self.now));
            busy.iter_mut().zip(ahead).for_each(|(busy, ahead)| *busy -= ahead);
        }
        [counters.busy_injection_ps, counters.busy_internal_ps, counters.busy_ejection_ps] = busy;
        counters.cpu_busy_ps = measures.cpu.booked(self.now)
            - self.nodes.processors().overhang(self.now).sum::<Time>();
        if let Some(software) = &measures.software {
            counters.cpu_sending_ps = software.sending.booked(self.now);
            counters.cpu_receiving_ps = software.receiving.booked(self.now);
            counters.note_idle(self.now, self.topology.nodes);
        }
        counters
    }

    /// Everything counted until now of every traffic class, where there are several.
    pub fn class_counters(&self) -> Box<[ClassCounters]> {
        let Some(traffic) = &self.measures.traffic else { return Box::default() };
        let counted = |(number, class): (usize, &OfClass)| {
            let mut counters = class.counters;
            let done = self.workload.progress_of_class(number, class.sent);
            (counters.messages_offered, counters.messages_failed) = (done.iterations, done.dropped);
            counters
        };
        traffic.classes.iter().enumerate().map(counted).collect()
    }

    /// Everything counted until now of what happens at the nodes of every job; none where there
    /// are no jobs.
    pub fn counters_of_jobs(&self) -> Vec<Counters> {
        let Some(jobs) = &self.measures.jobs else { return Vec::new() };
        let done = self.workload.progress_of_jobs();
        let counted = jobs.jobs.iter().zip(done).map(|(job, done)| {
            let mut counters = job.counters;
            counters.iterations = done.iterations;
            counters.messages_failed = done.dropped;
            counters
        });
        counted.collect()
    }

    /// Of every job: whether all of it has been done, and all its messages have arrived; none
    /// where there are no jobs.
    pub fn jobs_over(&self) -> Vec<bool> {
        let mut over = self.workload.jobs_over(self.now);
        if let Some(jobs) = self.workload.jobs() {
            for message in self.nodes.messages() {
                over[jobs[message.from.index()] as usize] = false;
            }
        }
        over
    }

    /// What the jobs are called; none where there are no jobs.
    pub fn job_names(&self) -> impl Iterator<Item = &str> {
        self.workload.job_names()
    }

    /// The job of every process; none where there are no jobs.
    pub fn jobs(&self) -> Option<&[u32]> {
        self.workload.jobs()
    }

    /// Rows of packets delivered since the last call; empty unless recorded.
    pub fn take_packets(&mut self) -> Vec<PacketRow> {
        self.measures.rows.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Keeps a row for every message received from now on, of many of every second, and so on
    /// ([`MOST_MESSAGES`](crate::measure::MOST_MESSAGES)).
    pub fn keep_messages(&mut self) {
        self.measures.messages.get_or_insert_default();
    }

    /// Rows of messages received since the last call, in that order; none unless they are kept.
    pub fn take_messages(&mut self) -> Vec<MessageRow> {
        self.measures.messages.as_mut().map(|messages| messages.take()).unwrap_or_default()
    }

    /// Why the messages that have arrived since the last call took as long as they did; none unless that
    /// is kept.
    pub fn take_late(&mut self) -> Vec<Why> {
        let late = self.measures.late.as_mut();
        late.and_then(|late| late.rows.as_mut()).map(std::mem::take).unwrap_or_default()
    }

    /// What the packets delivered since the last call were charged; empty unless recorded.
    pub fn take_charged(&mut self) -> Vec<Charged> {
        let blame = self.measures.blame.as_mut();
        let packets = blame.and_then(|blame| blame.packets.as_mut());
        packets.map(std::mem::take).unwrap_or_default()
    }

    /// What happened on channels in the window, by slices of time, up to now; none unless that is kept.
    pub fn slices(&mut self) -> Option<Slices> {
        let Measures { slices, late, labels, .. } = &mut self.measures;
        let (slices, late) = (slices.as_deref()?, late.as_mut()?);
        let (mut slices, fabric, wiring) = (slices.clone(), &self.fabric, self.fabric.wiring());
        let takes = |packet, channel, at| {
            wiring.timing_at(channel, at).packet_ps(fabric.packets()[packet].bytes)
        };
        let class_of = |label| labels.as_deref().map_or(label, |labels| labels.class(label));
        let stands = |packet, crossed| fabric.stands(packet, crossed, self.now);
        late.books_those_on_their_way(&mut slices, self.now, takes, stands, class_of);
        Some(slices)
    }

    /// What every channel carried in the window, up to now.
    pub fn channels_used(&self) -> Vec<Use> {
        self.fabric.used(self.now)
    }

    /// What every process did in the window.
    pub fn processes_done(&self) -> Vec<Done> {
        let before = self.done_before.iter().enumerate();
        let done = before.map(|(process, before)| {
            let now = self.workload.progress_of(ProcessId::from_index(process));
            Done {
                iterations: now.iterations - before.iterations,
                dropped: now.dropped - before.dropped,
            }
        });
        done.collect()
    }

    /// What the processes of every node together did in the window.
    pub fn nodes_done(&self) -> Vec<Done> {
        let mut nodes = vec![Done::default(); self.topology.nodes];
        for (node, done) in self.placement().iter().zip(self.processes_done()) {
            let sum = &mut nodes[node.index()];
            sum.iterations += done.iterations;
            sum.dropped += done.dropped;
        }
        nodes
    }

    /// What every node did in the window, up to now.
    pub fn node_tallies(&self) -> Vec<NodeTally> {
        let mut tallies = self.measures.nodes.clone();
        for tally in &mut tallies {
            tally.queues.iter_mut().for_each(|queue| queue.settle(self.now));
        }
        tallies
    }

    /// How long every processor computed in the window, up to now.
    pub fn processors_busy(&self) -> Vec<Time> {
        if let Some(times) = self.processor_times() {
            return times.iter().map(|times| times.computing).collect();
        }
        self.nodes.busy(self.now).collect()
    }

    /// What every processor did in the window, up to now; where messages cost something in
    /// software.
    pub fn processor_times(&self) -> Option<Vec<CpuTime>> {
        self.nodes.processor_times(self.now)
    }

    /// Who waits for what, processes first.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let process = |(number, node): (usize, &NodeId)| {
            let process = ProcessId::from_index(number);
            let what = self.workload.waits_for(process).or_else(|| self.awaits(process))?;
            Some(Waiting::Process { process: process.0, node: node.0, what })
        };
        let messages = self.nodes.messages().into_iter().map(|message| Waiting::Message {
            serial: message.serial,
            bytes: message.bytes,
            from: (message.from.0, message.from_node.0),
            to: (message.to.0, message.to_node.0),
            is_sent: message.life != Life::Pending,
        });
        let processes = self.nodes.placement().iter().enumerate().filter_map(process);
        processes.chain(messages).collect()
    }

    /// Whether nobody waits, but for messages that nobody waits for and of which packets have been
    /// lost.
    pub(super) fn waits_for_lost_alone(&self, waiting: &[Waiting]) -> bool {
        let lost = self.fabric.packets().lost().messages.iter();
        let lost: BTreeSet<u64> = lost.map(|&message| self.nodes.serial_of(message)).collect();
        waiting.iter().all(|waiting| match waiting {
            Waiting::Process { .. } => false,
            Waiting::Message { serial, .. } => lost.contains(serial),
        })
    }

    /// Processes wait for what has been lost.
    #[cold]
    pub(super) fn lost(&self, at: Time, waiting: Vec<Waiting>) -> RunError {
        let packet = |lost: &fabric::LostPacket| LostPacket {
            at: lost.at,
            packet: lost.packet.serial,
            message: self.nodes.serial_of(lost.packet.message),
            source: lost.packet.source.0,
            destination: lost.packet.destination.0,
            switch: lost.switch.0,
        };
        let packets = self.fabric.packets().lost().first.iter().map(packet).collect();
        RunError::Lost { at, count: self.measures.counters.packets_lost, packets, waiting }
    }

    /// Counters with what the workload counts itself.
    pub(super) fn with_progress(&self, mut counters: Counters) -> Counters {
        let done = self.workload.progress();
        counters.iterations = done.iterations;
        counters.messages_failed = done.dropped;
        counters
    }
}
