//! A tree of switches with the nodes on its leaves.
//!
//! * Switches are numbered by level from the root, which is 0, and within a level from
//!   left to right; nodes from left to right.
//! * Port d leads down to the d-th switch below, if there are so many; the last port
//!   leads up to the switch above, except at the root.
//!
//! A level may have links of more wires than others, so that a tree may be fat.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The tree with `children` switches below a switch of each level, `nodes_per_switch` nodes on
/// every leaf and `widths` wires between levels (empty: as everywhere).
pub(super) fn build(
    children: &[u32],
    nodes_per_switch: u32,
    widths: &[u16],
) -> Result<Topology, SpecError> {
    check_range("nodes_per_switch", nodes_per_switch, 1..=MOST_ON_A_SWITCH)?;
    for &count in children {
        check_range("children", count, 1..=1 << 16)?;
    }
    check_widths(children, widths)?;
    let levels = levels(children);
    let most = children.iter().copied().max().unwrap_or(0);
    let leaves = levels.last().copied().flatten();
    let nodes = leaves.and_then(|leaves| leaves.checked_mul(u64::from(nodes_per_switch)));
    let all = levels.iter().try_fold(0u64, |sum, level| sum.checked_add((*level)?));
    let ports = all.and_then(|all| all.checked_mul(u64::from(most) + 1));
    check_size("nodes_per_switch", nodes_per_switch, nodes, ports)?;

    let levels: Vec<usize> = levels.iter().map(|level| level.unwrap_or(0) as usize).collect();
    let switches: usize = levels.iter().sum();
    let ports = if children.is_empty() { 0 } else { most as usize + 1 };
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    let mut wide = if widths.is_empty() { Vec::new() } else { vec![1; switches * ports] };
    let mut first = 0;
    for (level, &count) in children.iter().enumerate() {
        let below = first + levels[level];
        for child in 0..levels[level + 1] {
            let (lower, upper) = (below + child, first + child / count as usize);
            let (up, down) =
                (lower * ports + most as usize, upper * ports + child % count as usize);
            neighbours[up] = SwitchId::from_index(upper);
            neighbours[down] = SwitchId::from_index(lower);
            if let Some(&width) = widths.get(level) {
                (wide[up], wide[down]) = (width, width);
            }
        }
        first = below;
    }
    let nodes = levels[levels.len() - 1] * nodes_per_switch as usize;
    let leaf = |node| SwitchId::from_index(first + node / nodes_per_switch as usize);
    Ok(Topology {
        family: Family::Tree {
            children: children.to_vec(),
            nodes_per_switch,
            widths: widths.to_vec(),
        },
        nodes,
        switches,
        ports,
        neighbours,
        widths: wide,
        attachments: (0..nodes).map(|node| Attachment::Switch(leaf(node))).collect(),
        ..Topology::default()
    })
}

/// The number of switches of every level; `None` is more than can be counted.
fn levels(children: &[u32]) -> Vec<Option<u64>> {
    let mut levels = vec![Some(1u64)];
    for &count in children {
        let above = levels[levels.len() - 1];
        levels.push(above.and_then(|above| above.checked_mul(u64::from(count))));
    }
    levels
}

fn check_widths(children: &[u32], widths: &[u16]) -> Result<(), SpecError> {
    if !widths.is_empty() && widths.len() != children.len() {
        let allowed = format!("must be one for each level of links: {}", children.len());
        return Err(SpecError::new("machine.topology.widths", format!("{widths:?}"), allowed));
    }
    for &width in widths {
        check_range("widths", u32::from(width), 1..=255)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, switches, links of one direction, channels of the bisection.
    #[test]
    fn sizes() {
        for (children, on_leaf, widths, expected) in [
            (vec![], 5, vec![], (5, 1, 0, None)),
            (vec![2], 3, vec![], (6, 3, 4, Some(2))),
            (vec![2, 3], 4, vec![], (24, 9, 16, Some(2))),
            (vec![4, 4], 1, vec![], (16, 21, 40, Some(4))),
            (vec![4, 4], 1, vec![3, 1], (16, 21, 40, Some(12))),
            // Eight wires to the root, but only four below.
            (vec![4, 4], 1, vec![8, 1], (16, 21, 40, Some(16))),
            (vec![3, 2], 1, vec![], (6, 10, 18, None)),
        ] {
            let tree = build(&children, on_leaf, &widths).unwrap();
            let links = tree.neighbours.iter().filter(|n| n.is_some()).count();
            let found = (tree.nodes, tree.switches, links, tree.bisection_channels(1));
            assert_eq!(found, expected, "{children:?} {widths:?}");
            assert!(tree.is_symmetric());
        }
    }

    #[test]
    fn a_tree_is_numbered_from_the_root() {
        let tree = build(&[2, 3], 4, &[9, 5]).unwrap();
        let at = |switch, port| tree.neighbour(SwitchId(switch), port);
        assert_eq!(
            (at(0, 0), at(0, 1), at(0, 2), at(0, 3)),
            (SwitchId(1), SwitchId(2), SwitchId::NONE, SwitchId::NONE)
        );
        assert_eq!((at(2, 0), at(2, 2), at(2, 3)), (SwitchId(6), SwitchId(8), SwitchId(0)));
        assert_eq!(at(7, 3), SwitchId(2));
        assert_eq!(tree.width(SwitchId(2), 3, 1), 9);
        assert_eq!(tree.width(SwitchId(2), 1, 1), 5);
        assert_eq!(tree.attachments[4], Attachment::Switch(SwitchId(4)));
        assert_eq!(tree.attachments[23], Attachment::Switch(SwitchId(8)));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(&[2, 0], 1, &[]).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.children = 0: must be 1 to 65536");
        let error = build(&[2, 2], 1, &[1]).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.widths = [1]: must be one for each level of links: 2");
        assert!(build(&[2], 1, &[0]).unwrap_err().allowed.contains("1 to 255"));
        assert!(build(&[2], 0, &[]).is_err());
        assert!(build(&[], 1, &[]).unwrap_err().allowed.contains("at least two nodes"));
        assert!(
            build(&[4000, 4000], 1, &[]).unwrap_err().allowed.contains("at most 1048576 nodes")
        );
        assert!(build(&[1 << 16; 8], 9, &[]).unwrap_err().allowed.contains("at most"));
    }
}
