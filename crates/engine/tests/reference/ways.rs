//! By which groups a packet may leave a place, from the definitions of the algorithms.

use crate::wiring::{End, Group, Wiring};
use tailback_engine::spec::{Machine, RoutingSpec};

impl Wiring {
    /// How many virtual channels each class has.
    pub fn classes(&self, machine: &Machine) -> Vec<u32> {
        vec![machine.switch.virtual_channels]
    }

    /// Whether packets may have a choice.
    pub fn chooses(&self) -> bool {
        false
    }

    /// Whether some classes are a way out of the others.
    pub fn escapes(&self) -> bool {
        false
    }

    /// All groups that a packet without a choice takes.
    pub fn way(&self, source: usize, destination: usize) -> Vec<usize> {
        let (mut at, mut way) = (End::Node(source), Vec::new());
        while at != End::Node(destination) {
            way.push(self.route(at, destination));
            at = self.groups[way[way.len() - 1]].to;
        }
        way
    }

    /// The first of the groups by which a packet may leave.
    pub fn route(&self, at: End, destination: usize) -> usize {
        self.outputs(at, destination, None)[0].0
    }

    /// The groups by which a packet may leave a place that it has come to by the group
    /// `input`, in order of preference, with their tiers.
    pub fn outputs(&self, at: End, destination: usize, _input: Option<usize>) -> Vec<(usize, u8)> {
        if let Some(next) = self.only_neighbour(at, destination) {
            return vec![(self.group(at, next, 0), 0)];
        }
        vec![(self.group(at, self.in_order(at, destination), 0), 0)]
    }

    fn group(&self, from: End, to: End, class: usize) -> usize {
        let mut groups = self.groups.iter();
        let is_it = |group: &Group| (group.from, group.to, group.class) == (from, to, class);
        groups.position(is_it).expect("a group leads there")
    }

    /// One step nearer, in the first dimension of the order that is not right yet.
    fn in_order(&self, at: End, destination: usize) -> End {
        let End::Switch(switch) = at else { panic!("a node has one neighbour") };
        let RoutingSpec::DimensionOrder { order } = &self.routing;
        let order: Vec<usize> = match order.as_slice() {
            [] => (0..self.dims.len()).collect(),
            given => given.iter().map(|&d| d as usize).collect(),
        };
        let (here, there) = (self.coordinates(switch), self.coordinates(destination));
        match order.iter().find(|&&d| here[d] != there[d]) {
            None => End::Node(destination),
            Some(&d) if here[d] > there[d] => End::Switch(self.moved(switch, d, here[d] - 1)),
            Some(&d) => End::Switch(self.moved(switch, d, here[d] + 1)),
        }
    }
}
