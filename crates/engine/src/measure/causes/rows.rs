//! What timelines show: what processes did when, and messages; of a window only.

use super::piece::Parts;
use super::way::Opened;
use crate::ids::{NodeId, ProcessId};
use crate::measure::window::Window;
use crate::time::{NEVER, Time};

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Doing {
    /// It computes.
    Computes,
    /// Its CPU prepares a message of it.
    Sends,
    /// Its CPU takes in a message for it.
    Receives,
    /// It waits for a message to come.
    WaitsReceived,
    /// It waits until a message that it has sent has come further.
    WaitsSent,
    /// It waits for others to come, and for what that costs.
    Meets,
}

impl Doing {
    /// All of them, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Computes, "compute"),
        (Self::Sends, "send"),
        (Self::Receives, "receive"),
        (Self::WaitsReceived, "wait_message"),
        (Self::WaitsSent, "wait_sent"),
        (Self::Meets, "meet"),
    ];
}

/// What a process did for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The process.
    pub process: ProcessId,
    /// What it did.
    pub doing: Doing,
    /// The message it was about.
    pub message: Option<u64>,
    /// From when.
    pub begin: Time,
    /// Until when.
    pub end: Time,
    /// Where in the program.
    pub call: u32,
    /// Of a wait: what it is put down to.
    pub parts: Parts,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// It, as it was sent.
    pub message: Opened,
    /// When it was sent.
    pub sent: Time,
    /// When its first packet left its node; [`NEVER`]: it was no packets, or has not.
    pub left: Time,
    /// When its last packet was delivered; [`NEVER`]: see above.
    pub arrived: Time,
    /// When it was received; [`NEVER`]: it has not been.
    pub received: Time,
}

/// What is shown, in the order in which it ended; messages in that of sending.
pub struct Rows {
    window: Window,
    /// What processes did.
    pub activities: Vec<Activity>,
    /// Messages sent in the window by a process that is shown, or to one.
    pub transfers: Vec<Transfer>,
    /// By node: since when its CPU has done what it does.
    since: Vec<Time>,
}

impl Rows {
    /// Nothing yet.
    pub fn new(window: Window) -> Self {
        Self { window, activities: Vec::new(), transfers: Vec::new(), since: Vec::new() }
    }

    /// Adds what a process did, if that is shown.
    pub(super) fn add(&mut self, activity: Activity) {
        let (from, to) = self.window.time;
        let lasts = activity.end > activity.begin;
        if lasts
            && activity.end > from
            && activity.begin < to
            && self.window.shows(activity.process)
        {
            self.activities.push(activity);
        }
    }

    /// A process computes.
    pub fn computes(&mut self, process: ProcessId, (begin, end): (Time, Time), call: u32) {
        let (doing, parts) = (Doing::Computes, Parts::default());
        self.add(Activity { process, doing, message: None, begin, end, call, parts });
    }

    /// A CPU begins with something.
    pub fn cpu_begins(&mut self, node: NodeId, now: Time) {
        self.since.resize(self.since.len().max(node.index() + 1), 0);
        self.since[node.index()] = now;
    }

    /// It has done it for a process, with a message.
    pub(super) fn cpu_ends(
        &mut self,
        node: NodeId,
        (process, doing): (ProcessId, Doing),
        message: Option<u64>,
        (end, call): (Time, u32),
    ) {
        let begin = self.since.get(node.index()).copied().unwrap_or(end);
        self.add(Activity { process, doing, message, begin, end, call, parts: Parts::default() });
    }

    /// A message is sent: its place, if it is shown.
    pub(super) fn sends(&mut self, message: &Opened, sent: Time) -> Option<usize> {
        let (from, to) = self.window.time;
        let is_shown = self.window.shows(message.from) || self.window.shows(message.to);
        if sent < from || sent >= to || !is_shown {
            return None;
        }
        let (left, arrived, received) = (NEVER, NEVER, NEVER);
        self.transfers.push(Transfer { message: *message, sent, left, arrived, received });
        Some(self.transfers.len() - 1)
    }

    /// A data packet of a message that is shown is there, that set out at `first_sent`.
    pub(super) fn arrives(&mut self, place: usize, first_sent: Time, now: Time) {
        let transfer = &mut self.transfers[place];
        transfer.left = transfer.left.min(first_sent);
        transfer.arrived = now;
    }
}
