//! Who made whom wait at switches that forward frames.
//!
//! A frame waits for those that the engine was at work on before it, then for those that have the
//! channel before it, and while it is told to pause for whoever fills the memory it would come to.

use super::FramesKernel;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::time::Time;

/// Most switches that are followed to where a pause begins: in a circle it begins nowhere.
const LONGEST: usize = 64;

impl FramesKernel {
    /// The engine of a switch is done with a frame at `done` that was there at `ready`, at the soonest so
    /// much later than with the one before.
    #[inline]
    pub(super) fn is_served(&self, packet: PacketId, (ready, done): (Time, Time), act: &mut Act) {
        self.serves_until(packet, (ready, done), done + self.forwarding_ps, act);
    }

    /// The same of an engine that is done with another no sooner than at `until`.
    #[inline]
    pub(super) fn serves_until(
        &self,
        packet: PacketId,
        (ready, done): (Time, Time),
        until: Time,
        act: &mut Act,
    ) {
        let start = done - self.delay_ps - self.forwarding_ps;
        act.observe(Observation::Served { packet, ready, start, done, until });
    }

    /// A frame that might start on a channel does not, since that is paused.
    pub(super) fn observe_pause(&self, at: ChannelId, packet: PacketId, act: &mut Act) {
        if !act.is_observed() {
            return;
        }
        if let Some(culprit) = self.culprit(at, act) {
            act.observe(Observation::LacksPlace { packet, culprit });
        }
    }

    /// Who fills the memory that a channel leads to, in the end: the first frame of the longest
    /// queue there, unless that is paused itself.
    fn culprit(&self, paused: ChannelId, act: &Act) -> Option<u32> {
        let (blame, memory) = (act.measures.blame.as_deref()?, self.memory.as_ref()?);
        let mut found = None;
        let mut at = paused;
        for _ in 0..LONGEST {
            let End::Switch(switch) = act.wiring.layout.group(at).end else { break };
            let out = memory.outgoing[switch.index()].iter().copied();
            let length =
                |&channel: &ChannelId| (self.board.at(channel).waiting, std::cmp::Reverse(channel));
            let longest = out.filter(|&channel| self.first(channel, act.wiring).is_some());
            let Some(longest) = longest.max_by_key(length) else { break };
            let first = self.first(longest, act.wiring);
            found = Some(blame.class(first));
            let class = self.queues.class(first, act.packets);
            if !self.pauses(longest, class) {
                break;
            }
            at = longest;
        }
        found
    }
}
