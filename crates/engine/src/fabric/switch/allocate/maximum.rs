//! The largest number of pairs there can be, by augmenting paths [Kuhn 1955].

use super::{Request, after, behind};

/// An upper bound to compare with. So that nobody starves, inputs are served from the next one
/// on at every step in which somebody asks.
#[derive(Clone)]
pub struct Maximum {
    begin: u32,
    /// By output: the input it is matched with, or none.
    input_of: Vec<u32>,
    seen: Vec<bool>,
    /// Requests by input: where its outputs begin and end in `outputs`.
    spans: Vec<(u32, u32)>,
    outputs: Vec<u32>,
    asking: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Maximum {
    /// For so many inputs and outputs.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self {
            begin: 0,
            input_of: vec![NONE; outputs],
            seen: vec![false; outputs],
            spans: vec![(0, 0); inputs],
            outputs: Vec::new(),
            asking: Vec::new(),
        }
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        self.list(requests);
        for place in 0..self.asking.len() {
            let input = self.asking[place];
            self.seen.fill(false);
            self.augment(input);
        }
        for (place, request) in requests.iter().enumerate() {
            if self.input_of[request.output as usize] == request.input {
                granted.push(place as u32);
            }
        }
        for request in requests {
            self.input_of[request.output as usize] = NONE;
        }
        self.moves();
    }

    /// The next input is the first.
    #[inline]
    pub fn moves(&mut self) {
        self.begin = after(self.begin, self.spans.len() as u32);
    }

    fn list(&mut self, requests: &[Request]) {
        let inputs = self.spans.len() as u32;
        let mut sorted: Vec<(u32, u32)> = requests.iter().map(|r| (r.input, r.output)).collect();
        sorted.sort_unstable();
        self.outputs.clear();
        self.asking.clear();
        for &(input, output) in &sorted {
            if self.asking.last() != Some(&input) {
                self.asking.push(input);
                self.spans[input as usize].0 = self.outputs.len() as u32;
            }
            self.outputs.push(output);
            self.spans[input as usize].1 = self.outputs.len() as u32;
        }
        let begin = self.begin;
        self.asking.sort_unstable_by_key(|&input| behind(begin, input, inputs));
    }

    fn augment(&mut self, input: u32) -> bool {
        let (from, to) = self.spans[input as usize];
        for place in from..to {
            let output = self.outputs[place as usize];
            if std::mem::replace(&mut self.seen[output as usize], true) {
                continue;
            }
            let holder = self.input_of[output as usize];
            if holder == NONE || self.augment(holder) {
                self.input_of[output as usize] = input;
                return true;
            }
        }
        false
    }
}
