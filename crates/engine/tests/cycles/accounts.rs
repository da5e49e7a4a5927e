//! Where virtual channels share wires, flits are worked out in another way when an account is
//! kept of waits: one by one, at the instant at which they start. All that is measured is the same.

use crate::agreement::{with_channels, with_choices};
use crate::random::{Dice, check, random_cases, same_packets};
use crate::small;
use tailback_engine::measure::{ChannelTally, Counters, NodeTally, Use};
use tailback_engine::spec::{Blame, Fidelity, Spec, Workload};
use tailback_engine::time::Time;
use tailback_engine::{PacketRow, Progress, Simulation};

/// What is measured of a run that is cut into pieces, apart from its packets.
#[derive(Debug, PartialEq)]
struct Measured {
    used: Vec<Vec<Use>>,
    waits: Vec<ChannelTally>,
    nodes: Vec<NodeTally>,
    counters: Vec<Counters>,
    samples: Vec<(Time, Counters)>,
}

fn measure(spec: &Spec, blame: Option<Blame>, pieces: &[Time]) -> (Vec<PacketRow>, Measured) {
    let mut simulation = Simulation::new(&Spec { blame, ..spec.clone() }).unwrap();
    let (mut used, mut counters, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    for &until in pieces {
        simulation.advance(until, u64::MAX).unwrap();
        used.push(simulation.channels_used());
        counters.push(simulation.counters());
        samples
            .extend(simulation.take_samples().iter().map(|sample| (sample.time, sample.counters)));
        if until % 2 == 0 {
            simulation.begin_window();
        }
    }
    assert_eq!(simulation.advance(Time::MAX, u64::MAX), Ok(Progress::Finished));
    used.push(simulation.channels_used());
    counters.push(simulation.counters());
    samples.extend(simulation.take_samples().iter().map(|sample| (sample.time, sample.counters)));
    let (waits, nodes) = (simulation.measures().channels.clone(), simulation.node_tallies());
    (simulation.take_packets(), Measured { used, waits, nodes, counters, samples })
}

/// Virtual channels, mostly with credits that take time.
fn case(dice: &mut Dice) -> Spec {
    let mut spec = if dice.chance(30) { with_choices(dice, true) } else { with_channels(dice) };
    spec.machine.switch.virtual_channels = spec.machine.switch.virtual_channels.max(2);
    if dice.chance(60) {
        spec.machine.link.credit_delay_ps = dice.number(1, 4 * spec.machine.link.flit_ps);
    }
    spec.workload = Workload::Messages(small::messages(dice, &spec.machine));
    spec
}

#[test]
fn an_account_of_waits_changes_nothing_where_channels_share_wires() {
    for number in 0..random_cases(600) {
        let mut dice = Dice::new(120_000_000 + number);
        let spec = case(&mut dice);
        assert_eq!(spec.fidelity, Fidelity::Flit);
        let mut pieces: Vec<Time> = (0..4).map(|_| dice.number(1, 2_000)).collect();
        pieces.sort_unstable();
        check(number, &spec, |spec| {
            let (expected, known) = measure(spec, Some(Blame::default()), &pieces);
            let (rows, got) = measure(spec, None, &pieces);
            same_packets(&expected, &rows);
            assert_eq!(got, known);
            0
        });
    }
}
