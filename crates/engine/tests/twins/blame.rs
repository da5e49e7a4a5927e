//! Who made whom wait: every wait of every packet is charged to one cause, and all
//! charges together are its lifetime beyond that without contention.

mod clocked;
mod hand;
mod slices;
mod sums;

use crate::common::packet_waits;
use tailback_engine::measure::blame::Charged;
use tailback_engine::spec::Spec;
use tailback_engine::{Progress, Simulation};

/// Runs to the end with charges kept; the packets in order of message and class.
fn to_the_end(spec: &Spec) -> (Simulation, Vec<Charged>) {
    let blame = spec.blame.clone().or(Some(packet_waits()));
    let mut simulation = Simulation::new(&Spec { blame, ..spec.clone() }).unwrap();
    assert_eq!(simulation.advance(u64::MAX, u64::MAX), Ok(Progress::Finished));
    let mut charged = simulation.take_charged();
    charged.sort_by_key(|one| (one.packet.message, one.packet.class, one.packet.queued));
    (simulation, charged)
}
