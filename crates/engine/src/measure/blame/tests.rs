//! The observer alone, told by hand what happens in a network that is not there.
//!
//! Channels 0 and 1 lead from nodes to a switch, 2 from that to the next, 3 and 4 from there.

use super::Observation::*;
use super::*;
use crate::measure::packet::PacketRow;
use std::collections::BTreeMap;

const CHANNELS: u32 = 6;

/// What is known of packets: when each is ready, and by which output it goes on.
#[derive(Default)]
struct Known {
    ready: BTreeMap<PacketId, Time>,
    output: BTreeMap<PacketId, ChannelId>,
}

impl Ways for Known {
    fn ready(&self, packet: PacketId) -> Time {
        self.ready[&packet]
    }

    fn goes_on(&self, _: ChannelId) -> bool {
        true
    }

    fn output(&self, packet: PacketId, _: ChannelId) -> ChannelId {
        self.output[&packet]
    }

    fn takes(&self, _: PacketId, _: ChannelId) -> Time {
        4
    }
}

struct Told {
    blame: Blame,
    known: Known,
}

impl Told {
    fn new(change: impl Fn(&mut Queues)) -> Self {
        let of = (0..CHANNELS).map(ChannelId).collect();
        let (wires, lists) = (Vec::new(), 0);
        let mut queues = Queues {
            fronts: Vec::new(),
            of,
            wires,
            lists,
            nodes: vec![NodeId::NONE; CHANNELS as usize],
            have_receivers: false,
            have_buffers: true,
            are_in_order: false,
            have_heads: false,
        };
        change(&mut queues);
        let keeps = Keeps { packets: true, all_turns: false };
        let blame = Blame::new(queues, 1_000, keeps, Victims::default());
        Self { blame, known: Known::default() }
    }

    /// Packet `number`, of class 10 and so many, is queued.
    fn queued(&mut self, now: Time, number: u32, queue: u32) -> PacketId {
        let id = PacketId(number);
        self.blame.queued(id, (10 + number, true), || ChannelId(queue), now);
        self.known.ready.insert(id, now);
        id
    }

    fn at(&mut self, now: Time, what: Observation) {
        self.blame.observe(what, now, &self.known, None);
    }

    /// A packet that has crossed channels is ready at `ready` for `output`.
    fn goes_on(&mut self, packet: PacketId, ready: Time, output: u32) {
        self.known.ready.insert(packet, ready);
        self.known.output.insert(packet, ChannelId(output));
    }

    /// A packet is delivered after so much waiting: its charges as channel, cause, culprit and
    /// time.
    fn charges(&mut self, packet: PacketId, waited: Time) -> Vec<(u32, Cause, u32, Time)> {
        let row = PacketRow {
            class: Class::Data,
            message: 0,
            source: 0,
            destination: 0,
            bytes: 0,
            hops: 0,
            queued: 100,
            first_sent: 0,
            first_internal: 0,
            delivered: 200 + waited,
        };
        self.blame.delivered(packet, &row, (true, 100), None);
        let charged = self.blame.packets.as_mut().and_then(Vec::pop).expect("charges are kept");
        let row = |c: &Charge| (c.channel.0, c.cause, c.culprit, c.time);
        charged.charges.iter().map(row).collect()
    }
}

fn channel(number: u32) -> ChannelId {
    ChannelId(number)
}

#[test]
fn who_had_the_output_before_is_charged_and_then_who_was_granted_it_before() {
    let mut told = Told::new(|_| ());
    let [first, second, third] =
        [(0, 0), (1, 1), (2, 5)].map(|(n, queue)| told.queued(0, n, queue));
    for (packet, from, ready) in [(first, 0, 2), (second, 1, 3), (third, 5, 5)] {
        told.at(0, RunsThrough { packet, channel: channel(from), until: 10 });
        told.goes_on(packet, ready, 2);
    }
    told.at(2, RunsThrough { packet: first, channel: channel(2), until: 12 });
    told.at(3, Asked { packet: second, queue: channel(2) });
    told.at(5, Asked { packet: third, queue: channel(2) });
    // Whose turn begins when the first's has ended.
    told.at(12, RunsThrough { packet: third, channel: channel(2), until: 20 });
    told.at(21, RunsThrough { packet: second, channel: channel(2), until: 30 });
    assert_eq!(told.charges(first, 0), []);
    assert_eq!(told.charges(third, 7), [(2, Cause::OutputBusy, 10, 7)]);
    let [busy, passed, room] = told.charges(second, 18)[..] else { panic!() };
    assert_eq!(busy, (2, Cause::OutputBusy, 10, 9));
    assert_eq!(passed, (2, Cause::Arbitration, 12, 8));
    // For a credit on its way, as nobody is in the buffer.
    assert_eq!(room, (2, Cause::BufferFull, 11, 1));
}

/// The first stands behind nobody at the end of channel 2 and waits for 3, which the holder has;
/// it fills the buffer for the second, which keeps 2 from the third: the holder is the one that does not wait.
#[test]
fn who_does_not_wait_is_charged_for_a_full_buffer() {
    let mut told = Told::new(|_| ());
    let holder = told.queued(0, 9, 5);
    told.at(0, Granted { packet: holder, channel: channel(3) });
    told.at(0, Started { packet: holder, channel: channel(3), start: 0 });
    told.goes_on(holder, 90, 4);
    let [first, second, third] =
        [(0, 0), (1, 1), (2, 5)].map(|(n, queue)| told.queued(0, n, queue));
    told.at(0, RunsThrough { packet: first, channel: channel(2), until: 3 });
    told.goes_on(first, 4, 3);
    told.at(4, Asked { packet: first, queue: channel(3) });
    told.at(5, Granted { packet: second, channel: channel(2) });
    told.at(5, LacksRoom { packet: second, channel: channel(2), keeps: ChannelId::NONE });
    told.at(5, RunsThrough { packet: third, channel: channel(1), until: 6 });
    told.goes_on(third, 6, 2);
    told.at(6, Asked { packet: third, queue: channel(2) });
    told.at(20, Left { channel: channel(3), at: 20 });
    told.at(20, RunsThrough { packet: first, channel: channel(3), until: 30 });
    told.at(25, Started { packet: second, channel: channel(2), start: 25 });
    told.at(29, Left { channel: channel(2), at: 29 });
    told.at(29, RunsThrough { packet: third, channel: channel(2), until: 40 });
    assert_eq!(told.charges(first, 16), [(3, Cause::OutputBusy, 19, 16)]);
    let [throttled, full] = told.charges(second, 25)[..] else { panic!() };
    assert_eq!(throttled, (2, Cause::Throttling, 10, 3));
    assert_eq!(full, (2, Cause::BufferFull, 19, 22));
    let [.., busy] = told.charges(third, 28)[..] else { panic!() };
    assert_eq!(busy, (2, Cause::OutputBusy, 11, 23));
}

/// One behind another in a buffer has waited for that one to leave it, whatever it waits for next.
#[test]
fn who_stands_behind_another_is_charged_to_it() {
    let mut told = Told::new(|_| ());
    let [first, second] = [0, 1].map(|number| told.queued(0, number, 0));
    told.at(0, RunsThrough { packet: first, channel: channel(2), until: 4 });
    told.at(4, RunsThrough { packet: second, channel: channel(2), until: 8 });
    told.goes_on(first, 9, 3);
    told.goes_on(second, 6, 4);
    told.at(9, Granted { packet: first, channel: channel(3) });
    told.at(9, Started { packet: first, channel: channel(3), start: 9 });
    told.at(13, Left { channel: channel(3), at: 13 });
    told.at(13, Cleared { buffer: channel(2), at: 13 });
    told.at(13, Asked { packet: second, queue: channel(4) });
    told.at(13, RunsThrough { packet: second, channel: channel(4), until: 17 });
    assert_eq!(
        told.charges(second, 11),
        [(2, Cause::Throttling, 10, 4), (4, Cause::HeadOfLine, 10, 7)]
    );
}

/// A packet that has not started waits for a wire, and flits of one that has are slowed: it need
/// not wait for anything else, whoever had its number before.
#[test]
fn a_wire_used_by_another_is_waited_for() {
    let mut told = Told::new(|_| ());
    let user = told.queued(0, 5, 5);
    told.at(0, RunsThrough { packet: user, channel: channel(4), until: 9 });
    for begin in [0, 100] {
        let packet = told.queued(begin, 0, 0);
        told.at(begin, LacksWire { packet, channel: channel(0), user: channel(4) });
        told.at(begin + 3, Granted { packet, channel: channel(0) });
        told.at(begin + 3, Started { packet, channel: channel(0), start: begin + 3 });
        told.at(begin + 4, LacksWire { packet, channel: channel(0), user: channel(4) });
        told.at(begin + 9, Left { channel: channel(0), at: begin + 9 });
        let [wire, stretched] = told.charges(packet, 7)[..] else { panic!() };
        assert_eq!(wire, (0, Cause::SharedWire, 15, 3));
        assert_eq!(stretched, (0, Cause::Stretched, 15, 4));
    }
}

/// Packets that are sent as a whole from the queue of a channel, in the order in which they have
/// come there.
#[test]
fn whole_packets_wait_for_those_that_are_sent_before_them() {
    let mut told = Told::new(|queues| queues.have_buffers = false);
    let packets = [0, 1, 2].map(|number| told.queued(0, number, 0));
    let way = packets.into_iter().zip([0, 2, 4]).zip([4, 14, 24]);
    for ((packet, ready), _) in way.clone() {
        let first = Sent { packet, channel: channel(0), ready, start: ready, until: ready + 2 };
        told.at(ready, first);
    }
    for ((packet, before), start) in way {
        let (channel, ready) = (channel(3), before + 2);
        told.at(ready, LinedUp { packet, channel, from: ready });
        told.at(start, Sent { packet, channel, ready, start, until: start + 10 });
    }
    assert_eq!(told.charges(packets[0], 2), [(3, Cause::BufferFull, 10, 2)]);
    assert_eq!(told.charges(packets[1], 10), [(3, Cause::OutputBusy, 10, 10)]);
    assert_eq!(
        told.charges(packets[2], 18),
        [(3, Cause::OutputBusy, 10, 8), (3, Cause::OutputBusy, 11, 10)]
    );
}

/// What is told of a packet that starts later may not make forgotten what one told of after it
/// waits for.
#[test]
fn turns_told_of_beforehand_are_known_to_those_that_are_ready_sooner() {
    let mut told = Told::new(|queues| queues.have_buffers = false);
    let packets = [0, 1, 2].map(|number| told.queued(0, number, number));
    let times = [(0, 2, 2, 10), (0, 20, 20, 30), (1, 3, 30, 32)];
    for (packet, (now, ready, start, until)) in packets.into_iter().zip(times) {
        told.at(now, Sent { packet, channel: channel(3), ready, start, until });
    }
    let throttling = |culprit, time| (3, Cause::Throttling, culprit, time);
    assert_eq!(told.charges(packets[2], 27), [throttling(10, 7), throttling(11, 20)]);
}

/// Two circuits that wait for each other, until a channel is taken from one of them.
#[test]
fn a_channel_taken_in_vain_is_charged_to_who_took_it() {
    let mut told = Told::new(|queues| (queues.have_buffers, queues.have_heads) = (false, true));
    let [first, second] = [(0, 0), (1, 1)].map(|(n, queue)| told.queued(0, n, queue));
    for (packet, first, next) in [(first, 2, 3), (second, 3, 2)] {
        told.at(0, HeaderAsks { packet, output: channel(first) });
        told.at(0, Held { packet, channel: channel(first) });
        told.goes_on(packet, 5, next);
        told.at(5, HeaderAsks { packet, output: channel(next) });
    }
    told.at(6, Lost { packet: second, to: first });
    told.at(6, Left { channel: channel(3), at: 6 });
    told.at(6, Held { packet: first, channel: channel(3) });
    // What it had crossed has been time in which it waited.
    told.goes_on(second, 0, 3);
    told.at(8, HeaderAsks { packet: second, output: channel(3) });
    told.at(20, Left { channel: channel(3), at: 20 });
    told.at(20, Held { packet: second, channel: channel(3) });
    // When it asked, the other did not wait yet.
    assert_eq!(told.charges(first, 1), [(3, Cause::OutputBusy, 11, 1)]);
    assert_eq!(
        told.charges(second, 20),
        [(3, Cause::Arbitration, 10, 8), (3, Cause::OutputBusy, 10, 12)]
    );
}
