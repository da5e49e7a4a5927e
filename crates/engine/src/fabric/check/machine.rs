//! What a machine may say of itself, whatever its network.

use super::{costs, within};
use crate::error::SpecError;
use crate::fabric::network::flits::{MOST_BYTES, MOST_FLIT_BYTES};
use crate::spec::{Fidelity, Framing, HalfDuplex, LinkClass, Machine, Switching};

/// Largest window that is a number.
pub(super) const MOST_IN_FLIGHT: u64 = 1 << 20;

/// Frames lie on links where there are any; packets may be filled up where nodes store them.
pub fn framing(machine: &Machine) -> Result<(), SpecError> {
    let (framing, switch) = (machine.link.framing, &machine.switch);
    let filled = Framing { minimum_bytes: framing.minimum_bytes, ..Framing::default() };
    let stores = switch.integrated && switch.switching == Switching::StoreAndForward;
    let none = if stores { filled } else { Framing::default() };
    if switch.frames.is_none() && switch.cells.is_none() && framing != none {
        let allowed = "must be left out without switch.forwarding and switch.segmentation";
        return Err(SpecError::new("machine.link.framing", "given", allowed));
    }
    let sizes = [
        ("minimum_bytes", framing.minimum_bytes),
        ("preamble_bytes", framing.preamble_bytes),
        ("gap_bytes", framing.gap_bytes),
    ];
    sizes.into_iter().try_for_each(|(name, given)| {
        let most = Framing::MOST_BYTES.into();
        within(&format!("machine.link.framing.{name}"), given.into(), 0, most)
    })
}

/// Numbers lie in their ranges.
pub fn ranges(machine: &Machine) -> Result<(), SpecError> {
    machine.switch.arbiter_keys.check(&machine.routing.traffic_classes)?;
    let (link, interface) = (&machine.link, &machine.interface);
    let ((shortest, longest), (_, most)) = (LinkClass::FLIT_PS, LinkClass::DELAY_PS);
    let ranges = [
        ("machine.link.flit_bytes", link.flit_bytes.into(), 1, MOST_FLIT_BYTES.into()),
        ("machine.link.flit_ps", link.flit_ps, shortest, longest),
        ("machine.link.control_ps", link.control_ps, shortest, longest),
        ("machine.link.delay_ps", link.delay_ps, 0, most),
        ("machine.link.packet_gap_ps", link.packet_gap_ps, 0, most),
        ("machine.link.credit_delay_ps", link.credit_delay_ps, 0, most),
        ("machine.switch.delay_ps", machine.switch.delay_ps, 0, most),
        ("machine.interface.header_bytes", interface.header_bytes.into(), 1, 1_000),
        ("machine.interface.packet_bytes", interface.packet_bytes.into(), 1, MOST_BYTES.into()),
    ];
    for (field, value, low, high) in ranges {
        within(field, value, low, high)?;
    }
    let named = machine.link_classes.iter();
    let named = named.map(|(name, class)| (format!("machine.link_classes.{name}"), *class));
    let of_nodes = machine.node_link.map(|class| ("machine.node_link".to_string(), class));
    for (path, class) in named.chain(of_nodes) {
        let times = [
            ("flit_ps", class.flit_ps, shortest, longest),
            ("control_ps", class.control_ps, shortest, longest),
            ("delay_ps", class.delay_ps, 0, most),
        ];
        for (name, value, low, high) in times {
            within(&format!("{path}.{name}"), value.unwrap_or(low), low, high)?;
        }
    }
    let window = interface.window.unwrap_or(1);
    within("machine.interface.window", window.into(), 1, MOST_IN_FLIGHT)?;
    if interface.time_slice_ps == Some(0) {
        let allowed = "must be above 0, or absent";
        return Err(SpecError::new("machine.interface.time_slice_ps", 0, allowed));
    }
    interface.costs.as_ref().map_or(Ok(()), costs::costs)
}

/// What both directions of a wire send in turn is what the fidelity moves.
pub fn half_duplex(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let named = machine.link_classes.iter();
    let named = named.map(|(name, class)| (format!("machine.link_classes.{name}"), *class));
    let of_nodes = machine.node_link.map(|class| ("machine.node_link".to_string(), class));
    let own = named.chain(of_nodes).filter_map(|(path, class)| Some((path, class.half_duplex?)));
    let of_link = ("machine.link".to_string(), machine.link.half_duplex);
    for (path, half) in std::iter::once(of_link).chain(own) {
        let field = format!("{path}.half_duplex");
        match half {
            HalfDuplex::Packet if path != "machine.link" => {
                let allowed =
                    "must be full or half_by_flit: packets take turns on all links or none";
                return Err(SpecError::new(field, half.name(), allowed));
            }
            HalfDuplex::Flit if machine.switch.pipeline.is_some() => {
                return Err(SpecError::new(
                    field,
                    half.name(),
                    "must be full with switch.pipeline",
                ));
            }
            HalfDuplex::Flit if machine.switch.switching != Switching::Wormhole => {
                let name = machine.switch.switching.name();
                let or_half = if machine.switch.integrated { " or half" } else { "" };
                let allowed = format!(
                    "must be full{or_half} with switching {name}: packets cross wires as a whole"
                );
                return Err(SpecError::new(field, half.name(), allowed));
            }
            HalfDuplex::Flit if !matches!(fidelity, Fidelity::Flit | Fidelity::Fluid) => {
                let allowed = format!(
                    "must be full with fidelity {}: flits of both directions take turns on a \
                     wire; use flit",
                    fidelity.name()
                );
                return Err(SpecError::new(field, half.name(), allowed));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Times in which flits fall through switches.
pub fn fall_through(machine: &Machine) -> Result<(), SpecError> {
    let (switch, link) = (&machine.switch, &machine.link);
    let Some(through) = switch.fall_through_ps else { return Ok(()) };
    let field = "machine.switch.fall_through_ps";
    let refuse = |allowed: &str| Err(SpecError::new(field, through, allowed));
    if switch.integrated || switch.pipeline.is_some() {
        return refuse("must be left out with switch.integrated and switch.pipeline");
    }
    if !matches!(switch.switching, Switching::Wormhole | Switching::CutThrough) {
        return refuse("must be left out with packets or circuits that do not fall through");
    }
    if switch.delay_ps > 0 {
        return refuse("must be left out with switch.delay, in place of which it is");
    }
    if link.end_token || link.packet_gap_ps > 0 {
        return refuse("must be left out with end tokens and packet gaps: flits all take one time");
    }
    let classes = machine.link_classes.values().chain(&machine.node_link);
    let flits = classes.map(|class| class.of(link).flit_ps).chain([link.flit_ps]);
    let least = flits.max().unwrap_or(link.flit_ps);
    within(field, through, least, LinkClass::DELAY_PS.1)
}
