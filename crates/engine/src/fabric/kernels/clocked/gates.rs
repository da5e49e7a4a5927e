//! Links of nodes that do not always grant a channel.
//!
//! Where several networks share them ([`Kernel::gate_cycle`](crate::fabric::kernel::Kernel)), each is told
//! at the beginning of a cycle whether a group grants a channel in it, and whether flits may cross the
//! switch to the node. And nodes may take in requests only while they have places for the replies, in
//! steps.

use super::ClockedKernel;
use crate::fabric::act::Act;
use crate::fabric::kernel::AtGate;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Asker, Gate, Port};
use crate::fabric::transit::PacketPool;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;

/// Bit of [`crate::fabric::switch::switchboard::Port::own`]: no flits cross to the group.
const BARRED: u8 = 1;
/// The same: the packet that leaves the buffer at a channel's end has been granted a channel to its node.
pub(super) const GOES_HOME: u8 = 2;

impl ClockedKernel {
    /// What a group grants from now on; if that is nothing or one channel, no flits cross to it either.
    pub(super) fn tell_gate(&mut self, lead: ChannelId, gate: Gate) {
        self.board.tell_gate(lead, gate);
        let lane = self.board.at_mut(lead);
        lane.port.set(BARRED, gate != Gate::Open);
        let (kind, from) = (lane.port.kind, lane.from());
        if gate == Gate::Shut {
            return self.note_who_goes_home(lead);
        }
        if kind == ChannelKind::Injection {
            self.sources.wake_node(from);
        } else {
            self.switches.wake(from);
        }
    }

    /// From now on it is counted when the packets that have channels of a group to a node have flits.
    fn note_who_goes_home(&mut self, lead: ChannelId) {
        let Port { kind, width, .. } = self.board.at(lead).port;
        if kind == ChannelKind::Injection {
            return;
        }
        for channel in (lead.0..lead.0 + u32::from(width)).map(ChannelId) {
            let lane = self.board.at(channel);
            if lane.packet.is_some() {
                let input = lane.input;
                self.board.at_mut(input).port.set(GOES_HOME, true);
            }
        }
    }

    /// Flits cross to a group in this cycle, whose wires are free from a cycle on.
    pub(super) fn opens(&mut self, lead: ChannelId, free_from: u64, wiring: &Wiring) {
        if self.has_queues {
            for channel in wiring.layout.group(lead).channels() {
                let free = &mut self.wire_free[wiring.layout.wire_of[channel.index()].index()];
                *free = free_from.max(*free);
            }
        }
        let lane = self.board.at_mut(lead);
        lane.port.set(BARRED, false);
        let switch = lane.from();
        self.switches.wake(switch);
    }

    /// Whether a node's group grants its channels now.
    #[inline]
    pub(super) fn grants(&self, channel: ChannelId) -> bool {
        !self.board.has_gates() || !self.board.is_closed(self.board.at(channel).lead())
    }

    /// Whether a group grants nothing, or only one channel for which another asks.
    #[cold]
    pub(super) fn grants_nothing(
        &self,
        lead: ChannelId,
        askers: &[(ChannelId, ChannelId)],
    ) -> bool {
        let port = &self.board.at(lead).port;
        let last = lead.0 + u32::from(port.width);
        let asks = |&(_, output): &(ChannelId, ChannelId)| (lead.0..last).contains(&output.0);
        port.is_closed() || port.grants_one() && askers.iter().any(asks)
    }

    /// Whether no flits cross to a channel in this cycle.
    #[cold]
    pub(super) fn is_barred(&self, output: ChannelId) -> bool {
        let lane = self.board.at(output);
        lane.port.kind == ChannelKind::Ejection && self.board.at(lane.lead()).port.has(BARRED)
    }

    /// A channel of a switch has been granted.
    #[cold]
    pub(super) fn has_granted(&mut self, input: ChannelId, output: ChannelId) {
        let lane = self.board.at(output);
        let (is_home, lead) = (lane.port.kind == ChannelKind::Ejection, lane.lead());
        self.board.at_mut(input).port.set(GOES_HOME, is_home);
        if is_home {
            self.changes += 1;
            self.board.at_mut(lead).port.has_granted();
        }
    }

    /// How things stand at a group between a node and its switch.
    pub(super) fn standing_at(&self, lead: ChannelId, wiring: &Wiring) -> AtGate {
        let group = wiring.layout.group(lead);
        let is_home = group.kind == ChannelKind::Ejection;
        let mut at = AtGate::default();
        for channel in group.channels() {
            let lane = self.board.at(channel);
            at.taken +=
                u32::from(if is_home { !self.is_free(channel) } else { lane.packet.is_some() });
            if !is_home {
                continue;
            }
            at.flits += self.capacity - lane.credits;
            at.room += self.room.places(channel, self.capacity);
            if lane.packet.is_some() {
                let input = self.board.at(lane.input);
                if self.switches.is_ready(group.from, input.entrance.number) {
                    at.since =
                        if at.ready == 0 { lane.granted } else { at.since.min(lane.granted) };
                    at.ready += 1;
                }
            }
            if self.has_queues {
                let wire = wiring.layout.wire_of[channel.index()].index();
                at.free_from = at.free_from.max(self.wire_free[wire]);
            }
        }
        at
    }

    /// Adds the packets that could be granted a channel of a group now, if it granted any: in a node the
    /// one at hand.
    pub(super) fn add_askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        let group = wiring.layout.group(lead);
        if group.kind == ChannelKind::Injection {
            if self.can_start(lead, wiring) {
                self.board.askers(lead, wiring, packets, askers);
            }
            return;
        }
        for number in self.switches.askers(group.from) {
            let channel = self.inputs.channel(group.from, number);
            let lane = self.board.at(channel);
            let id = lane.port.buffer.first;
            let packet = &packets[id];
            if wiring.ejection_lead(packet.destination, packet.traffic()) != lead {
                continue;
            }
            let only = self.delivers_on(lane, group);
            let is_for = |&output: &ChannelId| only.is_none_or(|only| only == output);
            if group.channels().filter(is_for).any(|output| self.is_free(output)) {
                let since = self.cycle_of(lane.due) * self.cycle_ps;
                askers.push(Asker { packet: id, since, by: channel.0 });
            }
        }
    }

    /// Whether the header at the front of a buffer asks for the channel to a node that has no place
    /// for the reply to it: then it is on the list there.
    #[cold]
    pub(super) fn lacks_reply_place(&mut self, channel: ChannelId, act: &Act) -> bool {
        let due = self.board.at(channel).due;
        self.board.lacks_reply_place(channel, due, act)
    }

    /// Requests that wait for places get those that are free in a step, and ask for their channels.
    pub(super) fn give_places(&mut self, step: u64, act: &mut Act) {
        let instant = self.granted_in(step);
        let switches = &mut self.switches;
        self.board.give_places((step, instant), act, |board, channel| {
            let lane = board.at(channel);
            switches.asks(lane.port.switch.0, lane.entrance.number);
        });
    }
}
