use super::*;
use crate::ids::{MessageId, NodeId};
use crate::spec::TopologySpec;
use crate::time::Time;

/// What is done at the only place of an arbiter.
pub(super) struct Place<A> {
    arbiter: A,
    looks: Looks,
    packets: Vec<Packet>,
}

const AT: At = At { place: 0, ack_priority: false };

impl<A: Arbitrate> Place<A> {
    /// Inputs with packets that were queued at these times.
    pub fn new(queued: &[Time]) -> Self {
        let packet = |&queued: &Time| {
            let mut packet = Packet::new(Class::Data, MessageId(0), NodeId(0), NodeId(1));
            packet.queued = queued;
            packet
        };
        let machine = Machine::t9000(TopologySpec::Pair);
        let places = Places { count: 1, seed: 1, machine: &machine, turns: Vec::new() };
        let arbiter = A::new(&places);
        Self { arbiter, looks: Looks::default(), packets: queued.iter().map(packet).collect() }
    }

    /// The input that is granted of these, in order of joining.
    pub fn grant(&mut self, inputs: &[u32]) -> u32 {
        let packets = &self.packets;
        let waiting = inputs.iter().map(|&input| (ChannelId(input), &packets[input as usize]));
        let granted_input = inputs[best(&self.arbiter, AT, &mut self.looks, waiting)];
        let packet = &self.packets[granted_input as usize];
        granted(&mut self.arbiter, 0, &mut self.looks, (ChannelId(granted_input), packet));
        granted_input
    }

    /// All of these ask at an allocator: in which order they are served.
    pub fn order(&mut self, inputs: &[u32]) -> Vec<u32> {
        let mut asking: Vec<ChannelId> = inputs.iter().copied().map(ChannelId).collect();
        let packets = &self.packets;
        let packet = |input: ChannelId| &packets[input.index()];
        put_in_order(&self.arbiter, AT, &mut self.looks, &mut asking, packet);
        asking.into_iter().map(|input| input.0).collect()
    }
}

#[test]
fn the_best_is_granted_and_of_equals_who_joined_first() {
    let mut fifo = Place::<kinds::Fifo>::new(&[5, 3, 3]);
    assert_eq!((fifo.grant(&[2, 0, 1]), fifo.grant(&[0, 1])), (2, 0));
    let mut oldest = Place::<kinds::OldestFirst>::new(&[5, 3, 3]);
    assert_eq!((oldest.grant(&[0, 2, 1]), oldest.grant(&[0, 1])), (2, 1));
    assert_eq!(oldest.order(&[0, 1, 2]), [1, 2, 0]);
}

/// Breaks the promise: the order of those who wait turns round with every grant.
struct Fickle(bool);

impl Arbitrate for Fickle {
    fn new(_: &Places<'_>) -> Self {
        Self(false)
    }

    fn key(&self, _: usize, input: ChannelId, _: &Packet) -> u64 {
        if self.0 { u64::from(u32::MAX - input.0) } else { u64::from(input.0) }
    }

    fn granted(&mut self, _: usize, _: ChannelId, _: &Packet) {
        self.0 = !self.0;
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the arbiter has changed the order among those who wait at place 0")]
fn an_arbiter_that_changes_its_mind_is_found_out_at_a_group() {
    let mut fickle = Place::<Fickle>::new(&[0; 3]);
    fickle.grant(&[0, 1, 2]);
    fickle.grant(&[1, 2]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the arbiter has changed the order among those who wait at place 0")]
fn an_arbiter_that_changes_its_mind_is_found_out_at_a_allocator() {
    let mut fickle = Place::<Fickle>::new(&[0; 3]);
    fickle.order(&[0, 1]);
    // What happens at another place.
    let packet = fickle.packets[0];
    fickle.arbiter.granted(1, ChannelId(7), &packet);
    fickle.order(&[0, 1, 2]);
}
