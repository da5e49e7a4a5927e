//! netrace: packets between nodes that wait for other packets [Hestness et al. 2010].
//!
//! A node is a rank. A packet may be injected from its cycle on, by a clock of its node, and when
//! all packets that it waits for have been ejected there.

use crate::bytes::{u32_at, u64_at};
use crate::expand::Expanded;
use crate::mistake::Mistake;
use crate::{Options, Source};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use tailback_engine::workload::trace::{After, Batch, Envelope, Filter, Operation, What};

/// The number at its beginning.
pub const MAGIC: u32 = 0x484a_5455;
const HEAD: usize = 72;
const REGION: u64 = 24;
const PACKET: usize = 21;
/// The CPU of a node that is its clock.
const CLOCK: u8 = 1;
/// A batch ends at a tick after so many operations.
const BATCH: usize = 128;

/// A packet at one of its ends.
struct End {
    cycle: u64,
    packet: u32,
    other: u32,
    /// Bytes, of one that is sent.
    sent: Option<u64>,
    /// The packets ejected here that it waits for.
    waits_for: Vec<u32>,
    /// How many packets wait for it.
    waited_for_by: u8,
}

/// A node: what is known of it and not yet given.
#[derive(Default)]
struct Node {
    ends: VecDeque<End>,
    given: u64,
    /// The cycle of the latest tick, and the number of its operation.
    tick: Option<(u64, u64)>,
    /// Receives of packets, by how many packets they are still waited for, and their numbers.
    received: HashMap<u32, (u8, u64)>,
}

/// A trace that is read as far as its nodes have been asked.
struct Packets {
    file: Expanded,
    cycle_ps: u64,
    nodes: Vec<Node>,
    left: u64,
    /// The cycle of the packet that was read last.
    cycle: u64,
    /// By packets that have not come: where and which those are that they wait for.
    waits_for: HashMap<u32, Vec<(u8, u32)>>,
    expected: Vec<u64>,
}

/// Opens a trace.
///
/// # Errors
/// A file that cannot be read, or is none.
pub fn open(path: &Path, options: &Options) -> Result<Box<dyn Source>, Mistake> {
    let mut file = Expanded::new(path, options.most_bytes)?;
    let mut head = [0; HEAD];
    file.exactly(&mut head)?;
    let magic = u32_at(&head, 0);
    if magic != MAGIC {
        return Err(
            file.mistake(0, format!("begins with {magic:#x}; netrace begins with {MAGIC:#x}"))
        );
    }
    let (nodes, left) = (head[38], u64_at(&head, 48));
    if nodes == 0 {
        return Err(file.mistake(38, "must have 1 node or more"));
    }
    let skipped = u64::from(u32_at(&head, 56)) + REGION * u64::from(u32_at(&head, 60));
    skip(&mut file, skipped)?;
    if left == 0 {
        file.ends(LAST)?;
    }
    Ok(Box::new(Packets {
        file,
        cycle_ps: options.cycle_ps,
        nodes: (0..nodes).map(|_| Node::default()).collect(),
        left,
        cycle: 0,
        waits_for: HashMap::new(),
        expected: Vec::new(),
    }))
}

/// What nothing follows.
const LAST: &str = "the last packet that its header counts";

fn skip(file: &mut Expanded, mut bytes: u64) -> Result<(), Mistake> {
    let mut buffer = [0; 1 << 12];
    while bytes > 0 {
        let count = bytes.min(buffer.len() as u64) as usize;
        file.exactly(&mut buffer[..count])?;
        bytes -= count as u64;
    }
    Ok(())
}

impl Packets {
    /// Reads a packet, and puts it where it is sent and where it is received.
    fn read(&mut self) -> Result<(), Mistake> {
        let at = self.file.at();
        let mut bytes = [0; PACKET];
        self.file.exactly(&mut bytes)?;
        let (cycle, packet) = (u64_at(&bytes, 0), u32_at(&bytes, 8));
        let [kind, source, destination, _, count] = [16, 17, 18, 19, 20].map(|at| bytes[at]);
        for node in [source, destination] {
            if usize::from(node) >= self.nodes.len() {
                let what = format!("node {node} is not there: there are {}", self.nodes.len());
                return Err(self.file.mistake(at, what));
            }
        }
        let length = length(kind)
            .ok_or_else(|| self.file.mistake(at, format!("type {kind} is no type of netrace")))?;
        if cycle < self.cycle || cycle.checked_mul(self.cycle_ps).is_none() {
            let what =
                format!("cycle {cycle} of packet {packet} is before that of another, or too late");
            return Err(self.file.mistake(at, what));
        }
        self.cycle = cycle;
        let mut later = vec![0; 4 * usize::from(count)];
        self.file.exactly(&mut later)?;
        let ejected = self.waits_for.remove(&packet).unwrap_or_default();
        if let Some((node, other)) = ejected.iter().find(|(node, _)| *node != source) {
            let what = format!(
                "packet {packet} of node {source} waits for packet {other}, which is ejected at \
                 node {node}: a node knows of its own packets only"
            );
            return Err(self.file.mistake(at, what));
        }
        for later in later.chunks_exact(4).map(|four| u32_at(four, 0)) {
            if later <= packet {
                let what =
                    format!("packet {later} waits for packet {packet}, which comes after it");
                return Err(self.file.mistake(at, what));
            }
            self.waits_for.entry(later).or_default().push((destination, packet));
        }
        let waits_for = ejected.into_iter().map(|(_, packet)| packet).collect();
        let (from, to) = (u32::from(source), u32::from(destination));
        let sent =
            End { cycle, packet, other: to, sent: Some(length), waits_for, waited_for_by: 0 };
        self.nodes[usize::from(source)].ends.push_back(sent);
        let waits_for = Vec::new();
        let received =
            End { cycle, packet, other: from, sent: None, waits_for, waited_for_by: count };
        self.nodes[usize::from(destination)].ends.push_back(received);
        self.left -= 1;
        if self.left == 0 { self.file.ends(LAST) } else { Ok(()) }
    }
}

impl Node {
    fn push(&mut self, batch: &mut Batch, what: What, cpu: u8, after: &[(u64, bool)]) -> u64 {
        for &(number, begun) in after {
            let back = u32::try_from(self.given - number).unwrap_or(u32::MAX);
            batch.after.push(After { back, begun });
        }
        batch.operations.push(Operation { cpu, ..Operation::new(what, after.len() as u32) });
        self.given += 1;
        self.given - 1
    }

    /// Appends one end of a packet, and before it a tick of the clock if its cycle is a new one.
    fn give(&mut self, end: &End, cycle_ps: u64, batch: &mut Batch) {
        let tick = match self.tick {
            Some((cycle, number)) if cycle == end.cycle => number,
            before => {
                let gap = (end.cycle - before.map_or(0, |(cycle, _)| cycle)) * cycle_ps;
                let after = before.map(|(_, number)| (number, false));
                let number = self.push(batch, What::Compute(gap), CLOCK, after.as_slice());
                self.tick = Some((end.cycle, number));
                number
            }
        };
        // The number of a packet is the tag by which it is known.
        let (tag, context) = (end.packet, 0);
        let Some(bytes) = end.sent else {
            let what = What::Receive(Filter { from: Some(end.other), tag: Some(tag), context });
            let number = self.push(batch, what, 0, &[(tick, false)]);
            if end.waited_for_by > 0 {
                self.received.insert(end.packet, (end.waited_for_by, number));
            }
            return;
        };
        let mut after = vec![(tick, false)];
        for packet in &end.waits_for {
            let Some((left, number)) = self.received.get_mut(packet) else { continue };
            after.push((*number, false));
            *left -= 1;
            if *left == 0 {
                self.received.remove(packet);
            }
        }
        let what = What::Send(Envelope { to: end.other, bytes, tag, context });
        self.push(batch, what, 0, &after);
    }
}

impl Source for Packets {
    fn ranks(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// A batch ends at a tick: all that follows is after it, or after a later one.
    fn next(&mut self, rank: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        let before = batch.operations.len();
        let rank = rank as usize;
        loop {
            while self.nodes[rank].ends.is_empty() && self.left > 0 {
                self.read()?;
            }
            let node = &mut self.nodes[rank];
            let Some(end) = node.ends.front() else { break };
            let is_new = node.tick.is_none_or(|(cycle, _)| cycle != end.cycle);
            if is_new && batch.operations.len() >= before + BATCH {
                // The tick alone: the rest of its cycle is the next batch.
                let tick = node.tick.map_or(0, |(cycle, _)| cycle);
                let after = node.tick.map(|(_, number)| (number, false));
                let cycle = end.cycle;
                let gap = (cycle - tick) * self.cycle_ps;
                let number = node.push(batch, What::Compute(gap), CLOCK, after.as_slice());
                node.tick = Some((cycle, number));
                break;
            }
            let Some(end) = node.ends.pop_front() else { break };
            node.give(&end, self.cycle_ps, batch);
        }
        Ok(batch.operations.len() > before)
    }

    fn notes(&self) -> Vec<String> {
        vec![
            format!("a cycle is {} ps", self.cycle_ps),
            "addresses and kinds of packets and nodes have no effect, but for the length".into(),
        ]
    }
}

/// Bytes of a packet, by its type: with a cache line or without.
fn length(kind: u8) -> Option<u64> {
    match kind {
        1 | 5 | 13 | 14 | 15 | 25 | 27 | 28 | 29 => Some(8),
        2 | 3 | 4 | 6 | 16 | 30 => Some(72),
        _ => None,
    }
}
