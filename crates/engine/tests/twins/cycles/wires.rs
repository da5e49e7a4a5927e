//! Which flits start, where channels share wires.

use super::simulator::{Owner, Simulator};
use tailback_engine::spec::Sharing;
use tailback_engine::time::Time;

/// A wire.
#[derive(Clone, Copy, Default)]
pub struct Wire {
    pub sends_until: Time,
    /// The channel that sent last, and which packet.
    pub last: Option<(usize, usize)>,
    /// The same among those of each direction.
    pub last_each: [Option<(usize, usize)>; 2],
}

impl Simulator {
    /// The channels that start a flit in this round: of those that can on a wire, one.
    pub fn starting(&self) -> Vec<usize> {
        let wire_of = &self.wiring.wire_of;
        let is_idle = |&channel: &usize| self.wires[wire_of[channel]].sends_until <= self.now;
        let all = (0..self.channels.len()).filter(is_idle);
        let mut can: Vec<usize> = all.filter(|&channel| self.can_start(channel)).collect();
        can.sort_by_key(|&channel| wire_of[channel]);
        let wires = can.chunk_by(|&one, &other| wire_of[one] == wire_of[other]);
        wires.map(|can| self.turn(wire_of[can[0]], can)).collect()
    }

    /// Whose turn it is of those that can start, in order of their numbers.
    fn turn(&self, wire: usize, can: &[usize]) -> usize {
        let Wire { last, last_each, .. } = self.wires[wire];
        // In turn while both directions can; then as among those of one direction.
        let way = |channel: &usize| usize::from(self.wiring.is_against[*channel]);
        let turn = last.map_or(0, |(channel, _)| 1 - way(&channel));
        let turn = if can.iter().any(|channel| way(channel) == turn) { turn } else { 1 - turn };
        let can: Vec<usize> = can.iter().copied().filter(|channel| way(channel) == turn).collect();
        let Some((last, packet)) = last_each[turn] else { return can[0] };
        let is_same = self.channels[last].owner.is_some_and(|owner| owner.packet == packet);
        let keeps = self.machine.link.sharing == Sharing::UntilStall;
        if keeps && is_same && can.contains(&last) {
            return last;
        }
        can.iter().copied().find(|&channel| channel > last).unwrap_or(can[0])
    }

    /// Whether a channel could start a flit if it had its wire for itself.
    fn can_start(&self, number: usize) -> bool {
        let channel = &self.channels[number];
        let Some(Owner { packet, input, flit }) = channel.owner else { return false };
        let there = input.is_none_or(|i| self.channels[i].buffer.front() == Some(&(packet, flit)));
        flit < self.packets[packet].flits && there && channel.credits > 0
    }
}
