//! Why everybody could go on: the critical path of a program, and where the time of processes went.
//!
//! Whenever a process, or a message, can go on, an [`Instant`] is made that stands on the one
//! instant it waited for: it has computed, a message has come that was sent then, the last of a
//! group has come. So they are a [`Forest`] whose leaves are the present, and what no leaf stands
//! on is forgotten. When the last process has ended, its branch is the critical path
//! ([`Causes::path`]). Nodes tell what happens; that nothing costs more than a branch as long as it
//! is not kept is theirs to see to. The rules are in `docs/critical-path.md`.

mod clocks;
mod desk;
mod forest;
mod hand;
mod messages;
mod path;
mod piece;
mod processes;
mod rows;
mod slack;

pub use clocks::Crossing;
pub use forest::{Computed, Forest, Instant, Leg, Segment};
pub use messages::Opened;
pub use path::{Kind, Step};
pub use piece::{Blamed, Part, Parts, Piece, Who};
pub use rows::{Activity, Doing, Rows, Transfer, Window};
pub use slack::Slack;

use crate::ids::{InstantId, PacketId, ProcessId};
use crate::time::Time;
use desk::Desk;
use hand::Hand;
use messages::Way;
use processes::Process;
use slack::Edges;

/// Why everybody could go on.
pub struct Causes {
    forest: Forest,
    processes: Vec<Process>,
    /// By place of a message.
    ways: Vec<Way>,
    /// By place of a packet: what it stands on, and what came before it was handed over.
    standing: Vec<Standing>,
    /// By timer: what it stands on, and where in the program it is set.
    timers: Vec<(InstantId, u32)>,
    /// The message that is being dealt with, and how far it has come.
    hand: Hand,
    /// By node: what its messaging software has in hand.
    desks: Vec<Desk>,
    /// The latest end of anything.
    last: InstantId,
    /// By channel: whether it is between a node and the network.
    is_end: Vec<bool>,
    /// The numbers of messages, where no blame has them.
    opened: u32,
    /// All that waited for each other, if slack is asked for.
    edges: Option<Box<Edges>>,
    /// What timelines show, if that is asked for.
    pub rows: Option<Box<Rows>>,
}

/// What a packet stands on.
#[derive(Clone, Copy, Debug)]
struct Standing {
    base: InstantId,
    prepared: Prepared,
}

/// What software did for a packet before it was handed to the network.
#[derive(Clone, Copy, Debug, Default)]
struct Prepared {
    /// For so long it was prepared.
    overhead: Time,
    /// For so long a packet before it was leaving.
    leaving: Time,
    /// Until when.
    left: Time,
    /// When it was ready, if software had anything to do with it, and when it was handed over.
    ready: Option<Time>,
    handed: Time,
    /// Whom it waited behind meanwhile, if not a packet of its own message.
    behind: Option<Blamed>,
}

impl Causes {
    /// Nothing has happened; `is_end` tells by channel whether it is between a node and the network.
    pub fn new(
        (processes, nodes): (usize, usize),
        is_end: Vec<bool>,
        has_slack: bool,
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
            is_end,
            opened: 0,
            edges: has_slack.then(Box::default),
            rows: window.map(|window| Box::new(Rows::new(window))),
        }
    }

    /// How many instants are kept.
    pub fn kept(&self) -> usize {
        self.forest.kept()
    }

    /// When the last of all was done; 0 if nothing was.
    pub fn makespan(&self) -> Time {
        self.forest.at(self.last)
    }

    /// Something has ended that stands on an instant.
    fn ends(&mut self, at: InstantId) {
        if let Some(edges) = &mut self.edges {
            edges.ends(at);
        }
        if !self.last.is_some() || self.forest.at(at) > self.makespan() {
            let at = self.forest.share(at);
            self.forest.replace(&mut self.last, at);
        }
    }

    fn stands(&mut self, packet: PacketId, on: Standing) {
        if self.standing.len() <= packet.index() {
            let nobody = Standing { base: InstantId::NONE, prepared: Prepared::default() };
            self.standing.resize(packet.index() + 1, nobody);
        }
        self.standing[packet.index()] = on;
    }

    fn leaf(&self, process: ProcessId) -> InstantId {
        self.processes[process.index()].leaf
    }
}
