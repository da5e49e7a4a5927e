//! Messages in progress.

use super::origins::Origin;
use super::protocol::Protocol;
use crate::fabric::{Fabric, Packet};
use crate::ids::{LinkId, MessageId, NodeId, ProcessId, TeamId};
use crate::measure::Class;
use crate::pool::Pool;
use crate::time::Time;
use crate::workload::Send;

/// One message, from its send instruction until it is received and acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// How many messages were sent before it.
    pub serial: u64,
    /// What tells it from others, whatever these do.
    pub origin: Origin,
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
    pub bytes: u64,
    /// Bytes not yet in a packet.
    pub unsent: u64,
    /// The virtual link it shares with others.
    pub link: LinkId,
    /// The traffic class that its waits are charged to.
    pub class: u32,
    /// The traffic class that the network knows it by.
    pub traffic: u8,
    /// Whether the sender waits for it.
    pub blocking: bool,
    /// The group whose collective it is part of; none: it is of no collective.
    pub team: TeamId,
    /// How it crosses the machine.
    pub protocol: Protocol,
    /// How far it has come.
    pub life: Life,
    /// How many data packets and how many acknowledgements of it there have been.
    pub made: [u32; 2],
    /// Its data packets queued and not yet delivered: with several links, the
    /// last one may overtake the one before.
    pub undelivered: u32,
    /// Its data packets queued and not yet acknowledged.
    pub in_flight: u32,
    /// Those whose headers are there, or which are there where nodes do not acknowledge, while
    /// it has not been accepted.
    pub unanswered: u32,
    /// Its data bytes that are there, as far as they are told.
    pub arrived_bytes: u64,
    /// Those of them that belong to a packet that is not there as a whole.
    pub told_bytes: u32,
}

/// How far a message has come.
///
/// Acknowledgements may overtake the data that they are for, and data acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Nothing of it has been sent: the message before it on its virtual link has not been
    /// acknowledged, or what it passes on has not arrived.
    Pending,
    /// It is being sent, or was; its receiver has not accepted it.
    Offered,
    /// Its receiver has accepted it.
    Accepted,
    /// All of it is at its receiver; not all of it has been acknowledged.
    Received,
    /// All of it has been acknowledged; not all of it is at its receiver.
    Acknowledged,
    /// Received and acknowledged: its place is free.
    Complete,
}

/// Messages in progress.
pub type MessagePool = Pool<MessageId, Message>;

impl Message {
    /// A message that is sent now; how it crosses the machine.
    pub fn new(
        (serial, origin): (u64, Origin),
        (from, from_node): (ProcessId, NodeId),
        send: &Send,
        (to_node, class): (NodeId, u32),
        (protocol, now): (Protocol, Time),
    ) -> Self {
        Self {
            serial,
            origin,
            made: [0; 2],
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
            traffic: send.traffic,
            blocking: send.blocking,
            team: send.team,
            protocol,
            life: Life::Pending,
            undelivered: 0,
            in_flight: 0,
            unanswered: 0,
            arrived_bytes: 0,
            told_bytes: 0,
        }
    }

    /// The same message of which nothing has been sent.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self {
            unsent: self.bytes,
            life: Life::Pending,
            undelivered: 0,
            in_flight: 0,
            unanswered: 0,
            arrived_bytes: 0,
            told_bytes: 0,
            made: Default::default(),
            ..*self
        }
    }

    /// Brings it further; both [`Life::Received`] and [`Life::Acknowledged`]: to its end.
    ///
    /// # Panics
    /// In debug builds, when it cannot get there from where it is.
    #[inline]
    pub fn advance(&mut self, to: Life) {
        use Life::{Accepted, Acknowledged, Complete, Offered, Pending, Received};
        self.life = match (self.life, to) {
            (Received, Acknowledged) | (Acknowledged, Received) => Complete,
            (Pending, Offered) | (Offered, Accepted) | (Accepted, Received | Acknowledged) => to,
            (from, _) => {
                debug_assert!(false, "a message that is {from:?} cannot be {to:?}");
                to
            }
        };
    }

    /// Its next packet, of so many bytes: in flight from now on.
    #[inline]
    pub fn next_packet(&mut self, id: MessageId, bytes: u32, fabric: &Fabric) -> Packet {
        if self.life == Life::Pending {
            self.advance(Life::Offered);
        }
        self.unsent -= u64::from(bytes);
        self.in_flight += 1;
        self.undelivered += 1;
        let mut packet = Packet::new(Class::Data, id, self.from_node, self.to_node);
        packet.bytes = bytes;
        self.named(packet, (self.from, self.to), fabric).ending(self.is_packetised())
    }

    /// Its next acknowledgement.
    #[inline]
    pub fn next_acknowledgement(&mut self, id: MessageId, fabric: &Fabric) -> Packet {
        let packet = Packet::new(Class::Ack, id, self.to_node, self.from_node);
        self.named(packet, (self.to, self.from), fabric)
    }

    /// Its next packet of a class with what tells it from all others.
    #[inline]
    fn named(&mut self, packet: Packet, ends: (ProcessId, ProcessId), fabric: &Fabric) -> Packet {
        let number = &mut self.made[packet.class as usize];
        let Origin { key, messages, packets } = self.origin;
        let flow = fabric.flow(ends, (messages, packets.wrapping_add(*number)));
        let drawn_by = key.and(u64::from(*number) << 1 | packet.class as u64).short();
        *number += 1;
        packet.of_traffic(self.traffic).begins_with(flow).numbered(drawn_by)
    }

    /// Whether all of one that has been sent is in packets.
    #[inline]
    pub fn is_packetised(&self) -> bool {
        debug_assert!(self.life != Life::Pending);
        self.unsent == 0
    }

    /// Whether all of it is at its destination.
    #[inline]
    pub fn has_arrived(&self) -> bool {
        self.is_packetised() && self.undelivered == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LinkId, TeamId};
    use crate::rng::Key;

    fn after(steps: &[Life]) -> Life {
        let (process, node) = (ProcessId(0), NodeId(0));
        let send = Send {
            to: process,
            tag: 0,
            bytes: 1,
            link: LinkId::NONE,
            blocking: false,
            team: TeamId::NONE,
            traffic: 0,
        };
        let from = (process, node);
        let first = (0, Origin::first(Key::of(0)));
        let mut message = Message::new(first, from, &send, (node, 0), (Protocol::Acknowledged, 0));
        steps.iter().for_each(|&step| message.advance(step));
        message.life
    }

    #[test]
    fn data_and_acknowledgements_come_in_either_order() {
        use Life::{Accepted, Acknowledged, Complete, Offered, Received};
        assert_eq!(after(&[Offered, Accepted, Received]), Received);
        assert_eq!(after(&[Offered, Accepted, Acknowledged]), Acknowledged);
        assert_eq!(after(&[Offered, Accepted, Received, Acknowledged]), Complete);
        assert_eq!(after(&[Offered, Accepted, Acknowledged, Received]), Complete);
    }

    #[test]
    #[should_panic(expected = "a message that is Offered cannot be Received")]
    fn what_is_not_accepted_is_not_received() {
        after(&[Life::Offered, Life::Received]);
    }
}
