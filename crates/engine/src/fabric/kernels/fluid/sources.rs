//! Where packets wait until their message has its turn.

use crate::fabric::packet::Packet;
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{MessageId, NodeId, PacketId};
use crate::measure::Class;
use crate::spec::{Interface, MessageOrder, Mode};

/// The queues of packets: one at each node, or one of each message.
#[derive(Clone)]
pub struct Sources {
    /// By node, where its packets leave in their order; else empty.
    nodes: Vec<Node>,
    /// By place of a message.
    messages: Vec<Message>,
    ack_priority: bool,
    /// By node: data packets that wait, where that is contention.
    waiting_data: Vec<u32>,
    /// Nodes, or messages, that may send.
    awake: Vec<Awake>,
}

/// Whose packets may go out.
#[derive(Clone, Copy)]
pub enum Awake {
    /// A node's, in their order.
    Node(NodeId),
    /// A message's.
    Message(MessageId),
    /// This one.
    Packet(PacketId),
}

/// Where a packet comes from.
#[derive(Clone, Copy)]
pub struct Origin {
    node: NodeId,
    /// The message that it belongs to, or acknowledges.
    pub message: MessageId,
    class: Class,
}

#[derive(Clone)]
struct Node {
    /// By class; the first serves both without priority.
    queues: [PacketFifo; 2],
    /// Flows that leave it, and how many can side by side.
    flows: u16,
    most: u16,
    is_awake: bool,
}

#[derive(Clone)]
struct Message {
    queue: PacketFifo,
    /// Its flows, and how many there can be side by side.
    flows: u16,
    most: u16,
}

const NOTHING: Message = Message { queue: PacketFifo::EMPTY, flows: 0, most: 1 };

impl Sources {
    /// Empty queues; `widths` are those of the groups by which nodes send.
    pub fn new(interface: &Interface, mode: Mode, widths: impl Iterator<Item = u16>) -> Self {
        let waits = matches!(mode, Mode::Full | Mode::Endpoints);
        let in_order = waits && interface.message_order == MessageOrder::Fifo;
        let node = |most| Node { queues: [PacketFifo::EMPTY; 2], flows: 0, most, is_awake: false };
        let nodes: Vec<Node> = widths.map(node).collect();
        Self {
            waiting_data: vec![0; if waits { nodes.len() } else { 0 }],
            nodes: if in_order { nodes } else { Vec::new() },
            messages: Vec::new(),
            ack_priority: interface.ack_priority,
            awake: Vec::new(),
        }
    }

    /// Whether packets in queues wait for others than those of their own message.
    pub fn is_contention(&self) -> bool {
        !self.waiting_data.is_empty()
    }

    /// Data packets of a node that wait.
    pub fn waiting_data(&self, node: NodeId) -> u32 {
        self.waiting_data.get(node.index()).copied().unwrap_or(0)
    }

    /// A packet is to be sent.
    pub fn push(&mut self, id: PacketId, packets: &mut PacketPool) {
        let packet = &packets[id];
        let (source, message, class) = (packet.source, packet.message, packet.class);
        if let Some(waiting) = self.waiting_data.get_mut(source.index()) {
            *waiting += u32::from(class == Class::Data);
        }
        if self.messages.len() <= message.index() {
            self.messages.resize(message.index() + 1, NOTHING);
        }
        if let Some(node) = self.nodes.get_mut(source.index()) {
            let queue = usize::from(self.ack_priority && class == Class::Ack);
            node.queues[queue].push(id, packets);
            return self.wake(source);
        }
        if class == Class::Ack {
            return self.awake.push(Awake::Packet(id));
        }
        self.messages[message.index()].queue.push(id, packets);
        self.awake.push(Awake::Message(message));
    }

    /// A node may send more than before.
    fn wake(&mut self, node: NodeId) {
        let place = &mut self.nodes[node.index()];
        if !std::mem::replace(&mut place.is_awake, true) {
            self.awake.push(Awake::Node(node));
        }
    }

    /// Whether nobody may send more than before.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.awake.is_empty()
    }

    /// Takes one of those who may send more than before.
    pub fn next_awake(&mut self) -> Option<Awake> {
        let awake = self.awake.pop()?;
        if let Awake::Node(node) = awake {
            self.nodes[node.index()].is_awake = false;
        }
        Some(awake)
    }

    /// Takes the packet whose turn has come to be a flow of its own, if there is one.
    pub fn take(&mut self, whose: Awake, packets: &mut PacketPool) -> Option<PacketId> {
        match whose {
            Awake::Packet(id) => Some(id),
            Awake::Message(message) => {
                let message = &mut self.messages[message.index()];
                let is_due = message.flows < message.most && message.queue.first.is_some();
                is_due.then(|| message.queue.pop(packets))
            }
            Awake::Node(node) => {
                let node = &mut self.nodes[node.index()];
                let has_room = node.flows < node.most;
                let queue = node.at_hand()?;
                let packet = &packets[queue.first];
                if packet.class == Class::Ack {
                    return has_room.then(|| queue.pop(packets));
                }
                let message = &self.messages[packet.message.index()];
                // A message under way has room for as many as its way has, also where that is by a
                // faster link of its node.
                let has_room = has_room || message.flows > 0;
                (has_room && message.flows < message.most).then(|| queue.pop(packets))
            }
        }
    }

    /// The next packet for a flow: the one at hand, if it is of the same message.
    pub fn take_behind(&mut self, of: Origin, packets: &mut PacketPool) -> Option<PacketId> {
        if of.class == Class::Ack {
            return None;
        }
        let Some(node) = self.nodes.get_mut(of.node.index()) else {
            let queue = &mut self.messages[of.message.index()].queue;
            return queue.first.is_some().then(|| queue.pop(packets));
        };
        let queue = node.at_hand()?;
        let next = &packets[queue.first];
        let is_same = next.class == Class::Data && next.message == of.message;
        let next = is_same.then(|| queue.pop(packets));
        if next.is_some() && node.flows < node.most {
            // There may be one of another message behind it, which need not wait.
            self.wake(of.node);
        }
        next
    }

    /// A packet becomes a flow of its own, of which so many find room side by side.
    pub fn begins(&mut self, of: Origin, most: u16) {
        if let Some(node) = self.nodes.get_mut(of.node.index()) {
            node.flows += 1;
        }
        if of.class == Class::Data {
            let message = &mut self.messages[of.message.index()];
            (message.flows, message.most) = (message.flows + 1, most);
        }
    }

    /// A packet was the last of its flow.
    pub fn ends(&mut self, of: Origin) {
        if of.class == Class::Data {
            let message = &mut self.messages[of.message.index()];
            message.flows -= 1;
            if message.flows == 0 {
                // Its next packet may go another way, and its place be another message's.
                message.most = 1;
            }
        }
        if let Some(node) = self.nodes.get_mut(of.node.index()) {
            node.flows -= 1;
            self.wake(of.node);
        }
    }

    /// A packet that has waited sets out.
    pub fn sets_out(&mut self, source: NodeId, class: Class) {
        if let Some(waiting) = self.waiting_data.get_mut(source.index()) {
            *waiting -= u32::from(class == Class::Data);
        }
    }
}

impl Origin {
    /// That of a packet.
    pub fn of(packet: &Packet) -> Self {
        Self { node: packet.source, message: packet.message, class: packet.class }
    }
}

impl Node {
    /// The queue of the packet at hand.
    fn at_hand(&mut self) -> Option<&mut PacketFifo> {
        let queue = usize::from(self.queues[1].first.is_some());
        let queue = &mut self.queues[queue];
        queue.first.is_some().then_some(queue)
    }
}
