//! The patterns of the synthetic workload, digit by digit, as the documents have them.

use super::wiring::Wiring;
use tailback_engine::spec::{Pattern, TopologySpec};

/// The node that a node sends to.
pub fn destination(
    pattern: &Pattern,
    topology: &TopologySpec,
    wiring: &Wiring,
    node: usize,
) -> usize {
    let sides = match topology {
        TopologySpec::Mesh { dims } => dims.iter().map(|&side| side as usize).collect(),
        TopologySpec::Hypercube { dimensions } => vec![2; *dimensions as usize],
        _ => Vec::new(),
    };
    let at = if sides.is_empty() { Vec::new() } else { wiring.coordinates(node) };
    let moved = |by: fn(usize) -> usize| {
        let to = at.iter().zip(&sides).map(|(x, &k)| (x + by(k)) % k);
        number(&to.collect::<Vec<_>>(), &sides)
    };
    let bits = bits(node, wiring.nodes());
    let b = bits.len();
    match pattern {
        Pattern::Permutation { to } => to[node] as usize,
        Pattern::Neighbour => moved(|_| 1),
        Pattern::Tornado => moved(|k| k.div_ceil(2) - 1),
        Pattern::Transpose if sides.len() == 2 && sides[0] == sides[1] => {
            number(&[at[1], at[0]], &sides)
        }
        Pattern::BitComplement if !sides.is_empty() => {
            let mirrored = at.iter().zip(&sides).map(|(x, k)| k - 1 - x);
            number(&mirrored.collect::<Vec<_>>(), &sides)
        }
        Pattern::BitComplement => of_bits((0..b).map(|i| !bits[i])),
        Pattern::Transpose => of_bits((0..b).map(|i| bits[(i + b / 2) % b])),
        Pattern::BitReverse => of_bits((0..b).map(|i| bits[b - 1 - i])),
        Pattern::Shuffle => of_bits((0..b).map(|i| bits[(i + b - 1) % b])),
        _ => unreachable!("the others are drawn"),
    }
}

/// The node at a place of the grid.
fn number(at: &[usize], sides: &[usize]) -> usize {
    at.iter().zip(sides).rev().fold(0, |number, (x, k)| number * k + x)
}

/// The bits of a node number, lowest first; as many as the last node needs.
fn bits(node: usize, nodes: usize) -> Vec<bool> {
    let mut count = 0;
    while 1 << count < nodes {
        count += 1;
    }
    (0..count).map(|i| node >> i & 1 == 1).collect()
}

fn of_bits(bits: impl Iterator<Item = bool>) -> usize {
    bits.enumerate().filter(|&(_, bit)| bit).map(|(i, _)| 1 << i).sum()
}
