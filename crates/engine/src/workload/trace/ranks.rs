//! Ranks that carry out their operations, whatever these are after permitting.
//!
//! Every rank is a process. It has CPUs of its own, which compute side by side; sends and receives
//! take none of its time but what the machine's software costs. An *eager* message is sent when its
//! operation begins, which is then done. One of more than `eager_bytes` makes a *rendezvous*: a
//! message asks the receiver, which answers when a receive takes it, and then the data is sent. Its
//! send is done when that has been acknowledged, its receive when it is there.
//!
//! A message of the node layer names by its tag the place of the rank's message it is part of
//! ([`Letters`]).

use super::cpus::{Cpus, Work};
use super::dependencies::Dependencies;
use super::feeding::Feeding;
use super::letters::{Letters, Stage};
use super::machine::LogGops;
use super::matching::Matching;
use super::operation::{Operation, What};
use super::pace::Pace;
use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::spec;
use crate::topology::Topology;
use crate::workload::collective::{Collectives, Next};
use crate::workload::instruction::{Op, Send, Timer};
use crate::workload::rules::Rules;
use std::collections::VecDeque;

/// Timers with lower tags are those of CPUs; the others are those of messages.
const CPU_TAGS: u32 = 1 << 8;

/// All ranks of a trace.
pub struct Ranks {
    pub(super) trace: spec::Trace,
    pub(super) dependencies: Dependencies,
    pub(super) matching: Matching,
    pub(super) letters: Letters,
    pub(super) ranks: Vec<Rank>,
    pub(super) collectives: Collectives,
    pub(super) pace: Pace,
    pub(super) feeding: Feeding,
    /// Whether messages cost something in software: then nodes have one CPU.
    pub(super) has_costs: bool,
    /// Whether messages within a node take time.
    copies: bool,
    /// What carries them out where there is no network.
    pub(super) loggops: Option<Box<LogGops>>,
    refused: Option<SpecError>,
    /// What becomes ready; what a receiver sees: empty in between.
    pub(super) released: Vec<u32>,
    seen: Vec<u32>,
}

/// One rank.
pub(super) struct Rank {
    /// Operations that may begin, in the order in which they became able to.
    pub(super) ready: VecDeque<u32>,
    outbox: VecDeque<Outgoing>,
    cpus: Cpus,
    /// The collective it is in: its operation, and those that come after it.
    pub(super) together: Option<u32>,
    later_together: VecDeque<u32>,
    /// Where in the program the operation is called that began last.
    call: u32,
}

/// What a rank is to send.
struct Outgoing {
    letter: u32,
    /// Whether its receiver is on the same node and it has been copied there.
    is_copied: bool,
}

/// What came of looking for something to do.
enum Found {
    Op(Op),
    /// Something has been done that may let others begin.
    Done,
    Nothing,
}

impl Rank {
    fn idle() -> Self {
        Self {
            ready: VecDeque::new(),
            outbox: VecDeque::new(),
            cpus: Cpus::default(),
            together: None,
            later_together: VecDeque::new(),
            call: Operation::NO_CALL,
        }
    }
}

impl Ranks {
    /// Checks a trace's ranks against a machine; none of them has anything to do yet.
    ///
    /// # Errors
    /// Numbers that cannot be; what a machine whose messages cost something cannot do.
    pub(crate) fn new(
        trace: &spec::Trace,
        topology: &Topology,
        seed: u64,
        rules: Rules,
        collectives: Collectives,
    ) -> Result<Self, SpecError> {
        trace.check(topology.nodes)?;
        if rules.has_costs {
            let mut ranks = vec![0; topology.nodes];
            trace.nodes.iter().for_each(|&node| ranks[node as usize] += 1);
            if let Some(node) = ranks.iter().position(|&ranks| ranks > 1) {
                let given = format!("{} ranks on node {node}", ranks[node]);
                let allowed = "must be one rank per node where messages cost something in \
                               software: a node has one CPU";
                return Err(SpecError::new("workload.nodes", given, allowed));
            }
        }
        let count = trace.nodes.len() as u32;
        Ok(Self {
            dependencies: match rules.loggops {
                None => Dependencies::new(count),
                Some(_) => Dependencies::new(count).keeping_late(),
            },
            matching: Matching::new(count),
            letters: Letters::default(),
            ranks: (0..count).map(|_| Rank::idle()).collect(),
            collectives,
            pace: Pace::new(trace, seed),
            feeding: Feeding::new(count),
            has_costs: rules.has_costs,
            copies: trace.memory_takes_time()
                && !rules.is_free
                && rules.local == spec::Local::Memory,
            loggops: rules.loggops.map(|law| Box::new(LogGops::new(law, count))),
            refused: None,
            released: Vec::new(),
            seen: Vec::new(),
            trace: trace.clone(),
        })
    }

    /// See [`crate::workload::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        self.trace.nodes.iter().map(|&node| NodeId(node)).collect()
    }

    /// See [`crate::workload::Workload::next`]. A rank that has begun all it was given asks for more.
    pub fn next(&mut self, process: ProcessId) -> Option<Op> {
        let me = process.0;
        let op = loop {
            let rank = &mut self.ranks[me as usize];
            if let Some(outgoing) = rank.outbox.pop_front() {
                break Some(self.transmits(me, &outgoing));
            }
            if let Some(number) = rank.ready.pop_front() {
                self.begin(me, number);
                continue;
            }
            match self.meets_others(process) {
                Found::Op(op) => break Some(op),
                Found::Done => continue,
                Found::Nothing => {}
            }
            // Computing last: where messages cost something, a process is not asked again until it
            // has been computed, unless something happens.
            match self.computes(me) {
                Found::Op(op) => break Some(op),
                Found::Done => {}
                Found::Nothing => break None,
            }
        };
        if self.dependencies.wants(me) {
            self.feeding.wants(process);
        }
        op
    }

    /// An operation that may begin does, or is put where it will.
    fn begin(&mut self, me: u32, number: u32) {
        let operation = self.dependencies.operation(me, number);
        match operation.what {
            What::Compute(_) | What::Flops(_) => {
                self.ranks[me as usize].cpus.enlist(operation.cpu, number);
            }
            What::Collective(_) => self.ranks[me as usize].later_together.push_back(number),
            What::Join => {
                self.begins(me, number);
                self.ends(me, number);
            }
            What::Receive(filter) => {
                self.begins(me, number);
                if let Some(letter) = self.matching.posts(me, filter, number) {
                    self.takes(letter, number);
                }
            }
            What::Send(envelope) => {
                self.begins(me, number);
                let is_eager = self.trace.eager_bytes.is_none_or(|most| envelope.bytes <= most);
                let stage = if is_eager { Stage::Eager } else { Stage::Asks };
                let letter = self.letters.send(me, envelope, number, stage);
                let outgoing = Outgoing { letter, is_copied: false };
                self.ranks[me as usize].outbox.push_back(outgoing);
                if is_eager {
                    self.ends(me, number);
                }
            }
        }
    }

    /// An operation has begun.
    fn begins(&mut self, me: u32, number: u32) {
        self.ranks[me as usize].call = self.dependencies.operation(me, number).call;
        self.dependencies.begun(me, number, &mut self.released);
        self.ranks[me as usize].ready.extend(self.released.drain(..));
    }

    /// An operation is done.
    fn ends(&mut self, me: u32, number: u32) {
        self.dependencies.done(me, number, &mut self.released);
        self.ranks[me as usize].ready.extend(self.released.drain(..));
    }

    /// A receive takes a message that its rank sees.
    fn takes(&mut self, letter: u32, receive: u32) {
        let of = &mut self.letters[letter];
        let receiver = of.envelope.to;
        if of.stage == Stage::Eager {
            self.letters.remove(letter);
            return self.ends(receiver, receive);
        }
        of.stage = Stage::Cleared;
        of.receive = receive;
        self.answers(receiver, letter);
    }

    /// A rank sends the next message that a letter consists of.
    fn answers(&mut self, rank: u32, letter: u32) {
        self.ranks[rank as usize].outbox.push_back(Outgoing { letter, is_copied: false });
    }

    /// The instruction by which a rank sends.
    fn transmits(&self, me: u32, outgoing: &Outgoing) -> Op {
        let of = &self.letters[outgoing.letter];
        let (to, bytes) = match of.stage {
            Stage::Eager | Stage::Data => (of.envelope.to, of.envelope.bytes),
            Stage::Asks => (of.envelope.to, self.trace.control_bytes.into()),
            Stage::Cleared => (of.from, self.trace.control_bytes.into()),
        };
        let nodes = &self.trace.nodes;
        let is_local = nodes[me as usize] == nodes[to as usize];
        if self.copies && is_local && !outgoing.is_copied {
            let (after, tag) = (self.trace.memory_ps(bytes), CPU_TAGS + outgoing.letter);
            return Op::Timer(Timer { after, tag, computes: false });
        }
        Op::Send(Send {
            to: ProcessId(to),
            tag: outgoing.letter,
            bytes,
            link: LinkId::NONE,
            blocking: of.stage == Stage::Data,
            team: TeamId::NONE,
            traffic: 0,
        })
    }

    /// Goes on with the collective that a rank is in, or begins with the next.
    fn meets_others(&mut self, process: ProcessId) -> Found {
        let rank = &mut self.ranks[process.index()];
        let Some(number) = rank.together else {
            let Some(number) = rank.later_together.pop_front() else { return Found::Nothing };
            rank.together = Some(number);
            self.begins(process.0, number);
            return match self.joins(process, number) {
                Ok(()) => Found::Done,
                Err(error) => {
                    self.refused = Some(error);
                    Found::Op(Op::Refuse)
                }
            };
        };
        match self.collectives.next(process) {
            Next::Do(Op::Compute(time)) => {
                rank.cpus.add(time);
                Found::Done
            }
            Next::Do(op) => Found::Op(op),
            Next::Waits => Found::Nothing,
            Next::Over => {
                rank.together = None;
                self.ends(process.0, number);
                Found::Done
            }
        }
    }

    pub(super) fn joins(&mut self, process: ProcessId, number: u32) -> Result<(), SpecError> {
        let operation = self.dependencies.operation(process.0, number);
        let What::Collective(which) = operation.what else { return Ok(()) };
        let call = self.dependencies.collective(which);
        let field = field_of(process.0, number, call.operation.name());
        let team = self.collectives.team(call.group.as_deref(), &field)?;
        let part = self.collectives.join(process, team, call, &field)?;
        self.collectives.begin(process, part);
        Ok(())
    }

    /// An idle CPU begins with something.
    fn computes(&mut self, me: u32) -> Found {
        let cpus = &mut self.ranks[me as usize].cpus;
        let Some((cpu, work)) = cpus.begin() else { return Found::Nothing };
        let time = match work {
            Work::Adding => cpus.adding(),
            Work::Operation(number) => {
                self.begins(me, number);
                match self.dependencies.operation(me, number).what {
                    What::Compute(time) => time,
                    _ => 0,
                }
            }
        };
        if time == 0 {
            self.has_computed(me, cpu);
            return Found::Done;
        }
        Found::Op(if self.has_costs {
            Op::Compute(time)
        } else {
            Op::Timer(Timer { after: time, tag: cpu.into(), computes: true })
        })
    }

    fn has_computed(&mut self, me: u32, cpu: u8) {
        match self.ranks[me as usize].cpus.end(cpu) {
            Some(Work::Operation(number)) => self.ends(me, number),
            Some(Work::Adding) => {
                self.collectives.computed(ProcessId(me));
            }
            None => debug_assert!(false, "a CPU that is idle has computed"),
        }
    }

    /// See [`crate::workload::Workload::computed`].
    pub fn computed(&mut self, process: ProcessId) {
        self.has_computed(process.0, 0);
    }

    /// See [`crate::workload::Workload::rings`].
    pub fn rings(&mut self, process: ProcessId, tag: u32) {
        match tag.checked_sub(CPU_TAGS) {
            None => self.has_computed(process.0, tag as u8),
            Some(letter) => {
                let outgoing = Outgoing { letter, is_copied: true };
                self.ranks[process.index()].outbox.push_back(outgoing);
            }
        }
    }

    /// See [`crate::workload::Workload::received`].
    pub fn received(&mut self, process: ProcessId, letter: u32) -> bool {
        let of = &mut self.letters[letter];
        match of.stage {
            Stage::Eager | Stage::Asks => return self.comes(letter),
            Stage::Cleared => {
                of.stage = Stage::Data;
                self.answers(process.0, letter);
            }
            Stage::Data => {
                let receive = of.receive;
                self.ends(process.0, receive);
                self.letters.is_done_at_an_end(letter);
            }
        }
        true
    }

    /// A message, or the question for it, is at its receiver; whether that can go on.
    fn comes(&mut self, letter: u32) -> bool {
        let mut seen = std::mem::take(&mut self.seen);
        self.letters.comes(letter, &mut seen);
        let mut goes_on = false;
        for letter in seen.drain(..) {
            let of = &self.letters[letter];
            if let Some(receive) = self.matching.arrives(of.from, &of.envelope, letter) {
                self.takes(letter, receive);
                goes_on = true;
            }
        }
        self.seen = seen;
        goes_on
    }

    /// See [`crate::workload::Workload::acknowledged`]: what waits for that is the data of a rendezvous.
    pub fn acknowledged(&mut self, process: ProcessId, letter: u32, blocking: bool) -> bool {
        if blocking {
            let send = self.letters[letter].send;
            self.ends(process.0, send);
            self.letters.is_done_at_an_end(letter);
        }
        blocking
    }

    /// See [`crate::workload::Workload::call_of`].
    pub fn call_of(&self, process: ProcessId) -> u32 {
        self.ranks[process.index()].call
    }

    /// The collectives of its ranks.
    #[inline]
    pub fn collectives(&mut self) -> &mut Collectives {
        &mut self.collectives
    }

    /// See [`crate::workload::Workload::refused`].
    pub fn refused(&mut self) -> Option<SpecError> {
        self.refused.take()
    }
}

/// What errors call an operation.
pub(super) fn field_of(rank: u32, number: u32, what: &str) -> String {
    format!("rank {rank}, operation {number}: {what}")
}
