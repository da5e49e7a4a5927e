//! iSLIP [McKeown 1999]: priorities do not count.

use super::{Choices, Request, after, behind};

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
