//! Random cases against the twin.

use super::*;
use crate::common::dice::Dice;

/// A random machine whose nodes neither acknowledge nor wait.
fn random_machine(dice: &mut Dice) -> Machine {
    let topology = match dice.below(5) {
        0 => TopologySpec::Star { nodes: 2 + dice.below(8) as u32 },
        1 => TopologySpec::Mesh { dims: vec![2 + dice.below(8) as u32] },
        2 => TopologySpec::Torus { dims: vec![3 + dice.below(6) as u32] },
        _ => TopologySpec::Mesh { dims: vec![2 + dice.below(3) as u32, 1 + dice.below(4) as u32] },
    };
    let mut machine = machine(topology);
    if matches!(machine.topology, TopologySpec::Torus { .. }) {
        machine.switch.virtual_channels = 2;
    }
    machine.link.flit_ps = dice.one_of(&[1, 10, 1_000, 1_003]);
    machine.link.end_token = dice.below(2) == 1;
    machine.link.control_ps = 1 + dice.below(machine.link.flit_ps);
    machine.link.delay_ps = dice.below(20_000);
    machine.link.width = dice.one_of(&[1, 1, 1, 2]);
    machine.switch.delay_ps = dice.below(20_000);
    machine.switch.input_buffer_flits = None;
    machine.interface.packet_bytes = dice.one_of(&[16, 64, 1 << 20]);
    machine.interface.message_order = dice.one_of(&[MessageOrder::Fifo, MessageOrder::RoundRobin]);
    let width = dice.one_of(&[1, 1, machine.link.width]);
    let flit_ps = dice.one_of(&[1, 1, 3, 4]) * machine.link.flit_ps;
    machine.set_node_link(|class| (class.width, class.flit_ps) = (Some(width), Some(flit_ps)));
    if dice.below(2) == 1 {
        machine.set_node_link(|class| class.control_ps = Some(1 + dice.below(40 * flit_ps)));
    }
    if dice.below(3) == 0 {
        machine.interface.drain_byte_ps = Some(1 + dice.below(3 * flit_ps));
    }
    if dice.below(4) == 0 {
        machine.link.half_duplex = HalfDuplex::Flit;
    }
    machine
}

fn case(number: u64) -> Spec {
    let mut dice = Dice::new(number);
    let machine = random_machine(&mut dice);
    let nodes = tailback_engine::topology::Topology::new(&machine.topology).unwrap().nodes as u64;
    let span = machine.link.flit_ps * dice.one_of(&[1, 300, 3_000]);
    let mut rows: Vec<_> = (0..=dice.below(40))
        .map(|_| {
            let from = dice.below(nodes);
            let to = (from + 1 + dice.below(nodes - 1)) % nodes;
            (dice.below(span), from as u32, to as u32, dice.below(400) as u32)
        })
        .collect();
    rows.sort_unstable();
    let mode = dice.one_of(&[Mode::Full, Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free]);
    Spec { fidelity: Fidelity::Fluid, ..spec(machine, message_list(&rows), mode) }
}

fn cases() -> u64 {
    let share = std::env::var("TAILBACK_CASES").ok().and_then(|text| text.parse::<f64>().ok());
    (10_000.0 * share.unwrap_or(0.2)) as u64
}

#[test]
fn as_if_everything_were_worked_out_again() {
    for number in 0..cases() {
        let spec = case(number);
        let mut run = Run::with(&spec);
        let expected = twin::deliveries(&spec, run.simulation.wiring());
        run.finish();
        let data = run.data();
        let delivered: Vec<_> =
            data.iter().map(|p| (p.message, p.first_sent, p.delivered)).collect();
        let mut sorted = delivered.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "case {number}: {spec:?}");
        // Every wait is told of one channel.
        let counters = run.simulation.counters();
        let waits = counters.packets[0].wait_throttling_ps + counters.packets[0].wait_internal_ps;
        assert_eq!(run.waits(), waits, "case {number}");
        let bytes: u64 = data.iter().map(|packet| u64::from(packet.bytes)).sum();
        assert_eq!(bytes, counters.bytes_delivered, "case {number}");
    }
}
