//! How packets leave their nodes.

use super::{Circuit, CircuitKernel};
use crate::fabric::act::Act;
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::measure::ChannelKind;
use crate::time::Time;

/// Whether a channel is one by which a node sends.
pub(super) fn is_of_node(kind: ChannelKind) -> bool {
    matches!(kind, ChannelKind::Injection | ChannelKind::Direct)
}

impl CircuitKernel {
    /// The packets of a node that is attached to a switch set out, as long as there is an idle
    /// channel.
    pub(super) fn leave_nodes(&mut self, lead: ChannelId, act: &mut Act) {
        let group = *act.wiring.layout.group(lead);
        while let Some((queue, id)) = self.board.at_hand(group.from) {
            let idle = group.channels().find(|&channel| !self.board.at(channel).holder.is_some());
            let Some(channel) = idle else { return };
            self.board.take_at_hand(group.from, queue, act);
            self.begin(id, Circuit::new(SwitchId::NONE, act.packets[id].queued));
            self.grant(channel, id, act);
        }
    }

    /// The first message in the list of a node that is its own switch asks, if it has become
    /// that.
    pub(super) fn come_forward(&mut self, lead: ChannelId, arbitration_ps: Time, act: &mut Act) {
        let node = NodeId(act.wiring.layout.group(lead).from);
        let Some((_, id)) = self.board.at_hand(node.0) else { return };
        if self.heads[node.index()].is_some() {
            return;
        }
        self.heads[node.index()] = id;
        let packet = &mut act.packets[id];
        packet.ready = packet.queued + arbitration_ps;
        let asks_from = packet.ready.max(act.now);
        self.begin(id, Circuit::new(act.wiring.layout.home(node), asks_from));
        self.ask_from(id, asks_from, act);
    }

    /// A packet begins to make a circuit.
    fn begin(&mut self, id: PacketId, circuit: Circuit) {
        while self.circuits.len() <= id.index() {
            self.circuits.push(circuit);
        }
        self.circuits[id.index()] = circuit;
    }
}
