//! Which algorithms suit which topologies and switches, by their names in files.

use super::registry::{ANYWHERE, LEAD_ONE_WAY, ONE_WAY, made_for};
use crate::spec::{Switching, TopologySpec, Unit};

/// Those that ask for switches which nodes share: queues at outputs, or circuits.
const FOR_INTEGRATED: [&str; 2] = ["profitable", "first_hop"];

/// The algorithms that suit a kind of topology, the usual one first; none where packets have
/// one way only, or for what is no kind.
pub fn on(kind: &str) -> Vec<&'static str> {
    if !TopologySpec::KINDS.contains(&kind) || matches!(kind, "pair" | "star") {
        return Vec::new();
    }
    let own = made_for(kind);
    let of_nodes: &[&str] = match kind {
        "mesh" | "hypercube" => &FOR_INTEGRATED,
        "torus" => &FOR_INTEGRATED[..1],
        _ => &[],
    };
    let general: &[&str] = if LEAD_ONE_WAY.contains(&kind) { &ONE_WAY } else { &ANYWHERE };
    let further = general.iter().copied().filter(|name| !own.contains(name));
    own.iter().copied().chain(further).chain(of_nodes.iter().copied()).collect()
}

/// Whether an algorithm suits switches: those of integrated nodes with a switching and unit,
/// or (none) those that nodes are attached to.
pub fn suits(name: &str, integrated: Option<(Switching, Unit)>) -> bool {
    match integrated {
        None => !FOR_INTEGRATED.contains(&name),
        Some(_) if name == "dimension_order" => true,
        Some((Switching::Wormhole, _)) => false,
        // All packets of a message go one way: a choice at every step could part them.
        Some((Switching::CutThrough | Switching::StoreAndForward, Unit::Packet)) => {
            name == "first_hop"
        }
        Some(_) => FOR_INTEGRATED.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::registry::Chosen;
    use crate::spec::RoutingSpec;
    use crate::topology::Topology;
    use std::collections::BTreeSet;

    /// All algorithms that need no routes of their own, as they are without any key.
    fn algorithms() -> Vec<RoutingSpec> {
        let words = TopologySpec::KINDS.iter().flat_map(|kind| on(kind));
        let words: BTreeSet<&str> = words.collect();
        let plain = words.into_iter().filter(|word| !matches!(*word, "table" | "source_routes"));
        let spec = |word| serde_json::from_value(serde_json::json!({ "kind": word })).unwrap();
        plain.map(spec).collect()
    }

    /// What suits a topology can be prepared for it. What does not and could be is an
    /// algorithm for any graph, or for grids, where another is better or equal.
    #[test]
    fn what_suits_can_be_prepared() {
        let per = 2;
        let topologies = [
            ("mesh", TopologySpec::Mesh { dims: vec![3, 4] }),
            ("torus", TopologySpec::Torus { dims: vec![3, 4] }),
            ("hypercube", TopologySpec::Hypercube { dimensions: 3 }),
            ("fat_tree", TopologySpec::FatTree { arity: 2, levels: 3 }),
            ("butterfly", TopologySpec::Butterfly { arity: 2, stages: 3 }),
            (
                "tree",
                TopologySpec::Tree { children: vec![2, 2], nodes_per_switch: per, widths: vec![] },
            ),
            (
                "fully_connected",
                TopologySpec::FullyConnected { switches: 3, nodes_per_switch: per },
            ),
            (
                "dragonfly",
                TopologySpec::Dragonfly {
                    nodes_per_switch: per,
                    switches_per_group: 3,
                    global_links: 1,
                    groups: 4,
                },
            ),
        ];
        let anywhere = ["profitable", "valiant", "ugal_l", "ugal_g", "chaos", "deflection"];
        for (kind, spec) in topologies {
            let topology = Topology::new(&spec).unwrap();
            let words = on(kind);
            for algorithm in algorithms() {
                let (name, made) = (algorithm.name(), Chosen::new(&algorithm, &topology));
                assert!(!words.contains(&name) || made.is_ok(), "{name} on {kind}");
                let is_general = anywhere.contains(&name);
                assert!(words.contains(&name) || is_general || made.is_err(), "{name} on {kind}");
            }
        }
        assert!(on("pair").is_empty() && on("star").is_empty());
    }

    #[test]
    fn integrated_nodes_have_few_algorithms() {
        let of = |switching, unit| {
            let words = on("mesh").into_iter();
            words.filter(|name| suits(name, Some((switching, unit)))).collect::<Vec<_>>()
        };
        assert_eq!(of(Switching::Wormhole, Unit::Message), ["dimension_order"]);
        let first_hop = ["dimension_order", "first_hop"];
        assert_eq!(of(Switching::StoreAndForward, Unit::Packet), first_hop);
        let all = ["dimension_order", "profitable", "first_hop"];
        assert_eq!(of(Switching::Circuit, Unit::Packet), all);
        assert!(!suits("profitable", None) && suits("chaos", None));
    }
}
