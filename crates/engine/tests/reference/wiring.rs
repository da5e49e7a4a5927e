//! Who is wired to whom, written out as plain lists that are searched.

use tailback_engine::spec::{Machine, RoutingSpec, Sharing, TopologySpec};

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
    /// Which of the classes that routing tells apart.
    pub class: usize,
    /// Their numbers, ascending.
    pub channels: Vec<usize>,
}

pub struct Wiring {
    /// Switches along each dimension; a pair is a line of two nodes without switches, a
    /// star one of nodes at one switch.
    pub dims: Vec<usize>,
    is_star: bool,
    pub routing: RoutingSpec,
    pub groups: Vec<Group>,
    /// The group of each channel, and the wire it is on.
    pub group_of: Vec<usize>,
    pub wire_of: Vec<usize>,
}

impl Wiring {
    pub fn new(machine: &Machine) -> Self {
        let dims: Vec<usize> = match &machine.topology {
            TopologySpec::Mesh { dims } => dims.iter().map(|&k| k as usize).collect(),
            // A hypercube is a grid with two switches along each dimension.
            TopologySpec::Hypercube { dimensions } => vec![2; *dimensions as usize],
            TopologySpec::Pair => vec![2],
            TopologySpec::Star { nodes } => vec![*nodes as usize],
            other => panic!("the reference knows no {other:?}"),
        };
        let is_star = matches!(machine.topology, TopologySpec::Star { .. });
        let (groups, group_of, wire_of) = (Vec::new(), Vec::new(), Vec::new());
        let routing = machine.routing.clone();
        let mut wiring = Self { dims, is_star, routing, groups, group_of, wire_of };
        let node_width = machine.node.link_width;
        if machine.topology == TopologySpec::Pair {
            wiring.add(End::Node(0), End::Node(1), node_width);
            wiring.add(End::Node(1), End::Node(0), node_width);
        } else if is_star {
            (0..wiring.nodes()).for_each(|n| wiring.add(End::Node(n), End::Switch(0), node_width));
            (0..wiring.nodes()).for_each(|n| wiring.add(End::Switch(0), End::Node(n), node_width));
        } else {
            wiring.add_switched(node_width, machine);
        }
        wiring
    }

    /// Adds channels in the documented order: injection, internal, ejection.
    fn add_switched(&mut self, node_width: u32, machine: &Machine) {
        for node in 0..self.nodes() {
            self.add(End::Node(node), End::Switch(node), node_width);
        }
        for switch in 0..self.nodes() {
            for dimension in 0..self.dims.len() {
                let at = self.coordinates(switch)[dimension];
                if at > 0 {
                    self.add_internal(switch, dimension, at - 1, machine);
                }
                if at + 1 < self.dims[dimension] {
                    self.add_internal(switch, dimension, at + 1, machine);
                }
            }
        }
        for node in 0..self.nodes() {
            self.add(End::Switch(node), End::Node(node), node_width);
        }
    }

    fn add_internal(&mut self, switch: usize, dimension: usize, to: usize, machine: &Machine) {
        let next = self.moved(switch, dimension, to);
        self.add_link(End::Switch(switch), End::Switch(next), machine.switch.link_width, machine);
    }

    /// Adds a link of so many wires: for each class those of its first channel, then those
    /// of its second, and so on.
    fn add_link(&mut self, from: End, to: End, wires: u32, machine: &Machine) {
        let (first, first_wire) = (self.group_of.len(), self.wires());
        for (class, channels) in self.classes(machine).into_iter().enumerate() {
            self.add_group(from, to, class, wires * channels);
        }
        for channel in 0..self.group_of.len() - first {
            let is_shared = machine.switch.sharing != Sharing::Separate;
            let wire = if is_shared { channel % wires as usize } else { channel };
            self.wire_of.push(first_wire + wire);
        }
    }

    fn add(&mut self, from: End, to: End, width: u32) {
        let first_wire = self.wires();
        self.add_group(from, to, 0, width);
        self.wire_of.extend((0..width as usize).map(|place| first_wire + place));
    }

    fn add_group(&mut self, from: End, to: End, class: usize, width: u32) {
        let first = self.group_of.len();
        let channels = (first..first + width as usize).collect();
        self.group_of.extend((0..width).map(|_| self.groups.len()));
        self.groups.push(Group { from, to, class, channels });
    }

    /// How many wires there are.
    pub fn wires(&self) -> usize {
        self.wire_of.iter().max().map_or(0, |last| last + 1)
    }

    pub fn nodes(&self) -> usize {
        self.dims.iter().product()
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

    /// The switch with coordinate `to` in one dimension and otherwise where `switch` is.
    pub fn moved(&self, switch: usize, dimension: usize, to: usize) -> usize {
        let stride: usize = self.dims[..dimension].iter().product();
        switch - self.coordinates(switch)[dimension] * stride + to * stride
    }

    /// Where a packet goes from its node, or from the only switch there is.
    pub fn only_neighbour(&self, at: End, destination: usize) -> Option<End> {
        match at {
            End::Switch(_) => self.is_star.then_some(End::Node(destination)),
            End::Node(_) => self.groups.iter().find(|group| group.from == at).map(|only| only.to),
        }
    }

    /// Time of one bit on the channels of a group.
    pub fn bit_ps(&self, machine: &Machine, group: usize) -> u64 {
        let ends = (self.groups[group].from, self.groups[group].to);
        let rate = if let (End::Switch(from), End::Switch(to)) = ends {
            let (from, to) = (self.coordinates(from), self.coordinates(to));
            let dimension = (0..from.len()).find(|&d| from[d] != to[d]).expect("they differ");
            machine.rates.dimension_bit_ps.get(dimension).copied()
        } else {
            machine.rates.external_bit_ps
        };
        rate.unwrap_or(machine.link.bit_ps)
    }
}
