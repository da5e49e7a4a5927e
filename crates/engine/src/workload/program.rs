//! Processes that follow written instructions.

use super::collective::{Collectives, Next};
use super::instruction::{Op, Progress, Send, Several};
use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::rng::{Purpose, Stream};
use crate::spec::{Collective, Program, Step};
use crate::time::Time;
use crate::topology::Topology;
use std::collections::HashMap;
use std::sync::Arc;

/// All processes of a program.
pub struct Programs {
    processes: Vec<Process>,
    program: Program,
    /// Virtual link of every `send`, by process and step; unused elsewhere.
    link_of: Vec<Vec<LinkId>>,
    links: usize,
    /// The collective of a step, where there are any, and its group.
    called: Called,
    collectives: Collectives,
    /// To whom multicasts are sent, by process and step.
    several: HashMap<(usize, usize), Arc<[u32]>>,
    /// What does not agree with what other processes were to do.
    refused: Option<SpecError>,
    seed: u64,
    progress: Progress,
}

/// Collectives and their groups, by process and step.
type Called = HashMap<(usize, usize), (Arc<Collective>, TeamId)>;

struct Process {
    /// Next instruction.
    step: usize,
    /// Times the instructions have been carried out.
    iterations: u64,
    state: State,
    compute: Stream,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Starting,
    Running,
    Computing,
    /// In a blocking send.
    Sending,
    /// In a receive on a socket, or on any; `accepted`: a message is on its way in.
    Receiving {
        socket: Option<u32>,
        accepted: bool,
    },
    /// In a collective.
    Together,
    Finished,
}

impl Programs {
    /// Checks a program against a machine and prepares it.
    pub fn new(
        program: &Program,
        topology: &Topology,
        seed: u64,
        mut collectives: Collectives,
    ) -> Result<Self, SpecError> {
        check(program, topology)?;
        let called = called(program, &mut collectives)?;
        let mut links = HashMap::new();
        let link_of = program.processes.iter().enumerate().map(|(from, process)| {
            let link = |step: &Step| match *step {
                Step::Send { process: to, socket, .. } => {
                    let next = LinkId::from_index(links.len());
                    *links.entry((from, to, socket)).or_insert(next)
                }
                _ => LinkId::NONE,
            };
            process.steps.iter().map(link).collect()
        });
        let link_of = link_of.collect();
        let several = several(program);
        let process = |number: usize| Process {
            step: 0,
            iterations: 0,
            state: State::Starting,
            compute: Stream::new(seed, Purpose::Compute, number as u32),
        };
        Ok(Self {
            processes: (0..program.processes.len()).map(process).collect(),
            program: program.clone(),
            link_of,
            links: links.len(),
            called,
            collectives,
            several,
            refused: None,
            seed,
            progress: Progress::default(),
        })
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        self.program.processes.iter().map(|process| NodeId(process.node)).collect()
    }

    /// See [`super::Workload::links`].
    pub fn links(&self) -> usize {
        self.links
    }

    /// See [`super::Workload::starts`].
    pub fn starts(&self) -> Vec<Time> {
        let start = |(number, process): (usize, &crate::spec::ProcessProgram)| {
            let mut stream = Stream::new(self.seed, Purpose::Start, number as u32);
            process.start_ps + stream.below(process.start_window_ps)
        };
        self.program.processes.iter().enumerate().map(start).collect()
    }

    /// See [`super::Workload::progress`].
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// See [`super::Workload::progress_of`].
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        Progress { iterations: self.processes[process.index()].iterations, dropped: 0 }
    }

    /// See [`super::Workload::call_of`]: the number of the step it carries out.
    pub fn call_of(&self, process: ProcessId) -> u32 {
        self.processes[process.index()].step.saturating_sub(1) as u32
    }

    /// See [`super::Workload::next`].
    pub fn next(&mut self, process: ProcessId) -> Option<Op> {
        let program = &self.program.processes[process.index()];
        let state = &mut self.processes[process.index()];
        match state.state {
            State::Starting => state.state = State::Running,
            State::Running => {}
            State::Together => match self.collectives.next(process) {
                Next::Do(op) => return Some(op),
                Next::Waits => return None,
                Next::Over => state.state = State::Running,
            },
            _ => return None,
        }
        if state.step == program.steps.len() {
            state.step = 0;
            state.iterations += 1;
            self.progress.iterations += 1;
        }
        if program.repeat.is_some_and(|repeat| state.iterations >= repeat) {
            state.state = State::Finished;
            return None;
        }
        let link = self.link_of[process.index()][state.step];
        let place = state.step;
        let step = &program.steps[place];
        state.step += 1;
        Some(match *step {
            Step::Compute { duration } => {
                state.state = State::Computing;
                Op::Compute(super::sampler::draw(&duration, &mut state.compute))
            }
            Step::Send { process: to, socket, bytes, blocking } => {
                if blocking {
                    state.state = State::Sending;
                }
                let to = ProcessId(to);
                let team = TeamId::NONE;
                Op::Send(Send { to, tag: socket, bytes, link, blocking, team, traffic: 0 })
            }
            Step::Multicast { .. } => Op::Multicast,
            Step::Receive { socket } => {
                state.state = State::Receiving { socket, accepted: false };
                Op::AcceptWaiting
            }
            Step::Barrier { .. } | Step::Collective(_) => {
                state.state = State::Together;
                return self.meets_others(process, place);
            }
        })
    }

    /// See [`super::Workload::several`].
    pub fn several(&self, process: ProcessId) -> Option<Several> {
        let (process, place) = (process.index(), self.call_of(process) as usize);
        let Step::Multicast { socket, bytes, .. } =
            self.program.processes[process].steps.get(place)?
        else {
            return None;
        };
        let (tag, bytes) = (*socket, *bytes);
        let (to, link, team) = (ProcessId(0), LinkId::NONE, TeamId::NONE);
        let send = Send { to, tag, bytes, link, blocking: false, team, traffic: 0 };
        Some(Several { to: self.several.get(&(process, place))?.clone(), send })
    }

    /// A process comes to a collective: what it does first.
    fn meets_others(&mut self, process: ProcessId, step: usize) -> Option<Op> {
        let (call, team) = self.called.get(&(process.index(), step))?;
        let field = field_of(process.index(), step);
        match self.collectives.join(process, *team, call, &field) {
            Ok(part) => {
                self.collectives.begin(process, part);
                self.next(process)
            }
            Err(error) => {
                self.refused = Some(error);
                Some(Op::Refuse)
            }
        }
    }

    /// The collectives of its processes.
    #[inline]
    pub fn collectives(&mut self) -> &mut Collectives {
        &mut self.collectives
    }

    /// See [`super::Workload::refused`].
    pub fn refused(&mut self) -> Option<SpecError> {
        self.refused.take()
    }

    /// See [`super::Workload::computed`].
    pub fn computed(&mut self, process: ProcessId) {
        if self.collectives.computed(process) {
            return;
        }
        self.processes[process.index()].state = State::Running;
    }

    /// See [`super::Workload::accepts`].
    pub fn accepts(&mut self, process: ProcessId, on: u32) -> bool {
        match &mut self.processes[process.index()].state {
            State::Receiving { socket, accepted }
                if !*accepted && socket.is_none_or(|s| s == on) =>
            {
                *accepted = true;
                true
            }
            _ => false,
        }
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId) -> bool {
        self.processes[process.index()].state = State::Running;
        true
    }

    /// A blocking send of a process has been acknowledged.
    pub fn sent(&mut self, process: ProcessId) -> bool {
        self.processes[process.index()].state = State::Running;
        true
    }

    /// See [`super::Workload::has_ended`].
    pub fn has_ended(&self, process: ProcessId) -> bool {
        self.processes[process.index()].state == State::Finished
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        let state = &self.processes[process.index()];
        let step = &self.program.processes[process.index()].steps[state.step.max(1) - 1];
        match (state.state, step) {
            (State::Finished, _) => None,
            (State::Together, _) => self.collectives.waits_for(process),
            (State::Sending, Step::Send { process: to, socket, .. }) => {
                Some(format!("process {to} to receive its message on socket {socket}"))
            }
            (State::Receiving { accepted: true, .. }, _) => {
                Some("the rest of a message it has begun to receive".into())
            }
            (State::Receiving { socket: Some(socket), .. }, _) => {
                let senders = &self.program.processes[process.index()].sockets;
                Some(match senders.get(socket as usize) {
                    Some(Some(peer)) => {
                        format!("a message from process {peer} on socket {socket}")
                    }
                    _ => format!("a message on socket {socket}"),
                })
            }
            (State::Receiving { socket: None, .. }, _) => Some("a message on any socket".into()),
            _ => Some("the processor".into()),
        }
    }
}

/// To whom the multicasts of a program are sent, by process and step.
fn several(program: &Program) -> HashMap<(usize, usize), Arc<[u32]>> {
    let mut several = HashMap::new();
    for (number, process) in program.processes.iter().enumerate() {
        for (place, step) in process.steps.iter().enumerate() {
            if let Step::Multicast { processes, .. } = step {
                several.insert((number, place), processes.as_slice().into());
            }
        }
    }
    several
}

fn field_of(process: usize, step: usize) -> String {
    format!("workload.processes[{process}].steps[{step}]")
}

/// The collectives of a program's steps, and their groups, checked.
fn called(program: &Program, collectives: &mut Collectives) -> Result<Called, SpecError> {
    let mut called = HashMap::new();
    for (process, steps) in program.processes.iter().enumerate() {
        for (place, step) in steps.steps.iter().enumerate() {
            let call = match step {
                Step::Barrier { group, method } => Collective::barrier(group.clone(), *method),
                Step::Collective(call) => call.clone(),
                Step::Compute { .. }
                | Step::Send { .. }
                | Step::Multicast { .. }
                | Step::Receive { .. } => continue,
            };
            let field = field_of(process, place);
            let team = collectives.team(call.group.as_deref(), &field)?;
            collectives.check(team, process as u32, &call, &field)?;
            called.insert((process, place), (Arc::new(Collective { group: None, ..call }), team));
        }
    }
    Ok(called)
}

fn check(program: &Program, topology: &Topology) -> Result<(), SpecError> {
    if program.processes.is_empty() {
        return Err(SpecError::new("workload.processes", "none", "must be at least one"));
    }
    for (number, process) in program.processes.iter().enumerate() {
        let field = |name: &str| format!("workload.processes[{number}].{name}");
        if process.node as usize >= topology.nodes {
            let allowed = format!("must be a node, 0 to {}", topology.nodes - 1);
            return Err(SpecError::new(field("node"), process.node, allowed));
        }
        if process.steps.is_empty() {
            return Err(SpecError::new(field("steps"), "none", "must be at least one"));
        }
        for (place, step) in process.steps.iter().enumerate() {
            let field = field(&format!("steps[{place}]"));
            check_step(program, number, step, &field)?;
        }
    }
    Ok(())
}

/// Refuses a receiver, or a socket of one, that a process cannot send to.
fn check_receiver(
    program: &Program,
    from: usize,
    (to, socket): (u32, u32),
    field: &str,
    name: &str,
) -> Result<(), SpecError> {
    let Some(receiver) = program.processes.get(to as usize) else {
        let allowed = format!("must be a process, 0 to {}", program.processes.len() - 1);
        return Err(SpecError::new(format!("{field}.{name}"), to, allowed));
    };
    let allowed = match receiver.sockets.get(socket as usize) {
        None => format!("process {to} has {} sockets", receiver.sockets.len()),
        Some(Some(peer)) if *peer as usize != from => {
            format!("only process {peer} may send to this socket of process {to}")
        }
        Some(_) => return Ok(()),
    };
    Err(SpecError::new(format!("{field}.socket"), socket, allowed))
}

fn check_step(program: &Program, from: usize, step: &Step, field: &str) -> Result<(), SpecError> {
    match *step {
        Step::Compute { ref duration } => super::sampler::check(field, duration),
        Step::Send { process: to, socket, .. } => {
            check_receiver(program, from, (to, socket), field, "process")
        }
        Step::Multicast { ref processes, socket, .. } => {
            let name = format!("{field}.processes");
            if processes.is_empty() {
                return Err(SpecError::new(name, "none", "must be at least one"));
            }
            let mut sorted = processes.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(SpecError::new(name, pair[0], "must be there once"));
            }
            let check = |&to: &u32| check_receiver(program, from, (to, socket), field, "processes");
            processes.iter().try_for_each(check)
        }
        Step::Receive { socket: Some(socket) }
            if socket as usize >= program.processes[from].sockets.len() =>
        {
            Err(SpecError::new(
                format!("{field}.socket"),
                socket,
                format!("the process has {} sockets", program.processes[from].sockets.len()),
            ))
        }
        Step::Receive { .. } | Step::Barrier { .. } | Step::Collective(_) => Ok(()),
    }
}
