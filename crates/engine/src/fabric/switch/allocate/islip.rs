//! iSLIP [McKeown 1999]: priorities do not count.

use super::{Choices, Head, Request, after, behind};

/// Every output that is free grants the first input at or behind its pointer, every input
/// accepts the first of these at or behind its own. Pointers go behind what was matched, in the
/// first iteration only.
#[derive(Clone)]
pub struct Islip {
    iterations: u32,
    grant_from: Vec<u32>,
    accept_from: Vec<u32>,
    grants: Choices,
    accepts: Choices,
    taken_inputs: Vec<bool>,
    taken_outputs: Vec<bool>,
    /// Where heads ask by words: those that are granted outputs, by their places, and which.
    granted: Vec<(usize, u128)>,
    /// By head: its place among these.
    granted_at: Vec<u32>,
}

impl Islip {
    /// For so many inputs and outputs.
    pub fn new(iterations: u32, inputs: usize, outputs: usize) -> Self {
        Self {
            iterations,
            grant_from: vec![0; outputs],
            accept_from: vec![0; inputs],
            grants: Choices::new(outputs),
            accepts: Choices::new(inputs),
            taken_inputs: vec![false; inputs],
            taken_outputs: vec![false; outputs],
            granted: Vec::new(),
            granted_at: Vec::new(),
        }
    }

    /// Pointers go behind what has been matched.
    #[inline]
    pub fn moves_behind(&mut self, matched: &Request) {
        let (inputs, outputs) = (self.accept_from.len() as u32, self.grant_from.len() as u32);
        self.grant_from[matched.output as usize] = after(matched.input, inputs);
        self.accept_from[matched.input as usize] = after(matched.output, outputs);
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        let (inputs, outputs) = (self.accept_from.len() as u32, self.grant_from.len() as u32);
        for iteration in 0..self.iterations {
            for (place, request) in requests.iter().enumerate() {
                let Request { input, output, .. } = *request;
                if self.taken_inputs[input as usize] || self.taken_outputs[output as usize] {
                    continue;
                }
                let distance = behind(self.grant_from[output as usize], input, inputs);
                self.grants.offer(output, distance.into(), place as u32);
            }
            let (accepts, accept_from) = (&mut self.accepts, &self.accept_from);
            self.grants.drain(|place| {
                let Request { input, output, .. } = requests[place as usize];
                let distance = behind(accept_from[input as usize], output, outputs);
                accepts.offer(input, distance.into(), place);
            });
            let before = granted.len();
            self.accepts.drain(|place| granted.push(place));
            if iteration == 0 {
                for &place in granted.iter() {
                    self.moves_behind(&requests[place as usize]);
                }
            }
            if granted.len() == before {
                break;
            }
            self.mark(&granted[before..], requests, true);
        }
        self.mark(granted, requests, false);
    }

    /// See [`super::Allocator::allocate_words`].
    pub fn allocate_words(&mut self, heads: &[Head], matched: &mut Vec<(u32, u32)>) {
        let (mut once, mut twice) = (0, 0);
        for head in heads {
            twice |= once & head.outputs;
            once |= head.outputs;
        }
        if twice == 0 {
            // Nobody is in another's way.
            for &Head { input, outputs } in heads {
                let output = first_behind(outputs, self.accept_from[input as usize]);
                self.moves_behind(&Request { input, output, priority: 0 });
                matched.push((input, output));
            }
            return;
        }
        let mut left = u128::MAX;
        for iteration in 0..self.iterations {
            self.grant_words(heads, left);
            if self.granted.is_empty() {
                break;
            }
            for place in 0..self.granted.len() {
                let (head, outputs) = self.granted[place];
                let input = heads[head].input;
                let output = first_behind(outputs, self.accept_from[input as usize]);
                let request = Request { input, output, priority: 0 };
                if iteration == 0 {
                    self.moves_behind(&request);
                }
                self.taken_inputs[input as usize] = self.iterations > 1;
                left &= !(1 << output);
                matched.push((input, output));
            }
        }
        if self.iterations > 1 {
            matched.iter().for_each(|&(input, _)| self.taken_inputs[input as usize] = false);
        }
    }

    /// Every output that is left grants one of the heads that ask for it: these, in the order of the first output
    /// that grants them, with all that do.
    fn grant_words(&mut self, heads: &[Head], left: u128) {
        let Self { granted, granted_at, taken_inputs, grant_from, accept_from, .. } = self;
        let inputs = accept_from.len() as u32;
        let asked = |head: &Head| {
            if taken_inputs[head.input as usize] { 0 } else { head.outputs & left }
        };
        let (mut once, mut twice) = (0, 0);
        for bits in heads.iter().map(asked) {
            twice |= once & bits;
            once |= bits;
        }
        granted.clear();
        granted_at.clear();
        granted_at.resize(heads.len(), u32::MAX);
        let mut grant = |head: usize, outputs: u128| {
            if let Some((_, all)) = granted.get_mut(granted_at[head] as usize) {
                *all |= outputs;
            } else {
                granted_at[head] = granted.len() as u32;
                granted.push((head, outputs));
            }
        };
        let mut seen = 0;
        for (place, head) in heads.iter().enumerate() {
            let mut new = asked(head) & !seen;
            seen |= new;
            if new != 0 && new & twice == 0 {
                grant(place, new);
                continue;
            }
            while new != 0 {
                let output = new.trailing_zeros();
                new &= new - 1;
                let asks = |&at: &usize| asked(&heads[at]) >> output & 1 != 0;
                let from = grant_from[output as usize];
                let distance = |&at: &usize| behind(from, heads[at].input, inputs);
                let nearest = (place..heads.len()).filter(asks).min_by_key(distance);
                grant(nearest.unwrap_or(place), 1 << output);
            }
        }
    }

    /// What is granted is taken in the iterations that follow, or free again.
    #[inline]
    fn mark(&mut self, granted: &[u32], requests: &[Request], taken: bool) {
        if self.iterations > 1 {
            for &place in granted {
                let Request { input, output, .. } = requests[place as usize];
                self.taken_inputs[input as usize] = taken;
                self.taken_outputs[output as usize] = taken;
            }
        }
    }
}

/// The first of some numbers at or behind a pointer on a circle; there is one.
#[inline]
fn first_behind(numbers: u128, pointer: u32) -> u32 {
    let behind = numbers & u128::MAX << pointer;
    if behind == 0 { numbers.trailing_zeros() } else { behind.trailing_zeros() }
}
