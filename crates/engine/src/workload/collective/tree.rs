//! Trees that are passed level by level, perhaps in segments.

use super::data::Data;
use super::group::Group;
use super::moves::{Load, Moves, Way};

/// A tree over members, numbered from its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All below the root.
    Star,
    /// One below the other.
    Chain,
    /// Two below each, level by level.
    Binary,
}

impl Shape {
    /// Levels below the root.
    pub fn height(self, n: u32) -> u32 {
        self.depth(n - 1)
    }

    fn depth(self, v: u32) -> u32 {
        match self {
            Self::Star => u32::from(v > 0),
            Self::Chain => v,
            Self::Binary => (v + 1).ilog2(),
        }
    }

    fn parent(self, v: u32) -> u32 {
        match self {
            Self::Star => 0,
            Self::Chain => v - 1,
            Self::Binary => (v - 1) / 2,
        }
    }

    fn children(self, v: u32, n: u32) -> std::ops::Range<u32> {
        let (first, last) = match self {
            Self::Star if v == 0 => (1, n),
            Self::Star => (n, n),
            Self::Chain => (v + 1, v + 2),
            Self::Binary => (2 * v + 1, 2 * v + 3),
        };
        first.min(n)..last.min(n)
    }

    /// A member passes a segment on as soon as it has it, and as all below it have sent theirs.
    pub fn moves(
        self,
        group: Group,
        (way, load, segments): (Way, Load, u32),
        me: u32,
        round: u32,
        out: &mut Moves,
    ) {
        let v = group.number_of(me);
        let depth = self.depth(v);
        // The round in which the first segment is passed between it and its children.
        let below = match way {
            Way::Out => depth,
            Way::In => (self.height(group.n)).wrapping_sub(depth + 1),
        };
        let above = if way == Way::Out { depth.wrapping_sub(1) } else { below.wrapping_add(1) };
        let data = |child: u32, first: u32| match load {
            Load::Whole => {
                let segment = round.checked_sub(first).filter(|&segment| segment < segments);
                segment.map(|first| Data::Parts { first, count: 1 })
            }
            Load::Blocks => {
                (round == first).then(|| Data::Parts { first: group.at(child), count: 1 })
            }
        };
        if depth > 0
            && let Some(data) = data(v, above)
        {
            let parent = group.at(self.parent(v));
            if way == Way::In { out.send(parent, data) } else { out.receive(parent, data) }
        }
        for child in self.children(v, group.n) {
            let Some(data) = data(child, below) else { return };
            let child = group.at(child);
            if way == Way::In { out.receive(child, data) } else { out.send(child, data) }
        }
    }
}
