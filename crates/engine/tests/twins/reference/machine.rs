//! The whole simulated machine in one struct, and the loop over its events.

use super::choices::Grant;
use super::circuits::Circuit;
use super::network::{Channel, Output, Packet};
use super::outages::{self, Outage};
use super::processes::{Process, Processor, State};
use super::protocol::{Link, Message};
use super::queueing::Queued;
use super::receivers::Receiver;
use super::replies::{self, Replies};
use super::software::{self, Desk};
use super::synthetic::Synthetic;
use super::wiring::Wiring;
use crate::common::arbiters::Request;
use crate::common::requests::Sent;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use tailback_engine::rng::Stream;
use tailback_engine::spec::{Mode, Spec};

pub type Time = u64;
pub const NEVER: Time = Time::MAX;

/// What can happen. Events of one instant are handled in the order of this list
/// and then of the first number. `Ready` and `Left` exist only to let the network act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    Tail {
        number: usize,
        /// Of one channel they come in order.
        turn: usize,
        packet: usize,
    },
    Head {
        number: usize,
        packet: usize,
    },
    Cpu {
        node: usize,
    },
    Start {
        process: usize,
    },
    Message {
        row: usize,
    },
    /// A packet starts, in the modes without contention.
    Sets {
        packet: usize,
    },
    /// A packet's header is ready to ask for its next channel.
    Ready {
        packet: usize,
    },
    /// A packet's last token has left the sending side of a channel.
    Left {
        channel: usize,
    },
    /// A fault of a link or node is over.
    Repaired {
        outage: usize,
    },
    /// Tables of routing may be others.
    Rerouted {
        number: usize,
    },
    /// A node's network interface goes on: its packet has left, or may be followed.
    Gone {
        node: usize,
    },
}

/// What is counted, besides the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub sent: u64,
    pub delivered: u64,
    pub acknowledged: u64,
    pub failures: u64,
}

pub struct Reference {
    pub spec: Rc<Spec>,
    pub now: Time,
    pub wiring: Wiring,
    events: BTreeSet<(Time, Event)>,
    /// Processes that go on at this instant, first in first out.
    pub going_on: VecDeque<usize>,
    /// The process that goes on just now.
    pub at_work: Option<usize>,
    pub channels: Vec<Channel>,
    /// For each group the request that has been granted and waits for room.
    pub granted: Vec<Option<Grant>>,
    /// For each group, or each switch where packets have a choice, the inputs it has granted.
    pub granted_before: Vec<Vec<Request>>,
    pub outputs: Vec<Output>,
    pub receivers: Vec<Receiver>,
    /// Ends of packets that have been posted.
    pub tails: usize,
    /// For each wire when it can take the next packet (`throttled` mode only).
    pub wires_free_at: Vec<Time>,
    /// For each switch the channels whose packets ask there, where they have a choice.
    pub allocators: Vec<Vec<usize>>,
    /// For each group the channels whose packets ask for it, in the order that the `random` policy
    /// has drawn; empty with others.
    pub queues: Vec<Vec<usize>>,
    /// By process, one for each traffic class: how many messages it has sent, and of how many packets.
    pub sent: BTreeMap<usize, (u64, u64)>,
    /// Every packet ever queued, in that order; likewise every message ever sent.
    pub packets: Vec<Packet>,
    pub messages: Vec<Message>,
    /// By packet, with switching `circuit`.
    pub circuits: Vec<Circuit>,
    /// Messages of each virtual link that are not acknowledged yet, in order.
    pub links: BTreeMap<Link, VecDeque<usize>>,
    pub processes: Vec<Process>,
    pub processors: Vec<Processor>,
    /// By node, where messages cost something in software; and by process.
    pub desks: Vec<Desk>,
    pub variations: Vec<Stream>,
    pub synthetic: Synthetic,
    pub counters: Counters,
    /// Messages that are sent at times known beforehand.
    pub rows: Option<Vec<Sent>>,
    pub replies: Replies,
    pub queued: Queued,
    /// All that its faults come to.
    pub outages: Vec<Outage>,
    /// By packet until when it is sent for nothing, or was.
    pub in_vain: BTreeMap<usize, Time>,
    /// By packet when it asked anew, because tables had changed.
    pub anew: BTreeMap<usize, Time>,
    /// Packets that have decided to go by way of another node.
    pub ways_round: usize,
}

impl Reference {
    pub fn new(spec: &Spec) -> Self {
        let wiring = Wiring::new(&spec.machine);
        let processes = Process::all(spec, wiring.nodes());
        let mut reference = Self {
            now: 0,
            events: BTreeSet::new(),
            going_on: VecDeque::new(),
            at_work: None,
            channels: wiring.group_of.iter().map(|_| Channel::default()).collect(),
            granted: wiring.groups.iter().map(|_| None).collect(),
            granted_before: wiring.groups.iter().map(|_| Vec::new()).collect(),
            wires_free_at: vec![0; wiring.wires()],
            allocators: vec![Vec::new(); wiring.switches()],
            queues: vec![Vec::new(); wiring.groups.len()],
            sent: BTreeMap::new(),
            outputs: (0..wiring.nodes()).map(|_| Output::default()).collect(),
            receivers: (0..wiring.nodes()).map(|_| Receiver::default()).collect(),
            tails: 0,
            packets: Vec::new(),
            messages: Vec::new(),
            circuits: Vec::new(),
            links: BTreeMap::new(),
            processors: (0..wiring.nodes()).map(|_| Processor::default()).collect(),
            desks: (0..wiring.nodes()).map(|_| Desk::idle()).collect(),
            variations: software::variations(spec, processes.len()),
            synthetic: Synthetic::new(spec, &wiring, processes.len()),
            counters: Counters::default(),
            rows: replies::rows(spec, wiring.nodes()),
            replies: Replies::new(wiring.nodes()),
            queued: Queued::default(),
            outages: outages::all(spec, &wiring),
            in_vain: BTreeMap::new(),
            anew: BTreeMap::new(),
            ways_round: 0,
            spec: Rc::new(spec.clone()),
            processes,
            wiring,
        };
        for outage in 0..reference.outages.len() {
            let repaired = reference.outages[outage].fault.until_ps;
            reference.post(repaired, Event::Repaired { outage });
        }
        for (number, at) in reference.changes().into_iter().enumerate() {
            reference.post(at, Event::Rerouted { number });
        }
        if reference.rows.is_some() {
            let rows = reference.rows.clone().into_iter().flatten();
            for (row, (time, ..)) in rows.enumerate() {
                reference.post(time, Event::Message { row });
            }
        } else {
            for process in 0..reference.processes.len() {
                let time = reference.start_instant(process);
                reference.post(time, Event::Start { process });
            }
        }
        reference
    }

    pub fn post(&mut self, time: Time, event: Event) {
        assert!(time >= self.now, "an event in the past");
        assert!(self.events.insert((time, event)), "the same event twice");
    }

    /// An event that was posted will not be.
    pub fn forget(&mut self, time: Time, event: Event) {
        assert!(self.events.remove(&(time, event)), "an event that was not posted");
    }

    /// Simulates until nothing is left to do, an instant is later than `until`,
    /// or `most_instants` have been worked through. Returns the last instant
    /// that is complete.
    pub fn run(&mut self, until: Time, most_instants: usize) -> Time {
        for _ in 0..most_instants {
            let next = self.events.first().map_or(NEVER, |event| event.0);
            self.pass(next.min(until) - self.now);
            self.now = next.min(until);
            if next > until {
                return until;
            }
            self.change_tables();
            while let Some(event) = self.next_event_of_this_instant() {
                self.handle(event);
                while let Some(process) = self.going_on.pop_front() {
                    self.go_on(process);
                }
            }
            match self.spec.mode {
                Mode::Full | Mode::Endpoints if self.makes_circuits() => self.circuits_act(),
                Mode::Full => self.network_acts(),
                Mode::Endpoints => self.ends_act(),
                Mode::Throttled | Mode::Free | Mode::Ideal => {}
            }
        }
        self.now
    }

    fn next_event_of_this_instant(&mut self) -> Option<Event> {
        let first = *self.events.first()?;
        (first.0 == self.now).then(|| {
            self.events.remove(&first);
            first.1
        })
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Tail { packet, .. } => {
                self.circuit_ends(packet);
                self.is_drained(packet);
                self.tail(packet);
            }
            Event::Head { packet, .. } => self.head(packet),
            Event::Cpu { node } => self.piece_of_work_ends(node),
            Event::Start { process } => self.going_on.push_back(process),
            Event::Message { row } => self.send_row(row),
            Event::Sets { packet } if self.makes_circuits() => self.travel_as_circuit(packet),
            Event::Ready { .. } if self.makes_circuits() => {}
            Event::Ready { packet } if self.spec.mode == Mode::Endpoints => {
                self.is_at_its_end(packet);
            }
            Event::Sets { packet } => self.travel_without_contention(packet),
            Event::Ready { .. } | Event::Repaired { .. } | Event::Rerouted { .. } => {}
            Event::Left { channel } => self.left(channel),
            Event::Gone { node } => self.gone(node),
        }
    }

    /// Whether nothing will ever happen again.
    pub fn is_silent(&self) -> bool {
        let mut events = self.events.iter();
        let is_idle = |of: &Event| matches!(of, Event::Repaired { .. } | Event::Rerouted { .. });
        self.events.is_empty() || self.is_finished() && events.all(|event| is_idle(&event.1))
    }

    /// Whether everybody has got through everything, now that nothing will happen.
    pub fn is_finished(&self) -> bool {
        let is_done = |state| matches!(state, State::NotStarted | State::Finished);
        self.messages.iter().all(|message| message.is_received && message.is_acknowledged)
            && self.processes.iter().all(|process| is_done(process.state))
    }
}
