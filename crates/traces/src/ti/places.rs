//! Where the lines of each rank are in a file.

use crate::lines::{Lines, Part, piece_of_each};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use std::sync::Arc;

/// Where the lines of each rank are in a file.
#[derive(Default)]
pub struct Places {
    /// The parts of each rank, in order.
    pub ranks: Vec<Vec<Part>>,
    /// How many parts there are.
    pub count: u64,
}

impl Places {
    /// What follows of a rank is here.
    pub fn add(&mut self, rank: usize, part: Part) {
        if self.ranks.len() <= rank {
            self.ranks.resize_with(rank + 1, Vec::new);
        }
        match self.ranks[rank].last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => {
                self.ranks[rank].push(part);
                self.count += 1;
            }
        }
    }

    pub fn lines(self, file: &Arc<Pieces>) -> Result<Vec<Lines>, Mistake> {
        let ranks = self.ranks;
        if ranks.is_empty() {
            return Err(Mistake::new(file.path(), "has no actions"));
        }
        if let Some(missing) = ranks.iter().position(Vec::is_empty) {
            let last = ranks.len() - 1;
            let what = format!("has ranks up to {last}, but no line of rank {missing}");
            return Err(Mistake::new(file.path(), what));
        }
        let piece = piece_of_each(ranks.len());
        let lines = |parts| Lines::of_parts(Arc::clone(file), parts, piece);
        Ok(ranks.into_iter().map(lines).collect())
    }
}
