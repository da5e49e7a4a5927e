//! Line cards in front of a fabric of cells: by hand, against a twin that does everything tick by
//! tick, and what must add up.

mod agreement;
mod hand;
mod refusals;
mod twin;

use crate::common::{Run, line_cards as machine, message_list, spec};
use tailback_engine::spec::*;
use tailback_engine::time::Time;

/// A finite run of a list of messages, with all its packets.
fn run(machine: Machine, rows: &[(Time, u32, u32, u32)], mode: Mode) -> Run {
    let mut run = Run::with(&spec(machine, message_list(rows), mode));
    run.finish();
    run
}

/// When the messages of a run had arrived, in their order, in cell times of 30 ns.
fn arrivals(run: &Run) -> Vec<Time> {
    let mut arrivals = Vec::new();
    for packet in &run.rows {
        let place = packet.message as usize;
        arrivals.resize(arrivals.len().max(place + 1), 0);
        arrivals[place] = arrivals[place].max(packet.delivered);
    }
    arrivals.iter().map(|at| at / 30_000).collect()
}
