//! Mode `endpoints`: the channels between nodes and switches, of which all messages have their part.
//!
//! A *gate* is the channels that a node sends by, or is sent to by; both, where they are the same
//! wires. While one message alone comes by it, it stands open in its copy. Else it is shut in all of
//! them, and at an instant at which a wire is free it is opened in one copy after the other, in the
//! order in which packets wait there, until one starts. A message behind others in its node has no
//! copy yet: it is given one when it is the first.

use crate::fabric::kernel::AtGate;
use crate::fabric::network::layout::{End, Layout};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::packet::Packet;
use crate::fabric::switch::switchboard;
use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::{ChannelKind, Class};
use crate::spec::{Machine, MessageOrder};
use crate::time::{NEVER, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The channels between nodes and switches.
#[derive(Clone)]
pub struct Gates {
    pub all: Vec<Gate>,
    /// By channel, if it leads a group: its gate.
    of_lead: Vec<u32>,
    /// When gates are looked at again.
    clock: BinaryHeap<Reverse<(Time, u32)>>,
    /// Gates that are to be looked at at this instant.
    due: BinaryHeap<Reverse<u32>>,
    /// Whether acknowledgements go first out of nodes, and into them.
    acks_first: [bool; 2],
    /// Whether messages of a node take turns.
    takes_turns: bool,
    /// The cycle at whose beginning gates are opened; 0: whenever somebody waits and a wire is free.
    pub cycle: Time,
    /// Those that have been opened for this cycle, in which copies.
    pub opened: Vec<(u32, u32)>,
}

/// Channels of a node.
#[derive(Clone)]
pub struct Gate {
    /// The first of each of its groups.
    pub leads: Vec<ChannelId>,
    pub channels: Vec<ChannelId>,
    /// How many packets it can send at a time.
    pub wires: usize,
    /// How many it can be granted to, where that is told by cycle.
    pub slots: usize,
    /// Whether its channels lead to a node.
    pub is_home: bool,
    /// Copies in which messages come by it.
    pub members: Vec<Member>,
    /// Messages behind those, in the order in which they were queued.
    pub behind: VecDeque<Behind>,
    /// Until when copies that have been given back have sent by it.
    pub past: Vec<Time>,
    /// The node to which its channels lead, if it has a receive FIFO that messages share.
    pub receiver: Option<NodeId>,
    /// Until when that node drains what it was sent in copies that have been given back.
    pub drained: Time,
    /// The packets that wait there, those whom it was told of before first.
    pub waiting: Vec<Waiting>,
    is_due: bool,
    /// When it is looked at again, or [`NEVER`].
    next: Time,
}

/// A copy of which a message comes by a gate.
#[derive(Clone, Copy)]
pub struct Member {
    pub copy: u32,
    /// What the gate grants in it.
    pub grants: switchboard::Gate,
    /// When a packet started there last.
    pub before: Time,
    /// Where gates are opened by cycle: how things stand there, and who of it comes first, as of when so
    /// much had happened in it.
    pub at: AtGate,
    pub first: Option<(Rank, Time)>,
    pub changes: u64,
}

/// A message that waits in its node, and has no copy yet.
#[derive(Clone, Copy)]
pub struct Behind {
    pub message: MessageId,
    pub packets: PacketFifo,
}

/// A packet that waits at a gate.
#[derive(Clone, Copy)]
pub struct Waiting {
    pub copy: u32,
    pub packet: PacketId,
    /// Since when.
    pub since: Time,
    /// Who comes first, by that and other things.
    pub rank: Rank,
}

/// Who comes first at a gate; in the end by who was queued first.
pub type Rank = (bool, Time, u32, u32);

impl Gates {
    /// Those of a machine.
    pub fn new(machine: &Machine, layout: &Layout, (shares_wires, cycle): (bool, Time)) -> Self {
        let (mut all, mut of_lead) = (Vec::<Gate>::new(), vec![u32::MAX; layout.channels()]);
        let mut of_wire = vec![u32::MAX; layout.channels()];
        let interface = &machine.interface;
        let has_fifos = interface.receive_fifo.is_some() || interface.drain_byte_ps.is_some();
        let mut of_kind = ChannelKind::Internal;
        for group in layout.groups.iter().filter(|group| group.kind != ChannelKind::Internal) {
            if !shares_wires && std::mem::replace(&mut of_kind, group.kind) != group.kind {
                of_wire.fill(u32::MAX);
            }
            let wires = group.channels().map(|channel| layout.wire_of[channel.index()]);
            let known = wires.clone().map(|wire| of_wire[wire.index()]).find(|&of| of != u32::MAX);
            let number = known.unwrap_or(all.len() as u32);
            if known.is_none() {
                all.push(Gate::new());
            }
            let gate = &mut all[number as usize];
            gate.leads.push(group.first);
            gate.channels.extend(group.channels());
            gate.is_home = group.kind == ChannelKind::Ejection;
            gate.slots += usize::from(group.width);
            if let End::Node(node) = group.end {
                gate.receiver = has_fifos.then_some(node);
            }
            for wire in wires {
                gate.wires += usize::from(of_wire[wire.index()] == u32::MAX);
                of_wire[wire.index()] = number;
            }
            of_lead[group.first.index()] = number;
        }
        Self {
            all,
            of_lead,
            clock: BinaryHeap::new(),
            due: BinaryHeap::new(),
            acks_first: [machine.interface.ack_priority, machine.switch.ack_priority],
            takes_turns: machine.interface.message_order == MessageOrder::RoundRobin,
            cycle,
            opened: Vec::new(),
        }
    }

    /// The gates that a packet comes by.
    pub fn of(&self, packet: &Packet, wiring: &Wiring) -> [u32; 2] {
        let traffic = packet.traffic();
        let out = wiring.injection_lead(packet.source, traffic);
        let home = wiring.ejection_lead(packet.destination, traffic);
        [out, home].map(|lead| self.of_lead.get(lead.index()).copied().unwrap_or(u32::MAX))
    }

    /// A gate is to be looked at at this instant.
    pub fn look_at(&mut self, gate: u32) {
        if !std::mem::replace(&mut self.all[gate as usize].is_due, true) {
            self.due.push(Reverse(gate));
        }
    }

    /// A gate is to be looked at then.
    pub fn look_again(&mut self, gate: u32, at: Time) {
        if at < self.all[gate as usize].next {
            self.all[gate as usize].next = at;
            self.clock.push(Reverse((at, gate)));
        }
    }

    /// The first of the gates that are to be looked at.
    pub fn next_due(&mut self) -> Option<u32> {
        let Reverse(gate) = self.due.pop()?;
        self.all[gate as usize].is_due = false;
        Some(gate)
    }

    /// When a cycle begins after an instant.
    pub fn next_cycle(&self, now: Time) -> Time {
        (now + 1).next_multiple_of(self.cycle)
    }

    /// Those that are to be looked at are at another instant.
    pub fn put_off(&mut self, until: Time) {
        while let Some(gate) = self.next_due() {
            self.look_again(gate, until);
        }
    }

    /// Whether any gate is to be looked at.
    pub fn are_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// When a gate is looked at again.
    pub fn next_time(&self) -> Time {
        self.clock.peek().map_or(NEVER, |&Reverse((time, _))| time)
    }

    /// Those of which that instant has come are.
    pub fn strike(&mut self, now: Time) {
        while let Some(&Reverse((time, gate))) = self.clock.peek()
            && time <= now
        {
            self.clock.pop();
            if self.all[gate as usize].next == time {
                self.all[gate as usize].next = NEVER;
            }
            self.look_at(gate);
        }
    }

    /// The rank of a packet that waits since an instant for a channel to its node (`is_home`) or from
    /// it, of a copy whose packets started there last at `before`; the lowest is first.
    pub fn rank(
        &self,
        (since, by): (Time, u32),
        packet: &Packet,
        is_home: bool,
        before: Time,
    ) -> Rank {
        let acks_first = self.acks_first[usize::from(is_home)];
        let is_later = !(acks_first && packet.class == Class::Ack);
        let since = if self.takes_turns && !is_home { since.max(before) } else { since };
        (is_later, since, by, packet.serial)
    }
}

impl Member {
    /// A copy at a gate that stands open in it.
    pub fn new(copy: u32) -> Self {
        Self {
            copy,
            grants: switchboard::Gate::Open,
            before: 0,
            at: AtGate::default(),
            first: None,
            changes: 0,
        }
    }
}

impl Gate {
    fn new() -> Self {
        Self {
            leads: Vec::new(),
            channels: Vec::new(),
            wires: 0,
            slots: 0,
            is_home: false,
            members: Vec::new(),
            behind: VecDeque::new(),
            past: Vec::new(),
            receiver: None,
            drained: 0,
            waiting: Vec::new(),
            is_due: false,
            next: NEVER,
        }
    }

    /// Whether a message has it for itself.
    pub fn is_private(&self) -> bool {
        self.members.len() < 2 && self.past.is_empty() && self.behind.is_empty()
    }

    /// The copy, if a message of it comes by.
    pub fn member(&mut self, copy: u32) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.copy == copy)
    }

    /// A packet waits behind others, and so do those of its message that come after it.
    pub fn waits_behind(&mut self, id: PacketId, packets: &mut PacketPool) {
        let message = packets[id].message;
        let known = self.behind.iter().rposition(|behind| behind.message == message);
        let place = known.unwrap_or_else(|| {
            self.behind.push_back(Behind { message, packets: PacketFifo::EMPTY });
            self.behind.len() - 1
        });
        self.behind[place].packets.push(id, packets);
    }
}
