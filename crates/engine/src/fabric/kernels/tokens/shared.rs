//! Channels that share a wire flit by flit: virtual channels, and both directions of a link
//! that is half duplex.
//!
//! All channels of a wire that could send a flit at an instant at which the wire is
//! free contend for it. First the direction is chosen, where there are two: the one that did
//! not send last. One of its channels sends: the next after the one that sent last
//! (`round_robin`), or that one itself as long as it can (`until_stall`).
//!
//! Flits go in rounds. Those that can start on free wires do so; what they leave behind
//! may be credits at once, with which others can start in the next round of the instant.

use super::TokensKernel;
use crate::fabric::act::Act;
use crate::fabric::network::layout::Layout;
use crate::fabric::network::wires::Wires;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::spec::Sharing;

/// Where both directions of a link share its wires.
#[derive(Clone)]
struct Directions {
    /// By channel: whether it sends against the direction of its wire's first channel; empty
    /// where no wire is shared by both.
    against: Vec<bool>,
    /// By wire: the channel that sent last in each direction.
    last: Vec<[ChannelId; 2]>,
}

/// The wires of a machine in which channels share some.
#[derive(Clone)]
pub struct Shared {
    wires: Wires,
    sharing: Sharing,
    directions: Directions,
    /// Channels that could send at this instant, as far as they know.
    pub contending: Vec<ChannelId>,
}

impl Shared {
    /// The wires of a machine; `None` if every channel has one of its own, unless flits go
    /// in rounds all the same.
    pub fn new(layout: &Layout, sharing: Sharing, in_rounds: bool) -> Option<Self> {
        let contending = Vec::new();
        let is_needed = in_rounds || layout.has_shared_wires();
        is_needed.then(|| Self {
            wires: Wires::new(layout),
            sharing,
            directions: Directions::new(layout),
            contending,
        })
    }

    /// On idle wires the channels are next that are with others.
    pub fn renew(&mut self, like: &Self, crossed: &[ChannelId]) {
        for &channel in crossed {
            self.wires.renew(&like.wires, channel);
            if self.directions.are_any() {
                let wire = self.wires.of(channel) as usize;
                self.directions.last[wire] = like.directions.last[wire];
            }
        }
    }

    /// Which of the channels that contend for one wire, in order of their numbers, sends.
    fn winner(&self, contending: &[ChannelId], continues: impl Fn(ChannelId) -> bool) -> ChannelId {
        let mut last = self.wires.last(contending[0]);
        let mut contending = contending;
        if self.directions.are_any() {
            (contending, last) = self.directions.turn(contending, last, &self.wires);
        }
        let has_last = self.sharing == Sharing::UntilStall && contending.contains(&last);
        if has_last && continues(last) {
            return last;
        }
        contending.iter().copied().find(|&channel| channel > last).unwrap_or(contending[0])
    }
}

impl Directions {
    fn new(layout: &Layout) -> Self {
        let against = layout.against();
        let wires = if against.is_empty() { 0 } else { against.len() };
        Self { against, last: vec![[ChannelId::NONE; 2]; wires] }
    }

    /// Whether both directions share any wire.
    #[inline]
    fn are_any(&self) -> bool {
        !self.against.is_empty()
    }

    /// Of the channels that contend for one wire, over which `last` sent last, those of the
    /// direction whose turn it is, and which of that direction sent last.
    ///
    /// Channels of one direction come before those of the other. At first that is the one
    /// from a node to its switch, or from the switch of the lower number.
    fn turn<'a>(
        &self,
        contending: &'a [ChannelId],
        last: ChannelId,
        wires: &Wires,
    ) -> (&'a [ChannelId], ChannelId) {
        let is_against = |channel: ChannelId| self.against[channel.index()];
        let (along, against) =
            contending.split_at(contending.partition_point(|&channel| !is_against(channel)));
        let turns = last.is_some() && !is_against(last);
        let goes_against = along.is_empty() || turns && !against.is_empty();
        let rivals = if goes_against { against } else { along };
        let wire = wires.of(contending[0]) as usize;
        (rivals, self.last[wire][usize::from(goes_against)])
    }

    /// A channel sends a flit.
    #[inline]
    fn sends(&mut self, channel: ChannelId, wires: &Wires) {
        if self.are_any() {
            let against = usize::from(self.against[channel.index()]);
            self.last[wires.of(channel) as usize][against] = channel;
        }
    }
}

impl TokensKernel {
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
                shared.directions.sends(winner, &shared.wires);
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
