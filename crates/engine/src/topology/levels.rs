//! Levels of extended generalised fat trees.

/// One level of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Children of a switch.
    pub children: usize,
    /// Parents of a switch; none on the highest level.
    pub parents: usize,
    /// Nodes below a switch.
    pub nodes: usize,
    /// Switches above the same nodes.
    pub places: usize,
    /// The number of its first switch.
    pub first: usize,
    /// How many switches it has.
    pub switches: usize,
}

/// The levels of a tree, the lowest first; none if they are too large to count.
pub(crate) fn levels(children: &[u32], parents: &[u32]) -> Option<Vec<Level>> {
    let all = children.iter().try_fold(1usize, |n, &m| n.checked_mul(m as usize))?;
    let (mut nodes, mut places, mut first) = (1, 1usize, 0usize);
    let mut levels = Vec::new();
    for (level, &m) in children.iter().enumerate() {
        nodes *= m as usize;
        let switches = (all / nodes).checked_mul(places)?;
        let parents = parents.get(level).map_or(0, |&w| w as usize);
        levels.push(Level { children: m as usize, parents, nodes, places, first, switches });
        first = first.checked_add(switches)?;
        places = places.checked_mul(parents)?;
    }
    Some(levels)
}
