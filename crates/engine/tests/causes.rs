//! Why everybody could go on: the critical path is as long as the run, and where the time of
//! processes went is all of their time.
//!
//! `TAILBACK_CASES=1 cargo test --test causes` tries all random cases, 10 ten times as many.

#[path = "common/arbiters.rs"]
mod arbiters;
#[path = "reference/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the reference")]
mod cases;
mod common;
#[path = "causes/hand.rs"]
mod hand;
#[path = "reference/networks.rs"]
#[allow(dead_code, reason = "shared with the reference, which needs more of it")]
mod networks;
#[path = "common/parts.rs"]
mod parts;
#[path = "reference/programs.rs"]
mod programs;
#[path = "common/random.rs"]
mod random;
#[path = "cycles/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the tests of flits")]
mod small;
#[path = "causes/sums.rs"]
mod sums;
#[path = "reference/ways.rs"]
#[allow(dead_code, reason = "shared with the twins")]
mod ways;
#[path = "reference/wiring.rs"]
#[allow(dead_code, reason = "shared with the twins")]
mod wiring;

use tailback_engine::Simulation;
use tailback_engine::measure::Causes;
use tailback_engine::measure::causes::{Part, Step};
use tailback_engine::spec;

/// The same run with all kept that can be.
fn with_causes(spec: &spec::Spec) -> Simulation {
    let timeline = Some(spec::Timeline { window_ps: None, processes: None, turns: Some(u32::MAX) });
    let causes = Some(spec::Causes { slack: true, timeline });
    Simulation::new(&spec::Spec { causes, ..spec.clone() }).unwrap()
}

fn causes(simulation: &Simulation) -> &Causes {
    simulation.measures().causes.as_ref().unwrap()
}

/// How much of some time is put down to something.
fn part(steps: &[Step], part: Part) -> u64 {
    steps.iter().filter(|step| step.part == part).map(|step| step.time).sum()
}
