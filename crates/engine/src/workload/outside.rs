//! The processes of a workload that are told what to do while they run, in one job or several:
//! those whose instructions come from outside, and ranks of traces.

use super::trace::{Batch, Ranks};
use super::{External, Workload};
use crate::error::{RunError, SpecError};
use crate::ids::ProcessId;
use crate::time::Time;

impl Workload {
    /// Whether there are processes that are told what to do while they run.
    pub fn is_told(&self) -> bool {
        self.externals().next().is_some() || self.traces().next().is_some()
    }

    /// Whether there are processes whose instructions come from outside.
    #[inline]
    pub fn has_external(&self) -> bool {
        match self {
            Self::External(_) => true,
            Self::Jobs(jobs) => jobs.has_external(),
            _ => false,
        }
    }

    /// The processes from outside among whom one is, and its number there.
    #[inline]
    pub fn external_of(&mut self, process: ProcessId) -> Option<(ProcessId, &mut External)> {
        match self {
            Self::External(external) => Some((process, external)),
            Self::Jobs(jobs) => jobs.external_of(process),
            _ => None,
        }
    }

    /// All processes from outside, job by job: the number of the first, and they.
    pub fn externals(&self) -> impl Iterator<Item = (u32, &External)> {
        let (alone, jobs) = match self {
            Self::External(external) => (Some((0, external)), None),
            Self::Jobs(jobs) => (None, Some(jobs.externals())),
            _ => (None, None),
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
            Self::Trace(ranks) => (Some((0, ranks)), None),
            Self::Jobs(jobs) => (None, Some(jobs.traces())),
            _ => (None, None),
        };
        alone.into_iter().chain(jobs.into_iter().flatten())
    }

    /// Gives a rank of a trace its next batch; see [`Ranks::feed`].
    ///
    /// # Errors
    /// A process that is no rank, or wants nothing; operations that cannot be.
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        match self {
            Self::Trace(ranks) => ranks.feed(process, batch),
            Self::Jobs(jobs) => jobs.feed(process, batch),
            _ => {
                let allowed = "must be a trace: other processes have their instructions";
                Err(SpecError::new("workload", "of another kind", allowed))
            }
        }
    }

    /// Whether processes ask what to do, answered or not.
    pub fn asks(&self) -> bool {
        match self {
            Self::External(external) => !external.asking().is_empty(),
            Self::Trace(ranks) => !ranks.wanting().is_empty(),
            Self::Jobs(jobs) => jobs.asks(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => false,
        }
    }

    /// Whether ranks of a trace want what they have not been given.
    pub fn wants(&self) -> bool {
        self.traces().any(|(_, ranks)| !ranks.is_fed())
    }

    /// Whether all who ask have been answered.
    pub fn is_answered(&self) -> bool {
        match self {
            Self::External(external) => external.is_answered(),
            Self::Trace(ranks) => ranks.is_fed(),
            Self::Jobs(jobs) => jobs.is_answered(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => true,
        }
    }

    /// Takes those that asked, once they have all been answered; none before.
    pub fn take_answered(&mut self) -> Option<Vec<ProcessId>> {
        match self {
            Self::External(external) => external.take_answered(),
            Self::Trace(ranks) => ranks.take_fed(),
            Self::Jobs(jobs) => jobs.take_answered(),
            Self::Synthetic(_) | Self::Programs(_) | Self::Traffic(_) | Self::Messages(_) => {
                Some(Vec::new())
            }
        }
    }

    /// Why nothing will happen any more, although it is not over: where ranks of a trace have
    /// something to say about it.
    pub fn stands_still(&self, at: Time, waits: bool) -> Option<RunError> {
        let ranks = match self {
            Self::Trace(ranks) => ranks,
            Self::Jobs(jobs) => return jobs.stands_still(at, waits),
            _ => return None,
        };
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
}
