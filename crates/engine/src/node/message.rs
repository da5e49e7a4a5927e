//! Messages in progress.

use crate::ids::{LinkId, MessageId, NodeId, ProcessId};
use crate::pool::Pool;
use crate::time::Time;
use crate::workload::Send;

/// One message, from its send instruction until it is received and acknowledged.
// Independent facts, not one state: they become true in many orders.
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
    /// Its traffic class.
    pub class: u32,
    /// Whether the sender waits for it.
    pub blocking: bool,
    /// Whether it travels without packets.
    pub direct: bool,
    /// Its data packets queued and not yet delivered: with several links, the
    /// last one may overtake the one before.
    pub undelivered: u32,
    /// Its data packets queued and not yet acknowledged.
    pub in_flight: u32,
    /// Those whose headers are there, or which are there where nodes do not acknowledge, while
    /// it has not been accepted.
    pub unanswered: u32,
    /// Its data bytes that are there, as far as they are told.
    pub arrived_bytes: u32,
    /// Those of them that belong to a packet that is not there as a whole.
    pub told_bytes: u32,
    /// Whether its first data bytes are there.
    pub has_begun: bool,
    /// Whether its last packet has been queued, if it has any.
    pub packetised: bool,
    /// Whether the receiver has accepted it.
    pub accepted: bool,
    /// Whether it has been received.
    pub received: bool,
    /// Whether all its packets have been acknowledged.
    pub acknowledged: bool,
}

/// Messages in progress.
pub type MessagePool = Pool<MessageId, Message>;

impl Message {
    /// A message that is sent now.
    pub fn new(
        serial: u64,
        (from, from_node): (ProcessId, NodeId),
        send: &Send,
        (to_node, class): (NodeId, u32),
        now: Time,
    ) -> Self {
        Self {
            serial,
            sent: now,
            from,
            to: send.to,
            from_node,
            to_node,
            tag: send.tag,
            bytes: send.bytes,
            unsent: send.bytes,
            link: send.link,
            class,
            blocking: send.blocking,
            direct: false,
            undelivered: 0,
            in_flight: 0,
            unanswered: 0,
            arrived_bytes: 0,
            told_bytes: 0,
            has_begun: false,
            packetised: false,
            accepted: false,
            received: false,
            acknowledged: false,
        }
    }

    /// Whether all of it is at its destination.
    #[inline]
    pub fn has_arrived(&self) -> bool {
        self.packetised && self.undelivered == 0
    }
}

/// The messages in progress, in order of sending.
pub fn in_progress(messages: &MessagePool) -> Vec<&Message> {
    let open = |message: &&Message| !(message.received && message.acknowledged);
    let mut messages: Vec<_> = messages.places().iter().filter(open).collect();
    messages.sort_by_key(|message| message.serial);
    messages
}
