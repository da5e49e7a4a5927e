//! Ranks are told what comes next, batch by batch.

use super::feeding::State;
use super::operation::{Batch, What};
use super::ranks::{Ranks, field_of};
use crate::error::SpecError;
use crate::ids::ProcessId;

impl Ranks {
    /// Who wants a batch, in the order in which they came to, those included who have been fed.
    #[inline]
    pub fn wanting(&self) -> &[ProcessId] {
        &self.feeding.wanting
    }

    /// Whether all who want a batch have been fed.
    pub fn is_fed(&self) -> bool {
        self.feeding.is_answered()
    }

    /// Takes those that wanted a batch, once all have been fed: they can go on.
    pub fn take_fed(&mut self) -> Option<Vec<ProcessId>> {
        self.is_fed().then(|| self.feeding.take_answered())
    }

    /// Gives a rank that wants it its next batch; none: it has ended.
    ///
    /// What the batch says of computing becomes what it takes here.
    ///
    /// # Errors
    /// A rank that does not want it; what the batch has that cannot be, of which the rank and the
    /// operation are named.
    pub fn feed(&mut self, process: ProcessId, batch: Option<&mut Batch>) -> Result<(), SpecError> {
        let state = self.feeding.states.get(process.index());
        if state != Some(&State::Wants) {
            return Err(SpecError::new("process", process.0, "must be one that wants more to do"));
        }
        match batch {
            None => self.dependencies.end(process.0),
            Some(batch) => {
                self.prepare(process.0, batch)?;
                self.dependencies.extend(process.0, batch, &mut self.released)?;
                self.ranks[process.index()].ready.extend(self.released.drain(..));
            }
        }
        self.feeding.states[process.index()] = State::Answered;
        self.feeding.answered += 1;
        Ok(())
    }

    /// Works out how long a batch computes, and checks what does not depend on operations before it.
    fn prepare(&mut self, rank: u32, batch: &mut Batch) -> Result<(), SpecError> {
        let first = self.dependencies.read(rank);
        for (number, operation) in (first..).zip(&mut batch.operations) {
            let name = |error: SpecError| SpecError {
                field: field_of(rank, number, &error.field),
                ..error
            };
            if let Some(time) = self.pace.time(rank, operation.what).map_err(name)? {
                operation.what = What::Compute(time);
                if operation.cpu > 0 && self.has_costs {
                    let allowed = "must be 0 where messages cost something in software: a node \
                                   has one CPU";
                    return Err(name(SpecError::new("cpu", operation.cpu, allowed)));
                }
            }
            let What::Collective(which) = operation.what else { continue };
            if let Some(call) = batch.collectives.get(which as usize) {
                let field = field_of(rank, number, call.operation.name());
                let team = self.collectives.team(call.group.as_deref(), &field)?;
                self.collectives.check(team, rank, call, &field)?;
            }
        }
        Ok(())
    }
}
