//! Switches each of which is joined to every other.
//!
//! Node i is on switch `i / p`, where p is the number of nodes on a switch. Port t leads
//! to switch t; a switch's port of its own number leads nowhere.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// So many switches, with so many nodes on each.
pub(super) fn build(switches: u32, nodes_per_switch: u32) -> Result<Topology, SpecError> {
    check_range("switches", switches, 1..=1 << 13)?;
    check_range("nodes_per_switch", nodes_per_switch, 1..=MOST_ON_A_SWITCH)?;
    let nodes = u64::from(switches) * u64::from(nodes_per_switch);
    check_size("switches", switches, Some(nodes), Some(u64::from(switches).pow(2)))?;
    let all = || (0..switches).map(SwitchId);
    let others = |own| all().map(move |other| if own == other { SwitchId::NONE } else { other });
    Ok(Topology {
        family: Family::FullyConnected { nodes_per_switch },
        nodes: nodes as usize,
        switches: switches as usize,
        ports: switches as usize,
        neighbours: all().flat_map(others).collect(),
        attachments: (0..nodes as u32)
            .map(|node| Attachment::Switch(SwitchId(node / nodes_per_switch)))
            .collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, links of one direction, degree, channels of the bisection.
    #[test]
    fn sizes() {
        for (switches, on_switch, expected) in [
            (1, 2, (2, 0, 0, None)),
            (2, 1, (2, 2, 1, Some(2))),
            (5, 2, (10, 20, 4, Some(12))),
            (8, 4, (32, 56, 7, Some(32))),
            (300, 1, (300, 89_700, 299, Some(45_000))),
        ] {
            let full = build(switches, on_switch).unwrap();
            let links = full.neighbours.iter().filter(|n| n.is_some()).count();
            let found = (full.nodes, links, full.degree(), full.bisection_channels(1));
            assert_eq!(found, expected, "{switches} switches");
            assert!(full.is_symmetric());
        }
    }

    #[test]
    fn a_port_has_the_number_of_its_switch() {
        let full = build(4, 3).unwrap();
        assert_eq!(full.neighbour(SwitchId(1), 3), SwitchId(3));
        assert_eq!(full.neighbour(SwitchId(1), 1), SwitchId::NONE);
        assert_eq!(full.attachments[5], Attachment::Switch(SwitchId(1)));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(0, 1).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.switches = 0: must be 1 to 8192");
        assert!(build(1, 1).unwrap_err().allowed.contains("at least two nodes"));
        assert!(build(8192, 65536).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
