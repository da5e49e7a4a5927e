//! What the channels and ways of a network must be like to be simulated at a fidelity.

use super::crossing;
use crate::error::SpecError;
use crate::fabric::network::layout::Group;
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{Fidelity, LinkClass, Machine, Switching, TopologySpec};

/// The longest a packet may be on a channel: 16 MiB at a little less than 1 kbit/s.
const LONGEST_PACKET_PS: u128 = 200_000_000_000_000_000;

/// Refuses packets so long that sums of their times could overflow.
pub fn longest_packet(machine: &Machine, timing: &Timing) -> Result<(), SpecError> {
    let bytes = machine.interface.packet_bytes;
    let takes = u128::from(timing.flit_ps) * u128::from(timing.packet_flits(bytes));
    if takes <= LONGEST_PACKET_PS {
        return Ok(());
    }
    let allowed = format!(
        "must be less: with flits of {} ps a packet takes longer than {} s",
        timing.flit_ps,
        LONGEST_PACKET_PS / 1_000_000_000_000
    );
    Err(SpecError::new("machine.interface.packet_bytes", bytes, allowed))
}

/// What nodes that are switches ask of links and routing.
pub fn joined_nodes(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let (layout, routing, name) =
        (&wiring.layout, &wiring.routing, machine.routing.algorithm.name());
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} {}", crossing(machine))))
    };
    let has_queues = machine.has_output_queues();
    let is_wide = |group: &Group| group.kind == ChannelKind::Internal && group.width > 1;
    if has_queues && layout.groups.iter().any(is_wide) {
        return refuse("machine.link.width", "above 1", "must be 1");
    }
    // Worms go at the pace of the slowest link; packets as a whole have one time here.
    if machine.switch.switching != Switching::Wormhole && !wiring.is_uniform() {
        return refuse("machine.topology", "links with delays of their own", "must have none");
    }
    if has_queues && routing.properties().otherwise != Otherwise::Wait {
        return refuse("machine.routing", name, "must be one whose packets wait");
    }
    let parts = routing.properties().chooses_late || routing.properties().draws;
    if !machine.sends_whole_messages() && parts {
        let allowed = "must be one that sends all packets of a message one way";
        return refuse("machine.routing", name, allowed);
    }
    Ok(())
}

/// Refuses what integrated nodes do not have with switching wormhole.
pub fn integrated_wormhole(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if !wiring.integrated_timing.is_some_and(|timing| timing.is_wormhole()) {
        return Ok(());
    }
    let refuse = |field: &str, given: String, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} {}", crossing(machine))))
    };
    let is_internal = |group: &&Group| group.kind == ChannelKind::Internal;
    let widest = wiring.layout.groups.iter().filter(is_internal).map(|group| group.width).max();
    if wiring.routing.chooses() {
        let routing = machine.routing.algorithm.name().to_string();
        return refuse("machine.routing", routing, "must be one that gives a packet one output");
    }
    if let Some(width) = widest.filter(|&width| width > 1) {
        return refuse("machine.link.width", width.to_string(), "must be 1");
    }
    Ok(())
}

/// A stream has one rate, and so have whole packets between nodes that are their own switches.
pub fn rates(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let with = match fidelity {
        _ if machine.switch.integrated && machine.switch.switching != Switching::Wormhole => {
            crossing(machine)
        }
        Fidelity::Stream => "with fidelity stream; use another".into(),
        _ => return Ok(()),
    };
    let link = &machine.link;
    let differs = |class: &LinkClass| {
        let own = class.of(link);
        (own.flit_ps, own.control_ps) != (link.flit_ps, link.control_ps)
    };
    let field = if machine.node_link.as_ref().is_some_and(differs) {
        "machine.node_link".to_string()
    } else if let Some((name, _)) = machine.link_classes.iter().find(|(_, class)| differs(class)) {
        format!("machine.link_classes.{name}")
    } else if matches!(machine.topology.whole(), TopologySpec::Graph { links, node_links, .. }
        if links.iter().any(|link| differs(&link.differs())) || node_links.iter().any(differs))
    {
        "machine.topology.links".to_string()
    } else {
        return Ok(());
    };
    let allowed = format!("must be the same everywhere {with}");
    Err(SpecError::new(field, "different rates", allowed))
}

/// Nobody waits for a node where packets may not wait.
pub fn waiting_for_nodes(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let Some(places) = machine.interface.reply_queue else { return Ok(()) };
    if wiring.routing.properties().otherwise == Otherwise::Wait {
        return Ok(());
    }
    let name = machine.routing.algorithm.name();
    let allowed = format!("must be left out with routing {name}, where nobody may wait for a node");
    Err(SpecError::new("machine.interface.reply_queue", places, allowed))
}

/// Packets that cannot go on wait: they are not moved out of the way, flit by flit.
pub fn packets_wait(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let waits = wiring.routing.properties().otherwise == Otherwise::Wait;
    let allowed = "needs fidelity packet: packets that cannot go on are moved as a whole";
    if waits { Ok(()) } else { refuse_routing(machine, allowed) }
}

/// Every channel has a wire of its own.
pub fn own_wires(machine: &Machine, wiring: &Wiring, fidelity: Fidelity) -> Result<(), SpecError> {
    if !wiring.layout.has_shared_wires() {
        return Ok(());
    }
    Err(SpecError::new(
        "machine.link.sharing",
        machine.link.sharing.name(),
        format!(
            "must be separate with fidelity {}: flits of several packets take turns on a \
             wire; use flit or packet, or sharing = separate",
            fidelity.name()
        ),
    ))
}

/// Routing gives a packet one output.
pub fn one_output(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if !wiring.routing.chooses() {
        return Ok(());
    }
    refuse_routing(
        machine,
        "must be one that gives a packet one output with fidelities stream and token; \
         use worm, flit or packet",
    )
}

/// Routing does not compare loads.
pub fn no_loads(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    if !wiring.routing.weighs() {
        return Ok(());
    }
    refuse_routing(
        machine,
        "must be one that does not compare loads with fidelities stream, token and fluid; use \
         worm, flit or packet",
    )
}

/// Refuses the routing of a machine.
pub fn refuse_routing(machine: &Machine, allowed: &str) -> Result<(), SpecError> {
    Err(SpecError::new("machine.routing", machine.routing.algorithm.name(), allowed))
}
