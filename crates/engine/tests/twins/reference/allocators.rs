//! Where packets have a choice, or channels share wires: who is served at a switch.

use super::machine::{NEVER, Reference, Time};
use super::network::Packet;
use super::wiring::End;
use crate::common::draws;
use tailback_engine::spec::{Arbiter, Selection};

impl Reference {
    /// Whether packets ask at their switch instead of at a group.
    pub fn has_allocators(&self) -> bool {
        self.wiring.chooses() || self.wiring.wires() < self.channels.len()
    }

    /// Those that ask at a switch, the best first, each start if there is a channel for them.
    pub fn serve(&mut self, switch: usize) {
        self.join(switch);
        // Whoever waited may be kept from a channel no more when the order is another.
        while self.serve_in_order(switch) {}
    }

    /// Each of them is served once, if there is a channel for it; whether anybody was.
    fn serve_in_order(&mut self, switch: usize) -> bool {
        let waiting = self.allocators[switch].len();
        let mut order = self.allocators[switch].clone();
        order.sort_by_key(|&input| self.order(input, switch));
        let mut claimed = Vec::new();
        for input in order {
            let packet = self.channels[input].buffer[0].packet;
            if self.is_in_vain(packet) {
                continue;
            }
            let (free, mut lacking) = self.candidates(switch, input, &claimed);
            match self.select(switch, packet, &free) {
                Some(channel) if self.goes_in_vain(packet, channel) => {}
                Some(channel) => {
                    self.allocators[switch].retain(|&other| other != input);
                    let granted = self.request(packet, input);
                    self.granted_before[switch].push(granted);
                    self.channels[input].buffer[0].left = Some(self.now);
                    self.start(packet, channel, Some(input));
                }
                // Nobody behind it passes it on those.
                None => claimed.append(&mut lacking),
            }
        }
        self.allocators[switch].len() < waiting
    }

    /// Those that begin to ask join the others.
    fn join(&mut self, switch: usize) {
        let mut askers = self.askers(End::Switch(switch));
        askers.sort_by_key(|&input| {
            self.given(self.channels[input].buffer[0].packet).map_or(0, |given| given.1)
        });
        for input in askers {
            if self.allocators[switch].contains(&input) {
                continue;
            }
            let others = self.allocators[switch].len();
            let place = match self.spec.machine.switch.arbiter {
                Arbiter::Random => self.drawn_place(switch, input, others),
                _ => others,
            };
            self.allocators[switch].insert(place, input);
        }
    }

    /// Behind how many others a packet stands that begins to ask at a place.
    pub fn drawn_place(&self, place: usize, input: usize, others: usize) -> usize {
        let Packet { drawn_by, hops, .. } = self.packets[self.channels[input].buffer[0].packet];
        draws::place((self.spec.seed, place), (drawn_by, hops.into()), others)
    }

    /// The smallest is served first; of equals, who stands before the other.
    fn order(&self, input: usize, switch: usize) -> (bool, Time) {
        let packet = self.channels[input].buffer[0].packet;
        (self.is_later_class(packet), self.by_policy(packet, input, switch))
    }

    /// Of the groups in the first tier in which there is any, the first free channel with
    /// room; and the free ones without room.
    fn candidates(
        &self,
        switch: usize,
        input: usize,
        claimed: &[usize],
    ) -> (Vec<usize>, Vec<usize>) {
        let packet = self.channels[input].buffer[0].packet;
        let group = self.wiring.group_of[input];
        let destination = self.aim(packet);
        let outputs = self.wiring.outputs(End::Switch(switch), destination, Some(group));
        let (mut found, mut lacking) = (Vec::new(), Vec::new());
        for tier in [0, 1] {
            for &(group, _) in outputs.iter().filter(|output| output.1 == tier) {
                let all = self.wiring.groups[group].channels.iter().copied();
                let mut free = all
                    .filter(|_| self.has_place(group) && !self.is_down(group))
                    .filter(|&c| !claimed.contains(&c) && !self.is_wire_busy(c));
                let has_room = |&channel: &usize| self.tokens(packet) <= self.room(channel);
                found.extend(free.clone().find(has_room));
                lacking.extend(free.by_ref().take_while(|channel| !has_room(channel)));
            }
            if !found.is_empty() {
                break;
            }
        }
        (found, lacking)
    }

    pub fn is_wire_busy(&self, channel: usize) -> bool {
        // A wire's channels have numbers not far apart.
        let wire_of = &self.wiring.wire_of;
        let from = channel.saturating_sub(255);
        let busy = |other: &usize| self.channels[*other].is_busy;
        let until = self.channels.len().min(channel + 256);
        (from..until).filter(busy).any(|other| wire_of[other] == wire_of[channel])
    }

    /// Tokens that the buffer at the end of a channel has room for.
    pub fn room(&self, channel: usize) -> u32 {
        let ends_in_node =
            matches!(self.wiring.groups[self.wiring.group_of[channel]].to, End::Node(_));
        let size = self.spec.machine.switch.input_buffer();
        if ends_in_node { u32::MAX } else { size - self.channels[channel].occupied_tokens }
    }

    pub fn select(&self, switch: usize, packet: usize, free: &[usize]) -> Option<usize> {
        let mut all = free.iter().copied();
        match self.spec.machine.routing.selection {
            Selection::First => all.next(),
            Selection::Random => {
                let Packet { drawn_by, hops, .. } = self.packets[packet];
                let at = (self.spec.seed, switch);
                all.nth(draws::output(at, (drawn_by, hops.into()), free.len()))
            }
            Selection::FewestWaiting => all.min_by_key(|&channel| {
                let buffer = self.channels[channel].buffer.iter();
                buffer.filter(|packet| packet.left.is_none_or(|left| left == self.now)).count()
            }),
            Selection::MostCredit => {
                all.min_by_key(|&channel| NEVER - Time::from(self.room(channel)))
            }
        }
    }
}
