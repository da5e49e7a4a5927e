//! Whether an algorithm goes by links that have failed.

use super::algorithm::Algorithm;
use super::header::Header;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::topology::{Failure, Topology};
use std::collections::HashSet;

/// The most outputs looked at.
const MOST_STEPS: u64 = 20_000_000;

/// Refuses an algorithm that does not know which links have failed and goes by one of them: with a
/// pair of nodes whose packets do, if there is one next to such a link, else the first of all.
pub fn check(algorithm: &impl Algorithm, name: &str, topology: &Topology) -> Result<(), SpecError> {
    if algorithm.properties().avoids_failed {
        return Ok(());
    }
    let nodes = || (0..topology.nodes).map(NodeId::from_index);
    let all = nodes().flat_map(|source| nodes().map(move |destination| (source, destination)));
    let mut steps = 0;
    for (source, destination) in beside(topology).into_iter().chain(all) {
        if source == destination {
            continue;
        }
        let header = Header { source, destination, route: 0, traffic: 0 };
        if let Some(failure) = lost(algorithm, header, topology, &mut steps) {
            let allowed = format!(
                "knows no way round failed links: packets from node {} to node {} would go from \
                 switch {} to switch {}; use minimal_adaptive, hop_classes or up_down",
                source.0, destination.0, failure.from.0, failure.to.0
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        if steps > MOST_STEPS {
            let allowed = "may go by a link that has failed, and the network is too large to find \
                           out; use hop_classes or up_down";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
    }
    Ok(())
}

/// For every failure, nodes at its two ends.
fn beside(topology: &Topology) -> Vec<(NodeId, NodeId)> {
    let at = |end: SwitchId| {
        let is_there = |node: &usize| topology.attachments[*node].leaves() == Some(end);
        (0..topology.nodes).find(is_there).map(NodeId::from_index)
    };
    let ends = topology.failed.iter().map(|failure| (at(failure.from), at(failure.to)));
    ends.filter_map(|(from, to)| from.zip(to)).collect()
}

/// The failure that packets of a pair come to first, if they come to any.
fn lost(
    algorithm: &impl Algorithm,
    header: Header,
    topology: &Topology,
    steps: &mut u64,
) -> Option<Failure> {
    let classes = algorithm.properties().classes;
    let begins = topology.attachments[header.source.index()].enters()?;
    let (mut seen, mut open, mut found) = (HashSet::new(), Vec::new(), None);
    for route in algorithm.beginnings(header.source, header.destination) {
        open.push((begins, algorithm.passed(begins, Header { route, ..header }, None)));
    }
    while let (Some((switch, route)), None) = (open.pop(), found) {
        if !seen.insert((switch, route)) {
            continue;
        }
        algorithm.alternatives(switch, Header { route, ..header }, |route| {
            let header = Header { route, ..header };
            algorithm.allow(switch, header, |slot, _| {
                *steps += 1;
                let port = slot / classes;
                let is_it = |failure: &&Failure| (failure.from, failure.port) == (switch, port);
                found = found.or(topology.failed.iter().find(is_it).copied());
                let to = topology.neighbour(switch, port);
                if to.is_some() {
                    open.push((to, algorithm.passed(to, header, Some(slot))));
                }
            });
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::routing::walk::{Promise, cases, check_free, check_ways, machine, refusal};
    use crate::routing::{Properties, Routing, possible};
    use crate::spec::{FailedLink, RoutingSpec, TopologySpec};
    use crate::topology::{DragonflyPlus, Topology};

    /// One small network of every kind that has links to lose.
    fn networks() -> Vec<(&'static str, TopologySpec)> {
        let tree =
            |parents| TopologySpec::Xgft { children: vec![2, 2, 2], parents, widths: vec![] };
        let fly =
            DragonflyPlus { nodes_per_leaf: 1, leaves: 2, spines: 2, global_links: 2, groups: 3 };
        vec![
            ("mesh", TopologySpec::Mesh { dims: vec![4, 3] }),
            ("torus", TopologySpec::Torus { dims: vec![4, 3] }),
            ("hypercube", TopologySpec::Hypercube { dimensions: 3 }),
            (
                "concentrated_mesh",
                TopologySpec::ConcentratedMesh { dims: vec![3, 3], nodes_per_switch: 2 },
            ),
            (
                "hyperx",
                TopologySpec::HyperX {
                    dims: vec![3, 3],
                    widths: vec![],
                    nodes_per_switch: 1,
                    by_distance: false,
                },
            ),
            ("fat_tree", TopologySpec::FatTree { arity: 2, levels: 3 }),
            ("pod_fat_tree", TopologySpec::PodFatTree { switch_ports: 4 }),
            ("xgft", tree(vec![2, 3])),
            ("butterfly", TopologySpec::Butterfly { arity: 2, stages: 3 }),
            ("fully_connected", TopologySpec::FullyConnected { switches: 5, nodes_per_switch: 2 }),
            (
                "dragonfly",
                TopologySpec::Dragonfly {
                    nodes_per_switch: 1,
                    switches_per_group: 3,
                    global_links: 2,
                    groups: 4,
                },
            ),
            (
                "dragonfly_plus",
                TopologySpec::DragonflyPlus {
                    nodes_per_leaf: fly.nodes_per_leaf,
                    leaves: fly.leaves,
                    spines: fly.spines,
                    global_links: fly.global_links,
                    groups: fly.groups,
                },
            ),
            ("islands", TopologySpec::Islands { accelerators: 4, islands: 3, rails: 2 }),
            (
                "jellyfish",
                TopologySpec::Jellyfish {
                    switches: 8,
                    links_per_switch: 3,
                    nodes_per_switch: 1,
                    seed: 1,
                },
            ),
        ]
    }

    /// The algorithms that go round, whatever fails, as long as it does not cut the network.
    fn always(kind: &str) -> Vec<&'static str> {
        let mut words = vec!["chaos", "deflection", "ecmp", "hop_classes", "minimal_adaptive"];
        words.extend(["spray", "spanning_tree", "ugal_g", "ugal_l", "up_down"]);
        words.extend(match kind {
            // As long as nothing has failed the shortest ways of a phase may close a circle.
            "jellyfish" => &[][..],
            _ => &["valiant"],
        });
        words.extend(match kind {
            "hyperx" => &["dal"][..],
            "dragonfly" | "dragonfly_plus" => &["minimal", "par"],
            "islands" => &["minimal"],
            _ => &[],
        });
        words
    }

    /// Whatever fails, and if nothing does: an algorithm arrives over what is left, without a circle
    /// of channels if it says so, or is refused in words.
    #[test]
    fn what_is_left_is_routed_or_refused() {
        let (mut random, mut routed) = (cases(92), std::collections::BTreeSet::new());
        for case in 0..12 {
            for (kind, whole) in networks() {
                let share = if case == 0 { 0 } else { 20_000 + random.below(200_000) as u32 };
                let spec = whole.failing(vec![], share, random.below(1 << 30));
                let Ok(topology) = Topology::new(&spec) else { continue };
                for word in possible::on(kind) {
                    if matches!(word, "table" | "source_routes" | "profitable" | "first_hop") {
                        continue;
                    }
                    let algorithm: RoutingSpec =
                        serde_json::from_value(serde_json::json!({ "kind": word })).unwrap();
                    if walk(&topology, &algorithm) {
                        routed.insert((kind, word, topology.has_failed()));
                    } else {
                        assert!(
                            is_tree(kind) || !always(kind).contains(&word),
                            "{word} on {spec:?}"
                        );
                    }
                }
                if kind.starts_with("dragonfly") {
                    assert!(walk(&topology, &RoutingSpec::ValiantByGroups));
                }
            }
        }
        let is_routed = |kind, word| {
            [false, true].into_iter().all(|failed| routed.contains(&(kind, word, failed)))
        };
        for (kind, _) in networks().into_iter().filter(|(kind, _)| *kind != "butterfly") {
            let mut words = always(kind);
            if is_tree(kind) {
                words.extend(["nearest_common_ancestor", "d_mod_k", "s_mod_k"]);
            }
            for word in words {
                assert!(is_routed(kind, word), "{word} on {kind}");
            }
        }
    }

    /// Whether links may be left without a way up and then down.
    fn is_tree(kind: &str) -> bool {
        ["fat_tree", "pod_fat_tree", "xgft"].contains(&kind)
    }

    /// Walks all ways, if the algorithm is not refused.
    fn walk(topology: &Topology, algorithm: &RoutingSpec) -> bool {
        let is_told = |error: &str| {
            ["failed", "no way", "one to switch"].iter().any(|words| error.contains(words))
        };
        let properties = match Properties::of(algorithm, topology) {
            Ok(properties) => properties,
            Err(error) => {
                assert!(is_told(&error.to_string()), "{error}");
                return false;
            }
        };
        assert!(!topology.has_failed() || algorithm.name() != "dimension_order");
        let machine = machine(&TopologySpec::Pair, algorithm, properties.classes as u32);
        match Routing::new(&machine, topology, 1) {
            Ok(routing) if algorithm.name() != "deflection" => {
                check_ways(topology, &routing, Promise::Arrives);
                if properties.is_known_free
                    && properties.depends_on_order
                    && algorithm.name() != "chaos"
                {
                    check_free(topology, &routing);
                }
                true
            }
            Ok(_) => true,
            Err(error) => {
                assert!(error.to_string().contains("can deadlock"), "{error}");
                false
            }
        }
    }

    #[test]
    fn a_pair_that_would_go_by_a_failed_link_is_named() {
        let mesh = TopologySpec::Mesh { dims: vec![3, 3] };
        let failed = mesh.failing(vec![FailedLink::Between(4, 5)], 0, 1);
        let in_order = RoutingSpec::DimensionOrder { order: vec![], balanced: false };
        assert_eq!(
            refusal(&failed, &in_order, 1),
            "machine.routing = dimension_order: knows no way round failed links: packets from node \
             4 to node 5 would go from switch 4 to switch 5; use minimal_adaptive, hop_classes or \
             up_down"
        );
    }
}
