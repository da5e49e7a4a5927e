//! Packets in flight.

mod riders;

pub use riders::Part;

use crate::fabric::network::wiring::{Undisturbed, Wiring};
use crate::fabric::packet::Packet;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId, SwitchId};
use crate::measure::Class;
use crate::mixed::Mixed;
use crate::pool::Pool;
use crate::rare::{rare, rarely};
use crate::time::Time;
use riders::Riders;
use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

/// Packets in flight or queued.
pub struct PacketPool {
    packets: Pool<PacketId, Packet>,
    /// By place: how each would fare alone. Used where channels differ only.
    undisturbed: Vec<Undisturbed>,
    /// By place: the channel by which it came to where it waits. Used where that is known of nothing else.
    came_by: Vec<ChannelId>,
    /// Where switches draw: by place what tells each from all others.
    drawn_by: Option<Vec<u32>>,
    /// Most channels a packet may cross.
    hop_limit: u16,
    /// From how many on it is looked what that means: so many, or 0 where it is noted which they are.
    looks_from: u16,
    /// Where that is noted: the channels that packets have crossed.
    pub crossed: Option<Vec<ChannelId>>,
    /// The first that has crossed more; or another with which a run cannot go on.
    strayed: PacketId,
    /// The channel by which that one makes a buffer without bounds too full, or none.
    overfull: ChannelId,
    /// By node: when the data packet started that has left it last, or is about to. Empty where
    /// nodes do not ask.
    departures: Vec<Time>,
    /// Whether anybody asks when packets have left their nodes.
    tells_departures: bool,
    /// Those that have been lost.
    lost: Lost,
    /// Those that are sent in vain, and until when; perhaps others that have been.
    in_vain: Vec<(PacketId, Time)>,
    /// Those that wait again because tables of routing have changed: since when they waited first.
    rerouted: Mixed<PacketId, Time>,
    /// Which packets of multicasts are sent with others.
    riders: Riders,
}

/// Packets that have been lost.
#[derive(Clone, Default)]
pub struct Lost {
    /// The first of them, as many as are told.
    pub first: Vec<LostPacket>,
    /// The messages that they belong to, or acknowledge.
    pub messages: BTreeSet<MessageId>,
    /// Those of them that never arrive: of which data have been lost.
    pub undelivered: BTreeSet<MessageId>,
}

/// A packet that has been lost.
#[derive(Clone, Copy, Debug)]
pub struct LostPacket {
    /// When.
    pub at: Time,
    /// At which switch.
    pub switch: SwitchId,
    /// The packet, as it was.
    pub packet: Packet,
}

/// Most lost packets that are told one by one.
const MOST_TOLD: usize = 8;

impl PacketPool {
    /// None yet; each may cross so many channels.
    pub fn new(hop_limit: u16) -> Self {
        Self {
            packets: Pool::default(),
            undisturbed: Vec::new(),
            came_by: Vec::new(),
            drawn_by: None,
            hop_limit,
            looks_from: hop_limit,
            crossed: None,
            strayed: PacketId::NONE,
            overfull: ChannelId::NONE,
            departures: Vec::new(),
            tells_departures: false,
            lost: Lost::default(),
            in_vain: Vec::new(),
            rerouted: Mixed::default(),
            riders: Riders::default(),
        }
    }

    /// A packet that has crossed more channels than it may, or has no route.
    #[inline]
    pub fn strayed(&self) -> Option<&Packet> {
        self.strayed.is_some().then(|| &self.packets[self.strayed])
    }

    /// There is no route for a packet.
    #[cold]
    pub fn strays(&mut self, id: PacketId) {
        self.strayed = id;
    }

    /// A packet comes to a buffer without bounds that holds as many flits as can be told apart.
    #[cold]
    pub fn overfills(&mut self, id: PacketId, channel: ChannelId) {
        (self.strayed, self.overfull) = (id, channel);
    }

    /// The channel to a buffer without bounds that has become too full for the run to go on.
    pub fn overfull(&self) -> Option<ChannelId> {
        self.overfull.is_some().then_some(self.overfull)
    }

    /// So many nodes are told when their data packets have left them.
    pub fn tell_departures(&mut self, nodes: usize) {
        self.departures = vec![0; nodes];
        self.tells_departures = true;
    }

    /// Which channels packets cross is noted from now on.
    pub fn note_crossed(&mut self) {
        self.looks_from = 0;
        self.crossed = Some(Vec::new());
    }

    /// The network is told that, whether nodes are or not.
    pub fn tell_network_departures(&mut self) {
        self.tells_departures = true;
    }

    /// Whether anybody is told that.
    #[inline]
    pub fn tells_departures(&self) -> bool {
        self.tells_departures
    }

    /// Whether nodes are.
    #[inline]
    pub fn tells_nodes(&self) -> bool {
        !self.departures.is_empty()
    }

    /// When the data packet started that has left a node last.
    pub fn departed(&self, node: NodeId) -> Time {
        self.departures[node.index()]
    }

    /// A data packet that is about to leave its node has started.
    pub fn departs(&mut self, id: PacketId) {
        let Packet { source, first_sent, .. } = self.packets[id];
        self.departures[source.index()] = first_sent;
    }

    /// Switches draw for packets ([`Self::drawn_by`]).
    pub fn keep_keys(&mut self) {
        self.drawn_by = Some(Vec::new());
    }

    /// What tells a packet where it is now, the channels it has crossed, from all others, itself
    /// elsewhere included: in 48 bits, the same whatever else happens. Known where switches draw only.
    pub fn drawn_by(&self, id: PacketId) -> u64 {
        let drawn_by = self.drawn_by.as_ref().map_or(0, |drawn_by| drawn_by[id.index()]);
        u64::from(drawn_by) << 16 | u64::from(self.packets[id].hops)
    }

    /// A new packet.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        let id = self.packets.insert(|serial| packet.numbered(serial as u32));
        if let Some(drawn_by) = rare(&mut self.drawn_by) {
            if drawn_by.len() <= id.index() {
                drawn_by.resize(id.index() + 1, 0);
            }
            drawn_by[id.index()] = packet.serial;
        }
        id
    }

    /// Takes out a packet.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        self.packets.remove(id)
    }

    /// A packet is sent in vain until an instant, and stays where it is.
    #[cold]
    pub fn is_sent_in_vain(&mut self, id: PacketId, now: Time, until: Time) {
        self.in_vain.retain(|&(_, until)| until > now);
        self.in_vain.push((id, until));
    }

    /// Until when a packet is sent in vain, if it is.
    #[inline]
    pub fn in_vain_until(&self, id: PacketId, now: Time) -> Option<Time> {
        let mut sent = self.in_vain.iter().filter(|&&(of, until)| of == id && until > now);
        sent.next().map(|&(_, until)| until)
    }

    /// A packet asks anew at this instant, since tables of routing have changed.
    #[cold]
    pub fn asks_anew(&mut self, id: PacketId, now: Time) {
        let packet = &mut self.packets[id];
        let first = std::mem::replace(&mut packet.ready, now);
        self.rerouted.entry(id).or_insert(first);
    }

    /// How long a packet that starts now had waited before it asked anew, if it has.
    #[inline]
    pub fn waited_before(&mut self, id: PacketId) -> Time {
        if self.rerouted.is_empty() {
            return 0;
        }
        let first = self.rerouted.remove(&id);
        first.map_or(0, |first| self.packets[id].ready - first)
    }

    /// Since when a packet waited first.
    pub fn waits_since(&self, id: PacketId) -> Time {
        self.rerouted.get(&id).copied().unwrap_or(self.packets[id].ready)
    }

    /// A packet's turn among those that ask where it does, by a channel: when it did, and of one instant those
    /// first that ask anew.
    #[inline]
    pub fn turn(&self, id: PacketId, by: ChannelId) -> (Time, bool, ChannelId) {
        let is_first = !rarely(!self.rerouted.is_empty()) || !self.rerouted.contains_key(&id);
        (self.packets[id].ready, is_first, by)
    }

    /// A packet is lost at a switch.
    #[cold]
    pub fn lose(&mut self, id: PacketId, switch: SwitchId, at: Time) {
        let packet = self.remove(id);
        self.lost.messages.insert(packet.message);
        if packet.class == Class::Data {
            self.lost.undelivered.insert(packet.message);
        }
        if self.lost.first.len() < MOST_TOLD {
            self.lost.first.push(LostPacket { at, switch, packet });
        }
    }

    /// Those that have been lost.
    pub fn lost(&self) -> &Lost {
        &self.lost
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// A packet has been granted a channel: a hop more. The packet.
    #[inline]
    pub fn crosses(&mut self, id: PacketId, channel: ChannelId, wiring: &Wiring) -> &mut Packet {
        let packet = &mut self.packets[id];
        packet.hops += 1;
        if packet.hops > self.looks_from || !wiring.is_plain() {
            self.cross_by_rules(id, channel, wiring);
        }
        &mut self.packets[id]
    }

    /// The rest of that where it has crossed too many, routing remembers, or channels differ.
    #[inline(never)]
    fn cross_by_rules(&mut self, id: PacketId, channel: ChannelId, wiring: &Wiring) {
        if let Some(crossed) = &mut self.crossed {
            crossed.push(channel);
        }
        let packet = &mut self.packets[id];
        if packet.hops > self.hop_limit {
            self.strayed = id;
        }
        if wiring.routing.remembers() {
            packet.route = wiring.passed(wiring.layout.group(channel), packet.header());
        }
        if !wiring.is_even() {
            if self.undisturbed.len() <= id.index() {
                self.undisturbed.resize(id.index() + 1, Undisturbed::default());
            }
            wiring.cross(channel, packet, &mut self.undisturbed[id.index()]);
        }
    }

    /// A packet has crossed channels, so many and with this route at the end, as another before
    /// it has.
    pub fn has_crossed(
        &mut self,
        id: PacketId,
        (hops, route): (u16, u32),
        undisturbed: Undisturbed,
        wiring: &Wiring,
    ) {
        let packet = &mut self.packets[id];
        (packet.hops, packet.route) = (hops, route);
        if !wiring.is_even() {
            if self.undisturbed.len() <= id.index() {
                self.undisturbed.resize(id.index() + 1, Undisturbed::default());
            }
            self.undisturbed[id.index()] = undisturbed;
        }
    }

    /// A packet that has crossed channels would have fared so alone.
    pub fn fares_alone(&mut self, id: PacketId, undisturbed: Undisturbed) {
        self.undisturbed[id.index()] = undisturbed;
    }

    /// A packet may go on from the channel it has started on so much later.
    pub fn goes_on_after(&mut self, id: PacketId, time: Time, wiring: &Wiring) {
        if !wiring.is_even() {
            self.undisturbed[id.index()].goes_on_after(time);
        }
    }

    /// A packet has come by a channel to where it waits.
    #[inline]
    pub fn comes_by(&mut self, id: PacketId, channel: ChannelId) {
        if self.came_by.len() <= id.index() {
            self.came_by.resize(id.index() + 1, ChannelId::NONE);
        }
        self.came_by[id.index()] = channel;
    }

    /// The channel by which it has.
    #[inline]
    pub fn came_by(&self, id: PacketId) -> ChannelId {
        self.came_by[id.index()]
    }

    /// How a packet would fare alone.
    #[inline]
    pub fn undisturbed(&self, id: PacketId) -> Undisturbed {
        self.undisturbed.get(id.index()).copied().unwrap_or_default()
    }
}

impl Index<PacketId> for PacketPool {
    type Output = Packet;

    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.packets[id]
    }
}

impl IndexMut<PacketId> for PacketPool {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.packets[id]
    }
}

/// A first-in-first-out queue of packets, linked through [`Packet::next`].
#[derive(Clone, Copy, Debug)]
pub struct PacketFifo {
    /// The packet at the front, or none.
    pub first: PacketId,
    last: PacketId,
}

impl PacketFifo {
    /// A queue without packets.
    pub const EMPTY: Self = Self { first: PacketId::NONE, last: PacketId::NONE };

    /// Adds a packet at the end.
    #[inline]
    pub fn push(&mut self, id: PacketId, packets: &mut PacketPool) {
        packets[id].next = PacketId::NONE;
        if self.first.is_some() {
            packets[self.last].next = id;
        } else {
            self.first = id;
        }
        self.last = id;
    }

    /// Removes the packet behind `before` (none: the front packet), which must be there.
    #[inline]
    pub fn take_behind(&mut self, before: PacketId, packets: &mut PacketPool) -> PacketId {
        if !before.is_some() {
            return self.pop(packets);
        }
        let id = packets[before].next;
        packets[before].next = packets[id].next;
        if self.last == id {
            self.last = before;
        }
        id
    }

    /// Removes the front packet; the queue must not be empty.
    #[inline]
    pub fn pop(&mut self, packets: &PacketPool) -> PacketId {
        let id = self.first;
        self.first = packets[id].next;
        id
    }
}
