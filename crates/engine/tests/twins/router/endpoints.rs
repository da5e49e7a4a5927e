//! Mode `endpoints`: links of nodes carry no more than they can, whoever uses them.

use super::cases;
use crate::common::random::{Dice, check, finished, in_proportion, random_cases};
use std::collections::BTreeMap;
use tailback_engine::PacketRow;
use tailback_engine::spec::{Mode, Spec};
use tailback_engine::time::Time;

/// What of a link is looked at: its wires and virtual channels, and how long a cycle takes.
struct NodeLink {
    wires: u64,
    channels: u64,
    cycle: Time,
}

impl NodeLink {
    fn of(spec: &Spec) -> Self {
        let machine = &spec.machine;
        let width = machine.node_link.and_then(|link| link.width).unwrap_or(machine.link.width);
        let channels = machine.switch.node_virtual_channels;
        let wires = u64::from(width);
        Self { wires, channels: wires * u64::from(channels), cycle: machine.link.flit_ps }
    }

    /// Packets that start at these times, with so many flits: as long as each of them is sent it has a
    /// wire.
    fn starts(&self, packets: &mut [(Time, u64)]) {
        packets.sort_unstable();
        for (place, &(start, _)) in packets.iter().enumerate() {
            let is_sent = |&&(other, flits): &&(Time, u64)| other + flits * self.cycle > start;
            let others = packets[..place].iter().filter(is_sent).count() as u64;
            assert!(others < self.wires, "{others} others are being sent at {start}");
        }
    }

    /// Packets that end at these times: between two of these no more flits come than wires can bring,
    /// but for those of packets that had channels before.
    fn ends(&self, packets: &mut [(Time, u64)]) {
        packets.sort_unstable();
        let longest = packets.iter().map(|packet| packet.1).max().unwrap_or(0);
        for (first, &(begin, _)) in packets.iter().enumerate() {
            let mut flits = 0;
            for &(end, more) in &packets[first..] {
                flits += more;
                let cycles = (end - begin) / self.cycle + 1;
                let before = self.channels * (longest - 1) + longest - 1;
                assert!(flits <= self.wires * cycles + before, "{flits} flits until {end}");
            }
        }
    }
}

/// Looks at all links of nodes of a case; how many packets there were.
fn look(spec: &Spec) -> usize {
    let rows: Vec<PacketRow> = finished(spec, u64::MAX).take_packets();
    let link = NodeLink::of(spec);
    let (mut out, mut home) = (BTreeMap::<u32, Vec<_>>::new(), BTreeMap::<u32, Vec<_>>::new());
    let crosses = |row: &&PacketRow| row.source != row.destination;
    for row in rows.iter().filter(crosses) {
        let flits = u64::from(row.bytes + spec.machine.interface.header_bytes);
        out.entry(row.source).or_default().push((row.first_sent, flits));
        home.entry(row.destination).or_default().push((row.delivered, flits));
    }
    out.values_mut().for_each(|packets| link.starts(packets));
    home.values_mut().for_each(|packets| link.ends(packets));
    rows.len()
}

#[test]
fn links_of_nodes_carry_no_more_than_they_can() {
    let mut count = 0;
    for case in 0..random_cases(2_000) {
        let mut dice = Dice::new(930_000 + case);
        let mut spec = cases::spec(&mut dice);
        cases::keep_channels(&mut dice, &mut spec.machine);
        spec.mode = Mode::Endpoints;
        count += check(case, &spec, look);
    }
    assert!(count as u64 > in_proportion(20_000), "hardly any packets: {count}");
}
