//! The extended generalised fat tree XGFT(h; m1, …, mh; w1, …, wh) of [Öhring et al. 1995], with
//! w1 = 1: a node is on one switch.
//!
//! A switch of level l, 1 the lowest, has `m[l]` *children* (nodes on level 1) and is one of the
//! `w[l]` *parents* of each. With fewer parents than children it is oversubscribed. With k children
//! and k parents everywhere it is the k-ary n-tree; with k/2, k/2, k children and k/2, k/2 parents
//! the k-ary fat tree of [Al-Fares et al. 2008], of k pods.
//!
//! With `M[l] = m[1] · … · m[l]` nodes below a switch of level l, there are `W[l] = w[1] · … · w[l]`
//! switches above the same nodes. Levels are numbered one after the other, the lowest first; within
//! level l switch `subtree · W[l] + place` is above nodes `subtree · M[l]` and on. Its port t < m[l]
//! leads down to the child of subtree `subtree · m[l] + t` with the place `place mod W[l-1]`; on
//! level 1 these ports are those of nodes and lead nowhere. Port m[l] + t leads up to place
//! `t · W[l] + place`. With widths given, a link from level l to the next has `widths[l - 1]` wires.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::levels::{Level, levels};
use super::limits::{check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The tree with these children of every level and parents of every level but the highest.
pub(super) fn build(
    children: &[u32],
    parents: &[u32],
    widths: &[u16],
) -> Result<Topology, SpecError> {
    check(children, parents, widths)?;
    let found = levels(children, parents);
    let nodes = children.iter().try_fold(1u64, |n, &m| n.checked_mul(m.into()));
    let ports = |levels: &Vec<Level>| {
        let most = levels.iter().map(|level| level.children + level.parents).max()?;
        levels.iter().try_fold(0u64, |n, level| n.checked_add(level.switches as u64 * most as u64))
    };
    let lowest = children[0];
    check_size("children", lowest, nodes, found.as_ref().and_then(ports))?;
    let levels = found.unwrap_or_default();
    let ports = levels.iter().map(|level| level.children + level.parents).max().unwrap_or(0);
    let switches = levels.iter().map(|level| level.switches).sum::<usize>();
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    let mut own_widths = if widths.is_empty() { Vec::new() } else { vec![1; neighbours.len()] };
    for (number, pair) in levels.windows(2).enumerate() {
        let (lower, upper) = (pair[0], pair[1]);
        for at in 0..lower.switches {
            let (subtree, place) = (at / lower.places, at % lower.places);
            for t in 0..lower.parents {
                let parent = subtree / upper.children * upper.places + t * lower.places + place;
                let (child, parent) = (lower.first + at, upper.first + parent);
                let up = child * ports + lower.children + t;
                let down = parent * ports + subtree % upper.children;
                neighbours[up] = SwitchId::from_index(parent);
                neighbours[down] = SwitchId::from_index(child);
                if let Some(&width) = widths.get(number) {
                    (own_widths[up], own_widths[down]) = (width, width);
                }
            }
        }
    }
    let nodes = nodes.unwrap_or_default() as u32;
    Ok(Topology {
        family: Family::Xgft {
            children: children.to_vec(),
            parents: parents.to_vec(),
            widths: widths.to_vec(),
        },
        nodes: nodes as usize,
        switches,
        ports,
        neighbours,
        widths: own_widths,
        attachments: (0..nodes).map(|node| Attachment::Switch(SwitchId(node / lowest))).collect(),
        ..Topology::default()
    })
}

/// The k-ary fat tree of [Al-Fares et al. 2008]: k pods of switches with k ports.
pub(super) fn of_pods(ports: u32) -> Result<Topology, SpecError> {
    check_range("switch_ports", ports, 2..=256)?;
    if ports % 2 == 1 {
        let allowed = "must be even: half of the ports of a switch lead up";
        return Err(SpecError::new("machine.topology.switch_ports", ports, allowed));
    }
    let half = ports / 2;
    build(&[half, half, ports], &[half, half], &[])
}

fn check(children: &[u32], parents: &[u32], widths: &[u16]) -> Result<(), SpecError> {
    let refuse = |field: &str, list: &[u32], allowed: String| {
        let given: Vec<String> = list.iter().map(ToString::to_string).collect();
        let given = format!("[{}]", given.join(", "));
        Err(SpecError::new(format!("machine.topology.{field}"), given, allowed))
    };
    let bounded = |list: &[u32]| list.iter().all(|n| (1..=1 << 16).contains(n));
    if children.is_empty() || !bounded(children) {
        return refuse("children", children, "must be one or more numbers from 1 to 65536".into());
    }
    let links = children.len() - 1;
    if parents.len() != links {
        let allowed = format!("must be one for each level below the highest: {links}");
        return refuse("parents", parents, allowed);
    }
    if let Some(level) = parents.iter().position(|&w| w == 0) {
        let allowed = format!("leaves level {} without links to the next", level + 1);
        return refuse("parents", parents, allowed);
    }
    if !bounded(parents) {
        return refuse("parents", parents, "must be numbers from 1 to 65536".into());
    }
    if !widths.is_empty() && (widths.len() != links || widths.contains(&0)) {
        let given: Vec<u32> = widths.iter().map(|&width| width.into()).collect();
        let allowed = format!("must be one, above 0, for each level of links: {links}");
        return refuse("level_widths", &given, allowed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    /// Nodes, switches, links of one direction, channels of the bisection.
    #[test]
    fn sizes() {
        for (children, parents, expected) in [
            // The 4-ary fat tree of [Al-Fares et al. 2008], figure 3: 16 nodes, 20 switches.
            (vec![2, 2, 4], vec![2, 2], (16, 20, 64, Some(16))),
            // The 2-ary 3-tree, as `fat_tree` counts it.
            (vec![2, 2, 2], vec![2, 2], (8, 12, 32, Some(8))),
            // Leaves oversubscribed two to one.
            (vec![4, 4], vec![2], (16, 6, 16, Some(8))),
            // The lower level is the narrow one: 8 leaves with a link each.
            (vec![4, 4, 2], vec![1, 4], (32, 8 + 2 + 4, 2 * (8 + 8), Some(8))),
            (vec![4], vec![], (4, 1, 0, None)),
            (vec![2, 3], vec![2], (6, 5, 12, None)),
        ] {
            let tree = build(&children, &parents, &[]).unwrap();
            let links = tree.neighbours.iter().filter(|n| n.is_some()).count();
            let found = (tree.nodes, tree.switches, links, tree.bisection_channels(1));
            assert_eq!(found, expected, "{children:?} {parents:?}");
        }
    }

    /// The formula of the bisection against every way to part nodes and switches.
    #[test]
    fn no_cut_is_smaller_than_the_formula() {
        for (children, parents, widths) in [
            (vec![2, 2, 2], vec![2, 2], vec![]),
            (vec![2, 4], vec![3], vec![]),
            (vec![3, 2, 2], vec![1, 3], vec![]),
            (vec![2, 2, 2], vec![2, 1], vec![1, 3]),
            (vec![2, 2, 2], vec![1, 2], vec![3, 1]),
        ] {
            let tree = build(&children, &parents, &widths).unwrap();
            let leaf = |node: usize| tree.attachments[node].enters().unwrap().index();
            let mut least = u64::MAX;
            for sides in 0u32..1 << tree.switches {
                let side = |switch: usize| sides >> switch & 1;
                let inside = (0..tree.nodes).filter(|&node| side(leaf(node)) == 1).count();
                if inside == tree.nodes / 2 {
                    let ends = (0..tree.switches).flat_map(|from| {
                        let from = SwitchId::from_index(from);
                        tree.links(from).map(move |(port, to)| (from, port, to))
                    });
                    let cut = ends.filter(|(from, _, to)| side(from.index()) != side(to.index()));
                    least =
                        least.min(cut.map(|(s, port, _)| u64::from(tree.width(s, port, 1))).sum());
                }
            }
            assert_eq!(tree.bisection_channels(1), Some(least), "{children:?} {parents:?}");
        }
    }

    /// In a tree of pods every core switch is joined to every pod, to switches of the same place.
    #[test]
    fn pods_are_wired_as_published() {
        let tree = of_pods(4).unwrap();
        assert_eq!((tree.nodes, tree.switches, tree.degree()), (16, 20, 4));
        let at = |switch, port| tree.neighbour(SwitchId(switch), port);
        // Edge switch 3 (pod 1, the second): up to both aggregation switches of the pod, 10 and 11.
        assert_eq!((at(3, 2), at(3, 3)), (SwitchId(10), SwitchId(11)));
        assert_eq!((at(10, 0), at(10, 1)), (SwitchId(2), SwitchId(3)));
        // Aggregation switch 10 has place 0: up to core places 0 and 2.
        assert_eq!((at(10, 2), at(10, 3)), (SwitchId(16), SwitchId(18)));
        assert_eq!((0..4).map(|pod| at(16, pod).0).collect::<Vec<_>>(), [8, 10, 12, 14]);
        assert_eq!(tree.attachments[NodeId(7).index()], Attachment::Switch(SwitchId(3)));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let refusal = |children: &[u32], parents: &[u32], widths: &[u16]| {
            build(children, parents, widths).unwrap_err().to_string()
        };
        assert_eq!(
            refusal(&[4, 4], &[0], &[]),
            "machine.topology.parents = [0]: leaves level 1 without links to the next"
        );
        assert_eq!(
            refusal(&[4, 4, 2], &[2], &[]),
            "machine.topology.parents = [2]: must be one for each level below the highest: 2"
        );
        assert!(refusal(&[], &[], &[]).contains("children = []"));
        assert!(
            refusal(&[4, 4], &[4], &[1, 1])
                .contains("must be one, above 0, for each level of links: 1")
        );
        assert!(refusal(&[1], &[], &[]).contains("at least two nodes"));
        assert!(refusal(&[65536, 65536], &[1], &[]).contains("at most 1048576 nodes"));
        assert!(refusal(&[65536; 6], &[65536; 5], &[]).contains("at most 1048576 nodes"));
        assert!(refusal(&[2, 2, 2], &[65536, 65536], &[]).contains("ports of switches"));
        let odd = of_pods(5).unwrap_err().to_string();
        assert_eq!(
            odd,
            "machine.topology.switch_ports = 5: must be even: half of the ports of a switch lead up"
        );
    }
}
