//! How nodes carry out what came from outside: messages to one node or many, passed on
//! where they arrive, and waits.

use super::interface::{Interface, Transfer};
use super::message::Message;
use super::multicasts;
use super::nodes::Nodes;
use super::origins::Origin;
use super::protocol::Protocol;
use super::world::World;
use crate::error::SpecError;
use crate::ids::{LinkId, MessageId, NodeId, ProcessId, TeamId};
use crate::time::{NEVER, Time};
use crate::workload::{Audience, Command, Instruction, Letter, Send, Until, Wait, Workload};

/// What all copies of one message have in common.
#[derive(Clone, Copy)]
struct Copy {
    /// The process whose instruction it was, and when.
    from: ProcessId,
    sent: Time,
    letter: Letter,
    /// What is to be paid before it leaves its node.
    start_up: Time,
    /// Of one that is passed on: what tells the message from others of which this is a copy.
    of: Option<Origin>,
}

impl Nodes {
    /// Gives an instruction to a process that asks.
    ///
    /// # Errors
    /// What the process or the machine cannot do.
    pub fn instruct(
        &mut self,
        process: ProcessId,
        instruction: Instruction,
        workload: &mut Workload,
    ) -> Result<(), SpecError> {
        let known = (process.index() < self.placement.len()).then_some(process);
        let Some((number, external)) = known.and_then(|known| workload.external_of(known)) else {
            let allowed = "must be one that asks";
            return Err(SpecError::new("process", process.0, allowed));
        };
        let interface = &mut self.interface;
        interface.was_told(process);
        external.give(number, instruction, |operation| interface.take_buffer(process, operation))
    }

    /// The nodes' interfaces.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// Processes that asked have been answered: they go on, in this order; how many
    /// instructions that took.
    pub fn answered(&mut self, processes: &[ProcessId], world: &mut World) -> u64 {
        self.ready.extend(processes);
        self.go_on(world)
    }

    /// Whether a process begins now, or waits no more, at a `START`.
    pub(super) fn is_up(&mut self, process: ProcessId, world: &World) -> bool {
        if !self.interface.is_for(process) {
            return true;
        }
        let has_begun = &mut self.interface.stations[process.index()].has_begun;
        if !std::mem::replace(has_begun, true) {
            return true;
        }
        self.looks_again(process, world).is_none() && self.interface.settle(process).is_some()
    }

    /// When the header of the packet will have left its node whose start a process waits for;
    /// [`NEVER`] if that is not known. None if it waits for no such thing, or it has left.
    fn looks_again(&mut self, process: ProcessId, world: &World) -> Option<Time> {
        let packet = self.interface.awaited_packet(process)?;
        let start = world.fabric.packets()[packet].first_sent;
        if start == NEVER {
            return Some(NEVER);
        }
        let wiring = world.fabric.wiring();
        let injection = wiring.layout.injection_lead(self.placement[process.index()]);
        let left = start + wiring.timing(injection).header_ps;
        if left > world.now {
            return Some(left);
        }
        self.interface.sets_out(process);
        None
    }

    /// After the network has chosen: looks for packets whose start is waited for.
    pub fn watch(&mut self, world: &mut World) {
        let mut watched = std::mem::take(&mut self.interface.watched);
        watched.retain(|&process| self.stays_watched(process, world));
        self.interface.watched = watched;
    }

    fn stays_watched(&mut self, process: ProcessId, world: &mut World) -> bool {
        match self.looks_again(process, world) {
            Some(NEVER) => true,
            Some(left) => {
                world.events.post(left, crate::event_queue::Event::Start(process));
                false
            }
            None => false,
        }
    }

    /// Carries out an instruction; whether the process goes on at once.
    pub(super) fn carry_out(&mut self, process: ProcessId, world: &mut World) -> bool {
        let external = world.workload.external_of(process);
        let Some(command) = external.and_then(|(_, external)| external.take_command()) else {
            return true;
        };
        match command {
            Command::Transmit(letter, audience) => self.transmit(process, letter, audience, world),
            Command::Receive(filter) => self.interface.receive(process, filter),
            Command::Release(bytes) => self.interface.release(process, bytes),
            Command::Wait(wait) => return self.wait(process, wait, world),
        }
        true
    }

    /// Whether what a process is to wait for has been reached already.
    fn wait(&mut self, process: ProcessId, wait: Wait, world: &mut World) -> bool {
        self.interface.stations[process.index()].wait = Some(wait);
        if wait.until == Until::InProgress && self.stays_watched(process, world) {
            self.interface.watched.push(process);
        }
        self.interface.settle(process).is_some()
    }

    fn transmit(&mut self, from: ProcessId, letter: Letter, audience: Audience, world: &mut World) {
        let node = self.placement[from.index()];
        let first = self.interface.stations[from.index()].site().first;
        let mut root = NodeId::NONE;
        let (one, several): (_, Box<[NodeId]>);
        let goes_together = match audience {
            Audience::Node(_) | Audience::Nodes(_) => false,
            Audience::Several(_) => true,
            Audience::Everybody => world.fabric.replicates(),
        };
        let to: &[NodeId] = match audience {
            Audience::Node(to) => {
                one = [to];
                &one
            }
            Audience::Nodes(to) | Audience::Several(to) => {
                several = to;
                &several
            }
            Audience::Everybody => {
                let passed_on = self.interface.is_everywhere
                    && self.protocol != Protocol::Direct
                    && !goes_together;
                several = if passed_on {
                    root = node;
                    self.interface.tree(root, world.topology).children(root).into()
                } else {
                    let others = world.workload.external_around(from);
                    let count = others.map_or(0, |(_, external)| external.count());
                    let all = (0..count).map(NodeId::from_index);
                    all.filter(|to| first + to.0 != from.0).collect()
                };
                &several
            }
        };
        let is_tree = goes_together && self.multicasts.are_passed_on();
        let own = if is_tree { multicasts::children(0, to.len() + 1).count() } else { to.len() };
        let operation = self.interface.send(from, own as u32);
        let start_up = self.software.start_up(from);
        let copy = Copy { from, sent: world.now, letter, start_up, of: None };
        let mut ids = Vec::new();
        for (place, &receiver) in to.iter().enumerate() {
            let transfer = Transfer::new(operation, root);
            let by = match multicasts::parent(place + 1) {
                above if is_tree && above > 0 => to[above - 1],
                _ => node,
            };
            let id = self.copy(copy, by, ProcessId(first + receiver.0), transfer, world);
            if place == 0 {
                self.interface.first_copy(from, id);
            }
            if goes_together {
                ids.push(id);
            } else {
                self.begin(id, world);
            }
        }
        if goes_together {
            self.begin_all(&ids, world);
        }
    }

    /// A message from a node to a process that is not sent yet.
    fn copy(
        &mut self,
        copy: Copy,
        node: NodeId,
        to: ProcessId,
        transfer: Transfer,
        world: &mut World,
    ) -> MessageId {
        let Letter { tag, bytes } = copy.letter;
        let send = Send {
            to,
            tag,
            bytes,
            link: LinkId::NONE,
            blocking: false,
            team: TeamId::NONE,
            traffic: world.workload.traffic_of(copy.from),
        };
        let (to, class) = (self.placement[to.index()], self.class_of(copy.from));
        let (from, by) = ((copy.from, node), (self.protocol_between(node, to), copy.sent));
        let origin = match copy.of {
            Some(origin) => origin.passed_on(to),
            None => self.origins.next(copy.from, self.packetisation.packets(bytes)),
        };
        let message = |serial| Message::new((serial, origin), from, &send, (to, class), by);
        let id = self.messages.insert(message);
        self.opens(id, world);
        self.interface.note(id, transfer);
        if self.software.serves() {
            self.software.open(id, copy.start_up);
        }
        id
    }

    /// More bytes of a message are there: its process may read them, and they are passed on.
    pub(super) fn read(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        self.tell(id, world, |interface, id, message| interface.delivered(id, message, bytes));
        let Transfer { root, operation, copies, .. } = self.interface.transfers[id.index()];
        if !root.is_some() {
            return;
        }
        if copies.is_some() {
            self.pass_on(id, (copies, bytes), world);
            return;
        }
        let message = self.messages[id];
        let here = message.to_node;
        let tree = self.interface.tree(root, world.topology);
        let children: Box<[NodeId]> = tree.children(here).into();
        let letter = Letter { tag: message.tag, bytes: message.bytes };
        // That of its process is drawn for it alone, whichever way its message goes.
        let start_up = self.software.mean_start_up();
        let of = Some(message.origin);
        let copy = Copy { from: message.from, sent: message.sent, letter, start_up, of };
        let mut next = MessageId::NONE;
        for &to in children.iter().rev() {
            let transfer =
                Transfer { at_hand: 0, is_short: true, next, ..Transfer::new(operation, root) };
            next = self.copy(copy, here, ProcessId(to.0), transfer, world);
        }
        self.interface.transfers[id.index()].copies = next;
        self.pass_on(id, (next, bytes), world);
    }

    /// So many more bytes of some copies of a message are at hand where they are sent from.
    fn pass_on(&mut self, of: MessageId, copies: (MessageId, u32), world: &mut World) {
        let (mut next, bytes) = copies;
        while next.is_some() {
            let id = next;
            let transfer = &mut self.interface.transfers[id.index()];
            next = transfer.next;
            transfer.at_hand += u64::from(bytes);
            if std::mem::take(&mut transfer.is_short) {
                if let Some(causes) = world.measures.causes_of(of) {
                    causes.passes_on(id, of);
                }
                self.send_packets(id, world);
            }
        }
    }

    /// Whether the next `bytes` bytes of a message are not yet where it is sent from.
    pub(super) fn is_short(&mut self, id: MessageId, bytes: u32) -> bool {
        let message = &self.messages[id];
        let transfer = &mut self.interface.transfers[id.index()];
        transfer.is_short = transfer.at_hand < message.bytes - message.unsent + u64::from(bytes);
        transfer.is_short
    }
}
