//! What must add up in `stream`, and come out the same however a run is cut, under random
//! machines and workloads with links of one rate and buffers from the header up.

use super::{finished, outcome, random_cases, room_ps};
use crate::common::random::Dice;
use crate::reference::cases::{self, Kind};
use tailback_engine::fabric::Timing;
use tailback_engine::measure::{ChannelTally, Use};
use tailback_engine::spec::{Fidelity, Mode, Spec, Sync, Workload};
use tailback_engine::time::Time;
use tailback_engine::{Class, Counters, PacketRow, Sample, Simulation};

const SYNTHETIC: [Kind; 3] = [
    Kind::Synthetic(Sync::LooselySynchronous),
    Kind::Synthetic(Sync::AsynchronousBlocking),
    Kind::Synthetic(Sync::Asynchronous),
];

/// A machine and a workload of the T9000's kind, with acknowledgements mostly.
fn case(dice: &mut Dice, kind: Kind) -> Spec {
    let spec = cases::spec(dice, kind);
    let mut spec = Spec { mode: Mode::Full, fidelity: Fidelity::Stream, ..spec };
    spec.machine.interface.acknowledges = dice.chance(80);
    let link = &mut spec.machine.link;
    link.packet_gap_ps = dice.one_of(&[0, 0, 1, link.flit_ps * 7 / 10]);
    link.end_token = dice.chance(80);
    let room = spec.machine.switch.input_buffer();
    let rooms = [1, u64::from(room) / 3 + 1, u64::from(room), dice.number(1, room.into())];
    spec.machine.switch.input_buffer_flits = Some(dice.one_of(&rooms) as u32);
    let header = Timing::of(&spec.machine).header_ps;
    while room_ps(&spec) < header {
        *spec.machine.switch.input_buffer_flits.as_mut().unwrap() += 1;
    }
    spec
}

/// What channels did in a window, what was counted in it, and what is in flight at its end.
fn window(spec: &Spec, from: Time, until: Time) -> (Vec<(Use, ChannelTally)>, [Counters; 2], u64) {
    let mut simulation = Simulation::new(spec).unwrap();
    simulation.advance(from, u64::MAX).unwrap();
    simulation.begin_window();
    let before = simulation.counters();
    simulation.advance(until, u64::MAX).unwrap();
    let in_flight = simulation.packets_in_flight() as u64;
    (outcome(&mut simulation).1, [before, simulation.counters()], in_flight)
}

/// Sums over channels are the counters, in any window that cuts streams anywhere; packets
/// are delivered or in flight; and no channel is busy for more than all of the time.
#[test]
fn tables_add_up_to_the_counters_in_any_window() {
    let mut kept = 0;
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(500_000 + number);
        let spec = case(&mut dice, SYNTHETIC[number as usize % 3]);
        let packet = cases::packet_time(&spec.machine);
        let from = dice.number(0, 20 * packet);
        let length = dice.number(1, 60 * packet);
        let (channels, [before, after], in_flight) = window(&spec, from, from + length);
        let of = |f: fn(&Counters) -> u64| f(&after) - f(&before);
        let busy: Time = channels.iter().map(|(used, _)| used.busy_ps).sum();
        let counted = of(|c| c.busy_injection_ps + c.busy_internal_ps + c.busy_ejection_ps);
        assert_eq!(busy, counted, "case {number}");
        assert!(channels.iter().all(|(used, _)| used.busy_ps <= length), "case {number}");
        let packets: u64 = channels.iter().map(|(used, _)| u64::from(used.packets)).sum();
        assert_eq!(packets, of(|c| c.packet_hops), "case {number}");
        let [data, ack] = &after.packets;
        let missing = data.queued - data.delivered + ack.queued - ack.delivered;
        assert_eq!(missing, in_flight, "case {number}");
        kept += of(|c| c.held_internal_ps);
    }
    assert!(kept > 0, "streams never stop");
}

/// A list of messages comes to an end at any load: everything sent is delivered, and
/// lifetime = lifetime without contention + waits, for every packet and in sum.
#[test]
fn every_message_arrives_and_every_wait_is_charged_once() {
    let mut waited = 0;
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(600_000 + number);
        let spec = case(&mut dice, Kind::Messages);
        let Workload::Messages(list) = &spec.workload else { unreachable!() };
        let mut simulation = finished(&spec, dice.one_of(&[1, 7, u64::MAX]));
        let counters = simulation.counters();
        assert_eq!(counters.messages_delivered, list.time_ps.len() as u64, "case {number}");
        assert_eq!(counters.messages_acknowledged, list.time_ps.len() as u64, "case {number}");
        let bytes: u64 = list.bytes.iter().sum();
        assert_eq!(counters.bytes_delivered, bytes, "case {number}");
        let (rows, channels) = outcome(&mut simulation);
        let link = Timing::of(&spec.machine);
        let beyond = |row: &PacketRow| {
            let least = link.zero_load_lifetime(row.hops, row.bytes);
            (row.delivered - row.queued).checked_sub(least).unwrap()
        };
        let charged =
            |(_, tally): &(Use, ChannelTally)| tally.wait_throttling_ps + tally.wait_internal_ps;
        let waits: Time = channels.iter().map(charged).sum();
        assert_eq!(waits, rows.iter().map(beyond).sum::<Time>(), "case {number}");
        let [data, ack] = &counters.packets;
        let counted = [data, ack].map(|class| class.wait_throttling_ps + class.wait_internal_ps);
        assert_eq!(waits, counted[0] + counted[1], "case {number}");
        assert_eq!(data.caught_up_ps + ack.caught_up_ps, 0, "case {number}");
        busy_is_what_was_sent(&link, &rows, &counters);
        waited += waits;
    }
    assert!(waited > 0, "no packet ever waits");
}

/// Every channel sends all of every packet that it is granted to.
fn busy_is_what_was_sent(link: &Timing, rows: &[PacketRow], counters: &Counters) {
    let sent = |row: &PacketRow| Time::from(row.hops) * link.packet_ps(row.bytes);
    let busy = counters.busy_injection_ps + counters.busy_internal_ps + counters.busy_ejection_ps;
    assert_eq!(busy, rows.iter().map(sent).sum::<Time>());
    let of = |class| rows.iter().filter(|row| row.class == class).count() as u64;
    assert_eq!(counters.packets[0].delivered, of(Class::Data));
    assert_eq!(counters.packets[1].delivered, of(Class::Ack));
}

/// All that can be seen of a run up to an instant, gone through in so many pieces.
fn seen(spec: &Spec, until: Time, pieces: u64) -> (Vec<PacketRow>, Vec<Sample>, Counters, u64) {
    let mut simulation = Simulation::new(spec).unwrap();
    for piece in 1..=pieces {
        simulation.advance(until * piece / pieces, u64::MAX).unwrap();
    }
    let (rows, samples) = (simulation.take_packets(), simulation.take_samples());
    (rows, samples, simulation.counters(), simulation.events())
}

/// Past saturation, in any kind of workload, nothing comes to rest; the same specification
/// gives the same run, however it is cut; and samples are the counters of their instants.
#[test]
fn the_same_run_however_it_is_cut() {
    for number in 0..random_cases(200) {
        let mut dice = Dice::new(700_000 + number);
        let kind = if number % 4 == 3 { Kind::Exchange } else { SYNTHETIC[number as usize % 4] };
        let mut spec = case(&mut dice, kind);
        let until = 40 * cases::packet_time(&spec.machine);
        spec.sample_interval_ps = until / dice.number(2, 9) + 1;
        let run = seen(&spec, until, 1);
        assert_eq!(run, seen(&spec, until, 1), "case {number}");
        assert_eq!(run, seen(&spec, until, 23), "case {number}");
        let Some(sample) = run.1.get(dice.number(0, 8) as usize) else { continue };
        let mut counters = seen(&spec, sample.time, 1).2;
        // A kept channel is counted when its packet goes on, between samples or not.
        counters.held_internal_ps = sample.counters.held_internal_ps;
        assert_eq!(counters, sample.counters, "case {number} at {}", sample.time);
    }
}
