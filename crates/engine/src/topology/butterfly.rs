//! The k-ary n-fly: n stages of switches that every packet crosses in one direction
//! [Dally & Towles 2004].
//!
//! A stage has k^(n-1) switches with k inputs and k outputs. A switch is a word of n-1
//! digits to the base k, a node one of n, the first digit weighing most. A node sends
//! into the first stage and receives from the last.
//!
//! * Switch `stage · k^(n-1) + word`; node p enters stage 0, and leaves stage n-1, at the
//!   switch whose word is p without its last digit.
//! * Port d leads from stage i to the switch of stage i+1 whose word has d as digit i, and
//!   is otherwise the same. In the last stage no port leads anywhere: the nodes are there.
//!
//! So the only way to node p leaves stage i by port p's digit i.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The k-ary n-fly with `arity` k and `stages` n.
pub(super) fn build(arity: u32, stages: u32) -> Result<Topology, SpecError> {
    check_range("arity", arity, 2..=1 << 16)?;
    check_range("stages", stages, 1..=22)?;
    let words = u64::from(arity).checked_pow(stages - 1);
    let nodes = words.and_then(|words| words.checked_mul(u64::from(arity)));
    let ports = nodes.and_then(|nodes| nodes.checked_mul(u64::from(stages)));
    check_size("stages", stages, nodes, ports)?;
    let (ports, stages) = (arity as usize, stages as usize);
    let words = ports.pow(stages as u32 - 1);
    let switches = stages * words;
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    for stage in 0..stages - 1 {
        // How much the digit weighs that this stage sets.
        let weight = words / ports.pow(stage as u32 + 1);
        for word in 0..words {
            let without = word - word / weight % ports * weight;
            for digit in 0..ports {
                let next = (stage + 1) * words + without + digit * weight;
                neighbours[(stage * words + word) * ports + digit] = SwitchId::from_index(next);
            }
        }
    }
    let ends = |node: usize| Attachment::Ends {
        enters: SwitchId::from_index(node / ports),
        leaves: SwitchId::from_index((stages - 1) * words + node / ports),
    };
    let nodes = words * ports;
    Ok(Topology {
        family: Family::Butterfly { arity, stages: stages as u32 },
        nodes,
        switches,
        ports,
        neighbours,
        attachments: (0..nodes).map(ends).collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, switches, links, channels of the bisection.
    #[test]
    fn sizes() {
        for (arity, stages, expected) in [
            (2, 1, (2, 1, 0, None)),
            (2, 3, (8, 12, 16, Some(4))),
            (4, 2, (16, 8, 16, Some(8))),
            (3, 3, (27, 27, 54, None)),
        ] {
            let fly = build(arity, stages).unwrap();
            let links = fly.neighbours.iter().filter(|n| n.is_some()).count();
            let found = (fly.nodes, fly.switches, links, fly.bisection_channels(1));
            assert_eq!(found, expected, "{arity}-ary {stages}-fly");
            assert!(!fly.is_symmetric());
        }
    }

    /// Every node is reached from every other by its own digits.
    #[test]
    fn digits_lead_to_their_node() {
        for (arity, stages) in [(2u32, 4), (3, 3), (5, 2), (4, 1)] {
            let fly = build(arity, stages).unwrap();
            for from in 0..fly.nodes {
                for to in 0..fly.nodes {
                    let digit = |i| to / (arity as usize).pow(stages - 1 - i) % arity as usize;
                    let mut at = fly.attachments[from].enters().unwrap();
                    for stage in 0..stages - 1 {
                        at = fly.neighbour(at, digit(stage));
                    }
                    assert_eq!(Some(at), fly.attachments[to].leaves());
                }
            }
        }
    }

    #[test]
    fn a_link_without_a_way_back_is_named() {
        let fly = build(2, 2).unwrap();
        assert_eq!(fly.first_one_way(), Some((SwitchId(0), SwitchId(2))));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(0, 3).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.arity = 0: must be 2 to 65536");
        assert!(build(2, 23).unwrap_err().allowed.contains("1 to 22"));
        assert!(build(8, 8).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
