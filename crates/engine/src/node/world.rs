//! What nodes act on.

use crate::event_queue::EventQueue;
use crate::fabric::Fabric;
use crate::ids::ProcessId;
use crate::measure::{Binned, Measures};
use crate::rare::rare;
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::Workload;

/// What nodes act on, at one instant.
pub struct World<'a> {
    /// The instant.
    pub now: Time,
    /// The graph of the machine.
    pub topology: &'a Topology,
    /// The network.
    pub fabric: &'a mut Fabric,
    /// The processes.
    pub workload: &'a mut Workload,
    /// Future events.
    pub events: &'a mut EventQueue,
    /// What is measured.
    pub measures: &'a mut Measures,
}

impl World<'_> {
    /// A processor is busy for the next `piece` of time, for a process.
    #[inline]
    pub(super) fn computes(&mut self, process: ProcessId, piece: Time) {
        self.measures.cpu.add(self.now, self.now + piece);
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.cpu_computes(process, (self.now, self.now + piece));
        }
    }
}

/// How long a CPU has worked for messages, sending and receiving.
pub(super) type Served = (Time, Time);

impl World<'_> {
    /// The message that is being dealt with is not any more.
    #[inline]
    pub(super) fn lets_go(&mut self) {
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.lets_go();
        }
    }

    /// A process wants to compute for so long; none: all the time until it is told to stop.
    #[inline]
    pub(super) fn begins_to_compute(
        &mut self,
        process: ProcessId,
        duration: Option<Time>,
        before: Served,
    ) {
        if let Some(causes) = rare(&mut self.measures.causes) {
            causes.begins(process, duration, before, self.workload.call_of(process));
        }
    }
}

/// A saturated process passes into the iterations that begin from `start` on and before
/// `before`; until when it computes in the last of them.
pub(super) fn fast_forward(
    workload: &mut Workload,
    cpu: &mut Binned,
    process: ProcessId,
    (start, before): (Time, Time),
) -> Time {
    let end = workload.pass(process, start, before);
    cpu.add(start, end);
    end
}
