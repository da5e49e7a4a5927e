//! How nodes carry out what came from outside: messages to one node or many, passed on
//! where they arrive, and waits.

use super::interface::{Interface, Told, Transfer};
use super::protocol::Protocol;
use super::{Message, Nodes, World};
use crate::error::SpecError;
use crate::ids::{LinkId, MessageId, NodeId, ProcessId};
use crate::time::{NEVER, Time};
use crate::workload::{Audience, Command, External, Instruction, Letter, Send, Until, Wait};

/// What all copies of one message have in common.
#[derive(Clone, Copy)]
struct Copy {
    /// The process whose instruction it was, and when.
    from: ProcessId,
    sent: Time,
    letter: Letter,
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
        external: &mut External,
    ) -> Result<(), SpecError> {
        let Some(interface) = &mut self.interface else { return Ok(()) };
        if process.index() < self.placement.len() {
            interface.was_told(process);
        }
        external.give(process, instruction, |operation| interface.take_buffer(process, operation))
    }

    /// How far the operation has come that a process waited for before it asked.
    pub fn told(&self, process: ProcessId) -> Option<Told> {
        self.interface.as_ref().and_then(|interface| interface.told(process))
    }

    /// The nodes' interfaces, if processes come from outside.
    pub fn interface(&self) -> Option<&Interface> {
        self.interface.as_deref()
    }

    /// Processes that asked have been answered: they go on, in this order; how many
    /// instructions that took.
    pub fn answered(&mut self, processes: &[ProcessId], world: &mut World) -> u64 {
        self.ready.extend(processes);
        self.go_on(world)
    }

    /// Whether a process begins now, or waits no more, at a `START`.
    pub(super) fn is_up(&mut self, process: ProcessId, world: &World) -> bool {
        let Some(interface) = &mut self.interface else { return true };
        let station = &mut interface.stations[process.index()];
        if !station.has_begun {
            station.has_begun = true;
            return true;
        }
        self.looks_again(process, world).is_none() && self.settles(process)
    }

    fn settles(&mut self, process: ProcessId) -> bool {
        self.interface.as_mut().is_some_and(|interface| interface.settle(process).is_some())
    }

    /// When the header of the packet will have left its node whose start a process waits for;
    /// [`NEVER`] if that is not known. None if it waits for no such thing, or it has left.
    fn looks_again(&mut self, process: ProcessId, world: &World) -> Option<Time> {
        let interface = self.interface.as_mut()?;
        let packet = interface.awaited_packet(process)?;
        let start = world.fabric.packets()[packet].first_sent;
        if start == NEVER {
            return Some(NEVER);
        }
        let wiring = world.fabric.wiring();
        let lead = wiring.layout.injection_lead(self.placement[process.index()]);
        let left = start + wiring.timing(lead).header_ps;
        if left > world.now {
            return Some(left);
        }
        interface.sets_out(process);
        None
    }

    /// After the network has chosen: looks for packets whose start is waited for.
    pub fn watch(&mut self, world: &mut World) {
        let Some(interface) = &mut self.interface else { return };
        if interface.watched.is_empty() {
            return;
        }
        let mut watched = std::mem::take(&mut interface.watched);
        watched.retain(|&process| self.stays_watched(process, world));
        if let Some(interface) = &mut self.interface {
            interface.watched = watched;
        }
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
        let Some(command) = world.workload.external().and_then(External::take_command) else {
            return true;
        };
        let Some(interface) = &mut self.interface else { return true };
        match command {
            Command::Transmit(letter, audience) => {
                self.transmit(process, letter, audience, world);
                true
            }
            Command::Receive(filter) => {
                interface.receive(process, filter);
                true
            }
            Command::Release(bytes) => {
                interface.release(process, bytes);
                true
            }
            Command::Wait(wait) => self.wait(process, wait, world),
        }
    }

    /// Whether what a process is to wait for has been reached already.
    fn wait(&mut self, process: ProcessId, wait: Wait, world: &mut World) -> bool {
        let Some(interface) = &mut self.interface else { return true };
        interface.stations[process.index()].wait = Some(wait);
        if wait.until == Until::InProgress && self.stays_watched(process, world) {
            let watched = self.interface.iter_mut().map(|interface| &mut interface.watched);
            watched.for_each(|watched| watched.push(process));
        }
        self.settles(process)
    }

    fn transmit(&mut self, from: ProcessId, letter: Letter, audience: Audience, world: &mut World) {
        let Some(interface) = &mut self.interface else { return };
        let node = self.placement[from.index()];
        let mut root = NodeId::NONE;
        let (one, several): (_, Box<[NodeId]>);
        let to: &[NodeId] = match audience {
            Audience::Node(to) => {
                one = [to];
                &one
            }
            Audience::Nodes(to) => {
                several = to;
                &several
            }
            Audience::Everybody => {
                several = if self.protocol == Protocol::Direct {
                    let all = (0..self.placement.len()).map(NodeId::from_index);
                    all.filter(|&to| to != node).collect()
                } else {
                    root = node;
                    interface.tree(root).children(root).into()
                };
                &several
            }
        };
        let operation = interface.send(from, to.len() as u32);
        let copy = Copy { from, sent: world.now, letter };
        for (place, &to) in to.iter().enumerate() {
            let transfer = Transfer::new(operation, root);
            let id = self.copy(copy, (node, to), transfer);
            if let Some(interface) = self.interface.as_mut().filter(|_| place == 0) {
                interface.first_copy(from, id);
            }
            self.begin(id, world);
        }
    }

    /// A message from one node to another that is not sent yet.
    fn copy(&mut self, copy: Copy, (node, to): (NodeId, NodeId), transfer: Transfer) -> MessageId {
        let Letter { tag, bytes } = copy.letter;
        let send = Send { to: ProcessId(to.0), tag, bytes, link: LinkId::NONE, blocking: false };
        let class = self.class_of(copy.from);
        let (from, by) = ((copy.from, node), (self.protocol, copy.sent));
        let message = |serial| Message::new(serial, from, &send, (to, class), by);
        let id = self.messages.insert(message);
        if let Some(interface) = &mut self.interface {
            interface.note(id, transfer);
        }
        id
    }

    /// More bytes of a message are there: its process may read them, and they are passed on.
    pub(super) fn read(&mut self, id: MessageId, bytes: u32, world: &mut World) {
        let Some(interface) = &mut self.interface else { return };
        let message = self.messages[id];
        if let Some(process) = interface.delivered(id, &message, bytes) {
            self.can_go_on(process);
        }
        let Some(interface) = &mut self.interface else { return };
        let Transfer { root, operation, copies, .. } = interface.transfers[id.index()];
        if !root.is_some() {
            return;
        }
        if copies.is_some() {
            self.pass_on(copies, bytes, world);
            return;
        }
        let here = message.to_node;
        let children: Box<[NodeId]> = interface.tree(root).children(here).into();
        let letter = Letter { tag: message.tag, bytes: message.bytes };
        let copy = Copy { from: message.from, sent: message.sent, letter };
        let mut next = MessageId::NONE;
        for &to in children.iter().rev() {
            let transfer =
                Transfer { at_hand: 0, is_short: true, next, ..Transfer::new(operation, root) };
            next = self.copy(copy, (here, to), transfer);
        }
        if let Some(interface) = &mut self.interface {
            interface.transfers[id.index()].copies = next;
        }
        self.pass_on(next, bytes, world);
    }

    /// So many more bytes of some copies are at hand where they are sent from.
    fn pass_on(&mut self, copies: MessageId, bytes: u32, world: &mut World) {
        let mut next = copies;
        while next.is_some() {
            let id = next;
            let Some(interface) = &mut self.interface else { return };
            let transfer = &mut interface.transfers[id.index()];
            next = transfer.next;
            transfer.at_hand += bytes;
            if std::mem::take(&mut transfer.is_short) {
                self.send_packets(id, world);
            }
        }
    }

    /// Whether the next `bytes` bytes of a message are not yet where it is sent from.
    pub(super) fn is_short(&mut self, id: MessageId, bytes: u32) -> bool {
        let Some(interface) = &mut self.interface else { return false };
        let message = &self.messages[id];
        let transfer = &mut interface.transfers[id.index()];
        transfer.is_short = transfer.at_hand < message.bytes - message.unsent + bytes;
        transfer.is_short
    }
}
