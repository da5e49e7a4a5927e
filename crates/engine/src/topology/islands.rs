//! Islands of accelerators: fully connected inside (*scale-up*), and joined by *rails* (*scale-out*),
//! switches each of which has the accelerators of one place of all islands, as in the rail-only
//! network of [Wang et al. 2024].
//!
//! With n accelerators in an island and r rails, r a divisor of n: accelerator t of island i is node
//! and switch `i · n + t` (it passes on what is not for it), rail k is switch `islands · n + k`.
//! Port t < n of an accelerator leads to accelerator t of its island, that of its own place nowhere,
//! and port n to rail `t mod r`. Port `i · (n / r) + t / r` of a rail leads to accelerator t of
//! island i.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// So many islands of n accelerators, with so many rails.
pub(super) fn build(n: u32, islands: u32, rails: u32) -> Result<Topology, SpecError> {
    check_range("accelerators", n, 1..=1 << 12)?;
    check_range("islands", islands, 2..=1 << 16)?;
    if rails == 0 || !n.is_multiple_of(rails) {
        let allowed = format!("must divide the accelerators of an island, {n}");
        return Err(SpecError::new("machine.topology.rails", rails, allowed));
    }
    let nodes = u64::from(n) * u64::from(islands);
    let on_rail = islands * (n / rails);
    let ports = u64::from(on_rail.max(n + 1));
    check_size("islands", islands, Some(nodes), Some((nodes + u64::from(rails)) * ports))?;
    let (nodes, ports) = (nodes as u32, ports as usize);
    let switches = (nodes + rails) as usize;
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    for node in 0..nodes {
        let (island, t) = (node / n, node % n);
        let row = node as usize * ports;
        for other in (0..n).filter(|&other| other != t) {
            neighbours[row + other as usize] = SwitchId(island * n + other);
        }
        let rail = nodes + t % rails;
        neighbours[row + n as usize] = SwitchId(rail);
        let port = island * (n / rails) + t / rails;
        neighbours[rail as usize * ports + port as usize] = SwitchId(node);
    }
    Ok(Topology {
        family: Family::Islands { accelerators: n, islands, rails },
        nodes: nodes as usize,
        switches,
        ports,
        neighbours,
        attachments: (0..nodes).map(|node| Attachment::Switch(SwitchId(node))).collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, switches, links of one direction.
    #[test]
    fn sizes() {
        for (sizes, expected) in [
            ((8, 4, 8), (32, 40, 4 * 8 * 7 + 2 * 32)),
            ((4, 3, 2), (12, 14, 3 * 4 * 3 + 2 * 12)),
            ((1, 5, 1), (5, 6, 10)),
        ] {
            let (n, islands, rails) = sizes;
            let topology = build(n, islands, rails).unwrap();
            let links = topology.neighbours.iter().filter(|n| n.is_some()).count();
            assert_eq!((topology.nodes, topology.switches, links), expected, "{sizes:?}");
        }
    }

    #[test]
    fn rails_have_the_accelerators_of_their_places() {
        let topology = build(4, 3, 2).unwrap();
        let rail: Vec<u32> = topology.links(SwitchId(13)).map(|(_, to)| to.0).collect();
        assert_eq!(rail, [1, 3, 5, 7, 9, 11]);
        let own: Vec<u32> = topology.links(SwitchId(6)).map(|(_, to)| to.0).collect();
        assert_eq!(own, [4, 5, 7, 12]);
        let class = |switch: usize, port| topology.link_class(switch * topology.ports + port);
        assert_eq!([class(6, 0), class(6, 4), class(13, 0), class(13, 5)], [0, 1, 1, 1]);
    }

    #[test]
    fn impossible_sizes_are_named() {
        assert_eq!(
            build(8, 4, 3).unwrap_err().to_string(),
            "machine.topology.rails = 3: must divide the accelerators of an island, 8"
        );
        assert!(build(8, 1, 8).unwrap_err().to_string().contains("islands = 1"));
        assert!(build(8, 4, 0).is_err() && build(0, 4, 1).is_err());
        assert!(build(4096, 65536, 4096).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
