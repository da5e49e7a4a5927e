//! What holds whatever is simulated.

use super::hand::symult;
use super::{EVERY, US, machine, side};
use crate::common::{Run, message_list, messages, program, spec, synthetic};
use tailback_engine::spec::*;

/// Random messages between nodes of a row.
fn traffic(nodes: u32, count: u32, bytes: u32) -> Messages {
    let mut state = 12_345_u64;
    let mut random = |below: u32| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(below)) as u32
    };
    let mut rows: Vec<_> = (0..count)
        .map(|_| (u64::from(random(2000)) * US, random(nodes), random(nodes), random(bytes)))
        .collect();
    rows.sort_unstable();
    messages(&rows)
}

fn run(machine: &Machine, workload: &Workload, mode: Mode, fidelity: Fidelity) -> Run {
    let mut run = Run::with(&Spec { fidelity, ..spec(machine.clone(), workload.clone(), mode) });
    run.finish();
    run
}

#[test]
fn costs_of_nothing_are_as_good_as_none() {
    let workload = Workload::Messages(traffic(5, 200, 2000));
    let none = Costs { receive_preempts: false, multi_packet_only: false, ..Costs::default() };
    for mode in EVERY {
        let with = run(&machine(5, none), &workload, mode, Fidelity::Packet);
        let mut without = machine(5, none);
        without.interface.costs = None;
        let without = run(&without, &workload, mode, Fidelity::Packet);
        assert_eq!(with.rows, without.rows);
        assert_eq!(with.simulation.counters(), without.simulation.counters());
    }
}

/// Messages of which times are added up.
const SENT: u32 = 100;

/// Every message is received, latencies are the sum of their parts, and CPUs do one thing at
/// a time.
#[test]
fn times_add_up() {
    let list = Workload::Messages(traffic(5, SENT, 2000));
    for overlap in [false, true] {
        for receive_preempts in [false, true] {
            for order in [MessageOrder::Fifo, MessageOrder::RoundRobin] {
                for window in [None, Some(1), Some(2)] {
                    let costs = Costs { overlap, receive_preempts, ..symult() };
                    let mut machine = machine(5, costs);
                    machine.interface.message_order = order;
                    machine.interface.window = window;
                    for mode in EVERY {
                        adds_up(&run(&machine, &list, mode, Fidelity::Packet));
                        adds_up(&run(&machine, &list, mode, Fidelity::Fluid));
                    }
                }
            }
        }
    }
}

fn adds_up(run: &Run) {
    let counters = run.simulation.counters();
    assert_eq!(counters.messages_delivered, u64::from(SENT));
    let parts = counters.latency_overhead_ps
        + counters.latency_wire_ps
        + counters.latency_throttling_ps
        + counters.latency_contention_ps;
    assert_eq!(parts, counters.message_latency_ps);
    let (mut computing, mut sending, mut receiving) = (0, 0, 0);
    for times in run.simulation.processor_times().unwrap() {
        assert!(times.computing + times.sending + times.receiving <= run.simulation.now());
        computing += times.computing;
        sending += times.sending;
        receiving += times.receiving;
    }
    assert_eq!(computing, counters.cpu_busy_ps);
    assert_eq!(sending, counters.cpu_sending_ps);
    assert_eq!(receiving, counters.cpu_receiving_ps);
}

/// CPU time is the same in every mode, whatever the network does; so are varied start-ups.
#[test]
fn costs_are_the_same_in_every_mode() {
    let list = Workload::Messages(traffic(5, 300, 2000));
    let variation_ps = 21 * US;
    let machine = machine(5, Costs { variation_ps, ..symult() });
    let of = |mode| {
        let counters = run(&machine, &list, mode, Fidelity::Packet).simulation.counters();
        (counters.cpu_sending_ps, counters.cpu_receiving_ps)
    };
    let ideal = of(Mode::Ideal);
    for mode in EVERY {
        assert_eq!(of(mode), ideal, "{mode:?}");
    }
    let mut fixed = machine.clone();
    fixed.interface.costs = Some(symult());
    let fixed = run(&fixed, &list, Mode::Ideal, Fidelity::Packet).simulation.counters();
    assert_ne!(fixed.cpu_sending_ps, ideal.0);
    assert!(fixed.cpu_sending_ps.abs_diff(ideal.0) < 300 * variation_ps);
}

#[test]
fn start_ups_vary_within_their_bounds() {
    let rows: Vec<_> = (0..200).map(|row| (row * 1000 * US, 0, 1, 1)).collect();
    let costs = Costs { send: side(100 * US, 0), variation_ps: 20 * US, ..Costs::default() };
    let run = run(&machine(2, costs), &message_list(&rows), Mode::Full, Fidelity::Packet);
    let start_up = |row: &tailback_engine::PacketRow| row.queued - 1000 * US * row.message;
    let drawn: Vec<u64> = run.data().iter().map(start_up).collect();
    let (least, most) = (drawn.iter().min().unwrap(), drawn.iter().max().unwrap());
    assert!((80 * US..83 * US).contains(least) && (117 * US..=120 * US).contains(most));
}

/// Saturated processes share their CPU with the software.
#[test]
fn synthetic_processes_pay_too() {
    for acknowledges in [false, true] {
        for mode in EVERY {
            let costs = Costs { overlap: true, ..symult() };
            let mut machine = machine(8, costs);
            machine.interface.acknowledges = acknowledges;
            let workload = Workload::Synthetic(synthetic(7, 100 * US, Sync::Asynchronous));
            let mut run = Run::new(machine, workload, mode);
            run.advance(20_000 * US);
            let times = run.simulation.processor_times().unwrap();
            let sum: u64 = times.iter().map(|t| t.computing + t.sending + t.receiving).sum();
            assert!(sum <= 8 * 20_000 * US && sum > 7 * 20_000 * US, "{mode:?}: {sum}");
            let counters = run.simulation.counters();
            assert!(counters.messages_delivered > 100);
            assert_eq!(counters.cpu_busy_ps, times.iter().map(|t| t.computing).sum::<u64>());
        }
    }
}

/// Nodes that are their own switches, however messages cross them.
#[test]
fn integrated_nodes_pay_too() {
    let list = Workload::Messages(traffic(8, 100, 600));
    for switching in
        [Switching::StoreAndForward, Switching::CutThrough, Switching::Circuit, Switching::Wormhole]
    {
        for overlap in [false, true] {
            let mut machine = machine(8, Costs { overlap, ..symult() });
            machine.topology = TopologySpec::Hypercube { dimensions: 3 };
            machine.switch.integrated = true;
            machine.switch.switching = switching;
            machine.switch.arbiter = Arbiter::Fifo;
            machine.interface.unit = Unit::Message;
            machine.interface.packet_bytes = 16_000_000;
            machine.interface.early_bytes = 16;
            let is_worm = switching == Switching::Wormhole;
            if is_worm {
                machine.switch.input_buffer_flits = Some(20);
            }
            let costs = machine.interface.costs.as_mut().unwrap();
            costs.multi_packet_only = false;
            let fidelities: &[Fidelity] =
                if is_worm { &[Fidelity::Worm, Fidelity::Flit] } else { &[Fidelity::Packet] };
            for &fidelity in fidelities {
                let sums = EVERY.map(|mode| {
                    let run = run(&machine, &list, mode, fidelity);
                    let counters = run.simulation.counters();
                    assert_eq!(counters.messages_delivered, 100, "{switching:?} {mode:?}");
                    (counters.cpu_sending_ps, counters.cpu_receiving_ps)
                });
                assert!(sums.iter().all(|&sum| sum == sums[4]), "{switching:?} {sums:?}");
            }
        }
    }
}

/// Messages of which one is not accepted let others of their node go before them.
#[test]
fn a_message_that_is_not_accepted_holds_up_no_other() {
    let process = |node, sockets, steps| ProcessProgram {
        node,
        start_ps: 0,
        start_window_ps: 0,
        repeat: Some(1),
        sockets,
        steps,
    };
    let send = |socket| Step::Send { process: 1, socket, bytes: 1000, blocking: false };
    let receive = |socket| Step::Receive { socket: Some(socket) };
    for acknowledges in [true, false] {
        let mut machine = machine(2, symult());
        machine.interface.acknowledges = acknowledges;
        machine.interface.window = Some(1);
        let processes = vec![
            process(0, vec![], vec![send(0), send(1)]),
            process(1, vec![Some(0), Some(0)], vec![receive(1), receive(0)]),
        ];
        let run = Run::to_the_end(machine, program(processes));
        assert_eq!(run.simulation.counters().messages_delivered, 2);
    }
}

/// However finely channels are simulated, by whatever switches: the same costs, and no message
/// is left behind.
#[test]
fn every_fidelity_tells_when_packets_have_left() {
    let list = Workload::Messages(traffic(5, 80, 2000));
    let pay = |machine: &mut Machine| {
        machine.interface.costs = Some(Costs { packet_interval_ps: 30 * US, ..symult() });
    };
    let ideal = run(&machine(5, symult()), &list, Mode::Ideal, Fidelity::Packet);
    let ideal = ideal.simulation.counters();
    let fidelities = [Fidelity::Token, Fidelity::Flit, Fidelity::Worm, Fidelity::Stream];
    for fidelity in [fidelities.as_slice(), &[Fidelity::Packet, Fidelity::Fluid]].concat() {
        for is_clocked in [false, true] {
            let mut machine = machine(5, symult());
            pay(&mut machine);
            if is_clocked && fidelity != Fidelity::Flit {
                continue;
            }
            let is_in_band = matches!(fidelity, Fidelity::Token | Fidelity::Stream);
            if is_in_band {
                machine.link.flow_control = FlowControl::InBand;
                machine.link.end_token = true;
            }
            machine.switch.input_buffer_flits = Some(40);
            if fidelity == Fidelity::Packet {
                machine.switch.input_buffer_flits = Some(600);
            }
            if is_clocked {
                machine.switch.arbiter = Arbiter::RoundRobin;
                machine.switch.pipeline =
                    Some(serde_json::from_str("{\"route_cycles\": 1}").unwrap());
            }
            for mode in [Mode::Full, Mode::Free] {
                let counters = run(&machine, &list, mode, fidelity).simulation.counters();
                assert_eq!(counters.messages_delivered, 80, "{fidelity:?} {mode:?}");
                assert_eq!(counters.cpu_sending_ps, ideal.cpu_sending_ps);
                assert_eq!(counters.cpu_receiving_ps, ideal.cpu_receiving_ps);
            }
        }
    }
}
