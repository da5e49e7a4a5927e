//! Every allocator against one that looks at the whole matrix of requests.

#[path = "../../../../tests/twins/router/allocators.rs"]
mod dense;

use super::{Allocator, Head, Request};
use crate::rng::{Purpose, Stream};
use crate::spec;
use dense::{Dense, Matrix, nothing};

const KINDS: [spec::Allocator; 5] = [
    spec::Allocator::Islip,
    spec::Allocator::SeparableInputFirst,
    spec::Allocator::SeparableOutputFirst,
    spec::Allocator::Wavefront,
    spec::Allocator::MaximumSize,
];

/// Whether an allocator can have arbiters without pointers.
fn has_choice(kind: spec::Allocator) -> bool {
    matches!(kind, spec::Allocator::SeparableInputFirst | spec::Allocator::SeparableOutputFirst)
}

/// Random requests of a step, in any order.
fn requests(dice: &mut Stream, inputs: u32, outputs: u32) -> Vec<Request> {
    let (density, priorities) = (dice.below(100), 1 + dice.below(3));
    let mut requests = Vec::new();
    for input in 0..inputs {
        for output in 0..outputs {
            if dice.below(100) < density {
                let priority = dice.below(priorities) as i32 - 1;
                let place = dice.below(requests.len() as u64 + 1) as usize;
                requests.insert(place, Request { input, output, priority });
            }
        }
    }
    requests
}

fn matrix(requests: &[Request], inputs: u32, outputs: u32) -> Matrix {
    let mut matrix = nothing(inputs as usize, outputs as usize);
    for request in requests {
        matrix[request.input as usize][request.output as usize] = Some(request.priority.into());
    }
    matrix
}

/// The most pairs there can be: all ways to match inputs, one after the other.
fn most_pairs(requests: &[Request], from: u32, inputs: u32, taken: u64) -> usize {
    if from == inputs {
        return 0;
    }
    let own = requests.iter().filter(|request| request.input == from);
    let free = own.filter(|request| taken & 1 << request.output == 0);
    let with = free.map(|r| 1 + most_pairs(requests, from + 1, inputs, taken | 1 << r.output));
    with.chain([most_pairs(requests, from + 1, inputs, taken)]).max().unwrap_or(0)
}

/// Nobody is matched twice, and unless outputs and inputs have chosen past each other there is
/// no pair left over.
fn check_matching(pairs: &[(u32, u32)], requests: &[Request], is_maximal: bool) {
    let is_free = |pair: &(u32, u32)| {
        pairs.iter().filter(|other| other.0 == pair.0 || other.1 == pair.1).count() == 1
    };
    assert!(pairs.iter().all(is_free), "{pairs:?}");
    let is_left = |request: &Request| {
        pairs.iter().all(|pair| pair.0 != request.input && pair.1 != request.output)
    };
    assert!(!is_maximal || !requests.iter().any(is_left), "{pairs:?} of {requests:?}");
}

#[test]
fn allocators_agree_with_dense_ones() {
    for case in 0..1_000 {
        let dice = &mut Stream::new(case, Purpose::Start, 0);
        let kind = KINDS[dice.below(KINDS.len() as u64) as usize];
        let (inputs, outputs) = (1 + dice.below(9) as u32, 1 + dice.below(9) as u32);
        let iterations = 1 + dice.below(4) as u32;
        let is_recent = has_choice(kind) && dice.below(2) == 0;
        let (ins, outs) = (inputs as usize, outputs as usize);
        let mut engine = Allocator::new(kind, is_recent, iterations, ins, outs);
        let dense = Dense::new(kind.name(), iterations, ins, outs);
        let mut dense = dense.least_recent(is_recent);
        for step in 0..50 {
            let requests = requests(dice, inputs, outputs);
            let mut granted = Vec::new();
            engine.allocate(&requests, &mut granted);
            let pair = |&place: &u32| {
                let Request { input, output, .. } = requests[place as usize];
                (input, output)
            };
            let mut pairs: Vec<(u32, u32)> = granted.iter().map(pair).collect();
            pairs.sort_unstable();
            let expected = dense.allocate(&matrix(&requests, inputs, outputs));
            let mut expected: Vec<(u32, u32)> =
                expected.into_iter().map(|(input, output)| (input as u32, output as u32)).collect();
            expected.sort_unstable();
            assert_eq!(pairs, expected, "case {case}, step {step}: {kind:?} × {iterations}");
            use spec::Allocator::{MaximumSize, Wavefront};
            check_matching(&pairs, &requests, matches!(kind, Wavefront | MaximumSize));
            if kind == MaximumSize && requests.len() < 12 {
                assert_eq!(pairs.len(), most_pairs(&requests, 0, inputs, 0), "{requests:?}");
            }
        }
    }
}

/// Requests with numbers past 64, where there are shortcuts for fewer.
#[test]
fn large_allocators_agree_with_dense_ones() {
    let kinds = KINDS.into_iter().chain(KINDS.into_iter().filter(|&kind| has_choice(kind)));
    for (case, kind) in (0..).zip(kinds) {
        let dice = &mut Stream::new(case, Purpose::Start, 1);
        let (inputs, outputs) = (90, 75);
        let is_recent = case >= KINDS.len() as u64;
        let mut engine = Allocator::new(kind, is_recent, 2, inputs, outputs);
        let mut dense = Dense::new(kind.name(), 2, inputs, outputs).least_recent(is_recent);
        for step in 0..100 {
            let mut requests = requests(dice, inputs as u32, outputs as u32);
            requests.truncate(dice.below(40) as usize);
            let mut granted = Vec::new();
            engine.allocate(&requests, &mut granted);
            let found = granted.len();
            let expected = dense.allocate(&matrix(&requests, inputs as u32, outputs as u32));
            assert_eq!(found, expected.len(), "step {step}: {kind:?}");
            for &place in &granted {
                let Request { input, output, .. } = requests[place as usize];
                assert!(expected.contains(&(input as usize, output as usize)), "{kind:?}");
            }
        }
    }
}

/// Two iterations: what is left over after the first is matched in the second,
/// and pointers stay where the first has put them.
#[test]
fn islip_fills_up_and_keeps_its_pointers() {
    let mut one = Allocator::new(spec::Allocator::Islip, false, 2, 3, 3);
    let ask = |input, output| Request { input, output, priority: 0 };
    // Outputs 0 and 1 both grant input 0, which accepts output 0; then output 1 grants input 1.
    let requests = [ask(0, 0), ask(0, 1), ask(1, 1), ask(2, 1)];
    let mut granted = Vec::new();
    one.allocate(&requests, &mut granted);
    granted.sort_unstable();
    assert_eq!(granted, [0, 2]);
    // The pointer of output 0 is behind input 0, that of output 1 has not moved.
    granted.clear();
    one.allocate(&[ask(0, 1), ask(1, 1), ask(2, 1)], &mut granted);
    assert_eq!(granted, [0]);
    granted.clear();
    one.allocate(&[ask(0, 1), ask(1, 1), ask(2, 1)], &mut granted);
    assert_eq!(granted, [1]);
}

/// Three inputs that always want the same two outputs: round robin, nobody starves.
#[test]
fn everybody_has_a_turn() {
    let all = KINDS.into_iter().flat_map(|kind| [(kind, false), (kind, has_choice(kind))]);
    for (kind, is_recent) in all {
        let mut one = Allocator::new(kind, is_recent, 1, 3, 2);
        let mut turns = [0; 3];
        let pairs = (0..3).flat_map(|input| (0..2).map(move |output| (input, output)));
        let requests: Vec<Request> =
            pairs.map(|(input, output)| Request { input, output, priority: 0 }).collect();
        for _ in 0..60 {
            let mut granted = Vec::new();
            one.allocate(&requests, &mut granted);
            for &place in &granted {
                turns[requests[place as usize].input as usize] += 1;
            }
        }
        assert!(turns.iter().all(|&turns| turns >= 15), "{kind:?}: {turns:?}");
    }
}

/// Whoever was chosen least recently, which is not whoever comes after the one chosen last.
#[test]
fn a_matrix_arbiter_remembers_more_than_the_last() {
    let ask = |input| Request { input, output: 0, priority: 0 };
    let winners = |is_recent: bool| -> Vec<u32> {
        let kind = spec::Allocator::SeparableInputFirst;
        let mut one = Allocator::new(kind, is_recent, 1, 3, 1);
        let steps: [&[u32]; 5] = [&[2], &[0, 1, 2], &[0, 2], &[0, 1, 2], &[0, 1, 2]];
        let win = |inputs: &&[u32]| {
            let requests: Vec<Request> = inputs.iter().map(|&input| ask(input)).collect();
            let mut granted = Vec::new();
            one.allocate(&requests, &mut granted);
            requests[granted[0] as usize].input
        };
        steps.iter().map(win).collect()
    };
    assert_eq!(winners(false), [2, 0, 2, 0, 1]);
    assert_eq!(winners(true), [2, 0, 2, 1, 0]);
}

/// The same is granted, in the same order, whether heads ask for every output by itself or for all by a word.
#[test]
fn words_are_matched_as_requests_are() {
    let mut dice = Stream::new(5, Purpose::Start, 2);
    for _ in 0..300 {
        let (inputs, outputs) = (1 + dice.below(90) as u32, 1 + dice.below(128) as u32);
        let iterations = 1 + dice.below(3) as u32;
        let new = || {
            let (inputs, outputs) = (inputs as usize, outputs as usize);
            Allocator::new(spec::Allocator::Islip, false, iterations, inputs, outputs)
        };
        let (mut one, mut other) = (new(), new());
        for _ in 0..30 {
            let density = dice.below(100);
            let width = 1 + dice.below(u64::from(outputs.min(9))) as u32;
            let mut heads = Vec::new();
            for input in 0..inputs {
                if dice.below(100) < density {
                    let first = dice.below(u64::from(outputs - width + 1)) as u32;
                    let word = 1 + u128::from(dice.below((1 << width) - 1));
                    heads.push(Head { input, outputs: word << first });
                }
            }
            let of_head = |head: &Head| {
                let Head { input, outputs: word } = *head;
                let asked = (0..outputs).filter(move |output| word >> output & 1 != 0);
                asked.map(move |output| Request { input, output, priority: 0 })
            };
            let requests: Vec<Request> = heads.iter().flat_map(of_head).collect();
            let (mut granted, mut matched) = (Vec::new(), Vec::new());
            one.allocate(&requests, &mut granted);
            other.allocate_words(&heads, &mut matched);
            let pair = |&place: &u32| {
                let Request { input, output, .. } = requests[place as usize];
                (input, output)
            };
            assert_eq!(granted.iter().map(pair).collect::<Vec<_>>(), matched);
        }
    }
}
