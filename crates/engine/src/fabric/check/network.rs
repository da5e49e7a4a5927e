//! What the channels and ways of a network must be like to be simulated at a fidelity.

use super::buffers::too_small;
use super::{cells, crossing, frames, multicast, pipeline, stop_go};
use crate::error::SpecError;
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::{Timing, Wiring};
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{Fidelity, LinkClass, Machine, Selection, Switching, TopologySpec};

/// The longest a packet may be on a channel: 16 MiB at a little less than 1 kbit/s.
const LONGEST_PACKET_PS: u128 = 200_000_000_000_000_000;

/// Refuses networks that cannot be simulated at a fidelity.
pub fn network(machine: &Machine, wiring: &Wiring, fidelity: Fidelity) -> Result<(), SpecError> {
    use Fidelity::{Flit, Fluid, Packet, Stream, Token, Worm};
    let (layout, routing) = (&wiring.layout, &wiring.routing);
    pipeline::network(machine, wiring)?;
    cells::network(machine, wiring)?;
    frames::network(machine, wiring)?;
    multicast::network(machine, wiring)?;
    stop_go::network(machine, wiring)?;
    if machine.switch.integrated {
        joined_nodes(machine, wiring)?;
    }
    for timing in &wiring.timings {
        longest_packet(machine, timing)?;
    }
    let refuse = |allowed: &str| {
        Err(SpecError::new("machine.routing", machine.routing.algorithm.name(), allowed))
    };
    if let Some(places) = machine.interface.reply_queue
        && routing.properties().otherwise != Otherwise::Wait
    {
        let name = machine.routing.algorithm.name();
        let allowed =
            format!("must be left out with routing {name}, where nobody may wait for a node");
        return Err(SpecError::new("machine.interface.reply_queue", places, allowed));
    }
    if machine.makes_circuits() {
        circuit_network(machine, wiring)?;
    }
    if layout.has_shared_wires() && matches!(fidelity, Worm | Stream | Token) {
        return Err(SpecError::new(
            "machine.link.sharing",
            machine.link.sharing.name(),
            format!(
                "must be separate with fidelity {}: flits of several packets take turns on a \
                 wire; use flit or packet, or sharing = separate",
                fidelity.name()
            ),
        ));
    }
    match fidelity {
        Flit | Worm | Stream | Token | Fluid
            if routing.properties().otherwise != Otherwise::Wait =>
        {
            refuse("needs fidelity packet: packets that cannot go on are moved as a whole")
        }
        _ if wiring.integrated_timing.is_some_and(|timing| timing.is_wormhole()) => {
            wormhole(machine, wiring)
        }
        Stream | Token if routing.chooses() => refuse(
            "must be one that gives a packet one output with fidelities stream and token; \
             use worm, flit or packet",
        ),
        Stream | Token | Fluid if routing.weighs() => refuse(
            "must be one that does not compare loads with fidelities stream, token and fluid; use \
             worm, flit or packet",
        ),
        Packet if routing.weighs() && machine.makes_circuits() => {
            refuse("must be one that does not compare loads with switching circuit")
        }
        Packet if routing.weighs() && wiring.goes_on_without_gap() => refuse(
            "must be one that does not compare loads where links have different rates, with \
             fidelity packet; use flit",
        ),
        Worm if routing.properties().escapes > 0 => refuse(
            "must be one without a way out with fidelity worm, which does not look again when \
             flits leave a buffer; use flit or packet",
        ),
        Stream if !wiring.is_uniform() => Err(SpecError::new(
            "machine.topology",
            "links with delays of their own",
            "must all have the same delay with fidelity stream; use worm, flit or packet",
        )),
        Token => way_back(layout, "fidelity token, whose flow-control tokens use it", |_| true),
        Packet if routing.properties().otherwise != Otherwise::Wait => {
            moved_packets(machine, wiring)
        }
        _ => Ok(()),
    }
}

/// Refuses what switches that send packets away cannot do.
fn moved_packets(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let (switch, name) = (&machine.switch, machine.routing.algorithm.name());
    if switch.switching == Switching::StoreAndForward {
        let allowed = format!("must be wormhole or cut_through with routing {name}");
        return Err(SpecError::new("machine.switch.switching", "store_and_forward", allowed));
    }
    let Some(input) = switch.input_buffer_flits else {
        let allowed = format!("must be a number with routing {name}: no buffer would be full");
        return Err(SpecError::new("machine.switch.input_buffer_flits", "unlimited", allowed));
    };
    // A packet enters the network only where a place stays free.
    let least = 2 * u64::from(Timing::of(machine).packet_flits(machine.interface.packet_bytes));
    if u64::from(input) < least {
        let content = format!("two packets with routing {name}");
        return Err(too_small(input, &content, least, Fidelity::Packet));
    }
    if !wiring.goes_on_behind_header() {
        let allowed = "must be one whose packets wait where links have different rates";
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    if wiring.routing.properties().otherwise == Otherwise::Store {
        let with = "chaos, where full switches swap packets over it";
        return way_back(&wiring.layout, with, |_| true);
    }
    Ok(())
}

/// Refuses packets so long that sums of their times could overflow.
fn longest_packet(machine: &Machine, timing: &Timing) -> Result<(), SpecError> {
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
fn joined_nodes(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
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
fn wormhole(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
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

/// Circuits have their wires to themselves, and where nodes are switches are taken back channel
/// by channel.
fn circuit_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let (routing, name) = (&wiring.routing, machine.routing.algorithm.name());
    let is_integrated = wiring.integrated_timing.is_some();
    if !is_integrated && wiring.layout.has_shared_wires() {
        let given = machine.link.sharing.name();
        let allowed = "must be separate with switching circuit and several virtual channels: a \
                       circuit has its wires to itself";
        return Err(SpecError::new("machine.link.sharing", given, allowed));
    }
    if routing.properties().otherwise != Otherwise::Wait || is_integrated && routing.remembers() {
        let allowed = if is_integrated {
            "must be one that depends on the switch and the destination alone, and comes nearer \
             at each step, with switching circuit"
        } else {
            "must be one whose packets wait with switching circuit"
        };
        return Err(SpecError::new("machine.routing", name, allowed));
    }
    let selection = machine.routing.selection;
    if selection != Selection::First {
        let allowed = "must be first with switching circuit";
        return Err(SpecError::new("machine.routing.selection", selection.name(), allowed));
    }
    Ok(())
}

/// A stream has one rate, and so have whole packets between nodes that are their own switches.
pub(super) fn rates(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
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
    } else if matches!(machine.topology.whole(), TopologySpec::Graph { links, .. }
        if links.iter().any(|link| differs(&link.class())))
    {
        "machine.topology.links".to_string()
    } else {
        return Ok(());
    };
    let allowed = format!("must be the same everywhere {with}");
    Err(SpecError::new(field, "different rates", allowed))
}

/// Refuses links of some without one of as many wires back.
pub fn way_back(
    layout: &Layout,
    with: &str,
    is_one: impl Fn(&Group) -> bool,
) -> Result<(), SpecError> {
    let Some(group) = layout.one_way(is_one) else { return Ok(()) };
    let link = match (group.kind, group.end) {
        (ChannelKind::Injection, End::Switch(to)) => {
            format!("link from node {} to switch {}", group.from, to.0)
        }
        (_, End::Switch(to)) => format!("link from switch {} to switch {}", group.from, to.0),
        (_, End::Node(node)) => format!("link from switch {} to node {}", group.from, node.0),
    };
    let allowed = format!("needs one of as many wires back with {with}");
    Err(SpecError::new("machine.topology", link, allowed))
}
