//! How much memory nodes need for packets, where nodes and switches are one.
//!
//! What comes and goes at one instant counts as gone: the greatest of the sums that last.

use crate::ids::NodeId;

/// Whose packets are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// On their way from other nodes.
    Transit = 0,
    /// The node's own, that have not set out.
    Local = 1,
}

impl Owner {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transit => "transit",
            Self::Local => "own",
        }
    }
}

/// Bytes that are stored, and the most that were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Now.
    pub bytes: u64,
    /// Most in the current window.
    pub max: u64,
}

/// Bytes of packets, headers included, that are stored in nodes.
pub struct Stored {
    /// Per node, by [`Owner`].
    pub nodes: Vec<[Level; 2]>,
    /// In all nodes together, by [`Owner`].
    pub network: [Level; 2],
    /// Nodes that store more than before this instant, perhaps.
    touched: Vec<NodeId>,
}

impl Stored {
    /// Nothing is stored in so many nodes.
    pub fn new(nodes: usize) -> Self {
        Self {
            nodes: vec![Default::default(); nodes],
            network: Default::default(),
            touched: Vec::new(),
        }
    }

    /// A packet of so many bytes is stored in a node.
    #[inline]
    pub fn comes(&mut self, node: NodeId, owner: Owner, bytes: u64) {
        self.nodes[node.index()][owner as usize].bytes += bytes;
        self.network[owner as usize].bytes += bytes;
        self.touched.push(node);
    }

    /// It is stored no longer.
    #[inline]
    pub fn goes(&mut self, node: NodeId, owner: Owner, bytes: u64) {
        self.nodes[node.index()][owner as usize].bytes -= bytes;
        self.network[owner as usize].bytes -= bytes;
    }

    /// All of this instant has happened.
    #[inline]
    pub fn settle(&mut self) {
        let note = |level: &mut Level| level.max = level.max.max(level.bytes);
        while let Some(node) = self.touched.pop() {
            self.nodes[node.index()].iter_mut().for_each(note);
            self.network.iter_mut().for_each(note);
        }
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self) {
        let forget = |level: &mut Level| level.max = level.bytes;
        self.nodes.iter_mut().flatten().for_each(forget);
        self.network.iter_mut().for_each(forget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_at_the_instant_at_which_it_comes_is_not_counted() {
        let mut stored = Stored::new(2);
        stored.comes(NodeId(1), Owner::Transit, 10);
        stored.settle();
        stored.comes(NodeId(1), Owner::Transit, 20);
        stored.comes(NodeId(0), Owner::Local, 7);
        stored.goes(NodeId(1), Owner::Transit, 15);
        stored.settle();
        assert_eq!(stored.nodes[1][0], Level { bytes: 15, max: 15 });
        assert_eq!(stored.network, [Level { bytes: 15, max: 15 }, Level { bytes: 7, max: 7 }]);
        stored.goes(NodeId(1), Owner::Transit, 15);
        stored.begin_window();
        assert_eq!(stored.network, [Level::default(), Level { bytes: 7, max: 7 }]);
    }
}
