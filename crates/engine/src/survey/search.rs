//! Shortest ways from one switch to all others.

use crate::ids::SwitchId;
use crate::topology::Topology;

/// Links by source, without the ports that lead nowhere.
pub struct Graph {
    first: Vec<usize>,
    /// Where each link leads.
    pub to: Vec<u32>,
}

impl Graph {
    /// The links of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut graph = Self { first: vec![0], to: Vec::new() };
        for switch in (0..topology.switches).map(SwitchId::from_index) {
            graph.to.extend(topology.links(switch).map(|(_, to)| to.0));
            graph.first.push(graph.to.len());
        }
        graph
    }

    /// Links from the switch with most of them.
    pub fn degree(&self) -> usize {
        self.first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    fn links(&self, from: usize) -> &[u32] {
        &self.to[self.first[from]..self.first[from + 1]]
    }
}

/// A breadth-first search from one switch after the other.
pub struct Search {
    /// Links from the source, of the switches in `reached`; else [`UNKNOWN`].
    distance: Vec<u32>,
    /// Minimal paths from the source.
    paths: Vec<f64>,
    /// Switches in order of distance.
    reached: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Search {
    /// One among so many switches that has found nothing.
    pub fn new(switches: usize) -> Self {
        Self {
            distance: vec![UNKNOWN; switches],
            paths: vec![0.0; switches],
            reached: Vec::with_capacity(switches),
        }
    }

    /// Searches from `source`, and forgets what was found from another.
    pub fn run(&mut self, graph: &Graph, source: usize) {
        for switch in self.reached.drain(..) {
            self.distance[switch as usize] = UNKNOWN;
            self.paths[switch as usize] = 0.0;
        }
        self.distance[source] = 0;
        self.paths[source] = 1.0;
        self.reached.push(source as u32);
        let mut next = 0;
        while let Some(&from) = self.reached.get(next) {
            next += 1;
            let from = from as usize;
            let (further, paths) = (self.distance[from] + 1, self.paths[from]);
            for &to in graph.links(from) {
                let at = to as usize;
                if self.distance[at] == UNKNOWN {
                    self.distance[at] = further;
                    self.reached.push(to);
                }
                if self.distance[at] == further {
                    self.paths[at] += paths;
                }
            }
        }
    }

    /// Links to the farthest switch there is a way to.
    pub fn farthest(&self) -> u32 {
        self.reached.last().map_or(0, |&switch| self.distance[switch as usize])
    }

    /// The switches there is a way to: distance in links, and minimal paths.
    pub fn found(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        self.reached.iter().map(|&switch| {
            let at = switch as usize;
            (switch, self.distance[at], self.paths[at])
        })
    }
}
