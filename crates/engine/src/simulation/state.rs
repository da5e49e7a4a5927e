//! A run in progress: what there is of it.

use super::samples::Sampling;
use crate::event_queue::EventQueue;
use crate::fabric::Fabric;
use crate::measure::blame::REST;
use crate::measure::{Causes, Measures};
use crate::node::{Alone, Message, Nodes, World};
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::{Foreground, Progress as Done, Workload};

/// A run in progress.
///
/// It advances as far as it is told and can be read at any time in between. The
/// same [`crate::spec::Spec`] gives the same bytes, however it is cut into calls.
pub struct Simulation {
    pub(super) now: Time,
    pub(super) events_handled: u64,
    pub(super) sampling: Sampling,
    pub(super) topology: Topology,
    pub(super) events: EventQueue,
    pub(super) fabric: Fabric,
    pub(super) nodes: Nodes,
    pub(super) workload: Workload,
    /// Whether its processes are told what to do while they run.
    pub(super) is_told: bool,
    pub(super) measures: Measures,
    /// How long messages take alone, if that is wanted.
    pub(super) alone: Option<Box<Alone>>,
    /// The message that was received last, as long as nobody has to know how late it was.
    pub(super) aside: Option<Box<Arrived>>,
    /// Per process: what it had done when the window began.
    pub(super) done_before: Vec<Done>,
    /// What the run waits for, if not for all there is.
    pub(super) foreground: Option<Box<Foreground>>,
    /// Whether it is looked out for packets that wait for each other in a circle.
    pub(super) watches: bool,
    /// Events and instructions handled at the present instant.
    pub(super) at_once: u64,
    /// Why the present instant is not over, if it is not.
    pub(super) open: Open,
    /// Whether it is left when the network has taken much memory in it.
    pub(super) leaves_instants: bool,
}

/// A message that has arrived, with all that says how late it was.
pub(super) struct Arrived {
    message: Message,
    /// When it was queued, and its packets, where that is noted.
    queued: Time,
    packets: Vec<Time>,
    /// When all of it was there.
    arrived: Time,
}

/// Why an instant is not over that has been left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// It is over.
    No,
    /// Processes ask.
    Asks,
    /// The network has taken much memory.
    Grown,
}

/// Why [`Simulation::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The time asked for has been reached.
    Time,
    /// The number of events asked for has been handled.
    Events,
    /// The workload has ended; no event is left.
    Finished,
    /// Processes from outside ask for instructions ([`Simulation::asking`]). The present
    /// instant is not over: it goes on with the next call, when all have been answered.
    Asks,
    /// Ranks of a trace want to know what comes next ([`Simulation::wanting`]); as before.
    Wants,
    /// The network has taken much memory at the present instant, which goes on with the next call: only
    /// where that was asked for ([`Simulation::leave_instants`]).
    Grown,
}

impl Simulation {
    /// The nodes, and what they act on at the present instant.
    #[inline]
    pub(super) fn nodes_in_world(&mut self) -> (&mut Nodes, World<'_>) {
        let world = World {
            now: self.now,
            topology: &self.topology,
            fabric: &mut self.fabric,
            workload: &mut self.workload,
            events: &mut self.events,
            measures: &mut self.measures,
        };
        (&mut self.nodes, world)
    }

    /// Messages have arrived: how much later than alone.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_late(&mut self) {
        let Measures { late, labels, causes, .. } = &mut self.measures;
        let (Some(alone), Some(late)) = (&mut self.alone, late) else { return };
        for message in self.nodes.take_arrived() {
            let (queued, packets) = late.next_queued().unwrap_or((message.sent, &[]));
            let number = message.serial;
            let is_asked = |causes: &Causes| causes.followed.contains(&number);
            if !late.adds_up() && !causes.as_deref().is_some_and(is_asked) {
                if causes.as_ref().and_then(|causes| causes.set_aside()) == Some(number) {
                    let (packets, arrived) = (packets.to_vec(), self.now);
                    self.aside = Some(Box::new(Arrived { message, queued, packets, arrived }));
                }
                late.passes_over();
                continue;
            }
            let alone = alone.of(&message, queued, packets);
            let class_of = |label| match labels.as_deref() {
                Some(labels) if label != REST => labels.class(label),
                _ => label,
            };
            let absorbed = late.settle(message.serial, alone, class_of);
            if let (Some(late), Some(causes)) = (absorbed, causes.as_mut()) {
                causes.absorbed(message.serial, late);
            }
        }
        if let Some(causes) = causes {
            causes.followed.clear();
            if causes.set_aside().is_none() {
                late.drops_aside();
            }
        }
    }

    /// Nothing more happens for now: the message that was received last is followed, if it has not been.
    pub(super) fn tells_ending(&mut self) {
        let Measures { late, labels, causes, .. } = &mut self.measures;
        let (Some(late), Some(causes)) = (late, causes) else { return };
        causes.tells_ending((Some(late), labels.as_deref()));
        late.drops_aside();
        if let (Some(arrived), Some(alone)) = (self.aside.take(), &mut self.alone)
            && causes.followed.contains(&arrived.message.serial)
        {
            let Arrived { message, queued, packets, arrived } = *arrived;
            let alone = alone.of(&message, queued, &packets);
            causes.absorbed(message.serial, (arrived - queued).saturating_sub(alone));
        }
        causes.followed.clear();
    }

    /// Lets wires and processes that nobody looked at do what they have done by now.
    ///
    /// For them that counts as fewer events than if others look at them later.
    pub fn catch_up(&mut self) {
        self.catch_up_to(self.now);
    }

    /// The same up to a time.
    pub(super) fn catch_up_to(&mut self, time: Time) {
        self.fabric.catch_up(time, &mut self.events, &mut self.measures);
        self.nodes.catch_up(time, &mut self.workload, &mut self.measures);
    }
}
