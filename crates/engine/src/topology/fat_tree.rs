//! The k-ary n-tree of [Petrini & Vanneschi 1997]: a fat tree of equal switches.
//!
//! There are n levels of k^(n-1) switches with k links up and k down; level 0 is the
//! highest, and the k^n nodes are below level n-1. A switch is a word of n-1 digits
//! to the base k, a node one of n, the first digit weighing most.
//!
//! * Switch `level · k^(n-1) + word`; node p is on the switch of the lowest level whose word
//!   is p without its last digit.
//! * Port d < k leads down: from level l to the switch of level l+1 whose word has d as
//!   digit l, and is otherwise the same. On the lowest level the nodes are there instead:
//!   no port below k leads anywhere.
//! * Port k + u leads up: from level l to the switch of level l-1 whose word has u as
//!   digit l-1, and is otherwise the same. On level 0 no port from k on leads anywhere.
//!
//! So a switch of level l is above the nodes whose first l digits are those of its word,
//! and the way down to node p leaves level l by port p's digit l.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The k-ary n-tree with `arity` k and `levels` n.
pub(super) fn build(arity: u32, levels: u32) -> Result<Topology, SpecError> {
    check_range("arity", arity, 2..=1 << 16)?;
    check_range("levels", levels, 1..=22)?;
    let words = u64::from(arity).checked_pow(levels - 1);
    let nodes = words.and_then(|words| words.checked_mul(u64::from(arity)));
    let ports = nodes.and_then(|nodes| nodes.checked_mul(2 * u64::from(levels)));
    check_size("levels", levels, nodes, ports)?;
    let (arity, levels) = (arity as usize, levels as usize);
    let words = arity.pow(levels as u32 - 1);
    let (switches, ports) = (levels * words, 2 * arity);
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    for level in 1..levels {
        // How much the digit weighs that changes between the level above and this one.
        let weight = words / arity.pow(level as u32);
        for word in 0..words {
            let digit = word / weight % arity;
            let lower = level * words + word;
            for up in 0..arity {
                let upper = (level - 1) * words + word - digit * weight + up * weight;
                neighbours[lower * ports + arity + up] = SwitchId::from_index(upper);
                neighbours[upper * ports + digit] = SwitchId::from_index(lower);
            }
        }
    }
    let leaf = |node| SwitchId::from_index((levels - 1) * words + node / arity);
    let nodes = words * arity;
    Ok(Topology {
        family: Family::FatTree { arity: arity as u32, levels: levels as u32 },
        nodes,
        switches,
        ports,
        neighbours,
        attachments: (0..nodes).map(|node| Attachment::Switch(leaf(node))).collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    /// Nodes, switches, links of one direction, channels of the bisection.
    #[test]
    fn sizes() {
        for (arity, levels, expected) in [
            (2, 1, (2, 1, 0, None)),
            (2, 3, (8, 12, 32, Some(8))),
            (4, 2, (16, 8, 32, Some(16))),
            (3, 3, (27, 27, 108, None)),
            (4, 3, (64, 48, 256, Some(64))),
        ] {
            let tree = build(arity, levels).unwrap();
            let links = tree.neighbours.iter().filter(|n| n.is_some()).count();
            let found = (tree.nodes, tree.switches, links, tree.bisection_channels(1));
            assert_eq!(found, expected, "{arity}-ary {levels}-tree");
            assert!(tree.is_symmetric());
        }
    }

    /// Figure 2 of the paper shows the 2-ary 3-tree; this is its wiring by the definition.
    #[test]
    fn a_binary_tree_is_wired_by_the_definition() {
        let tree = build(2, 3).unwrap();
        let at = |switch, port| tree.neighbour(SwitchId(switch), port);
        // Level 0, word 01: down to level 1, words 01 and 11.
        assert_eq!((at(1, 0), at(1, 1)), (SwitchId(5), SwitchId(7)));
        assert_eq!((at(1, 2), at(1, 3)), (SwitchId::NONE, SwitchId::NONE));
        // Level 1, word 01: down to level 2, words 00 and 01; up to level 0, words 01 and 11.
        assert_eq!((at(5, 0), at(5, 1)), (SwitchId(8), SwitchId(9)));
        assert_eq!((at(5, 2), at(5, 3)), (SwitchId(1), SwitchId(3)));
        assert_eq!((at(9, 0), at(9, 2)), (SwitchId::NONE, SwitchId(4)));
        assert_eq!(tree.attachments[NodeId(5).index()], Attachment::Switch(SwitchId(10)));
    }

    /// The way down by the digits of a node ends at its switch, from every switch above it.
    #[test]
    fn digits_lead_down() {
        let (arity, levels) = (3, 4);
        let tree = build(arity, levels).unwrap();
        let words = tree.switches / levels as usize;
        for node in 0..tree.nodes {
            let digit = |i: u32| node / 3usize.pow(levels - 1 - i) % 3;
            for top in 0..words {
                let mut at = SwitchId::from_index(top);
                for level in 0..levels - 1 {
                    at = tree.neighbour(at, digit(level));
                }
                assert_eq!(tree.attachments[node], Attachment::Switch(at));
            }
        }
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(1, 3).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.arity = 1: must be 2 to 65536");
        let error = build(4, 0).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.levels = 0: must be 1 to 22");
        assert!(build(4, 12).unwrap_err().allowed.contains("at most 1048576 nodes"));
        assert!(build(65536, 20).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
