//! How far it is from every switch to every node, in any graph.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Attachment, Topology};
use std::collections::BTreeSet;

/// The most pairs of switch and destination that tables are made for.
pub const MOST_PAIRS: usize = 1 << 26;

/// The most pairs of switches between which distances are kept: a million nodes of a Slim Fly have fewer.
const MOST_SWITCH_PAIRS: usize = 1 << 28;

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

    /// Of every switch that nodes receive from the lowest of these, in ascending order.
    fn targets(&self) -> Vec<NodeId> {
        let mut is_known = vec![false; self.switches];
        let mut is_first = |node: &NodeId| {
            let home = self.home(*node);
            home.is_some() && !std::mem::replace(&mut is_known[home.index()], true)
        };
        (0..self.homes.len()).map(NodeId::from_index).filter(|node| is_first(node)).collect()
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
    /// More pairs of switches than tables are made for; two nodes without a way.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let switches = topology.switches;
        if switches * switches > MOST_SWITCH_PAIRS {
            let allowed = format!(
                "has tables for every two switches: at most {MOST_SWITCH_PAIRS} such pairs, not \
                 {switches} switches"
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let links = Links::of(topology);
        let mut hops = vec![NO_WAY; switches * switches];
        search(&links.backwards(), &mut hops);
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
        let targets = self.links.targets();
        let ways = sources.iter().flat_map(|&from| targets.iter().map(move |&to| (from, to)));
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

    /// The lowest port that brings a packet nearer to a switch, if there is one.
    pub fn lowest_profitable(&self, switch: SwitchId, home: SwitchId) -> Option<usize> {
        let hops = &self.hops[home.index() * self.links.switches..][..self.links.switches];
        let here = hops[switch.index()];
        let nearer = |&(_, neighbour): &(usize, SwitchId)| hops[neighbour.index()] < here;
        self.links.each(switch).find(nearer).map(|(port, _)| port)
    }

    fn check(&self, name: &str, topology: &Topology) -> Result<(), SpecError> {
        let targets = self.links.targets();
        let mut is_known = vec![false; self.links.switches];
        for (source, attachment) in topology.attachments.iter().enumerate() {
            let Some(enters) = attachment.enters() else { continue };
            if std::mem::replace(&mut is_known[enters.index()], true) {
                continue;
            }
            let mut lost = targets.iter().filter(|&&node| self.hops(enters, node) == NO_WAY);
            if let Some(node) = lost.next() {
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

/// Fills in the hops to every switch, by target: breadth first, to 64 of them at once.
fn search(backwards: &[Vec<SwitchId>], hops: &mut [u16]) {
    let switches = backwards.len();
    // By switch, a bit for each of the 64: whether it has been reached, in the step before, and in this one.
    let [mut seen, mut front, mut next] = [const { Vec::new() }; 3];
    let (mut active, mut reached) = (Vec::new(), Vec::new());
    for (batch, hops) in hops.chunks_mut(64 * switches.max(1)).enumerate() {
        for bits in [&mut seen, &mut front, &mut next] {
            bits.clear();
            bits.resize(switches, 0_u64);
        }
        for (bit, row) in hops.chunks_mut(switches).enumerate() {
            let target = 64 * batch + bit;
            row[target] = 0;
            seen[target] = 1 << bit;
            front[target] = 1 << bit;
            active.push(target);
        }
        for step in 1.. {
            for switch in active.drain(..) {
                let bits = std::mem::take(&mut front[switch]);
                for before in backwards[switch].iter().map(|before| before.index()) {
                    let new = bits & !seen[before];
                    if new != 0 && next[before] == 0 {
                        reached.push(before);
                    }
                    next[before] |= new;
                }
            }
            for &switch in &reached {
                seen[switch] |= next[switch];
                let mut left = next[switch];
                while left != 0 {
                    hops[left.trailing_zeros() as usize * switches + switch] = step;
                    left &= left - 1;
                }
            }
            if reached.is_empty() {
                break;
            }
            std::mem::swap(&mut front, &mut next);
            std::mem::swap(&mut active, &mut reached);
        }
    }
}
