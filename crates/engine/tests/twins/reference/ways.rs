//! By which groups a packet may leave a place, from the definitions of the algorithms.

use super::hosts::{Aim, network};
use super::wiring::{End, Group, Wiring};
use std::collections::BTreeSet;
use tailback_engine::spec::{Machine, RoutingSpec, TopologySpec};

/// The algorithms for any links that random cases draw; the usual one first.
pub const ON_ANY_LINKS: [RoutingSpec; 2] = [RoutingSpec::Shortest, RoutingSpec::HopClasses];

/// A step in a grid: the dimension, and whether the coordinate grows.
type Step = (usize, bool);

impl Wiring {
    /// How many of so many virtual channels each class has: each in turn gets one more, but where
    /// there is a way out, the others. With too few there is one class.
    pub fn classes(&self, all: u32, machine: &Machine) -> Vec<u32> {
        let needed = self.needs(machine);
        match needed {
            _ if self.escapes() => vec![1, all - 1],
            _ if all < needed => vec![all],
            _ => (0..needed).map(|class| (all - class).div_ceil(needed)).collect(),
        }
    }

    /// How many classes the algorithm tells apart.
    fn needs(&self, machine: &Machine) -> u32 {
        match self.routing {
            RoutingSpec::MinimalAdaptive { .. } => 2,
            RoutingSpec::HopClasses => self.longest(machine).max(1),
            RoutingSpec::UgalL { .. } | RoutingSpec::UgalG { .. } => {
                (2 * self.longest(machine)).max(1)
            }
            RoutingSpec::DimensionOrder { .. } if self.has_rings() => 2,
            _ => 1,
        }
    }

    /// Links of the longest of the shortest ways from node to node.
    fn longest(&self, machine: &Machine) -> u32 {
        let TopologySpec::Graph { links, nodes, leaves, .. } = network(&machine.topology) else {
            return self.dims.iter().map(|&side| side as u32 - 1).sum();
        };
        let leaves = if leaves.is_empty() { nodes } else { leaves };
        let hops = |&(from, to): &(u32, u32)| {
            let (mut reached, mut hops) = (vec![from], 0);
            while !reached.contains(&to) {
                let next = links.iter().filter(|link| reached.contains(&link.from));
                let next: Vec<u32> = next.map(|link| link.to).collect();
                reached.extend(next);
                hops += 1;
            }
            hops
        };
        let pairs = nodes.iter().flat_map(|&from| leaves.iter().map(move |&to| (from, to)));
        pairs.map(|pair| hops(&pair)).max().unwrap_or(0)
    }

    /// Whether any dimension has rings.
    pub fn has_rings(&self) -> bool {
        (0..self.dims.len()).any(|dimension| self.is_ring(dimension))
    }

    /// Whether packets may have a choice.
    pub fn chooses(&self) -> bool {
        self.turns().is_some() || self.escapes()
    }

    /// Whether some classes are a way out of the others.
    pub fn escapes(&self) -> bool {
        matches!(self.routing, RoutingSpec::MinimalAdaptive { .. })
    }

    /// All groups that a packet without a choice takes.
    pub fn way(&self, source: usize, destination: usize) -> Vec<usize> {
        let (mut at, mut way) = (End::Node(source), Vec::new());
        while at != End::Node(destination) {
            way.push(self.route(at, destination, way.last().copied()));
            at = self.groups[way[way.len() - 1]].to;
        }
        way
    }

    /// The first of the groups by which a packet may leave.
    pub fn route(&self, at: End, aim: impl Into<Aim>, input: Option<usize>) -> usize {
        self.outputs(at, aim, input)[0].0
    }

    /// The groups by which a packet may leave a place that it has come to by the group
    /// `input`, in order of preference, with their tiers.
    pub fn outputs(&self, at: End, aim: impl Into<Aim>, input: Option<usize>) -> Vec<(usize, u8)> {
        let Aim { node, interfaces } = aim.into();
        let here = match at {
            End::Switch(switch) if switch != self.home(node) => switch,
            // The last hop, or the first.
            _ => return vec![(self.last_or_first(at, node), 0)],
        };
        let (from, to) = interfaces.unwrap_or((node, node));
        if self.is_host(here) {
            return self.by_interface(here, from);
        }
        if here == self.leaves_by(to) {
            return self.by_interface(here, to);
        }
        let input = input.filter(|&input| self.is_inside(&self.groups[input]));
        self.inside(here, to, input)
    }

    /// The same within the network, between nodes or interfaces of hosts; `input`: of its links.
    fn inside(&self, here: usize, destination: usize, input: Option<usize>) -> Vec<(usize, u8)> {
        let group = |step: Step, class| self.group(here, step, class);
        match &self.routing {
            RoutingSpec::Shortest | RoutingSpec::Table { .. } => {
                vec![(self.listed(here, destination), 0)]
            }
            RoutingSpec::HopClasses | RoutingSpec::UgalL { .. } | RoutingSpec::UgalG { .. } => {
                let taken = &self.groups[self.listed(here, destination)];
                let is_there = |group: &Group| {
                    let place = (group.from, group.to, group.port, group.share);
                    place == (taken.from, taken.to, taken.port, taken.share)
                };
                let classes = self.groups.iter().filter(|group| is_there(group)).count();
                let came = input.map(|input| &self.groups[input]);
                // Without a class for every hop there is one for all.
                let class = came.map_or(0, |came| came.class + 1).min(classes - 1);
                let mut all = 0..self.groups.len();
                let is_taken = |&group: &usize| {
                    is_there(&self.groups[group]) && self.groups[group].class == class
                };
                vec![(all.find(is_taken).expect("there is one"), 0)]
            }
            RoutingSpec::DimensionOrder { order, .. } => {
                vec![(group(self.in_order(order, here, destination), 0), 0)]
            }
            RoutingSpec::MinimalAdaptive { order } => {
                let way_out = self.in_order(order, here, destination);
                let nearer = self.nearer(here, destination).into_iter();
                let adaptive = nearer.map(|step| (group(step, 1), 0));
                adaptive.chain([(group(way_out, 0), 1)]).collect()
            }
            _ => {
                let came = input.and_then(|input| self.step(input));
                let legal = self.legal(here, destination, came).into_iter();
                legal.map(|step| (group(step, 0), 0)).collect()
            }
        }
    }

    fn last_or_first(&self, at: End, destination: usize) -> usize {
        let leads_there = |to| matches!(at, End::Node(_)) || to == End::Node(destination);
        let mut groups = self.groups.iter();
        groups.position(|group| group.from == at && leads_there(group.to)).expect("there is one")
    }

    /// The group of a class that a step goes by.
    fn group(&self, here: usize, (dimension, grows): Step, class: usize) -> usize {
        let at = self.coordinates(here)[dimension];
        let next = self.beside(dimension, at, grows).expect("there is one");
        let to = self.moved(here, dimension, next);
        let ends = (End::Switch(here), End::Switch(to), class);
        let mut groups = self.groups.iter();
        groups.position(|group| (group.from, group.to, group.class) == ends).expect("there is one")
    }

    /// The step that a group goes by, if it is between switches.
    fn step(&self, group: usize) -> Option<Step> {
        let group = &self.groups[group];
        let (End::Switch(from), End::Switch(to)) = (group.from, group.to) else { return None };
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let dimension = (0..from.len()).find(|&d| from[d] != to[d])?;
        Some((dimension, to[dimension] > from[dimension]))
    }

    /// All steps that bring a packet nearer.
    fn nearer(&self, here: usize, destination: usize) -> Vec<Step> {
        let (here, there) = (self.coordinates(here), self.coordinates(self.leaves_by(destination)));
        let wrong = (0..here.len()).filter(|&d| here[d] != there[d]);
        wrong.map(|d| (d, there[d] > here[d])).collect()
    }

    /// The step nearer in the first dimension of the order that is not right yet.
    fn in_order(&self, order: &[u32], here: usize, destination: usize) -> Step {
        let nearer = self.nearer(here, destination);
        let mut order = order.iter().map(|&d| d as usize).chain(0..self.dims.len());
        order.find_map(|d| nearer.iter().copied().find(|step| step.0 == d)).expect("not there yet")
    }

    /// The group by which a packet leaves a switch of a torus in dimension order, by the shorter
    /// way round each ring, in class 0 until it has crossed the dateline if it has to.
    pub fn round(&self, here: usize, (source, destination): (usize, usize)) -> usize {
        let RoutingSpec::DimensionOrder { order, balanced } = &self.routing else {
            panic!("only dimension order")
        };
        let place = |node: usize| self.coordinates(self.leaves_by(node));
        let (at, from, there) = (self.coordinates(here), place(source), place(destination));
        if at == there {
            return self.last_or_first(End::Switch(here), destination);
        }
        let mut order = order.iter().map(|&d| d as usize).chain(0..self.dims.len());
        let dimension = order.find(|&d| at[d] != there[d]).expect("not there yet");
        let (side, at, to) = (self.dims[dimension], at[dimension], there[dimension]);
        let (up, down) = ((to + side - at) % side, (at + side - to) % side);
        let sum = |place: &[usize]| place.iter().sum::<usize>();
        let grows = match self.is_ring(dimension) {
            true if up == down => (at + sum(&from) + sum(&there)) % 2 == 0,
            true => up < down,
            false => to > at,
        };
        let crosses = |from: usize, to: usize| if grows { from > to } else { from < to };
        let (has_to, has) = (crosses(at, to), crosses(from[dimension], at));
        let is_spread = *balanced && !has && sum(&from) % 2 == 1;
        let is_before = has_to || is_spread;
        self.group(here, (dimension, grows), self.class_of(here, usize::from(!is_before)))
    }

    /// The class there is for one that is wanted: with too few virtual channels there is one.
    fn class_of(&self, here: usize, wanted: usize) -> usize {
        let from = self.groups.iter().filter(|group| group.from == End::Switch(here));
        from.map(|group| group.class).max().unwrap_or(0).min(wanted)
    }

    /// Of the links listed, by the table or the first that is on a shortest way.
    pub fn listed(&self, here: usize, destination: usize) -> usize {
        let port = match &self.routing {
            RoutingSpec::Table { next, .. } => Some(next[here][destination] as usize),
            _ => None,
        };
        // From where there is no way without them packets wait for what is avoided.
        let nothing = BTreeSet::new();
        let is_known = self.distance_without(here, destination, &self.avoided).is_some();
        let avoided = if is_known { &self.avoided } else { &nothing };
        let distance =
            |switch| self.distance_without(switch, destination, avoided).unwrap_or(usize::MAX);
        let mut groups = (0..self.groups.len()).filter(|number| {
            let group = &self.groups[*number];
            let End::Switch(to) = group.to else { return false };
            if !self.is_inside(group) {
                return false;
            }
            let is_taken = match port {
                Some(port) => group.port == port,
                None => distance(to) < distance(here),
            };
            group.from == End::Switch(here) && is_taken && !avoided.contains(number)
        });
        groups.next().expect("there is a way")
    }

    /// Links on the shortest way to a node without some groups, if there is a way then.
    pub fn distance_without(
        &self,
        from: usize,
        destination: usize,
        avoided: &BTreeSet<usize>,
    ) -> Option<usize> {
        let (mut reached, mut hops) = (vec![End::Switch(from)], 0);
        while !reached.contains(&End::Switch(self.leaves_by(destination))) {
            let next = self.groups.iter().enumerate();
            let next = next.filter(|(number, group)| {
                reached.contains(&group.from)
                    && !reached.contains(&group.to)
                    && self.is_inside(group)
                    && !avoided.contains(number)
            });
            let next: Vec<End> = next.map(|(_, group)| group.to).collect();
            if next.is_empty() {
                return None;
            }
            reached.extend(next);
            hops += 1;
        }
        Some(hops)
    }
}

/// Whether a turn is forbidden in a column (x).
type Forbidden = fn(dimensions: usize, column: usize, from: Step, to: Step) -> bool;

impl Wiring {
    /// The turns that a turn model forbids.
    fn turns(&self) -> Option<Forbidden> {
        match self.routing {
            // No turn to a descent in any dimension but the last, unless from such a one.
            RoutingSpec::WestFirst => Some(|dimensions, _, from, to| {
                let is_first = |(d, grows): Step| !grows && d + 1 < dimensions;
                is_first(to) && !is_first(from)
            }),
            // No turn from an ascent to a descent.
            RoutingSpec::NegativeFirst => Some(|_, _, from, to| from.1 && !to.1),
            // No turn from east in even columns, none to west in odd ones.
            RoutingSpec::OddEven => Some(|_, column, from, to| {
                let turns = from.0 != to.0;
                let from_east = turns && column % 2 == 0 && from == (0, true);
                from_east || turns && column % 2 == 1 && to == (0, false)
            }),
            _ => None,
        }
    }

    /// The steps nearer from which the destination can be reached without a forbidden
    /// turn by steps nearer, by a packet that `came` by some step.
    fn legal(&self, here: usize, destination: usize, came: Option<Step>) -> Vec<Step> {
        let forbidden = self.turns().expect("a turn model");
        let column = self.coordinates(here)[0];
        let mut steps = self.nearer(here, destination);
        steps.retain(|&step| {
            if came.is_some_and(|came| forbidden(self.dims.len(), column, came, step)) {
                return false;
            }
            let at = self.coordinates(here)[step.0];
            let to = self.moved(here, step.0, if step.1 { at + 1 } else { at - 1 });
            to == self.leaves_by(destination) || !self.legal(to, destination, Some(step)).is_empty()
        });
        steps
    }
}
