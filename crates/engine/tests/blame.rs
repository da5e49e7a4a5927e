//! Who made whom wait: every wait of every packet is charged to one cause, and all
//! charges together are its lifetime beyond that without contention.
//!
//! `TAILBACK_CASES=1 cargo test --test blame` tries all random cases, 10 ten times as many.

#[path = "common/arbiters.rs"]
mod arbiters;
#[path = "reference/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the reference")]
mod cases;
#[path = "blame/clocked.rs"]
mod clocked;
mod common;
#[path = "blame/hand.rs"]
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
#[path = "blame/roots.rs"]
mod roots;
#[path = "router/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the tests of clocked switches")]
mod routers;
#[path = "cycles/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the tests of flits")]
mod small;
#[path = "blame/sums.rs"]
mod sums;
#[path = "common/unit_cycles.rs"]
mod unit_cycles;
#[path = "reference/ways.rs"]
#[allow(dead_code, reason = "shared with the twins")]
mod ways;
#[path = "reference/wiring.rs"]
#[allow(dead_code, reason = "shared with the twins")]
mod wiring;

use tailback_engine::measure::blame::Charged;
use tailback_engine::spec::{Blame, Spec};
use tailback_engine::{Progress, Simulation};

/// Runs to the end with charges kept; the packets in order of message and class.
fn to_the_end(spec: &Spec) -> (Simulation, Vec<Charged>) {
    let blame = spec.blame.clone().or(Some(Blame::default()));
    let mut simulation = Simulation::new(&Spec { blame, ..spec.clone() }).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|one| (one.packet.message, one.packet.class, one.packet.queued));
    (simulation, charged)
}
