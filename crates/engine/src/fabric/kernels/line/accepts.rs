//! Which machines packets of one message cross in a line.

use super::LineKernel;
use crate::fabric::network::layout::{End, Layout};
use crate::fabric::network::wiring::Wiring;
use crate::measure::ChannelKind;
use crate::spec::{Engine, Fidelity, HalfDuplex, Local, Machine, Mode, Pause, RoutingSpec};

impl LineKernel {
    /// Whether it simulates a machine in a mode at a fidelity: whole packets, whose ways are fixed for
    /// each message, over groups of one channel, in buffers that are first in, first out.
    pub fn is_for(machine: &Machine, wiring: &Wiring, (mode, fidelity): (Mode, Fidelity)) -> bool {
        matches!(mode, Mode::Free | Mode::Endpoints)
            && fidelity == Fidelity::Packet
            && moves_in_lines(machine, wiring)
            && has_fixed_ways(machine, wiring)
            && has_no_bounds(machine)
            && keeps_apart(machine, wiring)
    }
}

/// Whether packets of one message never wait for each other once they have left their node, whatever ways they take,
/// if all ways take the same time.
///
/// They leave their node one after the other, so each is off a channel when the next comes to it, if that passes
/// every channel as fast; and those that are between the beginning of a channel and the end of the next at any time
/// find room in one buffer. On another way a channel sees some of them, at the same times.
pub fn never_wait_inside(machine: &Machine, wiring: &Wiring) -> bool {
    let link = &wiring.link;
    let longest = machine.interface.packet_bytes;
    let between = link.hop_ps / link.packet_ps(longest).max(1) + 3;
    let tokens = between.saturating_mul(link.packet_flits(longest).into());
    let has_room = |capacity: u32| tokens <= capacity.into();
    wiring.is_even()
        && wiring.goes_on_behind_header()
        && moves_in_lines(machine, wiring)
        && machine.switch.frames.is_none()
        && machine.switch.input_buffer_flits.is_none_or(has_room)
        && !machine.interface.acknowledges
}

/// Whether whole packets are switched over groups of one channel, and are taken by their nodes at once.
fn moves_in_lines(machine: &Machine, wiring: &Wiring) -> bool {
    wiring.integrated_timing.is_none()
        && wiring.cells.is_none()
        && machine.switch.pipeline.is_none()
        && !machine.makes_circuits()
        && !wiring.replicates
        && machine.interface.receive_fifo.is_none()
        && machine.interface.drain_byte_ps.is_none()
        && has_single_channels(machine, wiring)
}

/// Whether all groups have one channel, which is sent on in one direction.
fn has_single_channels(machine: &Machine, wiring: &Wiring) -> bool {
    let classes = machine.link_classes.values().chain(&machine.node_link);
    let mut halves =
        classes.filter_map(|class| class.half_duplex).chain([machine.link.half_duplex]);
    wiring.layout.groups.iter().all(|group| group.width == 1)
        && halves.all(|half| half == HalfDuplex::No)
}

/// Whether all packets of a message go the same way, whatever happens, and pass a channel once.
fn has_fixed_ways(machine: &Machine, wiring: &Wiring) -> bool {
    // Routes that are written down may pass a channel twice.
    let is_written = matches!(machine.routing.algorithm, RoutingSpec::SourceRoutes { .. });
    wiring.has_fixed_ways() && !is_written
}

/// Whether frames find room in every switch.
fn has_no_bounds(machine: &Machine) -> bool {
    let frames = machine.switch.frames;
    frames.is_none_or(|frames| frames.memory_bytes.is_none() && frames.pause == Pause::Off)
}

/// Whether a message's acknowledgements meet none of its data packets: shortest ways there and back
/// have no channel in common, but the same switches, and so engines.
fn keeps_apart(machine: &Machine, wiring: &Wiring) -> bool {
    use RoutingSpec::{
        DModK, DimensionOrder, DimensionOrderByWrapping, Ecmp, Minimal, MinimalByCrossing,
        NearestCommonAncestor, SModK, Shortest,
    };
    if !machine.interface.acknowledges {
        return true;
    }
    let shares = |frames: crate::spec::Frames| {
        frames.engine == Engine::PerSwitch && frames.forwarding_ps > 0
    };
    let are_short = matches!(
        machine.routing.algorithm,
        DimensionOrder { .. }
            | DimensionOrderByWrapping { .. }
            | Ecmp { .. }
            | Minimal
            | MinimalByCrossing
            | NearestCommonAncestor { .. }
            | DModK
            | SModK
            | Shortest
    );
    are_short
        && leads_back(&wiring.layout)
        && machine.interface.local == Local::Memory
        && !machine.switch.frames.is_some_and(shares)
}

/// Whether switches that are joined are so both ways, and nodes come and go at one.
fn leads_back(layout: &Layout) -> bool {
    let mut ends: Vec<(ChannelKind, u32, End)> =
        layout.groups.iter().map(|group| (group.kind, group.from, group.end)).collect();
    let key = |&(kind, from, end): &(ChannelKind, u32, End)| {
        let end = match end {
            End::Switch(switch) => switch.0,
            End::Node(node) => node.0,
        };
        (kind as u8, from, end)
    };
    ends.sort_unstable_by_key(key);
    let back = |&(kind, from, end): &(ChannelKind, u32, End)| match (kind, end) {
        (ChannelKind::Internal, End::Switch(to)) => (kind as u8, to.0, from),
        (ChannelKind::Injection, End::Switch(to)) => (ChannelKind::Ejection as u8, to.0, from),
        _ => key(&(kind, from, end)),
    };
    ends.iter().all(|end| ends.binary_search_by_key(&back(end), key).is_ok())
}
