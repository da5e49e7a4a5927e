//! Whether packets can still move, and who waits for whom if not.
//!
//! A buffer *drains* if something can ever leave it: it ends at a node or is empty; or the
//! packet leaving it finds room beyond, now or because the buffer there drains; or the
//! packet at its front may be granted a channel that is free, or will be because its
//! owner can finish. Buffers of which this cannot be shown hold packets that never move
//! again, whatever happens elsewhere: a deadlock, and not a matter of how long to wait.

use crate::error::Blocked;
use crate::fabric::Wiring;
use crate::fabric::network::layout::End;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::routing::Outputs;

/// How things stand at a channel and in the buffer at its end.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The packet that was granted the channel and has not been sent completely.
    pub owner: PacketId,
    /// How much of it has not been sent.
    pub unsent: u64,
    /// How much can be sent before something has to leave the buffer.
    pub room: u64,
    /// The channel granted to the packet that leaves the buffer.
    pub output: ChannelId,
    /// The first packet in the buffer, or on its way there, that has not been granted a channel.
    pub front: PacketId,
}

/// The packets that wait for each other in a circle; empty if every packet can move.
///
/// `whole`: whether a packet is sent only when there is room for all of it.
pub fn find(
    wiring: &Wiring,
    packets: &PacketPool,
    standings: &[Standing],
    whole: bool,
) -> Vec<Blocked> {
    let view = View { wiring, packets, standings, whole };
    let targets: Vec<Vec<ChannelId>> = (0..standings.len()).map(|at| view.targets(at)).collect();
    let circle = find_circle(&targets, |at, target| view.takes(at, target));
    let blocked = circle.iter().map(|&(at, next)| view.blocked(at, next));
    let mut blocked: Vec<Blocked> = blocked.collect();
    // Of a packet that stands in several buffers the one its head is in comes last.
    for place in (0..blocked.len()).rev() {
        let next = (place + 1) % blocked.len();
        if blocked.len() > 1 && blocked[place].packet == blocked[next].packet {
            blocked.remove(place);
        }
    }
    blocked
}

/// The same of flits where the virtual channels of a wire share room: by channel how many shared
/// places are in use, and in `standings` the room there would be if others had none in use.
pub fn find_sharing(
    wiring: &Wiring,
    packets: &PacketPool,
    mut standings: Vec<Standing>,
    mut shared: Vec<u64>,
) -> Vec<Blocked> {
    let wire_of = &wiring.layout.wire_of;
    let others =
        |at: usize| (0..wire_of.len()).filter(move |&o| o != at && wire_of[o] == wire_of[at]);
    for (at, &places) in shared.iter().enumerate() {
        others(at).for_each(|other| standings[other].room -= places);
    }
    // What drains gives its places to the others of its wire, so that more may drain.
    while shared.iter().any(|&places| places > 0) {
        let view = View { wiring, packets, standings: &standings, whole: false };
        let targets: Vec<Vec<ChannelId>> = (0..shared.len()).map(|at| view.targets(at)).collect();
        let drains = drains(&targets, |at, target| view.takes(at, target));
        let gives: Vec<usize> =
            (0..shared.len()).filter(|&at| drains[at] && shared[at] > 0).collect();
        if gives.is_empty() {
            break;
        }
        for at in gives {
            let places = std::mem::take(&mut shared[at]);
            others(at).for_each(|other| standings[other].room += places);
        }
    }
    find(wiring, packets, &standings, false)
}

/// The buffers on a circle of such as never drain, each with what it waits for; empty if all
/// drain. `targets`: by buffer the channels by which what is in it can leave; none if it drains.
/// `takes`: whether something can leave a buffer by a channel even if that one's does not drain.
pub fn find_circle(
    targets: &[Vec<ChannelId>],
    takes: impl Fn(usize, ChannelId) -> bool,
) -> Vec<(usize, ChannelId)> {
    let drains = drains(targets, takes);
    let first = drains.iter().position(|drains| !drains);
    first.map(|first| circle(first, targets)).unwrap_or_default()
}

/// By channel: whether the buffer at its end drains.
fn drains(targets: &[Vec<ChannelId>], takes: impl Fn(usize, ChannelId) -> bool) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
    for (at, targets) in targets.iter().enumerate() {
        for target in targets.iter().filter(|target| target.is_some()) {
            before[target.index()].push(at);
        }
    }
    let mut drains = vec![false; targets.len()];
    let mut again: Vec<usize> = (0..targets.len()).collect();
    while let Some(at) = again.pop() {
        let goes = |&target: &ChannelId| takes(at, target) || drains[target.index()];
        if !drains[at] && (targets[at].is_empty() || targets[at].iter().any(goes)) {
            drains[at] = true;
            again.extend(&before[at]);
        }
    }
    drains
}

/// Follows the first thing that each buffer's packet waits for until that comes round:
/// the buffers on the circle, each with the channel waited for.
fn circle(first: usize, targets: &[Vec<ChannelId>]) -> Vec<(usize, ChannelId)> {
    let mut way: Vec<(usize, ChannelId)> = Vec::new();
    let mut at = first;
    loop {
        if let Some(begin) = way.iter().position(|&(seen, _)| seen == at) {
            return way.split_off(begin);
        }
        let next = targets[at][0];
        way.push((at, next));
        at = next.index();
    }
}

struct View<'a> {
    wiring: &'a Wiring,
    packets: &'a PacketPool,
    standings: &'a [Standing],
    whole: bool,
}

impl View<'_> {
    /// The channels that what is in a buffer can leave it by; none if it is empty or a node's.
    fn targets(&self, at: usize) -> Vec<ChannelId> {
        let Standing { output, front, .. } = self.standings[at];
        let group = self.wiring.layout.group(ChannelId::from_index(at));
        let End::Switch(switch) = group.end else { return Vec::new() };
        if output.is_some() {
            return vec![output];
        }
        if !front.is_some() {
            return Vec::new();
        }
        let header = self.packets[front].header();
        let mut outputs = Outputs::default();
        let leads = self.wiring.leads(switch, header, &mut outputs);
        leads.flat_map(|(lead, _)| self.wiring.layout.group(lead).channels()).collect()
    }

    /// Whether a channel takes something from a buffer even if nothing leaves the buffer
    /// at its own end.
    fn takes(&self, at: usize, target: ChannelId) -> bool {
        let (here, there) = (&self.standings[at], &self.standings[target.index()]);
        if here.output.is_some() {
            return there.room > 0;
        }
        if self.whole {
            let tokens = self.wiring.link.packet_flits(self.packets[here.front].bytes);
            return there.room >= u64::from(tokens);
        }
        let ahead = if there.owner.is_some() { there.unsent } else { 0 };
        there.room > ahead
    }

    fn blocked(&self, at: usize, next: ChannelId) -> Blocked {
        let here = &self.standings[at];
        let leaving = here.output.is_some();
        let id = if leaving { self.standings[next.index()].owner } else { here.front };
        let mut holds = vec![at as u32];
        let owned = self.standings.iter().enumerate().filter(|(_, other)| other.owner == id);
        holds.extend(owned.map(|(channel, _)| channel as u32).filter(|&c| c != at as u32));
        let owner = self.standings[next.index()].owner;
        let packet = &self.packets[id];
        Blocked {
            packet: packet.serial,
            source: packet.source.0,
            destination: packet.destination.0,
            holds: holds.into_iter().map(|channel| self.place(ChannelId(channel))).collect(),
            waits_for: self.place(next),
            held_by: (owner.is_some() && owner != id).then(|| self.packets[owner].serial),
            is_paused: false,
        }
    }

    fn place(&self, channel: ChannelId) -> crate::error::Place {
        self.wiring.layout.place(channel)
    }
}
