//! Who is wired to whom, written out as plain lists that are searched.

use super::hosts::{Hosts, network};
use std::collections::BTreeSet;
use tailback_engine::spec::{
    GraphLink, HalfDuplex, LinkClass, Machine, RoutingSpec, Sharing, TopologySpec,
};

/// One end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Node(usize),
    Switch(usize),
}

/// All channels of one class on one link.
pub struct Group {
    pub from: End,
    pub to: End,
    /// Which of the links from its switch it is on, and which of the classes there that
    /// routing tells apart.
    pub port: usize,
    pub class: usize,
    /// Which traffic classes may use them, see [`Wiring::shares`].
    pub share: usize,
    /// What differs from other links.
    pub own: LinkClass,
    /// Their numbers, ascending.
    pub channels: Vec<usize>,
}

pub struct Wiring {
    /// Switches along each dimension; a pair is a line of two nodes without switches, a
    /// star one of nodes at one switch.
    pub dims: Vec<usize>,
    /// Whether lines of more than two switches are closed to rings.
    wraps: bool,
    /// The switches of the network that nodes, or the interfaces of hosts, send to, and those they receive from.
    enters: Vec<usize>,
    leaves: Vec<usize>,
    pub hosts: Option<Hosts>,
    pub routing: RoutingSpec,
    /// What differs between nodes and switches.
    of_nodes: LinkClass,
    /// By share of the virtual channels of a link how many it has, and on links of nodes.
    shares: Vec<u32>,
    node_shares: Vec<u32>,
    /// By traffic class its share.
    share_of: Vec<usize>,
    pub groups: Vec<Group>,
    /// The group of each channel, and the wire it is on.
    pub group_of: Vec<usize>,
    pub wire_of: Vec<usize>,
    /// Of each channel, whether it is on the wire of one in the other direction.
    pub is_against: Vec<bool>,
    /// The groups that tables avoid at this instant.
    pub avoided: BTreeSet<usize>,
}

impl Wiring {
    pub fn new(machine: &Machine) -> Self {
        let topology = network(&machine.topology);
        let dims: Vec<usize> = match topology {
            TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => {
                dims.iter().map(|&k| k as usize).collect()
            }
            // A hypercube is a grid with two switches along each dimension.
            TopologySpec::Hypercube { dimensions } => vec![2; *dimensions as usize],
            TopologySpec::Pair => vec![2],
            TopologySpec::Star { .. } | TopologySpec::Graph { .. } => Vec::new(),
            other => panic!("the reference knows no {other:?}"),
        };
        let (enters, leaves) = attachments(topology, dims.iter().product());
        let first = match topology {
            TopologySpec::Graph { switches, .. } => *switches as usize,
            _ => dims.iter().product(),
        };
        let hosts = Hosts::of(&machine.topology, first);
        let (groups, group_of, wire_of) = (Vec::new(), Vec::new(), Vec::new());
        let (is_against, avoided) = (Vec::new(), BTreeSet::new());
        let (routing, of_nodes) = (machine.routing.algorithm.clone(), machine.node_link());
        let wraps = matches!(topology, TopologySpec::Torus { .. });
        let (shares, share_of) = shares(machine);
        let (links, nodes) =
            (machine.switch.virtual_channels, machine.switch.node_virtual_channels);
        let node_shares = if links == nodes { shares.clone() } else { vec![nodes] };
        #[rustfmt::skip]
        let mut wiring = Self { dims, wraps, enters, leaves, hosts, routing, of_nodes,
            shares, node_shares, share_of, groups, group_of, wire_of, is_against, avoided };
        let node_width = machine.node_width();
        if machine.topology == TopologySpec::Pair {
            wiring.add(End::Node(0), End::Node(1), node_width);
            wiring.add(End::Node(1), End::Node(0), node_width);
        } else {
            wiring.add_switched(node_width, machine);
        }
        wiring.is_against = vec![false; wiring.group_of.len()];
        wiring.join_directions(machine);
        wiring
    }

    /// Channels of half-duplex links go over to the wires of those that were numbered before
    /// them and lead back, class by class.
    fn join_directions(&mut self, machine: &Machine) {
        let is_half = |group: &Group| {
            let is_node = |end| matches!(end, End::Node(_));
            let is_outside = is_node(group.from) || is_node(group.to);
            let half = group.own.half_duplex.unwrap_or(machine.link.half_duplex);
            half != HalfDuplex::No && !(is_outside && machine.switch.integrated)
        };
        // Where several groups go the same way, each has its own that leads back.
        let mut taken = vec![false; self.groups.len()];
        for place in 0..self.groups.len() {
            let group = &self.groups[place];
            let leads_back = |other: &usize| {
                let other = &self.groups[*other];
                (other.from, other.to) == (group.to, group.from)
            };
            let mut before = (0..place).filter(|&other| !taken[other]);
            let Some(back) = before.find(leads_back).filter(|_| is_half(group)) else { continue };
            taken[back] = true;
            for (&channel, &other) in group.channels.iter().zip(&self.groups[back].channels) {
                self.wire_of[channel] = self.wire_of[other];
                self.is_against[channel] = true;
            }
        }
    }

    /// Adds channels in the documented order: injection, internal, ejection.
    fn add_switched(&mut self, node_width: u32, machine: &Machine) {
        for node in 0..self.nodes() {
            self.add(End::Node(node), End::Switch(self.enters(node)), node_width);
        }
        if let TopologySpec::Graph { switches, links, .. } = network(&machine.topology) {
            for switch in 0..*switches {
                self.add_listed(switch, links, machine);
                self.add_interfaces(switch as usize, machine);
            }
        } else {
            self.add_grid(machine);
        }
        let hosts = self.hosts.iter().flat_map(Hosts::switches);
        for switch in hosts.collect::<Vec<usize>>() {
            self.add_interfaces(switch, machine);
        }
        for node in 0..self.nodes() {
            self.add(End::Switch(self.home(node)), End::Node(node), node_width);
        }
    }

    fn add_grid(&mut self, machine: &Machine) {
        for switch in 0..self.dims.iter().product() {
            for dimension in 0..self.dims.len() {
                let at = self.coordinates(switch)[dimension];
                let beside = [false, true].map(|grows| self.beside(dimension, at, grows));
                for next in beside.into_iter().flatten() {
                    self.add_internal(switch, dimension, next, machine);
                }
            }
            self.add_interfaces(switch, machine);
        }
    }

    /// Adds the links of a list that are from one switch.
    fn add_listed(&mut self, switch: u32, links: &[GraphLink], machine: &Machine) {
        for (port, link) in links.iter().filter(|link| link.from == switch).enumerate() {
            let (from, to) = (End::Switch(link.from as usize), End::Switch(link.to as usize));
            let first = self.groups.len();
            self.add_link(from, to, link.width.into(), machine);
            for group in &mut self.groups[first..] {
                (group.port, group.own) = (port, link.differs());
            }
        }
    }

    fn add_internal(&mut self, switch: usize, dimension: usize, to: usize, machine: &Machine) {
        let next = self.moved(switch, dimension, to);
        let (first, name) = (self.groups.len(), ["x", "y", "z", "x3", "x4"][dimension]);
        let own = machine.link_classes.get(name).copied().unwrap_or_default();
        let width = own.width.unwrap_or(machine.link.width);
        self.add_link(End::Switch(switch), End::Switch(next), width, machine);
        self.groups[first..].iter_mut().for_each(|group| group.own = own);
    }

    /// Adds a link of so many wires: share by share, for each class those of its first channel,
    /// then those of its second, and so on.
    pub fn add_link(&mut self, from: End, to: End, wires: u32, machine: &Machine) {
        let (first, first_wire) = (self.group_of.len(), self.wires());
        for (share, all) in self.shares.clone().into_iter().enumerate() {
            for (class, channels) in self.classes(all, machine).into_iter().enumerate() {
                self.add_group((from, to), (share, class), wires * channels);
            }
        }
        for channel in 0..self.group_of.len() - first {
            let is_shared = machine.link.sharing != Sharing::Separate;
            let wire = if is_shared { channel % wires as usize } else { channel };
            self.wire_of.push(first_wire + wire);
        }
    }

    /// Adds a link of so many wires from or to a node.
    fn add(&mut self, from: End, to: End, width: u32) {
        let (first_wire, channels) = (self.wires(), width * self.node_shares.iter().sum::<u32>());
        for (share, size) in self.node_shares.clone().into_iter().enumerate() {
            self.add_group((from, to), (share, 0), width * size);
        }
        let wire = |place: u32| first_wire + (place % width) as usize;
        self.wire_of.extend((0..channels).map(wire));
    }

    fn add_group(&mut self, (from, to): (End, End), (share, class): (usize, usize), width: u32) {
        let first = self.group_of.len();
        let channels = (first..first + width as usize).collect();
        let is_node = |end| matches!(end, End::Node(_));
        let is_outside = is_node(from) || is_node(to);
        let usual = if is_outside { self.of_nodes } else { LinkClass::default() };
        let own = match (from, to, &self.hosts) {
            (End::Node(node), _, Some(hosts)) | (_, End::Node(node), Some(hosts)) => {
                hosts.inside(node, usual)
            }
            _ => usual,
        };
        self.group_of.extend((0..width).map(|_| self.groups.len()));
        self.groups.push(Group { from, to, port: 0, class, share, own, channels });
    }

    /// The share of a traffic class.
    pub fn share_of(&self, traffic: usize) -> usize {
        self.share_of.get(traffic).copied().unwrap_or(0)
    }

    /// The group beside one that a traffic class uses; that one itself where none has its own.
    pub fn group_for(&self, group: usize, traffic: usize) -> usize {
        let (one, share) = (&self.groups[group], self.share_of(traffic));
        let is_beside = |other: &Group| {
            (other.from, other.to, other.port) == (one.from, one.to, one.port)
                && (other.class, other.share) == (one.class, share)
        };
        self.groups.iter().position(is_beside).unwrap_or(group)
    }

    /// How many wires there are.
    pub fn wires(&self) -> usize {
        self.wire_of.iter().max().map_or(0, |last| last + 1)
    }

    pub fn nodes(&self) -> usize {
        self.hosts.as_ref().map_or(self.enters.len(), Hosts::nodes)
    }

    pub fn switches(&self) -> usize {
        let last = |group: &Group| match group.from {
            End::Switch(switch) => switch + 1,
            End::Node(_) => 0,
        };
        self.groups.iter().map(last).max().unwrap_or(0)
    }

    /// The switch a node sends to.
    pub fn enters(&self, node: usize) -> usize {
        self.behind_hosts(node, &self.enters)
    }

    /// The switch a node receives from.
    pub fn home(&self, node: usize) -> usize {
        self.behind_hosts(node, &self.leaves)
    }

    fn behind_hosts(&self, node: usize, of_interfaces: &[usize]) -> usize {
        let Some(hosts) = &self.hosts else { return of_interfaces[node] };
        hosts.switch(node).unwrap_or_else(|| of_interfaces[hosts.own(node)])
    }

    /// The switch of the network that a node without a host, or an interface, sends to.
    pub fn network_enters(&self, interface: usize) -> usize {
        self.enters[interface]
    }

    /// The switch of the network by which packets leave it for a node without a host, or for an interface.
    pub fn leaves_by(&self, interface: usize) -> usize {
        self.leaves[interface]
    }

    /// How many nodes there are without hosts, or interfaces.
    pub fn interfaces(&self) -> usize {
        self.enters.len()
    }

    /// The coordinates of a node; dimension 0 runs fastest.
    pub fn coordinates(&self, node: usize) -> Vec<usize> {
        let mut rest = node;
        let digit = |&k: &usize| {
            let digit = rest % k;
            rest /= k;
            digit
        };
        self.dims.iter().map(digit).collect()
    }

    /// The coordinate next to another in a dimension, if there is one.
    pub fn beside(&self, dimension: usize, at: usize, grows: bool) -> Option<usize> {
        let side = self.dims[dimension];
        let is_last = at == if grows { side - 1 } else { 0 };
        if is_last && !self.is_ring(dimension) {
            return None;
        }
        Some((at + if grows { 1 } else { side - 1 }) % side)
    }

    /// Whether the lines of a dimension are rings.
    pub fn is_ring(&self, dimension: usize) -> bool {
        self.wraps && self.dims[dimension] > 2
    }

    /// The switch with coordinate `to` in one dimension and otherwise where `switch` is.
    pub fn moved(&self, switch: usize, dimension: usize, to: usize) -> usize {
        let stride: usize = self.dims[..dimension].iter().product();
        switch - self.coordinates(switch)[dimension] * stride + to * stride
    }

    /// The times of a data flit and of a control token on the channels of a group.
    pub fn flit_times(&self, machine: &Machine, group: usize) -> [u64; 2] {
        let (own, link) = (&self.groups[group].own, &machine.link);
        [own.flit_ps.unwrap_or(link.flit_ps), own.control_ps.unwrap_or(link.control_ps)]
    }

    /// The time a flit is on the wires of a group.
    pub fn delay_ps(&self, machine: &Machine, group: usize) -> u64 {
        self.groups[group].own.delay_ps.unwrap_or(machine.link.delay_ps)
    }
}

/// By share, in order of their virtual channels, how many it has, and by traffic class its share.
fn shares(machine: &Machine) -> (Vec<u32>, Vec<usize>) {
    let (all, classes) = (machine.switch.virtual_channels, &machine.routing.traffic_classes);
    let ranges = classes.iter().map(|one| one.virtual_channels.unwrap_or((0, all - 1)));
    let ranges: Vec<(u32, u32)> = ranges.collect();
    let firsts = (0..all).filter(|&first| ranges.iter().any(|range| range.0 == first));
    let firsts: Vec<u32> = firsts.collect();
    if firsts.len() < 2 {
        return (vec![all], Vec::new());
    }
    let size = |first: &u32| {
        let range = ranges.iter().find(|range| range.0 == *first).expect("it begins one");
        range.1 - first + 1
    };
    let place = |range: &(u32, u32)| firsts.iter().position(|&first| first == range.0).unwrap();
    (firsts.iter().map(size).collect(), ranges.iter().map(place).collect())
}

/// The switches that nodes send to, and those they receive from.
fn attachments(topology: &TopologySpec, nodes: usize) -> (Vec<usize>, Vec<usize>) {
    let numbers = |list: &[u32]| list.iter().map(|&switch| switch as usize).collect();
    match topology {
        TopologySpec::Star { nodes } => (vec![0; *nodes as usize], vec![0; *nodes as usize]),
        TopologySpec::Graph { nodes, leaves, .. } => {
            (numbers(nodes), numbers(if leaves.is_empty() { nodes } else { leaves }))
        }
        _ => ((0..nodes).collect(), (0..nodes).collect()),
    }
}
