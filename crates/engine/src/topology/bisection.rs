//! How many channels join two halves of the nodes, by formulas.

use super::base::Topology;
use super::family::Family;
use super::levels::levels;

impl Topology {
    /// The fewest channels, both directions together, between two halves of the nodes, where
    /// links have `usual` wires each; `None` where the family has no formula for it.
    pub fn bisection_channels(&self, usual: u32) -> Option<u64> {
        // No formula knows which links have failed.
        bisection(self, u64::from(usual)).filter(|_| !self.has_failed())
    }
}

/// The fewest channels, both directions together, that must be cut to part one half of
/// the nodes from the other, if a link has `usual` wires (a link from a node to its
/// switch is never cut).
///
/// `None` where nobody has a formula that holds: for dragonflies, islands, a graph, an odd arity
/// or an odd number of subtrees, and where there is one switch. Of a grid the largest
/// dimension is halved; of an odd number, the larger half has one more. The formulas of
/// grids and butterfly are those of [Dally & Towles 2004].
fn bisection(topology: &Topology, usual: u64) -> Option<u64> {
    let nodes = topology.nodes as u64;
    match &topology.family {
        Family::Grid => {
            let largest = u64::from(*topology.dims.iter().max()?);
            let lines = if topology.wraps && largest > 2 { 4 } else { 2 };
            (largest > 1).then(|| lines * usual * topology.switches as u64 / largest)
        }
        // Every switch of the highest level has half of its links on each side.
        Family::FatTree { arity, levels } => {
            (arity % 2 == 0 && *levels > 1).then_some(nodes * usual)
        }
        // Half of the outputs of the first stage, in which the first digit is set.
        Family::Butterfly { arity, stages } => {
            (arity % 2 == 0 && *stages > 1).then_some(nodes / 2 * usual)
        }
        Family::Tree { children, widths, .. } => tree_bisection(children, widths, usual),
        Family::FullyConnected { .. } => {
            let switches = topology.switches as u64;
            (switches > 1).then(|| 2 * usual * (switches / 2) * switches.div_ceil(2))
        }
        Family::HyperX { dims, widths, .. } => {
            // Halving dimension d cuts side · wires / 2 channels for every switch. That of the
            // least is as small as the second eigenvalue of the graph, side · wires, allows.
            let wires = |d: usize| widths.get(d).map_or(usual, |&width| width.into());
            let side = |d: usize| u64::from(dims[d]);
            let least = (0..dims.len()).map(|d| side(d) * wires(d)).min()?;
            let halved = |d: usize| side(d) * wires(d) == least && side(d) % 2 == 0;
            let switches = topology.switches as u64;
            (0..dims.len()).any(halved).then_some(switches * least / 2)
        }
        // Half of the subtrees of a level are cut off, where that costs least.
        Family::Xgft { children, parents, widths } => {
            let levels = levels(children, parents)?;
            let halves = children.last().is_some_and(|&top| top % 2 == 0) && levels.len() > 1;
            let links = levels.iter().enumerate().take(parents.len()).map(|(number, level)| {
                let wires = widths.get(number).map_or(usual, |&width| width.into());
                (level.switches * level.parents) as u64 * wires
            });
            links.min().filter(|_| halves)
        }
        Family::Pair
        | Family::Star
        | Family::Dragonfly { .. }
        | Family::DragonflyPlus(_)
        | Family::Islands { .. }
        | Family::Graph => None,
    }
}

/// Half of the subtrees of the root are cut off, each where that costs least.
///
/// No other half costs less: at one level, all subtrees cost the same per node cut off.
fn tree_bisection(children: &[u32], widths: &[u16], usual: u64) -> Option<u64> {
    let first = children.first().filter(|&&count| count % 2 == 0)?;
    let mut switches = 1;
    let mut least = u64::MAX;
    for (level, &count) in children.iter().enumerate() {
        if level > 0 {
            switches *= u64::from(count);
        }
        let width = widths.get(level).map_or(usual, |&width| u64::from(width));
        least = least.min(switches * width);
    }
    Some(u64::from(*first) * least)
}
