//! Queues with places for few packets: who asks for them, and who is given one.

use super::{Candidate, StoredKernel};
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::routing::Header;
use crate::spec::Switch;
use crate::time::Time;
use crate::topology::Topology;

/// Places in queues, and those who ask for them.
#[derive(Clone)]
pub struct Places {
    /// Places of a queue.
    buffers: u32,
    /// Those of them that contrary packets may take.
    for_contrary: u32,
    /// Whether packets that have no place may be overtaken.
    pub overtaking: bool,
    /// Where in `incoming` the channels to a switch begin, by switch; one more at the end.
    first_incoming: Vec<u32>,
    /// By switch: the channels that lead to it, lowest number first.
    incoming: Vec<ChannelId>,
    /// By channel: its turn among those that ask for places at its end; that of an injector
    /// is 0.
    turn_of: Vec<u32>,
    /// By channel: whose turn it is to be given a place in its queue.
    turn: Vec<u32>,
    /// By packet.
    notes: Vec<Note>,
    /// By channel: injectors that are to ask, in this round.
    injectors: Vec<ChannelId>,
    /// Who asks, in this round.
    asks: Vec<Ask>,
}

/// What is kept of a packet besides the packet.
#[derive(Clone, Copy)]
struct Note {
    /// The channel by which it leaves the node it is in, or on its way to, after the one in
    /// whose queue it stands; none if it is delivered there.
    next: ChannelId,
    /// The packet of its message behind it, or none.
    follower: PacketId,
}

/// Somebody asks for a place in a channel's queue.
#[derive(Clone)]
struct Ask {
    /// The channel.
    target: ChannelId,
    /// How many others would have their turn before.
    distance: u32,
    /// For whom.
    who: Who,
}

/// Who asks.
#[derive(Clone, Copy)]
enum Who {
    /// The channel's own injector.
    Injector,
    /// A wire for a packet that it would send.
    Wire(ChannelId, Candidate),
}

impl Places {
    /// All places are free; none, where the scheme has queues without bounds.
    pub fn new(switch: &Switch, topology: &Topology, wiring: &Wiring) -> Option<Self> {
        let &Switch { reserve, overtaking, .. } = switch;
        let buffers = switch.output_queue_packets?;
        let layout = &wiring.layout;
        let mut leading_to = vec![Vec::new(); topology.switches];
        for group in &layout.groups {
            if let (ChannelKind::Internal, End::Switch(switch)) = (group.kind, group.end) {
                leading_to[switch.index()].extend(group.channels());
            }
        }
        let mut turn_of = vec![0; layout.channels()];
        let mut first_incoming = vec![0];
        for channels in &leading_to {
            first_incoming.push(first_incoming[first_incoming.len() - 1] + channels.len() as u32);
            for (place, channel) in channels.iter().enumerate() {
                turn_of[channel.index()] = place as u32 + 1;
            }
        }
        Some(Self {
            buffers,
            for_contrary: buffers - u32::from(reserve),
            overtaking,
            first_incoming,
            incoming: leading_to.concat(),
            turn_of,
            turn: vec![0; layout.channels()],
            notes: Vec::new(),
            injectors: Vec::new(),
            asks: Vec::new(),
        })
    }

    /// The channel in whose queue a packet needs a place next, or none.
    #[inline]
    pub fn next(&self, id: PacketId) -> ChannelId {
        self.notes[id.index()].next
    }

    /// A packet is followed by another of its message, or none.
    pub fn note_follower(&mut self, id: PacketId, follower: PacketId) {
        if self.notes.len() <= id.index() {
            let none = Note { next: ChannelId::NONE, follower: PacketId::NONE };
            self.notes.resize(id.index() + 1, none);
        }
        self.notes[id.index()].follower = follower;
    }

    /// Takes the packet of its message behind a packet, or none.
    #[inline]
    pub fn take_follower(&mut self, id: PacketId) -> PacketId {
        std::mem::replace(&mut self.notes[id.index()].follower, PacketId::NONE)
    }

    /// The injector of a channel is to ask.
    pub fn look(&mut self, channel: ChannelId) {
        self.injectors.push(channel);
    }

    /// Whether nobody is left who asks.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.injectors.is_empty()
    }

    /// Somebody asks for a place in a channel's queue.
    #[inline]
    fn ask(&mut self, target: ChannelId, turn: u32, who: Who, askers: u32) {
        let first = self.turn[target.index()];
        let distance = if turn >= first { turn - first } else { turn + askers - first };
        self.asks.push(Ask { target, distance, who });
    }

    /// How many may ask for places in the queues of a switch.
    #[inline]
    fn askers(&self, switch: usize) -> u32 {
        1 + self.first_incoming[switch + 1] - self.first_incoming[switch]
    }
}

impl StoredKernel {
    /// Notes where a packet that has joined the queue of a channel goes from its end.
    #[inline]
    pub(super) fn find_next(&mut self, at: ChannelId, id: PacketId, act: &Act) {
        let (wiring, packet) = (act.wiring, &act.packets[id]);
        let switch = self.board.at(at).port.switch;
        let next = if switch.0 == packet.destination.0 {
            ChannelId::NONE
        } else {
            let header = packet.header();
            let route = wiring.passed(wiring.layout.group(at), header);
            wiring.first_lead(switch, Header { route, ..header })
        };
        if let Some(places) = &mut self.places {
            places.notes[id.index()].next = next;
        }
    }

    /// Whether there is a place in the queue of a channel for a packet that is not contrary;
    /// if not, the channel tells when there is.
    #[inline]
    pub(super) fn has_place(&mut self, at: ChannelId, act: &mut Act) -> bool {
        let has_place = self.has_room(at, act.now);
        if !has_place {
            self.lack(at, act);
        }
        has_place
    }

    /// The same, and no more.
    #[inline]
    pub(super) fn has_room(&self, at: ChannelId, now: Time) -> bool {
        let buffers = self.places.as_ref().map_or(u32::MAX, |places| places.buffers);
        self.board.at(at).taken_at(now) < buffers
    }

    /// The same for the packet that an injector puts into the queue.
    fn has_place_for_local(&mut self, at: ChannelId, act: &mut Act) -> bool {
        let Some(places) = &self.places else { return true };
        let channel = self.board.at(at);
        let has_place = channel.taken_at(act.now) < places.buffers
            && (!channel.injects_contrary() || channel.contrary_at(act.now) < places.for_contrary);
        if !has_place {
            self.observe_place(channel.injecting.first, at, act);
            self.lack(at, act);
        }
        has_place
    }

    /// Somebody lacks a place in the queue of a channel, and is told when one is left.
    fn lack(&mut self, at: ChannelId, act: &mut Act) {
        let channel = self.board.at_mut(at);
        channel.lack();
        let free_at = channel.free_at;
        if free_at > act.now {
            let wire = act.wiring.layout.wire_of[at.index()];
            self.board.post_retry(wire, free_at, act.events);
        }
    }

    /// A place has been left in the queue of a channel: those who may want it look.
    pub(super) fn tell_of_place(&mut self, at: ChannelId, act: &mut Act) {
        let Some(places) = &mut self.places else { return };
        let channel = self.board.at_mut(at);
        if channel.injects() && channel.look() {
            places.look(at);
        }
        let (switch, bit) = (channel.from.index(), channel.bit);
        let first = places.first_incoming[switch] as usize;
        let last = places.first_incoming[switch + 1] as usize;
        for &incoming in &places.incoming[first..last] {
            if self.board.at(incoming).lacked & bit != 0 {
                self.board.mark(act.wiring.layout.wire_of[incoming.index()]);
            }
        }
    }

    /// A wire asks for a place for the packet that it would send.
    pub(super) fn ask_for_place(&mut self, wire: ChannelId, candidate: Candidate) {
        let switch = self.board.at(candidate.channel).port.switch.index();
        if let Some(places) = &mut self.places {
            let turn = places.turn_of[candidate.channel.index()];
            let askers = places.askers(switch);
            places.ask(candidate.next, turn, Who::Wire(wire, candidate), askers);
        }
    }

    /// Injectors ask; then every queue that is asked gives one place.
    pub(super) fn give_places(&mut self, act: &mut Act) {
        self.ask_for_local(act);
        let Some(places) = &mut self.places else { return };
        let mut asks = std::mem::take(&mut places.asks);
        asks.sort_unstable_by_key(|ask| (ask.target, ask.distance));
        let mut given = ChannelId::NONE;
        for &Ask { target, who, .. } in &asks {
            if target != given {
                given = target;
                self.give_place(target, who, act);
            } else if let Who::Wire(wire, _) = who {
                self.board.mark(wire);
            } else {
                self.injector_looks(target);
            }
        }
        asks.clear();
        if let Some(places) = &mut self.places {
            places.asks = asks;
        }
    }

    /// Every injector that is to asks for a place, if there is one.
    fn ask_for_local(&mut self, act: &mut Act) {
        let Some(places) = &mut self.places else { return };
        let mut injectors = std::mem::take(&mut places.injectors);
        for at in injectors.drain(..) {
            self.board.at_mut(at).has_looked();
            let has_place = self.has_place_for_local(at, act);
            let switch = self.board.at(at).from.index();
            if has_place && let Some(places) = &mut self.places {
                let askers = places.askers(switch);
                places.ask(at, 0, Who::Injector, askers);
            }
        }
        if let Some(places) = &mut self.places {
            places.injectors = injectors;
        }
    }

    /// Somebody is given a place in a channel's queue, and takes it.
    fn give_place(&mut self, target: ChannelId, who: Who, act: &mut Act) {
        let switch = self.board.at(target).from.index();
        let Some(places) = &mut self.places else { return };
        let turn = match who {
            Who::Injector => 0,
            Who::Wire(_, candidate) => places.turn_of[candidate.channel.index()],
        };
        places.turn[target.index()] = (turn + 1) % places.askers(switch);
        let channel = self.board.at_mut(target);
        match who {
            Who::Injector => {
                let is_contrary = channel.injects_contrary();
                channel.take_place(is_contrary);
                self.inject(target, act);
            }
            Who::Wire(_, candidate) => {
                channel.take_place(false);
                self.start(candidate, act);
            }
        }
    }
}
