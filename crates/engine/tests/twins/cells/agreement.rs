//! Random cases against the twin, and what must add up in each.

use super::twin::Twin;
use super::*;
use crate::common::packet_waits;
use crate::common::random::{self, Dice};
use std::collections::{BTreeSet, HashMap};
use tailback_engine::ids::ChannelId;
use tailback_engine::measure::ChannelKind;
use tailback_engine::{PacketRow, Simulation};

/// Picoseconds of a tick.
const TICK: Time = 1_000;

impl Dice {
    /// A time of fewer ticks than that.
    fn ticks(&mut self, bound: u64) -> Time {
        self.below(bound) * TICK
    }
}

fn random_cells(dice: &mut Dice) -> Cells {
    let cell_ps = TICK + dice.ticks(5);
    Cells {
        cell_bytes: 1 + dice.below(12) as u32,
        cell_ps,
        pacing: [None, Some(1 + dice.below(6) as u32)][dice.below(2) as usize],
        card_ps: cell_ps + dice.ticks(5),
        leave_ps: dice.ticks(4),
        hop_ps: TICK + dice.ticks(6),
    }
}

fn case(number: u64) -> Spec {
    let mut dice = Dice::new(number);
    let sides = [1 + dice.below(6) as u32, 1 + dice.below(4) as u32];
    let cards = sides[0] * sides[1];
    let on_card = 1 + dice.below(3) as u32 + u32::from(cards == 1);
    let mut machine = machine(&[2, 1], 1);
    if cards == 1 {
        machine.topology = TopologySpec::Star { nodes: on_card };
        machine.switch.virtual_channels = 1;
        machine.routing = Routing::default();
    } else {
        let dims = sides.to_vec();
        machine.topology = TopologySpec::ConcentratedTorus { dims, nodes_per_switch: on_card };
    }
    machine.switch.cells = Some(random_cells(&mut dice));
    machine.link.flit_ps = TICK + dice.ticks(3);
    machine.link.framing = Framing {
        minimum_bytes: dice.below(30) as u32,
        preamble_bytes: dice.below(4) as u32,
        gap_bytes: dice.below(8) as u32,
    };
    machine.link.delay_ps = dice.ticks(4);
    let delay = dice.ticks(4);
    machine.set_node_link(|class| class.delay_ps = Some(delay));
    machine.interface.header_bytes = 1 + dice.below(4) as u32;
    machine.interface.packet_bytes = 1 + dice.below(60) as u32;
    let nodes = u64::from(cards * on_card);
    let span = 1 + dice.below(200);
    // All to few, so that they meet.
    let targets = 1 + dice.below(nodes - 1);
    let row = |_| {
        let (at, to) = (dice.ticks(span), dice.below(targets));
        let from = (to + 1 + dice.below(nodes - 1)) % nodes;
        (at, from as u32, to as u32, 1 + dice.below(150) as u32)
    };
    let mut rows: Vec<_> = (0..=number % 40).map(row).collect();
    rows.sort_by_key(|row| row.0);
    let modes = [Mode::Full, Mode::Full, Mode::Endpoints, Mode::Throttled, Mode::Free];
    let mode = modes[(number % 5) as usize];
    let blame = number.is_multiple_of(2).then(packet_waits);
    let sample_interval_ps = TICK + number % 7 * 13 * TICK;
    Spec { blame, sample_interval_ps, ..spec(machine, message_list(&rows), mode) }
}

#[test]
fn random_cases_agree_with_the_twin() {
    let mut waits = 0;
    for number in 0..random::random_cases(3_000) {
        waits += random::check(number, &case(number), |spec| {
            if !is_in_ticks(spec) {
                return 0;
            }
            let mut run = Run::with(spec);
            run.finish();
            let expected = Twin::of(spec, TICK).run();
            assert_eq!(delivered(&run.rows, expected.len()), expected);
            adds_up(&run, spec);
            u64::from(run.waits() > 0)
        });
    }
    assert!(waits > random::in_proportion(1_000), "packets wait in {waits} cases");
}

/// Whether messages are sent at whole ticks: what is made smaller of a case may not be.
fn is_in_ticks(spec: &Spec) -> bool {
    let Workload::Messages(list) = &spec.workload else { return false };
    list.time_ps.iter().all(|time| time % TICK == 0)
}

/// When every packet was delivered, in ticks, by message in order of time.
fn delivered(rows: &[PacketRow], messages: usize) -> Vec<Vec<Time>> {
    let mut delivered = vec![Vec::new(); messages];
    for packet in rows {
        assert_eq!(packet.delivered % TICK, 0);
        delivered[packet.message as usize].push(packet.delivered / TICK);
    }
    delivered.iter_mut().for_each(|times| times.sort_unstable());
    delivered
}

/// Waits are what packets lived longer than alone; with blame all of that is charged, at the
/// channels for which they waited, and none to packets themselves. Where messages have ports and links for
/// themselves only lines are told, and where they have these too none is.
fn adds_up(run: &Run, spec: &Spec) {
    let measures = run.simulation.measures();
    let alone = alone(spec, &run.rows);
    let beyond = |packet: &PacketRow| {
        let ends = (packet.source, packet.destination, packet.bytes);
        packet.delivered - packet.queued - alone[&ends]
    };
    assert_eq!(run.waits(), run.rows.iter().map(beyond).sum::<Time>());
    let Some(blame) = &measures.blame else { return };
    let is_told_of_all = matches!(spec.mode, Mode::Full | Mode::Throttled);
    let mut by_channel = vec![0; measures.channels.len()];
    for charged in blame.packets.as_ref().unwrap() {
        let sum: u64 = charged.charges.iter().map(|charge| charge.time).sum();
        if is_told_of_all {
            assert_eq!(sum, beyond(&charged.packet));
        } else {
            assert!(sum <= beyond(&charged.packet));
        }
        for charge in &charged.charges {
            // Where nobody tells, what was waited is at no channel.
            let is_told = spec.mode != Mode::Free || charge.channel.index() < by_channel.len();
            if is_told {
                by_channel[charge.channel.index()] += charge.time;
            }
        }
    }
    let layout = &run.simulation.wiring().layout;
    for (channel, (tally, charged)) in measures.channels.iter().zip(by_channel).enumerate() {
        let kind = layout.group(ChannelId::from_index(channel)).kind;
        let waited = tally.wait_throttling_ps + tally.wait_internal_ps;
        match spec.mode {
            Mode::Full | Mode::Throttled => assert_eq!(charged, waited),
            // Waits for cells of one's own message are told with those for the line behind.
            Mode::Endpoints if kind != ChannelKind::Internal => assert!(charged >= waited),
            _ => assert_eq!(charged, 0),
        }
    }
}

/// Lifetimes of packets that are alone: those of messages of a packet each, one after the other.
fn alone(spec: &Spec, rows: &[PacketRow]) -> HashMap<(u32, u32, u32), Time> {
    let ends: BTreeSet<_> = rows.iter().map(|p| (p.source, p.destination, p.bytes)).collect();
    let apart = |(at, (from, to, bytes)): (usize, (u32, u32, u32))| {
        (at as Time * 1_000_000_000, from, to, bytes)
    };
    let messages: Vec<_> = ends.into_iter().enumerate().map(apart).collect();
    let workload = message_list(&messages);
    let plain = Spec { workload, mode: Mode::Full, blame: None, ..spec.clone() };
    let seldom = Spec { sample_interval_ps: 1_000_000_000, ..plain };
    let mut simulation = Simulation::new(&seldom).unwrap();
    simulation.advance(u64::MAX, u64::MAX).unwrap();
    let lives = simulation.take_packets().into_iter();
    lives.map(|p| ((p.source, p.destination, p.bytes), p.delivered - p.queued)).collect()
}
