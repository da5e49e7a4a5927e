//! Traffic of several classes: on every node a source of each, and who answers requests.
//!
//! Every class has a process on every node, class by class. The process of a class of *replies*
//! only answers: it is sent the requests, and sends a reply back for each, in their order.

mod answers;

use super::instruction::{Op, Progress, Send, Timer};
use super::sampler::Sampler;
use super::synthetic::{Destinations, Lengths, check_counts};
use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::rng::{Purpose, Stream};
use crate::spec::{self, Start, Throttle};
use crate::time::Time;
use crate::topology::Topology;
use answers::{Answers, Request};

/// The traffic at work.
pub struct Traffic {
    nodes: usize,
    classes: Vec<Class>,
    /// By process: class by class, of each the nodes.
    processes: Vec<Process>,
    answers: Answers,
    progress: Progress,
}

/// A traffic class: what its processes send.
struct Class {
    lengths: Lengths,
    /// What its sources do; none: it answers.
    source: Option<Source>,
    progress: Progress,
}

/// What the sources of a class do.
struct Source {
    seed: u64,
    start: Start,
    gap: spec::Distribution,
    gaps: Sampler,
    destinations: Destinations,
    /// By node, for destinations.
    streams: Vec<Stream>,
    throttle: Throttle,
    repeat: Option<u32>,
    reply: Option<Reply>,
}

/// How requests are answered.
struct Reply {
    /// The class that does.
    class: usize,
    /// How long replies are.
    lengths: Lengths,
    /// The length of the reply to each of the lengths of requests, instead; empty: as above.
    bytes: Vec<u64>,
}

/// Where a process stands.
#[derive(Clone, Copy)]
struct Process {
    phase: Phase,
    /// Messages sent or dropped.
    done: u32,
    /// Those sent that have not been acknowledged, or answered if they are requests.
    open: u32,
    dropped: u64,
}

const IDLE: Process = Process { phase: Phase::Begin, done: 0, open: 0, dropped: 0 };

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It has sent, or begins.
    Begin,
    /// Until its next message is due.
    Pausing,
    /// It is.
    Due,
    /// A request is due, which waits for a reply to one of those before it.
    Full,
    /// All messages are sent.
    Finished,
    /// It sends when it is asked.
    Answers,
}

impl Traffic {
    /// Prepares the traffic for a machine.
    ///
    /// # Errors
    /// Patterns, lengths or times that are not possible; replies of what is no class of replies.
    pub fn new(spec: &spec::Traffic, topology: &Topology, seed: u64) -> Result<Self, SpecError> {
        check(&spec.classes)?;
        let nodes = topology.nodes;
        let mut classes = Vec::new();
        let mut processes = Vec::new();
        for (number, given) in spec.classes.iter().enumerate() {
            // The first class draws what the synthetic workload draws.
            let seed = seed.wrapping_add((number as u64) << 32);
            let field = |error: SpecError| of_class(number, error);
            check_counts(&given.messages).map_err(field)?;
            let lengths = Lengths::new(&given.messages, nodes, seed).map_err(field)?;
            let source = if answers(&spec.classes, number) {
                None
            } else {
                Some(Source::new(&spec.classes, number, topology, seed).map_err(field)?)
            };
            let phase = if source.is_some() { Phase::Begin } else { Phase::Answers };
            processes.resize(processes.len() + nodes, Process { phase, ..IDLE });
            classes.push(Class { lengths, source, progress: Progress::default() });
        }
        let answers = Answers::new(processes.len());
        Ok(Self { nodes, classes, processes, answers, progress: Progress::default() })
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        (0..self.processes.len()).map(|number| NodeId::from_index(number % self.nodes)).collect()
    }

    /// How many classes there are, and which of them answers each.
    pub fn replies(&self) -> Vec<Option<u32>> {
        let reply = |class: &Class| Some(class.source.as_ref()?.reply.as_ref()?.class as u32);
        self.classes.iter().map(reply).collect()
    }

    /// The class of a process.
    #[inline]
    pub fn class_of(&self, process: ProcessId) -> usize {
        process.index() / self.nodes
    }

    /// See [`super::Workload::starts`].
    pub fn starts(&self) -> Vec<Time> {
        let start = |number: usize| match &self.classes[number / self.nodes].source {
            Some(source) => source.starts(number % self.nodes),
            None => 0,
        };
        (0..self.processes.len()).map(start).collect()
    }

    /// See [`super::Workload::progress`].
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// See [`super::Workload::progress_of_class`].
    pub fn progress_of_class(&self, class: usize) -> Progress {
        self.classes[class].progress
    }

    /// See [`super::Workload::progress_of`].
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        let state = &self.processes[process.index()];
        Progress { iterations: state.done.into(), dropped: state.dropped }
    }

    /// See [`super::Workload::next`].
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        loop {
            let (class, node) = (self.class_of(process), process.index() % self.nodes);
            let Some(source) = &mut self.classes[class].source else {
                return self.answer(process).map(Op::Send);
            };
            let state = &mut self.processes[process.index()];
            match state.phase {
                Phase::Begin if source.repeat == Some(state.done) => {
                    state.phase = Phase::Finished;
                }
                Phase::Begin => {
                    state.phase = Phase::Pausing;
                    let gap = source.gaps.draw(node);
                    if gap > 0 {
                        let computes = false;
                        return Some(Op::Timer(Timer { after: gap, tag: 0, computes }));
                    }
                    state.phase = Phase::Due;
                }
                Phase::Due | Phase::Full => {
                    if source.destinations.is_silent(node) {
                        self.is_done(process);
                        continue;
                    }
                    let is_full = match source.throttle {
                        Throttle::Outstanding { limit } => state.open >= limit,
                        Throttle::QueueLength { limit } => waiting_data() >= limit,
                    };
                    if is_full && source.reply.is_some() {
                        state.phase = Phase::Full;
                        return None;
                    }
                    let send = self.message(process, class, node);
                    self.is_done(process);
                    let state = &mut self.processes[process.index()];
                    if !is_full {
                        state.open += 1;
                        return Some(Op::Send(send));
                    }
                    state.dropped += 1;
                    self.progress.dropped += 1;
                    self.classes[class].progress.dropped += 1;
                }
                Phase::Pausing | Phase::Finished | Phase::Answers => return None,
            }
        }
    }

    /// A process has done with a message, sent or not.
    fn is_done(&mut self, process: ProcessId) {
        let state = &mut self.processes[process.index()];
        if state.phase != Phase::Answers {
            state.phase = Phase::Begin;
        }
        state.done += 1;
        self.progress.iterations += 1;
        let class = self.class_of(process);
        self.classes[class].progress.iterations += 1;
    }

    /// The next message of a source. Its random numbers are drawn whether it is sent or not.
    fn message(&mut self, process: ProcessId, class: usize, node: usize) -> Send {
        let Class { lengths, source: Some(source), .. } = &mut self.classes[class] else {
            unreachable!("a class of replies draws nothing")
        };
        let (bytes, portion) = lengths.draw_portion(node);
        let place = source.destinations.draw(node, &mut source.streams[node]);
        let to = source.destinations.process_at(node, place);
        let Some(reply) = &mut source.reply else {
            let to = ProcessId::from_index(class * self.nodes + to);
            return send(to, (bytes, 0), class);
        };
        let reply_bytes = match reply.bytes.get(portion) {
            Some(&bytes) => bytes,
            None => reply.lengths.draw(node),
        };
        let to = ProcessId::from_index(reply.class * self.nodes + to);
        let request = Request { asker: process, bytes: reply_bytes };
        send(to, (bytes, self.answers.open(request)), class)
    }

    /// The next reply of a process that answers.
    fn answer(&mut self, process: ProcessId) -> Option<Send> {
        let (number, Request { asker, bytes }) = self.answers.next(process)?;
        self.is_done(process);
        Some(send(asker, (bytes, number), self.class_of(process)))
    }

    /// See [`super::Workload::rings`].
    pub fn rings(&mut self, process: ProcessId) {
        self.processes[process.index()].phase = Phase::Due;
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId, number: u32) -> bool {
        match &self.classes[self.class_of(process)].source {
            None => {
                self.answers.arrives(process, number);
                true
            }
            Some(source) if source.reply.is_some() => {
                self.answers.close(number);
                let state = &mut self.processes[process.index()];
                state.open -= 1;
                state.phase == Phase::Full
            }
            Some(_) => false,
        }
    }

    /// See [`super::Workload::acknowledged`].
    pub fn acknowledged(&mut self, process: ProcessId) -> bool {
        let source = self.classes[self.class_of(process)].source.as_ref();
        if source.is_some_and(|source| source.reply.is_none()) {
            self.processes[process.index()].open -= 1;
        }
        false
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        let state = &self.processes[process.index()];
        let source = self.classes[self.class_of(process)].source.as_ref()?;
        if state.open > 0 && source.reply.is_some() {
            return Some(format!("replies to {} requests", state.open));
        }
        (state.phase != Phase::Finished).then(|| "its next message".into())
    }
}

/// A message of a class, of such a length and with such a number.
fn send(to: ProcessId, (bytes, number): (u64, u32), class: usize) -> Send {
    Send {
        to,
        tag: number,
        bytes,
        link: LinkId::NONE,
        blocking: false,
        team: TeamId::NONE,
        traffic: class as u8,
    }
}

impl Source {
    /// The sources of a class of `all`.
    fn new(
        all: &[spec::Source],
        number: usize,
        topology: &Topology,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let (given, nodes) = (&all[number], topology.nodes);
        let messages = &given.messages;
        let gaps =
            Sampler::new("workload.compute", messages.compute, Purpose::Compute, nodes, seed)?;
        let destinations = Destinations::new(messages, topology)?;
        let gaps = gaps.multiplied((0..nodes).map(|node| destinations.period(node)));
        let stream = |node| Stream::new(seed, Purpose::Destination, node);
        let reply = match given.reply {
            None => None,
            Some(class) => {
                let lengths = &all[class as usize].messages;
                // Their own stream: how long a request is says nothing of the reply.
                let lengths = Lengths::new(lengths, nodes, seed ^ (1 << 63))?;
                Some(Reply { class: class as usize, lengths, bytes: given.reply_bytes.clone() })
            }
        };
        Ok(Self {
            seed,
            start: messages.start,
            gap: messages.compute,
            gaps,
            destinations,
            streams: (0..nodes as u32).map(stream).collect(),
            throttle: messages.throttle,
            repeat: messages.repeat,
            reply,
        })
    }

    /// When that of a node begins.
    fn starts(&self, node: usize) -> Time {
        match self.start {
            Start::Together => 0,
            Start::Random => {
                Stream::new(self.seed, Purpose::Start, node as u32).below(self.gap.mean)
            }
        }
    }
}

/// A mistake in a field of the synthetic workload, as one of a class.
fn of_class(number: usize, error: SpecError) -> SpecError {
    let field = match error.field.strip_prefix("workload.") {
        Some(field) => format!("workload.traffic_class[{number}].{field}"),
        None => error.field,
    };
    SpecError { field, ..error }
}

fn check(classes: &[spec::Source]) -> Result<(), SpecError> {
    if classes.is_empty() {
        return Err(SpecError::new("workload.traffic_class", "[]", "must have one at least"));
    }
    let refuse = |number: usize, field: &str, given: String, allowed: &str| {
        let field = format!("workload.traffic_class[{number}].{field}");
        Err(SpecError::new(field, given, allowed))
    };
    for (number, class) in classes.iter().enumerate() {
        let messages = &class.messages;
        let is_fast = messages.compute.mean == 0;
        let Some(reply) = class.reply else {
            if is_fast && !answers(classes, number) {
                let allowed = "must be above zero: nothing else takes time";
                return refuse(number, "compute.mean", "0".into(), allowed);
            }
            continue;
        };
        let other = classes.get(reply as usize);
        if reply as usize == number || other.is_none_or(|other| other.reply.is_some()) {
            let allowed = "must be another class, which asks for no reply";
            return refuse(number, "reply", reply.to_string(), allowed);
        }
        let lengths = class.reply_bytes.len();
        if lengths > 0 && lengths != messages.mix.len() {
            let allowed = format!("must be one for each length: {}", messages.mix.len());
            return refuse(number, "reply_bytes", lengths.to_string(), &allowed);
        }
        if !matches!(messages.throttle, Throttle::Outstanding { .. }) {
            let allowed = "must be outstanding where replies are waited for";
            return refuse(number, "throttle", "queue_length".into(), allowed);
        }
        if is_fast && messages.includes_self {
            let allowed = "must be above zero where nodes ask themselves: nothing takes time";
            return refuse(number, "compute.mean", "0".into(), allowed);
        }
    }
    Ok(())
}

/// Whether a class answers another.
fn answers(classes: &[spec::Source], number: usize) -> bool {
    classes.iter().any(|class| class.reply == Some(number as u32))
}
