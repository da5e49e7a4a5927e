//! One run: the loop over its events.
//!
//! What there is of it is in `state`, what can be read of it at any time in `accounts`, what is told
//! at the end of intervals in `sampling`, how processes from outside get their instructions in
//! `asking`, and ranks of a trace theirs in `feeding`.

mod accounts;
mod alone;
mod asking;
mod ending;
mod feeding;
mod samples;
mod sampling;
mod state;

use crate::assembly::Assembly;
use crate::error::{RunError, SpecError};
use crate::event_queue::{Event, EventQueue};
use crate::fabric::{ByKind, Kind, Packet};
use crate::ids::ProcessId;
use crate::node::MOST_AT_ONE_INSTANT;
use crate::rare::rarely;
use crate::spec::{self, Spec};
use crate::time::{NEVER, Time};
use crate::workload::Progress as Done;
pub use asking::Ask;
pub use samples::Sample;
use samples::Sampling;
use state::Open;
pub use state::{Progress, Simulation};

/// What [`Simulation::advance`] is told.
struct Advance<'a> {
    simulation: &'a mut Simulation,
    until: Time,
    max_events: u64,
}

impl ByKind for Advance<'_> {
    type Output = Result<Progress, RunError>;

    fn act<M: Kind>(self) -> Self::Output {
        self.simulation.advance_by::<M>(self.until, self.max_events)
    }
}

impl Simulation {
    /// Builds machine and workload; the clock stands at 0.
    ///
    /// # Errors
    /// A description that cannot be simulated.
    pub fn new(spec: &Spec) -> Result<Self, SpecError> {
        let Assembly { topology, fabric, workload, nodes, measures, alone } = Assembly::new(spec)?;
        let link = fabric.wiring().link;
        let longest = spec.machine.interface.packet_bytes;
        let reach = link.packet_ps(longest).max(fabric.wiring().drain_ps(longest));
        let mut simulation = Self {
            now: 0,
            events_handled: 0,
            sampling: Sampling::every(spec.sample_interval_ps, spec.sparse_samples),
            topology,
            events: EventQueue::new(reach, link.hop_ps),
            fabric,
            done_before: vec![Done::default(); nodes.placement().len()],
            nodes,
            is_told: workload.is_told(),
            foreground: workload.foreground().map(Box::new),
            workload,
            measures,
            alone,
            aside: None,
            watches: spec.machine.routing.allow_deadlock,
            at_once: 0,
            open: Open::No,
            leaves_instants: false,
        };
        simulation.post_starts();
        Ok(simulation)
    }

    fn post_starts(&mut self) {
        for (process, at) in self.workload.starts() {
            self.events.post(at, Event::Start(process));
        }
        for (row, at) in self.workload.first_rows() {
            self.events.post(at, Event::Row(row));
        }
    }

    /// From now on an instant is left in which the network takes much memory ([`Progress::Grown`]).
    pub fn leave_instants(&mut self) {
        self.leaves_instants = true;
    }

    /// Runs until all events up to and including `until` have been handled, or until
    /// `max_events` more events have been handled and samples taken, or until the
    /// workload ends, or processes ask for instructions.
    ///
    /// Nothing depends on how a run is cut into calls by events: who reads what was measured at such
    /// a cut calls [`Simulation::catch_up`] first.
    ///
    /// # Errors
    /// [`RunError::Deadlock`] when no event is left although
    /// processes wait; [`RunError::ClockStuck`] when time does not pass.
    pub fn advance(&mut self, until: Time, max_events: u64) -> Result<Progress, RunError> {
        if self.is_without_network() {
            return self.advance_ranks(max_events);
        }
        let advance = self.fabric.by_kind::<Advance>();
        let progress = advance(Advance { simulation: self, until, max_events });
        if self.open == Open::No {
            self.tells_ending();
        }
        progress
    }

    /// The same with the kind of the network's model.
    fn advance_by<M: Kind>(&mut self, until: Time, max_events: u64) -> Result<Progress, RunError> {
        let mut enough = self.events_handled.saturating_add(max_events);
        // After this instant a sample is due or the call is over.
        let mut horizon = until.min(self.sampling.next);
        let mut goes_on = self.open != Open::No;
        if self.open == Open::Asks && !self.goes_on() {
            return Ok(self.awaits_outside());
        }
        self.open = Open::No;
        loop {
            // One place from which an instant is handled, so that it stands in line there.
            if !std::mem::take(&mut goes_on) {
                let flits = self.fabric.next_time::<M>();
                let queued = self.events.next_time(flits);
                let mut time = queued.map_or(flits, |queued| queued.min(flits));
                if queued.is_none() && self.is_over::<M>() {
                    time = self.fabric.at_rest(self.now);
                    if time <= self.now {
                        return self.end();
                    }
                }
                if time > horizon {
                    let left = enough.saturating_sub(self.events_handled);
                    let taken = self.sample_before(time.min(until.saturating_add(1)), left);
                    enough -= taken;
                    if taken == left {
                        self.now = self.now.max(self.sampling.last());
                        return Ok(Progress::Events);
                    }
                    if time > until {
                        self.now = self.now.max(until);
                        self.catch_up();
                        return Ok(Progress::Time);
                    }
                    self.check_moving()?;
                    horizon = until.min(self.sampling.next);
                }
                if let Some(due) = self.events.newly_due() {
                    self.fabric.prefetch::<M>(due.clone());
                    for event in due {
                        if let Some(packet) = self.fabric.at_node::<M>(event) {
                            if matches!(event, Event::Tail(_)) {
                                self.nodes.prefetch(packet.message);
                                self.measures.prefetch(packet.destination);
                            } else {
                                self.measures.prefetch(packet.source);
                            }
                        }
                    }
                }
                self.now = time;
                self.at_once = 0;
            }
            if !self.instant::<M>(self.now)? {
                return Ok(match self.open {
                    Open::Grown => Progress::Grown,
                    Open::No | Open::Asks => self.awaits_outside(),
                });
            }
            if rarely(self.foreground.is_some()) && self.foreground_is_over() {
                return self.end_with_background();
            }
            if self.events_handled >= enough {
                return Ok(Progress::Events);
            }
        }
    }

    /// Whether no event is left, or none but credits of packets long gone.
    #[inline]
    fn is_over<M: Kind>(&self) -> bool {
        let idle = self.fabric.packets().is_empty() || self.fabric.next_time::<M>() == NEVER;
        idle && self.events.is_empty()
    }

    /// Handles all events of one instant, then lets the network choose; false if processes
    /// ask before it does, or it has taken much memory.
    // In line in the loop over instants: else what does not change in it is worked out, and put on
    // the stack, for every instant again (15 % of all instructions).
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn instant<M: Kind>(&mut self, time: Time) -> Result<bool, RunError> {
        let (events, measures) = (&mut self.events, &mut self.measures);
        self.events_handled += self.fabric.step::<M>(time, events, measures);
        while self.at_once <= MOST_AT_ONE_INSTANT
            && let Some(event) = self.fabric.next_event::<M>(time, &mut self.events)
        {
            self.handle::<M>(event);
            if self.leaves_instants && self.fabric.has_grown::<M>() {
                self.open = Open::Grown;
                return Ok(false);
            }
        }
        if self.at_once > MOST_AT_ONE_INSTANT {
            return Err(self.stuck(time));
        }
        if self.is_asked() {
            self.open = Open::Asks;
            return Ok(false);
        }
        self.fabric.arbitrate::<M>(time, &mut self.events, &mut self.measures);
        if rarely(self.alone.is_some()) {
            self.settle_late();
        }
        self.watch();
        if let Some(packet) = self.fabric.strayed() {
            return Err(self.stray(packet, time));
        }
        Ok(true)
    }

    /// Why a run cannot go on at an instant.
    #[cold]
    #[inline(never)]
    fn stuck(&mut self, at: Time) -> RunError {
        match self.workload.refused() {
            Some(error) => RunError::Refused { at, error },
            None => RunError::ClockStuck { at, limit: MOST_AT_ONE_INSTANT },
        }
    }

    /// Why a run cannot go on that has a packet which strayed, has no route, or came to a buffer too
    /// full.
    #[cold]
    #[inline(never)]
    fn stray(&self, packet: &Packet, at: Time) -> RunError {
        if let Some(channel) = self.fabric.packets().overfull() {
            let (place, limit) = (self.layout().place(channel), spec::Switch::MOST_FLITS);
            return RunError::BufferTooFull { at, place, limit };
        }
        let pair = (packet.source, packet.destination);
        if let Some(error) = self.fabric.wiring().routing.gap(pair, &self.topology) {
            return RunError::Refused { at, error };
        }
        RunError::Livelock {
            at,
            packet: packet.serial,
            source: packet.source.0,
            destination: packet.destination.0,
            limit: u32::from(packet.hops) - 1,
        }
    }

    /// Handles one event.
    #[inline]
    fn handle<M: Kind>(&mut self, event: Event) {
        self.events_handled += 1;
        self.at_once += 1;
        let (events, measures) = (&mut self.events, &mut self.measures);
        match event {
            Event::Request(of) => self.fabric.request::<M>(of, self.now, events, measures),
            Event::Retry(of) => self.fabric.retry::<M>(of, self.now, events, measures),
            _ => self.handle_at_node(event),
        }
    }

    /// Handles an event that a node is told of.
    fn handle_at_node(&mut self, event: Event) {
        let (nodes, mut world) = self.nodes_in_world();
        let count = match event {
            Event::Tail(of) => nodes.tail(of, &mut world),
            Event::Cpu(node) => nodes.processor(node, &mut world),
            Event::Start(process) => nodes.start(process, &mut world),
            Event::Head(of) => nodes.head(of, &mut world),
            Event::Row(row) => {
                if let Some(at) = world.workload.due_after(row) {
                    world.events.post(at, Event::Row(row + 1));
                }
                nodes.row(row, &mut world);
                0
            }
            Event::Interface(node) => nodes.interface_goes_on(node, &mut world),
            Event::Request(_) | Event::Retry(_) => 0,
        };
        self.at_once += count;
    }

    /// Whether packets wait for each other in a circle although other events go on.
    fn check_moving(&self) -> Result<(), RunError> {
        // Other tables may lead packets out of a circle.
        if !self.watches || self.fabric.wiring().next_change() != NEVER {
            return Ok(());
        }
        let circle = self.circle();
        if circle.is_empty() {
            return Ok(());
        }
        Err(RunError::Deadlock { at: self.now, waiting: self.waiting(), circle })
    }

    /// Forgets all distributions and tallies: a new measurement window begins now.
    ///
    /// Counters and samples go on.
    pub fn begin_window(&mut self) {
        self.measures.begin_window(self.now);
        for (process, before) in self.done_before.iter_mut().enumerate() {
            *before = self.workload.progress_of(ProcessId::from_index(process));
        }
        self.fabric.begin_window(self.now);
        self.nodes.begin_window(self.now);
    }
}
