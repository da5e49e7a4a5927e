//! What a network must be like to be simulated at a fidelity.

use crate::error::SpecError;
use crate::fabric::network::flits::{MOST_BYTES, MOST_FLIT_BYTES};
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::{Timing, Wiring};
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{
    Arbiter, Fidelity, FlowControl, LinkClass, Machine, Selection, Switch, Switching, TopologySpec,
    Unit,
};
use crate::topology::Topology;

/// The longest a packet may be on a channel: 16 MiB at a little less than 1 kbit/s.
const LONGEST_PACKET_PS: u128 = 200_000_000_000_000_000;

/// Tokens that one flow-control token grants.
pub const TOKENS_PER_GRANT: u32 = 8;

/// Largest window that is a number.
const MOST_IN_FLIGHT: u64 = 1 << 20;

/// Refuses what cannot be simulated.
pub fn machine(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    ranges(machine)?;
    if machine.switch.integrated {
        integrated(machine, topology, fidelity)?;
    } else {
        switched(machine, fidelity)?;
    }
    flow_control(machine, fidelity)?;
    rates(machine, fidelity)
}

fn ranges(machine: &Machine) -> Result<(), SpecError> {
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
    Ok(())
}

fn within(field: &str, value: u64, low: u64, high: u64) -> Result<(), SpecError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let allowed =
        if low == high { format!("must be {low}") } else { format!("must be {low} to {high}") };
    Err(SpecError::new(field, value, allowed))
}

/// Nodes are attached to switches.
fn switched(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let (switch, interface) = (&machine.switch, &machine.interface);
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} without switch.integrated")))
    };
    match switch.switching {
        Switching::Circuit => {
            let allowed = "must be wormhole, cut_through or store_and_forward";
            return refuse("machine.switch.switching", "circuit", allowed);
        }
        kept if kept.keeps_whole_packets() && fidelity != Fidelity::Packet => {
            let allowed = format!("must be packet with switching {}", kept.name());
            return Err(SpecError::new("fidelity", fidelity.name(), allowed));
        }
        _ => {}
    }
    if machine.link.half_duplex {
        return refuse("machine.link.half_duplex", "true", "must be false");
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

/// Buffers and flow control must be such that packets can move.
fn flow_control(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let (link, switch) = (&machine.link, &machine.switch);
    if switch.integrated && switch.switching != Switching::Wormhole {
        return Ok(());
    }
    let is_in_band = link.flow_control == FlowControl::InBand;
    let timing = Timing::of(machine);
    let header = u64::from(timing.header_flits);
    let (least, content) = match fidelity {
        Fidelity::Packet => {
            (timing.packet_flits(machine.interface.packet_bytes).into(), "a whole packet")
        }
        Fidelity::Flit | Fidelity::Worm => (header, "a header"),
        // The header's part of the stream, gap included.
        Fidelity::Stream => (timing.header_ps.div_ceil(timing.flit_ps), "a header"),
        // All but the last byte of a header may stand there when room for eight more is
        // needed to grant that.
        Fidelity::Token => {
            let content = "a header (room is granted 8 flits at a time)";
            (u64::from(TOKENS_PER_GRANT) + header - 1, content)
        }
    };
    let most = if fidelity == Fidelity::Token { 1 << 18 } else { 1 << 30 };
    let field = "machine.switch.input_buffer_flits";
    match switch.input_buffer_flits {
        Some(input) if u64::from(input) < least => {
            return Err(too_small(input, content, least, fidelity));
        }
        Some(input) => within(field, input.into(), least, most)?,
        None if matches!(fidelity, Fidelity::Token | Fidelity::Stream) => {
            let name = fidelity.name();
            let allowed = format!("must be {least} to {most} flits with fidelity {name}");
            return Err(SpecError::new(field, "unlimited", allowed));
        }
        None => {}
    }
    match fidelity {
        Fidelity::Worm if link.packet_gap_ps > 0 => Err(SpecError::new(
            "machine.link.packet_gap_ps",
            link.packet_gap_ps,
            "must be 0 with fidelity worm, which needs flits at equal distances; use flit",
        )),
        Fidelity::Flit | Fidelity::Worm if is_in_band => Err(SpecError::new(
            "machine.link.flow_control",
            "in_band",
            "must be out_of_band with fidelities flit and worm: flow-control tokens in band \
             delay the data of the other direction; use fidelity token",
        )),
        Fidelity::Token if !is_in_band => Err(SpecError::new(
            "machine.link.flow_control",
            "out_of_band",
            "must be in_band with fidelity token; use worm or flit",
        )),
        Fidelity::Token if switch.output_buffer_flits == 0 => Err(SpecError::new(
            "machine.switch.output_buffer_flits",
            0,
            "must be at least 1 flits with fidelity token",
        )),
        Fidelity::Token => {
            let output = switch.output_buffer_flits.into();
            within("machine.switch.output_buffer_flits", output, 1, 1 << 30)
        }
        _ => Ok(()),
    }
}

/// Refuses an input buffer that does not hold what it must.
fn too_small(input: u32, content: &str, least: u64, fidelity: Fidelity) -> SpecError {
    let name = fidelity.name();
    let allowed = format!("must hold {content}, at least {least} flits with fidelity {name}");
    SpecError::new("machine.switch.input_buffer_flits", input, allowed)
}

/// How messages cross a machine whose nodes are their own switches, in words.
fn crossing(machine: &Machine) -> String {
    let (switching, unit) = (machine.switch.switching, machine.interface.unit);
    format!("with switch.integrated, switching {} and unit {}", switching.name(), unit.name())
}

/// What machines whose nodes are their own switches have.
fn integrated(machine: &Machine, topology: &Topology, fidelity: Fidelity) -> Result<(), SpecError> {
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
        (Switching::Wormhole, _) if machine.link.half_duplex => {
            return refuse("machine.link.half_duplex", "true", "must be false");
        }
        (Switching::Wormhole, _) => {}
        _ if !is_whole => return refuse("fidelity", fidelity.name(), "must be packet"),
        (Switching::Circuit, _) => circuit_choices(machine)?,
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

/// Whoever asks for a channel of a circuit gets it in one of two orders, and the first free one.
fn circuit_choices(machine: &Machine) -> Result<(), SpecError> {
    let (arbiter, selection) = (machine.switch.arbiter, machine.routing.selection);
    if !matches!(arbiter, Arbiter::Fifo | Arbiter::OldestFirst) {
        let allowed = "must be fifo or oldest_first with switching circuit";
        return Err(SpecError::new("machine.switch.arbiter", arbiter.name(), allowed));
    }
    if selection != Selection::First {
        let allowed = "must be first with switching circuit";
        return Err(SpecError::new("machine.routing.selection", selection.name(), allowed));
    }
    Ok(())
}

/// Circuits are taken back channel by channel.
fn circuit_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let routing = &wiring.routing;
    if routing.remembers() || routing.properties().otherwise != Otherwise::Wait {
        let allowed = "must be one that depends on the switch and the destination alone, and \
                       comes nearer at each step, with switching circuit";
        return Err(SpecError::new("machine.routing", machine.routing.algorithm.name(), allowed));
    }
    Ok(())
}

/// A stream has one rate, and so has a node that is its own switch.
fn rates(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let with = match fidelity {
        _ if machine.switch.integrated => crossing(machine),
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
    } else if matches!(&machine.topology, TopologySpec::Graph { links, .. }
        if links.iter().any(|link| differs(&link.class())))
    {
        "machine.topology.links".to_string()
    } else {
        return Ok(());
    };
    let allowed = format!("must be the same everywhere {with}");
    Err(SpecError::new(field, "different rates", allowed))
}

/// Refuses networks that cannot be simulated at a fidelity.
pub fn network(machine: &Machine, wiring: &Wiring, fidelity: Fidelity) -> Result<(), SpecError> {
    use Fidelity::{Flit, Packet, Stream, Token, Worm};
    let (layout, routing) = (&wiring.layout, &wiring.routing);
    if machine.switch.integrated {
        joined_nodes(machine, wiring)?;
    }
    for timing in &wiring.timings {
        longest_packet(machine, timing)?;
    }
    let refuse = |allowed: &str| {
        Err(SpecError::new("machine.routing", machine.routing.algorithm.name(), allowed))
    };
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
        Flit | Worm | Stream | Token if routing.properties().otherwise != Otherwise::Wait => {
            refuse("needs fidelity packet: packets that cannot go on are moved as a whole")
        }
        _ if wiring.passage.is_some_and(|passage| passage.is_wormhole()) => {
            wormhole(machine, wiring)
        }
        Stream | Token if routing.chooses() => refuse(
            "must be one that gives a packet one output with fidelities stream and token; \
             use worm, flit or packet",
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
        Token => way_back(layout, "fidelity token, whose flow-control tokens use it"),
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
        return way_back(&wiring.layout, "chaos, where full switches swap packets over it");
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
    // Of wormholes it is said below, with what else may differ.
    if machine.switch.switching != Switching::Wormhole && !wiring.is_uniform() {
        return refuse("machine.topology", "links with delays of their own", "must have none");
    }
    if has_queues && routing.properties().otherwise != Otherwise::Wait {
        return refuse("machine.routing", name, "must be one whose packets wait");
    }
    let parts = routing.properties().chooses_late || routing.properties().draws;
    if machine.switch.integrated && !machine.sends_whole_messages() && parts {
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
    if !wiring.is_even() {
        let allowed = "must be the same everywhere, and an end token's not longer,";
        return refuse("machine.link_classes", "times of flits that differ".into(), allowed);
    }
    Ok(())
}

/// Refuses links without one of as many wires back.
pub fn way_back(layout: &Layout, with: &str) -> Result<(), SpecError> {
    let Some(group) = layout.one_way() else { return Ok(()) };
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
