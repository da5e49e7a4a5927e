//! The CPUs of a rank: what each computes, one thing after the other, in order of readiness.

use super::slab::NOWHERE;
use crate::time::Time;
use std::collections::VecDeque;

/// What a CPU computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// An operation: its number.
    Operation(u32),
    /// A collective adds what has come.
    Adding,
}

/// The CPUs of a rank, as many as have had something to do.
#[derive(Default)]
pub struct Cpus {
    cpus: Vec<Cpu>,
    /// How long the collective adds that is to, or does.
    adding: Time,
}

#[derive(Default)]
struct Cpu {
    queue: VecDeque<u32>,
    now: Option<Work>,
}

/// Stands for [`Work::Adding`] in queues: no operation has this number.
const ADDING: u32 = NOWHERE;

impl Cpus {
    /// An operation is to be computed by a CPU.
    pub fn enlist(&mut self, cpu: u8, operation: u32) {
        let count = usize::from(cpu) + 1;
        if self.cpus.len() < count {
            self.cpus.resize_with(count, Cpu::default);
        }
        self.cpus[usize::from(cpu)].queue.push_back(operation);
    }

    /// A collective adds for so long, on the first CPU.
    pub fn add(&mut self, time: Time) {
        self.adding = time;
        self.enlist(0, ADDING);
    }

    /// An idle CPU begins with what comes first in its queue, if there is one that can.
    pub fn begin(&mut self) -> Option<(u8, Work)> {
        let can = |cpu: &Cpu| cpu.now.is_none() && !cpu.queue.is_empty();
        let place = self.cpus.iter().position(can)?;
        let cpu = &mut self.cpus[place];
        let work = match cpu.queue.pop_front()? {
            ADDING => Work::Adding,
            number => Work::Operation(number),
        };
        cpu.now = Some(work);
        Some((place as u8, work))
    }

    /// How long the collective adds.
    pub fn adding(&self) -> Time {
        self.adding
    }

    /// A CPU has computed what it had begun with.
    pub fn end(&mut self, cpu: u8) -> Option<Work> {
        self.cpus.get_mut(usize::from(cpu))?.now.take()
    }
}
