//! Why everybody could go on: the critical path is as long as the run, and where the time of
//! processes went is all of their time.

mod hand;
mod sums;

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
