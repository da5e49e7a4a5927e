//! The allocators on dense matrices: every input, every output, every iteration is looked at.
//!
//! Written from their descriptions in `docs/model.md`; shares nothing with the engine's.

#![allow(clippy::needless_range_loop, reason = "numbers are places in several lists")]

/// By input and output: how urgent the request is, if there is one.
pub type Matrix = Vec<Vec<Option<i64>>>;

/// One that has not been asked anything yet.
pub struct Dense {
    /// Its name in experiment files.
    kind: &'static str,
    iterations: u32,
    /// Where inputs and outputs begin to look.
    input_from: Vec<usize>,
    output_from: Vec<usize>,
    /// In which order they look instead: first those that were chosen least recently.
    recent: Option<(Recent, Recent)>,
    /// The diagonal, or the input, with which the next step begins.
    begin: usize,
}

/// By chooser: all it may choose, the one chosen last at the end.
pub type Recent = Vec<Vec<usize>>;

/// Whoever was chosen goes to the end.
pub fn to_the_end(order: &mut Vec<usize>, chosen: usize) {
    order.retain(|&other| other != chosen);
    order.push(chosen);
}

/// A matrix without requests.
pub fn nothing(inputs: usize, outputs: usize) -> Matrix {
    vec![vec![None; outputs]; inputs]
}

/// The first of `count` numbers at or behind a pointer, round the circle, for which something holds.
pub fn first_from(from: usize, count: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    (0..count).map(|step| (from + step) % count).find(|&number| holds(number))
}

/// Of those that are most urgent the first from a pointer on, or in an order.
fn most_urgent(
    from: usize,
    order: Option<&Vec<usize>>,
    count: usize,
    urgency: impl Fn(usize) -> Option<i64>,
) -> Option<usize> {
    let most = (0..count).filter_map(&urgency).max()?;
    let is_best = |number: usize| urgency(number) == Some(most);
    match order {
        None => first_from(from, count, is_best),
        Some(order) => order.iter().copied().find(|&number| is_best(number)),
    }
}

impl Dense {
    pub fn new(kind: &'static str, iterations: u32, inputs: usize, outputs: usize) -> Self {
        let (input_from, output_from) = (vec![0; inputs], vec![0; outputs]);
        Self { kind, iterations, input_from, output_from, recent: None, begin: 0 }
    }

    /// The same, choosing whoever was chosen least recently.
    pub fn least_recent(self, is_so: bool) -> Self {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let orders = |choosers: usize, count: usize| vec![(0..count).collect(); choosers];
        let recent = is_so.then(|| (orders(inputs, outputs), orders(outputs, inputs)));
        Self { recent, ..self }
    }

    /// The pairs of input and output that are matched.
    pub fn allocate(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        if asks.iter().flatten().all(Option::is_none) {
            return Vec::new();
        }
        match self.kind {
            "islip" => self.islip(asks),
            "separable_input_first" => self.input_first(asks),
            "separable_output_first" => self.output_first(asks),
            "wavefront" => self.wavefront(asks),
            "maximum_size" => self.maximum(asks),
            other => panic!("no allocator {other}"),
        }
    }

    /// What is asked for by inputs, of outputs, that are not matched yet.
    fn left(asks: &Matrix, matched: &[(usize, usize)]) -> Matrix {
        let mut left = asks.clone();
        for &(input, output) in matched {
            left[input].fill(None);
            left.iter_mut().for_each(|row| row[output] = None);
        }
        left
    }

    /// Outputs grant, inputs accept.
    fn islip(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let mut matched = Vec::new();
        for iteration in 0..self.iterations {
            let left = Self::left(asks, &matched);
            let grants = |output: usize| {
                first_from(self.output_from[output], inputs, |input| left[input][output].is_some())
            };
            let granted: Vec<Option<usize>> = (0..outputs).map(grants).collect();
            for input in 0..inputs {
                let is_granted = |output: usize| granted[output] == Some(input);
                let accepted = first_from(self.input_from[input], outputs, is_granted);
                let Some(output) = accepted else { continue };
                matched.push((input, output));
                if iteration == 0 {
                    self.input_from[input] = (output + 1) % outputs;
                    self.output_from[output] = (input + 1) % inputs;
                }
            }
        }
        matched
    }

    /// Inputs choose an output, then outputs one of those that chose them.
    fn input_first(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let mut matched = Vec::new();
        for _ in 0..self.iterations {
            let left = Self::left(asks, &matched);
            let chooses = |input: usize| {
                let order = self.recent.as_ref().map(|orders| &orders.0[input]);
                most_urgent(self.input_from[input], order, outputs, |output| left[input][output])
            };
            let chosen: Vec<Option<usize>> = (0..inputs).map(chooses).collect();
            for output in 0..outputs {
                let urgency =
                    |input: usize| left[input][output].filter(|_| chosen[input] == Some(output));
                let order = self.recent.as_ref().map(|orders| &orders.1[output]);
                let winner = most_urgent(self.output_from[output], order, inputs, urgency);
                let Some(input) = winner else { continue };
                matched.push((input, output));
                self.input_from[input] = (output + 1) % outputs;
                self.output_from[output] = (input + 1) % inputs;
                if let Some((of_inputs, of_outputs)) = &mut self.recent {
                    to_the_end(&mut of_inputs[input], output);
                    to_the_end(&mut of_outputs[output], input);
                }
            }
        }
        matched
    }

    /// The same with the sides exchanged.
    fn output_first(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let of = |output: usize| asks.iter().map(|row| row[output]).collect();
        let turned: Matrix = (0..outputs).map(of).collect();
        let mut mirror = Self::new(self.kind, self.iterations, outputs, inputs);
        (mirror.input_from, mirror.output_from) =
            (self.output_from.clone(), self.input_from.clone());
        mirror.recent = self.recent.take().map(|(inputs, outputs)| (outputs, inputs));
        let pairs = mirror.input_first(&turned);
        self.recent = mirror.recent.take().map(|(outputs, inputs)| (inputs, outputs));
        (self.output_from, self.input_from) = (mirror.input_from, mirror.output_from);
        pairs.into_iter().map(|(output, input)| (input, output)).collect()
    }

    /// Diagonal by diagonal, the most urgent requests first.
    fn wavefront(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let side = inputs.max(outputs);
        let mut urgencies: Vec<i64> = asks.iter().flatten().copied().flatten().collect();
        urgencies.sort_unstable();
        urgencies.dedup();
        let mut matched: Vec<(usize, usize)> = Vec::new();
        for &urgency in urgencies.iter().rev() {
            for step in 0..side {
                let diagonal = (self.begin + step) % side;
                for input in 0..inputs {
                    let output = (diagonal + side - input % side) % side;
                    let is_free = matched.iter().all(|pair| pair.0 != input && pair.1 != output);
                    if output < outputs && is_free && asks[input][output] == Some(urgency) {
                        matched.push((input, output));
                    }
                }
            }
        }
        self.begin = (self.begin + 1) % side;
        matched
    }

    /// Input by input, from the one whose turn it is: a free output, the lowest first, or one
    /// whose input can be given another.
    fn maximum(&mut self, asks: &Matrix) -> Vec<(usize, usize)> {
        let (inputs, outputs) = (self.input_from.len(), self.output_from.len());
        let mut holder = vec![None; outputs];
        for step in 0..inputs {
            let input = (self.begin + step) % inputs;
            augment(asks, input, &mut vec![false; outputs], &mut holder);
        }
        self.begin = (self.begin + 1) % inputs;
        let pair = |(output, input): (usize, Option<usize>)| input.map(|input| (input, output));
        holder.into_iter().enumerate().filter_map(pair).collect()
    }
}

fn augment(asks: &Matrix, input: usize, tried: &mut [bool], holder: &mut [Option<usize>]) -> bool {
    for output in 0..holder.len() {
        if asks[input][output].is_none() || tried[output] {
            continue;
        }
        tried[output] = true;
        if holder[output].is_none_or(|other| augment(asks, other, tried, holder)) {
            holder[output] = Some(input);
            return true;
        }
    }
    false
}
