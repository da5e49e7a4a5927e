//! The synthetic workload: every process computes, sends, and perhaps waits.

use super::machine::Reference;
use super::patterns::destination;
use super::processes::{State, draw};
use super::wiring::Wiring;
use tailback_engine::rng::{Purpose, Stream};
use tailback_engine::spec::{self, Pattern, Spec, Sync, Throttle, TopologySpec, Workload};

/// Who sends to whom in the synthetic workload.
pub struct Synthetic {
    /// For each process those it may send to.
    candidates: Vec<Vec<usize>>,
    /// For each process how often it sends to each of them, where some get more than others.
    weights: Vec<Vec<f64>>,
    /// For each process those at hot spots, and the share of messages they get.
    hot: Vec<Vec<usize>>,
    share: f64,
    streams: Vec<Stream>,
    /// For each process and iteration the destinations of its messages.
    destinations: Vec<Vec<Vec<usize>>>,
}

impl Synthetic {
    pub fn new(spec: &Spec, wiring: &Wiring, processes: usize) -> Self {
        let mut new = Self {
            candidates: vec![],
            weights: vec![Vec::new(); processes],
            hot: vec![Vec::new(); processes],
            share: 0.0,
            streams: vec![],
            destinations: vec![Vec::new(); processes],
        };
        let Workload::Synthetic(synthetic) = &spec.workload else { return new };
        let stream = |process| Stream::new(spec.seed, Purpose::Destination, process);
        new.streams = (0..processes as u32).map(stream).collect();
        let each = synthetic.processes_per_node as usize;
        let place = |process: usize| wiring.coordinates(process / each);
        let has_grid = !matches!(spec.machine.topology, TopologySpec::Pair);
        let is_near = |a: usize, b: usize| {
            let (a, b) = (place(a), place(b));
            a.iter().zip(&b).all(|(&i, &j)| i.abs_diff(j) <= synthetic.radius as usize)
        };
        if let Pattern::Matrix { rows, .. } = &synthetic.pattern {
            for process in 0..processes {
                let row = &rows[process / each];
                let of_row = row.iter().map(|share| share.to as usize * each + process % each);
                new.candidates.push(of_row.collect());
                new.weights[process] = row.iter().map(|share| share.weight).collect();
            }
            return new;
        }
        let may_send = |from: usize, to: usize| match &synthetic.pattern {
            Pattern::Uniform => !has_grid || is_near(from, to),
            Pattern::HotSpot { .. } => true,
            laid => {
                let node = destination(laid, &spec.machine.topology, wiring, from / each);
                to == node * each + from % each
            }
        };
        let candidates =
            |from: usize| (0..processes).filter(|&to| to != from && may_send(from, to)).collect();
        new.candidates = (0..processes).map(candidates).collect();
        if let Pattern::HotSpot { nodes, share } = &synthetic.pattern {
            new.share = *share;
            for (process, hot) in new.hot.iter_mut().enumerate() {
                let others = nodes.iter().filter(|&&node| node as usize != process / each);
                *hot = others.map(|&node| node as usize * each + process % each).collect();
            }
        }
        new
    }

    /// Whether a process has nobody to send to: others do not wait for it, nor it for them.
    pub fn is_silent(&self, process: usize) -> bool {
        self.candidates[process].is_empty()
    }

    /// Where a process sends its messages in an iteration, whether or not it
    /// has got there yet; nowhere, if it has nobody to send to.
    fn destinations(&mut self, process: usize, iteration: u64, messages: u32) -> Vec<usize> {
        while self.destinations[process].len() as u64 <= iteration {
            let messages = if self.is_silent(process) { 0 } else { messages };
            let drawn = (0..messages).map(|_| self.draw(process)).collect();
            self.destinations[process].push(drawn);
        }
        self.destinations[process][iteration as usize].clone()
    }

    fn draw(&mut self, process: usize) -> usize {
        let (stream, hot) = (&mut self.streams[process], &self.hot[process]);
        let weights = &self.weights[process];
        if !weights.is_empty() {
            let drawn = stream.unit() * weights.iter().sum::<f64>();
            let mut sum = 0.0;
            let is_above = |weight: &f64| {
                sum += weight;
                sum > drawn
            };
            let place = weights.iter().position(is_above).unwrap_or(weights.len() - 1);
            return self.candidates[process][place];
        }
        let is_to_hot_spot = !hot.is_empty() && stream.unit() < self.share;
        let among = if is_to_hot_spot { hot } else { &self.candidates[process] };
        among[stream.below(among.len() as u64) as usize]
    }

    /// How many messages others address to a process in an iteration of theirs.
    fn expected(&mut self, process: usize, iteration: u64, messages: u32) -> usize {
        let others = 0..self.candidates.len();
        let all = others.flat_map(|other| self.destinations(other, iteration, messages));
        all.filter(|&to| to == process).count()
    }
}

impl Reference {
    pub fn next_of_synthetic(&mut self, process: usize, synthetic: &spec::Synthetic) {
        let state = &mut self.processes[process];
        if state.has_computed {
            state.has_computed = false;
            self.send_messages(process, synthetic);
            self.processes[process].state = State::Synchronising;
            self.goes_on_if_it_can(process);
        } else {
            state.has_computed = true;
            state.iterations += 1;
            let work = draw(&synthetic.compute, &mut state.compute_stream);
            self.compute(process, work);
            self.accept_what_it_is_ready_for(process);
        }
    }

    fn send_messages(&mut self, process: usize, synthetic: &spec::Synthetic) {
        let iteration = self.processes[process].iterations - 1;
        for to in self.synthetic.destinations(process, iteration, synthetic.messages) {
            let bytes = draw(&synthetic.bytes, &mut self.processes[process].length_stream);
            if self.is_throttled(process, synthetic) {
                self.counters.failures += 1;
            } else {
                self.send((process, to), 0, iteration, bytes as u32);
            }
        }
    }

    fn is_throttled(&self, process: usize, synthetic: &spec::Synthetic) -> bool {
        let process = &self.processes[process];
        match synthetic.throttle {
            _ if synthetic.sync != Sync::Asynchronous => false,
            Throttle::Outstanding { limit } => process.unacknowledged >= limit,
            Throttle::QueueLength { limit } => {
                self.waiting_data_packets(process.node) >= limit as usize
            }
        }
    }

    pub fn is_synchronised(&mut self, process: usize) -> bool {
        let Workload::Synthetic(synthetic) = &self.spec.workload else { unreachable!() };
        let (sync, messages) = (synthetic.sync, synthetic.messages);
        let state = &self.processes[process];
        let iteration = state.iterations - 1;
        let received = state.received.get(&iteration).copied().unwrap_or(0) as usize;
        match sync {
            Sync::Asynchronous => true,
            Sync::AsynchronousBlocking => state.unacknowledged == 0,
            Sync::LooselySynchronous => {
                let is_alone = self.synthetic.is_silent(process);
                state.unacknowledged == 0
                    && (is_alone
                        || received == self.synthetic.expected(process, iteration, messages))
            }
        }
    }
}
