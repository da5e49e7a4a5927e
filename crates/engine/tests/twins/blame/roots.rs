//! Root culprits once more, as they are defined: at every instant of a wait, who was in the way is
//! followed to the one he waited for himself at that instant, at the same place, and so on.
//!
//! Buffers have room for all there is, so that nobody is stopped on his way: then a packet keeps
//! others waiting at a place only until it leaves that, and what it waits for elsewhere is not theirs.

use super::to_the_end;
use crate::common::random::{Dice, check, random_cases};
use crate::common::{message_list, packet_waits, spec};
use tailback_engine::Simulation;
use tailback_engine::measure::ChannelKind;
use tailback_engine::measure::blame::{Cause, Charge, Charged};
use tailback_engine::spec::{
    Arbiter, Blame, Fidelity, FlowControl, Machine, Mode, Spec, TopologySpec,
};

/// Messages of one packet each, of classes of their own, on a small grid.
fn case(number: u64, fidelity: Fidelity) -> Spec {
    let mut dice = Dice::new(number);
    let sides: [&[u32]; 3] = [&[5], &[3, 3], &[4, 2]];
    let dims = dice.one_of(&sides).to_vec();
    let nodes: u32 = dims.iter().product();
    let mut machine = Machine::t9000(TopologySpec::Mesh { dims });
    machine.set_node_link(|class| class.width = Some(1));
    machine.interface.acknowledges = false;
    machine.interface.window = None;
    machine.switch.input_buffer_flits = Some(100_000);
    machine.switch.arbiter = dice.one_of(&[Arbiter::Fifo, Arbiter::OldestFirst]);
    machine.link.flow_control = FlowControl::OutOfBand;
    if fidelity == Fidelity::Worm {
        machine.link.packet_gap_ps = 0;
    }
    let count = dice.number(2, 30);
    let mut rows: Vec<_> = (0..count)
        .map(|_| {
            let time = dice.number(0, 8_000) * 1_000;
            let source = dice.number(0, u64::from(nodes) - 1) as u32;
            let away = dice.number(1, u64::from(nodes) - 1) as u32;
            (time, source, (source + away) % nodes, dice.number(1, 32) as u32)
        })
        .collect();
    rows.sort_by_key(|row| row.0);
    let message_classes = (0..count as u32).collect();
    let blame = Some(Blame { message_classes, ..packet_waits() });
    Spec { fidelity, blame, ..spec(machine, message_list(&rows), Mode::Full) }
}

/// Where a packet stands that waits for a channel: what that comes from, and whether that is a node.
fn stands_at(simulation: &Simulation, charge: &Charge) -> (u32, bool) {
    let group = simulation.layout().group(charge.channel);
    (group.from, group.kind == ChannelKind::Injection)
}

/// The piece of a packet's wait that an instant lies in.
fn piece_at(packet: &Charged, now: u64) -> Option<&Charge> {
    let mut pieces = packet.begins.iter().zip(&packet.charges);
    pieces.find(|&(&begin, charge)| begin <= now && now < begin + charge.time).map(|piece| piece.1)
}

/// Who is at the root of a piece of a wait at an instant of it.
fn root(simulation: &Simulation, packets: &[Charged], piece: &Charge, now: u64) -> u32 {
    let mut piece = piece;
    for _ in 0..packets.len() {
        let culprit = packets.iter().find(|one| one.class == piece.culprit).unwrap();
        match piece_at(culprit, now) {
            Some(next) if stands_at(simulation, next) == stands_at(simulation, piece) => {
                piece = next;
            }
            _ => break,
        }
    }
    piece.culprit
}

/// What a packet's wait is charged to root culprits, piece by piece: all instants at which anybody
/// begins or ends to wait cut it.
fn slowly(
    simulation: &Simulation,
    packets: &[Charged],
    victim: &Charged,
) -> Vec<(Cause, u32, u64)> {
    let cuts = crate::common::cuts(packets);
    let mut found: Vec<(Cause, u32, u64)> = Vec::new();
    for (&begin, charge) in victim.begins.iter().zip(&victim.charges) {
        let end = begin + charge.time;
        let within = cuts.iter().filter(|&&cut| begin <= cut && cut <= end);
        let within: Vec<u64> = within.copied().collect();
        for span in within.windows(2) {
            let at_root = root(simulation, packets, charge, span[0]);
            found.push((charge.cause, at_root, span[1] - span[0]));
        }
    }
    joined(found)
}

/// Pieces of one cause and culprit that follow each other are one.
fn joined(pieces: impl IntoIterator<Item = (Cause, u32, u64)>) -> Vec<(Cause, u32, u64)> {
    let mut found: Vec<(Cause, u32, u64)> = Vec::new();
    for (cause, culprit, time) in pieces {
        match found.last_mut() {
            Some(last) if (last.0, last.1) == (cause, culprit) => last.2 += time,
            _ => found.push((cause, culprit, time)),
        }
    }
    found
}

/// Root culprits of every packet, piece by piece, in fidelities packet, worm and flit.
#[test]
fn root_culprits_are_those_found_slowly() {
    for number in 0..random_cases(300) {
        for fidelity in [Fidelity::Packet, Fidelity::Worm, Fidelity::Flit] {
            check(number, &case(number, fidelity), |spec| {
                let (simulation, packets) = to_the_end(spec);
                for one in &packets {
                    let told = one.passed.iter().map(|c| (c.cause, c.culprit, c.time));
                    assert_eq!(
                        joined(told),
                        slowly(&simulation, &packets, one),
                        "case {number} {fidelity:?}: message {}",
                        one.class
                    );
                }
            });
        }
    }
}

/// What the test above is about happens in it: waits that are passed on.
#[test]
fn waits_are_passed_on_in_these_cases() {
    let passed_on = |number| {
        let (_, packets) = to_the_end(&case(number, Fidelity::Packet));
        let direct =
            |one: &Charged| joined(one.charges.iter().map(|c| (c.cause, c.culprit, c.time)));
        let told = |one: &Charged| joined(one.passed.iter().map(|c| (c.cause, c.culprit, c.time)));
        packets.iter().filter(|one| direct(one) != told(one)).count()
    };
    assert!((0..60).map(passed_on).sum::<usize>() > 60);
}
