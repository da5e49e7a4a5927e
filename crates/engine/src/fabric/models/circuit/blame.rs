//! Who made whom wait, where circuits are made.

use super::{CircuitFabric, State};
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Root, Span};

/// Most circuits that are followed.
const LONGEST: usize = 64;

impl CircuitFabric {
    /// A header asks.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_asks(&self, id: PacketId, act: &mut Act) {
        let root = self.root(id, act);
        let output = act.wiring.first_lead(self.circuits[id.index()].at, act.packets[id].header());
        if let Some(blame) = &mut act.measures.blame {
            blame.asks_for(id, output, act.now, root);
        }
    }

    /// A packet has been put into the queue of a node that is attached to a switch.
    #[cold]
    #[inline(never)]
    pub(super) fn blame_queued(&self, id: PacketId, act: &mut Act) {
        let lead = act.wiring.layout.injection_lead(act.packets[id].source);
        let root = self.root_behind(lead, act);
        if let Some(blame) = &mut act.measures.blame {
            blame.asks_for(id, lead, act.now, root);
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
        if let Some(blame) = &mut act.measures.blame {
            blame.holds(id, channel, span);
        }
    }
}
