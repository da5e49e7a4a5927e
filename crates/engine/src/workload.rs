//! What processes compute, send and receive.
//!
//! A process that can go on is asked for its instructions ([`Op`]) one by one
//! until it waits; what it waits for is reported back. The workload knows
//! messages and processor time, never channels or packets, and draws random
//! numbers only because of what a process does, never because of what the
//! network did.

mod collective;
mod external;
mod instruction;
mod jobs;
mod messages;
mod program;
mod rules;
mod sampler;
mod single;
mod synthetic;
pub mod trace;
mod traffic;

use crate::error::{RunError, SpecError};
use crate::ids::{NodeId, ProcessId, TeamId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;
use collective::Collectives;
pub use collective::{Amount, Data, Made, Move, Moves, Plan, Teams};
pub use external::{Audience, Command, External, Filter, Instruction, Letter, Until, Wait};
pub use instruction::{Op, Progress, Send, Several, Timer};
use jobs::Jobs;
pub use jobs::{Foreground, job_machine};
use rules::Rules;
pub(crate) use single::Single;
use std::sync::Arc;
pub use synthetic::Destinations;
use trace::{Batch, Ranks};

/// The workload of one run.
// There is one of these in a run: its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Workload {
    /// One.
    One(Single),
    /// Several side by side.
    Jobs(Jobs),
}

/// Calls the method of the same name of whichever there is.
macro_rules! each {
    ($self:ident, $workload:ident => $call:expr) => {
        match $self {
            Workload::One($workload) => $call,
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
        Ok(match &spec.workload {
            spec::Workload::Jobs(jobs) => Self::Jobs(Jobs::new(jobs, topology, spec.seed, rules)?),
            one => Self::One(Single::new(one, topology, spec.seed, rules)?),
        })
    }

    /// By traffic class that the network knows, the one that answers it, if one does; none where
    /// there are no classes.
    pub fn traffic_classes(&self) -> Vec<Option<u32>> {
        each!(self, workload => workload.traffic_classes())
    }

    /// The traffic class of messages of a process that are sent for it by its node.
    pub fn traffic_of(&self, process: ProcessId) -> u8 {
        match self {
            Self::Jobs(jobs) => jobs.traffic_of(process),
            Self::One(_) => 0,
        }
    }

    /// The node of every process.
    pub fn placement(&self) -> Vec<NodeId> {
        each!(self, workload => workload.placement())
    }

    /// Number of virtual links shared by several messages.
    pub fn links(&self) -> usize {
        each!(self, workload => workload.links())
    }

    /// When every process begins, by number; processes of message lists do not.
    pub fn starts(&self) -> Vec<(ProcessId, Time)> {
        each!(self, workload => workload.starts())
    }

    /// When the row behind another in its message list is due; none behind the last.
    pub fn due_after(&self, row: u32) -> Option<Time> {
        each!(self, workload => workload.due_after(row))
    }

    /// The first row of every message list, and when it is due.
    pub fn first_rows(&self) -> Vec<(u32, Time)> {
        each!(self, workload => workload.first_rows())
    }

    /// Messages of the message lists.
    pub fn rows(&self) -> usize {
        each!(self, workload => workload.rows())
    }

    /// What all processes together have done since time 0.
    pub fn progress(&self) -> Progress {
        each!(self, workload => workload.progress())
    }

    /// The messages of a traffic class since time 0, where there are several, and those dropped; of
    /// which so many have been sent.
    pub fn progress_of_class(&self, class: usize, sent: u64) -> Progress {
        match self {
            Self::One(single) => single.progress_of_class(class),
            Self::Jobs(jobs) => jobs.progress_of_class(class, sent),
        }
    }

    /// What one process has done since time 0.
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        each!(self, workload => workload.progress_of(process))
    }

    /// The next instruction of a process that can go on, or `None`: it waits.
    ///
    /// `waiting_data` tells the number of data packets in its node's output queue.
    #[inline]
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        each!(self, workload => workload.next(process, waiting_data))
    }

    /// A saturated process has computed until `from`. If that is before `before`, its
    /// messages are dropped, its next iteration begins, and so on; until when it computes then.
    #[inline]
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        each!(self, workload => workload.pass(process, from, before))
    }

    /// A row of the message list: the sending process and the message.
    pub fn row(&self, row: u32) -> Option<(ProcessId, Send)> {
        each!(self, workload => workload.row(row))
    }

    /// A process has computed; it can go on.
    #[inline]
    pub fn computed(&mut self, process: ProcessId) {
        each!(self, workload => workload.computed(process));
    }

    /// A timer of a process rings; it can go on.
    pub fn rings(&mut self, process: ProcessId, tag: u32) {
        each!(self, workload => workload.rings(process, tag));
    }

    /// Whether a process is ready for a message; if so it is now accepted.
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        each!(self, workload => workload.accepts(process, tag))
    }

    /// A process has received a message it accepted; whether it can now go on.
    pub fn received(&mut self, process: ProcessId, tag: u32) -> bool {
        each!(self, workload => workload.received(process, tag))
    }

    /// A message of a process has been acknowledged; whether it can now go on.
    pub fn acknowledged(&mut self, process: ProcessId, tag: u32, blocking: bool) -> bool {
        each!(self, workload => workload.acknowledged(process, tag, blocking))
    }

    /// What a process that is to [multicast](Op::Multicast) sends, and to whom.
    pub fn several(&self, process: ProcessId) -> Option<Several> {
        each!(self, workload => workload.several(process))
    }

    /// The collectives that a process may take part in, and its number there.
    #[inline]
    fn collectives(&mut self, process: ProcessId) -> Option<(ProcessId, &mut Collectives)> {
        each!(self, workload => workload.collectives(process))
    }

    /// What a process was to do that does not agree with others.
    pub fn refused(&mut self) -> Option<SpecError> {
        each!(self, workload => workload.refused())
    }

    /// Where in its program a process is; `u32::MAX`: nobody knows.
    pub fn call_of(&self, process: ProcessId) -> u32 {
        each!(self, workload => workload.call_of(process))
    }

    /// Whether a process waits for several acknowledgements together, outside of collectives.
    pub fn waits_for_all(&self, process: ProcessId) -> bool {
        match self {
            Self::One(single) => single.waits_for_all(),
            Self::Jobs(jobs) => jobs.waits_for_all(process),
        }
    }

    /// What a process waits for, if it is not finished.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        each!(self, workload => workload.waits_for(process))
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
}

/// Processes that are told what to do while they run, in one job or several: those whose instructions
/// come from outside, and ranks of traces.
impl Workload {
    /// Whether there are processes that are told what to do while they run.
    pub fn is_told(&self) -> bool {
        self.externals().next().is_some() || self.traces().next().is_some()
    }

    /// Whether there are processes whose instructions come from outside.
    #[inline]
    pub fn has_external(&self) -> bool {
        match self {
            Self::One(single) => single.external().is_some(),
            Self::Jobs(jobs) => jobs.has_external(),
        }
    }

    /// The processes from outside among whom one is, and its number there.
    #[inline]
    pub fn external_of(&mut self, process: ProcessId) -> Option<(ProcessId, &mut External)> {
        match self {
            Self::One(single) => Some((process, single.external_mut()?)),
            Self::Jobs(jobs) => jobs.external_of(process),
        }
    }

    /// All processes from outside, job by job: the number of the first, and they.
    pub fn externals(&self) -> impl Iterator<Item = (u32, &External)> {
        let (alone, jobs) = match self {
            Self::One(single) => (single.external().map(|found| (0, found)), None),
            Self::Jobs(jobs) => (None, Some(jobs.externals())),
        };
        alone.into_iter().chain(jobs.into_iter().flatten())
    }

    /// The processes from outside among whom one is, to be read, and its number there.
    pub fn external_around(&self, process: ProcessId) -> Option<(ProcessId, &External)> {
        self.externals().find_map(|(first, external)| {
            let number = process.0.checked_sub(first)?;
            ((number as usize) < external.count()).then_some((ProcessId(number), external))
        })
    }

    /// All ranks of traces, job by job: the number of the first, and they.
    pub fn traces(&self) -> impl Iterator<Item = (u32, &Ranks)> {
        let (alone, jobs) = match self {
            Self::One(single) => (single.ranks().map(|found| (0, found)), None),
            Self::Jobs(jobs) => (None, Some(jobs.traces())),
        };
        alone.into_iter().chain(jobs.into_iter().flatten())
    }

    /// Whether ranks of a trace want what they have not been given.
    pub fn wants(&self) -> bool {
        self.traces().any(|(_, ranks)| !ranks.is_fed())
    }

    /// Gives a rank of a trace its next batch; see [`Ranks::feed`].
    ///
    /// # Errors
    /// A process that is no rank, or wants nothing; operations that cannot be.
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        each!(self, workload => workload.feed(process, batch))
    }

    /// Whether processes ask what to do, answered or not.
    pub fn asks(&self) -> bool {
        each!(self, workload => workload.asks())
    }

    /// Whether all who ask have been answered.
    pub fn is_answered(&self) -> bool {
        each!(self, workload => workload.is_answered())
    }

    /// Takes those that asked, once they have all been answered; none before.
    pub fn take_answered(&mut self) -> Option<Vec<ProcessId>> {
        each!(self, workload => workload.take_answered())
    }

    /// Why nothing will happen any more, although it is not over: where ranks of a trace have
    /// something to say about it.
    pub fn stands_still(&self, at: Time, waits: bool) -> Option<RunError> {
        each!(self, workload => workload.stands_still(at, waits))
    }
}

/// Jobs.
impl Workload {
    /// The job of every process; none where there are no jobs.
    pub fn jobs(&self) -> Option<&[u32]> {
        match self {
            Self::Jobs(jobs) => Some(jobs.of_processes()),
            Self::One(_) => None,
        }
    }

    /// The jobs that the run waits for; none if it waits for all there is.
    pub fn foreground(&self) -> Option<Foreground> {
        match self {
            Self::Jobs(jobs) => jobs.foreground(),
            Self::One(_) => None,
        }
    }

    /// Whether a process has nothing more to do.
    pub fn has_ended(&self, process: ProcessId) -> bool {
        match self {
            Self::Jobs(jobs) => jobs.has_ended(process),
            Self::One(one) => one.has_ended(process),
        }
    }

    /// Of every job: whether its processes have nothing more to do, and its list no more rows; none
    /// where there are no jobs.
    pub fn jobs_over(&self, now: Time) -> Vec<bool> {
        match self {
            Self::Jobs(jobs) => jobs.over(now),
            Self::One(_) => Vec::new(),
        }
    }

    /// What the jobs are called; none where there are no jobs.
    pub fn job_names(&self) -> impl Iterator<Item = &str> {
        let jobs = match self {
            Self::Jobs(jobs) => Some(jobs.names()),
            Self::One(_) => None,
        };
        jobs.into_iter().flatten()
    }

    /// What the processes of every job have done since time 0; none where there are no jobs.
    pub fn progress_of_jobs(&self) -> impl Iterator<Item = Progress> {
        let jobs = match self {
            Self::Jobs(jobs) => Some(jobs.progress_of_jobs()),
            Self::One(_) => None,
        };
        jobs.into_iter().flatten()
    }

    /// By which seed and number a process' random numbers are drawn.
    pub fn stream(&self, process: ProcessId, seed: u64) -> (u64, u32) {
        match self {
            Self::Jobs(jobs) => jobs.stream(process),
            Self::One(_) => (seed, process.0),
        }
    }
}
