//! The dragonfly+ of [Shpiner et al. 2017], called Megafly by [Flajslik et al. 2018]: groups of leaf
//! and spine switches, each leaf joined to each spine, and links between the spines of every two
//! groups.
//!
//! With l leaves and s spines in a group, p nodes on a leaf, h links from each spine to other
//! groups and g groups: switch `group · (l + s) + place`, leaves first; node i is on leaf `i / p`,
//! counted over all groups. Port t of a leaf leads to spine t, port t < l of a spine to leaf t of
//! its group. Port l + q of spine t is link `t · h + q` of the group; these are arranged as in a
//! dragonfly (`dragonfly.rs`).

use super::base::{Attachment, Topology};
use super::dragonfly::Links;
use super::family::{DragonflyPlus, Family};
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The dragonfly+ with these parameters.
pub(super) fn build(fly: DragonflyPlus) -> Result<Topology, SpecError> {
    let DragonflyPlus { nodes_per_leaf: p, leaves, spines, global_links, groups } = fly;
    check_range("nodes_per_leaf", p, 1..=MOST_ON_A_SWITCH)?;
    check_range("leaves", leaves, 1..=1 << 12)?;
    check_range("spines", spines, 1..=1 << 12)?;
    check_range("global_links", global_links, 1..=1 << 12)?;
    let most = spines * global_links + 1;
    if !(2..=most).contains(&groups) {
        let allowed = format!("must be 2 to spines · global_links + 1, {most}");
        return Err(SpecError::new("machine.topology.groups", groups, allowed));
    }
    let nodes = u64::from(groups) * u64::from(leaves) * u64::from(p);
    let in_group = leaves + spines;
    let ports = spines.max(leaves + global_links);
    let switches = u64::from(groups) * u64::from(in_group);
    check_size("groups", groups, Some(nodes), Some(switches * u64::from(ports)))?;
    let links = Links { a: spines as usize, h: global_links as usize, groups: groups as usize };
    let mut neighbours = vec![SwitchId::NONE; switches as usize * ports as usize];
    for group in 0..groups {
        let first = group * in_group;
        for spine in 0..spines {
            let own = first + leaves + spine;
            let row = (own * ports) as usize;
            for leaf in 0..leaves {
                neighbours[((first + leaf) * ports + spine) as usize] = SwitchId(own);
                neighbours[row + leaf as usize] = SwitchId(first + leaf);
            }
            for q in 0..global_links {
                let link = (spine * global_links + q) as usize;
                if let Some((to, place)) = links.behind(group as usize, link) {
                    let there = to as u32 * in_group + leaves + place as u32;
                    neighbours[row + (leaves + q) as usize] = SwitchId(there);
                }
            }
        }
    }
    let home = |node: u32| SwitchId(node / p / leaves * in_group + node / p % leaves);
    Ok(Topology {
        family: Family::DragonflyPlus(fly),
        nodes: nodes as usize,
        switches: switches as usize,
        ports: ports as usize,
        neighbours,
        attachments: (0..nodes as u32).map(|node| Attachment::Switch(home(node))).collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(fly: [u32; 5]) -> Result<Topology, SpecError> {
        let [nodes_per_leaf, leaves, spines, global_links, groups] = fly;
        build(DragonflyPlus { nodes_per_leaf, leaves, spines, global_links, groups })
    }

    /// Nodes, switches, links of one direction.
    #[test]
    fn sizes() {
        for (fly, expected) in [
            // As large as it can be with 4 ports: 5 groups of 2 leaves and 2 spines.
            ([2, 2, 2, 2, 5], (20, 20, 5 * (8 + 4))),
            ([4, 4, 4, 4, 17], (272, 136, 17 * (32 + 16))),
            // Two links between every two groups.
            ([1, 3, 2, 2, 3], (9, 15, 3 * (12 + 4))),
        ] {
            let topology = made(fly).unwrap();
            let links = topology.neighbours.iter().filter(|n| n.is_some()).count();
            assert_eq!((topology.nodes, topology.switches, links), expected, "{fly:?}");
        }
    }

    /// Leaves are joined to the spines of their group; every two groups by as many links.
    #[test]
    fn groups_are_joined_evenly_by_their_spines() {
        for fly in [[2, 3, 2, 2, 5], [1, 2, 4, 3, 4], [1, 1, 1, 2, 3]] {
            let [_, l, s, h, g] = fly;
            let topology = made(fly).unwrap();
            let is_leaf = |switch: u32| switch % (l + s) < l;
            let mut between = vec![0; (g * g) as usize];
            for from in 0..topology.switches as u32 {
                for (port, to) in topology.links(SwitchId(from)) {
                    let back = topology.links(to).any(|(_, back)| back.0 == from);
                    assert!(back, "{from} {to:?}");
                    let groups = (from / (l + s), to.0 / (l + s));
                    let at = from as usize * topology.ports + port;
                    let is_global = topology.link_class(at) == 1;
                    assert_eq!(is_global, groups.0 != groups.1);
                    assert!(is_global || is_leaf(from) != is_leaf(to.0));
                    assert!(!is_global || !is_leaf(from) && !is_leaf(to.0));
                    between[(groups.0 * g + groups.1) as usize] += u32::from(is_global);
                }
            }
            for (at, &links) in between.iter().enumerate() {
                let own = at as u32 / g == at as u32 % g;
                assert_eq!(links, if own { 0 } else { s * h / (g - 1) }, "{fly:?}");
            }
        }
    }

    #[test]
    fn impossible_sizes_are_named() {
        let refusal = |fly| made(fly).unwrap_err().to_string();
        assert_eq!(
            refusal([1, 2, 2, 2, 6]),
            "machine.topology.groups = 6: must be 2 to spines · global_links + 1, 5"
        );
        assert!(refusal([1, 0, 2, 2, 2]).contains("leaves = 0"));
        assert!(refusal([1, 2, 0, 2, 2]).contains("spines = 0"));
        assert!(refusal([65536, 16, 16, 4, 40]).contains("at most 1048576 nodes"));
    }
}
