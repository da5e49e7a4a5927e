//! GOAL as LogGOPSim reads it.

use super::goal_text::{Part, rounding};
use super::sink::{Sink, Step, Taken, Writing, refuse};
use crate::goal::binary::{HEAD, MAGIC, NODE, START};
use std::io::{self, Seek, SeekFrom, Write};
use tailback_engine::workload::trace::After;

/// A file that is written; where ranks lie is filled in at the end.
pub struct Binary<W> {
    output: W,
    writing: Writing,
    rounded: u64,
    highest: (u8, u8),
    at: u64,
    places: Vec<(u64, u64)>,
    ranks: u32,
    nodes: Vec<[u8; NODE]>,
    /// Later and earlier node, done and begun.
    edges: [Vec<(u32, u32)>; 2],
}

impl<W: Write + Seek> Binary<W> {
    /// Begins it.
    pub fn new(mut output: W, ranks: u32, writing: Writing) -> io::Result<Self> {
        let at = HEAD as u64 + 16 * u64::from(ranks);
        io::copy(&mut io::Read::take(io::repeat(0), START + at), &mut output)?;
        Ok(Self {
            output,
            writing,
            rounded: 0,
            highest: (0, 0),
            at,
            places: Vec::new(),
            ranks,
            nodes: Vec::new(),
            edges: [Vec::new(), Vec::new()],
        })
    }
}

impl<W: Write + Seek> Sink for Binary<W> {
    fn take(&mut self, step: &Step<'_>) -> Taken {
        let any = |number: Option<u32>| number.unwrap_or(u32::MAX);
        let (kind, peer, size, tag) = match Part::new(step, self.writing)? {
            Part::Send { bytes, to, tag } => (1, to, bytes, tag),
            Part::Receive { bytes, from, tag } => (2, any(from), bytes, any(tag)),
            Part::Compute { ns, is_rounded } => {
                self.rounded += u64::from(is_rounded);
                (3, 0, ns, 0)
            }
        };
        let (cpu, nic) = (step.operation.cpu, step.operation.nic);
        self.highest = (self.highest.0.max(cpu), self.highest.1.max(nic));
        let Ok(number) = u32::try_from(step.number) else {
            return refuse("more operations of a rank than it can count");
        };
        let mut node = [0; NODE];
        node[..4].copy_from_slice(&step.operation.after.to_le_bytes());
        node[4] = kind;
        node[5..9].copy_from_slice(&peer.to_le_bytes());
        node[9..17].copy_from_slice(&size.to_le_bytes());
        node[17..21].copy_from_slice(&tag.to_le_bytes());
        (node[21], node[22]) = (cpu, nic);
        self.nodes.push(node);
        for &After { back, begun } in step.after {
            self.edges[usize::from(begun)].push((number - back, number));
        }
        Ok(())
    }

    fn end(&mut self, _: u32) -> Taken {
        // By the earlier one; for each the later ones in the order in which they were named.
        self.edges.iter_mut().for_each(|edges| edges.sort_by_key(|&(before, _)| before));
        let mut successors = Vec::new();
        let mut next = [0, 0];
        for (number, node) in self.nodes.iter_mut().enumerate() {
            for (begun, field) in [23, 31].into_iter().enumerate() {
                let (edges, first) = (&self.edges[begun], successors.len() as u32);
                while edges.get(next[begun]).is_some_and(|&(before, _)| before == number as u32) {
                    successors.push(edges[next[begun]].1);
                    next[begun] += 1;
                }
                let count = successors.len() as u32 - first;
                node[field..field + 4].copy_from_slice(&count.to_le_bytes());
                node[field + 4..field + 8].copy_from_slice(&first.to_le_bytes());
            }
        }
        let roots: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|&node| self.nodes[node as usize][..4] == [0; 4])
            .collect();
        let start = self.at;
        self.output.write_all(&(self.nodes.len() as u32).to_le_bytes())?;
        self.output.write_all(&(roots.len() as u32).to_le_bytes())?;
        for root in &roots {
            self.output.write_all(&root.to_le_bytes())?;
        }
        for node in &self.nodes {
            self.output.write_all(node)?;
        }
        for successor in &successors {
            self.output.write_all(&successor.to_le_bytes())?;
        }
        let words = 2 + roots.len() + successors.len();
        self.at += (4 * words + NODE * self.nodes.len()) as u64;
        self.places.push((start, self.at));
        self.nodes.clear();
        self.edges.iter_mut().for_each(Vec::clear);
        Ok(())
    }

    fn finish(&mut self, _: &[String]) -> Taken {
        self.output.seek(SeekFrom::Start(0))?;
        self.output.write_all(&MAGIC.to_le_bytes())?;
        self.output.write_all(&self.ranks.to_le_bytes())?;
        self.output.write_all(&[self.highest.0, self.highest.1])?;
        for (start, end) in &self.places {
            self.output.write_all(&start.to_le_bytes())?;
            self.output.write_all(&end.to_le_bytes())?;
        }
        Ok(self.output.flush()?)
    }

    fn notes(&self) -> Vec<String> {
        rounding(self.rounded)
    }
}
