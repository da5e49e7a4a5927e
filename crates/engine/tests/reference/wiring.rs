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
    /// Switches along each dimension; a pair is a line of two nodes without switches.
    dims: Vec<usize>,
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
            TopologySpec::Torus { .. } => panic!("the reference knows no torus"),
        };
        let RoutingSpec::DimensionOrder { order } = &machine.routing;
        let order = match order.as_slice() {
            [] => (0..dims.len()).collect(),
            given => given.iter().map(|&d| d as usize).collect(),
        };
        let mut wiring = Self { dims, order, groups: Vec::new(), group_of: Vec::new() };
        let node_width = machine.node.link_width;
        if machine.topology == TopologySpec::Pair {
            wiring.add(End::Node(0), End::Node(1), node_width);
            wiring.add(End::Node(1), End::Node(0), node_width);
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

    /// The group that a packet for `destination` takes next.
    pub fn route(&self, at: End, destination: usize) -> usize {
        let is_next = |group: &Group| group.from == at && group.to == self.next(at, destination);
        self.groups.iter().position(is_next).expect("a group leads there")
    }

    /// One step nearer, in the first dimension of the order that is not right yet.
    fn next(&self, at: End, destination: usize) -> End {
        let switch = match at {
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
