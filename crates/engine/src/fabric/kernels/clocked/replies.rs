//! Nodes that take in requests only while they have places for the replies, in steps.

use super::ClockedKernel;
use crate::fabric::act::Act;
use crate::ids::ChannelId;

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
        let instant = self.granted_in(step);
        let switches = &mut self.switches;
        self.board.give_places((step, instant), act, |board, channel| {
            let lane = board.at(channel);
            switches.asks(lane.port.switch.0, lane.entrance.number);
        });
    }
}
