//! Who made whom wait, where circuits are made.

use super::nodes::is_of_node;
use super::{CircuitFabric, State};
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::blame::{Root, Span};
use crate::time::{NEVER, Time};

/// Most circuits that are followed.
const LONGEST: usize = 64;

impl CircuitFabric {
    /// A header asks.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_asks(&self, id: PacketId, act: &mut Act) {
        let root = self.root(id, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.asks(id, act.now, root);
        }
    }

    /// A packet has been put into the queue of a node that is attached to a switch.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_queued(&self, id: PacketId, act: &mut Act) {
        let lead = act.wiring.layout.injection_lead(act.packets[id].source);
        let root = self.root_behind(lead, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.asks(id, act.now, root);
        }
    }

    /// Where those that a header waits for wait for each other at last: the channel that is
    /// held by the first that does not wait, and that one's class.
    fn root(&self, id: PacketId, act: &Act) -> Option<Root> {
        self.root_behind(self.wanted(id, act)?, act)
    }

    /// The same of those that wait for a channel.
    fn root_behind(&self, wanted: ChannelId, act: &Act) -> Option<Root> {
        let blame = act.measures.blame.as_ref()?;
        let (mut wanted, mut root) = (Some(wanted), None);
        for _ in 0..LONGEST {
            let Some(held) = wanted.and_then(|wanted| self.held_as(wanted)) else { break };
            let holder = self.board.at(held).holder;
            root = Some(Root { class: blame.class(holder), channel: held });
            wanted = self.wanted(holder, act);
        }
        root
    }

    /// What a header asks for, if it does.
    fn wanted(&self, id: PacketId, act: &Act) -> Option<ChannelId> {
        let circuit = &self.circuits[id.index()];
        let asks = circuit.state == State::Asks;
        asks.then(|| act.wiring.first_lead(circuit.at, act.packets[id].header()))
    }

    /// A header that does not ask any more is granted a channel.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_grant(&self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let packet = &act.packets[id];
        let asked = self.circuits[id.index()].asks_from;
        let span = Span { ready: packet.ready, asked, granted: act.now };
        // Where it is attached to a switch, it has asked since it was in its node's queue.
        let is_in_list = packet.first_sent == NEVER;
        let list = is_in_list.then(|| act.wiring.layout.injection_lead(packet.source));
        let needed = self.asked_since(channel, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.holds(id, channel, span, needed, list);
        }
    }

    /// Since when anybody has asked for the wire of a channel, or may have done so.
    fn asked_since(&self, channel: ChannelId, act: &Act) -> Time {
        let record = self.board.at(channel);
        if is_of_node(record.port.kind) {
            let node = NodeId(act.wiring.layout.group(channel).from);
            let eldest = self.board.eldest(node, act.packets).map(|id| act.packets[id].queued);
            return eldest.fold(act.now, Time::min);
        }
        let back = record.opposite.is_some().then_some(record.port.switch);
        let ends = [Some(record.from), back];
        let asking = ends.into_iter().flatten().flat_map(|at| &self.asking[at.index()]);
        let since = asking.map(|id| self.circuits[id.index()].asks_from);
        since.fold(act.now, Time::min)
    }
}
