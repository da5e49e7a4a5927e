//! Processes whose instructions come from outside, while they run.
//!
//! There is one on every node. A process that has carried out all it was given *asks*, and
//! [`Simulation::advance`](crate::Simulation::advance) returns; whoever runs the simulation
//! gives it more. The instructions are those of [Buzzard & Mudge 1988], section 2.

use super::collective::{Collectives, Next, Part};
use super::instruction::Op;
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId};
use crate::spec::{self, Collective};
use crate::time::Time;
use crate::topology::{Neighbourhood, Topology};
use std::collections::VecDeque;

/// An instruction as it is given from outside.
///
/// Sends, broadcasts and receives are *operations*: they go on while the process does, and
/// are known by the number of operations the process was given before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Use the processor for a time; the process waits until it has been computed.
    Compute(Time),
    /// Send a message.
    Send(Letter, NodeId),
    /// Send a message to every other node: the nodes' interfaces pass it on along a tree.
    Broadcast(Letter),
    /// Send a message to several nodes, as the machine's multicasts are.
    Multicast(Letter, Vec<NodeId>),
    /// Send a message to some near neighbours.
    BroadcastNear(Letter, Vec<NodeId>),
    /// Be ready for a message.
    Receive(Filter),
    /// Wait for an operation.
    Wait(Wait),
    /// Give back the system buffer of a receive that the process was told of.
    Release(u32),
    /// Take part in a collective; the process waits until that is over for it.
    Together(Box<Collective>),
    /// Do nothing any more; the last instruction.
    End,
}

/// What is sent: all but to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its type: what a receive can choose by.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
}

/// Which message a receive takes, and where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The node it must come from; absent: any.
    pub source: Option<NodeId>,
    /// The type it must have; absent: any.
    pub tag: Option<u32>,
    /// Whether the process has a buffer for it; else it is left in the system's.
    pub has_buffer: bool,
}

impl Filter {
    /// Whether it takes a message.
    #[inline]
    pub fn takes(&self, source: NodeId, tag: u32) -> bool {
        self.source.is_none_or(|s| s == source) && self.tag.is_none_or(|t| t == tag)
    }
}

/// A wait for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its number.
    pub operation: u32,
    /// How far it must have come.
    pub until: Until,
}

/// How far an operation must have come. All are reached when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Anywhere: no wait, only a question.
    Now,
    /// Completion flag 1: it is in progress. A send: the header of the first packet has left
    /// the node. A receive: its message has begun to arrive, and a comparator follows it.
    InProgress,
    /// So many bytes of its message are there, and a comparator follows it.
    Bytes(u64),
    /// Completion flag 3. A send: its last packet has been acknowledged (of a broadcast, those
    /// the node itself sent). A receive: the whole message is there.
    Complete,
}

/// A checked instruction that the node's interface carries out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Send to one node or several.
    Transmit(Letter, Audience),
    /// Be ready for a message.
    Receive(Filter),
    /// Wait for an operation.
    Wait(Wait),
    /// Give back so many bytes of system buffers.
    Release(u64),
}

/// Who is sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// One node.
    Node(NodeId),
    /// These nodes, in this order, each by a message of its own.
    Nodes(Box<[NodeId]>),
    /// These nodes, in this order, as the machine's multicasts are.
    Several(Box<[NodeId]>),
    /// Every other node.
    Everybody,
}

/// All processes, by the number of their node.
pub struct External {
    processes: Vec<Process>,
    neighbourhood: Neighbourhood,
    /// Those that ask, in the order in which they became able to go on.
    asking: Vec<ProcessId>,
    /// How many of them have not been answered.
    unanswered: usize,
    /// The command that was the latest instruction, until it is taken.
    command: Option<Command>,
    collectives: Collectives,
    /// Messages whose arrival a node can follow at one time, if that is said.
    pub comparators: Option<u32>,
}

#[derive(Default)]
struct Process {
    given: VecDeque<Given>,
    /// Whether it is among those that ask.
    asks: bool,
    /// Whether it has been given something since.
    is_answered: bool,
    has_ended: bool,
    /// Operations it was given.
    operations: u32,
}

enum Given {
    Compute(Time),
    Command(Command),
    Together(Box<Part>),
    End,
}

impl External {
    /// One process on each node.
    pub fn new(spec: spec::External, topology: &Topology, collectives: Collectives) -> Self {
        Self {
            processes: (0..topology.nodes).map(|_| Process::default()).collect(),
            neighbourhood: Neighbourhood::new(topology),
            asking: Vec::new(),
            unanswered: 0,
            command: None,
            collectives,
            comparators: spec.comparators,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.processes.len()
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        (0..self.count()).map(NodeId::from_index).collect()
    }

    /// See [`super::Workload::next`]. Without one the process asks.
    #[inline]
    pub fn next(&mut self, number: ProcessId) -> Option<Op> {
        match self.collectives.next(number) {
            Next::Do(op) => return Some(op),
            Next::Waits => return None,
            Next::Over => {}
        }
        let process = &mut self.processes[number.index()];
        match process.given.pop_front() {
            Some(Given::Together(part)) => {
                self.collectives.begin(number, *part);
                self.next(number)
            }
            Some(Given::Compute(duration)) => Some(Op::Compute(duration)),
            Some(Given::Command(command)) => {
                self.command = Some(command);
                Some(Op::Command)
            }
            Some(Given::End) => {
                process.has_ended = true;
                None
            }
            None => {
                if !process.has_ended && !process.asks {
                    process.asks = true;
                    process.is_answered = false;
                    self.asking.push(number);
                    self.unanswered += 1;
                }
                None
            }
        }
    }

    /// The command that was the latest instruction: apart from it, so that instructions of
    /// other workloads stay small.
    pub fn take_command(&mut self) -> Option<Command> {
        self.command.take()
    }

    /// Who asks, in the order in which they became able to go on.
    pub fn asking(&self) -> &[ProcessId] {
        &self.asking
    }

    /// Whether nobody asks who was not answered.
    #[inline]
    pub fn is_answered(&self) -> bool {
        self.unanswered == 0
    }

    /// See [`super::Workload::take_answered`].
    pub fn take_answered(&mut self) -> Option<Vec<ProcessId>> {
        if !self.is_answered() {
            return None;
        }
        for number in &self.asking {
            self.processes[number.index()].asks = false;
        }
        Some(std::mem::take(&mut self.asking))
    }

    /// Whether a process has nothing more to do.
    pub fn has_ended(&self, process: ProcessId) -> bool {
        self.processes[process.index()].has_ended
    }

    /// The near neighbours of a node.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        self.neighbourhood.of(node)
    }

    /// Gives an instruction to a process that asks; `release` tells how many bytes of system
    /// buffers a receive holds, and frees it from them.
    ///
    /// # Errors
    /// What the process or the machine cannot do.
    pub fn give(
        &mut self,
        number: ProcessId,
        instruction: Instruction,
        release: impl FnOnce(u32) -> Option<u64>,
    ) -> Result<(), SpecError> {
        let given = self.check(number, instruction, release)?;
        let process = &mut self.processes[number.index()];
        if !process.is_answered {
            process.is_answered = true;
            self.unanswered -= 1;
        }
        let is_operation =
            matches!(given, Given::Command(Command::Transmit(..) | Command::Receive(_)));
        process.operations += u32::from(is_operation);
        process.given.push_back(given);
        Ok(())
    }

    fn check(
        &mut self,
        number: ProcessId,
        instruction: Instruction,
        release: impl FnOnce(u32) -> Option<u64>,
    ) -> Result<Given, SpecError> {
        let operations = self.processes.get(number.index()).map_or(0, |process| process.operations);
        let refuse = |what: &str, given: String, allowed: &str| {
            let field = format!("process {}, operation {operations}", number.0);
            Err(SpecError::new(format!("{field}: {what}"), given, allowed))
        };
        if !self.processes.get(number.index()).is_some_and(|process| process.asks) {
            let allowed = "must be one that asks";
            return Err(SpecError::new("process", number.0, allowed));
        }
        Ok(match instruction {
            Instruction::Compute(duration) => Given::Compute(duration),
            Instruction::Send(letter, to) => {
                if to.index() >= self.processes.len() {
                    let allowed = format!("must be a node, 0 to {}", self.processes.len() - 1);
                    return refuse("send", to.0.to_string(), &allowed);
                }
                Given::Command(Command::Transmit(letter, Audience::Node(to)))
            }
            Instruction::Broadcast(letter) => {
                Given::Command(Command::Transmit(letter, Audience::Everybody))
            }
            Instruction::Multicast(letter, to) => {
                let last = self.processes.len() - 1;
                if to.is_empty() {
                    return refuse("send", "no node".into(), "must be to at least one");
                }
                if let Some(node) = to.iter().find(|node| node.index() > last) {
                    let allowed = format!("must be nodes, 0 to {last}");
                    return refuse("send", node.0.to_string(), &allowed);
                }
                let mut sorted = to.clone();
                sorted.sort_unstable();
                if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    return refuse("send", pair[0].0.to_string(), "must be there once");
                }
                Given::Command(Command::Transmit(letter, Audience::Several(to.into())))
            }
            Instruction::BroadcastNear(letter, to) => {
                let near = self.neighbours(NodeId(number.0));
                if to.is_empty() {
                    return refuse("broadcast", "no node".into(), "must be to at least one");
                }
                if let Some(far) = to.iter().find(|node| !near.contains(node)) {
                    let near: Vec<_> = near.iter().map(|node| node.0).collect();
                    let allowed = format!("must be near neighbours: {near:?}");
                    return refuse("broadcast", far.0.to_string(), &allowed);
                }
                Given::Command(Command::Transmit(letter, Audience::Nodes(to.into())))
            }
            Instruction::Receive(filter) => {
                if let Some(source) = filter.source.filter(|s| s.index() >= self.processes.len()) {
                    let allowed = format!("must be a node, 0 to {}", self.processes.len() - 1);
                    return refuse("receive", source.0.to_string(), &allowed);
                }
                Given::Command(Command::Receive(filter))
            }
            Instruction::Wait(wait) => {
                if wait.operation >= self.operations(number) {
                    let allowed = "must be an operation it was given before";
                    return refuse("wait", wait.operation.to_string(), allowed);
                }
                Given::Command(Command::Wait(wait))
            }
            Instruction::Release(operation) => {
                let Some(bytes) = release(operation) else {
                    let allowed = "must be a receive whose system buffer it was told of and holds";
                    return refuse("release", operation.to_string(), allowed);
                };
                Given::Command(Command::Release(bytes))
            }
            Instruction::Together(call) => {
                let field = format!("process {}: {}", number.0, call.operation.name());
                let team = self.collectives.team(call.group.as_deref(), &field)?;
                Given::Together(Box::new(self.collectives.join(number, team, &call, &field)?))
            }
            Instruction::End => Given::End,
        })
    }

    /// The collectives of the processes.
    #[inline]
    pub fn collectives(&mut self) -> &mut Collectives {
        &mut self.collectives
    }

    /// What a process waits for, if it is in a collective.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        self.collectives.waits_for(process)
    }

    fn operations(&self, process: ProcessId) -> u32 {
        self.processes[process.index()].operations
    }
}
