//! What is kept by slices of time adds up to what is kept of the whole run.

use super::sums::each_case;
use super::to_the_end;
use crate::common::packet_waits;
use std::collections::BTreeMap;
use tailback_engine::measure::Slices;
use tailback_engine::measure::blame::Charged;
use tailback_engine::measure::slices::{NONE, Wait};
use tailback_engine::spec::{self, Blame, Fidelity, Mode, Spec, Workload};

fn sliced(spec: &Spec, by_class: bool) -> Spec {
    let slices = Some(spec::Slices { most: 20, by_class });
    Spec { blame: Some(Blame { slices, ..packet_waits() }), ..spec.clone() }
}

/// By slice and channel: how long the packets waited for it there, by what each was charged and when.
fn waited(packets: &[Charged], slices: &Slices) -> BTreeMap<(u32, u32), u64> {
    let mut sums = BTreeMap::new();
    for one in packets {
        for (charge, &begin) in one.charges.iter().zip(&one.begins) {
            for (slice, time) in slices.clock().cut((begin, begin + charge.time)) {
                *sums.entry((slice, charge.channel.0)).or_insert(0) += time;
            }
        }
    }
    sums
}

/// Waits of all slices by something.
fn sums(slices: &Slices, by: impl Fn(Wait) -> u32) -> BTreeMap<u32, u64> {
    let mut sums = BTreeMap::new();
    for row in slices.waited() {
        *sums.entry(by(row.wait)).or_insert(0) += row.time;
    }
    sums
}

/// Whether packets are sent as a whole, and nothing of them is late after their last start.
fn is_whole(spec: &Spec) -> bool {
    spec.fidelity == Fidelity::Packet && spec.machine.interface.drain_byte_ps.is_none()
}

/// In every kernel the sums over slices are what packets are charged, to the picosecond; where packets are sent
/// as a whole, so is what is in every slice.
#[test]
fn waits_by_slice_are_those_of_packets() {
    each_case(60, |number, spec| {
        for by_class in [false, true] {
            let (mut simulation, packets) = to_the_end(&sliced(spec, by_class));
            let case = format!("case {number} {:?} {}", spec.fidelity, simulation.kernel());
            let Some(slices) = simulation.slices() else {
                assert_ne!(spec.mode, Mode::Full, "{case}");
                continue;
            };
            let mut charged = BTreeMap::new();
            for charge in packets.iter().flat_map(|one| &one.charges) {
                *charged.entry(charge.channel.0).or_insert(0) += charge.time;
            }
            let found = sums(&slices, |wait| wait.channel);
            assert_eq!(found, charged, "{case}");
            if is_whole(spec) {
                let mut found = BTreeMap::new();
                for row in slices.waited() {
                    *found.entry((row.slice, row.wait.channel)).or_insert(0) += row.time;
                }
                assert_eq!(found, waited(&packets, &slices), "{case}");
            }
        }
    });
}

/// Where messages are of one packet the sums by root are what their chains of waits say.
#[test]
fn waits_by_root_are_those_of_chains() {
    each_case(60, |number, spec| {
        let mut spec = Spec { lateness: true, ..sliced(spec, false) };
        let most = spec.machine.interface.packet_bytes;
        let Workload::Messages(messages) = &mut spec.workload else { return };
        messages.bytes.iter_mut().for_each(|bytes| *bytes = (*bytes).min(most.into()));
        spec.machine.interface.acknowledges = false;
        if !is_whole(&spec) || spec.mode != Mode::Full {
            return;
        }
        let (mut simulation, _) = to_the_end(&spec);
        // There chains charge what shared wires cost packets that move, too.
        if simulation.measures().late.as_ref().is_some_and(|late| late.shares_wires()) {
            return;
        }
        let slices = simulation.slices().expect("they are kept in mode full");
        let mut roots = BTreeMap::new();
        for charge in simulation.take_late().iter().flat_map(|why| &why.charges) {
            if charge.waited > 0 {
                *roots.entry(charge.channel.0).or_insert(0) += charge.waited;
            }
        }
        let mut found = sums(&slices, |wait| wait.root);
        found.remove(&NONE);
        assert_eq!(found, roots, "case {number} {}", simulation.kernel());
    });
}

/// Where packets are sent as a whole, channels were busy in all slices as long as in all.
#[test]
fn busy_times_by_slice_are_those_of_channels() {
    each_case(60, |number, spec| {
        let (mut simulation, _) = to_the_end(&sliced(spec, false));
        let Some(slices) = simulation.slices().filter(|_| is_whole(spec)) else { return };
        let used = simulation.channels_used();
        let mut busy = vec![0; used.len()];
        for row in slices.by_channel() {
            busy[row.channel.index()] += row.busy;
        }
        let used: Vec<u64> = used.iter().map(|used| used.busy_ps).collect();
        assert_eq!(busy, used, "case {number} {}", simulation.kernel());
    });
}
