//! Packets of one message that are in flight together, where nothing else hinders them.
//!
//! They share their node's link as if no other message had any part of it: each starts on the
//! wire that is the first to be free of those before it.

use crate::fabric::network::layout::{Group, Layout};
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{MessageId, PacketId};
use crate::measure::ChannelKind;
use crate::spec::Machine;
use crate::time::Time;

/// When packets can follow those of their message before them.
#[derive(Clone)]
pub struct Following {
    /// Most wires between a node and its switch.
    wires: usize,
    /// By place of a message, for each of those wires: when the latest packet of the message has
    /// been sent on it. A place may be another message's before: all of that has been delivered.
    sent: Vec<Time>,
    /// By place of a message that makes circuits: its packets that have not started.
    behind: Vec<Behind>,
}

/// The packets of a message that have not started.
#[derive(Clone, Copy)]
struct Behind {
    /// Whether it is known when the next one starts.
    has_next: bool,
    /// Those behind it.
    packets: PacketFifo,
}

impl Following {
    /// That of a machine, if several packets of a message can be in flight.
    pub fn new(machine: &Machine, layout: &Layout) -> Option<Self> {
        let starts = |group: &&Group| group.kind != ChannelKind::Ejection;
        let wires = layout.groups.iter().filter(starts).map(|group| group.width).max()?;
        let wires = usize::from(wires);
        let is_used = machine.interface.window != Some(1);
        is_used.then(|| Self { wires, sent: Vec::new(), behind: Vec::new() })
    }

    /// From when a packet of a message may start on one of so many wires.
    pub fn from(&mut self, message: MessageId, wires: usize) -> Time {
        self.sent(message)[..wires].iter().copied().min().unwrap_or(0)
    }

    /// A packet of a message, on the first of those wires to be free, will have been sent.
    pub fn send(&mut self, message: MessageId, wires: usize, until: Time) {
        let first = self.sent(message)[..wires].iter_mut().min_by_key(|sent| **sent);
        first.into_iter().for_each(|sent| *sent = until);
    }

    /// The last packet of a message starts: the gap behind it is no matter of the message that
    /// gets its place.
    pub fn end(&mut self, message: MessageId) {
        self.sent(message).fill(0);
    }

    /// Whether a packet that enters its node's queue is the next of its message to start, as it
    /// is known when all before it will have been sent; else it stands behind them.
    pub fn is_next(&mut self, id: PacketId, packets: &mut PacketPool) -> bool {
        let message = packets[id].message.index();
        if self.behind.len() <= message {
            let nobody = Behind { has_next: false, packets: PacketFifo::EMPTY };
            self.behind.resize(message + 1, nobody);
        }
        let behind = &mut self.behind[message];
        if behind.has_next {
            behind.packets.push(id, packets);
            return false;
        }
        behind.has_next = true;
        true
    }

    /// The next packet of a message has started: the one behind it.
    pub fn next(&mut self, message: MessageId, packets: &PacketPool) -> Option<PacketId> {
        let behind = &mut self.behind[message.index()];
        behind.has_next = behind.packets.first.is_some();
        behind.has_next.then(|| behind.packets.pop(packets))
    }

    fn sent(&mut self, message: MessageId) -> &mut [Time] {
        let end = (message.index() + 1) * self.wires;
        if self.sent.len() < end {
            self.sent.resize(end, 0);
        }
        &mut self.sent[end - self.wires..end]
    }
}
