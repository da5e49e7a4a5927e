//! The synthetic workload (D, r, n, c, m, M): compute, send m messages, wait.

mod destinations;
mod expected;
mod hot_spots;
mod iterations;
mod lengths;
mod pattern;
mod reach;
mod weighted;

use super::instruction::{Op, Progress, Send};
use super::sampler::Sampler;
use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::rng::{Purpose, Stream};
use crate::spec::{self, Start, Sync, Throttle};
use crate::time::Time;
use crate::topology::Topology;
pub use destinations::Destinations;
use expected::Expected;
pub use lengths::Lengths;

/// The synthetic workload at work.
pub struct Synthetic {
    spec: spec::Synthetic,
    nodes: usize,
    seed: u64,
    destinations: Destinations,
    compute: Sampler,
    lengths: Lengths,
    /// Per process, for destinations.
    streams: Vec<Stream>,
    processes: Vec<Process>,
    /// Unacknowledged messages at which all a process sends is dropped until one
    /// is acknowledged, if it is alone on its processor and time passes.
    saturated_at: u32,
    progress: Progress,
    /// What others send to each process; loosely synchronous only.
    expected: Option<Expected>,
}

/// Where a process stands.
#[derive(Clone, Copy)]
struct Process {
    phase: Phase,
    /// Iterations reached so far: 0 before it starts, k + 1 in iteration k.
    reached: u32,
    /// Messages not yet acknowledged.
    unacknowledged: u32,
    /// Messages dropped.
    dropped: u64,
}

const IDLE: Process = Process { phase: Phase::Begin, reached: 0, unacknowledged: 0, dropped: 0 };

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// An iteration begins.
    Begin,
    Computing,
    /// So many messages have been sent, or dropped.
    Sending(u32),
    /// At the end of an iteration, for others.
    Waiting,
    /// All iterations are done.
    Finished,
}

impl Synthetic {
    /// Prepares the workload for a machine.
    pub fn new(spec: &spec::Synthetic, topology: &Topology, seed: u64) -> Result<Self, SpecError> {
        check_counts(spec)?;
        let destinations = Destinations::new(spec, topology)?;
        if spec.compute.mean == 0 && destinations.has_silent() {
            let allowed = "must be above zero: nothing else takes time where nothing is sent";
            return Err(SpecError::new("workload.compute.mean", 0, allowed));
        }
        let count = topology.nodes * spec.processes_per_node as usize;
        let compute =
            Sampler::new("workload.compute", spec.compute, Purpose::Compute, count, seed)?;
        let period = |process| destinations.period(process / spec.processes_per_node as usize);
        let compute = compute.multiplied((0..count).map(period));
        let lengths = Lengths::new(spec, count, seed)?;
        let stream = |process| Stream::new(seed, Purpose::Destination, process);
        let loosely = spec.sync == Sync::LooselySynchronous;
        Ok(Self {
            spec: spec.clone(),
            nodes: topology.nodes,
            seed,
            compute,
            lengths,
            streams: (0..count as u32).map(stream).collect(),
            processes: vec![IDLE; count],
            saturated_at: saturated_at(spec),
            progress: Progress::default(),
            expected: loosely.then(|| Expected::new(&destinations, count, spec.messages)),
            destinations,
        })
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        let node = |process| NodeId::from_index(process / self.spec.processes_per_node as usize);
        (0..self.nodes * self.spec.processes_per_node as usize).map(node).collect()
    }

    /// See [`super::Workload::starts`].
    pub fn starts(&self) -> Vec<Time> {
        let start = |process| match self.spec.start {
            Start::Together => 0,
            Start::Random => {
                Stream::new(self.seed, Purpose::Start, process).below(self.spec.compute.mean)
            }
        };
        (0..self.processes.len() as u32).map(start).collect()
    }

    /// See [`super::Workload::progress`].
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// See [`super::Workload::progress_of`].
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        let state = &self.processes[process.index()];
        let complete = matches!(state.phase, Phase::Begin | Phase::Finished);
        let iterations = u64::from(state.reached) - u64::from(!complete);
        Progress { iterations, dropped: state.dropped }
    }

    /// See [`super::Workload::next`].
    #[inline]
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        let asynchronous = self.spec.sync == Sync::Asynchronous;
        loop {
            let state = &mut self.processes[process.index()];
            match state.phase {
                Phase::Sending(sent) if sent < self.spec.messages => {
                    state.phase = Phase::Sending(sent + 1);
                    if let Some(send) = self.send(process, sent as usize, &waiting_data) {
                        return Some(Op::Send(send));
                    }
                }
                Phase::Sending(_) if asynchronous => {
                    if self.spec.repeat == Some(state.reached) {
                        state.phase = Phase::Finished;
                        self.progress.iterations += 1;
                        return None;
                    }
                    let saturated = state.unacknowledged >= self.saturated_at;
                    let duration = self.next_iteration(process);
                    return Some(if saturated {
                        Op::ComputeSaturated(duration)
                    } else {
                        Op::Compute(duration)
                    });
                }
                Phase::Sending(_) => {
                    state.phase = Phase::Waiting;
                    self.completes(process);
                }
                Phase::Begin if self.spec.repeat == Some(state.reached) => {
                    state.phase = Phase::Finished;
                }
                Phase::Begin => {
                    state.reached += 1;
                    state.phase = Phase::Computing;
                    let duration = self.compute.draw(process.index());
                    return Some(if self.expected.is_some() {
                        Op::ComputeReady(duration)
                    } else {
                        Op::Compute(duration)
                    });
                }
                Phase::Computing | Phase::Waiting | Phase::Finished => return None,
            }
        }
    }

    /// An asynchronous process completes an iteration; how long it computes in the next.
    #[inline]
    fn next_iteration(&mut self, process: ProcessId) -> Time {
        let state = &mut self.processes[process.index()];
        self.progress.iterations += 1;
        state.reached += 1;
        state.phase = Phase::Computing;
        self.compute.draw(process.index())
    }

    /// See [`super::Workload::pass`].
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        let number = process.index();
        let stream = &mut self.streams[number];
        let (mut end, mut iterations) = (from, 0);
        while end < before {
            for _ in 0..self.spec.messages {
                self.lengths.draw(number);
                self.destinations.draw(number, stream);
            }
            end += self.compute.draw(number);
            iterations += 1;
        }
        let dropped = iterations * u64::from(self.spec.messages);
        let state = &mut self.processes[number];
        state.reached += iterations as u32;
        state.dropped += dropped;
        self.progress.iterations += iterations;
        self.progress.dropped += dropped;
        end
    }

    /// The next message, or none if it is dropped; its random numbers are drawn
    /// in any case.
    #[inline]
    fn send(
        &mut self,
        process: ProcessId,
        message: usize,
        waiting_data: &impl Fn() -> u32,
    ) -> Option<Send> {
        let number = process.index();
        let state = &mut self.processes[number];
        let bytes = self.lengths.draw(number);
        let iteration = state.reached - 1;
        let (destinations, streams) = (&self.destinations, &mut self.streams);
        let place = match &mut self.expected {
            Some(expected) => expected.place(process, iteration, message, destinations, streams),
            None => destinations.draw(number, &mut streams[number]),
        };
        let admitted = self.spec.sync != Sync::Asynchronous
            || match self.spec.throttle {
                Throttle::Outstanding { limit } => state.unacknowledged < limit,
                Throttle::QueueLength { limit } => waiting_data() < limit,
            };
        if !admitted {
            state.dropped += 1;
            self.progress.dropped += 1;
            return None;
        }
        state.unacknowledged += 1;
        let to = ProcessId::from_index(destinations.process_at(number, place));
        Some(Send {
            to,
            tag: iteration,
            bytes,
            link: LinkId::NONE,
            blocking: false,
            team: TeamId::NONE,
            traffic: 0,
        })
    }

    /// See [`super::Workload::computed`].
    pub fn computed(&mut self, process: ProcessId) {
        // Who has nobody to send to has nothing left to send.
        let is_silent = self.destinations.is_silent(process.index());
        let sent = if is_silent { self.spec.messages } else { 0 };
        self.processes[process.index()].phase = Phase::Sending(sent);
    }

    /// See [`super::Workload::accepts`].
    pub fn accepts(&mut self, process: ProcessId, iteration: u32) -> bool {
        !self.takes_part(process) || self.processes[process.index()].reached > iteration
    }

    /// Whether a process waits for others in every iteration, and others for it: not one that has nobody to
    /// send to.
    fn takes_part(&self, process: ProcessId) -> bool {
        self.expected.is_some() && !self.destinations.is_silent(process.index())
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId, iteration: u32) -> bool {
        if !self.takes_part(process) {
            return false;
        }
        if let Some(expected) = &mut self.expected {
            expected.received(process, iteration);
        }
        self.completes(process)
    }

    /// See [`super::Workload::acknowledged`].
    pub fn acknowledged(&mut self, process: ProcessId) -> bool {
        self.processes[process.index()].unacknowledged -= 1;
        self.completes(process)
    }

    /// Completes the iteration of a process that waits, if nothing is missing.
    fn completes(&mut self, process: ProcessId) -> bool {
        let takes_part = self.takes_part(process);
        let state = &mut self.processes[process.index()];
        if state.phase != Phase::Waiting || state.unacknowledged > 0 {
            return false;
        }
        if takes_part && let Some(expected) = &mut self.expected {
            let iteration = state.reached - 1;
            if expected.missing(process, iteration) > 0 {
                return false;
            }
            expected.complete(process, iteration);
        }
        state.phase = Phase::Begin;
        self.progress.iterations += 1;
        true
    }

    /// See [`super::Workload::has_ended`].
    pub fn has_ended(&self, process: ProcessId) -> bool {
        self.processes[process.index()].phase == Phase::Finished
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        if self.has_ended(process) {
            return None;
        }
        let state = &self.processes[process.index()];
        if state.reached == 0 {
            return Some("its start".into());
        }
        let iteration = state.reached - 1;
        let expected = self.expected.as_ref().filter(|_| self.takes_part(process));
        let missing = expected.map_or(0, |e| e.missing(process, iteration));
        Some(format!(
            "{} acknowledgements and {missing} messages of iteration {iteration}",
            state.unacknowledged
        ))
    }
}

/// See [`Synthetic::saturated_at`].
fn saturated_at(spec: &spec::Synthetic) -> u32 {
    match spec.throttle {
        Throttle::Outstanding { limit }
            if spec.processes_per_node == 1 && spec.compute.mean > 0 && spec.repeat.is_none() =>
        {
            limit
        }
        _ => u32::MAX,
    }
}

/// Refuses counts that are not possible.
pub fn check_counts(spec: &spec::Synthetic) -> Result<(), SpecError> {
    let (Throttle::Outstanding { limit } | Throttle::QueueLength { limit }) = spec.throttle;
    let positive = [
        ("workload.processes_per_node", spec.processes_per_node),
        ("workload.messages", spec.messages),
        ("workload.throttle.limit", limit),
        ("workload.repeat", spec.repeat.unwrap_or(1)),
    ];
    for (field, value) in positive {
        if !(1..=1 << 20).contains(&value) {
            return Err(SpecError::new(field, value, format!("must be 1 to {}", 1 << 20)));
        }
    }
    Ok(())
}
