//! Hosts with several interfaces: each is a switch of its own behind those of the network, with a
//! link to the switch of every interface and its nodes.
//!
//! Switches of the network keep their numbers and ports. Hosts come behind them, in the order of
//! their numbers. A host leaves by port `ports + place` of its switch, where `ports` are those of the
//! network and the place is that of the interface; the k-th such interface of a switch of the network
//! is at its port `ports + k`. A host with one interface and one node has no switch: its node is on
//! the network, as without hosts.

use super::base::{Attachment, Hosts, Topology};
use super::family::Family;
use super::limits::{MAX_NODES, MOST_PORTS};
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::spec;
use crate::spec::LinkClass;
use std::fmt::Display;

/// The class of the links between hosts and the network.
const CLASS: &str = "interfaces";

/// A network with hosts.
///
/// # Errors
/// Lists that do not fit the network, or hosts without interfaces or nodes.
pub(super) fn build(network: &Topology, spec: &spec::Hosts) -> Result<Topology, SpecError> {
    let mut hosts = grouped(network, spec)?;
    let mut ends = Vec::new();
    let mut switches = network.switches;
    let mut used = vec![0; network.switches];
    let mut nodes_of = vec![0_u32; hosts.hosts.len()];
    for &own in &hosts.own {
        nodes_of[hosts.places[own as usize].0 as usize] += 1;
    }
    for (host, (interfaces, switch)) in hosts.hosts.iter_mut().enumerate() {
        if nodes_of[host] == 0 {
            return Err(refused("own", format!("host {host}"), "must have a node"));
        }
        if interfaces.len() == 1 && nodes_of[host] == 1 {
            continue;
        }
        *switch = SwitchId::from_index(switches);
        switches += 1;
        for (place, &interface) in interfaces.iter().enumerate() {
            let at = network.attachments[interface as usize];
            let (Some(enters), Some(leaves)) = (at.enters(), at.leaves()) else {
                let allowed = "must be left out: needs a network with switches";
                return Err(SpecError::new("machine.hosts", "", allowed));
            };
            let port = network.ports + used[leaves.index()];
            used[leaves.index()] += 1;
            hosts.exits[interface as usize] = Some(port);
            ends.push(Cable { interface, host: *switch, place, enters, leaves, port });
        }
    }
    let behind = hosts.hosts.iter().map(|(interfaces, _)| interfaces.len());
    let ports = network.ports + used.into_iter().chain(behind).max().unwrap_or(0);
    if (switches * ports) as u64 > MOST_PORTS {
        let allowed = format!("must give at most {MOST_PORTS} ports of switches");
        return Err(SpecError::new("machine.hosts", hosts.places.len(), allowed));
    }
    Ok(joined(hosts, spec.inside, &ends, (switches, ports)))
}

/// An interface of a host with a switch, and the ends of its two directions.
struct Cable {
    interface: u32,
    host: SwitchId,
    place: usize,
    enters: SwitchId,
    leaves: SwitchId,
    port: usize,
}

fn refused(field: &str, given: impl Display, allowed: impl Into<String>) -> SpecError {
    SpecError::new(format!("machine.hosts.{field}"), given, allowed)
}

/// The interfaces by host, without switches.
fn grouped(network: &Topology, spec: &spec::Hosts) -> Result<Hosts, SpecError> {
    let count = network.nodes;
    if !(2..=MAX_NODES).contains(&(spec.own.len() as u64)) {
        let allowed = format!("must be 2 to {MAX_NODES}");
        return Err(refused("own", format!("{} nodes", spec.own.len()), allowed));
    }
    let mut places = vec![None; count];
    for (host, interfaces) in (0..).zip(&spec.interfaces) {
        if interfaces.is_empty() {
            return Err(refused("interfaces", format!("host {host}"), "must have an interface"));
        }
        for (place, &interface) in (0..).zip(interfaces) {
            let unknown =
                || refused("interfaces", interface, format!("must be 0 to {}", count - 1));
            let at = places.get_mut(interface as usize).ok_or_else(unknown)?;
            if at.replace((host, place)).is_some() {
                return Err(refused("interfaces", interface, "must be of one host"));
            }
        }
    }
    let places: Option<Vec<(u32, u32)>> = places.into_iter().collect();
    let places = places.ok_or_else(|| refused("interfaces", "", "must have all nodes"))?;
    if let Some(&own) = spec.own.iter().find(|&&own| own as usize >= count) {
        return Err(refused("own", own, format!("must be an interface, 0 to {}", count - 1)));
    }
    let hosts = spec.interfaces.iter().map(|own| (own.clone(), SwitchId::NONE)).collect();
    Ok(Hosts {
        network: network.clone(),
        rule: spec.rule,
        places,
        hosts,
        own: spec.own.clone(),
        exits: vec![None; count],
        delay_ps: spec.delay_ps,
    })
}

/// The network and the switches of its hosts as one.
fn joined(
    hosts: Hosts,
    inside: LinkClass,
    ends: &[Cable],
    (switches, ports): (usize, usize),
) -> Topology {
    let network = &hosts.network;
    let slots = switches * ports;
    let mut neighbours = vec![SwitchId::NONE; slots];
    let mut class_names = network.link_classes();
    let is_named = !class_names.is_empty();
    if !is_named {
        class_names.push("network".into());
    }
    let class =
        class_names.iter().position(|name| name == CLASS).unwrap_or(class_names.len()) as u16;
    if usize::from(class) == class_names.len() {
        class_names.push(CLASS.into());
    }
    let mut class_of = vec![0; slots];
    let mut widths = vec![0; if network.widths.is_empty() { 0 } else { slots }];
    let differ = !network.differing_links.is_empty() || !network.node_links.is_empty();
    let mut differing_links = vec![LinkClass::default(); if differ { slots } else { 0 }];
    for switch in 0..network.switches {
        for port in 0..network.ports {
            let (old, new) = (switch * network.ports + port, switch * ports + port);
            neighbours[new] = network.neighbours[old];
            if !neighbours[new].is_some() {
                continue;
            }
            if is_named {
                class_of[new] = network.link_class(old) as u16;
            }
            if let Some(&width) = network.widths.get(old) {
                widths[new] = width;
            }
            if let Some(&own) = network.differing_links.get(old) {
                differing_links[new] = own;
            }
        }
    }
    for cable in ends {
        let out = cable.host.index() * ports + network.ports + cable.place;
        let back = cable.leaves.index() * ports + cable.port;
        (neighbours[out], neighbours[back]) = (cable.enters, cable.host);
        (class_of[out], class_of[back]) = (class, class);
        if let Some(&own) = network.node_links.get(cable.interface as usize) {
            (differing_links[out], differing_links[back]) = (own, own);
        }
    }
    let at = |&own: &u32| {
        let switch = hosts.hosts[hosts.places[own as usize].0 as usize].1;
        switch.is_some().then_some(switch)
    };
    let attachment =
        |own: &u32| at(own).map_or(network.attachments[*own as usize], Attachment::Switch);
    let node_link = |own: &u32| match at(own) {
        Some(_) => inside,
        None => network.node_links.get(*own as usize).copied().unwrap_or_default(),
    };
    Topology {
        family: Family::Graph,
        nodes: hosts.own.len(),
        switches,
        ports,
        neighbours,
        widths,
        differing_links,
        node_links: hosts.own.iter().map(node_link).collect(),
        class_names,
        class_of,
        attachments: hosts.own.iter().map(attachment).collect(),
        dims: Vec::new(),
        wraps: false,
        failed: network.failed.clone(),
        hosts: Some(Box::new(hosts)),
    }
}
