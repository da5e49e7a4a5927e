//! What processes compute, send and receive.
//!
//! A process that can go on is asked for its instructions ([`Op`]) one by one
//! until it waits; what it waits for is reported back. The workload knows
//! messages and processor time, never channels or packets, and draws random
//! numbers only because of what a process does, never because of what the
//! network did.

mod collective;
mod external;
mod jobs;
mod messages;
mod outside;
mod program;
mod sampler;
mod synthetic;
pub mod trace;
mod traffic;

use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;
use collective::Collectives;
pub use collective::{Amount, Data, Made, Move, Moves, Plan, Teams};
pub use external::{Audience, Command, External, Filter, Instruction, Letter, Until, Wait};
use jobs::Jobs;
pub use jobs::job_machine;
use messages::MessageList;
use program::Programs;
use std::sync::Arc;
pub use synthetic::Destinations;
use synthetic::Synthetic;
use trace::Ranks;
use traffic::Traffic;

/// An instruction to the node a process runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Use the processor for a time; the process waits until it has been computed.
    Compute(Time),
    /// The same, by a process alone on its processor that until one of its messages
    /// is acknowledged will only go on computing and have its messages dropped: it
    /// need not be looked at until then ([`Workload::pass`]).
    ComputeSaturated(Time),
    /// Let the process go on after a time ([`Workload::rings`]); meanwhile it does other things.
    Timer(Timer),
    /// Send a message.
    Send(Send),
    /// Send a message to several processes ([`Workload::several`]).
    Multicast,
    /// Offer the messages that wait for this process to [`Workload::accepts`], oldest first.
    AcceptWaiting,
    /// Carry out what came from outside ([`External::take_command`]).
    Command,
    /// Meet the other members of a group ([`Workload::meets`]).
    Meet,
    /// Stop the run: what a process is to do does not agree with others ([`Workload::refused`]).
    Refuse,
}

/// A time that a process waits for while it does other things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    /// How long it is.
    pub after: Time,
    /// What the process knows it by.
    pub tag: u32,
    /// Whether a CPU of the process computes meanwhile.
    pub computes: bool,
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
    /// The traffic class that the network knows it by.
    pub traffic: u8,
}

/// A message to several processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// Who receives it, in order, counted from [`Send::to`] of `send`.
    pub to: Arc<[u32]>,
    /// All else of the message to each.
    pub send: Send,
}

/// What processes have done, apart from what the network sees of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Iterations completed.
    pub iterations: u64,
    /// Messages dropped by a throttle.
    pub dropped: u64,
}

/// What the machine says of collectives and nodes.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    collectives: &'a spec::Collectives,
    /// What is no messages costs nothing, nor what stays within a node.
    is_free: bool,
    /// Messages cost something in software.
    has_costs: bool,
    /// How messages of a node to itself are delivered.
    local: spec::Local,
    /// Instead of nodes and a network.
    loggops: Option<spec::LogGops>,
}

/// The workload of one run.
// There is one of these in a run: its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Workload {
    /// The synthetic workload (D, r, n, c, m, M).
    Synthetic(Synthetic),
    /// Processes that follow written instructions.
    Programs(Programs),
    /// Sources of several traffic classes.
    Traffic(Traffic),
    /// A list of messages.
    Messages(MessageList),
    /// Processes whose instructions come from outside.
    External(External),
    /// Ranks of a trace.
    Trace(Ranks),
    /// Several of these side by side.
    Jobs(Jobs),
}

/// Calls the method of the same name of whichever workload there is.
macro_rules! each {
    ($self:ident, $workload:ident => $call:expr) => {
        match $self {
            Workload::Synthetic($workload) => $call,
            Workload::Programs($workload) => $call,
            Workload::Traffic($workload) => $call,
            Workload::Messages($workload) => $call,
            Workload::External($workload) => $call,
            Workload::Trace($workload) => $call,
            Workload::Jobs($workload) => $call,
        }
    };
}

impl Workload {
    /// Prepares a workload for a machine.
    ///
    /// # Errors
    /// Processes, destinations or sizes that the machine does not have.
    pub fn new(spec: &spec::Spec, topology: &Topology) -> Result<Self, SpecError> {
        let rules = Rules {
            collectives: &spec.machine.interface.collectives,
            is_free: spec.mode == spec::Mode::Ideal,
            has_costs: spec.machine.interface.costs().is_some(),
            local: spec.machine.interface.local,
            loggops: spec.machine.loggops,
        };
        Self::of(&spec.workload, topology, spec.seed, rules)
    }

    /// The same of a part of a description.
    fn of(
        workload: &spec::Workload,
        topology: &Topology,
        seed: u64,
        rules: Rules,
    ) -> Result<Self, SpecError> {
        let collectives = |processes| Collectives::new(rules.collectives, processes, rules.is_free);
        Ok(match workload {
            spec::Workload::Synthetic(s) => Self::Synthetic(Synthetic::new(s, topology, seed)?),
            spec::Workload::Program(p) => {
                let collectives = collectives(p.processes.len());
                Self::Programs(Programs::new(p, topology, seed, collectives)?)
            }
            spec::Workload::Traffic(t) => Self::Traffic(Traffic::new(t, topology, seed)?),
            spec::Workload::Messages(m) => Self::Messages(MessageList::new(m, topology)?),
            spec::Workload::External(e) => {
                Self::External(External::new(*e, topology, collectives(topology.nodes)))
            }
            spec::Workload::Trace(t) => {
                let collectives = collectives(t.nodes.len());
                Self::Trace(Ranks::new(t, topology, seed, rules, collectives)?)
            }
            spec::Workload::Jobs(jobs) => Self::Jobs(Jobs::new(jobs, topology, seed, rules)?),
        })
    }

    /// By traffic class that the network knows, the one that answers it, if one does; none where
    /// there are no classes.
    pub fn traffic_classes(&self) -> Vec<Option<u32>> {
        match self {
            Self::Traffic(traffic) => traffic.replies(),
            Self::Jobs(jobs) => jobs.traffic_classes(),
            _ => Vec::new(),
        }
    }

    /// The traffic class of messages of a process that are sent for it by its node.
    pub fn traffic_of(&self, process: ProcessId) -> u8 {
        match self {
            Self::Jobs(jobs) => jobs.traffic_of(process),
            _ => 0,
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
            Self::Jobs(jobs) => jobs.links(),
            Self::Synthetic(_)
            | Self::Messages(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => 0,
        }
    }

    /// When every process begins, by number; processes of message lists do not.
    pub fn starts(&self) -> Vec<(ProcessId, Time)> {
        let numbered = |starts: Vec<Time>| {
            starts.into_iter().enumerate().map(|(n, at)| (ProcessId::from_index(n), at)).collect()
        };
        match self {
            Self::Synthetic(synthetic) => numbered(synthetic.starts()),
            Self::Programs(programs) => numbered(programs.starts()),
            Self::Traffic(traffic) => numbered(traffic.starts()),
            Self::Messages(_) => Vec::new(),
            Self::External(external) => numbered(vec![0; external.placement().len()]),
            Self::Trace(ranks) => numbered(vec![0; ranks.placement().len()]),
            Self::Jobs(jobs) => jobs.starts(),
        }
    }

    /// When the row behind another in its message list is due; none behind the last.
    pub fn due_after(&self, row: u32) -> Option<Time> {
        match self {
            Self::Messages(messages) => messages.due(row + 1),
            Self::Jobs(jobs) => jobs.due_after(row),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => None,
        }
    }

    /// The first row of every message list, and when it is due.
    pub fn first_rows(&self) -> Vec<(u32, Time)> {
        match self {
            Self::Messages(messages) => messages.due(0).map(|at| (0, at)).into_iter().collect(),
            Self::Jobs(jobs) => jobs.first_rows(),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => Vec::new(),
        }
    }

    /// Messages of the message lists.
    pub fn rows(&self) -> usize {
        match self {
            Self::Messages(messages) => messages.rows(),
            Self::Jobs(jobs) => jobs.rows(),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => 0,
        }
    }

    /// What all processes together have done since time 0.
    pub fn progress(&self) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress(),
            Self::Programs(programs) => programs.progress(),
            Self::Traffic(traffic) => traffic.progress(),
            Self::Jobs(jobs) => jobs.progress(),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) => Progress::default(),
        }
    }

    /// The messages of a traffic class since time 0, where there are several, and those dropped; of
    /// which so many have been sent.
    pub fn progress_of_class(&self, class: usize, sent: u64) -> Progress {
        match self {
            Self::Traffic(traffic) => traffic.progress_of_class(class),
            Self::Jobs(jobs) => jobs.progress_of_class(class, sent),
            _ => Progress::default(),
        }
    }

    /// What one process has done since time 0.
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress_of(process),
            Self::Programs(programs) => programs.progress_of(process),
            Self::Traffic(traffic) => traffic.progress_of(process),
            Self::Jobs(jobs) => jobs.progress_of(process),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) => Progress::default(),
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
            Self::Traffic(traffic) => traffic.next(process, waiting_data),
            Self::External(external) => external.next(process),
            Self::Trace(ranks) => ranks.next(process),
            Self::Jobs(jobs) => jobs.next(process, waiting_data),
            Self::Messages(_) => None,
        }
    }

    /// A saturated process has computed until `from`. If that is before `before`, its
    /// messages are dropped, its next iteration begins, and so on; until when it computes then.
    #[inline]
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        match self {
            Self::Synthetic(synthetic) => synthetic.pass(process, from, before),
            Self::Jobs(jobs) => jobs.pass(process, from, before),
            Self::Programs(_)
            | Self::Messages(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => Time::MAX,
        }
    }

    /// A row of the message list: the sending process and the message.
    pub fn row(&self, row: u32) -> Option<(ProcessId, Send)> {
        match self {
            Self::Messages(messages) => Some(messages.row(row)),
            Self::Jobs(jobs) => jobs.row(row),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => None,
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
            Self::Trace(ranks) => ranks.computed(process),
            Self::Jobs(jobs) => jobs.computed(process),
            // Its sources need no processor.
            Self::Traffic(_) | Self::Messages(_) => {}
        }
    }

    /// A timer of a process rings; it can go on.
    pub fn rings(&mut self, process: ProcessId, tag: u32) {
        match self {
            Self::Traffic(traffic) => traffic.rings(process),
            Self::Trace(ranks) => ranks.rings(process, tag),
            Self::Jobs(jobs) => jobs.rings(process, tag),
            _ => debug_assert!(false, "no other workload has timers"),
        }
    }

    /// Whether a process is ready for a message; if so it is now accepted.
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.accepts(process, tag),
            Self::Programs(programs) => programs.accepts(process, tag),
            Self::Jobs(jobs) => jobs.accepts(process, tag),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) | Self::Traffic(_) => true,
        }
    }

    /// A process has received a message it accepted; whether it can now go on.
    pub fn received(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.received(process, tag),
            Self::Programs(programs) => programs.received(process),
            Self::Traffic(traffic) => traffic.received(process, tag),
            Self::Trace(ranks) => ranks.received(process, tag),
            Self::Jobs(jobs) => jobs.received(process, tag),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// A message of a process has been acknowledged; whether it can now go on.
    pub fn acknowledged(&mut self, process: ProcessId, tag: u32, blocking: bool) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.acknowledged(process),
            Self::Programs(programs) => blocking && programs.sent(process),
            Self::Traffic(traffic) => traffic.acknowledged(process),
            Self::Trace(ranks) => ranks.acknowledged(process, tag, blocking),
            Self::Jobs(jobs) => jobs.acknowledged(process, tag, blocking),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// What a process that is to [multicast](Op::Multicast) sends, and to whom.
    pub fn several(&self, process: ProcessId) -> Option<Several> {
        match self {
            Self::Programs(programs) => programs.several(process),
            Self::Jobs(jobs) => jobs.several(process),
            _ => None,
        }
    }

    /// The collectives that a process may take part in, and its number there.
    #[inline]
    fn collectives(&mut self, process: ProcessId) -> Option<(ProcessId, &mut Collectives)> {
        match self {
            Self::Trace(ranks) => Some((process, ranks.collectives())),
            Self::Programs(programs) => Some((process, programs.collectives())),
            Self::External(external) => Some((process, external.collectives())),
            Self::Jobs(jobs) => jobs.collectives(process),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) => None,
        }
    }

    /// A message of a collective is there; whether its process can now go on.
    pub fn received_of(&mut self, team: TeamId, process: ProcessId, tag: u32) -> bool {
        let all = self.collectives(process);
        all.is_some_and(|(process, all)| all.received(process, team, tag))
    }

    /// A message of a collective has been acknowledged; whether its sender can now go on.
    pub fn acknowledged_of_collective(&mut self, process: ProcessId) -> bool {
        self.collectives(process).is_some_and(|(process, all)| all.acknowledged(process))
    }

    /// A process meets others. If it is the last: who they are, counted from which process on,
    /// and how long they stay.
    pub fn meets(&mut self, process: ProcessId) -> Option<(u32, Arc<[u32]>, Time)> {
        let (here, all) = self.collectives(process)?;
        let (members, price) = all.meets(here)?;
        Some((process.0 - here.0, members, price))
    }

    /// A process that has met others leaves at an instant.
    pub fn leaves_at(&mut self, process: ProcessId, at: Time) {
        if let Some((process, all)) = self.collectives(process) {
            all.leaves_at(process, at);
        }
    }

    /// Whether a process now leaves others it has met.
    pub fn leaves(&mut self, process: ProcessId, now: Time) -> bool {
        self.collectives(process).is_some_and(|(process, all)| all.leaves(process, now))
    }

    /// What a process was to do that does not agree with others.
    pub fn refused(&mut self) -> Option<SpecError> {
        match self {
            Self::Programs(programs) => programs.refused(),
            Self::Trace(ranks) => ranks.refused(),
            Self::Jobs(jobs) => jobs.refused(),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) | Self::External(_) => None,
        }
    }

    /// Where in its program a process is; `u32::MAX`: nobody knows.
    pub fn call_of(&self, process: ProcessId) -> u32 {
        match self {
            Self::Programs(programs) => programs.call_of(process),
            Self::Trace(ranks) => ranks.call_of(process),
            Self::Jobs(jobs) => jobs.call_of(process),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) | Self::External(_) => {
                u32::MAX
            }
        }
    }

    /// Whether a process waits for several acknowledgements together, outside of collectives.
    pub fn waits_for_all(&self, process: ProcessId) -> bool {
        match self {
            Self::Synthetic(_) => true,
            Self::Jobs(jobs) => jobs.waits_for_all(process),
            _ => false,
        }
    }

    /// What a process waits for, if it is not finished.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        match self {
            Self::Synthetic(synthetic) => synthetic.waits_for(process),
            Self::Programs(programs) => programs.waits_for(process),
            Self::Traffic(traffic) => traffic.waits_for(process),
            Self::Jobs(jobs) => jobs.waits_for(process),
            // Of the rest their node knows.
            Self::External(external) => external.waits_for(process),
            Self::Trace(ranks) => ranks.waits_for(process),
            Self::Messages(_) => None,
        }
    }
}
