//! Execution traces of Chakra: a graph of computing and communication for each rank.

mod files;
mod groups;
mod kept;
mod message;
mod node;

use crate::calls::Calls;
use crate::graph::{self, Edge, Graph, MOST_NODES};
use crate::mistake::Mistake;
use crate::words::LONGEST;
use crate::{Options, Source};
use files::Messages;
use groups::Groups;
use kept::{Does, Entry, Ids, Nodes, Step};
use node::{Kind, Node};
use std::path::{Path, PathBuf};
use tailback_engine::spec::{Collective, Operation as Together};
use tailback_engine::workload::trace::{Batch, What};

pub use files::{is_called_so, looks_like};

/// The CPUs of a rank: the processor, its GPU, and what the GPU communicates by.
const GPU: u8 = 1;
const COMMUNICATION: u8 = 2;

/// A rank: not read, or what of it has not been given.
enum Rank {
    Unread(PathBuf),
    Open(Graph<Step>, Vec<Collective>),
    Ended,
}

/// A trace, and what of it has no effect so far.
struct Trace {
    ranks: Vec<Rank>,
    options: Options,
    groups: Groups,
    calls: Calls,
    expected: Vec<u64>,
    missing: u64,
    itself: u64,
    circular: u64,
    without_size: u64,
    memory: u64,
}

/// Opens the trace of which a file is one rank.
///
/// # Errors
/// Ranks that are missing, and groups that cannot be read.
pub fn open(path: &Path, options: &Options) -> Result<Box<dyn Source>, Mistake> {
    let files = files::of_ranks(path)?;
    // So that a file that is no trace is found at once.
    files.first().map(|file| Messages::new(file, options.most_bytes)).transpose()?;
    let groups = options.groups.as_deref().map(groups::read).transpose()?;
    Ok(Box::new(Trace {
        ranks: files.into_iter().map(Rank::Unread).collect(),
        options: options.clone(),
        groups: groups.unwrap_or_default(),
        calls: Calls::default(),
        expected: Vec::new(),
        missing: 0,
        itself: 0,
        circular: 0,
        without_size: 0,
        memory: 0,
    }))
}

impl Source for Trace {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn next(&mut self, rank: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        if let Rank::Unread(path) = &self.ranks[rank as usize] {
            let path = path.clone();
            self.ranks[rank as usize] = self.read(rank, &path)?;
        }
        let first = batch.operations.len();
        if let Rank::Open(graph, collectives) = &mut self.ranks[rank as usize]
            && graph.take(batch, &mut self.expected)
        {
            for operation in &mut batch.operations[first..] {
                if let What::Collective(number) = &mut operation.what {
                    let what = collectives[*number as usize].clone();
                    *number = batch.collectives.len() as u32;
                    batch.collectives.push(what);
                }
            }
            return Ok(true);
        }
        self.ranks[rank as usize] = Rank::Ended;
        Ok(false)
    }

    fn calls(&self) -> &[String] {
        self.calls.names()
    }

    fn expected(&self) -> &[u64] {
        &self.expected
    }

    fn notes(&self) -> Vec<String> {
        let counted = [
            (self.missing, "dependencies on nodes that are not there have no effect"),
            (self.itself, "dependencies of nodes on themselves have no effect"),
            (self.circular, "control dependencies have no effect: some wait for each other"),
            (self.without_size, "collectives without a size take no time"),
            (self.memory, "accesses of memory last as long as recorded"),
        ];
        let said = counted.iter().filter(|(count, _)| *count > 0);
        let mut notes: Vec<_> = said.map(|(count, what)| format!("{count} {what}")).collect();
        if self.groups.is_empty() {
            notes.push("collectives are of all ranks: there is no file of groups".into());
        }
        notes
    }
}

impl Trace {
    fn read(&mut self, rank: u32, path: &Path) -> Result<Rank, Mistake> {
        let mut messages = Messages::new(path, self.options.most_bytes)?;
        let (mut nodes, mut ids) = (Nodes::default(), Ids::default());
        let mut collectives = Vec::new();
        while let Some(message) = messages.next()? {
            let node = node::node(message).map_err(|what| messages.mistake(what))?;
            // At once: a small file may expand to very many nodes without a number.
            if !ids.take(node.id, &nodes.entries) {
                return Err(messages.mistake(format!("node {} is there twice", node.id)));
            }
            let step = self.step(rank, &node, &mut collectives);
            let step =
                step.map_err(|what| messages.mistake(format!("node {}: {what}", node.id)))?;
            let first = nodes.before.len();
            nodes.before.extend(node.after.iter().chain(&node.behind));
            if nodes.before.len() >= MOST_NODES || nodes.entries.len() + 1 >= MOST_NODES {
                let what = format!("has more than {MOST_NODES} nodes, or dependencies of them");
                return Err(Mistake::new(path, what));
            }
            nodes.entries.push(Entry {
                id: node.id,
                at: messages.at,
                step,
                first: first as u32,
                data: node.after.len() as u32,
                control: node.behind.len() as u32,
                is_collective: node.kind == Kind::Collective,
            });
        }
        drop(ids);
        nodes.entries.sort_by_key(|entry| entry.id);
        let mut edges = self.edges(&nodes);
        nodes.before = Vec::new();
        chain(&nodes.entries, &mut edges);
        let steps = nodes.entries.iter().map(|entry| entry.step).collect();
        let graph = Graph::new(steps, edges).map_err(|number| {
            let Entry { id, at, .. } = nodes.entries[number];
            let what = format!("node {id} waits for itself, by way of others");
            messages.mistake(what).at(at)
        })?;
        Ok(Rank::Open(graph, collectives))
    }

    /// What nodes wait for: control dependencies, too, unless they make circles, as those that say
    /// who called whom do.
    fn edges(&mut self, nodes: &Nodes) -> Vec<Edge> {
        let (mut edges, mut behind) = (Vec::new(), Vec::new());
        for (number, entry) in nodes.entries.iter().enumerate() {
            let middle = (entry.first + entry.data) as usize;
            let data = &nodes.before[entry.first as usize..middle];
            let control = &nodes.before[middle..middle + entry.control as usize];
            for (list, into) in [(data, &mut edges), (control, &mut behind)] {
                for &before in list {
                    match nodes.place(before) {
                        None => self.missing += 1,
                        Some(before) if before == number as u32 => self.itself += 1,
                        Some(before) => into.push(Edge::new(number as u32, before, false)),
                    }
                }
            }
        }
        let (data, control) = (edges.len(), behind.len());
        edges.append(&mut behind);
        if graph::order(nodes.entries.len(), &edges).is_err() {
            edges.truncate(data);
            self.circular += control as u64;
        }
        edges
    }

    fn step(&mut self, rank: u32, node: &Node, all: &mut Vec<Collective>) -> Result<Step, String> {
        let ranks = self.ranks.len() as u64;
        let peer = |peer: Option<u64>, what: &str| {
            let peer = peer.ok_or_else(|| format!("has no {what}"))?;
            let allowed =
                || format!("{what} must be a rank that has a file, 0 to {}, not {peer}", ranks - 1);
            u32::try_from(peer).ok().filter(|_| peer < ranks).ok_or_else(allowed)
        };
        let tag = || {
            u32::try_from(node.tag)
                .map_err(|_| format!("comm_tag must be up to {}, not {}", u32::MAX, node.tag))
        };
        let cpu = if node.is_on_cpu { 0 } else { GPU };
        let call = self.calls.number(&node.name);
        let step = Step { amount: 0, peer: 0, tag: 0, call, does: Does::Nothing, cpu };
        Ok(match node.kind {
            Kind::Nothing => step,
            Kind::Compute => Step { does: Does::Computes, amount: self.compute(node)?, ..step },
            Kind::Memory => {
                self.memory += 1;
                Step { does: Does::Computes, amount: self.compute(node)?, ..step }
            }
            Kind::Send => {
                let peer = peer(node.destination, "comm_dst")?;
                let amount = length(node.size.ok_or("has no comm_size")?)?;
                Step { does: Does::Sends, cpu: COMMUNICATION, amount, peer, tag: tag()?, ..step }
            }
            Kind::Receive => {
                let peer = peer(node.source, "comm_src")?;
                let amount = length(node.size.unwrap_or(0))?;
                Step { does: Does::Receives, amount, peer, tag: tag()?, ..step }
            }
            Kind::Collective => {
                let step = Step { cpu: COMMUNICATION, ..step };
                match self.collective(rank, node)? {
                    None => step,
                    Some(what) => {
                        all.push(what);
                        Step { does: Does::Meets, peer: all.len() as u32 - 1, ..step }
                    }
                }
            }
        })
    }

    /// How long a computation lasts: as recorded, or as a roofline says if there is one.
    fn compute(&self, node: &Node) -> Result<u64, String> {
        let roofline = self.options.peak_flops.zip(node.operations).map(|(peak, operations)| {
            let moved = self.options.memory_bytes_per_s.zip(node.bytes);
            let moving = moved.map_or(0.0, |(bandwidth, bytes)| bytes / bandwidth);
            (operations / peak).max(moving) * 1e12
        });
        match roofline {
            Some(time) if time < 1e19 => Ok(time.round() as u64),
            None if node.micros < u64::MAX / 1_000_000 => Ok(node.micros * 1_000_000),
            _ => Err("computes for too long".into()),
        }
    }

    /// A collective as the engine has it; none if it has no size, and so takes no time.
    fn collective(&mut self, rank: u32, node: &Node) -> Result<Option<Collective>, String> {
        let all = self.ranks.len();
        let group = match &node.group {
            Some(name) if !self.groups.is_empty() => {
                let group = self.groups.get(name);
                let group =
                    group.ok_or_else(|| format!("group {name} is not in the file of groups"))?;
                if !group.contains(&rank) {
                    return Err(format!("group {name} has not rank {rank}, whose node this is"));
                }
                Some(group.clone())
            }
            _ => None,
        };
        let operation = match (node.collective, node.size) {
            (Some(9), _) => return Ok(Some(Collective::barrier(group, None))),
            (_, None | Some(0)) => {
                self.without_size += 1;
                return Ok(None);
            }
            (Some(kind), _) => {
                operation_of(kind).ok_or_else(|| format!("comm_type {kind} is not known"))?
            }
            (None, _) => return Err("has a comm_size, but no comm_type".into()),
        };
        let members = group.as_ref().map_or(all, Vec::len) as u64;
        let size = node.size.unwrap_or(0);
        // What is scattered or exchanged is given as the whole that a rank has before.
        let is_whole =
            matches!(operation, Together::Scatter | Together::ReduceScatter | Together::AllToAll);
        let bytes = if is_whole { size.div_ceil(members) } else { size };
        length(size)?;
        let root = node.root.filter(|_| operation.has_root()).map(u32::try_from);
        let root = root.transpose().map_err(|_| "the root is no rank")?;
        Ok(Some(Collective { group, root, ..Collective::new(operation, bytes) }))
    }
}

/// A number of bytes, if a message or a collective may have as many.
fn length(bytes: u64) -> Result<u64, String> {
    let wrong = || format!("comm_size must be up to {LONGEST}, not {bytes}");
    (bytes <= LONGEST).then_some(bytes).ok_or_else(wrong)
}

fn operation_of(kind: u64) -> Option<Together> {
    Some(match kind {
        0 => Together::AllReduce,
        1 => Together::Reduce,
        2 => Together::AllGather,
        3 => Together::Gather,
        4 => Together::Scatter,
        5 => Together::Broadcast,
        6 => Together::AllToAll,
        7 | 8 => Together::ReduceScatter,
        _ => return None,
    })
}

/// Collectives of a rank come one after the other, in the order in which they are brought: so
/// they meet the same ones of other ranks.
fn chain(nodes: &[Entry], edges: &mut Vec<Edge>) {
    let Ok(order) = graph::order(nodes.len(), edges) else { return };
    let is_collective = |&&number: &&u32| nodes[number as usize].is_collective;
    let mut last = None;
    for &number in order.iter().filter(is_collective) {
        if let Some(last) = last.replace(number) {
            edges.push(Edge::new(number, last, false));
        }
    }
}
