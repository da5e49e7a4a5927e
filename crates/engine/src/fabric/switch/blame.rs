//! Where the tree of packets that wait for each other has its root.
//!
//! A packet that waits is followed to the one it waits for: the one that holds the channel
//! it asks for, leaves or heads the buffer it stands in, or fills the buffer it needs room
//! in; and so on to one that does not wait itself. The channel the last but one waits for
//! that one to leave is the root.

use crate::fabric::Wiring;
use crate::fabric::switch::switchboard::{Act, HasPort, Switchboard};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::{Blame, Cause, Root};
use crate::time::Time;

/// Most packets that are followed: a circle has no root.
const LONGEST: usize = 64;

/// A packet in the way, and the channel it is to leave.
type Step = (PacketId, ChannelId);

/// The state of a run in which a root is looked for.
struct Search<'a, C> {
    board: &'a Switchboard<C>,
    wiring: &'a Wiring,
    packets: &'a PacketPool,
    blame: &'a Blame,
    now: Time,
}

impl<C: HasPort> Search<'_, C> {
    /// The root of what is waited for, as the first packet in the way and its channel.
    fn root(&self, (first, channel): Step) -> Root {
        let mut at = (first, channel);
        for _ in 0..LONGEST {
            match self.waits_for(at.0) {
                Some(next) if next.0 != at.0 => at = next,
                _ => break,
            }
        }
        Root { class: self.blame.class(at.0), channel: at.1 }
    }

    /// The packet that another waits for, if it waits.
    fn waits_for(&self, id: PacketId) -> Option<Step> {
        let (head, start) = self.blame.head(id);
        if !head.is_some() {
            // It is in its node, or stored in its switch.
            return None;
        }
        if start > self.now {
            return self.fills(head, id);
        }
        let port = self.board.at(head).port();
        let packet = &self.packets[id];
        if !port.switch.is_some() || packet.ready > self.now || self.blame.is_stored(id) {
            return None;
        }
        let leaver = self.blame.leaver(head, self.now);
        if leaver.is_some() {
            return leaver;
        }
        let first = port.buffer.first;
        if first != id {
            return first.is_some().then_some((first, head));
        }
        let output = self.wiring.first_lead(port.switch, packet.header());
        self.holds(output, id)
    }

    /// The packet that keeps another from being granted a group, or from its room.
    fn holds(&self, lead: ChannelId, id: PacketId) -> Option<Step> {
        if let Some(holder) = self.blame.holder(lead, self.now) {
            return Some((holder, lead));
        }
        match self.blame.keeper(lead)? {
            keeper if keeper == id => self.fills(lead, id),
            keeper => Some((keeper, lead)),
        }
    }

    /// The packet to wait for where there is no room in the buffer at a channel's end: the
    /// one that leaves it, else its first, unless that is `id` itself.
    fn fills(&self, channel: ChannelId, id: PacketId) -> Option<Step> {
        let first = self.board.at(channel).port().buffer.first;
        let first = (first.is_some() && first != id).then_some((first, channel));
        self.blame.leaver(channel, self.now).or(first)
    }
}

impl<C: HasPort> Switchboard<C> {
    fn search<'a>(
        &'a self,
        wiring: &'a Wiring,
        packets: &'a PacketPool,
        (blame, now): (&'a Blame, Time),
    ) -> Search<'a, C> {
        Search { board: self, wiring, packets, blame, now }
    }

    /// The front packet of a channel's buffer asks for an output.
    #[cold]
    #[inline(never)]
    pub fn blame_request(
        &self,
        input: ChannelId,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
        blame: &mut Blame,
    ) {
        let port = self.at(input).port();
        let id = port.buffer.first;
        let output = wiring.first_lead(port.switch, packets[id].header());
        let search = self.search(wiring, packets, (blame, now));
        let root = search.holds(output, id).map(|holder| search.root(holder));
        blame.asks(id, output, now, root);
    }

    /// A packet that may start on a channel lacks room in the buffer at its end.
    #[cold]
    #[inline(never)]
    pub fn blame_room(&self, channel: ChannelId, id: PacketId, act: &mut Act) {
        let Some(blame) = &mut act.measures.blame else { return };
        if blame.lacks_room(id) {
            return;
        }
        let search = self.search(act.wiring, act.packets, (blame, act.now));
        let own = Root { class: blame.class(id), channel };
        let root = search.fills(channel, id).map_or(own, |first| search.root(first));
        blame.stalls(id, act.now, Cause::BufferFull, root);
    }
}
