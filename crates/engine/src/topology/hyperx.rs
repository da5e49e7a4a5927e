//! The `HyperX` of [Ahn et al. 2009]: a grid in which every switch is joined to all others of its
//! lines; with equal sides the flattened butterfly of [Kim et al. 2007].
//!
//! Switches are numbered as those of a mesh, x fastest; node i is on switch `i / p`, with p nodes on
//! a switch. The ports of dimension d follow those of the dimensions before: port t of them leads
//! to the switch whose coordinate is t there, and is otherwise the same; that of the switch's own
//! coordinate leads nowhere. With widths given, a link of dimension d has `widths[d]` wires.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The `HyperX` with these sides, and p nodes on a switch.
pub(super) fn build(
    dims: &[u32],
    widths: &[u16],
    p: u32,
    by_distance: bool,
) -> Result<Topology, SpecError> {
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    let listed = |list: &[u32]| {
        let given: Vec<String> = list.iter().map(ToString::to_string).collect();
        format!("[{}]", given.join(", "))
    };
    if dims.is_empty() || dims.iter().any(|&side| side < 2) {
        let allowed = "must be one or more whole numbers above 1";
        return Err(SpecError::new("machine.topology.dims", listed(dims), allowed));
    }
    if !widths.is_empty() && (widths.len() != dims.len() || widths.contains(&0)) {
        let given: Vec<u32> = widths.iter().map(|&width| width.into()).collect();
        let allowed = format!("must be one, above 0, for each dimension: {}", dims.len());
        return Err(SpecError::new("machine.topology.dimension_widths", listed(&given), allowed));
    }
    let switches = dims.iter().try_fold(1u64, |n, &side| n.checked_mul(side.into()));
    let ports: u64 = dims.iter().map(|&side| u64::from(side)).sum();
    let nodes = switches.and_then(|switches| switches.checked_mul(p.into()));
    check_size("nodes_per_switch", p, nodes, switches.and_then(|n| n.checked_mul(ports)))?;
    let nodes = nodes.unwrap_or_default() as u32;
    let switches = nodes / p;
    let mut neighbours = Vec::with_capacity(switches as usize * ports as usize);
    for switch in 0..switches {
        let mut stride = 1;
        for &side in dims {
            let own = switch / stride % side;
            let lowest = switch - own * stride;
            let other = |t| if t == own { SwitchId::NONE } else { SwitchId(lowest + t * stride) };
            neighbours.extend((0..side).map(other));
            stride *= side;
        }
    }
    let of_port =
        || dims.iter().zip(widths).flat_map(|(&side, &width)| (0..side).map(move |_| width));
    Ok(Topology {
        family: Family::HyperX {
            dims: dims.to_vec(),
            widths: widths.to_vec(),
            nodes_per_switch: p,
            by_distance,
        },
        nodes: nodes as usize,
        switches: switches as usize,
        ports: ports as usize,
        widths: (0..switches).flat_map(|_| of_port()).collect(),
        neighbours,
        attachments: (0..nodes).map(|node| Attachment::Switch(SwitchId(node / p))).collect(),
        ..Topology::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, switches, links of one direction, degree, channels of the bisection.
    #[test]
    fn sizes() {
        for (dims, widths, p, expected) in [
            // One dimension: fully connected switches, 4 · 4 pairs across, both directions.
            (vec![8], vec![], 4, (32, 8, 56, 7, Some(32))),
            // Figure 1 of [Kim et al. 2007]: the 4-ary 2-flat, 4 switches of 4 nodes.
            (vec![4], vec![], 4, (16, 4, 12, 3, Some(8))),
            // The smaller side is halved: 2 · 2 pairs in each of 6 lines, both directions.
            (vec![6, 4], vec![], 1, (24, 24, 24 * 8, 8, Some(48))),
            // With wires the other one: 3 · 3 pairs in 4 lines against 4 wires · 4 pairs in 6.
            (vec![6, 4], vec![1, 4], 1, (24, 24, 24 * 8, 8, Some(72))),
            (vec![3, 5], vec![], 2, (30, 15, 15 * 6, 6, None)),
        ] {
            let hyperx = build(&dims, &widths, p, false).unwrap();
            let links = hyperx.neighbours.iter().filter(|n| n.is_some()).count();
            let bisection = hyperx.bisection_channels(1);
            let found = (hyperx.nodes, hyperx.switches, links, hyperx.degree(), bisection);
            assert_eq!(found, expected, "{dims:?}");
        }
    }

    /// Two switches are joined exactly if they differ in one coordinate.
    #[test]
    fn lines_are_fully_connected() {
        let hyperx = build(&[3, 2, 4], &[1, 2, 3], 1, false).unwrap();
        let place = |s: u32| [s % 3, s / 3 % 2, s / 6];
        for one in 0..24 {
            let around: Vec<u32> = hyperx.links(SwitchId(one)).map(|(_, other)| other.0).collect();
            for other in 0..24 {
                let (from, to) = (place(one), place(other));
                let differing: Vec<usize> = (0..3).filter(|&d| from[d] != to[d]).collect();
                assert_eq!(around.contains(&other), differing.len() == 1, "{one} {other}");
                if let [d] = differing[..] {
                    let port = [0, 3, 5][d] + to[d] as usize;
                    assert_eq!(hyperx.neighbour(SwitchId(one), port), SwitchId(other));
                    assert_eq!(hyperx.width(SwitchId(one), port, 9), d as u32 + 1);
                    assert_eq!(hyperx.link_class(one as usize * hyperx.ports + port), d);
                }
            }
        }
    }

    #[test]
    fn impossible_sizes_are_named() {
        let refusal = |dims: &[u32], widths: &[u16], p| {
            build(dims, widths, p, false).unwrap_err().to_string()
        };
        let sides = "must be one or more whole numbers above 1";
        assert_eq!(refusal(&[4, 1], &[], 1), format!("machine.topology.dims = [4, 1]: {sides}"));
        assert_eq!(refusal(&[], &[], 1), format!("machine.topology.dims = []: {sides}"));
        assert_eq!(
            refusal(&[4, 4], &[2], 1),
            "machine.topology.dimension_widths = [2]: must be one, above 0, for each dimension: 2"
        );
        assert!(refusal(&[4, 4], &[2, 0], 1).contains("above 0"));
        assert!(refusal(&[1024, 1024], &[], 2).contains("at most 1048576 nodes"));
        assert!(refusal(&[4], &[], 0).contains("nodes_per_switch = 0"));
        assert!(refusal(&[u32::MAX, u32::MAX, 8], &[], 2).contains("at most 1048576 nodes"));
    }

    #[test]
    fn links_may_have_classes_by_distance() {
        let hyperx = build(&[4, 3], &[], 1, true).unwrap();
        assert_eq!(hyperx.link_classes(), ["x_1", "x_2", "x_3", "y_1", "y_2"]);
        let class = |switch: usize, port: usize| hyperx.link_class(switch * hyperx.ports + port);
        // Switch 5 is at (1, 1): ports 0 to 3 lead along x, 4 to 6 along y.
        assert_eq!([0, 2, 3].map(|port| class(5, port)), [0, 0, 1]);
        assert_eq!([4, 6].map(|port| class(5, port)), [3, 3]);
        assert_eq!((class(0, 3), class(0, 6)), (2, 4));
    }
}
