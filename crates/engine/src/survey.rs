//! What can be said about a topology by counting: distances, minimal paths, bisection.
//!
//! Nothing is asked of routing: a path is minimal if no other has fewer links. Wires of one
//! link are one path, links side by side are several.

mod search;

pub use search::{Graph, Search};

use crate::topology::{Attachment, Topology};

/// Numbers of one topology.
///
/// Distances between nodes are channels, those from and to the switch included; pairs are
/// ordered pairs of different nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Links between switches, each direction counted.
    pub links: usize,
    /// Links from the switch with most of them.
    pub degree: usize,
    /// Whether every link has one that leads back, and every node enters where it leaves.
    pub symmetric: bool,
    /// The longest of the shortest ways from switch to switch, in links, where there is one.
    pub switch_diameter: u32,
    /// The longest of the shortest ways from node to node, in channels.
    pub diameter: u32,
    /// Mean of the shortest ways over all pairs, in channels.
    pub mean_hops: f64,
    /// Minimal paths of a pair, on average over all pairs; infinite above 1e308.
    pub paths_mean: f64,
    /// Of the pair with fewest.
    pub paths_min: f64,
    /// Of the pair with most.
    pub paths_max: f64,
    /// Channels, both directions, between two halves of the nodes, where there is a formula.
    pub bisection_channels: Option<u64>,
    /// Switches from which all ways were searched.
    pub sources: usize,
    /// Whether these were all switches. If not, means are estimates, the diameters and the
    /// most paths at least what is said, the fewest paths at most.
    pub exact: bool,
}

/// Surveys a topology whose links have `usual` wires if they have no width of their own.
///
/// Looks at no more than about `max_links` links, at one source at least. A search from one
/// switch looks at all links, so up to S switches with L links are counted exactly if
/// S · (S + L) is not above `max_links`.
pub fn survey(topology: &Topology, usual: u32, max_links: u64) -> Survey {
    let graph = Graph::new(topology);
    let (sources, exact) = sampled(topology, &graph, max_links);
    searched(topology, usual, &graph, &sources, exact)
}

/// Surveys a topology from some switches that stand for all, each for as many as any other that
/// nodes enter at.
pub fn survey_from(topology: &Topology, usual: u32, sources: &[usize]) -> Survey {
    searched(topology, usual, &Graph::new(topology), sources, true)
}

/// The switches to search from, and whether these are all.
fn sampled(topology: &Topology, graph: &Graph, max_links: u64) -> (Vec<usize>, bool) {
    let cost = (topology.switches * (topology.switches + graph.to.len())) as u64;
    let step = cost.div_ceil(max_links.max(1)).max(1) as usize;
    // An odd stride visits all columns of a grid with an even number of them.
    let step = step | usize::from(step > 1);
    let ends = Ends::new(topology);
    let (entries, others): (Vec<usize>, Vec<usize>) =
        (0..topology.switches).partition(|&switch| !ends.exits[switch].is_empty());
    let sources = entries.into_iter().step_by(step).chain(others.into_iter().step_by(step));
    (sources.collect(), step == 1)
}

/// Searches from these switches, which are all or stand for all if that is `exact`.
fn searched(
    topology: &Topology,
    usual: u32,
    graph: &Graph,
    sources: &[usize],
    exact: bool,
) -> Survey {
    let (ends, mut search) = (Ends::new(topology), Search::new(topology.switches));
    let mut sums = Sums { paths_min: f64::INFINITY, ..Sums::default() };
    for &source in sources {
        search.run(graph, source);
        sums.add_source(&ends, &search, source);
    }
    if let Some(Attachment::Node(_)) = topology.attachments.first() {
        sums.add_pairs(topology.nodes as u64, 1, 1.0);
    }
    let pairs = sums.pairs as f64;
    Survey {
        links: graph.to.len(),
        degree: graph.degree(),
        symmetric: topology.is_symmetric(),
        switch_diameter: sums.switch_diameter,
        diameter: sums.diameter,
        mean_hops: sums.hops as f64 / pairs,
        paths_mean: sums.paths / pairs,
        paths_min: sums.paths_min,
        paths_max: sums.paths_max,
        bisection_channels: topology.bisection_channels(usual),
        sources: sums.sources,
        exact,
    }
}

/// Where nodes enter and leave.
struct Ends {
    /// Per switch the switches that the nodes which enter there leave from, in order.
    exits: Vec<Vec<u32>>,
    /// Nodes that leave at each switch.
    leaving: Vec<u64>,
}

impl Ends {
    fn new(topology: &Topology) -> Self {
        let mut exits = vec![Vec::new(); topology.switches];
        let mut leaving = vec![0; topology.switches];
        for at in &topology.attachments {
            if let (Some(enters), Some(leaves)) = (at.enters(), at.leaves()) {
                exits[enters.index()].push(leaves.0);
                leaving[leaves.index()] += 1;
            }
        }
        exits.iter_mut().for_each(|exits| exits.sort_unstable());
        Self { exits, leaving }
    }
}

#[derive(Default)]
struct Sums {
    sources: usize,
    pairs: u64,
    hops: u128,
    paths: f64,
    paths_min: f64,
    paths_max: f64,
    switch_diameter: u32,
    diameter: u32,
}

impl Sums {
    fn add_pairs(&mut self, pairs: u64, hops: u32, paths: f64) {
        self.pairs += pairs;
        self.hops += u128::from(pairs) * u128::from(hops);
        self.paths += pairs as f64 * paths;
        self.paths_min = self.paths_min.min(paths);
        self.paths_max = self.paths_max.max(paths);
        self.diameter = self.diameter.max(hops);
    }

    /// Adds all pairs from nodes that enter at `source`, from which all ways have been searched.
    fn add_source(&mut self, ends: &Ends, search: &Search, source: usize) {
        self.sources += 1;
        self.switch_diameter = self.switch_diameter.max(search.farthest());
        let exits = &ends.exits[source];
        for (switch, distance, paths) in search.found() {
            // Of the nodes that leave at a switch each entering one has itself as no partner.
            let same =
                exits.partition_point(|&s| s <= switch) - exits.partition_point(|&s| s < switch);
            let pairs = exits.len() as u64 * ends.leaving[switch as usize] - same as u64;
            if pairs > 0 {
                self.add_pairs(pairs, distance + 2, paths);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    // Expected values are exact, or rounded once.
    #![allow(clippy::float_cmp)]

    use super::*;
    use crate::spec::{GraphLink, TopologySpec};

    fn of(spec: &TopologySpec) -> Survey {
        survey(&Topology::new(spec).unwrap(), 1, u64::MAX)
    }

    /// Distances and numbers of paths worked out by hand, or by the formulas of each family.
    #[test]
    fn every_family_is_counted() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        let torus = TopologySpec::Torus { dims: vec![4, 4] };
        let cube = TopologySpec::Hypercube { dimensions: 4 };
        let star = TopologySpec::Star { nodes: 5 };
        let fat_tree = TopologySpec::FatTree { arity: 2, levels: 3 };
        let butterfly = TopologySpec::Butterfly { arity: 2, stages: 3 };
        let tree =
            TopologySpec::Tree { children: vec![2, 2], nodes_per_switch: 2, widths: Vec::new() };
        let full = TopologySpec::FullyConnected { switches: 4, nodes_per_switch: 2 };
        let dragonfly = TopologySpec::Dragonfly {
            nodes_per_switch: 2,
            switches_per_group: 4,
            global_links: 2,
            groups: 9,
        };
        // Links, degree, diameter of switches and of nodes, sum of hops, pairs, fewest and
        // most paths.
        type Row = (TopologySpec, usize, usize, u32, u32, u64, u64, f64, f64);
        #[rustfmt::skip]
        let table: [Row; 10] = [
            // Mean distance 2 (k - 1/k) / 3 with oneself, 2.5; 16 · 15 pairs.
            (mesh, 48, 4, 6, 8, 640 + 480, 240, 1.0, 20.0),
            // Two directions at distance two: 2 · 2 paths for each order of dimensions.
            (torus, 64, 4, 4, 6, 512 + 480, 240, 1.0, 24.0),
            // 16 · 4 · 8 bits differ in all; paths h!.
            (cube, 64, 4, 4, 6, 512 + 480, 240, 1.0, 24.0),
            (star, 0, 0, 0, 2, 40, 20, 1.0, 1.0),
            // To 1 node over no link, to 2 over 2, to 4 over 4; 2^i paths.
            (fat_tree, 32, 4, 4, 6, 8 * (2 + 2 * 4 + 4 * 6), 56, 1.0, 4.0),
            (butterfly, 16, 2, 2, 4, 56 * 4, 56, 1.0, 1.0),
            (tree, 12, 3, 4, 6, 8 * (2 + 2 * 4 + 4 * 6), 56, 1.0, 1.0),
            (full, 12, 3, 1, 3, 8 * (2 + 6 * 3), 56, 1.0, 1.0),
            // From a switch with links to 2 groups: 3 switches at distance 1 in the group, 2
            // by a link to another; at distance 2 six with the second link between groups, six
            // with the first, and one more with both; the other 17 at distance 3.
            (dragonfly, 180, 5, 3, 5, 72 * (2 + 10 * 3 + 26 * 4 + 34 * 5), 72 * 71, 1.0, 4.0),
            (TopologySpec::Pair, 0, 0, 0, 1, 2, 2, 1.0, 1.0),
        ];
        for (spec, links, degree, switches, nodes, hops, pairs, fewest, most) in table {
            let found = of(&spec);
            let sizes = (found.links, found.degree, found.switch_diameter, found.diameter);
            assert_eq!(sizes, (links, degree, switches, nodes), "{spec:?}");
            assert_eq!(found.mean_hops, hops as f64 / pairs as f64, "{spec:?}");
            assert_eq!((found.paths_min, found.paths_max), (fewest, most), "{spec:?}");
            assert!(found.exact);
        }
    }

    /// h! minimal paths to each of C(4, h) nodes at distance h.
    #[test]
    fn paths_of_a_hypercube() {
        let sum = 4 + 6 * 2 + 4 * 6 + 24;
        assert_eq!(
            of(&TopologySpec::Hypercube { dimensions: 4 }).paths_mean,
            f64::from(sum) / 15.0
        );
    }

    /// Two links side by side are two paths, two wires of one link are one.
    #[test]
    fn parallel_links_are_several_paths() {
        let link = GraphLink::new;
        let links = vec![link(0, 1, 1), link(0, 1, 1), link(1, 0, 2)];
        let graph = TopologySpec::Graph {
            switches: 2,
            links,
            nodes: vec![0, 1],
            leaves: vec![],
            node_links: Vec::new(),
            classes: Vec::new(),
        };
        let found = of(&graph);
        assert_eq!((found.paths_min, found.paths_mean, found.paths_max), (1.0, 1.5, 2.0));
        assert!(found.symmetric);
    }

    /// Nodes that leave elsewhere are no partners of themselves.
    #[test]
    fn ends_apart_are_counted() {
        let link = |from, to| GraphLink::new(from, to, 1);
        let links = vec![link(0, 1), link(1, 2)];
        let (nodes, leaves) = (vec![0, 0, 1], vec![1, 2, 2]);
        let found = of(&TopologySpec::Graph {
            switches: 3,
            links,
            nodes,
            leaves,
            node_links: Vec::new(),
            classes: Vec::new(),
        });
        // From node 0 to 1 and 2: two links; from 1 to 0: one, to 2: two; from 2 to 0 none.
        assert_eq!((found.diameter, found.switch_diameter), (4, 2));
        assert_eq!(found.mean_hops, f64::from(4 + 4 + 3 + 4 + 2 + 3) / 6.0);
        assert!(!found.symmetric);
    }

    /// From a leaf and a root of a fat tree, whose leaves are alike, as from all.
    #[test]
    fn switches_may_stand_for_all_others() {
        let tree = Topology::new(&TopologySpec::FatTree { arity: 3, levels: 3 }).unwrap();
        let (all, some) = (survey(&tree, 1, u64::MAX), survey_from(&tree, 1, &[0, 26]));
        assert_eq!((all.sources, some.sources), (27, 2));
        assert_eq!(Survey { sources: all.sources, ..some }, all);
    }

    #[test]
    fn a_sample_of_sources_comes_close() {
        let mesh = Topology::new(&TopologySpec::Mesh { dims: vec![16, 16] }).unwrap();
        let (all, some) = (survey(&mesh, 1, u64::MAX), survey(&mesh, 1, 50_000));
        assert!(all.exact && !some.exact && some.sources < 60);
        assert!((some.mean_hops / all.mean_hops - 1.0).abs() < 0.03);
        assert!(some.diameter <= all.diameter);
    }
}
