//! One run: assembly, the loop over events, and what can be read afterwards.

mod asking;

use crate::error::{RunError, SpecError, Waiting};
use crate::event_queue::{Event, EventQueue};
use crate::fabric::{Fabric, Layout, Wiring};
use crate::ids::{NodeId, ProcessId};
use crate::measure::blame::Charged;
use crate::measure::{
    Binned, Blame, Counters, Measures, NodeTally, Offered, PacketRow, Stored, Use,
};
use crate::node::{Interface, Nodes, World};
use crate::spec::{self, Mode, Spec};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use crate::workload::{Progress as Done, Workload};
pub use asking::Ask;

/// Events and instructions at one instant after which the clock counts as stuck.
const MOST_AT_ONE_INSTANT: u64 = 1 << 24;

/// A run in progress.
///
/// It advances as far as it is told and can be read at any time in between. The
/// same [`Spec`] gives the same bytes, however it is cut into calls.
pub struct Simulation {
    now: Time,
    events_handled: u64,
    sample_interval: Time,
    next_sample: Time,
    samples: Vec<Sample>,
    topology: Topology,
    events: EventQueue,
    fabric: Fabric,
    nodes: Nodes,
    workload: Workload,
    measures: Measures,
    /// Per process: what it had done when the window began.
    done_before: Vec<Done>,
    /// Whether it is looked out for packets that wait for each other in a circle.
    watches: bool,
    /// Events and instructions handled at the present instant.
    at_once: u64,
    /// Whether the present instant is not over: processes ask.
    is_open: bool,
}

/// The counters at the end of a sample interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The end of the interval.
    pub time: Time,
    /// Events handled until then.
    pub events: u64,
    /// Everything counted until then.
    pub counters: Counters,
}

/// Why [`Simulation::advance`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The time asked for has been reached.
    Time,
    /// The number of events asked for has been handled.
    Events,
    /// The workload has ended; nothing is left to happen.
    Finished,
    /// Processes from outside ask for instructions ([`Simulation::asking`]). The present
    /// instant is not over: it goes on with the next call, when all have been answered.
    Asks,
}

impl Simulation {
    /// Builds machine and workload; nothing has happened yet.
    ///
    /// # Errors
    /// A description that cannot be simulated.
    pub fn new(spec: &Spec) -> Result<Self, SpecError> {
        let topology = Topology::new(&spec.machine.topology)?;
        let fabric = Fabric::new(&spec.machine, &topology, spec.mode, spec.fidelity, spec.seed)?;
        let workload = Workload::new(&spec.workload, &topology, spec.seed)?;
        let ideal = spec.mode == Mode::Ideal;
        let blame = spec.blame.as_ref();
        let mut nodes = Nodes::new(&spec.machine, topology.nodes, &workload, ideal, blame)?;
        if let spec::Workload::External(external) = spec.workload {
            nodes.serve(Interface::new(external, &topology));
        }
        if spec.sample_interval_ps == 0 {
            return Err(SpecError::new("run.sample_interval", 0, "must be above 0"));
        }
        let channels = fabric.wiring().layout.channels();
        let link = fabric.wiring().link;
        let (reach, step) = (link.packet_ps(spec.machine.interface.packet_bytes), link.hop_ps);
        let interval = spec.sample_interval_ps;
        let mut measures = Measures::new(channels, topology.nodes, interval, spec.record_packets);
        let is_integrated = spec.machine.switch.integrated;
        let early = if is_integrated { spec.machine.interface.early_bytes } else { 0 };
        measures.message_begins = (early > 0).then(Default::default);
        measures.offered = is_integrated.then(Offered::default);
        measures.stored = fabric.stores().then(|| Box::new(Stored::new(topology.nodes)));
        if let Some(blame) = &spec.blame {
            let queues = fabric.queues(spec.mode, spec.fidelity);
            let kept = (spec.record_packets, blame.keep_all);
            measures.blame = Some(Box::new(Blame::new(queues, interval, kept)));
        }
        let done_before = vec![Done::default(); nodes.placement().len()];
        measures.completed = vec![0; done_before.len()];
        let mut simulation = Self {
            now: 0,
            events_handled: 0,
            sample_interval: spec.sample_interval_ps,
            next_sample: spec.sample_interval_ps,
            samples: Vec::new(),
            topology,
            events: EventQueue::new(reach, step),
            fabric,
            nodes,
            workload,
            measures,
            done_before,
            watches: spec.machine.routing.allow_deadlock,
            at_once: 0,
            is_open: false,
        };
        simulation.post_starts();
        Ok(simulation)
    }

    fn post_starts(&mut self) {
        for (process, at) in self.workload.starts().into_iter().enumerate() {
            self.events.post(at, Event::Start(ProcessId::from_index(process)));
        }
        if let Some(at) = self.workload.due(0) {
            self.events.post(at, Event::Row(0));
        }
    }

    /// Runs until everything up to and including `until` has happened, or until
    /// `max_events` more events have been handled and samples taken, or until the
    /// workload ends, or processes ask for instructions.
    ///
    /// # Errors
    /// [`RunError::Deadlock`] when nothing will happen any more although
    /// processes wait; [`RunError::ClockStuck`] when time does not pass.
    pub fn advance(&mut self, until: Time, max_events: u64) -> Result<Progress, RunError> {
        let mut enough = self.events_handled.saturating_add(max_events);
        // After this instant a sample is due or the call is over.
        let mut horizon = until.min(self.next_sample);
        let mut goes_on = self.is_open;
        if goes_on && !self.goes_on() {
            return Ok(Progress::Asks);
        }
        loop {
            // One place from which an instant is handled, so that it stands in line there.
            if !std::mem::take(&mut goes_on) {
                let flits = self.fabric.next_time();
                let queued = self.events.next_time(flits);
                if queued.is_none() && self.is_over() {
                    return self.end();
                }
                let time = queued.map_or(flits, |queued| queued.min(flits));
                if time > horizon {
                    let left = enough.saturating_sub(self.events_handled);
                    let taken = self.sample_before(time.min(until.saturating_add(1)), left);
                    enough -= taken;
                    if taken == left {
                        self.now = self.now.max(self.next_sample - self.sample_interval);
                        return Ok(Progress::Events);
                    }
                    if time > until {
                        self.now = self.now.max(until);
                        self.catch_up(self.now);
                        return Ok(Progress::Time);
                    }
                    self.check_moving()?;
                    horizon = until.min(self.next_sample);
                }
                if let Some(due) = self.events.newly_due() {
                    self.fabric.touch(due);
                }
                self.now = time;
                self.at_once = 0;
            }
            if !self.instant(self.now)? {
                return Ok(Progress::Asks);
            }
            if self.events_handled >= enough {
                self.catch_up(self.now);
                return Ok(Progress::Events);
            }
        }
    }

    /// Whether nothing is left to happen, or nothing but credits of packets long gone.
    #[inline]
    fn is_over(&self) -> bool {
        let idle = self.fabric.packets().is_empty() || self.fabric.next_time() == NEVER;
        idle && self.events.is_empty()
    }

    /// Handles all events of one instant, then lets the network choose; false if processes
    /// ask before it does.
    fn instant(&mut self, time: Time) -> Result<bool, RunError> {
        let (events, measures) = (&mut self.events, &mut self.measures);
        self.events_handled += self.fabric.happen(time, events, measures);
        while self.at_once <= MOST_AT_ONE_INSTANT
            && let Some(event) = self.fabric.next_event(time, &mut self.events)
        {
            self.handle(event);
        }
        if self.at_once > MOST_AT_ONE_INSTANT {
            return Err(RunError::ClockStuck { at: time, limit: MOST_AT_ONE_INSTANT });
        }
        if self.is_asked() {
            self.is_open = true;
            return Ok(false);
        }
        self.fabric.arbitrate(time, &mut self.events, &mut self.measures);
        self.watch();
        self.fabric.strayed().map_or(Ok(true), |packet| {
            if let Some(channel) = self.fabric.packets().overfull() {
                let (place, limit) = (self.layout().place(channel), spec::Switch::MOST_FLITS);
                return Err(RunError::BufferTooFull { at: time, place, limit });
            }
            Err(RunError::Livelock {
                at: time,
                packet: packet.serial,
                source: packet.source.0,
                destination: packet.destination.0,
                limit: u32::from(packet.hops) - 1,
            })
        })
    }

    /// Handles one event.
    #[inline]
    fn handle(&mut self, event: Event) {
        self.events_handled += 1;
        self.at_once += 1;
        let (events, measures) = (&mut self.events, &mut self.measures);
        match event {
            Event::Request(of) => self.fabric.request(of, self.now, events, measures),
            Event::Retry(of) => self.fabric.retry(of, self.now, events, measures),
            _ => self.handle_at_node(event),
        }
    }

    /// The nodes, and what they act on at the present instant.
    #[inline]
    fn nodes_in_world(&mut self) -> (&mut Nodes, World<'_>) {
        let world = World {
            now: self.now,
            fabric: &mut self.fabric,
            workload: &mut self.workload,
            events: &mut self.events,
            measures: &mut self.measures,
        };
        (&mut self.nodes, world)
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
                if let Some(at) = world.workload.due(row + 1) {
                    world.events.post(at, Event::Row(row + 1));
                }
                nodes.row(row, &mut world);
                0
            }
            Event::Request(_) | Event::Retry(_) => 0,
        };
        self.at_once += count;
    }

    /// Nothing is left to happen: the end, or a deadlock.
    fn end(&mut self) -> Result<Progress, RunError> {
        self.sample_before(self.now + 1, u64::MAX);
        let waiting = self.waiting();
        if waiting.is_empty() && self.fabric.packets().is_empty() {
            return Ok(Progress::Finished);
        }
        Err(RunError::Deadlock { at: self.now, waiting, circle: self.fabric.deadlock(self.now) })
    }

    /// Whether packets wait for each other in a circle although other things still happen.
    fn check_moving(&self) -> Result<(), RunError> {
        if !self.watches {
            return Ok(());
        }
        let circle = self.fabric.deadlock(self.now);
        if circle.is_empty() {
            return Ok(());
        }
        Err(RunError::Deadlock { at: self.now, waiting: self.waiting(), circle })
    }

    /// Who waits for what, processes first.
    fn waiting(&self) -> Vec<Waiting> {
        let process = |(number, node): (usize, &NodeId)| {
            let process = ProcessId::from_index(number);
            let what = self.workload.waits_for(process).or_else(|| self.awaits(process))?;
            Some(Waiting { who: format!("process {number} on node {}", node.0), what })
        };
        let messages = self.nodes.messages().into_iter().map(|message| Waiting {
            who: format!(
                "message {} of {} bytes from process {} on node {}",
                message.serial, message.bytes, message.from.0, message.from_node.0
            ),
            what: if message.packetised || message.unsent < message.bytes {
                format!("process {} on node {} to receive it", message.to.0, message.to_node.0)
            } else {
                "the message before it on its virtual link".into()
            },
        });
        let processes = self.nodes.placement().iter().enumerate().filter_map(process);
        processes.chain(messages).collect()
    }

    /// Takes the samples of all intervals that end before `time`, at most so many; how many.
    fn sample_before(&mut self, time: Time, most: u64) -> u64 {
        let mut taken = 0;
        while self.next_sample < time && taken < most {
            taken += 1;
            self.catch_up(self.next_sample);
            let mut counters = self.measures.sample();
            add_done(&mut counters, self.workload.progress());
            self.samples.push(Sample {
                time: self.next_sample,
                events: self.events_handled,
                counters,
            });
            self.next_sample += self.sample_interval;
        }
        taken
    }

    /// Lets processes that nobody looked at do what they have done up to `time`.
    fn catch_up(&mut self, time: Time) {
        self.nodes.catch_up(time, &mut self.workload, &mut self.measures);
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

    /// Simulated time reached.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events_handled
    }

    /// The machine's graph.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Channels, routes and times.
    pub fn wiring(&self) -> &Wiring {
        self.fabric.wiring()
    }

    /// The numbering of channels.
    pub fn layout(&self) -> &Layout {
        &self.wiring().layout
    }

    /// The node of every process.
    pub fn placement(&self) -> &[NodeId] {
        self.nodes.placement()
    }

    /// Packets queued or in flight.
    pub fn packets_in_flight(&self) -> usize {
        self.fabric.packets().len()
    }

    /// Distributions of the current window, and more.
    pub fn measures(&self) -> &Measures {
        &self.measures
    }

    /// Everything counted until now.
    ///
    /// In the modes without contention, busy times of channels are exact at
    /// multiples of the sample interval and at the end of a finite workload; in
    /// between they run ahead by less than an interval.
    pub fn counters(&self) -> Counters {
        let measures = &self.measures;
        let mut counters = measures.counters;
        let mut busy = measures.busy.each_ref().map(|busy| busy.so_far(self.now));
        if let Some(ahead) = self.fabric.overhang_by_kind(self.now) {
            busy = measures.busy.each_ref().map(|busy| Binned::booked(busy, self.now));
            busy.iter_mut().zip(ahead).for_each(|(busy, ahead)| *busy -= ahead);
        }
        add_done(&mut counters, self.workload.progress());
        [counters.busy_injection_ps, counters.busy_internal_ps, counters.busy_ejection_ps] = busy;
        counters.cpu_busy_ps = measures.cpu.booked(self.now)
            - self.nodes.processors().overhang(self.now).sum::<Time>();
        counters
    }

    /// Samples since the last call.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }

    /// Rows of packets delivered since the last call; empty unless recorded.
    pub fn take_packets(&mut self) -> Vec<PacketRow> {
        self.measures.rows.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What the packets delivered since the last call were charged; empty unless recorded.
    pub fn take_charged(&mut self) -> Vec<Charged> {
        let blame = self.measures.blame.as_mut();
        let packets = blame.and_then(|blame| blame.packets.as_mut());
        packets.map(std::mem::take).unwrap_or_default()
    }

    /// What every channel carried in the window, up to now.
    pub fn channels_used(&self) -> Vec<Use> {
        self.fabric.used(self.now)
    }

    /// What every process did in the window.
    pub fn processes_done(&self) -> Vec<Done> {
        let before = self.done_before.iter().enumerate();
        let done = before.map(|(process, before)| {
            let now = self.workload.progress_of(ProcessId::from_index(process));
            Done {
                iterations: now.iterations - before.iterations,
                dropped: now.dropped - before.dropped,
            }
        });
        done.collect()
    }

    /// What the processes of every node together did in the window.
    pub fn nodes_done(&self) -> Vec<Done> {
        let mut nodes = vec![Done::default(); self.topology.nodes];
        for (node, done) in self.placement().iter().zip(self.processes_done()) {
            let sum = &mut nodes[node.index()];
            sum.iterations += done.iterations;
            sum.dropped += done.dropped;
        }
        nodes
    }

    /// What every node did in the window, up to now.
    pub fn node_tallies(&self) -> Vec<NodeTally> {
        let mut tallies = self.measures.nodes.clone();
        for tally in &mut tallies {
            tally.queues.iter_mut().for_each(|queue| queue.settle(self.now));
        }
        tallies
    }

    /// How long every processor computed in the window, up to now.
    pub fn processors_busy(&self) -> Vec<Time> {
        self.nodes.processors().busy(self.now).collect()
    }
}

fn add_done(counters: &mut Counters, done: Done) {
    counters.iterations = done.iterations;
    counters.messages_failed = done.dropped;
}
