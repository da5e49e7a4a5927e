//! What is kept of messages and of who was sent when.

use super::booker::Booker;
use super::chain::{Piece, Rules, Scratch};
use super::charges::{Adder, Kind, Site, Why};
use super::log::{FAULT, Log, NOBODY, Places};
use super::tables::Tables;
use super::turns::RecordId;
use crate::ids::{ChannelId, NodeId};
use crate::measure::blame::{REST, Victims};
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// What channels are to messages.
pub struct Sites {
    /// By channel: what it connects.
    pub of: Vec<Site>,
    /// Where packets take turns.
    pub places: Places,
    /// How packets stand and are served.
    pub rules: Rules,
}

/// How late messages were, and why.
pub struct Late {
    pub(super) log: Log,
    pub(super) rules: Rules,
    /// By channel.
    pub(super) sites: Vec<Site>,
    /// By place of a message.
    pub(super) messages: Vec<Message>,
    pub(super) count: u64,
    pub(super) pieces: Vec<Piece>,
    pub(super) scratch: Scratch,
    pub(super) booker: Booker,
    /// The waits of a message, added up.
    pub(super) adder: Adder,
    /// Whether it is followed who made messages wait.
    pub(super) is_followed: bool,
    /// Whether that is added up over messages; else only those are followed that are asked for by [`Self::waited`].
    pub(super) adds_up: bool,
    /// What is kept of a message that may still be asked for.
    pub(super) aside: Aside,
    /// Whose waits are charged.
    pub(super) victims: Victims,
    pub(super) interval: Time,
    /// Those that have arrived and of which it is not known how long they take alone.
    pub(super) unsettled: VecDeque<Unsettled>,
    /// When their data packets were queued, where that is noted.
    pub(super) given: VecDeque<Vec<Time>>,
    /// Whether it is noted when packets are queued: software prepares them one by one.
    pub notes_packets: bool,
    /// The tables of the window.
    pub tables: Tables,
    /// Messages that have arrived since they were last taken, if they are kept.
    pub rows: Option<Vec<Why>>,
}

impl Late {
    /// Nothing has happened yet; the first batches are as long as `interval`; whether it is followed
    /// who made messages wait, and added up, and how many bytes may be taken for that.
    pub fn new(
        sites: Sites,
        interval: Time,
        victims: Victims,
        (is_followed, adds_up): (bool, bool),
        memory: u64,
    ) -> Self {
        let Sites { of, places, rules } = sites;
        let sites = [of, places.stations.sites().to_vec()].concat();
        Self {
            log: Log::new(places, rules.credit_ps, memory),
            rules,
            sites,
            messages: Vec::new(),
            count: 0,
            pieces: Vec::new(),
            scratch: Scratch::default(),
            booker: Booker::default(),
            adder: Adder::default(),
            tables: Tables::new(0, interval, &victims),
            is_followed,
            adds_up,
            aside: Aside::none(),
            victims,
            interval,
            unsettled: VecDeque::new(),
            given: VecDeque::new(),
            notes_packets: false,
            rows: None,
        }
    }

    /// Whether it is followed who made messages wait.
    pub fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Whether channels share wires.
    pub fn shares_wires(&self) -> bool {
        self.log.shares_wires()
    }

    /// Whether it is wanted of every message how late it was.
    pub fn adds_up(&self) -> bool {
        self.adds_up
    }

    /// What sort of root a wait of a message between two nodes had, the label of the culprit, and the channel.
    pub(super) fn root_of(&self, piece: &Piece, ends: (NodeId, NodeId)) -> (Kind, u32, ChannelId) {
        let &Piece { culprit, channel, .. } = piece;
        let kind = self.sites[channel.index()].kind(ends);
        let (kind, label) = if culprit == FAULT { (Kind::Fault, REST) } else { (kind, culprit) };
        (kind, label, self.log.stations().name(channel))
    }
}

/// A message under way.
#[derive(Clone, Debug)]
pub struct Message {
    pub number: u64,
    pub label: u32,
    pub queued: Time,
    pub ends: (NodeId, NodeId),
    /// Its data packets.
    pub packets: Vec<RecordId>,
    /// Whether the last of them has been queued, and how many have not been delivered.
    pub has_last: bool,
    pub undelivered: usize,
    /// How many acknowledgements have been queued, and how many delivered.
    pub acknowledged: usize,
    pub acks_delivered: usize,
    /// When each data packet was queued, where that is noted.
    pub given: Vec<Time>,
    /// The data packet delivered last, or none, and when.
    pub last: (RecordId, Time),
    /// The packet delivered last by which a window may open.
    pub opens: (RecordId, Time),
    /// Whether it is asked how late it is.
    pub is_victim: bool,
    pub is_over: bool,
}

impl Message {
    /// Whether all of it has been delivered.
    pub fn is_whole(&self) -> bool {
        self.has_last && self.undelivered == 0
    }

    /// Whether all acknowledgements have been, too.
    pub fn is_acknowledged(&self) -> bool {
        self.acks_delivered == self.packets.len()
    }
}

/// A message that has arrived, kept as long as it may be asked what a packet of it waited for.
pub struct Aside {
    /// Its number; none: no message is kept.
    pub message: Option<u64>,
    pub queued: Time,
    pub ends: (NodeId, NodeId),
    pub packets: Vec<RecordId>,
    /// The packet.
    pub record: RecordId,
}

impl Aside {
    /// No message.
    fn none() -> Self {
        Self {
            message: None,
            queued: NEVER,
            ends: (NodeId::NONE, NodeId::NONE),
            packets: Vec::new(),
            record: NOBODY,
        }
    }
}

/// A message that has arrived.
pub struct Unsettled {
    pub why: Why,
    /// Its number in the log, where nobody will ask any more for what happened since it was queued.
    pub ends: Option<u64>,
    /// Whether it was followed what it waited for, and for how long it was not found.
    pub is_followed: bool,
    pub unknown: Time,
    /// A channel it crossed that was slower than usual, or none.
    pub slow: ChannelId,
}
