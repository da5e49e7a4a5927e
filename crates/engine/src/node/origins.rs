//! What tells the messages of a run from each other, whatever else happens in it.

use crate::ids::{NodeId, ProcessId};
use crate::rng::Key;
use crate::workload::Workload;

/// What tells a message from all others: its process, and how many messages that sent before it.
///
/// In every mode, and whatever others send, it is the same: of a message that is passed on to further
/// nodes, too, whenever it gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What all that is drawn for its packets is drawn by.
    pub key: Key,
    /// How many messages its process sent before it.
    pub messages: u32,
    /// How many packets those have.
    pub packets: u32,
}

impl Origin {
    /// That of a message of a process (as it is known where it draws) that has sent none before.
    pub fn first(process: Key) -> Self {
        Self { key: process.and(0), messages: 0, packets: 0 }
    }

    /// That of a copy of the message that a node passes on to another.
    pub fn passed_on(self, to: NodeId) -> Self {
        Self { key: self.key.and(1 << 32 | u64::from(to.0)), ..self }
    }
}

/// How much every process has sent.
pub struct Origins {
    senders: Vec<Sender>,
}

#[derive(Clone, Copy)]
struct Sender {
    name: Key,
    messages: u32,
    packets: u32,
}

impl Origins {
    /// No process has sent anything.
    pub fn new(workload: &Workload, seed: u64, processes: usize) -> Self {
        let sender = |process| {
            let (seed, number) = workload.stream(ProcessId(process), seed);
            Sender { name: Key::of(seed).and(number.into()), messages: 0, packets: 0 }
        };
        Self { senders: (0..processes as u32).map(sender).collect() }
    }

    /// That of the next message of a process, which has so many packets.
    #[inline]
    pub fn next(&mut self, process: ProcessId, packets: u32) -> Origin {
        let sender = &mut self.senders[process.index()];
        let Sender { name, messages, packets: before } = *sender;
        sender.messages = messages.wrapping_add(1);
        sender.packets = before.wrapping_add(packets);
        Origin { key: name.and(messages.into()), messages, packets: before }
    }
}
