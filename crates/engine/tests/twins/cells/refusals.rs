//! What line cards cannot do is refused in one line.

use super::*;
use tailback_engine::Simulation;

fn refused(change: impl Fn(&mut Spec)) -> String {
    let mut spec = spec(machine(&[4, 2], 2), message_list(&[(0, 0, 1, 1)]), Mode::Full);
    change(&mut spec);
    Simulation::new(&spec).err().map_or_else(String::new, |error| error.to_string())
}

fn of_cells(change: impl Fn(&mut Cells)) -> String {
    refused(|spec| change(spec.machine.switch.cells.as_mut().unwrap()))
}

#[test]
fn what_they_cannot_do() {
    let with = "with switch.segmentation";
    assert_eq!(refused(|_| {}), "");
    for (said, expected) in [
        (
            refused(|s| s.fidelity = Fidelity::Fluid),
            format!("fidelity = fluid: must be packet {with}"),
        ),
        (
            refused(|s| s.machine.switch.switching = Switching::CutThrough),
            format!("machine.switch.switching = cut_through: must be store_and_forward {with}"),
        ),
        (
            refused(|s| s.machine.switch.input_buffer_flits = Some(4_000)),
            format!("machine.switch.input_buffer_flits = 4000: must be unlimited {with}"),
        ),
        (
            refused(|s| s.machine.interface.acknowledges = true),
            format!("machine.interface.acknowledges = true: must be false {with}"),
        ),
        (
            refused(|s| s.machine.interface.message_order = MessageOrder::RoundRobin),
            format!("machine.interface.message_order = round_robin: must be fifo {with}"),
        ),
        (
            refused(|s| s.machine.switch.arbiter = Arbiter::RoundRobin),
            format!("machine.switch.arbiter = round_robin: must be fifo {with}"),
        ),
        (
            refused(|s| s.machine.link.width = 2),
            format!("machine.node_link.width = 2: must be 1 {with}"),
        ),
        (
            refused(|s| s.machine.link.half_duplex = HalfDuplex::Flit),
            "machine.link.half_duplex = half_by_flit: must be full with switching \
             store_and_forward: packets cross wires as a whole"
                .into(),
        ),
        (
            refused(|s| {
                s.machine.routing.algorithm = RoutingSpec::MinimalAdaptive { order: vec![] };
                s.machine.switch.virtual_channels = 3;
            }),
            format!(
                "machine.routing = minimal_adaptive: must be one that gives a packet one output {with}"
            ),
        ),
        (
            of_cells(|cells| cells.cell_ps = 0),
            "machine.switch.cells.cell_ps = 0: must be 1 to 1000000000000".into(),
        ),
        (
            of_cells(|cells| cells.card_ps = 29_999),
            "machine.switch.cells.card_ps = 29999: must be 30000 to 1000000000000".into(),
        ),
        (
            of_cells(|cells| cells.pacing = Some(0)),
            "machine.switch.cells.pacing = 0: must be 1 to 65536".into(),
        ),
    ] {
        assert_eq!(said, expected);
    }
}
