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

    /// Where those that a header waits for wait for each other at last: the channel that is
    /// held by the first that does not wait, and that one's class.
    fn root(&self, id: PacketId, act: &Act) -> Option<Root> {
        let blame = act.measures.blame.as_ref()?;
        let (mut at, mut root) = (id, None);
        for _ in 0..LONGEST {
            let circuit = &self.circuits[at.index()];
            if circuit.state != State::Asks {
                break;
            }
            let wanted = act.wiring.first_lead(circuit.at, act.packets[at].header());
            let Some(held) = self.held_as(wanted) else { break };
            at = self.board.at(held).holder;
            root = Some(Root { class: blame.class(at), channel: held });
        }
        root
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
