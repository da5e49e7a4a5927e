//! Which wires of a switch of the twin have which numbers.

use crate::reference::wiring::{End, Wiring};
use std::collections::BTreeMap;
use tailback_engine::spec::{Machine, PortOrder, TopologySpec};

/// Channels by port, then by virtual channel.
type Ports = Vec<Vec<usize>>;

/// The inputs and the outputs of every switch.
pub fn sides(wiring: &Wiring, machine: &Machine, order: PortOrder) -> Vec<(Ports, Ports)> {
    let ends = wiring.groups.iter().flat_map(|group| [group.from, group.to]);
    let switches = ends.filter_map(|end| match end {
        End::Switch(switch) => Some(switch + 1),
        End::Node(_) => None,
    });
    let side = |switch: usize, is_input: bool| {
        let there = |channel: usize| {
            let group = &wiring.groups[wiring.group_of[channel]];
            let (here, there) =
                if is_input { (group.to, group.from) } else { (group.from, group.to) };
            (here == End::Switch(switch)).then_some(there)
        };
        ports(wiring, there, (machine, switch, order))
    };
    (0..switches.max().unwrap()).map(|at| (side(at, true), side(at, false))).collect()
}

/// Wires by port, of which it is known where their other end is: in the given order.
fn ports(
    wiring: &Wiring,
    there: impl Fn(usize) -> Option<End>,
    (machine, switch, order): (&Machine, usize, PortOrder),
) -> Ports {
    let (mut of_links, mut of_nodes) = (BTreeMap::new(), BTreeMap::new());
    let mut by_dimension = vec![Vec::new(); 2 * dims(machine).len()];
    for (channel, &wire) in wiring.wire_of.iter().enumerate() {
        match there(channel) {
            Some(End::Node(_)) => of_nodes.entry(wire).or_insert_with(Vec::new).push(channel),
            Some(End::Switch(other)) => {
                of_links.entry(wire).or_insert_with(Vec::new).push(channel);
                if matches!(order, PortOrder::Dimensions | PortOrder::NodesThenDimensions) {
                    by_dimension[direction(machine, switch, other)].push(channel);
                }
            }
            None => {}
        }
    }
    let (links, nodes): (Ports, Ports) =
        (of_links.into_values().collect(), of_nodes.into_values().collect());
    match order {
        PortOrder::Channels => [links, nodes].concat(),
        PortOrder::NodesFirst => [nodes, links].concat(),
        PortOrder::Dimensions => [by_dimension, nodes].concat(),
        PortOrder::NodesThenDimensions => [nodes, by_dimension].concat(),
    }
}

fn dims(machine: &Machine) -> &[u32] {
    match &machine.topology {
        TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => dims,
        _ => &[],
    }
}

/// Two for each dimension: towards the larger coordinate, around the end too, and back.
fn direction(machine: &Machine, here: usize, there: usize) -> usize {
    let mut stride = 1;
    for (dimension, &side) in dims(machine).iter().enumerate() {
        let side = side as usize;
        let (from, to) = (here / stride % side, there / stride % side);
        if from != to {
            let ahead = (to + side - from) % side;
            let rises = if side == 2 { to > from } else { ahead == 1 };
            return 2 * dimension + usize::from(!rises);
        }
        stride *= side;
    }
    panic!("it is a neighbour")
}
