//! What processes compute, send and receive.
//!
//! A workload answers what happens to its processes with [`Op`]s, the node's
//! instructions. It knows messages and processor time, never channels or
//! packets, and draws random numbers only because of what a process does, never
//! because of what the network did.

mod messages;
mod program;
mod sampler;
mod synthetic;

use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;
use messages::MessageList;
use program::Programs;
use std::collections::VecDeque;
pub use synthetic::Reach;
use synthetic::Synthetic;

/// An instruction to the node a process runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Use the processor for a time, then report [`Workload::computed`].
    Compute {
        /// Who.
        process: ProcessId,
        /// For how long.
        duration: Time,
    },
    /// Send a message.
    Send(Send),
    /// Offer the messages that wait for this process to [`Workload::accepts`], oldest first.
    AcceptWaiting {
        /// Who.
        process: ProcessId,
    },
    /// Report [`Workload::resumed`] at once.
    Resume {
        /// Who.
        process: ProcessId,
    },
    /// Count a completed iteration.
    Iterated {
        /// Who.
        process: ProcessId,
    },
}

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// The sending process.
    pub from: ProcessId,
    /// The receiving process.
    pub to: ProcessId,
    /// What the receiver knows it by: an iteration, or a socket.
    pub tag: u32,
    /// Its length.
    pub bytes: u32,
    /// The virtual link it shares with other messages; `None`: one of its own.
    pub link: Option<u32>,
    /// Whether the sender waits for this message's acknowledgement.
    pub blocking: bool,
}

/// Instructions still to be carried out, first in, first out.
pub type Ops = VecDeque<Op>;

/// The workload of one run.
pub enum Workload {
    /// The synthetic workload (D, r, n, c, m, M).
    Synthetic(Synthetic),
    /// Processes that follow written instructions.
    Programs(Programs),
    /// A list of messages.
    Messages(MessageList),
}

/// Calls the method of the same name of whichever workload there is.
macro_rules! each {
    ($self:ident, $workload:ident => $call:expr) => {
        match $self {
            Workload::Synthetic($workload) => $call,
            Workload::Programs($workload) => $call,
            Workload::Messages($workload) => $call,
        }
    };
}

impl Workload {
    /// Prepares a workload for a machine.
    ///
    /// # Errors
    /// Processes, destinations or sizes that the machine does not have.
    pub fn new(
        spec: &spec::Workload,
        topology: &Topology,
        seed: u64,
    ) -> Result<Self, SpecError> {
        Ok(match spec {
            spec::Workload::Synthetic(s) => {
                Self::Synthetic(Synthetic::new(s, topology, seed)?)
            }
            spec::Workload::Program(p) => Self::Programs(Programs::new(p, topology, seed)?),
            spec::Workload::Messages(m) => Self::Messages(MessageList::new(m, topology)?),
        })
    }

    /// The node of every process.
    pub fn placement(&self) -> Vec<NodeId> {
        each!(self, w => w.placement())
    }

    /// Number of virtual links shared by several messages.
    pub fn links(&self) -> usize {
        match self {
            Self::Programs(programs) => programs.links(),
            Self::Synthetic(_) | Self::Messages(_) => 0,
        }
    }

    /// When every process begins; none for a message list.
    pub fn starts(&self) -> Vec<Time> {
        match self {
            Self::Synthetic(synthetic) => synthetic.starts(),
            Self::Programs(programs) => programs.starts(),
            Self::Messages(_) => Vec::new(),
        }
    }

    /// When a row of the message list is due.
    pub fn due(&self, row: u32) -> Option<Time> {
        match self {
            Self::Messages(messages) => messages.due(row),
            Self::Synthetic(_) | Self::Programs(_) => None,
        }
    }

    /// A process begins.
    pub fn started(&mut self, process: ProcessId, ops: &mut Ops) {
        match self {
            Self::Synthetic(synthetic) => synthetic.started(process, ops),
            Self::Programs(programs) => programs.run(process, ops),
            Self::Messages(_) => {}
        }
    }

    /// A row of the message list is due.
    pub fn row(&mut self, row: u32, ops: &mut Ops) {
        if let Self::Messages(messages) = self {
            messages.row(row, ops);
        }
    }

    /// A process has computed.
    pub fn computed(&mut self, process: ProcessId, ops: &mut Ops) {
        match self {
            Self::Synthetic(synthetic) => synthetic.computed(process, ops),
            Self::Programs(programs) => programs.run(process, ops),
            Self::Messages(_) => {}
        }
    }

    /// A process that asked to be resumed is.
    pub fn resumed(&mut self, process: ProcessId, ops: &mut Ops) {
        if let Self::Programs(programs) = self {
            programs.run(process, ops);
        }
    }

    /// Whether a process may send one more message while so many data packets
    /// wait in its node; if so the message counts as sent.
    pub fn admits(&mut self, process: ProcessId, waiting_data: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.admits(process, waiting_data),
            Self::Programs(_) | Self::Messages(_) => true,
        }
    }

    /// Whether a process is ready for a message; if so it is now accepted.
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.accepts(process, tag),
            Self::Programs(programs) => programs.accepts(process, tag),
            Self::Messages(_) => true,
        }
    }

    /// A process has received a message it accepted.
    pub fn received(&mut self, process: ProcessId, tag: u32, ops: &mut Ops) {
        match self {
            Self::Synthetic(synthetic) => synthetic.received(process, tag, ops),
            Self::Programs(programs) => programs.received(process, ops),
            Self::Messages(_) => {}
        }
    }

    /// A message of a process has been acknowledged.
    pub fn acknowledged(&mut self, process: ProcessId, blocking: bool, ops: &mut Ops) {
        match self {
            Self::Synthetic(synthetic) => synthetic.acknowledged(process, ops),
            Self::Programs(programs) => programs.acknowledged(process, blocking, ops),
            Self::Messages(_) => {}
        }
    }

    /// What a process waits for, if it is not finished.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        match self {
            Self::Synthetic(synthetic) => Some(synthetic.waits_for(process)),
            Self::Programs(programs) => programs.waits_for(process),
            Self::Messages(_) => None,
        }
    }
}
