//! What nodes, and the ways they are attached, may be.

use super::machine::MOST_IN_FLIGHT;
use super::{crossing, within};
use crate::error::SpecError;
use crate::fabric::network::flits::MOST_BYTES;
use crate::spec::{
    Arbiter, Fidelity, FlowControl, HalfDuplex, Local, Machine, Switch, Switching, Unit,
};
use crate::topology::Topology;

/// The longest that a packet may take to be drained: sums of times must not overflow.
const LONGEST_DRAIN_PS: u64 = 200_000_000_000_000_000;

/// Nodes that take packets in one after the other.
pub fn receivers(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let interface = &machine.interface;
    let (field, given) = match (interface.receive_fifo, interface.drain_byte_ps) {
        (Some(places), _) => ("machine.interface.receive_fifo", u64::from(places)),
        (None, Some(time)) => ("machine.interface.drain_byte_ps", time),
        (None, None) => return Ok(()),
    };
    let refuse =
        |with: &str| Err(SpecError::new(field, given, format!("must be left out with {with}")));
    if machine.switch.integrated {
        return refuse("switch.integrated, where packets are delivered on all channels at once");
    }
    if machine.makes_circuits() {
        return refuse("switching circuit, where a receiver holds up nothing but the circuit");
    }
    if machine.switch.pipeline.is_some() {
        return refuse("switch.pipeline, whose nodes take everything in at once");
    }
    if matches!(fidelity, Fidelity::Token | Fidelity::Stream) {
        let with = format!(
            "fidelity {}, whose nodes take everything in at once; use packet, worm or flit",
            fidelity.name()
        );
        return refuse(&with);
    }
    let places = interface.receive_fifo.unwrap_or(1).into();
    within("machine.interface.receive_fifo", places, 1, MOST_IN_FLIGHT)?;
    let time = interface.drain_byte_ps.unwrap_or(1);
    let most = LONGEST_DRAIN_PS / u64::from(interface.packet_bytes);
    within("machine.interface.drain_byte_ps", time, 1, most)
}

/// Nodes that take in requests only while they have places for the replies.
pub fn reply_queue(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    let Some(places) = machine.interface.reply_queue else { return Ok(()) };
    let (field, switch) = ("machine.interface.reply_queue", &machine.switch);
    let refuse =
        |with: &str| Err(SpecError::new(field, places, format!("must be left out with {with}")));
    if switch.integrated {
        return refuse("switch.integrated, where packets are delivered on all channels at once");
    }
    if topology.switches == 0 {
        return refuse("a topology without switches, where there is nowhere to wait for a place");
    }
    if machine.makes_circuits() {
        return refuse("switching circuit, where requests and replies meet nowhere");
    }
    if switch.frames.is_some() || switch.cells.is_some() {
        let with = "switch.forwarding or segmentation, whose nodes take everything in at once";
        return refuse(with);
    }
    if matches!(machine.link.flow_control, FlowControl::StopGo(_)) {
        return refuse("link.flow_control stop_go, whose nodes take everything in at once");
    }
    if !matches!(fidelity, Fidelity::Packet | Fidelity::Flit | Fidelity::Worm) {
        let with = format!(
            "fidelity {}, whose nodes take everything in at once; use packet, worm or flit",
            fidelity.name()
        );
        return refuse(&with);
    }
    within(field, places.into(), 1, MOST_IN_FLIGHT)
}

/// What hosts with several interfaces ask of switches, whose times and queues they share.
pub fn hosts(machine: &Machine, topology: &Topology, fidelity: Fidelity) -> Result<(), SpecError> {
    if topology.hosts.is_none() {
        return Ok(());
    }
    let switch = &machine.switch;
    let with = match fidelity {
        _ if switch.integrated => "switch.integrated",
        _ if machine.makes_circuits() => "switching circuit",
        _ if switch.frames.is_some() => "switch.frames",
        _ if switch.cells.is_some() => "switch.cells",
        _ if switch.pipeline.is_some() => "switch.pipeline",
        Fidelity::Stream | Fidelity::Token => fidelity.name(),
        _ => return Ok(()),
    };
    let allowed = format!("must be left out with {with}");
    Err(SpecError::new("machine.hosts", "", allowed))
}

/// Nodes are attached to switches.
pub fn switched(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    let (switch, interface) = (&machine.switch, &machine.interface);
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} without switch.integrated")))
    };
    let is_whole = match fidelity {
        Fidelity::Packet => true,
        Fidelity::Fluid => switch.switching != Switching::Circuit,
        _ => false,
    };
    if switch.switching != Switching::Wormhole && !is_whole {
        let allowed = format!("must be packet with switching {}", switch.switching.name());
        return Err(SpecError::new("fidelity", fidelity.name(), allowed));
    }
    if switch.switching == Switching::Circuit {
        circuit_order(machine)?;
    }
    if topology.switches == 0 && interface.local == Local::Switch {
        let allowed = "must be memory: there is no switch";
        return Err(SpecError::new("machine.interface.local", "switch", allowed));
    }
    if machine.link.half_duplex == HalfDuplex::Packet {
        return refuse("machine.link.half_duplex", "half", "must be full or half_by_flit");
    }
    if let Some(first) = interface.first_packet_bytes {
        let field = "machine.interface.first_packet_bytes";
        return refuse(field, &first.to_string(), "must be left out");
    }
    if interface.early_bytes > 0 {
        let given = interface.early_bytes.to_string();
        return refuse("machine.interface.early_bytes", &given, "must be 0");
    }
    output_queue(machine, "without switch.integrated")
}

/// There is no queue at outgoing channels.
fn output_queue(machine: &Machine, with: &str) -> Result<(), SpecError> {
    let Switch { output_queue_packets, reserve, overtaking, .. } = machine.switch;
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} {with}")))
    };
    if let Some(packets) = output_queue_packets {
        let given = packets.to_string();
        return refuse("machine.switch.output_queue_packets", &given, "must be unlimited");
    }
    if reserve {
        return refuse("machine.switch.reserve", "true", "must be false");
    }
    if overtaking {
        return refuse("machine.switch.overtaking", "true", "must be false");
    }
    Ok(())
}

/// What machines whose nodes are their own switches have.
pub fn integrated(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    let (switch, interface, crossing) = (&machine.switch, &machine.interface, crossing(machine));
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} {crossing}")))
    };
    let knows_flits = matches!(fidelity, Fidelity::Flit | Fidelity::Worm);
    let is_whole = fidelity == Fidelity::Packet;
    match (switch.switching, interface.unit) {
        _ if !topology.is_direct() => {
            let allowed = "needs a topology with one node per switch";
            return refuse("machine.switch.integrated", "true", allowed);
        }
        _ if interface.local == Local::Switch => {
            return refuse("machine.interface.local", "switch", "must be memory");
        }
        _ if interface.acknowledges => {
            return refuse("machine.interface.acknowledges", "true", "must be false");
        }
        _ if switch.virtual_channels > 1 => {
            let given = switch.virtual_channels.to_string();
            let allowed =
                if topology.wraps { "must be 1, too few for a torus," } else { "must be 1" };
            return refuse("machine.switch.virtual_channels", &given, allowed);
        }
        (Switching::Wormhole | Switching::CutThrough | Switching::Circuit, Unit::Packet) => {
            return refuse("machine.interface.unit", "packet", "must be message");
        }
        (Switching::Wormhole, _) if !knows_flits => {
            return refuse("fidelity", fidelity.name(), "must be worm or flit");
        }
        (Switching::Wormhole, _) if machine.link.half_duplex == HalfDuplex::Packet => {
            return refuse("machine.link.half_duplex", "half", "must be full or half_by_flit");
        }
        (Switching::Wormhole, _) => {}
        _ if !is_whole => return refuse("fidelity", fidelity.name(), "must be packet"),
        (Switching::Circuit, _) => circuit_order(machine)?,
        (Switching::CutThrough | Switching::StoreAndForward, _) => {}
    }
    if interface.unit == Unit::Packet {
        let field = "machine.switch.output_queue_packets";
        let Some(packets) = switch.output_queue_packets else {
            return refuse(field, "unlimited", "must be a number");
        };
        if switch.reserve && packets == 1 {
            let allowed = "must be at least 2: one is kept from contrary packets (reserve)";
            return Err(SpecError::new(field, packets, allowed));
        }
        within(field, packets.into(), 1, 1 << 16)?;
    } else {
        output_queue(machine, &crossing)?;
    }
    within("machine.interface.early_bytes", interface.early_bytes.into(), 0, MOST_BYTES.into())?;
    let first = interface.first_packet_bytes.unwrap_or(1);
    let most = interface.packet_bytes.into();
    within("machine.interface.first_packet_bytes", first.into(), 1, most)
}

/// Whoever asks for a channel of a circuit gets it in one of two orders.
fn circuit_order(machine: &Machine) -> Result<(), SpecError> {
    let arbiter = machine.switch.arbiter;
    if matches!(arbiter, Arbiter::Fifo | Arbiter::OldestFirst) {
        return Ok(());
    }
    let allowed = "must be fifo or oldest_first with switching circuit";
    Err(SpecError::new("machine.switch.arbiter", arbiter.name(), allowed))
}
