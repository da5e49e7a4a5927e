//! Every pattern against tables worked out by hand.

use super::*;
use crate::ids::NodeId;
use crate::spec::TopologySpec;

fn mesh(dims: &[u32]) -> Topology {
    Topology::new(&TopologySpec::Mesh { dims: dims.to_vec() }).unwrap()
}

fn star(nodes: u32) -> Topology {
    Topology::new(&TopologySpec::Star { nodes }).unwrap()
}

fn to(pattern: &Pattern, topology: &Topology) -> Vec<u32> {
    permutation(pattern, topology, Own::Excluded).unwrap().unwrap()
}

fn refusal(pattern: &Pattern, topology: &Topology) -> String {
    permutation(pattern, topology, Own::Excluded).unwrap_err().to_string()
}

const REVERSED: [u32; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
const SHUFFLED: [u32; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
const TRANSPOSED: [u32; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
const COMPLEMENT: [u32; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
/// (x + 1, y + 1) modulo 4: also the tornado, as ⌈4/2⌉ − 1 = 1.
const MOVED_BY_ONE: [u32; 16] = [5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0];

#[test]
fn sixteen_nodes_with_and_without_a_grid() {
    for topology in [mesh(&[4, 4]), mesh(&[16]), star(16), mesh(&[2, 8]), mesh(&[2, 2, 2, 2])] {
        assert_eq!(to(&Pattern::BitReverse, &topology), REVERSED);
        assert_eq!(to(&Pattern::Shuffle, &topology), SHUFFLED);
        assert_eq!(to(&Pattern::Transpose, &topology), TRANSPOSED);
        assert_eq!(to(&Pattern::BitComplement, &topology), COMPLEMENT);
    }
    assert_eq!(to(&Pattern::Neighbour, &mesh(&[4, 4])), MOVED_BY_ONE);
    assert_eq!(to(&Pattern::Tornado, &mesh(&[4, 4])), MOVED_BY_ONE);
}

#[test]
fn five_by_five() {
    let five = mesh(&[5, 5]);
    #[rustfmt::skip]
    let transposed = [0, 5, 10, 15, 20, 1, 6, 11, 16, 21, 2, 7, 12, 17, 22, 3, 8, 13, 18, 23, 4, 9, 14, 19, 24];
    assert_eq!(to(&Pattern::Transpose, &five), transposed);
    let mirrored: Vec<u32> = (0..25).rev().collect();
    assert_eq!(to(&Pattern::BitComplement, &five), mirrored);
    #[rustfmt::skip]
    let next = [6, 7, 8, 9, 5, 11, 12, 13, 14, 10, 16, 17, 18, 19, 15, 21, 22, 23, 24, 20, 1, 2, 3, 4, 0];
    assert_eq!(to(&Pattern::Neighbour, &five), next);
    // ⌈5/2⌉ − 1 = 2 further in both dimensions.
    #[rustfmt::skip]
    let tornado = [12, 13, 14, 10, 11, 17, 18, 19, 15, 16, 22, 23, 24, 20, 21, 2, 3, 4, 0, 1, 7, 8, 9, 5, 6];
    assert_eq!(to(&Pattern::Tornado, &five), tornado);
}

/// On three dimensions of different sides, digit by digit.
#[test]
fn every_dimension_has_its_own_side() {
    let topology = mesh(&[3, 8, 5]);
    let by = [(&Pattern::Tornado, [1, 3, 2]), (&Pattern::Neighbour, [1, 1, 1])];
    for (pattern, by) in by {
        for (node, to) in to(pattern, &topology).into_iter().enumerate() {
            let [x, y, z] = topology.coordinates(NodeId::from_index(node))[..] else { panic!() };
            let expected = [(x + by[0]) % 3, (y + by[1]) % 8, (z + by[2]) % 5];
            assert_eq!(topology.coordinates(NodeId(to)), expected);
        }
    }
    let last = to(&Pattern::BitComplement, &topology)[3 * 8];
    assert_eq!(topology.coordinates(NodeId(last)), [2, 7, 3], "of (0, 0, 1)");
}

#[test]
fn every_pattern_is_a_permutation() {
    let patterns = [
        Pattern::Transpose,
        Pattern::BitComplement,
        Pattern::BitReverse,
        Pattern::Shuffle,
        Pattern::Tornado,
        Pattern::Neighbour,
    ];
    let mut found = 0;
    for topology in [mesh(&[4, 4]), mesh(&[3]), mesh(&[7, 7]), mesh(&[8, 2, 4]), star(64), star(9)]
    {
        for pattern in &patterns {
            if let Ok(to) = permutation(pattern, &topology, Own::Excluded) {
                let mut to = to.unwrap();
                to.sort_unstable();
                assert_eq!(to, (0..topology.nodes as u32).collect::<Vec<_>>());
                found += 1;
            }
        }
    }
    // 6; a line of 3: the digits and the mirror; 7 × 7: these and the transpose; 6; the bits; none.
    assert_eq!(found, 6 + 3 + 4 + 6 + 4);
}

#[test]
fn a_written_permutation_is_taken_as_it_is() {
    let written = Pattern::Permutation { to: vec![2, 1, 0] };
    assert_eq!(to(&written, &star(3)), [2, 1, 0]);
}

#[test]
fn patterns_that_draw_are_none() {
    let hot = Pattern::HotSpot { nodes: vec![1], share: 0.5 };
    assert_eq!(permutation(&Pattern::Uniform, &star(3), Own::Excluded).unwrap(), None);
    assert_eq!(permutation(&hot, &star(3), Own::Excluded).unwrap(), None);
}

#[test]
fn what_a_pattern_needs_is_said() {
    let twelve = mesh(&[4, 3]);
    for (pattern, word) in [(Pattern::BitReverse, "bit_reverse"), (Pattern::Shuffle, "shuffle")] {
        assert_eq!(
            refusal(&pattern, &twelve),
            format!("workload.pattern = {word}: needs a power of two of nodes, not 12")
        );
    }
    for topology in [mesh(&[4, 8]), mesh(&[3, 3, 3]), twelve] {
        assert_eq!(
            refusal(&Pattern::Transpose, &topology),
            format!(
                "workload.pattern = transpose: needs a square grid of two dimensions or an even \
                 power of two of nodes, not {}",
                topology.nodes
            )
        );
    }
    assert_eq!(
        refusal(&Pattern::BitComplement, &star(12)),
        "workload.pattern = bit_complement: needs a grid or a power of two of nodes, not 12"
    );
    assert_eq!(
        refusal(&Pattern::Tornado, &star(16)),
        "workload.pattern = tornado: needs a machine with coordinates, such as a mesh"
    );
    // ⌈2/2⌉ − 1 = 0.
    let cube = Topology::new(&TopologySpec::Hypercube { dimensions: 3 }).unwrap();
    assert_eq!(
        refusal(&Pattern::Tornado, &cube),
        "workload.pattern = tornado: leaves nobody to send to: here every node is its own \
         destination"
    );
}

#[test]
fn what_is_no_permutation_is_refused_by_place() {
    let written = |to: &[u32]| Pattern::Permutation { to: to.to_vec() };
    assert_eq!(
        refusal(&written(&[1, 0]), &star(3)),
        "workload.pattern.to = 2 destinations: must have one destination for each of the 3 nodes"
    );
    assert_eq!(
        refusal(&written(&[1, 3, 0]), &star(3)),
        "workload.pattern.to[1] = 3: must be at most 2 (there are 3 nodes)"
    );
    assert_eq!(
        refusal(&written(&[1, 2, 1]), &star(3)),
        "workload.pattern.to[2] = 1: is there twice: in a permutation every node is a \
         destination once"
    );
    assert!(refusal(&written(&[0, 1, 2]), &star(3)).contains("leaves nobody to send to"));
    // Unless nodes send to themselves.
    let own = permutation(&written(&[0, 1, 2]), &star(3), Own::Included);
    assert_eq!(own.unwrap(), Some(vec![0, 1, 2]));
}
