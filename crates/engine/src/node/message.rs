//! Messages in progress.

use crate::ids::{LinkId, MessageId, NodeId, ProcessId};
use crate::time::Time;
use crate::workload::Send;
use std::ops::{Index, IndexMut};

/// One message, from its send instruction until it is received and acknowledged.
// Six independent facts, not one state: they become true in many orders.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// How many messages were sent before it.
    pub serial: u64,
    /// When its send instruction was carried out.
    pub sent: Time,
    /// The sending process.
    pub from: ProcessId,
    /// The receiving process.
    pub to: ProcessId,
    /// The sending process' node.
    pub from_node: NodeId,
    /// The receiving process' node.
    pub to_node: NodeId,
    /// What the receiver knows it by.
    pub tag: u32,
    /// Its length.
    pub bytes: u32,
    /// Bytes not yet in a packet.
    pub unsent: u32,
    /// The virtual link it shares with others.
    pub link: LinkId,
    /// Whether the sender waits for it.
    pub blocking: bool,
    /// Whether it travels without packets.
    pub direct: bool,
    /// Its data packets queued and not yet delivered: with several links, the
    /// last one may overtake the one before.
    pub undelivered: u32,
    /// Whether its last packet has been queued.
    pub packetised: bool,
    /// Whether the receiver has accepted it.
    pub accepted: bool,
    /// Whether all its packets have been delivered.
    pub arrived: bool,
    /// Whether it has been received.
    pub received: bool,
    /// Whether its last packet has been acknowledged.
    pub acknowledged: bool,
}

/// Storage of messages in progress; places are reused.
#[derive(Default)]
pub struct MessagePool {
    messages: Vec<Message>,
    free: Vec<MessageId>,
    inserted: u64,
}

impl MessagePool {
    /// Stores a message that is sent now and gives it its serial number.
    pub fn insert(
        &mut self,
        (from, from_node): (ProcessId, NodeId),
        send: &Send,
        to_node: NodeId,
        now: Time,
    ) -> MessageId {
        let message = Message {
            serial: self.inserted,
            sent: now,
            from,
            to: send.to,
            from_node,
            to_node,
            tag: send.tag,
            bytes: send.bytes,
            unsent: send.bytes,
            link: send.link,
            blocking: send.blocking,
            direct: false,
            undelivered: 0,
            packetised: false,
            accepted: false,
            arrived: false,
            received: false,
            acknowledged: false,
        };
        self.inserted += 1;
        if let Some(id) = self.free.pop() {
            self.messages[id.index()] = message;
            id
        } else {
            self.messages.push(message);
            MessageId::from_index(self.messages.len() - 1)
        }
    }

    /// Takes a message out that is received and acknowledged.
    pub fn remove(&mut self, id: MessageId) {
        debug_assert!(self[id].received && self[id].acknowledged);
        self.free.push(id);
    }

    /// Messages in progress, in order of sending.
    pub fn in_progress(&self) -> Vec<&Message> {
        let done = |message: &&Message| !(message.received && message.acknowledged);
        let mut messages: Vec<_> = self.messages.iter().filter(done).collect();
        messages.sort_by_key(|message| message.serial);
        messages
    }
}

impl Index<MessageId> for MessagePool {
    type Output = Message;

    #[inline]
    fn index(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }
}

impl IndexMut<MessageId> for MessagePool {
    #[inline]
    fn index_mut(&mut self, id: MessageId) -> &mut Message {
        &mut self.messages[id.index()]
    }
}
