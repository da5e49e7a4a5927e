//! What switches that forward frames need.

use crate::error::SpecError;
use crate::fabric::check::within;
use crate::fabric::network::wiring::Wiring;
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{
    Arbiter, Fidelity, Frames, HalfDuplex, LinkClass, Machine, MessageOrder, Pause, Selection,
    Switching,
};

/// Refuses machines whose switches cannot forward frames.
pub fn accepts(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let Some(frames) = machine.switch.frames else { return Ok(()) };
    let (switch, interface) = (&machine.switch, &machine.interface);
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} with switch.forwarding")))
    };
    if switch.switching != Switching::StoreAndForward {
        let given = switch.switching.name();
        return refuse("machine.switch.switching", given, "must be store_and_forward");
    }
    if fidelity != Fidelity::Packet {
        return refuse("fidelity", fidelity.name(), "must be packet");
    }
    if switch.integrated {
        return refuse("machine.switch.integrated", "true", "must be false");
    }
    if switch.virtual_channels > 1 {
        let given = switch.virtual_channels.to_string();
        return refuse("machine.switch.virtual_channels", &given, "must be 1");
    }
    if !matches!(switch.arbiter, Arbiter::Fifo | Arbiter::Priority) {
        let given = switch.arbiter.name();
        return refuse("machine.switch.arbiter", given, "must be fifo or priority");
    }
    if switch.ack_priority {
        return refuse("machine.switch.ack_priority", "true", "must be false");
    }
    if machine.routing.selection != Selection::First {
        let given = machine.routing.selection.name();
        let allowed = "must be first: of several the shortest queue is taken";
        return refuse("machine.routing.selection", given, allowed);
    }
    let classes = machine.link_classes.values().chain(&machine.node_link);
    let mut halves =
        classes.filter_map(|class| class.half_duplex).chain([machine.link.half_duplex]);
    if let Some(half) = halves.find(|&half| half != HalfDuplex::No) {
        return refuse("machine.link.half_duplex", half.name(), "must be full");
    }
    if let Some(places) = interface.receive_fifo {
        let given = places.to_string();
        return refuse("machine.interface.receive_fifo", &given, "must be left out");
    }
    if let Some(time) = interface.drain_byte_ps {
        let given = time.to_string();
        return refuse("machine.interface.drain_byte_ps", &given, "must be left out");
    }
    sizes(&frames, machine)?;
    pauses(&frames, machine)
}

fn sizes(frames: &Frames, machine: &Machine) -> Result<(), SpecError> {
    let interface = &machine.interface;
    let longest = u64::from(interface.header_bytes) + u64::from(interface.packet_bytes);
    let (_, most) = LinkClass::DELAY_PS;
    within("machine.switch.frames.forwarding_ps", frames.forwarding_ps, 0, most)?;
    let least = machine.link.framing.minimum_bytes;
    if u64::from(least) > longest {
        let allowed = format!("must be at most the longest frame, {longest} B with its header");
        return Err(SpecError::new("machine.link.framing.minimum_bytes", least, allowed));
    }
    let Some(memory) = frames.memory_bytes else { return Ok(()) };
    if memory < longest {
        let allowed = format!("must hold a frame, at least {longest} B with its header");
        return Err(SpecError::new("machine.switch.frames.memory_bytes", memory, allowed));
    }
    within("machine.switch.frames.memory_bytes", memory, longest, Frames::MOST_BYTES)
}

/// Marks are in order, and what is paused can be told apart.
fn pauses(frames: &Frames, machine: &Machine) -> Result<(), SpecError> {
    if frames.pause == Pause::Off {
        return Ok(());
    }
    let (high, low) = (frames.pause_high_bytes, frames.pause_low_bytes);
    let most = frames.memory_bytes.unwrap_or(Frames::MOST_BYTES);
    within("machine.switch.frames.pause_high_bytes", high, 1, most)?;
    if low >= high {
        let allowed = format!("must be less than pause_high, {high} B");
        return Err(SpecError::new("machine.switch.frames.pause_low_bytes", low, allowed));
    }
    if frames.pause == Pause::All {
        return Ok(());
    }
    let refuse = |field: &str, given: String, allowed: &str| {
        let allowed = format!("{allowed} with switch.pause per_priority");
        Err(SpecError::new(field, given, allowed))
    };
    let classes = machine.routing.traffic_classes.len();
    if classes > Frames::PRIORITIES {
        return refuse("workload.traffic_class", classes.to_string(), "must be at most 8");
    }
    if machine.interface.acknowledges && machine.interface.ack_priority {
        return refuse("machine.interface.ack_priority", "true".into(), "must be false");
    }
    if machine.interface.message_order != MessageOrder::Fifo {
        let given = machine.interface.message_order.name().to_string();
        return refuse("machine.interface.message_order", given, "must be fifo");
    }
    Ok(())
}

/// Refuses networks that switches which forward frames cannot have.
pub fn accepts_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if !machine.forwards_frames() {
        return Ok(());
    }
    if let Some(group) = wiring.layout.groups.iter().find(|group| group.width > 1) {
        let of_nodes = group.kind != ChannelKind::Internal;
        let part = if of_nodes { "node_link" } else { "link" };
        let allowed = "must be 1 with switch.forwarding";
        return Err(SpecError::new(format!("machine.{part}.width"), group.width, allowed));
    }
    let (routing, name) = (&wiring.routing, machine.routing.algorithm.name());
    if routing.weighs() || routing.properties().otherwise != Otherwise::Wait {
        let allowed = "must be one whose packets wait, and that does not compare loads, with \
                       switch.forwarding";
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    Ok(())
}
