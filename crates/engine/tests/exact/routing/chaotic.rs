//! Routers that send packets away from their destinations: chaos and deflection.

use super::{burst, check_charges, distances, machine, mesh, torus};
use crate::common::random::random_cases;
use crate::common::{Run, packet_waits, spec};
use tailback_engine::spec::*;
use tailback_engine::topology::Topology;

/// Packets of a node that sends far more at once than the network can hold.
const EACH: u32 = 50;

/// Bursts far beyond what the network can hold, on several networks: everything arrives,
/// and some of it by detours.
#[test]
fn all_packets_arrive_in_the_end() {
    for routing in [RoutingSpec::Deflection, RoutingSpec::Chaos] {
        for topology in [mesh(&[6, 6]), torus(&[4, 5]), TopologySpec::Hypercube { dimensions: 4 }] {
            for tokens in [70, 140] {
                let machine = machine_of(&routing, &topology, tokens);
                let nodes = Topology::new(&topology).unwrap().nodes as u32;
                let spec = spec(machine, burst(nodes, EACH, 7), Mode::Full);
                let mut run = Run::with(&Spec { blame: Some(packet_waits()), ..spec });
                run.finish();
                check_charges(&mut run);
                assert_eq!(run.rows.len() as u32, nodes * EACH);
                let far = distances(run.simulation.topology());
                let detours = run.rows.iter().filter(|row| {
                    row.hops > far[row.source as usize][row.destination as usize] + 2
                });
                assert!(detours.count() > 0, "{routing:?} on {topology:?}: no detours");
            }
        }
    }
}

fn machine_of(routing: &RoutingSpec, topology: &TopologySpec, tokens: u32) -> Machine {
    let mut machine = machine(topology.clone(), routing.clone(), 1);
    machine.switch.input_buffer_flits = Some(tokens);
    machine.routing.selection = Selection::Random;
    machine
}

/// However many virtual channels share a wire, it sends one packet at a time.
#[test]
fn virtual_channels_take_turns_on_their_wire() {
    for routing in [RoutingSpec::Deflection, RoutingSpec::Chaos] {
        let mut machine = machine_of(&routing, &mesh(&[4, 4]), 70);
        machine.switch.virtual_channels = 4;
        let mut run = Run::new(machine, burst(16, 100, 3), Mode::Full);
        run.finish();
        let mut sending = std::collections::BTreeMap::<u32, u64>::new();
        let layout = run.simulation.layout();
        for (channel, done) in run.simulation.channels_used().iter().enumerate() {
            *sending.entry(layout.wire_of[channel].0).or_default() += done.busy_ps;
        }
        let until = run.simulation.now();
        assert!(sending.values().all(|&busy| busy <= until), "{routing:?}: {sending:?}");
    }
}

/// A million packets on the 2-D grid under deflection, every day a fifth of them: none goes about
/// for ever.
#[test]
fn packets_are_not_deflected_for_ever() {
    let mut machine = machine_of(&RoutingSpec::Deflection, &mesh(&[6, 6]), 70);
    machine.routing.hop_limit = 1_000;
    let each = random_cases(27_778);
    let mut workload = burst(36, each as u32, 11);
    let Workload::Messages(list) = &mut workload else { unreachable!() };
    // One every 300 ns: the channels are busy for a quarter of the time.
    (list.time_ps.iter_mut().zip(0..)).for_each(|(time, row)| *time = row * 300_000);
    let mut spec = spec(machine, workload, Mode::Full);
    spec.record_packets = false;
    let mut run = Run::with(&spec);
    run.finish();
    let counters = run.simulation.counters();
    assert_eq!(counters.packets[0].delivered, 36 * each);
    // Between random nodes it is 4 channels from switch to switch, and 2 to and from nodes.
    let hops = counters.packets[0].hops as f64 / counters.packets[0].delivered as f64;
    assert!((6.0..8.0).contains(&hops), "{hops}");
}
