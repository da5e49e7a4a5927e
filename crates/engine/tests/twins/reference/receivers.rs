//! Nodes that drain what they take in one packet after the other.

use super::machine::{Event, Reference, Time};
use super::wiring::End;
use tailback_engine::spec::Mode;

/// What a node has taken in.
#[derive(Default)]
pub struct Receiver {
    /// When each packet that it has been granted will have been drained.
    ends: Vec<Time>,
}

impl Reference {
    /// Whether a packet may be granted a channel of a group as far as its receiver goes.
    pub fn has_place(&self, group: usize) -> bool {
        let End::Node(node) = self.wiring.groups[group].to else { return true };
        let held = self.receivers[node].ends.iter().filter(|&&end| end > self.now).count();
        let places = self.spec.machine.interface.receive_fifo;
        places.is_none_or(|places| held < places as usize)
    }

    /// A packet that starts on a channel to its node at `start` will be there: it has been
    /// delivered when it has been drained.
    pub fn will_be_there(&mut self, (number, channel): (usize, usize), packet: usize, start: Time) {
        let group = self.wiring.group_of[channel];
        let bytes = self.packets[packet].bytes;
        let there = start + self.duration(bytes, group) + self.wire_delay(group);
        let drain = self.spec.machine.interface.drain_byte_ps.unwrap_or(0) * Time::from(bytes);
        let alone = there.max(start + drain);
        let mut drained = alone;
        if matches!(self.spec.mode, Mode::Full | Mode::Endpoints) && self.has_receivers() {
            let ends = &mut self.receivers[self.packets[packet].destination].ends;
            let turn = ends.last().copied().unwrap_or(0).max(start);
            drained = there.max(turn + drain);
            ends.push(drained);
        }
        (self.packets[packet].late, self.packets[packet].last) = (drained - alone, channel);
        self.tails += 1;
        self.post(drained, Event::Tail { number, turn: self.tails, packet });
    }

    fn has_receivers(&self) -> bool {
        let interface = &self.spec.machine.interface;
        interface.receive_fifo.is_some() || interface.drain_byte_ps.is_some()
    }

    /// A packet has been drained.
    pub fn is_drained(&mut self, packet: usize) {
        let (late, last) = (self.packets[packet].late, self.packets[packet].last);
        if late > 0 {
            self.channels[last].tally.internal_contention += late;
        }
    }
}
