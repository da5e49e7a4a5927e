//! What a network must be like to be simulated at a fidelity.

use super::layout::{End, Group, Layout};
use super::{Timing, Wiring};
use crate::error::SpecError;
use crate::measure::ChannelKind;
use crate::routing::Otherwise;
use crate::spec::{
    Fidelity, FlowControl, Machine, Policy, RoutingSpec, Scheme, Selection, Switch, Transport,
};
use crate::topology::{Attachment, Topology};

/// Bound on times of single bits and delays, so that sums cannot overflow.
const LONGEST_PS: u64 = 1_000_000_000_000;

/// Tokens that one flow-control token grants.
pub const TOKENS_PER_GRANT: u32 = 8;

/// Refuses what cannot be simulated.
pub fn machine(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    ranges(machine)?;
    if let Some(transport) = &machine.transport {
        self::transport(machine, transport, topology, fidelity)?;
    }
    flow_control(machine, fidelity)?;
    rates(machine, fidelity)
}

fn ranges(machine: &Machine) -> Result<(), SpecError> {
    let (link, node) = (&machine.link, &machine.node);
    let ranges = [
        ("machine.link.bit_ps", link.bit_ps, 1, LONGEST_PS),
        ("machine.link.data_token_bits", link.data_token_bits.into(), 1, 1_000),
        ("machine.link.control_token_bits", link.control_token_bits.into(), 1, 1_000),
        ("machine.link.header_bytes", link.header_bytes.into(), 1, 1_000),
        ("machine.link.packet_gap_ps", link.packet_gap_ps, 0, LONGEST_PS),
        ("machine.link.credit_delay_ps", link.credit_delay_ps, 0, LONGEST_PS),
        ("machine.link.wire_delay_ps", link.wire_delay_ps, 0, LONGEST_PS),
        ("machine.link.switch_delay_ps", link.switch_delay_ps, 0, LONGEST_PS),
        ("machine.node.packet_bytes", node.packet_bytes.into(), 1, 1 << 24),
    ];
    for (field, value, low, high) in ranges {
        within(field, value, low, high)?;
    }
    for &bit_ps in machine.rates.external_bit_ps.iter().chain(&machine.rates.dimension_bit_ps) {
        within("machine.rates", bit_ps, 1, LONGEST_PS)?;
    }
    if node.time_slice_ps == Some(0) {
        return Err(SpecError::new("machine.node.time_slice_ps", 0, "must be above 0, or absent"));
    }
    Ok(())
}

fn within(field: &'static str, value: u64, low: u64, high: u64) -> Result<(), SpecError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(SpecError::new(field, value, format!("must be {low} to {high}")))
}

/// Buffers and flow control must be such that packets can move.
fn flow_control(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let (link, switch) = (&machine.link, &machine.switch);
    let has_own_queues =
        machine.transport.is_some_and(|transport| transport.scheme != Scheme::Wormhole);
    if has_own_queues {
        return Ok(());
    }
    let is_in_band = link.flow_control == FlowControl::InBand;
    let timing = Timing::new(link);
    let least = match fidelity {
        Fidelity::Packet => timing.packet_tokens(machine.node.packet_bytes).into(),
        Fidelity::Flit | Fidelity::Worm => link.header_bytes.into(),
        // The header's part of the stream, gap included.
        Fidelity::Stream => timing.header_ps.div_ceil(timing.flit_ps),
        // All but the last byte of a header may stand there when room for eight more is
        // needed to grant that.
        Fidelity::Token => (TOKENS_PER_GRANT + link.header_bytes - 1).into(),
    };
    let input = switch.input_buffer_tokens;
    let most = if fidelity == Fidelity::Token { 1 << 18 } else { 1 << 30 };
    within("machine.switch.input_buffer_tokens", input.into(), least, most)?;
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
        Fidelity::Token => {
            let output = switch.output_buffer_tokens.into();
            within("machine.switch.output_buffer_tokens", output, 1, 1 << 30)
        }
        _ => Ok(()),
    }
}

/// Transports are for networks whose nodes and switches are one.
fn transport(
    machine: &Machine,
    transport: &Transport,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    let name = transport.scheme.name();
    let refuse = |field: &str, given: &str, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} with transport {name}")))
    };
    let is_alone = |(node, at): (usize, &Attachment)| match *at {
        Attachment::Switch(switch) => switch.index() == node,
        _ => false,
    };
    let is_direct = topology.switches == topology.nodes
        && topology.attachments.iter().enumerate().all(is_alone);
    let knows_flits = matches!(fidelity, Fidelity::Flit | Fidelity::Worm);
    let is_whole = fidelity == Fidelity::Packet;
    match transport.scheme {
        _ if !is_direct => {
            return refuse("machine.transport", name, "needs a topology with one node per switch");
        }
        _ if machine.node.acknowledges => {
            return refuse("machine.node.acknowledges", "true", "must be false");
        }
        _ if machine.switch.virtual_channels > 1 => {
            let given = machine.switch.virtual_channels.to_string();
            return refuse("machine.switch.virtual_channels", &given, "must be 1");
        }
        Scheme::Wormhole if !knows_flits => {
            return refuse("fidelity", fidelity.name(), "must be worm or flit");
        }
        Scheme::Wormhole if transport.half_duplex => {
            return refuse("machine.transport.half_duplex", "true", "must be false");
        }
        Scheme::Wormhole => {}
        _ if !is_whole => return refuse("fidelity", fidelity.name(), "must be packet"),
        Scheme::Packet { buffers, reserve, .. } => {
            let least = 1 + u64::from(reserve);
            within("machine.transport.scheme.buffers", buffers.into(), least, 1 << 16)?;
        }
        Scheme::Circuit => circuit_choices(machine)?,
        Scheme::Datagram { .. } => {}
    }
    within("machine.transport.early_bytes", transport.early_bytes.into(), 0, 1 << 24)?;
    let first = transport.first_packet_bytes.unwrap_or(1);
    within(
        "machine.transport.first_packet_bytes",
        first.into(),
        1,
        machine.node.packet_bytes.into(),
    )
}

/// Whoever asks for a channel of a circuit gets it in one of two orders, and the first free one.
fn circuit_choices(machine: &Machine) -> Result<(), SpecError> {
    let Switch { policy, selection, .. } = machine.switch;
    if !matches!(policy, Policy::Fifo | Policy::OldestFirst) {
        let allowed = "must be fifo or oldest_first with transport circuit";
        return Err(SpecError::new("machine.switch.policy", policy.name(), allowed));
    }
    if selection != Selection::First {
        let allowed = "must be first with transport circuit";
        return Err(SpecError::new("machine.switch.selection", selection.name(), allowed));
    }
    Ok(())
}

/// Circuits are taken back channel by channel.
fn circuit_network(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let routing = &wiring.routing;
    if routing.remembers() || routing.otherwise() != Otherwise::Wait {
        let allowed = "must be one that depends on the switch and the destination alone, and \
                       comes nearer at each step, with transport circuit";
        return Err(SpecError::new("machine.routing", machine.routing.name(), allowed));
    }
    Ok(())
}

/// Rates that differ need a model that knows of single flits.
fn rates(machine: &Machine, fidelity: Fidelity) -> Result<(), SpecError> {
    let rates = &machine.rates;
    let mut all = rates.external_bit_ps.iter().chain(&rates.dimension_bit_ps);
    let differ = all.any(|&bit_ps| bit_ps != machine.link.bit_ps);
    if differ && matches!(fidelity, Fidelity::Packet | Fidelity::Stream) {
        return Err(SpecError::new(
            "machine.rates",
            "different rates",
            "must be the same everywhere with fidelities packet and stream; use worm, flit or token",
        ));
    }
    Ok(())
}

/// Refuses networks that cannot be simulated at a fidelity.
pub fn network(machine: &Machine, wiring: &Wiring, fidelity: Fidelity) -> Result<(), SpecError> {
    use Fidelity::{Flit, Packet, Stream, Token, Worm};
    let (layout, routing) = (&wiring.layout, &wiring.routing);
    if let Some(transport) = &machine.transport {
        joined_nodes(machine, transport.scheme, wiring)?;
    }
    let refuse =
        |allowed: &str| Err(SpecError::new("machine.routing", machine.routing.name(), allowed));
    if machine.transport.is_some_and(|transport| transport.scheme == Scheme::Circuit) {
        circuit_network(machine, wiring)?;
    }
    if layout.has_shared_wires() && matches!(fidelity, Worm | Stream | Token) {
        return Err(SpecError::new(
            "machine.switch.sharing",
            machine.switch.sharing.name(),
            format!(
                "must be separate with fidelity {}: flits of several packets take turns on a \
                 wire; use flit or packet, or sharing = separate",
                fidelity.name()
            ),
        ));
    }
    match fidelity {
        Flit | Worm | Stream | Token if routing.otherwise() != Otherwise::Wait => {
            refuse("needs fidelity packet: packets that cannot go on are moved as a whole")
        }
        _ if wiring.passage.is_some_and(|passage| passage.is_wormhole()) => {
            wormhole(machine, wiring)
        }
        Stream | Token if routing.chooses() => refuse(
            "must be one that gives a packet one output with fidelities stream and token; \
             use worm, flit or packet",
        ),
        Worm if routing.escapes() > 0 => refuse(
            "must be one without a way out with fidelity worm, which does not look again when \
             flits leave a buffer; use flit or packet",
        ),
        Stream if !wiring.is_uniform() => Err(SpecError::new(
            "machine.topology",
            "links with delays of their own",
            "must all have the same delay with fidelity stream; use worm, flit or packet",
        )),
        Token => way_back(layout, "fidelity token, whose flow-control tokens use it"),
        Packet if routing.otherwise() == Otherwise::Store => {
            way_back(layout, "chaos, where full switches swap packets over it")
        }
        _ => Ok(()),
    }
}

/// What transports ask of links and routing.
fn joined_nodes(machine: &Machine, scheme: Scheme, wiring: &Wiring) -> Result<(), SpecError> {
    let (layout, routing, name) = (&wiring.layout, &wiring.routing, machine.routing.name());
    let refuse = |field: &str, given: &str, allowed: &str| {
        let allowed = format!("{allowed} with transport {}", scheme.name());
        Err(SpecError::new(field, given, allowed))
    };
    let has_queues = scheme.has_queues();
    let is_wide = |group: &Group| group.kind == ChannelKind::Internal && group.width > 1;
    if has_queues && layout.groups.iter().any(is_wide) {
        return refuse("machine.switch.link_width", "above 1", "must be 1");
    }
    // Of wormholes it is said below, with what else may differ.
    if scheme != Scheme::Wormhole && !wiring.is_uniform() {
        return refuse("machine.topology", "links with delays of their own", "must have none");
    }
    if has_queues && routing.otherwise() != Otherwise::Wait {
        return refuse("machine.routing", name, "must be one whose packets wait");
    }
    let chooses_late =
        routing.chooses() && !matches!(machine.routing, RoutingSpec::FirstHop { .. });
    if scheme.sends_packets() && (chooses_late || routing.draws()) {
        let allowed = "must be one that sends all packets of a message one way";
        return refuse("machine.routing", name, allowed);
    }
    Ok(())
}

/// Refuses what integrated nodes do not have with transport wormhole.
fn wormhole(machine: &Machine, wiring: &Wiring) -> Result<(), SpecError> {
    let refuse = |field: &str, given: String, allowed: &str| {
        Err(SpecError::new(field, given, format!("{allowed} with transport wormhole")))
    };
    let is_internal = |group: &&Group| group.kind == ChannelKind::Internal;
    let widest = wiring.layout.groups.iter().filter(is_internal).map(|group| group.width).max();
    if wiring.routing.chooses() {
        let routing = machine.routing.name().to_string();
        return refuse("machine.routing", routing, "must be one that gives a packet one output");
    }
    if let Some(width) = widest.filter(|&width| width > 1) {
        return refuse("machine.switch.link_width", width.to_string(), "must be 1");
    }
    if !wiring.is_even() {
        let allowed = "must be the same everywhere, and an end token's not longer,";
        return refuse("machine.rates", "times of flits that differ".into(), allowed);
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
