//! Which of those who wait for an output is granted it.
//!
//! Requests wait at a *place*: a group, or where packets have a choice of outputs the allocator of
//! their switch. Nobody watches them while they wait. A place *looks* only
//!
//! * at the end of an instant at which somebody joins it, and
//! * when one of its outputs falls free, or has room again for a packet that lacked it.
//!
//! At a look a group grants the best for every idle channel; an allocator goes through all that wait,
//! the best first, and grants each what is free for it. So the order among those who wait must not
//! change while nobody looks: an output would be granted to another, or at another instant, than
//! the rules say, and another fidelity, which looks at other instants, would find other times.
//! That is what [`Arbitrate`] promises, and what debug builds assert ([`Looks`]).

mod inputs;
mod kinds;

use crate::fabric::network::layout::Layout;
use crate::fabric::packet::Packet;
use crate::ids::ChannelId;
use crate::measure::Class;
use crate::spec::{self, Machine, arbiters};
use std::sync::Arc;

/// An arbiter, with all it keeps of all places.
///
/// What it may rely on: `joined` is called for every request that waits, and `granted` for every
/// one that is granted, in the order in which that happens at a place, unless it
/// [takes the first](Self::TAKES_FIRST). What it must keep to: of two requests that wait at a
/// place the same one comes first as long as they wait, except that a grant *at that place* may
/// change it if the arbiter says so ([`REORDERS`](Self::REORDERS)). So `key` depends on nothing
/// but what does not change while a packet is at the front of a buffer (all that its record has),
/// on the input, and on what was joined and granted at the place; never on the time or on
/// what happens elsewhere.
pub trait Arbitrate: Sized {
    /// Whether the one who came first is always the best, and nobody need be told of grants.
    const TAKES_FIRST: bool = false;

    /// Whether a grant may change the order among those who still wait. Then an allocator where one
    /// that waits keeps those behind it from a channel looks again after grants, until it grants
    /// nothing more.
    const REORDERS: bool = false;

    /// The arbiter of a machine; nobody has asked.
    fn new(places: &Places<'_>) -> Self;

    /// A request joins so many others: behind how many of them it stands among equals; none:
    /// behind all. `packet`: what its packet draws by ([`PacketPool::drawn_by`](crate::fabric::transit::PacketPool::drawn_by)).
    #[inline]
    fn joined(
        &self,
        _place: usize,
        _others: impl FnOnce() -> usize,
        _packet: impl FnOnce() -> u64,
    ) -> Option<usize> {
        None
    }

    /// How good the request of `packet`, at the front of the buffer of `input`, is: lower is
    /// better, and of equals who joined first (or stands before the other).
    fn key(&self, place: usize, input: ChannelId, packet: &Packet) -> u64;

    /// Clones have in common what it keeps of places, and are soon told nothing about most of them.
    fn share(&mut self) {}

    /// At a place it goes on as another does; nobody waits there, nor anywhere else.
    fn renew(&mut self, _like: &Self, _place: usize) {}

    /// The request of `input`, for `packet`, has been granted.
    #[inline]
    fn granted(&mut self, _place: usize, _input: ChannelId, _packet: &Packet) {}
}

/// Where requests wait.
pub struct Places<'a> {
    /// How many places there are: groups, or switches with their allocators.
    pub count: usize,
    /// The seed of the run.
    pub seed: u64,
    /// The machine: what an arbiter has to know of traffic classes, or of itself.
    pub machine: &'a Machine,
    /// By channel: its place in the order in which inputs take turns; empty: its number.
    pub turns: Vec<u32>,
}

/// A request as it is compared with others: priority of acknowledgements, then the arbiter's.
pub type Rank = (bool, u64);

/// Where a choice is made.
#[derive(Clone, Copy)]
struct At {
    place: usize,
    ack_priority: bool,
}

impl At {
    fn key<A: Arbitrate>(self, arbiter: &A, input: ChannelId, packet: &Packet) -> Rank {
        let after = !(self.ack_priority && packet.class == Class::Ack);
        (after, arbiter.key(self.place, input, packet))
    }
}

/// Position of the best of the requests that wait at a group, given in the order in which they stand.
fn best<'a, A: Arbitrate>(
    arbiter: &A,
    at: At,
    looks: &mut Looks,
    waiting: impl Iterator<Item = (ChannelId, &'a Packet)> + Clone,
) -> usize {
    if cfg!(debug_assertions) {
        looks.look(at.place, waiting.clone().map(|(c, p)| (at.key(arbiter, c, p), c)).collect());
    }
    // Of equals the first.
    let best =
        waiting.enumerate().min_by_key(|&(_, (input, packet))| at.key(arbiter, input, packet));
    best.map_or(0, |(position, _)| position)
}

/// Puts channels whose front packets ask at an allocator, given in the order in which they stand, in
/// order of service.
fn put_in_order<'a, A: Arbitrate>(
    arbiter: &A,
    at: At,
    looks: &mut Looks,
    asking: &mut [ChannelId],
    packet: impl Fn(ChannelId) -> &'a Packet,
) {
    let key = |&input: &ChannelId| at.key(arbiter, input, packet(input));
    if cfg!(debug_assertions) {
        looks.look(at.place, asking.iter().map(|input| (key(input), *input)).collect());
    }
    asking.sort_by_key(key);
}

/// A request has been granted.
#[inline]
fn granted<A: Arbitrate>(
    arbiter: &mut A,
    place: usize,
    looks: &mut Looks,
    (input, packet): (ChannelId, &Packet),
) {
    arbiter.granted(place, input, packet);
    if cfg!(debug_assertions) {
        looks.granted::<A>(place, input);
    }
}

/// In debug builds: in which order those who wait stood when their place last looked.
#[derive(Clone, Default)]
struct Looks {
    /// By place; empty in release builds.
    orders: Vec<Vec<ChannelId>>,
}

impl Looks {
    /// A place looks: who waited when it last did must still stand in that order.
    fn look(&mut self, place: usize, mut waiting: Vec<(Rank, ChannelId)>) {
        waiting.sort_by_key(|&(key, _)| key);
        let order: Vec<ChannelId> = waiting.into_iter().map(|(_, input)| input).collect();
        if self.orders.len() <= place {
            self.orders.resize(place + 1, Vec::new());
        }
        let before = &mut self.orders[place];
        let still: Vec<ChannelId> =
            order.iter().copied().filter(|input| before.contains(input)).collect();
        debug_assert_eq!(
            &still, before,
            "the arbiter has changed the order among those who wait at place {place}"
        );
        *before = order;
    }

    /// Who is granted does not wait any more.
    fn granted<A: Arbitrate>(&mut self, place: usize, input: ChannelId) {
        if let Some(order) = self.orders.get_mut(place) {
            if A::REORDERS {
                order.clear();
            } else {
                order.retain(|&other| other != input);
            }
        }
    }
}

macro_rules! make_chosen {
    ($($(#[$doc:meta])* $word:ident $name:ident,)*) => {
        /// All arbiters.
        #[derive(Clone)]
        enum Chosen {
            $($(#[$doc])* $name(kinds::$name),)*
        }

        impl Chosen {
            fn new(which: spec::Arbiter, places: &Places<'_>) -> Self {
                match which {
                    $(spec::Arbiter::$name => Self::$name(kinds::$name::new(places)),)*
                }
            }

            fn share(&mut self) {
                match self {
                    $(Self::$name(arbiter) => arbiter.share(),)*
                }
            }

            fn renew(&mut self, like: &Self, place: usize) {
                match (self, like) {
                    $((Self::$name(arbiter), Self::$name(like)) => arbiter.renew(like, place),)*
                    _ => debug_assert!(false, "arbiters of one machine"),
                }
            }

            /// Whether it takes the first, and whether grants may reorder those who wait.
            fn traits(&self) -> (bool, bool) {
                match self {
                    $(Self::$name(_) => (kinds::$name::TAKES_FIRST, kinds::$name::REORDERS),)*
                }
            }

            #[inline]
            fn joined(
                &self,
                place: usize,
                others: impl FnOnce() -> usize,
                packet: impl FnOnce() -> u64,
            ) -> Option<usize> {
                match self {
                    $(Self::$name(arbiter) => arbiter.joined(place, others, packet),)*
                }
            }

            #[inline]
            fn rank(&self, at: At, input: ChannelId, packet: &Packet) -> Rank {
                match self {
                    $(Self::$name(arbiter) => at.key(arbiter, input, packet),)*
                }
            }

            fn best<'a>(
                &self,
                at: At,
                looks: &mut Looks,
                waiting: impl Iterator<Item = (ChannelId, &'a Packet)> + Clone,
            ) -> usize {
                match self {
                    $(Self::$name(arbiter) => best(arbiter, at, looks, waiting),)*
                }
            }

            fn put_in_order<'a>(
                &self,
                at: At,
                looks: &mut Looks,
                asking: &mut [ChannelId],
                packet: impl Fn(ChannelId) -> &'a Packet,
            ) {
                match self {
                    $(Self::$name(arbiter) => put_in_order(arbiter, at, looks, asking, packet),)*
                }
            }

            #[inline]
            fn granted(&mut self, place: usize, looks: &mut Looks, of: (ChannelId, &Packet)) {
                match self {
                    $(Self::$name(arbiter) => granted(arbiter, place, looks, of),)*
                }
            }
        }
    };
}
arbiters!(make_chosen);

/// What it means to have come first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// Nothing: another may be better.
    Any,
    /// To be granted first.
    Granted,
    /// To be served first, at an allocator: granted what there is for it.
    Served,
}

/// The arbiters of all switches.
#[derive(Clone)]
pub struct Arbiter {
    chosen: Chosen,
    ack_priority: bool,
    first: First,
    reorders: bool,
    /// By channel: the place whose lead it is; what others have means nothing.
    place_of: Arc<[u32]>,
    looks: Looks,
}

impl Arbiter {
    /// Clones have in common what it keeps of places.
    pub fn share(&mut self) {
        self.chosen.share();
    }

    /// At the place whose lead a channel is, at which nobody waits, it goes on as another does.
    pub fn renew(&mut self, like: &Self, lead: ChannelId) {
        let place = self.place_of[lead.index()] as usize;
        self.chosen.renew(&like.chosen, place);
        if let Some(order) = self.looks.orders.get_mut(place) {
            order.clear();
        }
    }

    /// The arbiters of a machine whose packets ask at allocators, or at groups.
    pub fn new(machine: &Machine, layout: &Layout, are_allocators: bool, seed: u64) -> Self {
        let switch = &machine.switch;
        let groups = layout.groups.iter().map(|group| group.first);
        let leads: Vec<ChannelId> =
            if are_allocators { layout.allocators.clone() } else { groups.collect() };
        let turns = machine.ports.as_ref().map(|ports| inputs::by_port(ports, layout));
        let places = Places { count: leads.len(), seed, machine, turns: turns.unwrap_or_default() };
        let chosen = Chosen::new(switch.arbiter, &places);
        let (takes_first, reorders) = chosen.traits();
        let mut place_of = vec![0; layout.channels()];
        for (place, lead) in leads.iter().enumerate().filter(|(_, lead)| lead.is_some()) {
            place_of[lead.index()] = place as u32;
        }
        let first = match takes_first && !switch.ack_priority {
            false => First::Any,
            true if are_allocators => First::Served,
            true => First::Granted,
        };
        Self {
            chosen,
            ack_priority: switch.ack_priority,
            first,
            reorders,
            place_of: place_of.into(),
            looks: Looks::default(),
        }
    }

    #[inline]
    fn at(&self, lead: ChannelId) -> At {
        At { place: self.place_of[lead.index()] as usize, ack_priority: self.ack_priority }
    }

    /// Whether the request that came first is always granted first: it is the best, and has
    /// no choice.
    #[inline]
    pub fn takes_first(&self) -> bool {
        self.first == First::Granted
    }

    /// Whether an allocator always serves the request first that came first.
    #[inline]
    pub fn serves_first(&self) -> bool {
        self.first == First::Served
    }

    /// From now on requests are compared even if the first is always the best.
    pub fn compares_all(&mut self) {
        self.first = First::Any;
    }

    /// Whether an allocator has to look again after it has granted something.
    #[inline]
    pub fn reorders(&self) -> bool {
        self.reorders
    }

    /// A request joins those who wait at a group or allocator: behind how many of them it stands;
    /// none: behind all. `packet`: what its packet draws by ([`PacketPool::drawn_by`](crate::fabric::transit::PacketPool::drawn_by)).
    #[inline]
    pub fn joined(
        &self,
        lead: ChannelId,
        others: impl FnOnce() -> usize,
        packet: impl FnOnce() -> u64,
    ) -> Option<usize> {
        self.chosen.joined(self.at(lead).place, others, packet)
    }

    /// How good the request of an input, for a packet, is at a group: the lowest is the best, and of equals
    /// who stands before the others.
    #[inline]
    pub fn rank(&self, lead: ChannelId, input: ChannelId, packet: &Packet) -> Rank {
        self.chosen.rank(self.at(lead), input, packet)
    }

    /// Position of the best of the requests at a group, given in the order in which they stand, as the
    /// inputs whose front packets ask.
    pub fn best<'a>(
        &mut self,
        lead: ChannelId,
        waiting: impl Iterator<Item = (ChannelId, &'a Packet)> + Clone,
    ) -> usize {
        self.chosen.best(self.at(lead), &mut self.looks, waiting)
    }

    /// Puts channels whose front packets ask at an allocator, given in the order in which they stand,
    /// in order of service.
    pub fn put_in_order<'a>(
        &mut self,
        allocator: ChannelId,
        asking: &mut [ChannelId],
        packet: impl Fn(ChannelId) -> &'a Packet,
    ) {
        let at = self.at(allocator);
        self.chosen.put_in_order(at, &mut self.looks, asking, packet);
    }

    /// The request of an input, for a packet, has been granted, at a group or allocator.
    #[inline]
    pub fn granted(&mut self, lead: ChannelId, input: ChannelId, packet: &Packet) {
        let place = self.at(lead).place;
        self.chosen.granted(place, &mut self.looks, (input, packet));
    }

    /// The request of a channel is one at this place no more, and has not been granted.
    pub fn withdrawn(&mut self, lead: ChannelId, input: ChannelId) {
        let place = self.at(lead).place;
        if let Some(order) = self.looks.orders.get_mut(place) {
            order.retain(|&other| other != input);
        }
    }
}

#[cfg(test)]
mod tests;
