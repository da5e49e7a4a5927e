//! Operations of a rank in any order, and which are after which: brought into an order in which
//! each comes after what it waits for, and cut into batches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailback_engine::workload::trace::{After, Batch, Operation};

/// A batch has at least so many operations, where it may end at all.
const SMALLEST_BATCH: usize = 8;

/// A graph has fewer operations than this.
pub const MOST_NODES: usize = 1 << 31;

/// A node of a graph: one operation.
pub trait Node: Copy {
    /// It, after so many others.
    fn operation(self, after: u32) -> Operation;

    /// How many bytes it expects, if it is a receive.
    fn expected(self) -> Option<u64>;
}

/// That a node is after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The later one.
    pub node: u32,
    /// The earlier one; the highest bit: it is enough that that one has begun.
    before: u32,
}

const BEGUN: u32 = 1 << 31;

impl Edge {
    /// `node` is after `before`, which is done, or has begun at least.
    pub fn new(node: u32, before: u32, begun: bool) -> Self {
        debug_assert!(before < BEGUN);
        Self { node, before: if begun { before | BEGUN } else { before } }
    }

    fn before(self) -> usize {
        (self.before & !BEGUN) as usize
    }
}

/// Nodes in an order in which they can be carried out, of which batches are taken.
#[derive(Debug)]
pub struct Graph<N> {
    nodes: Vec<N>,
    /// Where in `before` that of each node begins, and where the last ends.
    starts: Vec<u32>,
    before: Vec<u32>,
    /// After how many nodes batches end, the last first.
    cuts: Vec<u32>,
    taken: usize,
}

impl<N: Node> Graph<N> {
    /// Orders nodes: the first in the order given among those that may come next.
    ///
    /// # Errors
    /// The number of a node that waits for itself by way of others.
    ///
    /// # Panics
    /// With [`MOST_NODES`] or more, or as many edges.
    pub fn new(nodes: Vec<N>, edges: Vec<Edge>) -> Result<Self, usize> {
        assert!(nodes.len() < MOST_NODES && edges.len() < MOST_NODES, "too many operations");
        let is_ordered = edges.iter().all(|edge| edge.before() < edge.node as usize);
        let (nodes, edges) = if is_ordered { (nodes, edges) } else { ordered(&nodes, edges)? };
        let (starts, before) = by_node(nodes.len(), &edges);
        drop(edges);
        let cuts = cuts(&starts, &before);
        Ok(Self { nodes, starts, before, cuts, taken: 0 })
    }

    /// Appends the next operations to a batch, and what is expected by receives; false: all are taken.
    pub fn take(&mut self, batch: &mut Batch, expected: &mut Vec<u64>) -> bool {
        let Some(end) = self.cuts.pop() else { return false };
        batch.operations.reserve(end as usize - self.taken);
        for number in self.taken..end as usize {
            let range = self.starts[number] as usize..self.starts[number + 1] as usize;
            batch.after.extend(self.before[range.clone()].iter().map(|&before| After {
                back: number as u32 - (before & !BEGUN),
                begun: before & BEGUN != 0,
            }));
            let node = self.nodes[number];
            expected.extend(node.expected());
            batch.operations.push(node.operation(range.len() as u32));
        }
        self.taken = end as usize;
        if self.cuts.is_empty() {
            // Long traces have many ranks that end early.
            (self.nodes, self.starts, self.before) = Default::default();
        }
        true
    }
}

/// What each node is after, in the order of the edges.
fn by_node(nodes: usize, edges: &[Edge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; nodes + 1];
    for edge in edges {
        starts[edge.node as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut before = vec![0; edges.len()];
    for edge in edges {
        let place = &mut next[edge.node as usize];
        before[*place as usize] = edge.before;
        *place += 1;
    }
    (starts, before)
}

/// Nodes and edges with other numbers, so that every node comes after what it waits for.
fn ordered<N: Node>(nodes: &[N], mut edges: Vec<Edge>) -> Result<(Vec<N>, Vec<Edge>), usize> {
    let order = order(nodes.len(), &edges)?;
    let mut number = vec![0; nodes.len()];
    for (place, &node) in order.iter().enumerate() {
        number[node as usize] = place as u32;
    }
    for edge in &mut edges {
        let before = number[edge.before()];
        *edge = Edge::new(number[edge.node as usize], before, edge.before & BEGUN != 0);
    }
    Ok((order.iter().map(|&node| nodes[node as usize]).collect(), edges))
}

/// An order in which each of so many nodes comes after what it waits for: the first among those
/// that may come next.
///
/// # Errors
/// The number of a node that waits for itself by way of others.
pub fn order(nodes: usize, edges: &[Edge]) -> Result<Vec<u32>, usize> {
    let turned: Vec<_> =
        edges.iter().map(|edge| Edge { node: edge.before() as u32, before: edge.node }).collect();
    let (starts, later) = by_node(nodes, &turned);
    drop(turned);
    let mut waits = vec![0u32; nodes];
    edges.iter().for_each(|edge| waits[edge.node as usize] += 1);
    let free = (0..nodes as u32).filter(|&node| waits[node as usize] == 0);
    let mut free: BinaryHeap<_> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes);
    while let Some(Reverse(node)) = free.pop() {
        order.push(node);
        for &next in &later[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                free.push(Reverse(next));
            }
        }
    }
    if order.len() < nodes { Err(on_a_circle(&waits, edges)) } else { Ok(order) }
}

/// A node on a circle, where some nodes have waited in vain: whoever goes back from one to what it
/// waits for comes to it.
fn on_a_circle(waits: &[u32], edges: &[Edge]) -> usize {
    let mut back = vec![usize::MAX; waits.len()];
    for edge in edges {
        if waits[edge.before()] > 0 {
            back[edge.node as usize] = edge.before();
        }
    }
    let mut node = waits.iter().position(|&count| count > 0).unwrap_or(0);
    for _ in 0..waits.len() {
        node = back[node];
    }
    node
}

/// After how many nodes batches end, the last first: where all later ones wait, by way of others
/// perhaps, for the last of them. That is so if each is after that one or a later one.
fn cuts(starts: &[u32], before: &[u32]) -> Vec<u32> {
    let count = starts.len() - 1;
    let mut cuts = if count > 0 { vec![count as u32] } else { Vec::new() };
    // The smallest of the largest numbers that later nodes are after, each plus one.
    let mut least = u32::MAX;
    for node in (1..count).rev() {
        let mine = &before[starts[node] as usize..starts[node + 1] as usize];
        let largest = mine.iter().map(|before| (before & !BEGUN) + 1).max().unwrap_or(0);
        least = least.min(largest);
        let last = cuts[cuts.len() - 1] as usize;
        if least as usize >= node && last - node >= SMALLEST_BATCH && node >= SMALLEST_BATCH {
            cuts.push(node as u32);
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailback_engine::workload::trace::What;

    impl Node for u64 {
        fn operation(self, after: u32) -> Operation {
            Operation::new(What::Compute(self), after)
        }

        fn expected(self) -> Option<u64> {
            None
        }
    }

    fn amounts(batch: &Batch) -> Vec<u64> {
        let amount = |operation: &Operation| match operation.what {
            What::Compute(time) => time,
            _ => 0,
        };
        batch.operations.iter().map(amount).collect()
    }

    fn all(mut graph: Graph<u64>) -> Vec<Batch> {
        let mut batches = Vec::new();
        loop {
            let mut batch = Batch::default();
            if !graph.take(&mut batch, &mut Vec::new()) {
                return batches;
            }
            batches.push(batch);
        }
    }

    #[test]
    fn what_waits_comes_after_what_it_waits_for() {
        // 0 after 1 (done), 1 after 2 (begun); 3 after nothing.
        let edges = vec![Edge::new(0, 1, false), Edge::new(1, 2, true)];
        let graph = Graph::new((0..4u64).collect(), edges).unwrap();
        let [batch] = &all(graph)[..] else { panic!("one batch") };
        assert_eq!(amounts(batch), [2, 1, 0, 3]);
        let after = [After { back: 1, begun: true }, After { back: 1, begun: false }];
        assert_eq!(batch.after, after);
        let counts: Vec<_> = batch.operations.iter().map(|operation| operation.after).collect();
        assert_eq!(counts, [0, 1, 1, 0]);
    }

    #[test]
    fn a_circle_has_its_members_named() {
        let edges = vec![
            Edge::new(3, 2, false),
            Edge::new(2, 1, false),
            Edge::new(1, 2, false),
            Edge::new(4, 3, false),
        ];
        let refused = Graph::new((0..5u64).collect(), edges).unwrap_err();
        assert!([1, 2].contains(&refused));
    }

    /// Whether every later node can only begin after this one, looked at one by one.
    fn may_end_after(node: usize, count: usize, edges: &[Edge]) -> bool {
        let mut waits = vec![false; count];
        waits[node] = true;
        (node + 1..count).all(|later| {
            let own = edges.iter().filter(|edge| edge.node as usize == later);
            waits[later] = own.fold(false, |any, edge| any | waits[edge.before()]);
            waits[later]
        })
    }

    #[test]
    fn batches_end_where_all_that_follows_waits() {
        let mut state = 1u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..20 {
            let count = 300;
            let mut edges = Vec::new();
            for node in 1..count {
                if next(100) > 0 {
                    let before = node - 1 - next(3.min(node));
                    edges.push(Edge::new(node as u32, before as u32, next(2) == 0));
                }
            }
            let (starts, before) = by_node(count, &edges);
            let found: Vec<_> = cuts(&starts, &before).into_iter().rev().collect();
            let mut expected = vec![count];
            for node in (SMALLEST_BATCH..count).rev() {
                let last = expected[expected.len() - 1];
                if last - node >= SMALLEST_BATCH && may_end_after(node - 1, count, &edges) {
                    expected.push(node);
                }
            }
            expected.reverse();
            assert_eq!(found, expected.iter().map(|&cut| cut as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn long_chains_come_in_small_batches() {
        let edges = (1..1000).map(|node| Edge::new(node, node - 1, true)).collect();
        let batches = all(Graph::new((0..1000u64).collect(), edges).unwrap());
        assert!(batches.len() > 10);
        let joined: Vec<_> = batches.iter().flat_map(amounts).collect();
        assert_eq!(joined, (0..1000).collect::<Vec<_>>());
    }
}
