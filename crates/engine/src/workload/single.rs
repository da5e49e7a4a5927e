//! A workload that is not several side by side: one match for every question.

use super::collective::Collectives;
use super::external::External;
use super::instruction::{Op, Progress, Send, Several};
use super::messages::MessageList;
use super::program::Programs;
use super::rules::Rules;
use super::synthetic::Synthetic;
use super::trace::{Batch, Ranks};
use super::traffic::Traffic;
use crate::error::{RunError, SpecError};
use crate::ids::{NodeId, ProcessId};
use crate::spec;
use crate::time::Time;
use crate::topology::Topology;

/// What runs without jobs, or in one job.
// There are few of these in a run: their size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Single {
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
}

impl Single {
    /// Prepares a workload for a machine.
    ///
    /// # Errors
    /// Processes, destinations or sizes that the machine does not have; jobs.
    pub fn new(
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
            spec::Workload::Jobs(_) => {
                let allowed = "must not be jobs again";
                return Err(SpecError::new("workload.kind", "jobs", allowed));
            }
        })
    }

    /// See [`super::Workload::traffic_classes`].
    pub fn traffic_classes(&self) -> Vec<Option<u32>> {
        match self {
            Self::Traffic(traffic) => traffic.replies(),
            _ => Vec::new(),
        }
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        match self {
            Self::Synthetic(synthetic) => synthetic.placement(),
            Self::Programs(programs) => programs.placement(),
            Self::Traffic(traffic) => traffic.placement(),
            Self::Messages(messages) => messages.placement(),
            Self::External(external) => external.placement(),
            Self::Trace(ranks) => ranks.placement(),
        }
    }

    /// See [`super::Workload::links`].
    pub fn links(&self) -> usize {
        match self {
            Self::Programs(programs) => programs.links(),
            Self::Synthetic(_)
            | Self::Messages(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => 0,
        }
    }

    /// See [`super::Workload::starts`].
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
        }
    }

    /// See [`super::Workload::due_after`].
    pub fn due_after(&self, row: u32) -> Option<Time> {
        match self {
            Self::Messages(messages) => messages.due(row + 1),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => None,
        }
    }

    /// See [`super::Workload::first_rows`].
    pub fn first_rows(&self) -> Vec<(u32, Time)> {
        match self {
            Self::Messages(messages) => messages.due(0).map(|at| (0, at)).into_iter().collect(),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => Vec::new(),
        }
    }

    /// See [`super::Workload::rows`].
    pub fn rows(&self) -> usize {
        match self {
            Self::Messages(messages) => messages.rows(),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => 0,
        }
    }

    /// See [`super::Workload::progress`].
    pub fn progress(&self) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress(),
            Self::Programs(programs) => programs.progress(),
            Self::Traffic(traffic) => traffic.progress(),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) => Progress::default(),
        }
    }

    /// See [`super::Workload::progress_of_class`].
    pub fn progress_of_class(&self, class: usize) -> Progress {
        match self {
            Self::Traffic(traffic) => traffic.progress_of_class(class),
            _ => Progress::default(),
        }
    }

    /// See [`super::Workload::progress_of`].
    pub fn progress_of(&self, process: ProcessId) -> Progress {
        match self {
            Self::Synthetic(synthetic) => synthetic.progress_of(process),
            Self::Programs(programs) => programs.progress_of(process),
            Self::Traffic(traffic) => traffic.progress_of(process),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) => Progress::default(),
        }
    }

    /// See [`super::Workload::next`].
    #[inline]
    pub fn next(&mut self, process: ProcessId, waiting_data: impl Fn() -> u32) -> Option<Op> {
        match self {
            Self::Synthetic(synthetic) => synthetic.next(process, waiting_data),
            Self::Programs(programs) => programs.next(process),
            Self::Traffic(traffic) => traffic.next(process, waiting_data),
            Self::External(external) => external.next(process),
            Self::Trace(ranks) => ranks.next(process),
            Self::Messages(_) => None,
        }
    }

    /// See [`super::Workload::pass`].
    #[inline]
    pub fn pass(&mut self, process: ProcessId, from: Time, before: Time) -> Time {
        match self {
            Self::Synthetic(synthetic) => synthetic.pass(process, from, before),
            Self::Programs(_)
            | Self::Messages(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => Time::MAX,
        }
    }

    /// See [`super::Workload::row`].
    pub fn row(&self, row: u32) -> Option<(ProcessId, Send)> {
        match self {
            Self::Messages(messages) => Some(messages.row(row)),
            Self::Synthetic(_)
            | Self::Programs(_)
            | Self::External(_)
            | Self::Trace(_)
            | Self::Traffic(_) => None,
        }
    }

    /// See [`super::Workload::computed`].
    #[inline]
    pub fn computed(&mut self, process: ProcessId) {
        match self {
            Self::Synthetic(synthetic) => synthetic.computed(process),
            Self::Programs(programs) => programs.computed(process),
            Self::External(external) => {
                external.collectives().computed(process);
            }
            Self::Trace(ranks) => ranks.computed(process),
            // Its sources need no processor.
            Self::Traffic(_) | Self::Messages(_) => {}
        }
    }

    /// See [`super::Workload::rings`].
    pub fn rings(&mut self, process: ProcessId, tag: u32) {
        match self {
            Self::Traffic(traffic) => traffic.rings(process),
            Self::Trace(ranks) => ranks.rings(process, tag),
            _ => debug_assert!(false, "no other workload has timers"),
        }
    }

    /// See [`super::Workload::accepts`].
    pub fn accepts(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.accepts(process, tag),
            Self::Programs(programs) => programs.accepts(process, tag),
            Self::Messages(_) | Self::External(_) | Self::Trace(_) | Self::Traffic(_) => true,
        }
    }

    /// See [`super::Workload::received`].
    pub fn received(&mut self, process: ProcessId, tag: u32) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.received(process, tag),
            Self::Programs(programs) => programs.received(process),
            Self::Traffic(traffic) => traffic.received(process, tag),
            Self::Trace(ranks) => ranks.received(process, tag),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// See [`super::Workload::acknowledged`].
    pub fn acknowledged(&mut self, process: ProcessId, tag: u32, blocking: bool) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.acknowledged(process),
            Self::Programs(programs) => blocking && programs.sent(process),
            Self::Traffic(traffic) => traffic.acknowledged(process),
            Self::Trace(ranks) => ranks.acknowledged(process, tag, blocking),
            Self::Messages(_) | Self::External(_) => false,
        }
    }

    /// See [`super::Workload::several`].
    pub fn several(&self, process: ProcessId) -> Option<Several> {
        match self {
            Self::Programs(programs) => programs.several(process),
            _ => None,
        }
    }

    /// See [`super::Workload::collectives`].
    #[inline]
    pub(super) fn collectives(
        &mut self,
        process: ProcessId,
    ) -> Option<(ProcessId, &mut Collectives)> {
        match self {
            Self::Trace(ranks) => Some((process, ranks.collectives())),
            Self::Programs(programs) => Some((process, programs.collectives())),
            Self::External(external) => Some((process, external.collectives())),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) => None,
        }
    }

    /// See [`super::Workload::refused`].
    pub fn refused(&mut self) -> Option<SpecError> {
        match self {
            Self::Programs(programs) => programs.refused(),
            Self::Trace(ranks) => ranks.refused(),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) | Self::External(_) => None,
        }
    }

    /// See [`super::Workload::call_of`].
    pub fn call_of(&self, process: ProcessId) -> u32 {
        match self {
            Self::Programs(programs) => programs.call_of(process),
            Self::Trace(ranks) => ranks.call_of(process),
            Self::Synthetic(_) | Self::Traffic(_) | Self::Messages(_) | Self::External(_) => {
                u32::MAX
            }
        }
    }

    /// See [`super::Workload::waits_for_all`].
    pub fn waits_for_all(&self) -> bool {
        matches!(self, Self::Synthetic(_))
    }

    /// See [`super::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        match self {
            Self::Synthetic(synthetic) => synthetic.waits_for(process),
            Self::Programs(programs) => programs.waits_for(process),
            Self::Traffic(traffic) => traffic.waits_for(process),
            // Of the rest their node knows.
            Self::External(external) => external.waits_for(process),
            Self::Trace(ranks) => ranks.waits_for(process),
            Self::Messages(_) => None,
        }
    }

    /// Whether a process has nothing more to do.
    pub fn has_ended(&self, process: ProcessId) -> bool {
        match self {
            Self::Synthetic(synthetic) => synthetic.has_ended(process),
            Self::Programs(programs) => programs.has_ended(process),
            Self::External(external) => external.has_ended(process),
            Self::Traffic(_) | Self::Trace(_) => self.waits_for(process).is_none(),
            Self::Messages(_) => true,
        }
    }

    /// See [`super::Workload::feed`].
    ///
    /// # Errors
    /// As there.
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        let Self::Trace(ranks) = self else {
            let allowed = "must be a trace: other processes have their instructions";
            return Err(SpecError::new("workload", "of another kind", allowed));
        };
        ranks.feed(process, batch)
    }

    /// See [`super::Workload::asks`].
    pub fn asks(&self) -> bool {
        match self {
            Self::External(external) => !external.asking().is_empty(),
            Self::Trace(ranks) => !ranks.wanting().is_empty(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => false,
        }
    }

    /// See [`super::Workload::is_answered`].
    pub fn is_answered(&self) -> bool {
        match self {
            Self::External(external) => external.is_answered(),
            Self::Trace(ranks) => ranks.is_fed(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => true,
        }
    }

    /// See [`super::Workload::take_answered`].
    pub fn take_answered(&mut self) -> Option<Vec<ProcessId>> {
        match self {
            Self::External(external) => external.take_answered(),
            Self::Trace(ranks) => ranks.take_fed(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => {
                Some(Vec::new())
            }
        }
    }

    /// See [`super::Workload::stands_still`].
    pub fn stands_still(&self, at: Time, waits: bool) -> Option<RunError> {
        let Self::Trace(ranks) = self else { return None };
        if waits {
            let circle = ranks.circle();
            return (!circle.is_empty()).then_some(RunError::SendsInCircle {
                at,
                job: None,
                circle,
            });
        }
        if let Some(error) = ranks.left_collective() {
            return Some(RunError::Refused { at, error });
        }
        let messages = ranks.unreceived();
        (!messages.is_empty()).then_some(RunError::Unreceived { at, job: None, messages })
    }

    /// See [`super::Workload::external_of`].
    #[inline]
    pub fn external_mut(&mut self) -> Option<&mut External> {
        match self {
            Self::External(external) => Some(external),
            _ => None,
        }
    }

    /// The processes from outside, if it is these.
    #[inline]
    pub fn external(&self) -> Option<&External> {
        match self {
            Self::External(external) => Some(external),
            _ => None,
        }
    }

    /// The ranks of a trace, if it is these.
    pub fn ranks(&self) -> Option<&Ranks> {
        match self {
            Self::Trace(ranks) => Some(ranks),
            _ => None,
        }
    }
}
