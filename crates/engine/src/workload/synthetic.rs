//! The synthetic workload (D, r, n, c, m, M): compute, send m messages, wait.

mod iterations;
mod reach;

use super::sampler::Sampler;
use super::{Op, Ops, Send};
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId};
use crate::rng::{Purpose, Stream};
use crate::spec::{self, Start, Sync, Throttle};
use crate::time::Time;
use crate::topology::Topology;
use iterations::Iterations;
pub use reach::Reach;

/// The synthetic workload at work.
pub struct Synthetic {
    spec: spec::Synthetic,
    nodes: usize,
    seed: u64,
    reach: Reach,
    compute: Sampler,
    length: Sampler,
    destination: Vec<Stream>,
    processes: Vec<Process>,
    /// Who sends to whom in which iteration; loosely synchronous only.
    iterations: Option<Iterations>,
}

/// Where a process stands.
#[derive(Clone, Copy, Default)]
struct Process {
    /// Iterations reached so far: 0 before it starts, k + 1 in iteration k.
    reached: u32,
    /// Whether it waits at the end of its iteration.
    waiting: bool,
    /// Messages not yet acknowledged.
    unacknowledged: u32,
}

impl Synthetic {
    /// Prepares the workload for a machine.
    pub fn new(
        spec: &spec::Synthetic,
        topology: &Topology,
        seed: u64,
    ) -> Result<Self, SpecError> {
        check(spec)?;
        let reach = Reach::new(topology, spec.radius, spec.processes_per_node)?;
        let count = topology.nodes * spec.processes_per_node as usize;
        let (compute, bytes) = (spec.compute, spec.bytes);
        let compute =
            Sampler::new("workload.compute", compute, Purpose::Compute, count, seed)?;
        let length = Sampler::new("workload.bytes", bytes, Purpose::Length, count, seed)?;
        let stream = |process| Stream::new(seed, Purpose::Destination, process);
        let loosely = spec.sync == Sync::LooselySynchronous;
        Ok(Self {
            spec: spec.clone(),
            nodes: topology.nodes,
            seed,
            reach,
            compute,
            length,
            destination: (0..count as u32).map(stream).collect(),
            processes: vec![Process::default(); count],
            iterations: loosely.then(|| Iterations::new(count, spec.messages as usize)),
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

    /// See [`super::Workload::started`].
    pub fn started(&mut self, process: ProcessId, ops: &mut Ops) {
        self.begin_iteration(process, ops);
    }

    fn begin_iteration(&mut self, process: ProcessId, ops: &mut Ops) {
        self.processes[process.index()].reached += 1;
        if self.iterations.is_some() {
            ops.push_back(Op::AcceptWaiting { process });
        }
        ops.push_back(Op::Compute { process, duration: self.compute.draw(process.index()) });
    }

    /// See [`super::Workload::computed`].
    pub fn computed(&mut self, process: ProcessId, ops: &mut Ops) {
        let iteration = self.processes[process.index()].reached - 1;
        for place in 0..self.spec.messages as usize {
            let to = self.next_destination(process, iteration, place);
            ops.push_back(Op::Send(Send {
                from: process,
                to,
                tag: iteration,
                bytes: self.length.draw(process.index()).min(u64::from(u32::MAX)) as u32,
                link: None,
                blocking: false,
            }));
        }
        if self.spec.sync == Sync::Asynchronous {
            ops.push_back(Op::Iterated { process });
            self.begin_iteration(process, ops);
        } else {
            let state = &mut self.processes[process.index()];
            state.waiting = true;
            state.unacknowledged = self.spec.messages;
        }
    }

    /// The destination of a message; drawn for all processes of an iteration at
    /// once where receivers must know who will send to them.
    fn next_destination(&mut self, process: ProcessId, iteration: u32, place: usize) -> ProcessId {
        let (reach, streams) = (&self.reach, &mut self.destination);
        let mut draw = |process: usize| reach.draw(process, &mut streams[process]);
        match &mut self.iterations {
            Some(iterations) => iterations.destination(process, iteration, place, draw),
            None => ProcessId::from_index(draw(process.index())),
        }
    }

    /// See [`super::Workload::admits`].
    pub fn admits(&mut self, process: ProcessId, waiting_data: u32) -> bool {
        if self.spec.sync != Sync::Asynchronous {
            return true;
        }
        let state = &mut self.processes[process.index()];
        let admitted = match self.spec.throttle {
            Throttle::Outstanding { limit } => state.unacknowledged < limit,
            Throttle::QueueLength { limit } => waiting_data < limit,
        };
        state.unacknowledged += u32::from(admitted);
        admitted
    }

    /// See [`super::Workload::accepts`].
    pub fn accepts(&mut self, process: ProcessId, iteration: u32) -> bool {
        self.iterations.is_none() || self.processes[process.index()].reached > iteration
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId, iteration: u32, ops: &mut Ops) {
        if let Some(iterations) = &mut self.iterations {
            iterations.received(process, iteration);
            self.go_on(process, ops);
        }
    }

    /// See [`super::Workload::acknowledged`].
    pub fn acknowledged(&mut self, process: ProcessId, ops: &mut Ops) {
        self.processes[process.index()].unacknowledged -= 1;
        self.go_on(process, ops);
    }

    /// Begins the next iteration if nothing is missing in this one.
    fn go_on(&mut self, process: ProcessId, ops: &mut Ops) {
        let state = &mut self.processes[process.index()];
        if !state.waiting || state.unacknowledged > 0 {
            return;
        }
        let iteration = state.reached - 1;
        if let Some(iterations) = &mut self.iterations {
            if iterations.missing(process, iteration) > 0 {
                return;
            }
            iterations.complete(iteration);
        }
        state.waiting = false;
        ops.push_back(Op::Iterated { process });
        self.begin_iteration(process, ops);
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> String {
        let state = &self.processes[process.index()];
        if state.reached == 0 {
            return "its start".into();
        }
        let iteration = state.reached - 1;
        let missing = self.iterations.as_ref().map_or(0, |i| i.missing(process, iteration));
        format!(
            "{} acknowledgements and {missing} messages of iteration {iteration}",
            state.unacknowledged
        )
    }
}

fn check(spec: &spec::Synthetic) -> Result<(), SpecError> {
    let throttle = match spec.throttle {
        Throttle::Outstanding { limit } => ("workload.throttle.limit", limit),
        Throttle::QueueLength { limit } => ("workload.throttle.limit", limit),
    };
    let positive = [
        ("workload.processes_per_node", spec.processes_per_node),
        ("workload.messages", spec.messages),
        throttle,
    ];
    for (field, value) in positive {
        if !(1..=1 << 20).contains(&value) {
            return Err(SpecError::new(field, value, format!("must be 1 to {}", 1 << 20)));
        }
    }
    Ok(())
}
