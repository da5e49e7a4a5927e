//! Processes from outside: who asks, and what it is told to do.

use super::Simulation;
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId};
use crate::node::{Buffers, Told};
use crate::workload::{Instruction, Workload};

/// A process that asks for instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its number, which is that of its node.
    pub process: ProcessId,
    /// How far the operation has come that it waited for; absent: it waited for none, but
    /// began, or has computed.
    pub told: Option<Told>,
}

impl Simulation {
    /// The processes that ask, in the order in which they became able to go on.
    pub fn asking(&self) -> impl Iterator<Item = Ask> {
        let asking = match &self.workload {
            Workload::External(external) => external.asking(),
            _ => &[],
        };
        asking.iter().map(|&process| Ask { process, told: self.nodes.interface().told(process) })
    }

    /// Gives an instruction to a process that asks, behind those it was given before.
    ///
    /// It is carried out when the simulation is advanced next. Nothing is told twice: what
    /// [`Self::asking`] says of the process is to be read before.
    ///
    /// # Errors
    /// A process that does not ask; nodes that are not there or, of a broadcast to near
    /// neighbours, not near; operations that it was not given; buffers that it does not hold.
    pub fn instruct(
        &mut self,
        process: ProcessId,
        instruction: Instruction,
    ) -> Result<(), SpecError> {
        let Some(external) = self.workload.external() else {
            let allowed = "must be external: other processes have their instructions";
            return Err(SpecError::new("workload", "of another kind", allowed));
        };
        self.nodes.instruct(process, instruction, external)
    }

    /// The near neighbours of a node, to which a process from outside may broadcast; empty
    /// with other workloads.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        match &self.workload {
            Workload::External(external) => external.neighbours(node),
            _ => &[],
        }
    }

    /// System buffers of every node; none where processes are not from outside.
    pub fn buffers(&self) -> Vec<Buffers> {
        self.nodes.interface().buffers().collect()
    }

    /// Whether processes ask that have not been answered, or have not gone on.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        match &self.workload {
            Workload::External(external) => !external.asking().is_empty(),
            _ => false,
        }
    }

    /// Whether all who asked have been answered: they go on, and with them the present instant.
    pub(super) fn goes_on(&mut self) -> bool {
        let Some(external) = self.workload.external() else { return true };
        if !external.is_answered() {
            return false;
        }
        self.is_open = false;
        let answered = external.take_answered();
        let (nodes, mut world) = self.nodes_in_world();
        let count = nodes.answered(&answered, &mut world);
        self.at_once += count;
        true
    }

    /// Looks for packets whose start a process waits for.
    #[inline]
    pub(super) fn watch(&mut self) {
        if matches!(self.workload, Workload::External(_)) {
            self.watch_packets();
        }
    }

    #[cold]
    fn watch_packets(&mut self) {
        let (nodes, mut world) = self.nodes_in_world();
        nodes.watch(&mut world);
    }

    /// What a process from outside waits for, if it does.
    pub(super) fn awaits(&self, process: ProcessId) -> Option<String> {
        let Workload::External(external) = &self.workload else { return None };
        let has_ended = |node: NodeId| external.has_ended(ProcessId(node.0));
        self.nodes.interface().waits_for(process, has_ended)
    }
}
