//! Which waiting input an output grants.

use crate::fabric::transit::Packet;
use crate::ids::{ChannelId, GroupId, SwitchId};
use crate::measure::Class;
use crate::rng::{Purpose, Stream};
use crate::spec::{self, Switch};
use crate::time::NEVER;

/// The queue policy of all switches, with the random streams it may need.
pub struct Arbiter {
    policy: spec::Arbiter,
    ack_priority: bool,
    /// One stream per group, or per switch where packets ask at desks; empty unless the
    /// policy is `random`.
    streams: Vec<Stream>,
    /// Whether the request that came first is granted wherever it asks.
    takes_first: bool,
    /// Whether a packet joins others at a desk at a place that is drawn.
    draws_places: bool,
}

impl Arbiter {
    /// The arbiter of a machine with so many places to ask at: desks, or groups.
    pub fn new(switch: &Switch, places: usize, are_desks: bool, seed: u64) -> Self {
        let streams = if switch.arbiter == spec::Arbiter::Random { places } else { 0 };
        Self {
            policy: switch.arbiter,
            ack_priority: switch.ack_priority,
            takes_first: switch.arbiter == spec::Arbiter::Fifo
                && !switch.ack_priority
                && !are_desks,
            draws_places: are_desks && switch.arbiter == spec::Arbiter::Random,
            streams: (0..streams as u32)
                .map(|place| Stream::new(seed, Purpose::Arbitration, place))
                .collect(),
        }
    }

    /// Whether the request that came first is always granted first: it is the best, and has
    /// no choice.
    #[inline]
    pub fn takes_first(&self) -> bool {
        self.takes_first
    }

    /// Position of the best of the waiting packets, given in order of request.
    pub fn best<'a>(
        &mut self,
        group: GroupId,
        waiting: impl Iterator<Item = &'a Packet> + Clone,
    ) -> usize {
        let (policy, ack_priority) = (self.policy, self.ack_priority);
        let key = |packet: &Packet| key(policy, ack_priority, packet);
        let Some(best) = waiting.clone().map(key).min() else { return 0 };
        let mut equals = waiting.enumerate().filter(|(_, packet)| key(packet) == best);
        let place = if self.policy == spec::Arbiter::Random {
            let count = equals.clone().count() as u64;
            self.streams[group.index()].below(count) as usize
        } else {
            0
        };
        equals.nth(place).map_or(0, |(position, _)| position)
    }

    /// Whether a packet joins others at a desk at a place that is drawn.
    #[inline]
    pub fn draws_places(&self) -> bool {
        self.draws_places
    }

    /// Behind how many of those that wait at a switch's desk a packet joins them.
    ///
    /// If all places are equally likely, so are all orders, whoever has been served before:
    /// the first who can be served is any of them.
    pub fn place(&mut self, switch: SwitchId, waiting: usize) -> usize {
        let stream = self.streams.get_mut(switch.index());
        stream.map_or(waiting, |stream| stream.below(waiting as u64 + 1) as usize)
    }

    /// Puts channels whose front packets ask, given in the order in which they wait, in
    /// order of service.
    pub fn put_in_order<'a>(
        &self,
        asking: &mut [ChannelId],
        packet: impl Fn(ChannelId) -> &'a Packet,
    ) {
        asking.sort_by_key(|&channel| key(self.policy, self.ack_priority, packet(channel)));
    }
}

/// Lower is better.
fn key(policy: spec::Arbiter, ack_priority: bool, packet: &Packet) -> (bool, u64) {
    let after = !(ack_priority && packet.class == Class::Ack);
    (after, rank(policy, packet))
}

/// Lower is better.
fn rank(policy: spec::Arbiter, packet: &Packet) -> u64 {
    match policy {
        spec::Arbiter::Fifo | spec::Arbiter::Random => 0,
        // A packet that no switch has sent to another comes from the node.
        spec::Arbiter::NetFirst => u64::from(packet.first_internal == NEVER),
        spec::Arbiter::OldestFirst => packet.queued,
        spec::Arbiter::HopsFirst => u64::MAX - u64::from(packet.hops),
    }
}
