//! Switches that run by a clock, against a twin that goes cycle by cycle and against what can be
//! worked out on paper.
//!
//! `TAILBACK_CASES=1 cargo test --test router` tries all random cases, 10 ten times as many.

#[path = "router/agreement.rs"]
mod agreement;
#[path = "router/allocators.rs"]
mod allocators;
#[path = "common/arbiters.rs"]
mod arbiters;
#[path = "reference/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the reference")]
mod cases;
#[path = "router/classes.rs"]
mod classes;
#[path = "router/cases.rs"]
mod clocked;
#[path = "router/escapes.rs"]
mod escapes;
#[path = "router/hand.rs"]
mod hand;
#[path = "reference/networks.rs"]
#[allow(dead_code, reason = "shared with the reference, which needs more of it")]
mod networks;
#[path = "common/parts.rs"]
mod parts;
#[path = "reference/programs.rs"]
#[allow(dead_code, reason = "shared with the reference")]
mod programs;
#[path = "common/random.rs"]
mod random;
#[path = "router/refusals.rs"]
mod refusals;
#[path = "router/replies.rs"]
mod replies;
#[path = "common/requests.rs"]
mod requests;
#[path = "router/settings.rs"]
mod settings;
#[path = "cycles/cases.rs"]
#[allow(dead_code, reason = "a generator shared with the cycles")]
mod small;
#[path = "router/sums.rs"]
mod sums;
#[path = "router/switches.rs"]
mod switches;
#[path = "router/twin.rs"]
mod twin;
#[path = "common/unit_cycles.rs"]
mod unit_cycles;
#[path = "reference/ways.rs"]
#[allow(dead_code, reason = "each twin needs a part")]
mod ways;
#[path = "common/windows.rs"]
mod windows;
#[path = "reference/wiring.rs"]
#[allow(dead_code, reason = "shared with the reference")]
mod wiring;
