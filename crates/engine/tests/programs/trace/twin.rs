//! Random programs against a twin that keeps everything in lists and looks at all of it.
//!
//! In mode `free` a message takes what it takes alone, so the twin needs no network.

use super::cases::{random_ranks, random_trace};
use super::programs::Rank;
use super::*;
use crate::common::random::random_cases;
use std::collections::VecDeque;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::workload::trace::{Envelope, Filter, What};

#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Unread,
    Waits,
    Ready,
    Begun,
    Done,
}

struct Doing {
    what: What,
    cpu: usize,
    after: Vec<(usize, bool)>,
    batch: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Leg {
    Eager,
    Asks,
    Answer,
    Data,
}

struct Sent {
    from: usize,
    by: usize,
    envelope: Envelope,
    leg: Leg,
    is_there: bool,
    is_seen: bool,
    taken_by: Option<usize>,
}

#[derive(Clone, Copy)]
enum Happens {
    Comes(usize),
    Computed(usize, usize),
}

struct Twin<'a> {
    trace: &'a Trace,
    ranks: Vec<Vec<Doing>>,
    batches: Vec<usize>,
    read: Vec<usize>,
    ready: Vec<VecDeque<usize>>,
    cpus: Vec<Vec<(Option<usize>, VecDeque<usize>)>>,
    posted: Vec<Vec<usize>>,
    unexpected: Vec<Vec<usize>>,
    sent: Vec<Sent>,
    happens: Vec<(u64, Happens)>,
    now: u64,
    ends: Vec<u64>,
}

impl<'a> Twin<'a> {
    fn new(trace: &'a Trace, ranks: &[Rank]) -> Self {
        let doings = |rank: &Rank| {
            let mut all: Vec<Doing> = Vec::new();
            for (number, batch) in rank.batches.iter().enumerate() {
                let mut after = batch.after.iter();
                for of in &batch.operations {
                    let me = all.len();
                    let own = after.by_ref().take(of.after as usize);
                    all.push(Doing {
                        what: of.what,
                        cpu: of.cpu.into(),
                        after: own.map(|after| (me - after.back as usize, after.begun)).collect(),
                        batch: number,
                        state: State::Unread,
                    });
                }
            }
            all
        };
        let count = ranks.len();
        Self {
            trace,
            ranks: ranks.iter().map(doings).collect(),
            batches: ranks.iter().map(|rank| rank.batches.len()).collect(),
            read: vec![0; count],
            ready: vec![VecDeque::new(); count],
            cpus: (0..count).map(|_| vec![(None, VecDeque::new()); 3]).collect(),
            posted: vec![Vec::new(); count],
            unexpected: vec![Vec::new(); count],
            sent: Vec::new(),
            happens: Vec::new(),
            now: 0,
            ends: vec![0; count],
        }
    }

    /// Until nothing happens any more: when each rank last did something; none if one is stuck.
    fn run(mut self) -> Option<Vec<u64>> {
        self.feed();
        while let Some(next) = (0..self.happens.len()).min_by_key(|&at| self.happens[at].0) {
            let (time, what) = self.happens.remove(next);
            self.now = time;
            match what {
                Happens::Comes(sent) => self.comes(sent),
                Happens::Computed(rank, cpu) => {
                    let done = self.cpus[rank][cpu].0.take().unwrap();
                    self.set(rank, done, State::Done);
                    self.goes_on(rank);
                }
            }
            self.feed();
        }
        let all = self.ranks.iter().flatten().all(|doing| doing.state == State::Done);
        (all && self.sent.iter().all(|sent| sent.taken_by.is_some())).then_some(self.ends)
    }

    /// Reads batches as long as the last operation of one has begun.
    fn feed(&mut self) {
        loop {
            let wants: Vec<_> = (0..self.ranks.len()).filter(|&rank| self.wants(rank)).collect();
            if wants.is_empty() {
                return;
            }
            for &rank in &wants {
                self.read[rank] += 1;
                for doing in &mut self.ranks[rank] {
                    if doing.batch < self.read[rank] && doing.state == State::Unread {
                        doing.state = State::Waits;
                    }
                }
                self.release(rank);
            }
            for rank in wants {
                self.goes_on(rank);
            }
        }
    }

    fn wants(&self, rank: usize) -> bool {
        let is_left = self.read[rank] < self.batches[rank];
        let read = self.ranks[rank].iter().rev().find(|doing| doing.batch < self.read[rank]);
        is_left && read.is_none_or(|last| matches!(last.state, State::Begun | State::Done))
    }

    fn set(&mut self, rank: usize, number: usize, state: State) {
        self.ranks[rank][number].state = state;
        self.release(rank);
    }

    fn release(&mut self, rank: usize) {
        for number in 0..self.ranks[rank].len() {
            let doing = &self.ranks[rank][number];
            let has_come = |&(of, begun): &(usize, bool)| match self.ranks[rank][of].state {
                State::Done => true,
                State::Begun => begun,
                _ => false,
            };
            if doing.state == State::Waits && doing.after.iter().all(has_come) {
                self.ranks[rank][number].state = State::Ready;
                self.ready[rank].push_back(number);
            }
        }
    }

    fn goes_on(&mut self, rank: usize) {
        loop {
            if let Some(number) = self.ready[rank].pop_front() {
                self.begins(rank, number);
                continue;
            }
            let idle = |(now, queue): &(Option<usize>, VecDeque<usize>)| {
                now.is_none() && !queue.is_empty()
            };
            let Some(cpu) = self.cpus[rank].iter().position(idle) else { break };
            let number = self.cpus[rank][cpu].1.pop_front().unwrap();
            self.set(rank, number, State::Begun);
            let What::Compute(time) = self.ranks[rank][number].what else { panic!("no computing") };
            if time == 0 {
                self.set(rank, number, State::Done);
            } else {
                self.cpus[rank][cpu].0 = Some(number);
                self.happens.push((self.now + time, Happens::Computed(rank, cpu)));
            }
        }
        self.ends[rank] = self.now;
    }

    fn begins(&mut self, rank: usize, number: usize) {
        let doing = &self.ranks[rank][number];
        match doing.what {
            What::Compute(_) => {
                let cpu = doing.cpu;
                self.cpus[rank][cpu].1.push_back(number);
            }
            What::Join => {
                self.set(rank, number, State::Begun);
                self.set(rank, number, State::Done);
            }
            What::Send(envelope) => {
                self.set(rank, number, State::Begun);
                let is_eager = envelope.bytes <= self.trace.eager_bytes.unwrap();
                let leg = if is_eager { Leg::Eager } else { Leg::Asks };
                let (is_there, is_seen) = (false, false);
                let sent = Sent {
                    from: rank,
                    by: number,
                    envelope,
                    leg,
                    is_there,
                    is_seen,
                    taken_by: None,
                };
                self.sent.push(sent);
                self.transmit(self.sent.len() - 1);
                if is_eager {
                    self.set(rank, number, State::Done);
                }
            }
            What::Receive(filter) => {
                self.set(rank, number, State::Begun);
                let fits = |&&at: &&usize| takes(&filter, rank, &self.sent[at]);
                if let Some(sent) = self.unexpected[rank].iter().find(fits).copied() {
                    self.unexpected[rank].retain(|&at| at != sent);
                    self.take(sent, number);
                } else {
                    self.posted[rank].push(number);
                }
            }
            other => panic!("{other:?} is of no random program"),
        }
    }

    fn transmit(&mut self, sent: usize) {
        let Sent { from, envelope, leg, .. } = self.sent[sent];
        let (to, control) = (envelope.to as usize, self.trace.control_bytes);
        let bytes =
            if matches!(leg, Leg::Eager | Leg::Data) { envelope.bytes as u32 } else { control };
        let (a, b) = (self.trace.nodes[from], self.trace.nodes[to]);
        let takes = if a == b {
            self.trace.memory_latency_ps + self.trace.memory_byte_fs * u64::from(bytes) / 1000
        } else {
            alone(a, b, bytes)
        };
        self.happens.push((self.now + takes, Happens::Comes(sent)));
    }

    fn comes(&mut self, sent: usize) {
        let Sent { from, by, envelope, leg, taken_by, .. } = self.sent[sent];
        let to = envelope.to as usize;
        match leg {
            Leg::Eager | Leg::Asks => {
                self.sent[sent].is_there = true;
                self.see(from, to);
            }
            Leg::Answer => {
                self.sent[sent].leg = Leg::Data;
                self.transmit(sent);
                self.goes_on(from);
            }
            Leg::Data => {
                self.set(to, taken_by.unwrap(), State::Done);
                self.set(from, by, State::Done);
                self.goes_on(to);
                self.goes_on(from);
                return;
            }
        }
        // A process is not done before what it has sent has been received.
        self.ends[to] = self.now;
        self.ends[from] = self.now;
        self.goes_on(to);
    }

    /// What a rank has sent to another is seen up to the first that is not there.
    fn see(&mut self, from: usize, to: usize) {
        for at in 0..self.sent.len() {
            let sent = &self.sent[at];
            if (sent.from, sent.envelope.to as usize) != (from, to) || sent.is_seen {
                continue;
            }
            if !sent.is_there {
                return;
            }
            let fits = |&&number: &&usize| {
                let What::Receive(filter) = self.ranks[to][number].what else { return false };
                takes(&filter, to, sent)
            };
            let receive = self.posted[to].iter().find(fits).copied();
            self.sent[at].is_seen = true;
            if let Some(receive) = receive {
                self.posted[to].retain(|&number| number != receive);
                self.take(at, receive);
            } else {
                self.unexpected[to].push(at);
            }
        }
    }

    fn take(&mut self, sent: usize, receive: usize) {
        let of = &mut self.sent[sent];
        of.taken_by = Some(receive);
        let to = of.envelope.to as usize;
        if of.leg == Leg::Eager {
            self.set(to, receive, State::Done);
        } else {
            of.leg = Leg::Answer;
            self.transmit(sent);
        }
    }
}

fn takes(filter: &Filter, rank: usize, sent: &Sent) -> bool {
    sent.envelope.to as usize == rank
        && filter.from.is_none_or(|from| from as usize == sent.from)
        && filter.tag.is_none_or(|tag| tag == sent.envelope.tag)
}

#[test]
fn random_programs_end_as_those_of_the_twin() {
    let (mut ended, mut stuck) = (0, 0);
    for case in 0..random_cases(1_000) as u32 {
        let mut draw = Stream::new(3, Purpose::Start, case);
        let count = 2 + draw.below(4);
        let ranks = random_ranks(&mut draw, count);
        let trace = random_trace(&mut draw, count);
        let theirs = Twin::new(&trace, &ranks).run();
        let spec = spec(machine(4), trace, Mode::Free, Fidelity::Packet);
        let ours = run(&spec, &ranks);
        match (ours, theirs) {
            (Ok(simulation), Some(ends)) => {
                assert_eq!(simulation.measures().completed, ends, "case {case}");
                ended += 1;
            }
            (Err(_), None) => stuck += 1,
            (Ok(_), None) => panic!("case {case}: the twin does not end"),
            (Err(error), Some(_)) => panic!("case {case}: {error}"),
        }
    }
    assert!(ended * 5 > stuck && stuck * 5 > ended, "{ended} ended, {stuck} did not");
}
