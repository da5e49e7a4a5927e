//! Allocators: which inputs are matched with which outputs, of those they ask for.
//!
//! All requests of a step are there before any is granted, and their order does not matter.
//! Priorities count where it is said so; a higher one comes first.

mod islip;
mod maximum;
mod separable;
#[cfg(test)]
mod tests;
pub mod turns;
mod wavefront;

use crate::spec;
use islip::Islip;
use maximum::Maximum;
use separable::Separable;
use wavefront::Wavefront;

/// An input asks for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number.
    pub input: u32,
    /// That of the output.
    pub output: u32,
    /// How urgent it is.
    pub priority: i32,
}

/// An input that asks for several outputs at once; outputs have numbers below 128.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Its number.
    pub input: u32,
    /// Theirs, as bits.
    pub outputs: u128,
}

/// Matches inputs with outputs, step by step.
#[derive(Clone)]
pub enum Allocator {
    /// See [`spec::Allocator::Islip`].
    Islip(Islip),
    /// See [`spec::Allocator::SeparableInputFirst`] and the mirror of it.
    Separable(Separable),
    /// See [`spec::Allocator::Wavefront`].
    Wavefront(Wavefront),
    /// See [`spec::Allocator::MaximumSize`].
    Maximum(Maximum),
}

impl Allocator {
    /// One for so many inputs and outputs. Where allocators are separable, of those that are
    /// equally urgent it is the turn of whoever was chosen least recently, or of the next.
    pub fn new(
        kind: spec::Allocator,
        least_recent: bool,
        iterations: u32,
        inputs: usize,
        outputs: usize,
    ) -> Self {
        let separable =
            |input_first| Separable::new((input_first, least_recent), iterations, inputs, outputs);
        match kind {
            spec::Allocator::Islip => Self::Islip(Islip::new(iterations, inputs, outputs)),
            spec::Allocator::SeparableInputFirst => Self::Separable(separable(true)),
            spec::Allocator::SeparableOutputFirst => Self::Separable(separable(false)),
            spec::Allocator::Wavefront => Self::Wavefront(Wavefront::new(inputs, outputs)),
            spec::Allocator::MaximumSize => Self::Maximum(Maximum::new(inputs, outputs)),
        }
    }

    /// Adds the places of the requests that are granted to `granted`, which must be empty. No two
    /// may be alike.
    #[inline]
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        debug_assert!(granted.is_empty());
        if requests.is_empty() {
            return;
        }
        if is_matching(requests) {
            self.grant_all(requests);
            return granted.extend(0..requests.len() as u32);
        }
        match self {
            Self::Islip(one) => one.allocate(requests, granted),
            Self::Separable(one) => one.allocate(requests, granted),
            Self::Wavefront(one) => one.allocate(requests, granted),
            Self::Maximum(one) => one.allocate(requests, granted),
        }
    }

    /// The same as with a request for each of the outputs that heads ask for, for which priorities do not count:
    /// adds to `matched` who is matched with what, in the order in which they would be granted.
    #[inline]
    pub fn allocate_words(&mut self, heads: &[Head], matched: &mut Vec<(u32, u32)>) {
        match self {
            Self::Islip(one) => one.allocate_words(heads, matched),
            _ => unreachable!("priorities count"),
        }
    }

    /// No two requests are in each other's way: all are granted.
    #[inline]
    fn grant_all(&mut self, requests: &[Request]) {
        match self {
            Self::Islip(one) => requests.iter().for_each(|request| one.moves_behind(request)),
            Self::Separable(one) => requests.iter().for_each(|request| one.matched(request)),
            Self::Wavefront(one) => one.moves(),
            Self::Maximum(one) => one.moves(),
        }
    }
}

/// Whether nobody asks twice, and nothing is asked for twice; not known of high numbers.
#[inline]
fn is_matching(requests: &[Request]) -> bool {
    let (mut inputs, mut outputs) = (0_u64, 0_u64);
    for request in requests {
        if request.input >= 64 || request.output >= 64 {
            return requests.len() == 1;
        }
        let (input, output) = (1 << request.input, 1 << request.output);
        if inputs & input != 0 || outputs & output != 0 {
            return false;
        }
        inputs |= input;
        outputs |= output;
    }
    true
}

/// How far `number` lies behind `pointer` on a circle of `count`.
#[inline]
fn behind(pointer: u32, number: u32, count: u32) -> u32 {
    if number >= pointer { number - pointer } else { number + count - pointer }
}

/// The number after another on a circle of `count`.
#[inline]
fn after(number: u32, count: u32) -> u32 {
    if number + 1 == count { 0 } else { number + 1 }
}

/// Of each of several choosers the best of what it is offered: made once, used again and again.
#[derive(Clone)]
struct Choices {
    /// By chooser: the best so far, and how good it is; lower is better.
    best: Vec<(u64, u32)>,
    /// Choosers that have been offered something.
    choosers: Vec<u32>,
}

impl Choices {
    const NOTHING: (u64, u32) = (u64::MAX, u32::MAX);

    fn new(choosers: usize) -> Self {
        Self { best: vec![Self::NOTHING; choosers], choosers: Vec::new() }
    }

    #[inline]
    fn offer(&mut self, chooser: u32, key: u64, what: u32) {
        let best = &mut self.best[chooser as usize];
        if best.1 == u32::MAX {
            self.choosers.push(chooser);
        }
        *best = (*best).min((key, what));
    }

    /// Takes all choices.
    #[inline]
    fn drain(&mut self, mut each: impl FnMut(u32)) {
        for chooser in self.choosers.drain(..) {
            let (_, what) = std::mem::replace(&mut self.best[chooser as usize], Self::NOTHING);
            each(what);
        }
    }
}

/// A key by which higher priorities come first, then those that lie nearest behind a pointer.
#[inline]
fn key(priority: i32, distance: u32) -> u64 {
    let urgency = (i64::from(i32::MAX) - i64::from(priority)) as u64;
    urgency << 32 | u64::from(distance)
}
