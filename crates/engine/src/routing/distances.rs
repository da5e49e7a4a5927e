//! How far it is from every switch to every node, in any graph.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Attachment, Topology};
use std::collections::{BTreeSet, VecDeque};

/// The most pairs of switch and destination that tables are made for.
pub const MOST_PAIRS: usize = 1 << 26;

/// Hops between switches where there is no way.
pub const NO_WAY: u16 = u16::MAX;

/// The links of a graph, and the hops between any two of its switches.
pub struct Distances {
    /// The links.
    pub links: Links,
    /// By destination switch, then by switch.
    hops: Vec<u16>,
}

/// The links of a graph, and where its nodes leave it.
pub struct Links {
    /// Number of switches.
    pub switches: usize,
    /// Ports of every switch.
    pub ports: usize,
    neighbours: Vec<SwitchId>,
    /// By node: the switch it receives from.
    homes: Vec<SwitchId>,
}

impl Links {
    /// The links of a topology.
    pub fn of(topology: &Topology) -> Self {
        let home = |attachment: &Attachment| attachment.leaves().unwrap_or(SwitchId::NONE);
        Self {
            switches: topology.switches,
            ports: topology.ports,
            neighbours: topology.neighbours.clone(),
            homes: topology.attachments.iter().map(home).collect(),
        }
    }

    /// The switch a node receives from.
    #[inline]
    pub fn home(&self, node: NodeId) -> SwitchId {
        self.homes[node.index()]
    }

    /// The neighbours of a switch by port, [`SwitchId::NONE`] where there is none.
    #[inline]
    pub fn around(&self, switch: SwitchId) -> &[SwitchId] {
        &self.neighbours[switch.index() * self.ports..][..self.ports]
    }

    /// Ports with the neighbours there.
    #[inline]
    pub fn each(&self, switch: SwitchId) -> impl Iterator<Item = (usize, SwitchId)> + '_ {
        let around = self.around(switch).iter().copied().enumerate();
        around.filter(|&(_, neighbour)| neighbour.is_some())
    }

    /// For every switch, the switches with a link to it.
    pub fn backwards(&self) -> Vec<Vec<SwitchId>> {
        let mut backwards = vec![Vec::new(); self.switches];
        for switch in (0..self.switches).map(SwitchId::from_index) {
            for (_, neighbour) in self.each(switch) {
                backwards[neighbour.index()].push(switch);
            }
        }
        backwards
    }
}

impl Distances {
    /// Searches breadth first from every switch that has nodes.
    ///
    /// # Errors
    /// More pairs than tables are made for; two nodes without a way.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        check_pairs(name, topology)?;
        let links = Links::of(topology);
        let backwards = links.backwards();
        let mut hops = vec![NO_WAY; links.switches * links.switches];
        for (target, row) in hops.chunks_mut(links.switches.max(1)).enumerate() {
            search(&backwards, target, row);
        }
        let distances = Self { links, hops };
        distances.check(name, topology)?;
        Ok(distances)
    }

    /// Hops from a switch to that of a node.
    #[inline]
    pub fn hops(&self, switch: SwitchId, destination: NodeId) -> u16 {
        self.hops[self.links.home(destination).index() * self.links.switches + switch.index()]
    }

    /// Hops of the longest of the shortest ways between nodes.
    pub fn longest(&self, topology: &Topology) -> usize {
        let sources = topology.attachments.iter().filter_map(|at| at.enters());
        let sources: BTreeSet<SwitchId> = sources.collect();
        let nodes = || (0..topology.nodes).map(NodeId::from_index);
        let ways = sources.iter().flat_map(|&from| nodes().map(move |to| (from, to)));
        ways.map(|(from, to)| usize::from(self.hops(from, to))).max().unwrap_or(0)
    }

    /// Names each port that brings a packet nearer.
    #[inline]
    pub fn each_profitable(
        &self,
        switch: SwitchId,
        destination: NodeId,
        mut each: impl FnMut(usize),
    ) {
        let here = self.hops(switch, destination);
        for (port, neighbour) in self.links.each(switch) {
            if self.hops(neighbour, destination) < here {
                each(port);
            }
        }
    }

    fn check(&self, name: &str, topology: &Topology) -> Result<(), SpecError> {
        for (source, attachment) in topology.attachments.iter().enumerate() {
            let Some(enters) = attachment.enters() else { continue };
            let lost = (0..topology.nodes)
                .map(NodeId::from_index)
                .find(|&node| self.hops(enters, node) == NO_WAY);
            if let Some(node) = lost {
                let allowed = format!("there is no way from node {source} to node {}", node.0);
                return Err(SpecError::new("machine.routing", name, allowed));
            }
        }
        Ok(())
    }
}

/// Refuses topologies that tables would be too large for.
pub fn check_pairs(name: &str, topology: &Topology) -> Result<(), SpecError> {
    let (switches, nodes) = (topology.switches, topology.nodes);
    if switches * nodes.max(switches) <= MOST_PAIRS {
        return Ok(());
    }
    let allowed = format!(
        "has tables for every switch and destination: at most {MOST_PAIRS} such pairs, not \
         {switches} switches and {nodes} nodes"
    );
    Err(SpecError::new("machine.routing", name, allowed))
}

/// Fills in the hops from every switch to one of them.
fn search(backwards: &[Vec<SwitchId>], target: usize, hops: &mut [u16]) {
    hops[target] = 0;
    let mut queue = VecDeque::from([target]);
    while let Some(switch) = queue.pop_front() {
        for before in &backwards[switch] {
            if hops[before.index()] == NO_WAY {
                hops[before.index()] = hops[switch] + 1;
                queue.push_back(before.index());
            }
        }
    }
}
