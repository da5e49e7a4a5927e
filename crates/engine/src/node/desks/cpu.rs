//! The CPU of a node whose messages cost something: who has it, and who is next.
//!
//! Receiving comes before sending, sending before computing. What has begun is finished first,
//! unless receiving preempts: then what comes first interrupts what comes later, which resumes.

use crate::ids::{MessageId, ProcessId};
use crate::time::Time;
use std::collections::VecDeque;

/// What a CPU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Idle,
    Computing(ProcessId),
    Sending,
    /// It takes in a packet of a message, of so many bytes.
    Receiving(MessageId, u32),
}

/// A packet that has arrived and is to be taken in.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub message: MessageId,
    pub bytes: u32,
    /// How long that takes.
    pub takes: Time,
}

/// How long a CPU did what, in the current window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// For processes.
    pub computing: Time,
    /// Preparing messages.
    pub sending: Time,
    /// Taking messages in.
    pub receiving: Time,
}

/// A CPU.
#[derive(Debug)]
pub struct Cpu {
    pub work: Work,
    /// When that began, in the current window, and when it will be done.
    since: Time,
    until: Time,
    /// Processes that want to compute, but not the one that was interrupted.
    pub waiting: VecDeque<ProcessId>,
    /// The process that was interrupted, and what is left of its piece.
    stopped: Option<(ProcessId, Time)>,
    /// What is left of the job of sending that is to be done.
    sending: Option<Time>,
    /// Packets to be taken in, oldest first.
    arrived: VecDeque<Arrived>,
    times: CpuTime,
}

impl Cpu {
    /// One that does nothing.
    pub fn idle() -> Self {
        Self {
            work: Work::Idle,
            since: 0,
            until: 0,
            waiting: VecDeque::new(),
            stopped: None,
            sending: None,
            arrived: VecDeque::new(),
            times: CpuTime::default(),
        }
    }

    /// There is a job of sending to be done.
    pub fn is_to_send(&mut self, takes: Time) {
        debug_assert!(self.sending.is_none(), "a message is prepared step by step");
        self.sending = Some(takes);
    }

    /// There is a packet to be taken in.
    pub fn is_to_receive(&mut self, arrived: Arrived) {
        self.arrived.push_back(arrived);
    }

    /// Whether what it does is to be interrupted now. What ends now is not.
    pub fn is_interrupted(&self, now: Time) -> bool {
        self.until > now
            && match self.work {
                Work::Idle | Work::Receiving(..) => false,
                Work::Sending => !self.arrived.is_empty(),
                Work::Computing(_) => !self.arrived.is_empty() || self.sending.is_some(),
            }
    }

    /// What it does is interrupted; `work` tells what of it would have been done from now until an instant.
    pub fn interrupt(&mut self, now: Time, work: impl FnOnce(Time) -> Time) {
        let left = work(self.until);
        match self.stop(now) {
            Work::Computing(process) => self.stopped = Some((process, left)),
            Work::Sending => self.sending = Some(left),
            Work::Receiving(..) | Work::Idle => debug_assert!(false, "nothing comes before that"),
        }
    }

    /// Whether what it does ends now.
    pub fn ends(&self, now: Time) -> bool {
        self.work != Work::Idle && self.until == now
    }

    /// It is idle from now on; what it did.
    pub fn stop(&mut self, now: Time) -> Work {
        let took = now - self.since;
        match self.work {
            Work::Idle => {}
            Work::Computing(_) => self.times.computing += took,
            Work::Sending => self.times.sending += took,
            Work::Receiving(..) => self.times.receiving += took,
        }
        std::mem::replace(&mut self.work, Work::Idle)
    }

    /// What it is to do next, and how long; `piece` tells how long a process computes.
    pub fn next(&mut self, piece: impl FnOnce(ProcessId) -> Time) -> Option<(Work, Time)> {
        if let Some(Arrived { message, bytes, takes }) = self.arrived.pop_front() {
            return Some((Work::Receiving(message, bytes), takes));
        }
        if let Some(takes) = self.sending.take() {
            return Some((Work::Sending, takes));
        }
        if let Some((process, left)) = self.stopped.take() {
            return Some((Work::Computing(process), left));
        }
        let process = self.waiting.pop_front()?;
        Some((Work::Computing(process), piece(process)))
    }

    /// It does something from now on; until when.
    pub fn begin(&mut self, work: Work, now: Time, takes: Time) -> Time {
        (self.work, self.since, self.until) = (work, now, now + takes);
        self.until
    }

    /// A new window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.since = now;
        self.times = CpuTime::default();
    }

    /// How long it did what in the window, up to now.
    pub fn times(&self, now: Time) -> CpuTime {
        let mut times = self.times;
        let took = now - self.since;
        match self.work {
            Work::Idle => {}
            Work::Computing(_) => times.computing += took,
            Work::Sending => times.sending += took,
            Work::Receiving(..) => times.receiving += took,
        }
        times
    }
}
