//! What cannot be simulated, each in one line.

use super::{FLIT, machine, marked, messages, spec};
use tailback_engine::Simulation;
use tailback_engine::spec::{
    Fidelity, FlowControl, LinkClass, Machine, RoutingSpec, Selection, Spec, Switching,
    TopologySpec,
};

fn line() -> Machine {
    machine(TopologySpec::Mesh { dims: vec![3] }, (22, 16, 16))
}

fn refusal(machine: Machine, fidelity: Fidelity) -> String {
    let spec = Spec { fidelity, ..spec(machine, messages(&[(0, 0, 1, 1)])) };
    Simulation::new(&spec).err().expect("refused").to_string()
}

fn says(change: impl Fn(&mut Machine), expected: &str) {
    let mut machine = line();
    change(&mut machine);
    let said = refusal(machine, Fidelity::Flit);
    assert!(said.contains(expected), "{said}");
}

/// 96 flits, and 43 that start in the 44 cycles until their sender knows.
#[test]
fn a_slack_that_can_overflow_is_refused() {
    says(
        |machine| machine.switch.input_buffer_flits = Some(138),
        "machine.switch.input_buffer_flits = 138: must be at least 139 flits with flow control \
         stop_go: the mark for STOP, 96 flits, and 43 flits that come before the STOP is there",
    );
    assert!(Simulation::new(&spec(marked(line(), (96, 64, 139)), messages(&[]))).is_ok());
    says(
        |machine| machine.switch.input_buffer_flits = None,
        "input_buffer_flits = unlimited: must be a number with flow control stop_go",
    );
    // Those of nodes are longer.
    let longer = LinkClass { delay_ps: Some(33 * FLIT), ..LinkClass::default() };
    says(|machine| machine.node_link = Some(longer), "must be at least 161 flits");
    says(|machine| machine.link.delay_ps = 0, "machine.link.delay_ps = 0: must be above 0");
}

#[test]
fn marks_in_the_wrong_order_are_refused() {
    let with = |marks| marked(line(), marks);
    let said = refusal(with((64, 96, 160)), Fidelity::Flit);
    let expected = "machine.link.go_mark_flits = 96: must be below the mark for STOP, 64 flits";
    assert_eq!(said, expected);
    assert!(refusal(with((0, 0, 160)), Fidelity::Flit).contains("stop_mark_flits = 0: must be 1"));
    let mut long = with((5, 1, 160));
    long.interface.header_bytes = 3;
    assert!(refusal(long, Fidelity::Flit).contains("must be at least 2, all but the last flit"));
}

#[test]
fn other_fidelities_are_refused() {
    for fidelity in [Fidelity::Worm, Fidelity::Packet, Fidelity::Stream, Fidelity::Token] {
        let mut machine = line();
        assert!(refusal(machine.clone(), fidelity).contains("regrant_delay_ps = 160: must be 0"));
        machine.switch.regrant_delay_ps = 0;
        let said = refusal(machine, fidelity);
        assert!(said.starts_with("machine.link.flow_control = stop_go: must be "), "{said}");
        assert!(said.ends_with("use flit"), "{said}");
    }
}

#[test]
fn what_goes_with_nothing_else_is_refused() {
    let no_through = |machine: &mut Machine| {
        (machine.switch.fall_through_ps, machine.switch.regrant_delay_ps) = (None, 0);
    };
    says(|machine| machine.switch.delay_ps = 1, "fall_through_ps = 160: must be left out with");
    says(|machine| machine.link.end_token = true, "must be left out with end tokens");
    says(|machine| machine.switch.fall_through_ps = Some(9), "fall_through_ps = 9: must be 10 to");
    says(
        |machine| {
            no_through(machine);
            machine.switch.switching = Switching::CutThrough;
        },
        "fidelity = flit: must be packet with switching cut_through",
    );
    says(
        |machine| {
            no_through(machine);
            machine.switch.integrated = true;
        },
        "flow_control = stop_go: must be out_of_band or in_band with switch.integrated",
    );
    says(
        |machine| {
            machine.routing.algorithm = RoutingSpec::MinimalAdaptive { order: Vec::new() };
            machine.switch.virtual_channels = 2;
        },
        "machine.routing = minimal_adaptive: must be one that does not ask how much room",
    );
    says(
        |machine| machine.routing.selection = Selection::MostCredit,
        "machine.routing.selection = most_credit: must be another with flow control stop_go",
    );
    // Without STOP and GO, times of switches are possible as well.
    let mut credits = line();
    credits.link.flow_control = FlowControl::OutOfBand;
    assert!(Simulation::new(&spec(credits, messages(&[(0, 0, 1, 1)]))).is_ok());
}
