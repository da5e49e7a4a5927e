//! Processors, and the processes that compute, send and receive.

use super::machine::{Event, Reference, Time};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::{Distribution, Shape, Spec, Start, Sync, Workload};

pub struct Process {
    pub node: usize,
    pub state: State,
    /// Computing it has still to do.
    pub work: Time,
    pub compute_stream: Stream,
    pub length_stream: Stream,
    /// Messages whose first header has arrived and that are not accepted.
    pub arrived: Vec<usize>,
    /// Messages sent and not acknowledged.
    pub unacknowledged: u32,
    /// Messages received of each iteration of their senders.
    pub received: BTreeMap<u64, u32>,
    /// Synthetic: iterations reached, and whether the last compute phase is over.
    pub iterations: u64,
    pub has_computed: bool,
    /// Program: the next step, and rounds that are complete.
    pub step: usize,
    pub rounds: u64,
}

/// What a process does or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    NotStarted,
    GoingOn,
    Computing,
    /// In a blocking send of this message.
    Sending(usize),
    /// In a receive, on one socket or any, perhaps of an accepted message.
    Receiving(Option<u32>, Option<usize>),
    /// At the end of an iteration of the synthetic workload.
    Synchronising,
    Finished,
}

#[derive(Default)]
pub struct Processor {
    running: Option<usize>,
    queue: VecDeque<usize>,
}

impl Process {
    pub fn all(spec: &Spec, nodes: usize) -> Vec<Self> {
        let node_of: Vec<usize> = match &spec.workload {
            Workload::Synthetic(synthetic) => {
                let each = synthetic.processes_per_node as usize;
                (0..nodes * each).map(|process| process / each).collect()
            }
            Workload::Program(program) => {
                program.processes.iter().map(|p| p.node as usize).collect()
            }
            // One process on each node stands for the node.
            Workload::Messages(_) | Workload::Traffic(_) => (0..nodes).collect(),
            Workload::External(_) | Workload::Trace(_) | Workload::Jobs(_) => {
                unreachable!("not generated")
            }
        };
        let new = |(process, &node): (usize, &usize)| Self {
            node,
            state: State::NotStarted,
            work: 0,
            compute_stream: Stream::new(spec.seed, Purpose::Compute, process as u32),
            length_stream: Stream::new(spec.seed, Purpose::Length, process as u32),
            arrived: Vec::new(),
            unacknowledged: 0,
            received: BTreeMap::new(),
            iterations: 0,
            has_computed: false,
            step: 0,
            rounds: 0,
        };
        node_of.iter().enumerate().map(new).collect()
    }
}

/// Draws from a distribution; a constant takes nothing from the stream.
pub fn draw(distribution: &Distribution, stream: &mut Stream) -> u64 {
    let mean = distribution.mean as f64;
    match distribution.shape {
        Shape::Constant => distribution.mean,
        // A cast of a negative number gives 0.
        Shape::Normal => {
            (mean * (1.0 + distribution.relative_sigma * stream.normal())).round() as u64
        }
        Shape::Exponential => (mean * stream.exponential()).round() as u64,
        Shape::Geometric { slot } => {
            let p = slot as f64 / mean;
            let slots = (stream.exponential() / -libm::log1p(-p)).floor() as u64 + 1;
            slots * slot
        }
        Shape::Modulated { slot, turn_on, turn_off } => {
            let sends = slot as f64 / mean * (turn_on + turn_off) / turn_on;
            let sends = if sends > 1.0 { 1.0 } else { sends };
            let stays = (1.0 - turn_off) * sends;
            let some = |chance: f64, stream: &mut Stream| {
                (stream.exponential() / -libm::log1p(-chance)).floor() as u64 + 1
            };
            let mut slots = 0;
            loop {
                slots += some(turn_off + stays, stream);
                if stream.unit() * (turn_off + stays) < stays {
                    break;
                }
                slots += some(turn_on, stream);
                if stream.unit() < sends {
                    break;
                }
            }
            slots * slot
        }
        Shape::OnOff { burst, peak } => {
            let gap = (mean / peak).round();
            let mut time = gap;
            if burst * stream.unit() < 1.0 {
                time += (burst * (mean - gap) * stream.exponential()).round();
            }
            time as u64
        }
    }
}

impl Reference {
    pub fn start_instant(&self, process: usize) -> Time {
        let mut stream = Stream::new(self.spec.seed, Purpose::Start, process as u32);
        match &self.spec.workload {
            Workload::Synthetic(synthetic) => match synthetic.start {
                Start::Random => stream.below(synthetic.compute.mean),
                Start::Together => 0,
            },
            Workload::Program(program) => {
                let process = &program.processes[process];
                process.start_ps + stream.below(process.start_window_ps)
            }
            Workload::Messages(_) => unreachable!("nodes do not start"),
            Workload::Traffic(_)
            | Workload::External(_)
            | Workload::Trace(_)
            | Workload::Jobs(_) => {
                unreachable!("not generated")
            }
        }
    }

    /// Lets a process do everything until it computes or has to wait.
    pub fn go_on(&mut self, process: usize) {
        let spec = Rc::clone(&self.spec);
        self.at_work = Some(process);
        self.processes[process].state = State::GoingOn;
        while self.processes[process].state == State::GoingOn {
            match &spec.workload {
                Workload::Synthetic(synthetic) => self.next_of_synthetic(process, synthetic),
                Workload::Program(program) => self.next_of_program(process, program),
                Workload::Messages(_) => unreachable!("nodes have no instructions"),
                Workload::Traffic(_)
                | Workload::External(_)
                | Workload::Trace(_)
                | Workload::Jobs(_) => {
                    unreachable!("not generated")
                }
            }
        }
        self.at_work = None;
    }

    /// Whether the receiver of a message is ready for it.
    pub fn is_ready_for(&self, message: usize) -> bool {
        let message = &self.messages[message];
        let receiver = &self.processes[message.to];
        match &self.spec.workload {
            Workload::Synthetic(synthetic) => {
                synthetic.sync != Sync::LooselySynchronous
                    || self.synthetic.is_silent(message.to)
                    || message.iteration < receiver.iterations
            }
            Workload::Program(_) => match receiver.state {
                State::Receiving(socket, None) => socket.is_none_or(|s| s == message.socket),
                _ => false,
            },
            Workload::Messages(_) | Workload::Traffic(_) => true,
            Workload::External(_) | Workload::Trace(_) | Workload::Jobs(_) => {
                unreachable!("not generated")
            }
        }
    }

    /// The receiver accepts a message; in a program that ends its readiness.
    pub fn note_accepted(&mut self, message: usize) {
        let receiver = &mut self.processes[self.messages[message].to];
        if let State::Receiving(socket, None) = receiver.state {
            receiver.state = State::Receiving(socket, Some(message));
        }
    }

    /// Looks whether what a process waits for has happened. The process at work
    /// itself then has not had to wait, and just continues.
    pub fn goes_on_if_it_can(&mut self, process: usize) {
        let can = match self.processes[process].state {
            State::Sending(message) => {
                self.messages.get(message).is_some_and(|m| m.is_acknowledged)
            }
            State::Receiving(_, Some(message)) => self.messages[message].is_received,
            State::Synchronising => self.is_synchronised(process),
            _ => false,
        };
        if can {
            self.processes[process].state = State::GoingOn;
            if self.at_work != Some(process) {
                self.going_on.push_back(process);
            }
        }
    }

    /// A process wants to compute and joins the end of the run queue.
    pub fn compute(&mut self, process: usize, work: Time) {
        self.processes[process].state = State::Computing;
        self.processes[process].work = work;
        let node = self.processes[process].node;
        if self.has_costs() {
            return self.computes(node, process);
        }
        self.processors[node].queue.push_back(process);
        self.run_next(node);
    }

    /// Begins the next piece of work if the processor is idle.
    fn run_next(&mut self, node: usize) {
        let processor = &mut self.processors[node];
        if processor.running.is_none() {
            processor.running = processor.queue.pop_front();
            let Some(process) = processor.running else { return };
            let longest = self.spec.machine.interface.time_slice_ps.unwrap_or(Time::MAX);
            let piece = self.processes[process].work.min(longest);
            self.processes[process].work -= piece;
            self.post(self.now + self.work_takes(node, piece), Event::Cpu { node });
        }
    }

    /// Whoever is not done joins the end of the queue, which is the front if nobody waits.
    pub fn piece_of_work_ends(&mut self, node: usize) {
        if self.has_costs() {
            return self.job_ends(node);
        }
        let process = self.processors[node].running.take().expect("somebody computes");
        if self.processes[process].work > 0 {
            self.processors[node].queue.push_back(process);
        } else {
            self.processes[process].state = State::GoingOn;
            self.going_on.push_back(process);
        }
        self.run_next(node);
    }
}
