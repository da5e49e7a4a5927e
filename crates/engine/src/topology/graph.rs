//! Any switches and links, as a list.
//!
//! Nodes and switches have the numbers they are listed under. The ports of a switch are
//! the links from it, in the order of the list; links listed twice are two links.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MAX_NODES, MOST_PORTS};
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::spec::{GraphLink, LinkClass};
use std::fmt::Display;

/// The graph with these `links`; `nodes` are the switches that nodes send to, and `leaves` those
/// they receive from if there are others. `node_links`: what differs on the links of each node;
/// `classes`: the names of the classes of links, if there are any.
pub(super) fn build(
    switches: u32,
    links: &[GraphLink],
    nodes: &[u32],
    leaves: &[u32],
    (node_links, classes): (&[LinkClass], &[String]),
) -> Result<Topology, SpecError> {
    check_nodes(switches, nodes, leaves)?;
    check_node_links(nodes.len(), node_links)?;
    let mut degree = vec![0; switches as usize];
    for (number, link) in links.iter().enumerate() {
        check_link(switches, number, link, classes.len())?;
        degree[link.from as usize] += 1;
    }
    let ports: usize = degree.iter().copied().max().unwrap_or(0);
    let slots = degree.len() * ports;
    if slots as u64 > MOST_PORTS {
        let allowed = format!("must give at most {MOST_PORTS} ports of switches");
        return Err(refused("links", links.len(), allowed));
    }
    let mut topology = Topology {
        family: Family::Graph,
        nodes: nodes.len(),
        switches: switches as usize,
        ports,
        neighbours: vec![SwitchId::NONE; slots],
        widths: vec![1; slots],
        attachments: attachments(nodes, leaves),
        node_links: node_links.to_vec(),
        class_names: classes.to_vec(),
        class_of: vec![0; if classes.is_empty() { 0 } else { slots }],
        ..Topology::default()
    };
    if links.iter().any(|link| link.differs() != LinkClass::default()) {
        topology.differing_links = vec![LinkClass::default(); slots];
    }
    degree.fill(0);
    for link in links {
        let from = link.from as usize;
        let at = from * ports + degree[from];
        degree[from] += 1;
        topology.neighbours[at] = SwitchId(link.to);
        topology.widths[at] = link.width;
        if let Some(own) = topology.differing_links.get_mut(at) {
            *own = link.differs();
        }
        if let Some(class) = topology.class_of.get_mut(at) {
            *class = link.class;
        }
    }
    if let Some((from, to)) = first_unreached(&topology) {
        let allowed = format!("must lead from every node to every other; none leads to node {to}");
        return Err(refused("links", format!("no way from node {from}"), allowed));
    }
    Ok(topology)
}

fn attachments(nodes: &[u32], leaves: &[u32]) -> Vec<Attachment> {
    let ends = |(node, &enters): (usize, &u32)| match leaves.get(node) {
        Some(&leaves) if leaves != enters => {
            Attachment::Ends { enters: SwitchId(enters), leaves: SwitchId(leaves) }
        }
        _ => Attachment::Switch(SwitchId(enters)),
    };
    nodes.iter().enumerate().map(ends).collect()
}

fn refused(field: impl Display, given: impl Display, allowed: impl Into<String>) -> SpecError {
    SpecError::new(format!("machine.topology.{field}"), given, allowed)
}

fn check_nodes(switches: u32, nodes: &[u32], leaves: &[u32]) -> Result<(), SpecError> {
    if !(1..=MAX_NODES).contains(&u64::from(switches)) {
        return Err(refused("switches", switches, format!("must be 1 to {MAX_NODES}")));
    }
    if !(2..=MAX_NODES).contains(&(nodes.len() as u64)) {
        let given = format!("{} nodes", nodes.len());
        return Err(refused("nodes", given, format!("must be 2 to {MAX_NODES}")));
    }
    if !leaves.is_empty() && leaves.len() != nodes.len() {
        let given = format!("{} switches", leaves.len());
        return Err(refused("leaves", given, format!("must be {}, as nodes", nodes.len())));
    }
    for (field, list) in [("nodes", nodes), ("leaves", leaves)] {
        if let Some(node) = list.iter().position(|&switch| switch >= switches) {
            let allowed = format!("must be a switch, 0 to {}", switches - 1);
            return Err(refused(format!("{field}[{node}]"), list[node], allowed));
        }
    }
    Ok(())
}

fn check_node_links(nodes: usize, links: &[LinkClass]) -> Result<(), SpecError> {
    if !links.is_empty() && links.len() != nodes {
        let given = format!("{} links", links.len());
        return Err(refused("node_links", given, format!("must be {nodes}, as nodes")));
    }
    for (node, link) in links.iter().enumerate() {
        check_times(|name| format!("node_links[{node}].{name}"), link)?;
    }
    Ok(())
}

fn check_times(field: impl Fn(&str) -> String, link: &LinkClass) -> Result<(), SpecError> {
    let ranges = [
        ("flit_ps", link.flit_ps, LinkClass::FLIT_PS),
        ("control_ps", link.control_ps, LinkClass::FLIT_PS),
        ("delay_ps", link.delay_ps, LinkClass::DELAY_PS),
    ];
    for (name, given, (low, high)) in ranges {
        if let Some(given) = given.filter(|given| !(low..=high).contains(given)) {
            return Err(refused(field(name), given, format!("must be {low} to {high}")));
        }
    }
    Ok(())
}

fn check_link(
    switches: u32,
    number: usize,
    link: &GraphLink,
    classes: usize,
) -> Result<(), SpecError> {
    let field = |name: &str| format!("links[{number}].{name}");
    for (name, end) in [("from", link.from), ("to", link.to)] {
        if end >= switches {
            let allowed = format!("must be a switch, 0 to {}", switches - 1);
            return Err(refused(field(name), end, allowed));
        }
    }
    if link.from == link.to {
        return Err(refused(field("to"), link.to, "must not be the switch it comes from"));
    }
    if !(1..=255).contains(&link.width) {
        return Err(refused(field("width"), link.width, "must be 1 to 255"));
    }
    if usize::from(link.class) >= classes.max(1) {
        let allowed = format!("must be one of {classes} classes");
        return Err(refused(field("class"), link.class, allowed));
    }
    check_times(field, &link.differs())
}

/// The first node that cannot reach another, and that.
pub(super) fn first_unreached(topology: &Topology) -> Option<(usize, usize)> {
    let ends = |node: usize| {
        let at = topology.attachments[node];
        (at.enters().unwrap_or(SwitchId::NONE), at.leaves().unwrap_or(SwitchId::NONE))
    };
    let mut entries: Vec<(SwitchId, usize)> =
        (0..topology.nodes).map(|node| (ends(node).0, node)).collect();
    let one_place = topology.attachments.iter().all(|at| matches!(at, Attachment::Switch(_)));
    let unreached = |from: usize, reached: &[bool]| {
        (0..topology.nodes).find(|&to| to != from && !reached[ends(to).1.index()])
    };
    // Where nodes enter as they leave, all reach all if one does and is reached by all.
    if one_place {
        let start = ends(0).0;
        if let Some(to) = unreached(0, &reached(topology.switches, start, &forward(topology))) {
            return Some((0, to));
        }
        let back = reached(topology.switches, start, &backward(topology));
        return unreached(0, &back).map(|from| (from, 0));
    }
    entries.sort_unstable();
    entries.dedup_by_key(|(switch, _)| *switch);
    let links = forward(topology);
    for (switch, from) in entries {
        if let Some(to) = unreached(from, &reached(topology.switches, switch, &links)) {
            return Some((from, to));
        }
    }
    None
}

/// Per switch the switches that links lead to.
fn forward(topology: &Topology) -> Vec<Vec<SwitchId>> {
    let switches = (0..topology.switches).map(SwitchId::from_index);
    switches.map(|switch| topology.links(switch).map(|(_, to)| to).collect()).collect()
}

/// Per switch the switches that links come from.
fn backward(topology: &Topology) -> Vec<Vec<SwitchId>> {
    let mut sources = vec![Vec::new(); topology.switches];
    for from in (0..topology.switches).map(SwitchId::from_index) {
        for (_, to) in topology.links(from) {
            sources[to.index()].push(from);
        }
    }
    sources
}

fn reached(switches: usize, start: SwitchId, links: &[Vec<SwitchId>]) -> Vec<bool> {
    let mut reached = vec![false; switches];
    reached[start.index()] = true;
    let mut waiting = vec![start];
    while let Some(switch) = waiting.pop() {
        for &next in &links[switch.index()] {
            if !std::mem::replace(&mut reached[next.index()], true) {
                waiting.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(
        switches: u32,
        links: &[GraphLink],
        nodes: &[u32],
        leaves: &[u32],
    ) -> Result<Topology, SpecError> {
        super::build(switches, links, nodes, leaves, (&[], &[]))
    }

    fn link(from: u32, to: u32) -> GraphLink {
        GraphLink::new(from, to, 1)
    }

    fn both(pairs: &[(u32, u32)]) -> Vec<GraphLink> {
        pairs.iter().flat_map(|&(a, b)| [link(a, b), link(b, a)]).collect()
    }

    #[test]
    fn ports_are_links_in_the_order_of_the_list() {
        let mut links = both(&[(0, 1), (1, 2)]);
        links.push(GraphLink { delay_ps: Some(7), ..GraphLink::new(1, 2, 3) });
        let graph = build(3, &links, &[0, 2, 2], &[]).unwrap();
        assert_eq!((graph.nodes, graph.switches, graph.ports), (3, 3, 3));
        let of_one: Vec<_> = graph.links(SwitchId(1)).collect();
        assert_eq!(of_one, [(0, SwitchId(0)), (1, SwitchId(2)), (2, SwitchId(2))]);
        assert_eq!((graph.width(SwitchId(1), 2, 9), graph.delay(SwitchId(1), 2)), (3, Some(7)));
        assert_eq!((graph.width(SwitchId(1), 1, 9), graph.delay(SwitchId(1), 1)), (1, None));
        assert_eq!(graph.neighbour(SwitchId(0), 1), SwitchId::NONE);
        assert!(graph.is_symmetric());
        assert_eq!(graph.bisection_channels(1), None);
    }

    #[test]
    fn links_may_lead_one_way() {
        let ring = build(3, &[link(0, 1), link(1, 2), link(2, 0)], &[0, 1, 2], &[]).unwrap();
        assert!(!ring.is_symmetric());
        assert_eq!(ring.first_one_way(), Some((SwitchId(0), SwitchId(1))));
        let ends = build(2, &[link(0, 1)], &[0, 0], &[1, 1]).unwrap();
        assert_eq!(ends.attachments[1].leaves(), Some(SwitchId(1)));
    }

    #[test]
    fn bad_graphs_are_refused_in_one_line() {
        let too_wide = GraphLink { width: 0, ..link(0, 1) };
        let too_long = GraphLink { delay_ps: Some(u64::MAX), ..link(0, 1) };
        type Case<'a> = (u32, Vec<GraphLink>, &'a [u32], &'a [u32], &'a str);
        let cases: [Case; 12] = [
            (0, vec![], &[0, 0], &[], "switches = 0: must be 1 to 1048576"),
            (1, vec![], &[0], &[], "nodes = 1 nodes: must be 2 to 1048576"),
            (1, vec![], &[0, 1], &[], "nodes[1] = 1: must be a switch, 0 to 0"),
            (1, vec![], &[0, 0], &[0], "leaves = 1 switches: must be 2, as nodes"),
            (1, vec![], &[0, 0], &[0, 4], "leaves[1] = 4: must be a switch, 0 to 0"),
            (2, vec![link(0, 2)], &[0, 1], &[], "links[0].to = 2: must be a switch, 0 to 1"),
            (2, vec![link(3, 1)], &[0, 1], &[], "links[0].from = 3: must be a switch, 0 to 1"),
            (2, vec![link(1, 1)], &[0, 1], &[], "links[0].to = 1: must not be the switch it"),
            (2, vec![too_wide], &[0, 1], &[], "links[0].width = 0: must be 1 to 255"),
            (2, vec![too_long], &[0, 1], &[], "must be 0 to 1000000000000"),
            (
                2,
                vec![link(0, 1)],
                &[0, 1, 1],
                &[],
                "links = no way from node 1: must lead from every node to every other; \
                 none leads to node 0",
            ),
            (4, both(&[(0, 1), (2, 3)]), &[1, 0, 2, 3], &[], "from node 0: must lead from"),
        ];
        for (switches, links, nodes, leaves, expected) in cases {
            let error = build(switches, &links, nodes, leaves).unwrap_err().to_string();
            assert!(error.starts_with("machine.topology."), "{error}");
            assert!(error.contains(expected), "{error}");
        }
        let one_way = build(3, &[link(0, 1)], &[0, 0, 2], &[1, 1, 2]).unwrap_err();
        assert_eq!(one_way.given, "no way from node 0");
    }
}
