//! How far it is from every switch to every node, in any graph.

use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Attachment, Topology};
use std::collections::BTreeSet;

/// The most pairs of switch and destination that tables are made for.
pub const MOST_PAIRS: usize = 1 << 26;

/// The most pairs of switches between which distances are kept: a million nodes of a Slim Fly have fewer.
const MOST_SWITCH_PAIRS: usize = 1 << 28;

/// Stands for "has arrived" among ports.
pub const HERE: u16 = u16::MAX;

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
    /// Searches breadth first from every switch.
    ///
    /// # Errors
    /// More pairs of switches than tables are made for; two nodes without a way.
    pub fn new(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        Self::searched(name, topology, |_, _| ())
    }

    /// The same, and by switch, then by destination switch: the lowest port that brings a packet nearer, or
    /// [`HERE`].
    ///
    /// # Errors
    /// As before.
    pub fn with_lowest_ports(
        name: &str,
        topology: &Topology,
    ) -> Result<(Self, Vec<u16>), SpecError> {
        let switches = topology.switches;
        let mut ports = Vec::new();
        let found = Self::searched(name, topology, |links, reached| {
            ports.resize(switches * switches, HERE);
            let row = &mut ports[reached.switch * switches + reached.first..];
            let mut left = reached.new;
            for (port, neighbour) in links.each(SwitchId::from_index(reached.switch)) {
                let nearer = left & reached.before[neighbour.index()];
                each_bit(nearer, |bit| row[bit] = port as u16);
                left &= !nearer;
                if left == 0 {
                    break;
                }
            }
        })?;
        ports.resize(switches * switches, HERE);
        Ok((found, ports))
    }

    /// Calls `note` with whatever is reached.
    fn searched(
        name: &str,
        topology: &Topology,
        mut note: impl FnMut(&Links, &Reached<'_>),
    ) -> Result<Self, SpecError> {
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
        search(&links.backwards(), &mut hops, |reached| note(&links, reached));
        let distances = Self { links, hops };
        distances.check(name, topology)?;
        Ok(distances)
    }

    /// Hops from a switch to that of a node.
    #[inline]
    pub fn hops(&self, switch: SwitchId, destination: NodeId) -> u16 {
        self.to(self.links.home(destination))[switch.index()]
    }

    /// Hops of the longest of the shortest ways between nodes.
    pub fn longest(&self, topology: &Topology) -> usize {
        let sources = topology.attachments.iter().filter_map(|at| at.enters());
        let sources: BTreeSet<SwitchId> = sources.collect();
        let targets = self.links.targets();
        let hops = targets.iter().flat_map(|&to| {
            let there = self.to(self.links.home(to));
            sources.iter().map(|from| there[from.index()])
        });
        hops.max().unwrap_or(0).into()
    }

    /// Hops to a switch from every switch.
    #[inline]
    pub fn to(&self, switch: SwitchId) -> &[u16] {
        &self.hops[switch.index() * self.links.switches..][..self.links.switches]
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
        let targets = self.links.targets();
        let mut is_known = vec![false; self.links.switches];
        let mut sources = Vec::new();
        for (source, attachment) in topology.attachments.iter().enumerate() {
            let Some(enters) = attachment.enters() else { continue };
            if !std::mem::replace(&mut is_known[enters.index()], true) {
                sources.push((source, enters));
            }
        }
        let lost = targets.iter().filter_map(|&target| {
            let hops = self.to(self.links.home(target));
            let lost = |&&(_, enters): &&(usize, SwitchId)| hops[enters.index()] == NO_WAY;
            Some((sources.iter().find(lost)?.0, target.0))
        });
        match lost.min() {
            None => Ok(()),
            Some((source, target)) => {
                let allowed = format!("there is no way from node {source} to node {target}");
                Err(SpecError::new("machine.routing", name, allowed))
            }
        }
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

/// How many targets are searched from at once: a bit for each.
const AT_ONCE: usize = 64;

/// A switch that some targets have been reached from for the first time.
struct Reached<'a> {
    switch: usize,
    /// The first of all targets that are searched from at once.
    first: usize,
    /// Which of them are reached from here.
    new: u64,
    /// By switch: which of them had been reached from there in the step before.
    before: &'a [u64],
}

/// Fills in the hops to every switch, by target: breadth first, to so many of them at once.
fn search(backwards: &[Vec<SwitchId>], hops: &mut [u16], mut note: impl FnMut(&Reached<'_>)) {
    let switches = backwards.len();
    // By switch, a bit for each target: whether it has been reached, in the step before, and in this one.
    let [mut seen, mut front, mut next] = [const { Vec::new() }; 3];
    let (mut active, mut reached) = (Vec::new(), Vec::new());
    // By switch: hops to each target.
    let mut found = vec![[NO_WAY; AT_ONCE]; switches];
    for (batch, hops) in hops.chunks_mut(AT_ONCE * switches.max(1)).enumerate() {
        let first = AT_ONCE * batch;
        for bits in [&mut seen, &mut front, &mut next] {
            bits.clear();
            bits.resize(switches, 0_u64);
        }
        found.fill([NO_WAY; AT_ONCE]);
        for (bit, target) in (first..switches.min(first + AT_ONCE)).enumerate() {
            found[target][bit] = 0;
            seen[target] = 1 << bit;
            front[target] = 1 << bit;
            active.push(target);
        }
        for step in 1.. {
            for &switch in &active {
                for before in backwards[switch].iter().map(|before| before.index()) {
                    let new = front[switch] & !seen[before];
                    if new != 0 && next[before] == 0 {
                        reached.push(before);
                    }
                    next[before] |= new;
                }
            }
            for &switch in &reached {
                let new = next[switch];
                seen[switch] |= new;
                each_bit(new, |bit| found[switch][bit] = step);
                note(&Reached { switch, first, new, before: &front });
            }
            active.drain(..).for_each(|switch| front[switch] = 0);
            if reached.is_empty() {
                break;
            }
            std::mem::swap(&mut front, &mut next);
            std::mem::swap(&mut active, &mut reached);
        }
        turn(&found, hops);
    }
}

/// Writes what stands by switch by target, a few switches at a time, which a cache holds.
fn turn(found: &[[u16; AT_ONCE]], hops: &mut [u16]) {
    for (number, tile) in found.chunks(AT_ONCE).enumerate() {
        for (target, row) in hops.chunks_mut(found.len()).enumerate() {
            for (hops, found) in row[number * AT_ONCE..].iter_mut().zip(tile) {
                *hops = found[target];
            }
        }
    }
}

/// Names the bits that are set.
#[inline]
fn each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
