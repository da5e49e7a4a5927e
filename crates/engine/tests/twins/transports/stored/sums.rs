//! What must add up.

use super::cases;
use crate::common::Run;
use crate::common::packet_waits;
use crate::common::parts::Scheme;
use crate::common::random::{Dice, random_cases};
use std::collections::BTreeMap;
use tailback_engine::fabric::Timing;
use tailback_engine::measure::blame::Cause;
use tailback_engine::spec::{Spec, Workload};
use tailback_engine::{PacketRow, Simulation};

/// A random case that comes to its end.
fn finished(spec: &Spec) -> Option<Run> {
    let mut run = Run::with(spec);
    run.simulation.advance(u64::MAX, u64::MAX).ok()?;
    run.rows = run.simulation.take_packets();
    Some(run)
}

/// What a packet takes that never waits.
fn alone(spec: &Spec, row: &PacketRow) -> u64 {
    let (link, hops) = (Timing::of(&spec.machine), u64::from(row.hops));
    let whole = link.packet_ps(row.bytes) + link.wire_ps;
    let arbitration = spec.machine.switch.delay_ps;
    let cuts_through = Scheme::of(&spec.machine) == Scheme::CutThrough;
    let before = if cuts_through { link.header_ps + link.wire_ps } else { whole };
    hops * arbitration + (hops - 1) * before + whole
}

#[test]
fn waits_of_channels_are_those_of_packets() {
    for case in 0..random_cases(300) {
        let spec = cases::spec(&mut Dice::new(1_000_000 + case));
        let Some(run) = finished(&spec) else { continue };
        let counters = run.simulation.counters();
        let data = &counters.packets[0];
        assert_eq!((data.queued, data.sent), (data.delivered, data.delivered));
        assert_eq!(counters.messages_delivered, counters.messages_sent);
        let tallies = &run.simulation.measures().channels;
        let throttling: u64 = tallies.iter().map(|tally| tally.wait_throttling_ps).sum();
        let internal: u64 = tallies.iter().map(|tally| tally.wait_internal_ps).sum();
        let waits = (data.wait_throttling_ps, data.wait_internal_ps);
        assert_eq!(waits, (throttling, internal), "case {case}");
        let beyond = |row: &PacketRow| row.delivered - row.queued - alone(&spec, row);
        assert_eq!(run.rows.iter().map(beyond).sum::<u64>(), throttling + internal, "case {case}");
        let used = run.simulation.channels_used();
        assert_eq!(used.iter().map(|used| used.busy_ps).sum::<u64>(), counters.busy_internal_ps);
        let hops: u64 = used.iter().map(|used| u64::from(used.packets)).sum();
        assert_eq!((hops, counters.packet_hops), (data.hops, data.hops));
        for node in run.simulation.node_tallies() {
            assert_eq!(node.queues.map(|queue| queue.length), [0, 0]);
        }
        let stored = run.simulation.measures().stored.as_ref().unwrap();
        assert!(stored.nodes.iter().flatten().all(|level| level.bytes == 0));
    }
}

/// One message at a time, of packets of one length, and places for all of them: none waits,
/// however they cross.
#[test]
fn without_others_nothing_waits() {
    for case in 0..random_cases(200) {
        let mut spec = cases::spec(&mut Dice::new(2_000_000 + case));
        let Workload::Messages(list) = &mut spec.workload else { unreachable!() };
        for (place, time) in list.time_ps.iter_mut().enumerate() {
            *time = place as u64 * 1_000_000;
        }
        if let Some(places) = &mut spec.machine.switch.output_queue_packets {
            *places = 100;
            spec.machine.interface.first_packet_bytes = None;
            let packet = spec.machine.interface.packet_bytes;
            list.bytes.iter_mut().for_each(|bytes| *bytes = bytes.next_multiple_of(packet.into()));
        }
        let run = finished(&spec).expect("a packet that is alone arrives");
        for row in &run.rows {
            assert_eq!(row.delivered - row.queued, alone(&spec, row), "case {case}: {row:?}");
        }
        assert_eq!(run.waits(), 0, "case {case}");
    }
}

/// What channels did before a window begins and in it is what they did in all.
#[test]
fn windows_begin_anywhere() {
    for case in 0..random_cases(100) {
        let mut dice = Dice::new(3_000_000 + case);
        let spec = cases::spec(&mut dice);
        let Some(whole) = finished(&spec) else { continue };
        let mut simulation = Simulation::new(&spec).unwrap();
        simulation.advance(dice.number(0, 2_000), u64::MAX).unwrap();
        let before = simulation.channels_used();
        simulation.begin_window();
        simulation.advance(u64::MAX, u64::MAX).unwrap();
        let after = simulation.channels_used();
        let busy = before.iter().zip(&after).map(|(before, after)| before.busy_ps + after.busy_ps);
        let used = whole.simulation.channels_used();
        assert!(busy.eq(used.iter().map(|used| used.busy_ps)), "case {case}");
    }
}

/// Every wait of every packet is charged, and nothing else is; blame changes nothing.
#[test]
fn charges_are_waits() {
    let mut causes = BTreeMap::new();
    for case in 0..random_cases(300) {
        let mut spec = cases::spec(&mut Dice::new(4_000_000 + case));
        let Some(without) = finished(&spec) else { continue };
        spec.blame = Some(packet_waits());
        let mut run = finished(&spec).expect("it came to its end without");
        assert_eq!(run.rows, without.rows, "case {case}");
        let mut by_channel = vec![0; run.simulation.layout().channels()];
        for charged in run.simulation.take_charged() {
            let row = &charged.packet;
            assert_eq!(charged.alone, alone(&spec, row));
            let sum: u64 = charged.charges.iter().map(|charge| charge.time).sum();
            let context = || format!("case {case}: {charged:?}");
            assert_eq!(sum, row.delivered - row.queued - charged.alone, "{}", context());
            for charge in &charged.charges {
                by_channel[charge.channel.index()] += charge.time;
                *causes.entry(charge.cause).or_insert(0) += charge.time;
            }
        }
        let tallies = &run.simulation.measures().channels;
        let waits = tallies.iter().map(|tally| tally.wait_throttling_ps + tally.wait_internal_ps);
        assert!(waits.eq(by_channel), "case {case}");
    }
    let most = [
        Cause::Throttling,
        Cause::OutputBusy,
        Cause::Arbitration,
        Cause::BufferFull,
        Cause::HeadOfLine,
        Cause::SharedWire,
    ];
    assert!(most.iter().all(|cause| causes.contains_key(cause)), "{causes:?}");
    assert!(!causes.contains_key(&Cause::Stretched), "{causes:?}");
}
