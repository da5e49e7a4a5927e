//! Separable allocators: one side chooses, then the other of what it is left with.

use super::{Choices, Request, after, behind, key};

/// Every input (or output) chooses the most urgent request, of several the first at or behind
/// its pointer; then every output (or input) likewise among those that chose it. Pointers of
/// both go behind what was matched.
pub struct Separable {
    input_first: bool,
    iterations: u32,
    /// Pointers of those that choose first, and then.
    first_from: Vec<u32>,
    then_from: Vec<u32>,
    first: Choices,
    then: Choices,
    /// By those that choose first: the priority of what they chose.
    chosen_priority: Vec<i32>,
    taken_first: Vec<bool>,
    taken_then: Vec<bool>,
}

impl Separable {
    /// For so many inputs and outputs.
    pub fn new(input_first: bool, iterations: u32, inputs: usize, outputs: usize) -> Self {
        let (first, then) = if input_first { (inputs, outputs) } else { (outputs, inputs) };
        Self {
            input_first,
            iterations,
            first_from: vec![0; first],
            then_from: vec![0; then],
            first: Choices::new(first),
            then: Choices::new(then),
            chosen_priority: vec![0; first],
            taken_first: vec![false; first],
            taken_then: vec![false; then],
        }
    }

    /// Pointers go behind what has been matched.
    #[inline]
    pub fn moves_behind(&mut self, matched: &Request) {
        let (firsts, thens) = (self.first_from.len() as u32, self.then_from.len() as u32);
        let (one, other) = self.sides(matched.input, matched.output);
        self.first_from[one as usize] = after(other, thens);
        self.then_from[other as usize] = after(one, firsts);
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], matched: &mut Vec<(u32, u32)>) {
        let (firsts, thens) = (self.first_from.len() as u32, self.then_from.len() as u32);
        for _ in 0..self.iterations {
            let before = matched.len();
            for request in requests {
                let (one, other) = self.sides(request.input, request.output);
                if self.taken_first[one as usize] || self.taken_then[other as usize] {
                    continue;
                }
                let distance = behind(self.first_from[one as usize], other, thens);
                let key = key(request.priority, distance);
                if (key, other) < self.first.best[one as usize] {
                    self.chosen_priority[one as usize] = request.priority;
                }
                self.first.offer(one, key, other);
            }
            let (then, then_from, priority) =
                (&mut self.then, &self.then_from, &self.chosen_priority);
            self.first.drain(|one, other| {
                let distance = behind(then_from[other as usize], one, firsts);
                then.offer(other, key(priority[one as usize], distance), one);
            });
            let input_first = self.input_first;
            let (first_from, then_from) = (&mut self.first_from, &mut self.then_from);
            self.then.drain(|other, one| {
                first_from[one as usize] = after(other, thens);
                then_from[other as usize] = after(one, firsts);
                matched.push(if input_first { (one, other) } else { (other, one) });
            });
            if self.iterations == 1 || matched.len() == before {
                break;
            }
            self.mark(&matched[before..], true);
        }
        if self.iterations > 1 {
            self.mark(matched, false);
        }
    }

    #[inline]
    fn sides(&self, input: u32, output: u32) -> (u32, u32) {
        if self.input_first { (input, output) } else { (output, input) }
    }

    fn mark(&mut self, matched: &[(u32, u32)], taken: bool) {
        for &(input, output) in matched {
            let (one, other) = self.sides(input, output);
            self.taken_first[one as usize] = taken;
            self.taken_then[other as usize] = taken;
        }
    }
}
