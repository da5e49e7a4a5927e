//! The message that was received last, as long as nobody has to know what it waited for.
//!
//! Everything might end with any message that is received for which nobody waits: the next that ends later takes its
//! place. So the latest is set aside, and followed only when nothing more happens.

use super::forest::{Leg, Segment};
use super::hand::{Measured, put_wait};
use super::state::{Causes, Ending};
use crate::ids::{MessageId, ProcessId};
use crate::measure::late::Late;
use crate::time::Time;

impl Causes {
    /// Everything ends with what is in hand of a message, as far as is known: whether that can be set aside.
    pub(super) fn is_set_aside(
        &mut self,
        id: MessageId,
        (to, now): (ProcessId, Time),
        late: Option<&mut Late>,
    ) -> bool {
        let hand = &self.hand;
        let is_at_end = (hand.message, hand.process, hand.at) == (id, to, now);
        let packet = hand.untold.as_ref().filter(|_| is_at_end).map(|untold| untold.packet);
        let (Some(packet), Some(late)) = (packet, late) else { return false };
        if !hand.pieces.is_empty() || !late.sets_aside(id, packet) {
            return false;
        }
        let leg = self.ways[id.index()].leg(Box::default());
        let parent = self.forest.share(hand.parent);
        self.forgets_ending();
        self.ending = Some(Box::new(Ending { leg, process: to, at: now, parent }));
        true
    }

    /// The number of the message that is set aside.
    pub fn set_aside(&self) -> Option<u64> {
        self.ending.as_ref().map(|ending| ending.leg.message)
    }

    /// Nothing more happens for now: what the message waited for that is set aside is put down.
    pub fn tells_ending(&mut self, (late, labels): Measured) {
        let (Some(ending), Some(late)) = (self.ending.take(), late) else { return };
        let Ending { leg, process, at, parent } = *ending;
        let (since, mut pieces) = (self.forest.at(parent), Vec::new());
        if late.waited_aside(at, |wait| put_wait(&mut pieces, since, wait, labels)) {
            self.followed.push(leg.message);
        }
        let leg = Leg { pieces: pieces.into(), ..leg };
        let end = self.forest.add(at, parent, process, Segment::Message(Box::new(leg)));
        self.forest.release(parent);
        self.forest.replace(&mut self.last, end);
    }
}
