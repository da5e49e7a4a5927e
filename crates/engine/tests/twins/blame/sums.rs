//! What must add up, under random machines and workloads.

use super::to_the_end;
use crate::common::packet_waits;
use crate::common::parts::{are_alike, clear_rates};
use crate::common::random::{Dice, check, random_cases};
use crate::cycles::cases as small;
use crate::reference::cases::{self, Kind};
use std::collections::BTreeMap;
use tailback_engine::Simulation;
use tailback_engine::fabric::Timing;
use tailback_engine::measure::blame::{Cause, Charged};
use tailback_engine::spec::{
    Arbiter, Blame, Fidelity, HalfDuplex, Machine, Mode, RoutingSpec, Selection, Sharing, Spec,
    Switching, TopologySpec,
};

fn mode(dice: &mut Dice) -> Mode {
    if dice.chance(30) { Mode::Throttled } else { Mode::Full }
}

/// A random small case of a fidelity with a workload that ends.
fn case(number: u64, fidelity: Fidelity) -> Spec {
    let mut dice = Dice::new(number);
    let mut spec = match fidelity {
        Fidelity::Packet | Fidelity::Token => cases::spec(&mut dice, Kind::Messages),
        _ => small::spec(&mut dice),
    };
    spec.fidelity = fidelity;
    spec.mode = mode(&mut dice);
    let machine = &mut spec.machine;
    match fidelity {
        Fidelity::Token => {
            // Room for a flow-control token beside all of a header but its last byte.
            machine.switch.input_buffer_flits = Some(dice.number(10, 90) as u32);
            machine.switch.output_buffer_flits = dice.number(1, 50) as u32;
        }
        Fidelity::Worm => machine.link.packet_gap_ps = 0,
        Fidelity::Stream => {
            clear_rates(machine);
            let timing = Timing::of(machine);
            let least = timing.header_ps.div_ceil(timing.flit_ps) as u32;
            let buffer = &mut machine.switch.input_buffer_flits;
            *buffer = least.max(buffer.unwrap()).into();
        }
        Fidelity::Packet => {
            let all = [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward];
            machine.switch.switching = dice.one_of(&all);
            if dice.chance(20) {
                machine.switch.input_buffer_flits = None;
            }
        }
        // There is no blame where messages flow.
        Fidelity::Flit | Fidelity::Fluid => {}
    }
    if dice.chance(30) {
        machine.switch.virtual_channels = dice.number(2, 4) as u32;
        let sharing = [Sharing::RoundRobin, Sharing::UntilStall, Sharing::Separate];
        let any = dice.one_of(&sharing);
        let takes_turns = matches!(fidelity, Fidelity::Flit | Fidelity::Packet);
        machine.link.sharing = if takes_turns { any } else { Sharing::Separate };
        machine.link.width = 1;
    }
    if matches!(&machine.topology, TopologySpec::Mesh { dims } if dims.len() == 2)
        && dice.chance(60)
    {
        route(&mut dice, machine, fidelity);
    }
    if dice.chance(50) {
        cases::open_windows(&mut dice, machine);
    }
    if fidelity == Fidelity::Flit && dice.chance(30) {
        machine.link.half_duplex = HalfDuplex::Flit;
    }
    let has_receivers = matches!(fidelity, Fidelity::Flit | Fidelity::Worm | Fidelity::Packet);
    if has_receivers && dice.chance(40) {
        receive(&mut dice, machine);
    }
    spec
}

/// Nodes take packets in slowly.
fn receive(dice: &mut Dice, machine: &mut Machine) {
    let (interface, flit) = (&mut machine.interface, machine.link.flit_ps);
    interface.receive_fifo = dice.one_of(&[None, Some(1), Some(2), Some(4)]);
    interface.drain_byte_ps = Some(dice.one_of(&[1, flit, flit + 1, 2 * flit, 5 * flit]));
}

/// The same where nodes and switches are one.
fn integrated(number: u64, fidelity: Fidelity) -> Spec {
    let mut dice = Dice::new(1_000_000 + number);
    let mut spec = small::integrated(&mut dice);
    spec.fidelity = fidelity;
    spec.mode = mode(&mut dice);
    if fidelity == Fidelity::Worm {
        spec.machine.link.packet_gap_ps = 0;
    }
    if dice.chance(50) {
        cases::open_windows(&mut dice, &mut spec.machine);
        spec.machine.interface.acknowledges = false;
    }
    spec
}

/// Circuits of channels that have a wire each.
fn circuits(number: u64) -> Spec {
    let mut spec = case(2_000_000 + number, Fidelity::Packet);
    let mut dice = Dice::new(number);
    let machine = &mut spec.machine;
    machine.switch.switching = Switching::Circuit;
    (machine.interface.receive_fifo, machine.interface.drain_byte_ps) = (None, None);
    machine.switch.arbiter = dice.one_of(&[Arbiter::Fifo, Arbiter::OldestFirst]);
    machine.link.sharing = Sharing::Separate;
    machine.routing.selection = Selection::First;
    if matches!(machine.routing.algorithm, RoutingSpec::Chaos | RoutingSpec::Deflection) {
        machine.routing.algorithm = RoutingSpec::OddEven;
    }
    spec
}

/// Packets have a choice of outputs, or are sent anywhere.
fn route(dice: &mut Dice, machine: &mut Machine, fidelity: Fidelity) {
    let choices = [RoutingSpec::OddEven, RoutingSpec::WestFirst, RoutingSpec::NegativeFirst];
    let chaotic = [RoutingSpec::Chaos, RoutingSpec::Deflection];
    if matches!(fidelity, Fidelity::Token | Fidelity::Stream) {
        return;
    }
    machine.routing.algorithm = choices[dice.number(0, 2) as usize].clone();
    let is_equal = are_alike(machine);
    if fidelity == Fidelity::Packet && is_equal && dice.chance(60) {
        machine.routing.algorithm = chaotic[dice.number(0, 1) as usize].clone();
        machine.switch.switching = Switching::CutThrough;
        machine.switch.virtual_channels = 1;
        let packet = Timing::of(machine).packet_flits(machine.interface.packet_bytes);
        machine.switch.input_buffer_flits = Some(packet * dice.number(2, 3) as u32);
    } else if matches!(fidelity, Fidelity::Flit | Fidelity::Packet) && dice.chance(30) {
        machine.routing.algorithm = RoutingSpec::MinimalAdaptive { order: Vec::new() };
        machine.switch.virtual_channels = machine.switch.virtual_channels.max(2);
        machine.link.width = 1;
    }
}

pub(super) fn each_case(all: u64, holds: impl Fn(u64, &Spec)) {
    let fidelities =
        [Fidelity::Packet, Fidelity::Flit, Fidelity::Worm, Fidelity::Token, Fidelity::Stream];
    for number in 0..random_cases(all) {
        for fidelity in fidelities {
            check(number, &case(number, fidelity), |spec| holds(number, spec));
        }
        for fidelity in [Fidelity::Flit, Fidelity::Worm] {
            check(number, &integrated(number, fidelity), |spec| holds(number, spec));
        }
        check(number, &circuits(number), |spec| holds(number, spec));
    }
}

fn sum(charged: &Charged) -> u64 {
    charged.charges.iter().map(|charge| charge.time).sum()
}

/// Lifetime = lifetime without contention + charges, for every packet.
#[test]
fn every_packet_is_charged_what_it_lived_longer() {
    each_case(150, |number, spec| {
        let (_, packets) = to_the_end(spec);
        let link = Timing::of(&spec.machine);
        // Links of one rate, an end token that holds back nothing, and nothing stored.
        let is_even = are_alike(&spec.machine)
            && link.last_ps <= link.flit_ps
            && (spec.machine.switch.integrated
                || !matches!(
                    spec.machine.switch.switching,
                    Switching::StoreAndForward | Switching::Circuit
                ));
        for one in packets {
            let lived = one.packet.delivered - one.packet.queued;
            assert_eq!(one.alone + sum(&one), lived, "case {number} {:?}: {one:?}", spec.fidelity);
            if is_even {
                let arbitration = spec.machine.switch.delay_ps;
                let first = if spec.machine.switch.integrated { arbitration } else { 0 };
                let (hops, bytes) = (one.packet.hops, one.packet.bytes);
                let alone = link.zero_load_lifetime(hops, bytes);
                let drain = spec.machine.interface.drain_byte_ps.unwrap_or(0) * u64::from(bytes);
                let drained = link.hop_ps * u64::from(hops - 1) + drain;
                assert_eq!(one.alone, first + alone.max(drained));
            }
            assert!(one.charges.iter().all(|charge| charge.time > 0));
        }
    });
}

/// What is charged for a channel is what packets waited for it, but for what they caught up.
#[test]
fn charges_are_the_waits_of_channels() {
    each_case(100, |number, spec| {
        let (simulation, packets) = to_the_end(spec);
        let measures = simulation.measures();
        let caught_up: u64 = measures.counters.packets.iter().map(|p| p.caught_up_ps).sum();
        let mut charged = vec![0; measures.channels.len()];
        for charge in packets.iter().flat_map(|one| &one.charges) {
            charged[charge.channel.index()] += charge.time;
        }
        let waits: Vec<u64> =
            measures.channels.iter().map(|t| t.wait_throttling_ps + t.wait_internal_ps).collect();
        assert_eq!(charged.iter().sum::<u64>() + caught_up, waits.iter().sum::<u64>());
        if caught_up == 0 {
            assert_eq!(charged, waits, "case {number} {:?}", spec.fidelity);
        }
    });
}

/// The tables are the sums of what packets are charged.
#[test]
fn tables_are_the_sums_of_charges() {
    each_case(40, |_, spec| {
        let (simulation, packets) = to_the_end(spec);
        let blame = simulation.measures().blame.as_ref().unwrap();
        let mut pairs = BTreeMap::new();
        for one in &packets {
            for charge in &one.charges {
                *pairs.entry((one.class, charge.culprit, charge.cause as u8)).or_insert(0) +=
                    charge.time;
            }
        }
        let tables = blame.tables.settled();
        let table = tables.direct.pairs.sorted();
        assert_eq!(table.len(), pairs.len());
        for (key, total) in table {
            assert_eq!(pairs[&(key.victim, key.culprit, key.cause)], total.total());
        }
        let victims = tables.victims.sorted();
        let (counted, messages) =
            victims.iter().fold((0, 0), |(n, m), (_, one)| (n + one.count, m + one.total()));
        assert_eq!(counted, packets.len() as u64);
        let delivered = simulation.counters();
        assert!(messages <= delivered.messages_delivered);
    });
}

/// Nothing that is simulated depends on whether anybody is blamed.
#[test]
fn blame_changes_nothing() {
    each_case(60, |number, spec| {
        let mut without = Simulation::new(spec).unwrap();
        without.advance(u64::MAX, u64::MAX).unwrap();
        let rows = without.take_packets();
        let (mut with, _) = to_the_end(spec);
        assert_eq!(rows, with.take_packets(), "case {number} {:?}", spec.fidelity);
        assert_eq!(without.counters(), with.counters());
    });
}

/// Causes are what the fidelity can have, and all of these occur.
#[test]
fn every_cause_occurs_where_it_can() {
    let mut seen = BTreeMap::new();
    each_case(60, |_, spec| {
        // Counted outside: the closure may not change what it borrows.
        let (_, packets) = to_the_end(spec);
        for charge in packets.iter().flat_map(|one| &one.charges) {
            let is_whole = spec.fidelity == Fidelity::Packet || spec.mode != Mode::Full;
            assert!(charge.cause != Cause::Stretched || !is_whole);
            let is_throttling = charge.cause == Cause::Throttling;
            assert!(is_throttling || spec.mode != Mode::Throttled, "{charge:?}");
        }
    });
    for number in 0..40 {
        for fidelity in [Fidelity::Packet, Fidelity::Flit, Fidelity::Token] {
            let (_, packets) = to_the_end(&case(number, fidelity));
            for charge in packets.iter().flat_map(|one| &one.charges) {
                *seen.entry((fidelity as u8, charge.cause)).or_insert(0) += charge.time;
            }
        }
    }
    for (cause, name) in Cause::ALL {
        // Only switches that forward frames one by one can be busy themselves.
        let forwards = cause == Cause::SwitchBusy;
        assert_eq!(seen.contains_key(&(Fidelity::Flit as u8, cause)), !forwards, "{name} in flit");
        let is_whole = forwards || cause == Cause::Stretched;
        assert_eq!(seen.contains_key(&(Fidelity::Packet as u8, cause)), !is_whole, "{name}");
    }
}

/// In any window, what is charged is what the counters say packets delivered in it waited.
#[test]
fn charges_of_a_window_are_its_counters() {
    each_case(30, |number, spec| {
        let mut simulation =
            Simulation::new(&Spec { blame: Some(packet_waits()), ..spec.clone() }).unwrap();
        let waited = |simulation: &Simulation| {
            let packets = simulation.counters().packets;
            packets.iter().map(|p| p.wait_throttling_ps + p.wait_internal_ps).sum::<u64>()
                - packets.iter().map(|p| p.caught_up_ps).sum::<u64>()
        };
        let packet = Timing::of(&spec.machine).packet_ps(spec.machine.interface.packet_bytes);
        simulation.advance(20 * packet, u64::MAX).unwrap();
        simulation.begin_window();
        let before = waited(&simulation);
        simulation.advance(60 * packet, u64::MAX).unwrap();
        let tables = simulation.measures().blame.as_ref().unwrap().tables.settled();
        for table in [&tables.direct.pairs, &tables.direct.channels] {
            let charged: u64 = table.sorted().iter().map(|(_, sum)| sum.total()).sum();
            assert_eq!(charged, waited(&simulation) - before, "case {number}");
        }
    });
}

/// Of a share of all packets the same is charged as if it were all of them, in every mode the same
/// packets; of the others nothing is.
#[test]
fn victims_are_charged_the_same_if_others_are_not() {
    let direct = |one: &Charged| {
        let mut pieces: Vec<(u32, u32, Cause, u64)> = Vec::new();
        for charge in &one.charges {
            let (channel, culprit, cause) = (charge.channel.0, charge.culprit, charge.cause);
            match pieces.last_mut() {
                Some(last) if (last.0, last.1, last.2) == (channel, culprit, cause) => {
                    last.3 += charge.time;
                }
                _ => pieces.push((channel, culprit, cause, charge.time)),
            }
        }
        pieces
    };
    each_case(60, |number, spec| {
        let (_, all) = to_the_end(spec);
        let blame = Some(Blame { share: Some(1 << 30), ..packet_waits() });
        let (simulation, some) = to_the_end(&Spec { blame, ..spec.clone() });
        for one in &some {
            // Packets of a message may be as like as that but for their waits.
            let mut like = all.iter().filter(|other| other.packet == one.packet).map(direct);
            let is_same = like.any(|same| same == direct(one));
            assert!(is_same, "case {number} {:?}: {one:?}", spec.fidelity);
        }
        let tables = simulation.measures().blame.as_ref().unwrap().tables.settled();
        let counted: u64 = tables.victims.sorted().iter().map(|(_, sum)| sum.count).sum();
        assert_eq!(counted, some.len() as u64);
    });
}

/// What is forgotten of who came before is what nobody asks for any more.
#[test]
fn nothing_is_forgotten_that_is_needed() {
    each_case(150, |number, spec| {
        let blame = |keep_all| Some(Blame { keep_all, ..packet_waits() });
        let [(_, forgets), (_, keeps)] =
            [false, true].map(|all| to_the_end(&Spec { blame: blame(all), ..spec.clone() }));
        for (forgets, keeps) in forgets.iter().zip(&keeps) {
            let routing = spec.machine.routing.algorithm.name();
            assert_eq!(forgets, keeps, "case {number} {:?} {routing}", spec.fidelity);
        }
    });
}
