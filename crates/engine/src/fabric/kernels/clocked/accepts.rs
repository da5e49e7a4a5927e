//! What switches that run by a clock need.

use crate::error::SpecError;
use crate::fabric::check::within;
use crate::fabric::network::layout::{End, Layout};
use crate::fabric::network::wiring::Wiring;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{
    Allocator, Arbiter, Fidelity, FlowControl, HalfDuplex, LinkClass, Machine, Pipeline, Selection,
    Sharing, Switching, TopologySpec,
};
use crate::time::Time;
use std::collections::HashMap;

/// Most cycles of a stage, and most flits that an input or output moves at once.
const MOST: u64 = 64;

/// Most inputs, outputs or slots of a switch: they are numbered in 16 bits.
const MOST_INPUTS: usize = u16::MAX as usize;

/// Refuses machines whose switches cannot run by a clock.
pub fn accepts(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let Some(pipeline) = machine.switch.pipeline else {
        let given = machine.switch.node_virtual_channels;
        if given == 1 {
            return Ok(());
        }
        let allowed = "must be 1 without switch.pipeline";
        return Err(SpecError::new("machine.switch.node_virtual_channels", given, allowed));
    };
    let (link, switch) = (&machine.link, &machine.switch);
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} with switch.pipeline")))
    };
    if switch.integrated {
        return refuse("machine.switch.integrated", "true", "must be false");
    }
    if switch.switching != Switching::Wormhole {
        let given = switch.switching.name();
        return refuse("machine.switch.switching", given, "must be wormhole");
    }
    if switch.is_unbounded() {
        return refuse("machine.switch.input_buffer_flits", "unlimited", "must be a number");
    }
    if link.flow_control != FlowControl::OutOfBand {
        let given = link.flow_control.name();
        return refuse("machine.link.flow_control", given, "must be out_of_band");
    }
    if link.end_token {
        return refuse("machine.link.end_token", "true", "must be false");
    }
    if link.sharing != Sharing::RoundRobin {
        return refuse("machine.link.sharing", link.sharing.name(), "must be round_robin");
    }
    let classes = machine.link_classes.values().chain(&machine.node_link);
    let mut halves = classes.filter_map(|class| class.half_duplex).chain([link.half_duplex]);
    if let Some(half) = halves.find(|&half| half != HalfDuplex::No) {
        return refuse("machine.link.half_duplex", half.name(), "must be full");
    }
    if machine.interface.header_bytes > link.flit_bytes {
        let given = machine.interface.header_bytes.to_string();
        return refuse("machine.interface.header_bytes", &given, "must be one flit");
    }
    arbiter(switch.arbiter, &pipeline)?;
    if switch.ack_priority {
        return refuse("machine.switch.ack_priority", "true", "must be false");
    }
    let selection = machine.routing.selection;
    if selection != Selection::First {
        return refuse("machine.routing.selection", selection.name(), "must be first");
    }
    let nothing = [
        ("machine.link.packet_gap_ps", link.packet_gap_ps),
        ("machine.switch.delay_ps", switch.delay_ps),
    ];
    for (field, given) in nothing {
        if given > 0 {
            return refuse(field, &given.to_string(), "must be 0");
        }
    }
    whole_cycles("machine.link.credit_delay_ps", link.credit_delay_ps, link.flit_ps)?;
    stages(&pipeline)?;
    // Last: where no fidelity is possible, what is in its way has been named.
    if fidelity == Fidelity::Flit {
        Ok(())
    } else {
        refuse("fidelity", fidelity.name(), "must be flit")
    }
}

/// Arbiters that allocators can have: some have none but turns.
fn arbiter(arbiter: Arbiter, pipeline: &Pipeline) -> Result<(), SpecError> {
    use Allocator::{SeparableInputFirst, SeparableOutputFirst, Wavefront};
    let suit: &[Allocator] = match arbiter {
        Arbiter::RoundRobin => return Ok(()),
        Arbiter::Priority | Arbiter::Fifo | Arbiter::OldestFirst => {
            &[SeparableInputFirst, SeparableOutputFirst, Wavefront]
        }
        Arbiter::LeastRecentlyGranted => &[SeparableInputFirst, SeparableOutputFirst],
        _ => &[],
    };
    if [pipeline.allocator, pipeline.vc_allocator].iter().all(|one| suit.contains(one)) {
        return Ok(());
    }
    let names: Vec<&str> = suit.iter().map(|one| one.name()).collect();
    let allowed = if names.is_empty() {
        "must be round_robin, least_recently_granted, fifo, oldest_first or priority".to_string()
    } else {
        format!("needs allocators that can have it ({})", names.join(", "))
    };
    let allowed = format!("{allowed} with switch.pipeline");
    Err(SpecError::new("machine.switch.arbiter", arbiter.name(), allowed))
}

fn stages(pipeline: &Pipeline) -> Result<(), SpecError> {
    let ranges = [
        ("route_cycles", pipeline.route_cycles, 0),
        ("traversal_cycles", pipeline.traversal_cycles, 1),
        ("vc_iterations", pipeline.vc_iterations, 1),
        ("iterations", pipeline.iterations, 1),
        ("input_speedup", pipeline.input_speedup, 1),
        ("output_speedup", pipeline.output_speedup, 1),
        ("speedup_cycles", pipeline.speedup_cycles, 1),
    ];
    for (name, given, least) in ranges {
        within(&format!("machine.switch.pipeline.{name}"), given.into(), least, MOST)?;
    }
    let (steps, cycles) = (pipeline.internal_speedup.into(), pipeline.speedup_cycles.into());
    within("machine.switch.pipeline.internal_speedup", steps, cycles, MOST * cycles)?;
    if pipeline.in_batches && pipeline.output_buffer_flits.is_some() && !pipeline.sees_output_buffer
    {
        let allowed = "must be false with an output buffer that is looked at for later";
        return Err(SpecError::new("machine.switch.pipeline.in_batches", "true", allowed));
    }
    let flits = pipeline.output_buffer_flits.unwrap_or(1);
    within("machine.switch.pipeline.output_buffer_flits", flits.into(), 1, 1 << 16)?;
    let shared = pipeline.shared_buffer_flits;
    within("machine.switch.pipeline.shared_buffer_flits", shared.into(), 0, 1 << 16)
}

/// Refuses networks that switches which run by a clock cannot have.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let Some(pipeline) = machine.switch.pipeline else { return Ok(()) };
    if machine.topology == TopologySpec::Pair {
        let allowed = "must have switches with switch.pipeline";
        return Err(SpecError::new("machine.topology", "pair", allowed));
    }
    let most = most_inputs(&wiring.layout, pipeline.input_speedup as usize);
    if most > MOST_INPUTS {
        let given = format!("{most} inputs at a switch");
        let allowed = format!(
            "must have at most {MOST_INPUTS}, wires times virtual channels or speedup, with \
             switch.pipeline"
        );
        return Err(SpecError::new("machine.topology", given, allowed));
    }
    if wiring.routing.properties().otherwise != Otherwise::Wait {
        let allowed = "must be one whose packets wait with switch.pipeline";
        let name = machine.routing.algorithm.name();
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    if pipeline.port_order.by_dimension() {
        by_dimension(machine)?;
    }
    if pipeline.keeps_channel {
        keeps_channel(machine, wiring)?;
    }
    let cycle = machine.link.flit_ps;
    for timing in &wiring.timings {
        if timing.flit_ps != cycle {
            let allowed = format!("must be a cycle, {cycle}, everywhere with switch.pipeline");
            return Err(SpecError::new("machine.link.flit_ps", timing.flit_ps, allowed));
        }
        whole_cycles("machine.link.delay_ps", timing.wire_ps, cycle)?;
    }
    Ok(())
}

/// Packets keep the number of their virtual channel to their node, where there is one of each
/// number that links have.
fn keeps_channel(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let switch = &machine.switch;
    let is_one = machine.link.width == 1 && machine.node_width() == 1;
    if is_one && wiring.shares.is_one() && switch.node_virtual_channels >= switch.virtual_channels {
        return Ok(());
    }
    let allowed = "needs links of one wire each, without traffic classes of their own virtual \
                   channels, and at least switch.virtual_channels at nodes";
    Err(SpecError::new("machine.switch.pipeline.keeps_channel", "true", allowed))
}

/// Ports that go by dimension are those of grids, of which each is a wire.
fn by_dimension(machine: &Machine) -> Result<(), SpecError> {
    use TopologySpec::{ConcentratedMesh, ConcentratedTorus, Mesh, Torus};
    let is_grid = matches!(
        machine.topology,
        Mesh { .. } | Torus { .. } | ConcentratedMesh { .. } | ConcentratedTorus { .. }
    );
    let field = "machine.switch.pipeline.port_order";
    if !is_grid {
        return Err(SpecError::new(field, "dimensions", "must be another: there is no grid"));
    }
    let mut classes = machine.link_classes.values();
    let has_several = |class: &LinkClass| class.width.is_some_and(|width| width > 1);
    if machine.link.width > 1 || classes.any(has_several) {
        let allowed = "needs links of one wire each (machine.link.width = 1)";
        return Err(SpecError::new(field, "dimensions", allowed));
    }
    Ok(())
}

/// The most inputs, outputs or slots that any switch has: its wires times the virtual channels that
/// any wire has, or times the speedup.
fn most_inputs(layout: &Layout, input_speedup: usize) -> usize {
    let mut lanes = vec![0_usize; layout.channels()];
    for wire in &layout.wire_of {
        lanes[wire.index()] += 1;
    }
    let mut wires: HashMap<(bool, u32), usize> = HashMap::new();
    for (channel, _) in lanes.iter().enumerate().filter(|(_, lanes)| **lanes > 0) {
        let group = layout.group(ChannelId::from_index(channel));
        if let End::Switch(switch) = group.end {
            *wires.entry((true, switch.0)).or_default() += 1;
        }
        if group.kind != ChannelKind::Injection {
            *wires.entry((false, group.from)).or_default() += 1;
        }
    }
    let most = wires.into_values().max().unwrap_or(0);
    most * lanes.into_iter().max().unwrap_or(1).max(input_speedup)
}

fn whole_cycles(field: &str, given: Time, cycle: Time) -> Result<(), SpecError> {
    if given.is_multiple_of(cycle) {
        return Ok(());
    }
    let allowed = format!("must be a whole number of cycles of {cycle} ps with switch.pipeline");
    Err(SpecError::new(field, given, allowed))
}
