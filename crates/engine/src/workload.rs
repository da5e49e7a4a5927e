//! What processes compute, send and receive.
//!
//! A process that can go on is asked for its instructions ([`Op`]) one by one
//! until it waits; what it waits for is reported back. The workload knows
//! messages and processor time, never channels or packets, and draws random
//! numbers only because of what a process does, never because of what the
//! network did.

mod collective;
mod external;
mod messages;
mod program;
mod sampler;
mod synthetic;

use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;
use collective::Collectives;
pub use collective::{Amount, Data, Made, Move, Moves, Plan, Teams};
pub use external::{Audience, Command, External, Filter, Instruction, Letter, Until, Wait};
use messages::MessageList;
use program::Programs;
use std::sync::Arc;
pub use synthetic::Destinations;
use synthetic::Synthetic;

/// An instruction to the node a process runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Use the processor for a time; the process waits until it has been computed.
    Compute(Time),
    /// The same, by a process alone on its processor that until one of its messages
    /// is acknowledged will only go on computing and have its messages dropped: it
    /// need not be looked at until then ([`Workload::pass`]).
    ComputeSaturated(Time),
    /// Send a message.
    Send(Send),
    /// Offer the messages that wait for this process to [`Workload::accepts`], oldest first.
    AcceptWaiting,
    /// Carry out what came from outside ([`External::take_command`]).
    Command,
    /// Meet the other members of a group ([`Workload::meets`]).
    Meet,
    /// Stop the run: what a process is to do does not agree with others ([`Workload::refused`]).
    Refuse,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The receiving process.
    pub to: ProcessId,
    /// What the receiver knows it by: an iteration, or a socket.
    pub tag: u32,
    /// Its length.
    pub bytes: u32,
    /// The virtual link it shares with other messages; [`LinkId::NONE`]: one of its own.
    pub link: LinkId,
    /// Whether the sender waits for this message's acknowledgement.
    pub blocking: bool,
    /// The group whose collective it is part of; [`TeamId::NONE`]: it is of no collective.
    pub team: TeamId,
}

/// What processes have done, apart from what the network sees of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Iterations completed.
    pub iterations: u64,
    /// Messages dropped by a throttle.
    pub dropped: u64,
}

/// The workload of one run.
// There is one of these in a run: its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Workload {
    /// The synthetic workload (D, r, n, c, m, M).
    Synthetic(Synthetic),
    /// Processes that follow written instructions.
    Programs(Programs),
    /// A list of messages.
    Messages(MessageList),
    /// Processes whose instructions come from outside.
    External(External),
}

/// Calls the method of the same name of whichever workload there is.
macro_rules! each {
    ($self:ident, $workload:ident => $call:expr) => {
        match $self {
            Workload::Synthetic($workload) => $call,
            Workload::Programs($workload) => $call,
            Workload::Messages($workload) => $call,
            Workload::External($workload) => $call,
        }
    };
}

impl Workload {
    /// Prepares a workload for a machine.
    ///
    /// # Errors
    /// Processes, destinations or sizes that the machine does not have.
    pub fn new(spec: &spec::Spec, topology: &Topology) -> Result<Self, SpecError> {
        let seed = spec.seed;
        let collectives = |processes| {
            let is_free = spec.mode == spec::Mode::Ideal;
            Collectives::new(&spec.machine.interface.collectives, processes, is_free)
        };
        Ok(match &spec.workload {
            spec::Workload::Synthetic(s) => Self::Synthetic(Synthetic::new(s, topology, seed)?),
            spec::Workload::Program(p) => {
                let collectives = collectives(p.processes.len());
                Self::Programs(Programs::new(p, topology, seed, collectives)?)
            }
            spec::Workload::Messages(m) => Self::Messages(MessageList::new(m, topology)?),
            spec::Workload::External(_) => {
                Self::External(External::new(topology, collectives(topology.nodes)))
            }
        })
    }

    /// The processes whose instructions come from outside, if these are such.
    #[inline]
    pub fn external(&mut self) -> Option<&mut External> {
        match self {
            Self::External(external) => Some(external),
            _ => None,
        }
    }

    /// The node of every process.
    pub fn placement(&self) -> Vec<NodeId> {
        each!(self, w => w.placement())
    }

    /// Number of virtual links shared by several messages.
    pub fn links(&self) -> usize {
        match self {
            Self::Programs(programs) => programs.links(),
            Self::Synthetic(_) | Self::Messages(_) | Self::External(_) => 0,
        }
    }

    /// When every process begins; none for a message list.
    pub fn starts(&self) -> Vec<Time> {
        match self {
            Self::Synthetic(synthetic) => synthetic.starts(),
            Self::Programs(programs) => programs.starts(),
            Self::Messages(_) => Vec::new(),
            Self::External(external) => vec![0; external.placement().len()],
        }
    }

    /// When a row of the message list is due.
    pub fn due(&self, row: u32) -> Option<Time> {
        match self {
            Self::Messages(messages) => messages.due(row),
            Self::Synthetic(_) | Self::Programs(_) | Self::External(_) => None,
        }
    }

    /// Messages of the message list.
    pub fn rows(&self) -> usize {
        match self {
            Self::Messages(messages) => messages.rows(),
            Self::Synthetic(_) | Self::Programs(_) | Self::External(_) => 0,
        }
    }

    /// What all processes together have done since time 0.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress(),
            Self::Programs(programs) => programs.progress(),
            Self::Messages(_) | Self::External(_) => Progress::default(),
        }
    }

    /// What one process has done since time 0.
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress_of(process),
            Self::Programs(programs) => programs.progress_of(process),
            Self::Messages(_) | Self::External(_) => Progress::default(),
        }
    }

    /// The next instruction of a process that can go on, or `None`: it waits.
    ///
    /// `waiting_data` tells the number of data packets in its node's output queue.
    #[inline]
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        match self {
            Self::Synthetic(synthetic) => synthetic.next(process, waiting_data),
            Self::Programs(programs) => programs.next(process),
            Self::External(external) => external.next(process),
            Self::Messages(_) => None,
        }
    }

    /// A saturated process has computed until `from`. If that is before `before`, its
    /// messages are dropped, its next iteration begins, and so on; until when it computes then.
    #[inline]
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        match self {
            Self::Synthetic(synthetic) => synthetic.pass(process, from, before),
            Self::Programs(_) | Self::Messages(_) | Self::External(_) => Time::MAX,
        }
    }

    /// A row of the message list: the sending process and the message.
    pub fn row(&self, row: u32) -> Option<(ProcessId, Send)> {
        match self {
            Self::Messages(messages) => Some(messages.row(row)),
            Self::Synthetic(_) | Self::Programs(_) | Self::External(_) => None,
        }
    }

    /// A process has computed; it can go on.
    #[inline]
    pub fn computed(&mut self, process: ProcessId) {
        match self {
            Self::Synthetic(synthetic) => synthetic.computed(process),
            Self::Programs(programs) => programs.computed(process),
            Self::External(external) => {
                external.collectives().computed(process);
            }
            Self::Messages(_) => {}
        }
    }

    /// Whether a process is ready for a message; if so it is now accepted.
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.accepts(process, tag),
            Self::Programs(programs) => programs.accepts(process, tag),
            Self::Messages(_) | Self::External(_) => true,
        }
    }

    /// A process has received a message it accepted; whether it can now go on.
    pub fn received(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.received(process, tag),
            Self::Programs(programs) => programs.received(process),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// A message of a process has been acknowledged; whether it can now go on.
    pub fn acknowledged(&mut self, process: ProcessId, blocking: bool) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.acknowledged(process),
            Self::Programs(programs) => blocking && programs.sent(process),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// The collectives of processes, if there can be any.
    #[inline]
    fn collectives(&mut self) -> Option<&mut Collectives> {
        match self {
            Self::Programs(programs) => Some(programs.collectives()),
            Self::External(external) => Some(external.collectives()),
            Self::Synthetic(_) | Self::Messages(_) => None,
        }
    }

    /// A message of a collective is there; whether its process can now go on.
    pub fn received_of(&mut self, team: TeamId, process: ProcessId, tag: u32) -> bool {
        self.collectives().is_some_and(|all| all.received(process, team, tag))
    }

    /// A message of a collective has been acknowledged; whether its sender can now go on.
    pub fn acknowledged_of_collective(&mut self, process: ProcessId) -> bool {
        self.collectives().is_some_and(|all| all.acknowledged(process))
    }

    /// A process meets others. If it is the last: who they are, and how long they stay.
    pub fn meets(&mut self, process: ProcessId) -> Option<(Arc<[u32]>, Time)> {
        self.collectives()?.meets(process)
    }

    /// A process that has met others leaves at an instant.
    pub fn leaves_at(&mut self, process: ProcessId, at: Time) {
        if let Some(all) = self.collectives() {
            all.leaves_at(process, at);
        }
    }

    /// Whether a process now leaves others it has met.
    pub fn leaves(&mut self, process: ProcessId, now: Time) -> bool {
        self.collectives().is_some_and(|all| all.leaves(process, now))
    }

    /// What a process was to do that does not agree with others.
    pub fn refused(&mut self) -> Option<SpecError> {
        match self {
            Self::Programs(programs) => programs.refused(),
            Self::Synthetic(_) | Self::Messages(_) | Self::External(_) => None,
        }
    }

    /// What a process waits for, if it is not finished.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        match self {
            Self::Synthetic(synthetic) => synthetic.waits_for(process),
            Self::Programs(programs) => programs.waits_for(process),
            // Of the rest their node knows.
            Self::External(external) => external.waits_for(process),
            Self::Messages(_) => None,
        }
    }
}
