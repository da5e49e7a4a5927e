//! GOAL as LogGOPSim's txt2bin writes it: nodes that name who waits for them.

use super::node::{ANY, Kind, Node};
use super::{Ranks, Schedules};
use crate::Source;
use crate::bytes::{u32_at, u64_at};
use crate::graph::{Edge, Graph, MOST_NODES};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use crate::words::LONGEST;
use crate::words::counted;
use std::path::Path;

/// The number at its beginning.
pub const MAGIC: u64 = 4223;
/// The number after a run that wrote its own memory into the file.
pub const SPOILED: u64 = 2342;

/// Places count from here.
pub const START: u64 = 8;
/// Length of what comes before the places of the ranks, from there.
pub const HEAD: usize = 6;
/// Length of a node.
pub const NODE: usize = 39;
/// Length of a node of LogGOPSim2.
const OTHER_NODE: u64 = 104;
/// So many nodes are read at once.
const NODES_AT_ONCE: usize = 4096;

/// A file of which the places of the ranks are known.
struct Binary {
    file: Pieces,
    places: Vec<(u64, u64)>,
}

/// Opens a schedule.
///
/// # Errors
/// A file that cannot be read, that is cut off, or of another program.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    let file = Pieces::kept_open(path)?;
    let mut head = [0; START as usize + HEAD];
    file.exactly(0, &mut head)?;
    match u64_at(&head, 0) {
        MAGIC => {}
        SPOILED => {
            let what = "was changed by a run of LogGOPSim with --save-mem; make it again";
            return Err(Mistake::new(path, what));
        }
        other => {
            let what = format!("begins with {other}; binary GOAL begins with {MAGIC}");
            return Err(Mistake::at_byte(path, 0, what));
        }
    }
    let count = u32_at(&head, START as usize);
    let table = START + HEAD as u64;
    let needed = table + 16 * u64::from(count);
    if count == 0 || file.length() < needed {
        let what = format!(
            "needs {needed} bytes at least for {}; there are {}",
            counted(count, "rank"),
            file.length()
        );
        return Err(Mistake::at_byte(path, START, what));
    }
    let mut bytes = vec![0; 16 * count as usize];
    file.exactly(table, &mut bytes)?;
    let places = bytes.chunks_exact(16).enumerate().map(|(rank, entry)| {
        let (start, end) = (u64_at(entry, 0), u64_at(entry, 8));
        if start <= end && end <= file.length() - START {
            return Ok((start, end));
        }
        let what = format!("rank {rank} lies at {start} to {end}, beyond the end: it is cut off");
        Err(Mistake::at_byte(path, table + 16 * rank as u64, what))
    });
    let places = places.collect::<Result<Vec<_>, _>>()?;
    let end = START + places.iter().map(|&(_, end)| end).max().unwrap_or(0);
    if end < file.length() {
        return Err(Mistake::at_byte(path, end, "has more bytes behind the last rank"));
    }
    Ok(Box::new(Schedules::new(Binary { file, places })))
}

impl Ranks for Binary {
    fn count(&self) -> u32 {
        self.places.len() as u32
    }

    fn read(&mut self, rank: u32) -> Result<Graph<Node>, Mistake> {
        let reading = Reading::new(&self.file, rank, self.places[rank as usize], self.count())?;
        let edges_at = reading.edges_at()?;
        let (nodes, lists) = reading.nodes(edges_at)?;
        let edges = reading.edges(edges_at, &lists)?;
        Graph::new(nodes, edges).map_err(|node| {
            let what =
                format!("operation {node} of rank {rank} waits for itself, by way of others");
            Mistake::at_byte(self.file.path(), reading.start, what)
        })
    }
}

/// Successors of one kind: how many, and where they begin.
#[derive(Clone, Copy)]
struct List {
    count: u32,
    first: u32,
}

/// The block of a rank while it is read.
struct Reading<'a> {
    file: &'a Pieces,
    rank: u32,
    ranks: u32,
    start: u64,
    end: u64,
    nodes: u64,
    nodes_at: u64,
}

impl<'a> Reading<'a> {
    fn new(
        file: &'a Pieces,
        rank: u32,
        (start, end): (u64, u64),
        ranks: u32,
    ) -> Result<Self, Mistake> {
        let (start, end) = (START + start, START + end);
        let mut head = [0; 8];
        let length = (end - start).min(8) as usize;
        file.exactly(start, &mut head[..length])?;
        let (nodes, roots) = (u64::from(u32_at(&head, 0)), u64::from(u32_at(&head, 4)));
        let nodes_at = start + 8 + 4 * roots;
        Ok(Self { file, rank, ranks, start, end, nodes, nodes_at })
    }

    fn mistake(&self, at: u64, what: impl Into<String>) -> Mistake {
        Mistake::at_byte(self.file.path(), at, what)
    }

    /// Where the successors begin.
    fn edges_at(&self) -> Result<u64, Mistake> {
        let (rank, nodes) = (self.rank, self.nodes);
        let fits = |node: u64| self.nodes_at + node * nodes <= self.end;
        let edges_at = self.nodes_at + NODE as u64 * nodes;
        if self.end - self.start < 8 || !fits(NODE as u64) || nodes >= MOST_NODES as u64 {
            let length = self.end - self.start;
            let what = format!("rank {rank} has {length} bytes for {nodes} operations: too few");
            return Err(self.mistake(self.start, what));
        }
        let rest = self.end - edges_at;
        if rest.is_multiple_of(4) && !(nodes > 0 && fits(OTHER_NODE) && self.is_of_loggopsim2()?) {
            return Ok(edges_at);
        }
        if nodes > 0 && fits(OTHER_NODE) {
            let what = "is of LogGOPSim2, whose operations have 104 bytes; classic ones have 39. \
                        Turn its text into this form with txt2bin of LogGOPSim, or give the text";
            return Err(self.mistake(self.start, what));
        }
        let what = format!("rank {rank} has {rest} bytes of successors; they have 4 each");
        Err(self.mistake(self.start, what))
    }

    /// Whether nodes make no sense as they lie, though there is room for longer ones: as many
    /// successors as the nodes name must be there.
    fn is_of_loggopsim2(&self) -> Result<bool, Mistake> {
        let mut named = 0;
        let mut makes_sense = true;
        self.each_node(|_, node| {
            named += u64::from(u32_at(node, 23)) + u64::from(u32_at(node, 31));
            makes_sense &= (1..=3).contains(&node[4]);
            Ok(())
        })?;
        let there = (self.end - self.nodes_at - NODE as u64 * self.nodes) / 4;
        Ok(!makes_sense || named != there)
    }

    fn each_node(
        &self,
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        let mut bytes = vec![0; NODE * NODES_AT_ONCE.min(self.nodes as usize)];
        let mut node = 0;
        while node < self.nodes {
            let count = (self.nodes - node).min(NODES_AT_ONCE as u64) as usize;
            let at = self.nodes_at + node * NODE as u64;
            self.file.exactly(at, &mut bytes[..NODE * count])?;
            for (number, bytes) in bytes[..NODE * count].chunks_exact(NODE).enumerate() {
                visit(at + (number * NODE) as u64, bytes)?;
            }
            node += count as u64;
        }
        Ok(())
    }

    fn nodes(&self, edges_at: u64) -> Result<(Vec<Node>, Vec<[List; 2]>), Mistake> {
        let mut nodes = Vec::with_capacity(self.nodes as usize);
        let mut lists = Vec::with_capacity(self.nodes as usize);
        let there = (self.end - edges_at) / 4;
        let mut named = 0;
        self.each_node(|at, bytes| {
            nodes.push(self.node(at, bytes)?);
            let list = |at| List { count: u32_at(bytes, at), first: u32_at(bytes, at + 4) };
            let both = [list(23), list(31)];
            let last = |list: List| u64::from(list.first) + u64::from(list.count);
            named += both.iter().map(|list| u64::from(list.count)).sum::<u64>();
            let is_beyond = both.iter().any(|&list| list.count > 0 && last(list) > there);
            if is_beyond || named > there {
                let what = format!("names more successors than the {there} that its rank has");
                return Err(self.mistake(at, what));
            }
            lists.push(both);
            Ok(())
        })?;
        Ok((nodes, lists))
    }

    fn node(&self, at: u64, bytes: &[u8]) -> Result<Node, Mistake> {
        let (peer, amount, tag) = (u32_at(bytes, 5), u64_at(bytes, 9), u32_at(bytes, 17));
        let (cpu, nic) = (bytes[21], bytes[22]);
        let kind = match bytes[4] {
            1 => Kind::Send,
            2 => Kind::Receive,
            3 => {
                let kind = Kind::Compute;
                return Ok(Node { amount, peer: 0, tag: 0, kind, cpu, nic });
            }
            other => {
                let what = format!("type {other}; classic GOAL has 1 send, 2 recv, 3 calc");
                return Err(self.mistake(at, what));
            }
        };
        if peer >= self.ranks && !(kind == Kind::Receive && peer == ANY) {
            let what = format!("rank {peer} is not there: there are {}", self.ranks);
            return Err(self.mistake(at, what));
        }
        if kind == Kind::Send && tag == ANY {
            return Err(self.mistake(at, format!("a send must have a tag below {ANY}")));
        }
        if amount > LONGEST {
            let what = format!("a length must be 0 to {LONGEST} bytes, not {amount}");
            return Err(self.mistake(at, what));
        }
        Ok(Node { amount: amount.max(1), peer, tag, kind, cpu, nic })
    }

    fn edges(&self, edges_at: u64, lists: &[[List; 2]]) -> Result<Vec<Edge>, Mistake> {
        let there = (self.end - edges_at) as usize;
        if there / 4 >= MOST_NODES {
            return Err(self.mistake(edges_at, format!("more than {MOST_NODES} dependencies")));
        }
        let mut bytes = vec![0; there];
        self.file.exactly(edges_at, &mut bytes)?;
        let mut edges = Vec::with_capacity(there / 4);
        for (before, lists) in lists.iter().enumerate() {
            for (list, begun) in lists.iter().zip([false, true]) {
                let range = (0..list.count).map(|place| 4 * (list.first + place) as usize);
                for place in range {
                    let node = u32_at(&bytes, place);
                    if u64::from(node) >= self.nodes {
                        let what =
                            format!("operation {node} is not there: there are {}", self.nodes);
                        return Err(self.mistake(edges_at + place as u64, what));
                    }
                    edges.push(Edge::new(node, before as u32, begun));
                }
            }
        }
        Ok(edges)
    }
}
