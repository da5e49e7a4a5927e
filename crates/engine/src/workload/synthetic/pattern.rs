//! Patterns that give every node one destination.
//!
//! The formulas are those of [Dally & Towles 2004], table 3.1, which the simulator of
//! [Jiang et al. 2013] has as well. Patterns of bits need a number of nodes that is a
//! power of two, patterns of digits a grid.

use crate::error::SpecError;
use crate::spec::Pattern;
use crate::topology::Topology;

/// Whether processes send to themselves, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// To others only.
    Excluded,
    /// As to others.
    Included,
}

/// Nodes along each dimension of the grid whose places are the nodes, if there is one.
pub fn grid(topology: &Topology) -> Option<&[u32]> {
    let places: u64 = topology.dims.iter().map(|&side| u64::from(side)).product();
    (!topology.dims.is_empty() && places == topology.nodes as u64).then_some(&topology.dims)
}

/// Whether nodes can be among their own destinations, if that is wanted.
pub fn may_include_self(pattern: &Pattern) -> bool {
    !matches!(pattern, Pattern::HotSpot { .. } | Pattern::NextGroup)
}

/// Switches along each dimension, and nodes on each of them: of a grid or `HyperX`.
fn places(topology: &Topology) -> Option<(&[u32], u32)> {
    let sides = topology.sides();
    let per_switch = topology.nodes / topology.switches.max(1);
    (!sides.is_empty()).then_some((sides, per_switch as u32))
}

/// For every node the node it sends to; none for a pattern that draws destinations.
///
/// # Errors
/// A number of nodes, or a shape, that the pattern is not defined for; a written
/// permutation that is none; nobody who sends, if only those do that send to others.
pub fn permutation(
    pattern: &Pattern,
    topology: &Topology,
    own: Own,
) -> Result<Option<Vec<u32>>, SpecError> {
    let (word, to) = match pattern {
        Pattern::Uniform
        | Pattern::HotSpot { .. }
        | Pattern::NextGroup
        | Pattern::Matrix { .. } => return Ok(None),
        Pattern::Transpose => ("transpose", transpose(topology)),
        Pattern::BitComplement => ("bit_complement", bit_complement(topology)),
        Pattern::BitReverse => ("bit_reverse", bit_reverse(topology)),
        Pattern::Shuffle => ("shuffle", shuffle(topology)),
        Pattern::Tornado => ("tornado", moved(topology, |side| side.div_ceil(2) - 1)),
        Pattern::Neighbour => ("neighbour", moved(topology, |_| 1)),
        Pattern::Permutation { to } => {
            check(to, topology.nodes)?;
            ("permutation", Ok(to.clone()))
        }
    };
    let refused = |needs| SpecError::new("workload.pattern", word, needs);
    let to = to.map_err(refused)?;
    if own == Own::Excluded && to.iter().zip(0..).all(|(&to, node)| to == node) {
        let nobody = "leaves nobody to send to: here every node is its own destination";
        return Err(refused(nobody.into()));
    }
    Ok(Some(to))
}

/// For every node its destination, or what the pattern would need.
type Laid = Result<Vec<u32>, String>;

fn each(topology: &Topology, to: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..topology.nodes as u32).map(to).collect()
}

/// How many bits a node number has.
fn bits(topology: &Topology) -> Result<u32, String> {
    let nodes = topology.nodes;
    let is_whole = nodes.is_power_of_two();
    is_whole.then(|| nodes.ilog2()).ok_or(format!("needs a power of two of nodes, not {nodes}"))
}

/// (x, y) → (y, x) on a square, else the halves of the bits change places.
fn transpose(topology: &Topology) -> Laid {
    if let Some((&[width, height], p)) = places(topology)
        && width == height
    {
        let turned = |switch| switch / width + switch % width * width;
        return Ok(each(topology, |node| turned(node / p) * p + node % p));
    }
    let nodes = topology.nodes;
    if !nodes.is_power_of_two() || nodes.ilog2() % 2 == 1 {
        return Err(format!(
            "needs a square grid of two dimensions or an even power of two of nodes, not {nodes}"
        ));
    }
    let half = nodes.ilog2() / 2;
    Ok(each(topology, |node| node >> half | (node & ((1 << half) - 1)) << half))
}

/// The last node less the node: that mirrors each of its bits, and each coordinate
/// of a grid (and its place on its switch).
fn bit_complement(topology: &Topology) -> Laid {
    let nodes = topology.nodes;
    if places(topology).is_none() && !nodes.is_power_of_two() {
        return Err(format!("needs a grid or a power of two of nodes, not {nodes}"));
    }
    Ok(each(topology, |node| nodes as u32 - 1 - node))
}

fn bit_reverse(topology: &Topology) -> Laid {
    let bits = bits(topology)?;
    Ok(each(topology, |node| node.reverse_bits() >> (u32::BITS - bits)))
}

fn shuffle(topology: &Topology) -> Laid {
    let bits = bits(topology)?;
    Ok(each(topology, |node| (node << 1 | node >> (bits - 1)) & ((1 << bits) - 1)))
}

/// Every coordinate moved on, modulo the side of the grid.
fn moved(topology: &Topology, by: impl Fn(u32) -> u32) -> Laid {
    let Some((sides, p)) = places(topology) else {
        return Err("needs a machine with coordinates, such as a mesh".into());
    };
    Ok(each(topology, |node| {
        let (mut to, mut stride) = (0, 1);
        for &side in sides {
            let at = node / p / stride % side;
            to += (at + by(side)) % side * stride;
            stride *= side;
        }
        to * p + node % p
    }))
}

/// Checks a written permutation.
fn check(to: &[u32], nodes: usize) -> Result<(), SpecError> {
    let field = |node| format!("workload.pattern.to[{node}]");
    if to.len() != nodes {
        let allowed = format!("must have one destination for each of the {nodes} nodes");
        let given = format!("{} destinations", to.len());
        return Err(SpecError::new("workload.pattern.to", given, allowed));
    }
    let mut is_taken = vec![false; nodes];
    for (node, &destination) in to.iter().enumerate() {
        let Some(taken) = is_taken.get_mut(destination as usize) else {
            let allowed = format!("must be at most {} (there are {nodes} nodes)", nodes - 1);
            return Err(SpecError::new(field(node), destination, allowed));
        };
        if *taken {
            let allowed = "is there twice: in a permutation every node is a destination once";
            return Err(SpecError::new(field(node), destination, allowed));
        }
        *taken = true;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
