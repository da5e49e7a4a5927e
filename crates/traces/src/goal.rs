//! GOAL: schedules of sends, receives and computations, as text or binary.

pub mod binary;
mod labels;
mod node;
mod statements;
pub mod text;

use crate::Source;
use crate::graph::Graph;
use crate::mistake::Mistake;
use node::Node;
use tailback_engine::workload::trace::Batch;

/// How far the operations of a rank have been given.
enum Progress {
    /// Nobody asked for them.
    Unread,
    /// Some are left.
    Open(Graph<Node>),
    /// All have been given.
    Ended,
}

/// Finds out what a rank does.
trait Ranks: Send {
    fn count(&self) -> u32;

    /// Reads all operations of a rank.
    fn read(&mut self, rank: u32) -> Result<Graph<Node>, Mistake>;
}

/// Schedules of which each rank's is read when it is first asked for.
struct Schedules<R> {
    ranks: R,
    progress: Vec<Progress>,
    expected: Vec<u64>,
}

impl<R: Ranks> Schedules<R> {
    fn new(ranks: R) -> Self {
        let progress = (0..ranks.count()).map(|_| Progress::Unread).collect();
        Self { ranks, progress, expected: Vec::new() }
    }
}

impl<R: Ranks> Source for Schedules<R> {
    fn ranks(&self) -> u32 {
        self.ranks.count()
    }

    fn next(&mut self, rank: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        let progress = &mut self.progress[rank as usize];
        if let Progress::Unread = progress {
            *progress = Progress::Open(self.ranks.read(rank)?);
        }
        if let Progress::Open(graph) = progress
            && graph.take(batch, &mut self.expected)
        {
            return Ok(true);
        }
        *progress = Progress::Ended;
        Ok(false)
    }

    fn expected(&self) -> &[u64] {
        &self.expected
    }
}
