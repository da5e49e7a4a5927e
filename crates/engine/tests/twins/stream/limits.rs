//! Where `stream` must agree with what can be worked out on paper, or with `worm`.

use super::{finished, outcome, random_cases, room_ps, small_case};
use crate::common::random::{Dice, in_proportion};
use crate::common::{self, MICROSECOND, message_list, synthetic};
use tailback_engine::Simulation;
use tailback_engine::measure::ChannelTally;
use tailback_engine::spec::{
    Distribution, Fidelity, FlowControl, Machine, Mode, Shape, Spec, Sync, TopologySpec, Workload,
};
use tailback_engine::time::Time;

fn spec(machine: Machine, workload: Workload, fidelity: Fidelity) -> Spec {
    let mut spec = Spec { fidelity, ..common::spec(machine, workload, Mode::Full) };
    spec.machine.link.flow_control = FlowControl::OutOfBand;
    spec
}

/// A header time and the delays for every switch, then all of the stream, then the wire.
#[test]
fn a_packet_alone_takes_its_zero_load_lifetime() {
    for (switches, header, bytes, end_token, gap, wire, switch_delay) in [
        (2, 1, 32, true, 0, 0, 0),
        (2, 1, 0, true, 0, 0, 0),
        (2, 1, 0, false, 0, 0, 3_000),
        (5, 1, 32, true, 0, 7_001, 11_003),
        (5, 2, 17, true, 12_345, 3, 0),
        (12, 3, 1, false, 1, 1, 1),
    ] {
        let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![switches] });
        machine.interface.header_bytes = header;
        machine.link.end_token = end_token;
        machine.link.packet_gap_ps = gap;
        machine.link.delay_ps = wire;
        machine.switch.delay_ps = switch_delay;
        let header = 100_000 * Time::from(header) + gap;
        let whole = header + 100_000 * Time::from(bytes) + if end_token { 40_000 } else { 0 };
        let list = message_list(&[(5, 0, switches - 1, bytes)]);
        let mut simulation = finished(&spec(machine, list, Fidelity::Stream), u64::MAX);
        let (rows, channels) = outcome(&mut simulation);
        let expected = Time::from(switches) * (header + wire + switch_delay) + whole + wire;
        assert_eq!(rows[0].delivered, 5 + expected, "{switches} switches");
        assert!(channels.iter().all(|(_, tally)| *tally == ChannelTally::default()));
    }
}

/// The events of a packet that nothing stops: its head at every switch, its end on every
/// channel, and head and tail at the node; so for its acknowledgement, whose head is not
/// reported. One more for the message.
#[test]
fn a_packet_alone_costs_two_events_per_hop() {
    let machine = Machine::t9000(TopologySpec::Mesh { dims: vec![6] });
    let list = message_list(&[(0, 0, 5, 32)]);
    let simulation = finished(&spec(machine, list, Fidelity::Stream), u64::MAX);
    let (switches, channels) = (6, 7);
    assert_eq!(simulation.events(), 1 + 2 * (switches + channels) + 2 + 1);
}

/// With room for everything no stream is ever stopped, whatever the load; then nothing of
/// a packet matters but its start and its end, and those are the same in `packet`. They are
/// in `worm` as well if its flits are never stopped either: if no credit is late, and the
/// end token is not longer than a flit, which would hold it up at every switch.
#[test]
fn with_room_for_everything_it_is_worm_and_packet() {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![4, 4] });
    machine.switch.input_buffer_flits = Some(12_000);
    machine.link.delay_ps = 23_456;
    let mut workload = synthetic(3, MICROSECOND, Sync::Asynchronous);
    workload.bytes = Distribution { shape: Shape::Exponential, mean: 30, relative_sigma: 0.0 };
    let run = |fidelity| {
        let spec = spec(machine.clone(), Workload::Synthetic(workload.clone()), fidelity);
        let mut simulation = Simulation::new(&spec).unwrap();
        simulation.advance(400 * MICROSECOND, u64::MAX).unwrap();
        (simulation.counters(), outcome(&mut simulation))
    };
    let stream = run(Fidelity::Stream);
    assert!(stream.1.0.len() > 1_000, "{}", stream.1.0.len());
    assert_eq!(stream, run(Fidelity::Packet));
    assert_eq!(stream, run(Fidelity::Worm));
}

/// In whole flit times `stream` is `worm`, with buffers from the header up and at any load:
/// then a stream flows or stands still for whole flit times, and there is room for one more
/// just when there is a credit. Every flit must be as long as another, the end token
/// included; credits must come back at once; and a flit must find the one before it gone
/// when it is there, so that a buffer holds one flit more than the delays. A group of
/// several channels must not choose the one with a credit, which `stream` does not.
#[test]
fn in_whole_flit_times_it_is_worm() {
    let mut kept = 0;
    for case in 300_000..300_000 + random_cases(1_000) {
        let mut dice = Dice::new(case);
        let mut spec = small_case(&mut dice);
        let link = &mut spec.machine.link;
        link.control_ps = link.flit_ps;
        link.packet_gap_ps = 0;
        link.credit_delay_ps = 0;
        let (flit, switch_delay) = (link.flit_ps, &mut spec.machine.switch.delay_ps);
        link.delay_ps = link.delay_ps / flit * flit;
        *switch_delay = *switch_delay / flit * flit;
        let delays = link.delay_ps + *switch_delay;
        link.width = 1;
        spec.machine.set_node_link(|class| class.width = Some(1));
        while room_ps(&spec) < delays + flit {
            *spec.machine.switch.input_buffer_flits.as_mut().unwrap() += 1;
        }
        let Workload::Messages(list) = &mut spec.workload else { unreachable!() };
        list.time_ps.iter_mut().for_each(|time| *time = *time / flit * flit);
        let stream = outcome(&mut finished(&spec, u64::MAX));
        let worm = Spec { fidelity: Fidelity::Worm, ..spec };
        assert_eq!(stream, outcome(&mut finished(&worm, u64::MAX)), "case {case}: stream, worm");
        kept += stream.1.iter().map(|channel| channel.1.kept_ps).sum::<Time>();
    }
    assert!(kept > in_proportion(100_000), "streams hardly ever stop: {kept}");
}

/// Mean lifetime of data packets on a loaded mesh of 8 by 8, in microseconds: over 17 ms, every
/// day over a fifth of that.
fn lifetime_us(fidelity: Fidelity, compute: Time, sync: Sync, buffer: u32) -> f64 {
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![8, 8] });
    machine.switch.input_buffer_flits = Some(buffer);
    let workload = Workload::Synthetic(synthetic(7, compute, sync));
    let mut simulation = Simulation::new(&spec(machine, workload, fidelity)).unwrap();
    let mut sums_at = |time| {
        simulation.advance(time, u64::MAX).unwrap();
        let data = simulation.counters().packets[0];
        (data.lifetime_ps, data.delivered)
    };
    let begin = 3_000 * MICROSECOND;
    let (before, after) = (sums_at(begin), sums_at(begin + random_cases(17_000) * MICROSECOND));
    (after.0 - before.0) as f64 / (after.1 - before.1) as f64 / MICROSECOND as f64
}

/// `cargo test --test stream loaded -- --nocapture` prints the numbers.
#[test]
fn on_a_loaded_mesh_it_comes_close_to_worm() {
    let (waits, never_waits) = (Sync::AsynchronousBlocking, Sync::Asynchronous);
    for (sync, compute, buffer) in [
        (waits, 40, 70),
        (waits, 10, 70),
        (waits, 1, 70),
        (waits, 1, 8),
        (never_waits, 1, 70),
        (never_waits, 1, 35),
        (never_waits, 1, 8),
    ] {
        let of = |fidelity| lifetime_us(fidelity, compute * MICROSECOND, sync, buffer);
        let (stream, worm) = (of(Fidelity::Stream), of(Fidelity::Worm));
        let difference = 100.0 * (stream / worm - 1.0);
        println!(
            "{sync:?}, c = {compute} us, buffers of {buffer} B: stream {stream:.3} us, \
             worm {worm:.3} us, {difference:+.2} %"
        );
        assert!(difference.abs() < 10.0, "{difference} %");
    }
}
