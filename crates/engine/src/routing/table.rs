//! Routing tables: the next hop for every switch and destination.
//!
//! Given by the user, or made of shortest paths. Not free of deadlock by themselves:
//! whether they are is found out channel by channel ([`super::dependency`]).

use super::distances::{Distances, HERE, check_pairs};
use super::named::Namer;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::{Hops, NO_HOP};
use crate::topology::{Family, Topology};

/// The next hop for every switch and destination node.
pub struct Table {
    /// By node: its column; empty: each has its own.
    column_of: Vec<u32>,
    /// How many columns there are.
    columns: usize,
    /// By switch, then by column: the port, or [`HERE`].
    ports: Vec<u16>,
    /// The class taken there; empty: 0 everywhere.
    class_of: Vec<u8>,
    classes: usize,
    is_known_free: bool,
    /// By switch, then by node: whether rows are missing on the way; empty: none are.
    lost: Vec<bool>,
}

impl Table {
    /// Shortest paths, each by the lowest port that brings the packet nearer.
    ///
    /// # Errors
    /// A topology too large for tables; two nodes without a way.
    pub fn shortest(name: &str, topology: &Topology) -> Result<Self, SpecError> {
        let (distances, ports) = Distances::with_lowest_ports(name, topology)?;
        Ok(Self::nearer(&distances, ports, topology))
    }

    /// The same where it is known how far it is, and which ports those are.
    pub fn nearer(distances: &Distances, ports: Vec<u16>, topology: &Topology) -> Self {
        // In a tree nobody turns round; else there may be nothing to wait for after one hop.
        let is_known_free = !topology.has_failed()
            && matches!(
                topology.family,
                Family::Star | Family::Tree { .. } | Family::FullyConnected { .. }
            );
        // All nodes of a switch are reached by the same ports.
        let columns = topology.switches;
        let home = |node| distances.links.home(NodeId::from_index(node)).0;
        Self {
            column_of: (0..topology.nodes).map(home).collect(),
            columns,
            ports,
            class_of: Vec::new(),
            classes: 1,
            is_known_free,
            lost: Vec::new(),
        }
    }

    /// A table of ports and classes, by switch, then by destination, whose classes are an argument
    /// against deadlock.
    pub fn ascending(
        destinations: usize,
        ports: Vec<u16>,
        class_of: Vec<u8>,
        classes: usize,
    ) -> Self {
        let lost = Vec::new();
        let (column_of, columns) = (Vec::new(), destinations);
        Self { column_of, columns, ports, class_of, classes, is_known_free: true, lost }
    }

    /// A table that the user gives. Rows that no message needs may be missing.
    ///
    /// # Errors
    /// A table of the wrong size; the first pair of nodes (by destination) whose route uses a link that is
    /// not there, or comes to a switch again.
    pub fn given(
        hops: Hops,
        next: &[Vec<u32>],
        classes: &[Vec<u8>],
        topology: &Topology,
    ) -> Result<Self, SpecError> {
        check_pairs("table", topology)?;
        let namer = Namer::new("routing table", hops, topology);
        let size = (topology.switches, topology.nodes);
        check_size("machine.routing.next", next, size)?;
        if !classes.is_empty() {
            check_size("machine.routing.classes", classes, size)?;
        }
        let class_of: Vec<u8> = classes.concat();
        let classes = 1 + usize::from(class_of.iter().copied().max().unwrap_or(0));
        let ports = vec![HERE; topology.switches * topology.nodes];
        let (column_of, columns, lost) = (Vec::new(), topology.nodes, Vec::new());
        let mut table =
            Self { column_of, columns, ports, class_of, classes, is_known_free: false, lost };
        for (destination, attachment) in topology.attachments.iter().enumerate() {
            let Some(home) = attachment.leaves() else { continue };
            let hop = |switch: SwitchId| next[switch.index()][destination];
            table.follow(&namer, NodeId::from_index(destination), home, hop)?;
        }
        Ok(table)
    }

    /// Follows the hops to one destination from every node, and keeps their ports.
    fn follow(
        &mut self,
        namer: &Namer,
        destination: NodeId,
        home: SwitchId,
        hop: impl Fn(SwitchId) -> u32,
    ) -> Result<(), SpecError> {
        let topology = namer.topology;
        // By switch: the source whose route came by last.
        let mut seen = vec![NodeId::NONE; topology.switches];
        let mut passed = Vec::new();
        for (source, attachment) in topology.attachments.iter().enumerate() {
            let Some(mut at) = attachment.enters() else { continue };
            let pair = (NodeId::from_index(source), destination);
            passed.clear();
            while at != home && seen[at.index()] == NodeId::NONE && hop(at) != NO_HOP {
                seen[at.index()] = pair.0;
                passed.push(at);
                let (port, neighbour) = namer.link(pair, at, hop(at))?;
                let place = self.place(at, destination);
                self.ports[place] = port as u16;
                at = neighbour;
            }
            if at != home && seen[at.index()] == pair.0 {
                return Err(namer.refuse(pair, format!("comes to switch {} again", at.0)));
            }
            if at != home && (hop(at) == NO_HOP || self.misses(at, destination)) {
                passed.push(at);
                self.lose(&passed, destination, topology);
            }
        }
        Ok(())
    }

    /// Notes that rows are missing on the way from these switches to a node.
    fn lose(&mut self, switches: &[SwitchId], destination: NodeId, topology: &Topology) {
        self.lost.resize(topology.switches * self.columns, false);
        for &switch in switches {
            let place = self.place(switch, destination);
            self.lost[place] = true;
        }
    }

    /// Whether rows are missing on the way from a switch to a node.
    #[inline]
    pub fn misses(&self, switch: SwitchId, destination: NodeId) -> bool {
        !self.lost.is_empty() && self.lost[self.place(switch, destination)]
    }

    /// Whether rows are missing on any way.
    pub fn has_gaps(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Why there is no route from a node to another, if there is none.
    pub fn gap(&self, pair: (NodeId, NodeId), topology: &Topology) -> Option<SpecError> {
        let mut at = topology.attachments[pair.0.index()].enters()?;
        if !self.misses(at, pair.1) {
            return None;
        }
        while let Some((port, _)) = self.step(at, pair.1) {
            at = topology.neighbour(at, port);
        }
        let reason = format!("switch {} has no hop for it, and a message needs it", at.0);
        Some(Namer::new("routing table", Hops::Ports, topology).refuse(pair, reason))
    }

    /// Classes of virtual channels it names.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Whether nothing need be searched for: shortest paths of a tree, or of one hop; classes
    /// that ascend.
    pub fn is_known_free(&self) -> bool {
        self.is_known_free
    }

    /// Whether packets from node to node can wait for each other in a circle, if all are in one class: each
    /// channel of a way waits for the next of it [Dally & Seitz 1987].
    pub fn closes_circle(&self, topology: &Topology) -> bool {
        let ports = topology.ports;
        // By channel, that is switch and port: the ports that follow it on any way; and how many
        // channels it follows.
        let channels = topology.switches * ports;
        let (mut next, mut before) = (vec![Vec::new(); channels], vec![0u32; channels]);
        let mut passed = vec![NodeId::NONE; topology.switches];
        for destination in (0..topology.nodes).map(NodeId::from_index) {
            for mut at in topology.attachments.iter().filter_map(|source| source.enters()) {
                let mut last = None;
                while let Some((port, _)) = self.step(at, destination) {
                    let channel = at.index() * ports + port;
                    if let Some(last) = last.replace(channel)
                        && !next[last].contains(&port)
                    {
                        next[last].push(port);
                        before[channel] += 1;
                    }
                    // The rest of the way has been followed from here before.
                    if std::mem::replace(&mut passed[at.index()], destination) == destination {
                        break;
                    }
                    at = topology.neighbour(at, port);
                }
            }
        }
        // Channels that nothing waits for before them are taken out until there are none.
        let mut free: Vec<usize> = (0..channels).filter(|&channel| before[channel] == 0).collect();
        let mut left = channels;
        while let Some(channel) = free.pop() {
            left -= 1;
            for port in std::mem::take(&mut next[channel]) {
                let at = SwitchId::from_index(channel / ports);
                let other = topology.neighbour(at, channel % ports).index() * ports + port;
                before[other] -= 1;
                if before[other] == 0 {
                    free.push(other);
                }
            }
        }
        left > 0
    }

    /// Where the hop from a switch to a node stands.
    #[inline]
    fn place(&self, switch: SwitchId, destination: NodeId) -> usize {
        let own = destination.index();
        let column = self.column_of.get(own).map_or(own, |&column| column as usize);
        switch.index() * self.columns + column
    }

    /// The port and the class by which a packet leaves a switch.
    #[inline]
    pub fn step(&self, switch: SwitchId, destination: NodeId) -> Option<(usize, usize)> {
        let at = self.place(switch, destination);
        let port = self.ports[at];
        let class = self.class_of.get(at).copied().unwrap_or(0);
        (port != HERE).then_some((usize::from(port), usize::from(class)))
    }
}

fn check_size<T>(field: &str, rows: &[Vec<T>], size: (usize, usize)) -> Result<(), SpecError> {
    let (switches, nodes) = size;
    let allowed = || format!("must have {switches} rows (switches) of {nodes} numbers (nodes)");
    if rows.len() != switches {
        return Err(SpecError::new(field, format!("{} rows", rows.len()), allowed()));
    }
    match rows.iter().position(|row| row.len() != nodes) {
        None => Ok(()),
        Some(row) => {
            let given = format!("{} numbers in row {row}", rows[row].len());
            Err(SpecError::new(field, given, allowed()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Header;
    use crate::routing::Routing;
    use crate::routing::walk::{
        Promise, cases, check_free, check_ways, graph, machine, random_graph, refusal_on,
        routing_on,
    };
    use crate::spec::{RoutingSpec, TopologySpec};

    fn table(hops: Hops, next: Vec<Vec<u32>>) -> RoutingSpec {
        RoutingSpec::Table { hops, next, classes: Vec::new() }
    }

    /// Shortest paths on random graphs; and the same ones written down, by port and by
    /// switch.
    #[test]
    fn shortest_paths_are_minimal_and_can_be_written_down() {
        let mut random = cases(10);
        for _ in 0..200 {
            let graph = random_graph(&mut random);
            let daring = |spec: &RoutingSpec| {
                let machine = machine(&TopologySpec::Pair, spec, 1);
                Routing::new(&crate::routing::walk::allowed(machine), &graph, 1).unwrap()
            };
            let shortest = daring(&RoutingSpec::Shortest);
            check_ways(&graph, &shortest, Promise::Minimal);
            let row = |switch| {
                let nodes = (0..graph.nodes).map(NodeId::from_index);
                nodes.map(move |destination| {
                    let header = Header { source: NodeId(0), destination, route: 0, traffic: 0 };
                    (SwitchId::from_index(switch), header)
                })
            };
            let ports: Vec<Vec<u32>> = (0..graph.switches)
                .map(|s| row(s).map(|(s, h)| shortest.next(s, h).unwrap_or(99) as u32).collect())
                .collect();
            let name = |(switch, header)| {
                let port = shortest.next(switch, header);
                port.map_or(99, |port| graph.neighbour(switch, port).0)
            };
            let switches = (0..graph.switches).map(|s| row(s).map(name).collect()).collect();
            for written in [table(Hops::Ports, ports), table(Hops::Switches, switches)] {
                let routing = daring(&written);
                check_ways(&graph, &routing, Promise::Minimal);
            }
        }
    }

    /// Held against the rule itself, also where there are more switches than are looked at together.
    #[test]
    fn each_hop_is_by_the_lowest_port_that_leads_nearer() {
        let mut random = cases(11);
        let jellyfish = TopologySpec::Jellyfish {
            switches: 150,
            links_per_switch: 5,
            nodes_per_switch: 1,
            seed: 1,
        };
        let mut graphs = vec![Topology::new(&jellyfish).unwrap()];
        graphs.extend((0..50).map(|_| random_graph(&mut random)));
        for graph in &graphs {
            let (distances, ports) = Distances::with_lowest_ports("shortest", graph).unwrap();
            for (switch, row) in ports.chunks(graph.switches).enumerate() {
                let switch = SwitchId::from_index(switch);
                for (home, &port) in row.iter().enumerate() {
                    let hops = distances.to(SwitchId::from_index(home));
                    let nearer = |&(_, neighbour): &(usize, SwitchId)| {
                        hops[neighbour.index()] < hops[switch.index()]
                    };
                    let lowest = distances.links.each(switch).find(nearer);
                    assert_eq!(port, lowest.map_or(HERE, |(port, _)| port as u16));
                }
            }
        }
    }

    /// A ring of four, always clockwise: free of deadlock only with a class for packets
    /// that have passed switch 0.
    #[test]
    fn classes_are_taken_from_the_table() {
        let ring = graph(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        let next: Vec<Vec<u32>> = (0..4u32).map(|s| vec![(s + 1) % 4; 4]).collect();
        let one = refusal_on(&ring, &table(Hops::Switches, next.clone()), 1);
        assert!(one.contains("can deadlock") && one.contains("needs other routes"), "{one}");
        // Class 1 while the link from 3 to 0 is still to come.
        let class = |switch: usize, destination: usize| u8::from(switch > destination);
        let classes = (0..4).map(|s| (0..4).map(|d| class(s, d)).collect()).collect();
        let spec = RoutingSpec::Table { hops: Hops::Switches, next, classes };
        let routing = routing_on(&ring, &spec, 2).unwrap();
        assert_eq!(check_ways(&ring, &routing, Promise::Arrives), 3);
        assert!(!routing.properties().is_known_free);
    }

    #[test]
    fn wrong_tables_name_the_first_pair() {
        let line = graph(4, &[(0, 1), (1, 2), (2, 3)]);
        let right: Vec<Vec<u32>> =
            vec![vec![0, 1, 1, 1], vec![0, 1, 2, 2], vec![1, 1, 2, 3], vec![2, 2, 2, 3]];
        assert_eq!(refusal_on(&line, &table(Hops::Switches, right.clone()), 1), "");
        let wrong = |switch: usize, destination: usize, hop: u32| {
            let mut next = right.clone();
            next[switch][destination] = hop;
            refusal_on(&line, &table(Hops::Switches, next), 1)
        };
        assert_eq!(
            wrong(1, 3, 3),
            "machine.routing = routing table: node 0 to node 3: switch 1 has no link to switch 3"
        );
        assert_eq!(
            wrong(2, 3, 1),
            "machine.routing = routing table: node 0 to node 3: comes to switch 1 again"
        );
        assert_eq!(
            refusal_on(&line, &table(Hops::Ports, right.clone()), 1),
            "machine.routing = routing table: node 2 to node 0: switch 3 has no link at port 2"
        );
        assert_eq!(
            refusal_on(&line, &table(Hops::Ports, vec![vec![5; 4]; 4]), 1),
            "machine.routing = routing table: node 1 to node 0: switch 1 has no link at port 5"
        );
        assert_eq!(
            refusal_on(&line, &table(Hops::Ports, vec![vec![0; 4]; 3]), 1),
            "machine.routing.next = 3 rows: must have 4 rows (switches) of 4 numbers (nodes)"
        );
    }

    /// On a line of four, without the row of switch 1 for node 3: only what passes there is lost.
    #[test]
    fn missing_rows_matter_only_to_those_who_need_them() {
        let line = graph(4, &[(0, 1), (1, 2), (2, 3)]);
        let mut next: Vec<Vec<u32>> =
            vec![vec![0, 1, 1, 1], vec![0, 1, 2, 2], vec![1, 1, 2, 3], vec![2, 2, 2, 3]];
        next[1][3] = NO_HOP;
        let routing = routing_on(&line, &table(Hops::Switches, next), 1).unwrap();
        let gap = |from, to| {
            let gap = routing.gap((NodeId(from), NodeId(to)), &line);
            gap.map(|error| error.to_string())
        };
        let needed = |from| {
            Some(format!(
                "machine.routing = routing table: node {from} to node 3: switch 1 has no hop for \
                 it, and a message needs it"
            ))
        };
        assert_eq!((gap(0, 3), gap(1, 3)), (needed(0), needed(1)));
        assert_eq!((gap(2, 3), gap(0, 2), gap(3, 0)), (None, None, None));
    }

    #[test]
    fn trees_and_fully_connected_switches_need_no_search() {
        for spec in [
            TopologySpec::Tree { children: vec![2, 3], nodes_per_switch: 2, widths: vec![] },
            TopologySpec::FullyConnected { switches: 5, nodes_per_switch: 2 },
            TopologySpec::Star { nodes: 4 },
        ] {
            let topology = Topology::new(&spec).unwrap();
            let routing = routing_on(&topology, &RoutingSpec::Shortest, 1).unwrap();
            check_ways(&topology, &routing, Promise::Minimal);
            check_free(&topology, &routing);
        }
    }

    #[test]
    fn pieces_are_refused() {
        assert_eq!(
            refusal_on(&graph(4, &[(0, 1), (2, 3)]), &RoutingSpec::Shortest, 1),
            "machine.routing = shortest: there is no way from node 0 to node 2"
        );
    }
}
