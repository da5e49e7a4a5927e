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
            taken_first: vec![false; first],
            taken_then: vec![false; then],
        }
    }

    /// Pointers go behind what has been matched.
    #[inline]
    pub fn moves_behind(&mut self, matched: &Request) {
        let (firsts, thens) = (self.first_from.len() as u32, self.then_from.len() as u32);
        let (one, other) = sides(self.input_first, matched);
        self.first_from[one as usize] = after(other, thens);
        self.then_from[other as usize] = after(one, firsts);
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        let (firsts, thens) = (self.first_from.len() as u32, self.then_from.len() as u32);
        let input_first = self.input_first;
        for _ in 0..self.iterations {
            for (place, request) in requests.iter().enumerate() {
                let (one, other) = sides(input_first, request);
                if self.taken_first[one as usize] || self.taken_then[other as usize] {
                    continue;
                }
                let distance = behind(self.first_from[one as usize], other, thens);
                self.first.offer(one, key(request.priority, distance), place as u32);
            }
            let (then, then_from) = (&mut self.then, &self.then_from);
            self.first.drain(|place| {
                let request = &requests[place as usize];
                let (one, other) = sides(input_first, request);
                let distance = behind(then_from[other as usize], one, firsts);
                then.offer(other, key(request.priority, distance), place);
            });
            let before = granted.len();
            self.then.drain(|place| granted.push(place));
            for &place in &granted[before..] {
                self.moves_behind(&requests[place as usize]);
            }
            if granted.len() == before {
                break;
            }
            self.mark(&granted[before..], requests, true);
        }
        self.mark(granted, requests, false);
    }

    /// What is granted is taken in the iterations that follow, or free again.
    fn mark(&mut self, granted: &[u32], requests: &[Request], taken: bool) {
        if self.iterations > 1 {
            for &place in granted {
                let (one, other) = sides(self.input_first, &requests[place as usize]);
                self.taken_first[one as usize] = taken;
                self.taken_then[other as usize] = taken;
            }
        }
    }
}

/// Who chooses first of a request's input and output, and who then.
#[inline]
fn sides(input_first: bool, request: &Request) -> (u32, u32) {
    let Request { input, output, .. } = *request;
    if input_first { (input, output) } else { (output, input) }
}
