//! Messages of a node whose packets leave it in turn (`message_order = round_robin`).
//!
//! A node's queue has one packet of every message that has any waiting: the next. When that has
//! been granted a channel, the message's next packet goes to the end of the queue.

use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::PacketId;
use crate::spec::{Interface, MessageOrder};

/// The packets that stand behind those of their messages in the queues of nodes.
#[derive(Clone)]
pub struct Turns {
    /// By place of a message, data packets and acknowledgements apart.
    messages: Vec<Waiting>,
}

/// The packets of a message that wait in its node.
#[derive(Clone, Copy)]
struct Waiting {
    /// Whether one is in the queue.
    is_queued: bool,
    /// Those behind it.
    behind: PacketFifo,
}

impl Waiting {
    const NOTHING: Self = Self { is_queued: false, behind: PacketFifo::EMPTY };
}

impl Turns {
    /// Those of a machine, if its messages take turns.
    pub fn new(interface: &Interface) -> Option<Self> {
        (interface.message_order == MessageOrder::RoundRobin).then(|| Self { messages: Vec::new() })
    }

    fn of(&mut self, id: PacketId, packets: &PacketPool) -> &mut Waiting {
        let packet = &packets[id];
        let place = 2 * packet.message.index() + packet.class as usize;
        if place >= self.messages.len() {
            self.messages.resize(place + 1, Waiting::NOTHING);
        }
        &mut self.messages[place]
    }

    /// Whether a packet stands behind another of its message, and not in its node's queue.
    pub fn keep(&mut self, id: PacketId, packets: &mut PacketPool) -> bool {
        let waiting = self.of(id, packets);
        if waiting.is_queued {
            waiting.behind.push(id, packets);
            return true;
        }
        waiting.is_queued = true;
        false
    }

    /// A packet has left its node's queue: the next of its message, if it has one waiting.
    pub fn after(&mut self, id: PacketId, packets: &PacketPool) -> Option<PacketId> {
        let waiting = self.of(id, packets);
        waiting.is_queued = waiting.behind.first.is_some();
        waiting.is_queued.then(|| waiting.behind.pop(packets))
    }
}
