//! Virtual channels that share a wire flit by flit.
//!
//! All channels of a wire that could send a flit at an instant at which the wire is
//! free contend for it. One of them does: the next after the one that sent last
//! (`round_robin`), or that one itself as long as it can (`until_stall`).
//!
//! Flits go in rounds. Those that can start on free wires do so; what they leave behind
//! may be credits at once, with which others can start in the next round of the instant.

use super::FlitFabric;
use crate::fabric::network::layout::Layout;
use crate::fabric::network::wires::Wires;
use crate::fabric::switch::switchboard::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Sharing;

/// The wires of a machine in which channels share some.
pub struct Shared {
    wires: Wires,
    sharing: Sharing,
    /// Channels that could send at this instant, as far as they know.
    pub contending: Vec<ChannelId>,
}

impl Shared {
    /// The wires of a machine; `None` if every channel has one of its own, unless flits go
    /// in rounds all the same.
    pub fn new(layout: &Layout, sharing: Sharing, in_rounds: bool) -> Option<Self> {
        let contending = Vec::new();
        let is_needed = in_rounds || layout.has_shared_wires();
        is_needed.then(|| Self { wires: Wires::new(layout), sharing, contending })
    }

    /// Which of the channels that contend for one wire sends.
    fn winner(&self, contending: &[ChannelId], continues: impl Fn(ChannelId) -> bool) -> ChannelId {
        let last = self.wires.last(contending[0]);
        let has_last = self.sharing == Sharing::UntilStall && contending.contains(&last);
        if has_last && continues(last) {
            return last;
        }
        contending.iter().copied().find(|&channel| channel > last).unwrap_or(contending[0])
    }
}

impl FlitFabric {
    /// The wire of a channel has fallen free: all that share it may send.
    #[inline(never)]
    pub(super) fn wake_sharing(&mut self, channel: ChannelId) {
        let Some(shared) = self.shared.take() else { return };
        for &sharing in shared.wires.sharing(channel) {
            if self.board.at(sharing).packet.is_some() {
                self.wake(sharing);
            }
        }
        self.shared = Some(shared);
    }

    /// Of the channels that contend for a free wire one sends. Whether any contended: then
    /// there is another round.
    #[inline]
    pub(super) fn contend(&mut self, act: &mut Act) -> bool {
        let contend = self.shared.as_ref().is_some_and(|shared| !shared.contending.is_empty());
        if contend {
            self.share_wires(act);
        }
        contend
    }

    #[inline(never)]
    fn share_wires(&mut self, act: &mut Act) {
        let Some(mut shared) = self.shared.take() else { return };
        let mut contending = std::mem::take(&mut shared.contending);
        contending.sort_unstable_by_key(|&channel| (shared.wires.of(channel), channel));
        let mut left = contending.as_slice();
        while let Some(&first) = left.first() {
            let same = |&&channel: &&ChannelId| shared.wires.of(channel) == shared.wires.of(first);
            let (rivals, others) = left.split_at(left.iter().take_while(same).count());
            left = others;
            let mut winner = ChannelId::NONE;
            if shared.wires.free_at(first) <= act.now {
                winner = shared.winner(rivals, |channel| self.board.at(channel).has_started());
                self.send_flit(winner, self.board.at(winner).input, act);
                shared.wires.sends(winner, self.board.at(winner).free_at);
            }
            for &other in rivals.iter().filter(|&&other| other != winner) {
                let loser = self.board.at(other).packet;
                debug_assert!(loser != PacketId::NONE);
                let user = shared.wires.last(other);
                act.observe(Observation::LacksWire { packet: loser, channel: other, user });
                self.stalls(other, act.now);
            }
        }
        contending.clear();
        shared.contending = contending;
        self.shared = Some(shared);
    }
}
