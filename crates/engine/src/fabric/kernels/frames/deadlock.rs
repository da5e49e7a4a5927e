//! Whether frames can still move where switches tell each other to pause.

use super::FramesKernel;
use crate::error::{Blocked, Lack};
use crate::fabric::deadlock;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::time::Time;

impl FramesKernel {
    /// The frames that wait in a circle, each to be sent to a switch that has told its own to
    /// pause, and whose memory is not emptied since the next one waits there.
    ///
    /// A queue *drains* unless all in it are paused, nobody has been told to go on, and all queues
    /// of the switch that told it to pause do not drain.
    pub(super) fn circle(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        if self.memory.is_none() {
            return Vec::new();
        }
        let channels = (0..self.board.channels.len()).map(ChannelId::from_index);
        let targets: Vec<Vec<ChannelId>> =
            channels.map(|at| self.waits_for(at, now, wiring)).collect();
        let place = |channel| wiring.layout.place(channel);
        let blocked = |(at, next): (usize, ChannelId)| {
            let at = ChannelId::from_index(at);
            let packet = &packets[self.first(at, wiring)];
            Blocked {
                packet: packet.serial,
                source: packet.source.0,
                destination: packet.destination.0,
                holds: vec![place(at)],
                waits_for: place(next),
                held_by: None,
                lack: Lack::Pause,
                traffic: packet.traffic(),
                class: None,
            }
        };
        deadlock::find_circle(&targets, |_, _| false).into_iter().map(blocked).collect()
    }

    /// The first frame that waits for a channel, or none.
    pub(super) fn first(&self, at: ChannelId, wiring: &Wiring) -> PacketId {
        let channel = self.board.at(at);
        if !channel.from.is_some() && !self.queues.keeps_sources() {
            let node = NodeId(wiring.layout.group(at).from);
            return self.board.at_hand(node.0).map_or(PacketId::NONE, |(_, id)| id);
        }
        if self.queues.is_one() {
            return channel.queue.first;
        }
        self.queues
            .next(at, |_| true)
            .map_or(PacketId::NONE, |class| self.queues.of(at)[class].first)
    }

    /// The channels one of whose frames has to leave before one can be sent by a channel; none if
    /// one can be sent.
    fn waits_for(&self, at: ChannelId, now: Time, wiring: &Wiring) -> Vec<ChannelId> {
        let (Some(memory), End::Switch(switch)) = (&self.memory, wiring.layout.group(at).end)
        else {
            return Vec::new();
        };
        let waits = self.first(at, wiring).is_some();
        let may_go = self.queues.is_one() && !self.pauses(at, 0)
            || !self.queues.is_one()
                && self.queues.next(at, |class| !self.pauses(at, class)).is_some();
        if !waits || may_go || memory.has_words(at) || memory.is_sending(switch, now) {
            return Vec::new();
        }
        let out = &memory.outgoing[switch.index()];
        out.iter().copied().filter(|&next| self.first(next, wiring).is_some()).collect()
    }
}
