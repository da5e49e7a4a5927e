//! Whether packets can still move, and who waits for whom if not.
//!
//! A buffer *drains* if something can ever leave it: it ends at a node or is empty; or the
//! packet leaving it finds room beyond, now or because the buffer there drains; or the
//! packet at its front may be granted a channel that is free, or will be because its
//! owner can finish. Buffers of which this cannot be shown hold packets that never move
//! again, whatever happens elsewhere: a deadlock, and not a matter of how long to wait.

mod replies;

pub use replies::{Full, Nodes, Source};

use crate::error::{Blocked, Lack, Place};
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, NodeId, PacketId, SwitchId};
use crate::routing::Outputs;
use replies::Beyond;

/// How things stand at a channel and in the buffer at its end.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The packet that was granted the channel and has not been sent completely.
    pub owner: PacketId,
    /// How much of it has not been sent.
    pub unsent: u64,
    /// How much can be sent before something has to leave the buffer.
    pub room: u64,
    /// Whether nobody but the owner can be granted the channel before all has left the buffer.
    pub shut: bool,
    /// The channel granted to the packet that leaves the buffer.
    pub output: ChannelId,
    /// The first packet in the buffer, or on its way there, that has not been granted a channel.
    pub front: PacketId,
}

/// What a packet at the front of a buffer needs room for in the next one to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A flit.
    Flit,
    /// All of it.
    Packet,
    /// All of it, or as much as a buffer holds: so many flits.
    Buffer(u64),
}

impl Needs {
    /// What it needs where flits go one by one: where routing has an escape, a buffer that holds so
    /// many must be empty or have room for all of it.
    pub fn of_flits(room_for_all: Option<u32>) -> Self {
        room_for_all.map_or(Self::Flit, |all| Self::Buffer(all.into()))
    }
}

/// The packets that wait for each other in a circle; empty if every packet can move.
pub fn find(
    wiring: &Wiring,
    packets: &PacketPool,
    standings: &[Standing],
    needs: Needs,
) -> Vec<Blocked> {
    find_with_nodes(wiring, packets, (standings, &Nodes::default()), needs)
}

/// The same where packets wait for nodes, too.
pub fn find_with_nodes(
    wiring: &Wiring,
    packets: &PacketPool,
    (standings, nodes): (&[Standing], &Nodes),
    needs: Needs,
) -> Vec<Blocked> {
    find_in(&View { wiring, packets, standings, fronts: &[], needs }, nodes)
}

/// A packet that may leave a buffer next, and the output it has joined the queue of; none if it has not yet.
pub type Front = (PacketId, ChannelId);

/// The same where several packets in a buffer may leave it next: by buffer.
pub fn find_of_many(
    wiring: &Wiring,
    packets: &PacketPool,
    (standings, fronts): (&[Standing], &[Vec<Front>]),
    needs: Needs,
) -> Vec<Blocked> {
    find_in(&View { wiring, packets, standings, fronts, needs }, &Nodes::default())
}

fn find_in(view: &View<'_>, nodes: &Nodes) -> Vec<Blocked> {
    let standings = view.standings;
    let mut targets = view.all_targets();
    let beyond = Beyond::new(view, nodes, &mut targets);
    let takes = |at: usize, target: ChannelId| beyond.takes(at, target);
    let circle = find_circle_of(&targets, |at| beyond.needs_all(at), takes);
    let mut blocked: Vec<Blocked> = Vec::new();
    for &(at, next) in &circle {
        let told = if at < standings.len() && next.index() < standings.len() {
            Some(view.blocked(at, next))
        } else {
            beyond.blocked(at, next)
        };
        blocked.extend(told);
    }
    join(&mut blocked);
    blocked
}

/// Tells of a packet that stands in several buffers once: where its head is, which comes last.
fn join(circle: &mut Vec<Blocked>) {
    for place in (0..circle.len()).rev() {
        let next = (place + 1) % circle.len();
        let [here, there] = [&circle[place], &circle[next]];
        let is_head = matches!(there.lack, Lack::Channel | Lack::ReplyPlace);
        if place == next || !is_head || here.lack != Lack::Channel || here.packet != there.packet {
            continue;
        }
        let holds = circle[place].holds.clone();
        let head = &mut circle[next];
        for place in holds {
            if !head.holds.contains(&place) {
                head.holds.push(place);
            }
        }
        circle.remove(place);
    }
}

/// The same of flits where the virtual channels of a wire share room: by channel how many shared
/// places are in use, and in `standings` the room there would be if others had none in use.
pub fn find_sharing(
    wiring: &Wiring,
    packets: &PacketPool,
    (mut standings, nodes): (Vec<Standing>, &Nodes),
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
        let view = View { wiring, packets, standings: &standings, fronts: &[], needs: Needs::Flit };
        let mut targets = view.all_targets();
        let beyond = Beyond::new(&view, nodes, &mut targets);
        let takes = |at: usize, target: ChannelId| beyond.takes(at, target);
        let drains = drains(&targets, |at| beyond.needs_all(at), takes);
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
    find_with_nodes(wiring, packets, (&standings, nodes), Needs::Flit)
}

/// The buffers on a circle of such as never drain, each with what it waits for; empty if all
/// drain. `targets`: by buffer the channels by which what is in it can leave; none if it drains.
/// `takes`: whether something can leave a buffer by a channel even if that one's does not drain.
pub fn find_circle(
    targets: &[Vec<ChannelId>],
    takes: impl Fn(usize, ChannelId) -> bool,
) -> Vec<(usize, ChannelId)> {
    find_circle_of(targets, |_| false, takes)
}

/// The same of buffers and other things, of which some `needs_all` that it waits for.
fn find_circle_of(
    targets: &[Vec<ChannelId>],
    needs_all: impl Fn(usize) -> bool,
    takes: impl Fn(usize, ChannelId) -> bool,
) -> Vec<(usize, ChannelId)> {
    let drains = drains(targets, needs_all, &takes);
    let first = drains.iter().position(|drains| !drains);
    let waits = |at: usize, &&target: &&ChannelId| !takes(at, target) && !drains[target.index()];
    let next = |at: usize| targets[at].iter().find(|target| waits(at, target)).copied();
    first.map(|first| circle(first, next)).unwrap_or_default()
}

/// By channel: whether the buffer at its end drains.
fn drains(
    targets: &[Vec<ChannelId>],
    needs_all: impl Fn(usize) -> bool,
    takes: impl Fn(usize, ChannelId) -> bool,
) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
    for (at, targets) in targets.iter().enumerate() {
        for target in targets.iter().filter(|target| target.is_some()) {
            before[target.index()].push(at);
        }
    }
    let mut drains = vec![false; targets.len()];
    let mut again: Vec<usize> = (0..targets.len()).collect();
    while let Some(at) = again.pop() {
        let mut goes =
            targets[at].iter().map(|&target| takes(at, target) || drains[target.index()]);
        let is_empty = targets[at].is_empty();
        if !drains[at]
            && (is_empty || if needs_all(at) { goes.all(|x| x) } else { goes.any(|x| x) })
        {
            drains[at] = true;
            again.extend(&before[at]);
        }
    }
    drains
}

/// Follows the first thing that each buffer's packet waits for until that comes round:
/// the buffers on the circle, each with the channel waited for.
fn circle(first: usize, next: impl Fn(usize) -> Option<ChannelId>) -> Vec<(usize, ChannelId)> {
    let mut way: Vec<(usize, ChannelId)> = Vec::new();
    let mut at = first;
    loop {
        if let Some(begin) = way.iter().position(|&(seen, _)| seen == at) {
            return way.split_off(begin);
        }
        let Some(next) = next(at) else { return Vec::new() };
        way.push((at, next));
        at = next.index();
    }
}

struct View<'a> {
    wiring: &'a Wiring,
    packets: &'a PacketPool,
    standings: &'a [Standing],
    /// By buffer the packets that may leave it next, where there are several; else empty.
    fronts: &'a [Vec<Front>],
    needs: Needs,
}

impl View<'_> {
    /// By buffer the channels that what is in it can leave it by.
    fn all_targets(&self) -> Vec<Vec<ChannelId>> {
        (0..self.standings.len()).map(|at| self.targets(at)).collect()
    }

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
        let only = [(front, ChannelId::NONE)];
        let fronts = self.fronts.get(at).map_or(&only[..], Vec::as_slice);
        let mut targets = Vec::new();
        for &front in fronts {
            self.each_lead(switch, front, |lead| {
                targets.extend(self.wiring.layout.group(lead).channels());
            });
        }
        targets
    }

    /// Names the leads of the groups by which a packet may leave a switch.
    fn each_lead(&self, switch: SwitchId, (id, joined): Front, mut each: impl FnMut(ChannelId)) {
        if joined.is_some() {
            return each(joined);
        }
        let mut outputs = Outputs::default();
        let leads = self.wiring.leads(switch, self.packets[id].header(), &mut outputs);
        leads.for_each(|(lead, _)| each(lead));
    }

    /// The packet that leaves a buffer next, if it leaves it by a channel.
    fn front(&self, at: usize, target: ChannelId) -> PacketId {
        let first = self.standings[at].front;
        let Some(fronts) = self.fronts.get(at) else { return first };
        let End::Switch(switch) = self.wiring.layout.group(ChannelId::from_index(at)).end else {
            return first;
        };
        let group = self.wiring.layout.group(target).first;
        let goes = |front: &&Front| {
            let mut goes = false;
            self.each_lead(switch, **front, |lead| goes |= lead == group);
            goes
        };
        fronts.iter().find(goes).map_or(first, |&(id, _)| id)
    }

    /// Whether a channel takes something from a buffer even if nothing leaves the buffer
    /// at its own end.
    fn takes(&self, at: usize, target: ChannelId) -> bool {
        let (here, there) = (&self.standings[at], &self.standings[target.index()]);
        if here.output.is_some() {
            return there.room > 0;
        }
        if there.shut {
            return false;
        }
        let ahead = if there.owner.is_some() { there.unsent } else { 0 };
        let needed = match self.needs {
            Needs::Flit => 1,
            Needs::Packet => self.tokens(self.front(at, target)),
            Needs::Buffer(all) => self.tokens(here.front).min(all),
        };
        there.room >= ahead + needed
    }

    /// Tokens of a packet.
    fn tokens(&self, id: PacketId) -> u64 {
        self.wiring.link.packet_flits(self.packets[id].bytes).into()
    }

    fn blocked(&self, at: usize, next: ChannelId) -> Blocked {
        let here = &self.standings[at];
        let leaving = here.output.is_some();
        let id = if leaving { self.standings[next.index()].owner } else { self.front(at, next) };
        let owner = self.standings[next.index()].owner;
        let packet = &self.packets[id];
        Blocked {
            packet: packet.serial,
            source: packet.source.0,
            destination: packet.destination.0,
            holds: self.held(at, id),
            waits_for: self.place(next),
            held_by: (owner.is_some() && owner != id).then(|| self.packets[owner].serial),
            lack: Lack::Channel,
            traffic: packet.traffic(),
            class: None,
        }
    }

    /// The channels that a packet holds whose head is in a buffer: that one first.
    fn held(&self, at: usize, id: PacketId) -> Vec<Place> {
        let owned = self.standings.iter().enumerate().filter(|(_, other)| other.owner == id);
        let others = owned.map(|(channel, _)| channel).filter(|&channel| channel != at);
        [at].into_iter().chain(others).map(|at| self.place(ChannelId::from_index(at))).collect()
    }

    /// Whether the channel of a buffer ends at a switch, and not at a node.
    fn goes_on(&self, at: usize) -> bool {
        matches!(self.wiring.layout.group(ChannelId::from_index(at)).end, End::Switch(_))
    }

    /// The channel by which a node sends a packet that has left its queue, if it does.
    fn sent_by(&self, id: PacketId, node: NodeId) -> Option<ChannelId> {
        let traffic = self.packets[id].traffic();
        let group = self.wiring.layout.group(self.wiring.injection_lead(node, traffic));
        group.channels().find(|channel| self.standings[channel.index()].owner == id)
    }

    fn place(&self, channel: ChannelId) -> Place {
        self.wiring.layout.place(channel)
    }
}
