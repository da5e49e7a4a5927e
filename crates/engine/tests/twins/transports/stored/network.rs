//! Who is a neighbour of whom, over which channel, and which ways are nearer.

use tailback_engine::measure::ChannelKind;
use tailback_engine::spec::Spec;
use tailback_engine::{Simulation, ids::NodeId};

/// A channel between neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The engine's number of it.
    pub number: usize,
    pub from: usize,
    pub to: usize,
    /// The dimension along which it leads.
    dimension: usize,
}

pub struct Network {
    /// By their numbers.
    pub links: Vec<Link>,
    /// All channels, those of nodes included.
    pub channels: usize,
    places: Vec<Vec<u32>>,
    /// By pair of nodes: places in `links` of those that lead nearer, in rising order.
    nearer: Vec<Vec<usize>>,
    /// By pair of nodes: the one of them along the first dimension.
    in_order: Vec<usize>,
}

impl Network {
    pub fn new(spec: &Spec) -> Self {
        let simulation = Simulation::new(spec).unwrap_or_else(|error| panic!("{error}"));
        let (layout, topology) = (simulation.layout(), simulation.topology());
        let places: Vec<Vec<u32>> = (0..topology.nodes)
            .map(|node| topology.coordinates(NodeId::from_index(node)))
            .collect();
        let mut links = Vec::new();
        for group in layout.groups.iter().filter(|group| group.kind == ChannelKind::Internal) {
            let tailback_engine::fabric::End::Switch(to) = group.end else { unreachable!() };
            let (from, to) = (group.from as usize, to.index());
            let differs = |d: &usize| places[from][*d] != places[to][*d];
            let dimension = (0..places[from].len()).find(differs).expect("neighbours differ");
            links.push(Link { number: group.first.index(), from, to, dimension });
        }
        let (nearer, in_order) = (Vec::new(), Vec::new());
        let mut network = Self { links, channels: layout.channels(), places, nearer, in_order };
        for pair in 0..network.nodes() * network.nodes() {
            let nearer = network.find_nearer(pair / network.nodes(), pair % network.nodes());
            let dimension = |&at: &usize| network.links[at].dimension;
            let first = nearer.iter().copied().min_by_key(dimension);
            network.in_order.push(first.unwrap_or(usize::MAX));
            network.nearer.push(nearer);
        }
        network
    }

    pub fn nodes(&self) -> usize {
        self.places.len()
    }

    fn distance(&self, one: usize, other: usize) -> u32 {
        let pairs = self.places[one].iter().zip(&self.places[other]);
        pairs.map(|(a, b)| a.abs_diff(*b)).sum()
    }

    fn find_nearer(&self, from: usize, to: usize) -> Vec<usize> {
        let here = self.distance(from, to);
        let is_nearer = |link: &Link| link.from == from && self.distance(link.to, to) < here;
        (0..self.links.len()).filter(|&at| is_nearer(&self.links[at])).collect()
    }

    /// Places in `links` of those that lead nearer, in rising order.
    pub fn nearer(&self, from: usize, to: usize) -> &[usize] {
        &self.nearer[from * self.nodes() + to]
    }

    /// The one of them along the first dimension.
    pub fn in_order(&self, from: usize, to: usize) -> usize {
        self.in_order[from * self.nodes() + to]
    }

    /// The link back.
    pub fn back(&self, at: usize) -> usize {
        let Link { from, to, .. } = self.links[at];
        let is_back = |link: &Link| (link.from, link.to) == (to, from);
        self.links.iter().position(is_back).expect("every link has one back")
    }
}
