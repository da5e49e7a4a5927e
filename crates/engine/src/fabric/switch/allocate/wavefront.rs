//! The wavefront allocator [Tamir & Chi 1993].

use super::{Request, after, behind};

/// Of the most urgent requests first, all on one diagonal of the matrix of inputs and outputs are
/// granted, then what is left on the next, and so on. The diagonal it begins with is the next
/// one at every step in which somebody asks.
#[derive(Clone)]
pub struct Wavefront {
    /// Inputs or outputs, whatever there are more of.
    side: u32,
    begin: u32,
    taken_inputs: Vec<bool>,
    taken_outputs: Vec<bool>,
    /// Requests in their order: urgency and diagonal, place.
    order: Vec<(u64, u32)>,
}

impl Wavefront {
    /// For so many inputs and outputs.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self {
            side: inputs.max(outputs) as u32,
            begin: 0,
            taken_inputs: vec![false; inputs],
            taken_outputs: vec![false; outputs],
            order: Vec::new(),
        }
    }

    /// See [`super::Allocator::allocate`].
    pub fn allocate(&mut self, requests: &[Request], granted: &mut Vec<u32>) {
        self.order.clear();
        for (place, request) in requests.iter().enumerate() {
            let diagonal = (request.input + request.output) % self.side;
            let distance = behind(self.begin, diagonal, self.side);
            let key = super::key(request.priority, distance);
            self.order.push((key, place as u32));
        }
        self.order.sort_unstable();
        for &(_, place) in &self.order {
            let Request { input, output, .. } = requests[place as usize];
            let taken =
                (&mut self.taken_inputs[input as usize], &mut self.taken_outputs[output as usize]);
            if !*taken.0 && !*taken.1 {
                (*taken.0, *taken.1) = (true, true);
                granted.push(place);
            }
        }
        for &place in granted.iter() {
            let Request { input, output, .. } = requests[place as usize];
            self.taken_inputs[input as usize] = false;
            self.taken_outputs[output as usize] = false;
        }
        self.moves();
    }

    /// The next diagonal is the first.
    #[inline]
    pub fn moves(&mut self) {
        self.begin = after(self.begin, self.side);
    }
}
