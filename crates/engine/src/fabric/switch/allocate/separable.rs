//! Separable allocators: one side chooses, then the other of what it is left with.

use super::turns::Turns;
use super::{Choices, Request, key};

/// Every input (or output) chooses the most urgent request, of several the one whose turn it is;
/// then every output (or input) likewise among those that chose it. What was matched has had its
/// turn on both sides.
#[derive(Clone)]
pub struct Separable {
    input_first: bool,
    iterations: u32,
    /// Turns of those that choose first, and then.
    first_turns: Turns,
    then_turns: Turns,
    first: Choices,
    then: Choices,
    taken_first: Vec<bool>,
    taken_then: Vec<bool>,
}

impl Separable {
    /// For so many inputs and outputs; by turns or, of equals, whoever was chosen least recently.
    pub fn new(
        (input_first, least_recent): (bool, bool),
        iterations: u32,
        inputs: usize,
        outputs: usize,
    ) -> Self {
        let (first, then) = if input_first { (inputs, outputs) } else { (outputs, inputs) };
        Self {
            input_first,
            iterations,
            first_turns: Turns::new(least_recent, first, then),
            then_turns: Turns::new(least_recent, then, first),
            first: Choices::new(first),
            then: Choices::new(then),
            taken_first: vec![false; first],
            taken_then: vec![false; then],
        }
    }

    /// What has been matched has had its turn.
    #[inline]
    pub fn matched(&mut self, request: &Request) {
        let (one, other) = sides(self.input_first, request);
        self.first_turns.chosen(one, other);
        self.then_turns.chosen(other, one);
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        let input_first = self.input_first;
        for _ in 0..self.iterations {
            for (place, request) in requests.iter().enumerate() {
                let (one, other) = sides(input_first, request);
                if self.taken_first[one as usize] || self.taken_then[other as usize] {
                    continue;
                }
                let rank = self.first_turns.rank(one, other);
                self.first.offer(one, key(request.priority, rank), place as u32);
            }
            let (then, turns) = (&mut self.then, &self.then_turns);
            self.first.drain(|place| {
                let request = &requests[place as usize];
                let (one, other) = sides(input_first, request);
                let rank = turns.rank(other, one);
                then.offer(other, key(request.priority, rank), place);
            });
            let before = granted.len();
            self.then.drain(|place| granted.push(place));
            for &place in &granted[before..] {
                self.matched(&requests[place as usize]);
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
