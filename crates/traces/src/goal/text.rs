//! GOAL as text: where each rank's operations are is found first; they are read when asked for.

use super::labels::{Label, Labels};
use super::node::{ANY, Kind, Node};
use super::statements::{Look, Statement, Statements};
use super::{Ranks, Schedules};
use crate::Source;
use crate::graph::{Edge, Graph, MOST_NODES};
use crate::lines::{Lines, Part};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use crate::words::counted;
use std::path::Path;
use std::sync::Arc;

/// So much of the text is read at once.
const PIECE: usize = 1 << 16;

/// A file that has been looked through.
struct Text {
    file: Arc<Pieces>,
    /// What stands between the braces of each rank, and a little more.
    ranks: Vec<Part>,
}

/// Opens a schedule.
///
/// # Errors
/// A file that cannot be read; ranks that are missing or out of order.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    let file = Arc::new(Pieces::kept_open(path)?);
    let mut statements = Statements::new(Lines::of_file(Arc::clone(&file), PIECE));
    let count = match statements.next(Look::Read)? {
        Some(Statement::Ranks(0)) => return Err(statements.mistake("num_ranks must be 1 or more")),
        Some(Statement::Ranks(count)) => count,
        _ => return Err(statements.mistake("must begin with num_ranks and their number")),
    };
    let mut ranks = Vec::new();
    let mut is_open = false;
    while let Some(statement) = statements.next(Look::Skim)? {
        match statement {
            Statement::Open(rank) if !is_open && rank == ranks.len() as u32 && rank < count => {
                is_open = true;
                let (start, line) = (statements.offset(), statements.line());
                ranks.push(Part { start, end: file.length(), line });
            }
            Statement::Open(rank) => {
                return Err(statements.mistake(unexpected(rank, is_open, &ranks, count)));
            }
            Statement::Close if is_open => {
                is_open = false;
                if let Some(part) = ranks.last_mut() {
                    part.end = statements.offset();
                }
            }
            Statement::Close => return Err(statements.mistake("} without a rank before it")),
            _ => return Err(statements.mistake("num_ranks stands at the beginning only")),
        }
    }
    if is_open {
        let rank = ranks.len() - 1;
        return Err(statements.mistake(format!("rank {rank} does not end: the file is cut off")));
    }
    if (ranks.len() as u32) < count {
        let there = counted(ranks.len() as u64, "rank");
        let what = format!("has {there}; num_ranks says {count}");
        return Err(statements.mistake(what));
    }
    Ok(Box::new(Schedules::new(Text { file, ranks })))
}

fn unexpected(rank: u32, is_open: bool, ranks: &[Part], count: u32) -> String {
    let next = ranks.len();
    if is_open {
        format!("rank {rank} begins before rank {} has ended with }}", next - 1)
    } else if next as u32 == count {
        format!("rank {rank} is one too many: num_ranks says {count}")
    } else {
        format!("expected rank {next}, found rank {rank}: ranks come in order, none left out")
    }
}

impl Ranks for Text {
    fn count(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn read(&mut self, rank: u32) -> Result<Graph<Node>, Mistake> {
        let part = self.ranks[rank as usize];
        let lines = Lines::of_parts(Arc::clone(&self.file), vec![part], PIECE);
        let mut statements = Statements::new(lines);
        let mut reading = Reading { ranks: self.count(), ..Reading::default() };
        while let Some(statement) = statements.next(Look::Read)? {
            let read = match statement {
                Statement::Close => break,
                Statement::Operation(label, node) => reading.operation(label, node),
                Statement::Dependency(label, before, begun) => {
                    reading.dependency(label, before, begun)
                }
                _ => Err("must be an operation or a dependency".into()),
            };
            if let Err(what) = read {
                return Err(statements.mistake(what));
            }
        }
        Graph::new(reading.nodes, reading.edges).map_err(|node| {
            let what =
                format!("operation {node} of rank {rank} waits for itself, by way of others");
            Mistake::in_line(self.file.path(), part.line, what)
        })
    }
}

/// What has been read of a rank.
#[derive(Default)]
struct Reading {
    ranks: u32,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    labels: Labels,
}

impl Reading {
    fn operation(&mut self, label: Option<Label<'_>>, node: Node) -> Result<(), String> {
        let is_any = node.kind == Kind::Receive && node.peer == ANY;
        if node.peer >= self.ranks && !is_any {
            return Err(format!("rank {} is not there: there are {}", node.peer, self.ranks));
        }
        if self.nodes.len() + 1 >= MOST_NODES {
            return Err(format!("more than {MOST_NODES} operations of a rank"));
        }
        if let Some(label) = label {
            self.labels.define(label, self.nodes.len() as u32);
        }
        self.nodes.push(node);
        Ok(())
    }

    fn dependency(
        &mut self,
        label: Label<'_>,
        before: Label<'_>,
        begun: bool,
    ) -> Result<(), String> {
        let mut find = |label: Label<'_>| {
            self.labels.find(label).ok_or_else(|| {
                let label = label.text();
                format!("no operation before this line has the label {label}")
            })
        };
        let (node, before) = (find(label)?, find(before)?);
        if self.edges.len() + 1 >= MOST_NODES {
            return Err(format!("more than {MOST_NODES} dependencies of a rank"));
        }
        self.edges.push(Edge::new(node, before, begun));
        Ok(())
    }
}

/// Whether the beginning of a file is that of a schedule: comments, and `num_ranks`.
pub fn looks_like(start: &[u8]) -> bool {
    let mut rest = start;
    loop {
        rest = rest.trim_ascii_start();
        if rest.starts_with(b"//") {
            let Some(end) = memchr::memchr(b'\n', rest) else { return false };
            rest = &rest[end..];
        } else if rest.starts_with(b"/*") {
            let Some(end) = memchr::memmem::find(rest, b"*/") else { return false };
            rest = &rest[end + 2..];
        } else {
            return rest.starts_with(b"num_ranks");
        }
    }
}
