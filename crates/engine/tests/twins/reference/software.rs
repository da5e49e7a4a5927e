//! What messages cost in software: a CPU with three lists of jobs, and an outlet for packets.

use super::machine::{Event, Reference, Time};
use super::network::Packet;
use super::processes::State;
use std::collections::VecDeque;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::{Costs, MessageOrder, Mode, Side, Spec};

/// What a CPU may have to do; what comes first in this list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Take in a packet of a message.
    Receive(usize),
    Send,
    Compute(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct Job {
    kind: Kind,
    /// How long it takes, or still takes; of computing that has not begun it is not known.
    left: Option<Time>,
}

/// How far the message is that is being prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Nothing,
    StartsUp(usize),
    PreparesPacket(usize),
    LetsLeave { message: usize, is_last: bool },
    Finishes,
}

pub struct Desk {
    /// The job under way, since when and until when.
    job: Option<(Job, Time, Time)>,
    /// By rank.
    jobs: [VecDeque<Job>; 3],
    /// Time spent on jobs of each rank.
    spent: [Time; 3],
    messages: VecDeque<usize>,
    step: Step,
    prepared: VecDeque<Packet>,
    /// The bytes of the packet that is leaving.
    leaving: Option<u32>,
    /// Whether the interval after a packet is not over.
    pauses: bool,
    /// When the latest packet started.
    pub started: Time,
}

impl Desk {
    pub fn idle() -> Self {
        Self {
            job: None,
            jobs: Default::default(),
            spent: [0; 3],
            messages: VecDeque::new(),
            step: Step::Nothing,
            prepared: VecDeque::new(),
            leaving: None,
            pauses: false,
            started: 0,
        }
    }

    /// Time spent taking in, preparing and computing, up to now.
    pub fn spent(&self, now: Time) -> [Time; 3] {
        let mut spent = self.spent;
        if let Some((job, since, _)) = self.job {
            spent[rank(job.kind)] += now - since;
        }
        spent
    }

    /// Data packets, or messages of which none is ready, that have not got to the network.
    pub fn waiting(&self) -> usize {
        self.messages.len() + self.prepared.len()
    }
}

/// By process, what its start-ups are drawn from.
pub fn variations(spec: &Spec, processes: usize) -> Vec<Stream> {
    let stream = |process| Stream::new(spec.seed, Purpose::Overhead, process);
    (0..processes as u32).map(stream).collect()
}

fn rank(kind: Kind) -> usize {
    match kind {
        Kind::Receive(_) => 0,
        Kind::Send => 1,
        Kind::Compute(_) => 2,
    }
}

/// A whole number of picoseconds that is nearest.
fn of_bytes(femtoseconds: Time, bytes: u32) -> Time {
    (femtoseconds * u64::from(bytes) + 500) / 1000
}

impl Reference {
    pub fn has_costs(&self) -> bool {
        self.spec.machine.interface.costs.is_some()
    }

    fn costs(&self) -> Costs {
        self.spec.machine.interface.costs.unwrap_or_default()
    }

    /// What a message of a process costs before it leaves.
    pub fn start_up(&mut self, process: usize) -> Time {
        let Costs { send, variation_ps, .. } = self.costs();
        if variation_ps == 0 {
            return send.before_ps;
        }
        send.before_ps - variation_ps + self.variations[process].below(2 * variation_ps + 1)
    }

    fn packet_costs(&self, message: usize, side: &Side, bytes: u32) -> Time {
        let is_single = self.messages[message].packets == 1;
        let per_packet = !(is_single && self.costs().multi_packet_only);
        of_bytes(side.per_byte_fs, bytes) + if per_packet { side.per_packet_ps } else { 0 }
    }

    /// A node has a job; one that takes no time is none.
    fn give(&mut self, node: usize, job: Job) {
        self.desks[node].jobs[rank(job.kind)].push_back(job);
        self.choose(node);
    }

    /// A process wants to compute.
    pub fn computes(&mut self, node: usize, process: usize) {
        self.give(node, Job { kind: Kind::Compute(process), left: None });
    }

    /// The CPU does what comes first.
    fn choose(&mut self, node: usize) {
        let Some(best) = self.desks[node].jobs.iter().position(|jobs| !jobs.is_empty()) else {
            return;
        };
        if let Some((job, since, until)) = self.desks[node].job {
            if !self.costs().receive_preempts || until == self.now || rank(job.kind) <= best {
                return;
            }
            self.forget(until, Event::Cpu { node });
            let left = Some(self.work_left(node, until));
            let desk = &mut self.desks[node];
            desk.spent[rank(job.kind)] += self.now - since;
            desk.jobs[rank(job.kind)].push_front(Job { left, ..job });
        }
        let job = self.desks[node].jobs[best].pop_front().unwrap();
        let takes = match (job.left, job.kind) {
            (Some(left), _) => left,
            (None, Kind::Compute(process)) => self.piece(process),
            (None, _) => unreachable!("its time is known"),
        };
        let end = self.now + self.work_takes(node, takes);
        self.desks[node].job = Some((job, self.now, end));
        self.post(end, Event::Cpu { node });
    }

    fn piece(&mut self, process: usize) -> Time {
        let longest = self.spec.machine.interface.time_slice_ps.unwrap_or(Time::MAX);
        let piece = self.processes[process].work.min(longest);
        self.processes[process].work -= piece;
        piece
    }

    /// What the CPU does is done.
    pub fn job_ends(&mut self, node: usize) {
        let (job, since, _) = self.desks[node].job.take().expect("it does something");
        self.desks[node].spent[rank(job.kind)] += self.now - since;
        match job.kind {
            Kind::Receive(message) => self.packet_taken(message),
            Kind::Send => self.next_step(node),
            Kind::Compute(process) if self.processes[process].work > 0 => {
                let job = Job { kind: job.kind, left: None };
                self.desks[node].jobs[2].push_back(job);
            }
            Kind::Compute(process) => {
                self.processes[process].state = State::GoingOn;
                self.go_on(process);
            }
        }
        self.choose(node);
    }

    /// A message is to be sent, or may go on: unless it is in line already.
    pub fn enlist(&mut self, number: usize) {
        let message = &mut self.messages[number];
        if message.queued_packets > 0 && !message.stands_aside {
            return;
        }
        message.stands_aside = false;
        let node = self.processes[message.from].node;
        self.desks[node].messages.push_back(number);
        if self.desks[node].step == Step::Nothing {
            self.next_step(node);
        }
    }

    /// What follows when a step of preparing a message is over.
    fn next_step(&mut self, node: usize) {
        let costs = self.costs();
        let mut takes = 0;
        let next = match self.desks[node].step {
            Step::Nothing => {
                let Some(message) = self.desks[node].messages.pop_front() else { return };
                takes = std::mem::take(&mut self.messages[message].start_up);
                Step::StartsUp(message)
            }
            Step::StartsUp(number) => {
                let message = &mut self.messages[number];
                let in_flight = message.queued_packets - message.acknowledged_packets;
                let bytes = message.bytes_left.min(self.spec.machine.interface.packet_bytes);
                if in_flight >= self.window() {
                    self.messages[number].stands_aside = true;
                    Step::Nothing
                } else {
                    takes = self.packet_costs(number, &costs.send, bytes);
                    Step::PreparesPacket(number)
                }
            }
            Step::PreparesPacket(message) => {
                let packet = self.next_packet(message);
                let is_last = packet.is_last;
                self.desks[node].prepared.push_back(packet);
                self.hand_over(node);
                Step::LetsLeave { message, is_last }
            }
            Step::LetsLeave { message, is_last } => {
                let desk = &self.desks[node];
                let is_gone = desk.prepared.is_empty() && desk.leaving.is_none();
                let order = self.spec.machine.interface.message_order;
                match is_last {
                    _ if !costs.overlap && !is_gone => return,
                    true => {
                        takes = costs.send.after_ps;
                        Step::Finishes
                    }
                    false if order == MessageOrder::RoundRobin => {
                        self.desks[node].messages.push_back(message);
                        Step::Nothing
                    }
                    false => Step::StartsUp(message),
                }
            }
            Step::Finishes => Step::Nothing,
        };
        self.desks[node].step = next;
        if takes > 0 {
            return self.give(node, Job { kind: Kind::Send, left: Some(takes) });
        }
        self.next_step(node);
    }

    /// Packets that have been prepared go to the network, if they may.
    fn hand_over(&mut self, node: usize) {
        let costs = self.costs();
        loop {
            let desk = &mut self.desks[node];
            if desk.leaving.is_some() || desk.pauses {
                return;
            }
            let Some(mut packet) = desk.prepared.pop_front() else { return };
            if self.spec.mode == Mode::Ideal {
                self.pause(node, self.now, packet.bytes);
                self.counters.sent += u64::from(packet.is_last);
                self.packet_comes(packet.message, packet.bytes);
                continue;
            }
            if !costs.overlap || costs.paces() {
                desk.leaving = Some(packet.bytes);
            }
            packet.queued = self.now;
            self.queue(packet);
        }
    }

    /// After a packet that started at an instant the next may start after an interval.
    fn pause(&mut self, node: usize, start: Time, bytes: u32) {
        let costs = self.costs();
        let per_byte = of_bytes(costs.packet_interval_per_byte_fs, bytes);
        let next = start + costs.packet_interval_ps + per_byte;
        self.desks[node].pauses = next > self.now;
        if next > self.now {
            self.post(next, Event::Gone { node });
        }
    }

    /// A packet starts that will have left its node at an instant.
    pub fn leaves_node(&mut self, packet: usize, end: Time) {
        let Packet { is_ack, source, .. } = self.packets[packet];
        let costs = self.costs();
        if self.has_costs() && !is_ack && (!costs.overlap || costs.paces()) {
            self.desks[source].started = self.packets[packet].first_sent;
            self.post(end, Event::Gone { node: source });
        }
    }

    /// A packet has left a node, or the next may start.
    pub fn gone(&mut self, node: usize) {
        if let Some(bytes) = self.desks[node].leaving.take() {
            self.pause(node, self.desks[node].started, bytes);
        } else {
            self.desks[node].pauses = false;
        }
        self.hand_over(node);
        if let Step::LetsLeave { .. } = self.desks[node].step {
            self.next_step(node);
        }
    }

    /// A data packet has arrived.
    pub fn packet_comes(&mut self, message: usize, bytes: u32) {
        let side = self.costs().receive;
        let mut takes = self.packet_costs(message, &side, bytes);
        let come = &mut self.messages[message].come_packets;
        *come += 1;
        let come = *come;
        if come == 1 {
            takes += side.before_ps;
        }
        if come == self.messages[message].packets {
            takes += side.after_ps;
        }
        if takes == 0 {
            return self.packet_taken(message);
        }
        let node = self.processes[self.messages[message].to].node;
        self.give(node, Job { kind: Kind::Receive(message), left: Some(takes) });
    }
}
