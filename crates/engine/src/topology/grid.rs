//! Meshes and tori of any dimensions, and the hypercube as the mesh of sides two.
//!
//! One node per switch. Port `2·d` leads to the neighbour with the smaller
//! coordinate in dimension d, port `2·d + 1` to the one with the larger; on a torus
//! the first and the last of a line of more than two are neighbours too. (Two are
//! neighbours already: a second pair of links between them would be no ring.)

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MAX_NODES, MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The open grid.
pub(super) fn mesh(dims: &[u32]) -> Result<Topology, SpecError> {
    grid(dims, false)
}

/// The grid whose lines are closed to rings.
pub(super) fn torus(dims: &[u32]) -> Result<Topology, SpecError> {
    grid(dims, true)
}

fn grid(dims: &[u32], wraps: bool) -> Result<Topology, SpecError> {
    let switches = check_dims(dims)?;
    let ports = 2 * dims.len();
    let mut neighbours = vec![SwitchId::NONE; switches * ports];
    let mut stride = 1;
    for (dimension, &side) in dims.iter().enumerate() {
        let side = side as usize;
        let round = if wraps && side > 2 { stride * (side - 1) } else { 0 };
        for switch in 0..switches {
            let coordinate = switch / stride % side;
            let at = switch * ports + 2 * dimension;
            if coordinate > 0 {
                neighbours[at] = SwitchId::from_index(switch - stride);
            } else if round > 0 {
                neighbours[at] = SwitchId::from_index(switch + round);
            }
            if coordinate + 1 < side {
                neighbours[at + 1] = SwitchId::from_index(switch + stride);
            } else if round > 0 {
                neighbours[at + 1] = SwitchId::from_index(switch - round);
            }
        }
        stride *= side;
    }
    let attachments = (0..switches).map(|i| Attachment::Switch(SwitchId::from_index(i))).collect();
    Ok(Topology {
        family: Family::Grid,
        nodes: switches,
        switches,
        ports,
        neighbours,
        attachments,
        dims: dims.to_vec(),
        wraps,
        ..Topology::default()
    })
}

/// The same with so many nodes on a switch [Balfour & Dally 2006]: node i is on switch `i / p`.
pub(super) fn concentrated(dims: &[u32], p: u32, wraps: bool) -> Result<Topology, SpecError> {
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    if dims.iter().all(|&side| side == 1) && !dims.is_empty() {
        let allowed = "must give at least two switches";
        return Err(SpecError::new("machine.topology.dims", format!("{dims:?}"), allowed));
    }
    let grid = grid(dims, wraps)?;
    check_size("nodes_per_switch", p, Some(grid.nodes as u64 * u64::from(p)), Some(0))?;
    let nodes = grid.nodes as u32 * p;
    let attachments = (0..nodes).map(|node| Attachment::Switch(SwitchId(node / p))).collect();
    Ok(Topology { nodes: nodes as usize, attachments, ..grid })
}

/// The binary n-cube.
pub(super) fn hypercube(dimensions: u32) -> Result<Topology, SpecError> {
    if !(1..=MAX_NODES.ilog2()).contains(&dimensions) {
        return Err(SpecError::new(
            "machine.topology.dimensions",
            dimensions,
            format!("must be 1 to {}", MAX_NODES.ilog2()),
        ));
    }
    mesh(&vec![2; dimensions as usize])
}

/// The number of switches, if the sides are possible.
fn check_dims(dims: &[u32]) -> Result<usize, SpecError> {
    let refuse = |allowed: String| {
        let given: Vec<String> = dims.iter().map(ToString::to_string).collect();
        Err(SpecError::new("machine.topology.dims", format!("[{}]", given.join(", ")), allowed))
    };
    if dims.is_empty() || dims.contains(&0) {
        return refuse("must be one or more whole numbers above 0".into());
    }
    let nodes = dims.iter().try_fold(1u64, |n, &k| {
        let product = n * u64::from(k);
        (product <= MAX_NODES).then_some(product)
    });
    match nodes {
        Some(1) => refuse("must give at least two nodes".into()),
        Some(nodes) => Ok(nodes as usize),
        None => refuse(format!("must give at most {MAX_NODES} nodes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;

    #[test]
    fn a_mesh_is_wired_as_a_grid() {
        let mesh = mesh(&[3, 2]).unwrap();
        assert_eq!((mesh.nodes, mesh.ports, mesh.degree()), (6, 4, 3));
        let at = |switch, port| mesh.neighbour(SwitchId(switch), port);
        assert_eq!(at(1, 0), SwitchId(0));
        assert_eq!(at(1, 1), SwitchId(2));
        assert_eq!(at(1, 2), SwitchId::NONE);
        assert_eq!(at(1, 3), SwitchId(4));
        assert_eq!(mesh.coordinates(NodeId(5)), [2, 1]);
        assert_eq!(mesh.bisection_channels(1), Some(4));
    }

    #[test]
    fn a_torus_closes_lines_of_more_than_two() {
        let torus = torus(&[4, 2]).unwrap();
        assert_eq!((torus.nodes, torus.degree()), (8, 3));
        let at = |switch, port| torus.neighbour(SwitchId(switch), port);
        assert_eq!((at(0, 0), at(3, 1)), (SwitchId(3), SwitchId(0)));
        assert_eq!((at(0, 2), at(0, 3)), (SwitchId::NONE, SwitchId(4)));
        assert_eq!(torus.bisection_channels(1), Some(8));
    }

    #[test]
    fn a_hypercube_joins_numbers_that_differ_in_one_bit() {
        let cube = hypercube(4).unwrap();
        assert_eq!((cube.nodes, cube.degree()), (16, 4));
        for switch in 0..16 {
            for dimension in 0..4 {
                let port = 2 * dimension + usize::from(switch >> dimension & 1 == 0);
                assert_eq!(cube.neighbour(SwitchId(switch), port).0, switch ^ (1 << dimension));
                assert_eq!(cube.neighbour(SwitchId(switch), port ^ 1), SwitchId::NONE);
            }
        }
        assert_eq!(cube.bisection_channels(1), Some(16));
    }

    #[test]
    fn a_concentrated_mesh_is_one_with_more_nodes() {
        let [plain, mesh] = [mesh(&[3, 2]).unwrap(), concentrated(&[3, 2], 4, false).unwrap()];
        assert_eq!((mesh.nodes, mesh.switches, mesh.degree()), (24, 6, 3));
        assert_eq!(mesh.neighbours, plain.neighbours);
        assert_eq!(mesh.bisection_channels(1), plain.bisection_channels(1));
        assert_eq!(mesh.coordinates(NodeId(23)), [2, 1]);
        assert!(!mesh.is_direct() && concentrated(&[3, 2], 1, false).unwrap().is_direct());
        let refusal = |dims: &[u32], p| concentrated(dims, p, true).unwrap_err().to_string();
        assert_eq!(
            refusal(&[1, 1], 4),
            "machine.topology.dims = [1, 1]: must give at least two switches"
        );
        assert!(refusal(&[1024, 1024], 2).contains("at most 1048576 nodes"));
        assert!(refusal(&[4, 0], 2).contains("dims"));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = mesh(&[4, 0]).unwrap_err().to_string();
        assert_eq!(
            error,
            "machine.topology.dims = [4, 0]: must be one or more whole numbers above 0"
        );
        assert!(mesh(&[]).is_err());
        assert!(mesh(&[1, 1]).unwrap_err().allowed.contains("at least two nodes"));
        assert!(mesh(&[1 << 31, 1 << 31]).unwrap_err().allowed.contains("at most"));
        assert!(hypercube(0).is_err());
        assert!(hypercube(40).is_err());
    }
}
