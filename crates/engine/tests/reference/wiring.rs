//! Who is wired to whom, written out as plain lists that are searched.

use tailback_engine::spec::{Machine, RoutingSpec, TopologySpec};

/// One end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Node(usize),
    Switch(usize),
}

/// All channels from one place to another.
pub struct Group {
    pub from: End,
    pub to: End,
    /// Their numbers, ascending.
    pub channels: Vec<usize>,
}

pub struct Wiring {
    /// Switches along each dimension; a pair is a line of two nodes without switches, a
    /// star one of nodes at one switch.
    dims: Vec<usize>,
    is_star: bool,
    /// The dimensions in the order they are routed.
    order: Vec<usize>,
    pub groups: Vec<Group>,
    /// The group of each channel.
    pub group_of: Vec<usize>,
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
        let RoutingSpec::DimensionOrder { order } = &machine.routing;
        let order = match order.as_slice() {
            [] => (0..dims.len()).collect(),
            given => given.iter().map(|&d| d as usize).collect(),
        };
        let is_star = matches!(machine.topology, TopologySpec::Star { .. });
        let mut wiring = Self { dims, is_star, order, groups: Vec::new(), group_of: Vec::new() };
        let node_width = machine.node.link_width;
        if machine.topology == TopologySpec::Pair {
            wiring.add(End::Node(0), End::Node(1), node_width);
            wiring.add(End::Node(1), End::Node(0), node_width);
        } else if is_star {
            (0..wiring.nodes()).for_each(|n| wiring.add(End::Node(n), End::Switch(0), node_width));
            (0..wiring.nodes()).for_each(|n| wiring.add(End::Switch(0), End::Node(n), node_width));
        } else {
            wiring.add_switched(node_width, machine.switch.link_width);
        }
        wiring
    }

    /// Adds channels in the documented order: injection, internal, ejection.
    fn add_switched(&mut self, node_width: u32, switch_width: u32) {
        for node in 0..self.nodes() {
            self.add(End::Node(node), End::Switch(node), node_width);
        }
        for switch in 0..self.nodes() {
            for dimension in 0..self.dims.len() {
                let at = self.coordinates(switch)[dimension];
                if at > 0 {
                    self.add_internal(switch, dimension, at - 1, switch_width);
                }
                if at + 1 < self.dims[dimension] {
                    self.add_internal(switch, dimension, at + 1, switch_width);
                }
            }
        }
        for node in 0..self.nodes() {
            self.add(End::Switch(node), End::Node(node), node_width);
        }
    }

    fn add_internal(&mut self, switch: usize, dimension: usize, to: usize, width: u32) {
        let next = self.moved(switch, dimension, to);
        self.add(End::Switch(switch), End::Switch(next), width);
    }

    fn add(&mut self, from: End, to: End, width: u32) {
        let first = self.group_of.len();
        let channels = (first..first + width as usize).collect();
        self.group_of.extend((0..width).map(|_| self.groups.len()));
        self.groups.push(Group { from, to, channels });
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
    fn moved(&self, switch: usize, dimension: usize, to: usize) -> usize {
        let stride: usize = self.dims[..dimension].iter().product();
        switch - self.coordinates(switch)[dimension] * stride + to * stride
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

    /// All groups that a packet takes.
    pub fn way(&self, source: usize, destination: usize) -> Vec<usize> {
        let (mut at, mut way) = (End::Node(source), Vec::new());
        while at != End::Node(destination) {
            way.push(self.route(at, destination));
            at = self.groups[way[way.len() - 1]].to;
        }
        way
    }

    /// The group that a packet for `destination` takes next.
    pub fn route(&self, at: End, destination: usize) -> usize {
        let next = self.next(at, destination);
        let is_next = |group: &Group| group.from == at && group.to == next;
        self.groups.iter().position(is_next).expect("a group leads there")
    }

    /// One step nearer, in the first dimension of the order that is not right yet.
    fn next(&self, at: End, destination: usize) -> End {
        let switch = match at {
            End::Switch(_) if self.is_star => return End::Node(destination),
            End::Switch(switch) => switch,
            // A node has one neighbour: its switch, or in a pair the other node.
            End::Node(node) => {
                let only = self.groups.iter().find(|group| group.from == End::Node(node));
                return only.expect("every node can send").to;
            }
        };
        let (here, there) = (self.coordinates(switch), self.coordinates(destination));
        match self.order.iter().find(|&&d| here[d] != there[d]) {
            None => End::Node(destination),
            Some(&d) if here[d] > there[d] => End::Switch(self.moved(switch, d, here[d] - 1)),
            Some(&d) => End::Switch(self.moved(switch, d, here[d] + 1)),
        }
    }
}
