//! What line cards in front of a fabric of cells need.

use crate::error::SpecError;
use crate::fabric::check::within;
use crate::fabric::network::flits::MOST_FLIT_BYTES;
use crate::fabric::network::wiring::Wiring;
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{
    Arbiter, Fidelity, HalfDuplex, LinkClass, Local, Machine, MessageOrder, Switching, TopologySpec,
};
use std::collections::HashSet;

/// Most cells after which a card leaves a cell time free.
const MOST_PACED: u64 = 1 << 16;

/// The longest that the cells of a packet may take: sums of times must not overflow.
const LONGEST_PS: u64 = 200_000_000_000_000_000;

/// Refuses machines whose switches cannot be line cards.
pub fn accepts(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let Some(cells) = machine.switch.cells else { return Ok(()) };
    let (link, switch, interface) = (&machine.link, &machine.switch, &machine.interface);
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} with switch.segmentation")))
    };
    if fidelity != Fidelity::Packet {
        return refuse("fidelity", fidelity.name(), "must be packet");
    }
    if switch.integrated {
        return refuse("machine.switch.integrated", "true", "must be false");
    }
    if switch.switching != Switching::StoreAndForward {
        let given = switch.switching.name();
        return refuse("machine.switch.switching", given, "must be store_and_forward");
    }
    if switch.frames.is_some() {
        return refuse("machine.switch.forwarding", "given", "must be left out");
    }
    if switch.pipeline.is_some() {
        return refuse("machine.switch.pipeline", "a clock", "must be left out");
    }
    if let Some(flits) = switch.input_buffer_flits {
        let field = "machine.switch.input_buffer_flits";
        return refuse(field, &flits.to_string(), "must be unlimited");
    }
    if switch.arbiter != Arbiter::Fifo {
        return refuse("machine.switch.arbiter", switch.arbiter.name(), "must be fifo");
    }
    if interface.acknowledges {
        return refuse("machine.interface.acknowledges", "true", "must be false");
    }
    if interface.local == Local::Switch {
        return refuse("machine.interface.local", "switch", "must be memory");
    }
    if interface.message_order != MessageOrder::Fifo {
        let given = interface.message_order.name();
        return refuse("machine.interface.message_order", given, "must be fifo");
    }
    if let Some(places) = interface.receive_fifo {
        let field = "machine.interface.receive_fifo";
        return refuse(field, &places.to_string(), "must be left out");
    }
    if let Some(time) = interface.drain_byte_ps {
        let field = "machine.interface.drain_byte_ps";
        return refuse(field, &time.to_string(), "must be left out");
    }
    if link.end_token {
        return refuse("machine.link.end_token", "true", "must be false");
    }
    let classes = machine.link_classes.values().chain(&machine.node_link);
    let mut halves = classes.filter_map(|class| class.half_duplex).chain([link.half_duplex]);
    if let Some(half) = halves.find(|&half| half != HalfDuplex::No) {
        return refuse("machine.link.half_duplex", half.name(), "must be full");
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
    let most = LinkClass::DELAY_PS.1;
    let ranges = [
        ("cell_bytes", cells.cell_bytes.into(), 1, MOST_FLIT_BYTES.into()),
        ("cell_ps", cells.cell_ps, 1, most),
        ("pacing", cells.pacing.unwrap_or(1).into(), 1, MOST_PACED),
        ("card_ps", cells.card_ps, cells.cell_ps, most),
        ("leave_ps", cells.leave_ps, 0, most),
        ("hop_ps", cells.hop_ps, 0, most),
    ];
    for (name, given, low, high) in ranges {
        within(&format!("machine.switch.cells.{name}"), given, low, high)?;
    }
    let bytes = u64::from(interface.packet_bytes + interface.header_bytes);
    let count = bytes.div_ceil(cells.cell_bytes.into());
    within("machine.switch.cells.cell_ps", cells.cell_ps, 1, LONGEST_PS / count.max(1))
}

/// Refuses networks that line cards cannot have.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if machine.switch.cells.is_none() {
        return Ok(());
    }
    if machine.topology.whole() == &TopologySpec::Pair {
        let allowed = "must have switches with switch.segmentation";
        return Err(SpecError::new("machine.topology", "pair", allowed));
    }
    let (layout, routing) = (&wiring.layout, &wiring.routing);
    let name = machine.routing.algorithm.name();
    if routing.chooses() || routing.weighs() {
        let allowed = "must be one that gives a packet one output with switch.segmentation";
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    if routing.properties().otherwise != Otherwise::Wait {
        let allowed = "must be one whose packets wait with switch.segmentation";
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    for group in &layout.groups {
        let wires: HashSet<_> =
            group.channels().map(|channel| layout.wire_of[channel.index()]).collect();
        if wires.len() > 1 {
            let of_node = group.kind != ChannelKind::Internal;
            let field = if of_node { "machine.node_link.width" } else { "machine.link.width" };
            let allowed = "must be 1 with switch.segmentation";
            return Err(SpecError::new(field, wires.len(), allowed));
        }
    }
    Ok(())
}
