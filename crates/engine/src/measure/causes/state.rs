//! What is kept of everybody.

use super::edges::Edges;
use super::forest::{Forest, Leg};
use super::piece::{Parts, Piece};
use super::rows::Rows;
use super::way::{Prepared, Standing, Way};
use crate::ids::{InstantId, MessageId, PacketId, ProcessId};
use crate::measure::window::Window;
use crate::time::Time;
use std::collections::{BTreeMap, VecDeque};

/// Why everybody could go on.
pub struct Causes {
    pub(super) forest: Forest,
    pub(super) processes: Vec<Process>,
    /// By place of a message.
    pub(super) ways: Vec<Way>,
    /// By place of a packet: what it stands on, and what came before it was handed over.
    pub(super) standing: Vec<Standing>,
    /// By timer: what it stands on, and where in the program it is set.
    pub(super) timers: Vec<(InstantId, u32)>,
    /// The message that is being dealt with, and how far it has come.
    pub(super) hand: Hand,
    /// By node: what its messaging software has in hand.
    pub(super) desks: Vec<Desk>,
    /// The latest end of anything whose way is put down.
    pub(super) last: InstantId,
    /// A message that was received after that, for which nobody waited: most are followed by a later one, so what it
    /// waited for is put down when it must be.
    pub(super) ending: Option<Box<Ending>>,
    /// By message: how late it was, where that may be less than its chain of waits was long.
    pub(super) lateness: BTreeMap<u64, Time>,
    /// The messages that have just been followed, of which it is to be told how late they were.
    pub followed: Vec<u64>,
    /// Whether messages can be in each other's way.
    pub(super) is_contended: bool,
    /// The numbers of messages, where no blame has them.
    pub(super) opened: u32,
    /// All that waited for each other, if slack is asked for.
    pub(super) edges: Option<Box<Edges>>,
    /// What timelines show, if that is asked for.
    pub rows: Option<Box<Rows>>,
}

impl Causes {
    /// Nothing has happened.
    pub fn new(
        (processes, nodes): (usize, usize),
        (has_slack, is_contended): (bool, bool),
        window: Option<Window>,
    ) -> Self {
        Self {
            forest: Forest::new(has_slack),
            processes: vec![Process::default(); processes],
            ways: Vec::new(),
            standing: Vec::new(),
            timers: Vec::new(),
            hand: Hand::default(),
            desks: (0..nodes).map(|_| Desk::default()).collect(),
            last: InstantId::NONE,
            ending: None,
            followed: Vec::new(),
            lateness: BTreeMap::new(),
            is_contended,
            opened: 0,
            edges: has_slack.then(Box::default),
            rows: window.map(|window| Box::new(Rows::new(window))),
        }
    }

    /// A message, by its number, was so late, which may be less than its chain of waits was long.
    pub fn absorbed(&mut self, message: u64, late: Time) {
        self.lateness.insert(message, late);
    }

    /// Whether all that waited for each other is kept: slack is asked for.
    pub fn keeps_all(&self) -> bool {
        self.edges.is_some()
    }

    /// How many instants are kept.
    pub fn kept(&self) -> usize {
        self.forest.kept()
    }

    /// When the last of all was done; 0 if nothing was.
    pub fn makespan(&self) -> Time {
        self.ending.as_ref().map_or_else(|| self.forest.at(self.last), |ending| ending.at)
    }

    /// Whether nothing has ended yet at an instant, or later.
    pub(super) fn is_latest(&self, now: Time) -> bool {
        !self.last.is_some() && self.ending.is_none() || now > self.makespan()
    }

    /// Something else ends later than the message that is set aside.
    pub(super) fn forgets_ending(&mut self) {
        if let Some(ending) = self.ending.take() {
            self.forest.release(ending.parent);
        }
    }

    /// Something has ended that stands on an instant.
    pub(super) fn ends(&mut self, at: InstantId) {
        if let Some(edges) = &mut self.edges {
            edges.ends(at);
        }
        if self.is_latest(self.forest.at(at)) {
            self.forgets_ending();
            let at = self.forest.share(at);
            self.forest.replace(&mut self.last, at);
        }
    }

    pub(super) fn stands(&mut self, packet: PacketId, on: Standing) {
        if self.standing.len() <= packet.index() {
            self.standing.resize_with(packet.index() + 1, Standing::default);
        }
        self.standing[packet.index()] = on;
    }

    pub(super) fn leaf(&self, process: ProcessId) -> InstantId {
        self.processes[process.index()].leaf
    }
}

/// A process.
#[derive(Clone, Debug)]
pub(super) struct Process {
    /// The instant at which it could go on last.
    pub leaf: InstantId,
    /// Where its time went until then.
    pub parts: Parts,
    /// The instant at which it began to compute last.
    pub(super) began: InstantId,
    /// What it computes now; none: as long as it takes.
    pub(super) duration: Option<Time>,
    /// What its CPU had worked for messages before, sending and receiving.
    pub(super) before: (Time, Time),
    /// Where in the program that is called.
    pub call: u32,
    /// What it does on CPUs of its own.
    pub(super) timers: Timers,
    /// What came before it waited for it, if slack is asked for.
    pub early: Vec<InstantId>,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            leaf: InstantId::NONE,
            parts: Parts::default(),
            began: InstantId::NONE,
            timers: Timers::default(),
            duration: None,
            before: (0, 0),
            call: u32::MAX,
            early: Vec::new(),
        }
    }
}

/// What a process does on CPUs of its own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timers {
    /// How many compute, since when at least one does, and how long one did before that.
    running: u32,
    since: Time,
    done: Time,
    /// How much of that has been put down.
    put_down: Time,
}

impl Timers {
    pub(super) fn begins(&mut self, now: Time) {
        if self.running == 0 {
            self.since = now;
        }
        self.running += 1;
    }

    pub(super) fn ends(&mut self, now: Time) {
        self.running -= 1;
        if self.running == 0 {
            self.done += now - self.since;
        }
    }

    /// How long one has computed until `now` since it was asked last.
    pub(super) fn take(&mut self, now: Time) -> Time {
        let running = if self.running > 0 { now - self.since } else { 0 };
        let all = self.done + running;
        all - std::mem::replace(&mut self.put_down, all)
    }
}

/// What is not put down yet of what a packet waited for.
pub(super) struct Untold {
    pub packet: PacketId,
    /// What software did for it.
    pub prepared: Prepared,
    /// When it was queued, and how long it would have lived without contention; none: that does not matter.
    pub whole: Option<(Time, Time)>,
}

/// A message with which everything ends, as far as is known.
pub(super) struct Ending {
    /// The way of it that stands on `parent`, without what it waited for.
    pub leg: Leg,
    /// Who received it.
    pub process: ProcessId,
    /// When.
    pub at: Time,
    /// What it stands on.
    pub parent: InstantId,
}

/// How far a message has come.
pub(super) struct Hand {
    /// The message, or none.
    pub message: MessageId,
    /// Whose it is now: its receiver's, or its sender's if it is an acknowledgement.
    pub process: ProcessId,
    /// Since when it is in hand.
    pub at: Time,
    /// What that stands on.
    pub parent: InstantId,
    /// What lies between, but for latency and serialisation.
    pub pieces: Vec<Piece>,
    /// What of that is still to be put down.
    pub untold: Option<Untold>,
    /// The instant made of it, if one has been.
    pub made: InstantId,
}

impl Default for Hand {
    fn default() -> Self {
        let none = InstantId::NONE;
        let (message, process) = (MessageId::NONE, ProcessId::NONE);
        let pieces = Vec::new();
        Self { message, process, at: 0, parent: none, pieces, untold: None, made: none }
    }
}

/// What the software of a node has in hand.
#[derive(Default)]
pub(super) struct Desk {
    /// Packets that are ready, in the order in which they are handed over.
    pub(super) ready: VecDeque<(InstantId, Prepared)>,
    /// The message of the packet handed over last.
    pub(super) latest: Option<u32>,
    /// Packets that wait for the CPU to take them in, oldest first.
    pub(super) arrived: VecDeque<(Hand, Time)>,
    /// What it prepared last: whose message, which, and where that is called.
    pub(super) prepared: Option<(ProcessId, u64, u32)>,
}
