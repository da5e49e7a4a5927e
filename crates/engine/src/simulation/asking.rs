//! Processes from outside: who asks, and what it is told to do.

use super::state::{Open, Progress, Simulation};
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId};
use crate::node::{Buffers, Told};
use crate::workload::Instruction;

/// A process that asks for instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its number: that of its node or, with jobs, that of its node in its job behind all
    /// processes of the jobs before.
    pub process: ProcessId,
    /// How far the operation has come that it waited for; absent: it waited for none, but
    /// began, or has computed.
    pub told: Option<Told>,
}

impl Simulation {
    /// The processes that ask, in the order in which they became able to go on.
    pub fn asking(&self) -> impl Iterator<Item = Ask> {
        let asking = self.workload.externals().flat_map(|(first, external)| {
            external.asking().iter().map(move |process| ProcessId(first + process.0))
        });
        asking.map(|process| Ask { process, told: self.nodes.interface().told(process) })
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
        self.nodes.instruct(process, instruction, &mut self.workload)
    }

    /// The nodes near that of a process from outside, to which it may broadcast, by their numbers
    /// in its job; empty with other workloads.
    pub fn neighbours(&self, process: ProcessId) -> &[NodeId] {
        let here = self.workload.external_around(process);
        here.map_or(&[], |(process, external)| external.neighbours(NodeId(process.0)))
    }

    /// System buffers of every node; none where processes are not from outside.
    pub fn buffers(&self) -> Vec<Buffers> {
        self.nodes.interface().buffers(self.topology.nodes)
    }

    /// Whether processes ask that have not been answered, or have not gone on.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        self.is_told && self.workload.asks()
    }

    /// What is asked of whoever runs the simulation.
    pub(super) fn awaits_outside(&self) -> Progress {
        if self.workload.wants() { Progress::Wants } else { Progress::Asks }
    }

    /// Whether all who asked have been answered: they go on, and with them the present instant.
    pub(super) fn goes_on(&mut self) -> bool {
        let Some(answered) = self.workload.take_answered() else { return false };
        self.open = Open::No;
        let (nodes, mut world) = self.nodes_in_world();
        let count = nodes.answered(&answered, &mut world);
        self.at_once += count;
        true
    }

    /// Looks for packets whose start a process waits for.
    #[inline]
    pub(super) fn watch(&mut self) {
        if self.is_told && self.workload.has_external() {
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
        let (_, external) = self.workload.external_around(process)?;
        let has_ended = |node: NodeId| external.has_ended(ProcessId(node.0));
        self.nodes.interface().waits_for(process, has_ended)
    }
}
