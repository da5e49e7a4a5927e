//! Links that have failed: those that are named, and a share drawn at random.
//!
//! A failed link is gone in both directions, with all wires of its ports. Where several links join
//! two switches, the k-th from one to the other, by port, and the k-th back are one link; a link
//! without one back is one by itself. Numbers of switches, nodes and ports stay as they are.

use super::base::{Failure, Topology};
use super::graph::first_unreached;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::rng::{Purpose, Stream};
use crate::spec::FailedLink;
use std::collections::HashMap;

const NAMED: &str = "machine.topology.failed_links";
const SHARE: &str = "machine.topology.failed_share";

/// All of a share, in its unit.
const MILLION: u64 = 1_000_000;

/// A network without the links that are named, nor a share of all (in millionths), drawn.
///
/// # Errors
/// A network that has no links; a link that is not there; failures that cut a node
/// from another.
pub(super) fn fail(
    mut topology: Topology,
    named: &[FailedLink],
    share: u32,
    seed: u64,
) -> Result<Topology, SpecError> {
    let links = links(&topology);
    if links.is_empty() {
        let (field, allowed) =
            if named.is_empty() { (SHARE, "must be 0") } else { (NAMED, "must be empty") };
        return Err(SpecError::new(field, "", format!("{allowed}: no link joins two switches")));
    }
    let mut failed = vec![false; links.len()];
    for link in named {
        for place in chosen(link, &links, &topology, NAMED)? {
            failed[place] = true;
        }
    }
    if u64::from(share) > MILLION {
        return Err(SpecError::new(SHARE, share, format!("must be 0 to {MILLION} millionths")));
    }
    let count = (links.len() as u64 * u64::from(share) + MILLION / 2) / MILLION;
    draw(&mut failed, count as usize, seed);
    let gone = links.into_iter().zip(failed).filter(|(_, failed)| *failed);
    topology.lose(gone.flat_map(|(link, _)| link));
    match first_unreached(&topology) {
        None => Ok(topology),
        Some(pair) => Err(cut(&topology, pair, count > 0)),
    }
}

impl Topology {
    /// The links between switches that are left: switch and port of one end, switch of the other.
    pub fn cables(&self) -> Vec<(u32, usize, u32)> {
        links(self).iter().map(|link| (link[0].from.0, link[0].port, link[0].to.0)).collect()
    }

    /// Some links fail.
    fn lose(&mut self, failures: impl Iterator<Item = Failure>) {
        for failure in failures {
            self.neighbours[failure.from.index() * self.ports + failure.port] = SwitchId::NONE;
            self.failed.push(failure);
        }
    }

    /// All links between switches, to look for some of them.
    pub fn every_link(&self) -> Links<'_> {
        Links { topology: self, links: links(self) }
    }
}

/// All links between switches of a network.
pub struct Links<'a> {
    topology: &'a Topology,
    links: Vec<Vec<Failure>>,
}

impl Links<'_> {
    /// Both directions of the links that are meant: switch and port that each leaves by.
    ///
    /// # Errors
    /// A link that is not there; `field` is what named it.
    pub fn ends_of(
        &self,
        link: &FailedLink,
        field: &str,
    ) -> Result<Vec<(SwitchId, usize)>, SpecError> {
        let meant = self.numbers(link, field)?;
        Ok(meant.into_iter().flat_map(|link| self.ends(link)).collect())
    }

    /// The numbers of the links that are meant.
    ///
    /// # Errors
    /// A link that is not there; `field` is what named it.
    pub fn numbers(&self, link: &FailedLink, field: &str) -> Result<Vec<usize>, SpecError> {
        chosen(link, &self.links, self.topology, field)
    }

    /// The numbers of all links of a switch.
    pub fn of_switch(&self, switch: u32) -> Vec<usize> {
        let is_its = |way: &Failure| [way.from.0, way.to.0].contains(&switch);
        let all = self.links.iter().enumerate();
        all.filter(|(_, link)| link.iter().any(is_its)).map(|(number, _)| number).collect()
    }

    /// Both directions of a link: switch and port that each leaves by.
    pub fn ends(&self, link: usize) -> impl Iterator<Item = (SwitchId, usize)> + '_ {
        self.links[link].iter().map(|way| (way.from, way.port))
    }

    /// Whether it joins a host to the network, and is not of that.
    pub fn leads_to_host(&self, link: usize) -> bool {
        let hosts = self.topology.hosts.as_deref();
        let is_host =
            |switch: SwitchId| hosts.is_some_and(|hosts| switch.index() >= hosts.network.switches);
        self.links[link].iter().any(|way| is_host(way.from) || is_host(way.to))
    }

    /// The network without some links, and whether all nodes, or interfaces of hosts, still reach each other.
    pub fn without(&self, gone: &[usize]) -> (Topology, bool) {
        let mut topology = self.topology.clone();
        let failures = || gone.iter().flat_map(|&link| self.links[link].iter().copied());
        topology.lose(failures());
        if let Some(hosts) = &mut topology.hosts {
            hosts.network.lose(failures());
        }
        let network = topology.hosts.as_ref().map_or(&topology, |hosts| &hosts.network);
        let is_whole = first_unreached(network).is_none();
        (topology, is_whole)
    }
}

/// All links: one direction, and the other if there is one.
fn links(topology: &Topology) -> Vec<Vec<Failure>> {
    let switches = (0..topology.switches).map(SwitchId::from_index);
    let channels =
        switches.flat_map(|from| topology.links(from).map(move |(port, to)| (from, port, to)));
    let mut links: Vec<Vec<Failure>> = Vec::new();
    // By ends: the links that no way back has been found for, the first last.
    let mut open: HashMap<(SwitchId, SwitchId), Vec<usize>> = HashMap::new();
    let mut listed: Vec<_> = channels.collect();
    listed.sort_by_key(|&(from, port, to)| (from.min(to), from, port));
    for (from, port, to) in listed {
        let waiting = open.entry((to, from)).or_default();
        let failure = Failure { from, port, to, is_way_back: !waiting.is_empty() };
        if failure.is_way_back {
            links[waiting.remove(0)].push(failure);
        } else {
            open.entry((from, to)).or_default().push(links.len());
            links.push(vec![failure]);
        }
    }
    links
}

/// The places of the links that are meant, in `field`.
fn chosen(
    meant: &FailedLink,
    links: &[Vec<Failure>],
    topology: &Topology,
    field: &str,
) -> Result<Vec<usize>, SpecError> {
    let is_meant = |way: &Failure| match *meant {
        FailedLink::Between(one, other) => {
            [(one, other), (other, one)].contains(&(way.from.0, way.to.0))
        }
        FailedLink::At { switch, port } => way.from.0 == switch && way.port == port as usize,
    };
    let all = links.iter().enumerate();
    let found: Vec<usize> =
        all.filter(|(_, link)| link.iter().any(is_meant)).map(|(place, _)| place).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let last = topology.switches - 1;
    let lost = |switch: u32| format!("must name switches from 0 to {last}, not switch {switch}");
    let known = |switch: u32| (switch as usize) <= last;
    let (given, allowed) = match *meant {
        FailedLink::Between(one, other) => (
            format!("switch {one} to switch {other}"),
            match [one, other].into_iter().find(|&switch| !known(switch)) {
                Some(switch) => lost(switch),
                None => "must be a link that is there: no link joins these two".into(),
            },
        ),
        FailedLink::At { switch, port } => (
            format!("switch {switch}, port {port}"),
            if known(switch) {
                let used: Vec<String> =
                    topology.links(SwitchId(switch)).map(|(port, _)| port.to_string()).collect();
                format!("must be a port with a link: {}", used.join(", "))
            } else {
                lost(switch)
            },
        ),
    };
    Err(SpecError::new(field, given, allowed))
}

/// Draws so many more links, all that are left equally likely.
fn draw(failed: &mut [bool], count: usize, seed: u64) {
    let mut random = Stream::new(seed, Purpose::Failure, 0);
    let mut left: Vec<usize> = (0..failed.len()).filter(|&link| !failed[link]).collect();
    for _ in 0..count.min(left.len()) {
        let drawn = random.below(left.len() as u64) as usize;
        failed[left.swap_remove(drawn)] = true;
    }
}

/// The error about failures that cut one node from another.
fn cut(topology: &Topology, (from, to): (usize, usize), is_drawn: bool) -> SpecError {
    let many = topology.failed_links().count();
    let given = format!("{many} failed link{}", if many == 1 { "" } else { "s" });
    let remedy = if is_drawn { "; needs fewer, or another failed_seed" } else { "" };
    let allowed = format!("cuts the network: no way is left from node {from} to node {to}{remedy}");
    SpecError::new(if is_drawn { SHARE } else { NAMED }, given, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{GraphLink, TopologySpec};

    fn mesh(dims: &[u32]) -> TopologySpec {
        TopologySpec::Mesh { dims: dims.to_vec() }
    }

    fn without(of: TopologySpec, links: Vec<FailedLink>) -> Result<Topology, SpecError> {
        Topology::new(&of.failing(links, 0, 1))
    }

    fn ends(topology: &Topology) -> Vec<(u32, u32)> {
        topology.failed_links().map(|(from, to)| (from.0, to.0)).collect()
    }

    #[test]
    fn a_link_fails_in_both_directions() {
        let found = without(mesh(&[3, 3]), vec![FailedLink::Between(4, 1)]).unwrap();
        assert_eq!((found.neighbour(SwitchId(1), 3), found.neighbour(SwitchId(4), 2)), {
            (SwitchId::NONE, SwitchId::NONE)
        });
        assert_eq!(ends(&found), [(1, 4)]);
        let by_port = without(mesh(&[3, 3]), vec![FailedLink::At { switch: 4, port: 2 }]).unwrap();
        assert_eq!(by_port, found);
        let whole = Topology::new(&mesh(&[3, 3])).unwrap();
        let left = |t: &Topology| t.neighbours.iter().filter(|n| n.is_some()).count();
        assert_eq!(left(&whole) - left(&found), 2);
    }

    /// Two links join switches 0 and 1: by name both fail, by port one.
    #[test]
    fn a_port_is_one_of_several_links() {
        let links: Vec<GraphLink> =
            [(0, 1), (0, 1), (1, 0), (1, 0)].map(|(from, to)| GraphLink::new(from, to, 1)).to_vec();
        let of = || TopologySpec::Graph {
            switches: 2,
            links: links.clone(),
            nodes: vec![0, 1],
            leaves: vec![],
            node_links: Vec::new(),
            classes: Vec::new(),
        };
        let one = without(of(), vec![FailedLink::At { switch: 1, port: 1 }]).unwrap();
        let left = [SwitchId(1), SwitchId::NONE, SwitchId(0), SwitchId::NONE];
        assert_eq!(one.neighbours, left);
        let both = without(of(), vec![FailedLink::Between(0, 1)]).unwrap_err();
        assert_eq!(
            both.to_string(),
            "machine.topology.failed_links = 2 failed links: cuts the network: no way is left \
             from node 0 to node 1"
        );
    }

    #[test]
    fn cables_are_the_links_that_are_left() {
        let whole = Topology::new(&mesh(&[2, 2])).unwrap().cables();
        assert_eq!(whole, [(0, 1, 1), (0, 3, 2), (1, 3, 3), (2, 1, 3)]);
        let left = without(mesh(&[2, 2]), vec![FailedLink::Between(2, 0)]).unwrap().cables();
        assert_eq!(left, [(0, 1, 1), (1, 3, 3), (2, 1, 3)]);
    }

    #[test]
    fn a_share_is_drawn() {
        let of = |share, seed| Topology::new(&mesh(&[8, 8]).failing(vec![], share, seed)).unwrap();
        // 5 % of 112 links.
        let found = of(50_000, 3);
        assert_eq!(ends(&found).len(), 6);
        assert_eq!(of(50_000, 3), found);
        assert_ne!(of(50_000, 4), found);
        assert_eq!(of(0, 3), Topology::new(&mesh(&[8, 8])).unwrap());
    }

    #[test]
    fn impossible_failures_are_refused_in_one_line() {
        let error = |of, links| without(of, links).unwrap_err().to_string();
        let between = |one, other| vec![FailedLink::Between(one, other)];
        let cases = [
            (between(0, 4), "switch 0 to switch 4: must be a link that is there: no link joins"),
            (between(0, 9), "switch 0 to switch 9: must name switches from 0 to 8, not switch 9"),
            (
                vec![FailedLink::At { switch: 0, port: 0 }],
                "switch 0, port 0: must be a port with a link: 1, 3",
            ),
            (
                [between(0, 1), between(0, 3)].concat(),
                "2 failed links: cuts the network: no way is left from node 0 to node 1",
            ),
        ];
        for (links, expected) in cases {
            let found = error(mesh(&[3, 3]), links);
            assert!(found.starts_with("machine.topology.failed_links = "), "{found}");
            assert!(found.contains(expected), "{found}");
        }
        let star = TopologySpec::Star { nodes: 3 };
        let found = error(star, between(0, 1));
        assert!(found.contains("must be empty: no link joins two switches"), "{found}");
        let drawn = Topology::new(&mesh(&[4, 4]).failing(vec![], 900_000, 1)).unwrap_err();
        assert_eq!(drawn.field, SHARE);
        assert!(drawn.allowed.contains("cuts the network"), "{drawn}");
    }
}
