//! Nodes that take in requests only while they have places for the replies, in steps.

use super::ClockedKernel;
use crate::fabric::act::Act;
use crate::ids::ChannelId;
use crate::measure::blame::Observation;

impl ClockedKernel {
    /// Whether the header at the front of a buffer asks for the channel to a node that has no place
    /// for the reply to it: then it is on the list there.
    #[cold]
    pub(super) fn lacks_reply_place(&mut self, channel: ChannelId, act: &Act) -> bool {
        let due = self.board.at(channel).due;
        self.board.lacks_reply_place(channel, due, act)
    }

    /// Requests that wait for places get those that are free in a step, and ask for their channels.
    pub(super) fn give_places(&mut self, step: u64, act: &mut Act) {
        let switches = &mut self.switches;
        self.board.give_places(step, act, |board, channel| {
            let lane = board.at(channel);
            switches.asks(lane.port.switch.0, lane.entrance.number);
        });
        if act.is_observed() {
            self.observe_no_places(step, act);
        }
    }

    /// Some requests go on waiting for places.
    #[cold]
    fn observe_no_places(&self, step: u64, act: &mut Act) {
        let Some(places) = &self.board.replies else { return };
        for (node, waiting) in places.waiting() {
            let by = self.board.before_replies(node, act.wiring);
            for &(due, channel) in waiting {
                let packet = self.board.at(channel).port.buffer.first;
                if due <= step {
                    let at = self.granted_in(step);
                    act.observe_at(Observation::LacksReplyPlace { packet, by }, at);
                }
            }
        }
    }
}
