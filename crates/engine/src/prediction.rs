//! What can be said about a run without simulating it.
//!
//! The traffic of the workload is laid on the routes of the machine: how long is
//! every channel occupied for one message from every node? The most loaded one
//! bounds the rate of the whole machine, if nothing else does.

mod cells;
mod credits;
mod pairs;
mod traffic;

use crate::assembly::Assembly;
use crate::error::SpecError;
use crate::fabric::{End, Line, Running, Timing, Wiring};
use crate::ids::{ChannelId, NodeId, SwitchId};
use crate::measure::ChannelKind;
use crate::rng::{Purpose, Stream};
use crate::routing::{Header, Outputs};
use crate::spec::{Local, Machine, Spec, Workload};
use crate::time::Time;
use crate::topology::Topology;
use credits::Credits;
use pairs::{Pairs, Sample};
use traffic::{Flow, each_flow};

/// Ways of a pair of nodes that are walked at most.
const MOST_WAYS: u64 = 64;

/// Expectations under the workload's traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of switches.
    pub switches: usize,
    /// Channels between switches.
    pub internal_channels: usize,
    /// Channels, both directions, between two halves of the nodes, where there is a formula.
    pub bisection_channels: Option<u64>,
    /// Pairs of nodes whose routes were walked: each once, however many messages go between them.
    pub pairs: u64,
    /// Some of the messages between them, evenly spread over all: sources, destinations and weights.
    pub sample: Sample,
    /// Whether these were all pairs.
    pub exact: bool,
    /// Mean number of channels a packet crosses.
    pub mean_hops: f64,
    /// Mean lifetime without contention of a full data packet.
    pub zero_load_data_ps: f64,
    /// The same of an acknowledgement.
    pub zero_load_ack_ps: f64,
    /// Lifetime without contention of a full data packet to a neighbour.
    pub zero_load_neighbour_ps: f64,
    /// Per channel: time occupied (data and acknowledgements) by one message from every node.
    pub channel_load_ps: Vec<f64>,
    /// The largest of these; of channels that share a wire, together.
    pub load_max_ps: f64,
    /// Their mean over internal channels, or wires that several share.
    pub load_mean_internal_ps: f64,
    /// Messages per node and millisecond at which the most loaded channel is always busy.
    pub saturation_per_ms: Option<f64>,
    /// What routing makes of the machine.
    pub routing: Routed,
}

/// What the routing of a machine is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routed {
    /// Virtual channels of a link that each class has.
    pub classes: Vec<u16>,
    /// Whether packets may have a choice of several outputs. Loads are then those of one
    /// way of each packet, drawn at random: at every switch the outputs of the first tier
    /// are equally likely.
    pub chooses: bool,
    /// Whether it is free of deadlock by its own argument, not by a search.
    pub is_known_free: bool,
    /// Ways that were walked for each pair of nodes.
    pub ways: u64,
    /// Whether any of these were drawn among several: loads between switches are estimates then.
    pub is_drawn: bool,
}

/// Walks the routes of the workload's traffic, at most about `max_pairs` of them.
///
/// # Errors
/// A description that cannot be simulated.
pub fn predict(spec: &Spec, max_pairs: u64) -> Result<Prediction, SpecError> {
    predict_weighted(spec, max_pairs, &[])
}

/// The same of a list of messages each of which stands for so many; one where nothing is said.
///
/// # Errors
/// A description that cannot be simulated.
pub fn predict_weighted(
    spec: &Spec,
    max_pairs: u64,
    weights: &[f64],
) -> Result<Prediction, SpecError> {
    let Assembly { topology, fabric, .. } = &Assembly::new(spec)?;
    let wiring = fabric.wiring();
    let mut walk = Walk {
        wiring,
        credits: Credits::of(&spec.machine),
        packet_bytes: u64::from(spec.machine.interface.packet_bytes),
        first_bytes: spec.machine.first_packet_bytes().into(),
        acknowledges: spec.machine.interface.acknowledges,
        sends_whole_messages: spec.machine.sends_whole_messages(),
        local: spec.machine.interface.local,
        ways: ways(spec, topology, wiring, max_pairs)?,
        draws: Stream::new(0, Purpose::Way, 0),
        has_drawn: false,
        outputs: Outputs::default(),
    };
    let (load_ps, drain_ps) = (vec![0.0; wiring.layout.channels()], vec![0.0; topology.nodes]);
    let mut sums = Sums { load_ps, drain_ps, ..Sums::default() };
    let mut weights = weights.iter();
    let exact = each_flow(spec, topology, max_pairs, |flow| {
        let weight = flow.weight * weights.next().copied().unwrap_or(1.0);
        walk.add(&Flow { weight, ..flow }, &mut sums);
    })?;
    if let Some(gap) = sums.apart.and_then(|pair| wiring.routing.gap(pair, topology)) {
        return Err(gap);
    }
    Ok(summarise(spec, topology, &walk, sums, exact))
}

/// How many ways of every pair are walked: one, or where packets may go several ways as
/// many as there is time for.
fn ways(
    spec: &Spec,
    topology: &Topology,
    wiring: &Wiring,
    max_pairs: u64,
) -> Result<u64, SpecError> {
    if !wiring.routing.has_several_ways() && !wiring.routing.properties().draws {
        return Ok(1);
    }
    let mut pairs = 0;
    each_flow(spec, topology, max_pairs, |_| pairs += 1)?;
    Ok((max_pairs / pairs.max(1)).clamp(1, MOST_WAYS))
}

struct Walk<'a> {
    wiring: &'a Wiring,
    /// Of switches that run by a clock.
    credits: Option<Credits>,
    packet_bytes: u64,
    /// Data bytes of a message's first packet.
    first_bytes: u64,
    acknowledges: bool,
    /// Whether a message is one packet.
    sends_whole_messages: bool,
    /// How messages of a node to itself go.
    local: Local,
    /// Ways walked for every pair.
    ways: u64,
    /// What they are drawn from: always the same, whatever the seed of the run.
    draws: Stream,
    /// Whether there was anything to draw.
    has_drawn: bool,
    outputs: Outputs,
}

#[derive(Default)]
struct Sums {
    load_ps: Vec<f64>,
    /// By node: for how long it drains what comes.
    drain_ps: Vec<f64>,
    messages: f64,
    remote: f64,
    hops: f64,
    /// Sum of the data bytes of the packets in `data_ps`.
    bytes: f64,
    /// Sum of the lifetimes of full packets that are alone.
    data_ps: f64,
    /// The same of acknowledgements.
    ack_ps: f64,
    pairs: Pairs,
    sample: Sample,
    /// The first two nodes with a message and without a route.
    apart: Option<(NodeId, NodeId)>,
}

impl Walk<'_> {
    fn add(&mut self, flow: &Flow, sums: &mut Sums) {
        sums.messages += flow.weight;
        if flow.from == flow.to && self.local == Local::Memory {
            return;
        }
        sums.pairs.note(flow.from, flow.to);
        sums.sample.note(flow.from, flow.to, flow.weight);
        sums.remote += flow.weight;
        let packet_bytes = self.packet_bytes as u32;
        let first = flow.bytes.min(self.first_bytes);
        let full = (flow.bytes - first) / self.packet_bytes;
        let rest = ((flow.bytes - first) % self.packet_bytes) as u32;
        let partial = u64::from(rest > 0);
        let size = self.usual_bytes(flow.bytes);
        let data = |takes: &dyn Fn(u32) -> Time| {
            let packets = takes(first as u32) + full * takes(packet_bytes) + partial * takes(rest);
            flow.weight * packets as f64
        };
        sums.bytes += flow.weight * f64::from(size);
        let byte_ps = self.wiring.drain_ps(1) as f64;
        sums.drain_ps[flow.to.index()] += flow.weight * flow.bytes as f64 * byte_ps;
        let lacks_answer = self.acknowledges && self.misses(flow.to, flow.from);
        if self.misses(flow.from, flow.to) {
            sums.apart.get_or_insert((flow.from, flow.to));
        } else if lacks_answer {
            sums.apart.get_or_insert((flow.to, flow.from));
        }
        let (hops, lifetime) = self.occupy((flow.from, flow.to, flow.traffic), size, data, sums);
        sums.data_ps += flow.weight * lifetime;
        sums.hops += flow.weight * hops;
        if self.acknowledges {
            let packets = (1 + full + partial) as f64;
            let acks = |takes: &dyn Fn(u32) -> Time| flow.weight * packets * takes(0) as f64;
            let (_, lifetime) = self.occupy((flow.to, flow.from, flow.traffic), 0, acks, sums);
            sums.ack_ps += flow.weight * lifetime;
        }
    }

    /// Whether a node has no route to another.
    fn misses(&self, from: NodeId, to: NodeId) -> bool {
        self.wiring.routing.misses(self.wiring.layout.home(from), to)
    }

    /// Data bytes of the packets whose lifetimes are told: full ones, or where a message is one
    /// packet, that.
    fn usual_bytes(&self, message_bytes: u64) -> u32 {
        (if self.sends_whole_messages {
            message_bytes.min(self.packet_bytes)
        } else {
            self.packet_bytes
        }) as u32
    }

    /// Spreads a load over the ways from one node to another: all that a new packet may
    /// begin with, or so many of them, drawn. How many groups a packet crosses on average,
    /// and its lifetime.
    fn occupy(
        &mut self,
        (from, to, traffic): (NodeId, NodeId, u8),
        bytes: u32,
        load: impl Fn(&dyn Fn(u32) -> Time) -> f64,
        sums: &mut Sums,
    ) -> (f64, f64) {
        if self.misses(from, to) {
            return (0.0, 0.0);
        }
        let routes = self.wiring.routing.beginnings(from, to);
        let all = u64::from(routes.end - routes.start);
        let takes_all = all <= self.ways && !self.wiring.routing.has_several_ways();
        let count = if takes_all { all } else { self.ways };
        self.has_drawn |= !takes_all && all > 1;
        let (mut hops, mut lifetime) = (0.0, 0.0);
        for way in 0..count {
            let chosen = if takes_all { way } else { self.draws.below(all) };
            let route = routes.start + chosen as u32;
            let header = Header { source: from, destination: to, route, traffic };
            let part = |takes: &dyn Fn(u32) -> Time| load(takes) / count as f64;
            let (crossed, lasted) = self.occupy_way(header, bytes, part, sums);
            hops += f64::from(crossed);
            lifetime += lasted as f64;
        }
        (hops / count as f64, lifetime / count as f64)
    }

    /// Spreads a load over the channels of a way. `load` says for how long a channel is occupied
    /// that takes so long for a packet. How many groups it crosses, and the lifetime of a packet of
    /// `bytes` bytes that is alone there.
    fn occupy_way(
        &mut self,
        mut header: Header,
        bytes: u32,
        load: impl Fn(&dyn Fn(u32) -> Time) -> f64,
        sums: &mut Sums,
    ) -> (u16, Time) {
        if let Some(cells) = &self.wiring.cells {
            return self.occupy_cells(header, bytes, cells, load, sums);
        }
        let (mut running, mut start, mut before) = (Running::default(), 0, None);
        let (mut line, mut end, mut stop) = (Line::default(), 0, 0);
        let mut lead = self.wiring.injection_lead(header.source, header.traffic);
        let mut hops = 0;
        loop {
            let place = self.wiring.layout.group(lead);
            let timing = &self.wiring.timings[usize::from(place.rate)];
            let load = load(&|bytes| timing.occupied_ps(bytes));
            stop = stop.max(self.stop_ps(place.kind, timing, bytes));
            // Where nodes and switches are one, nothing lies between them.
            if self.wiring.integrated_timing.is_none() || place.kind == ChannelKind::Internal {
                start += before.map_or(0, |before| self.wiring.onward_ps(before, timing, bytes));
                before = Some(timing);
                end = self.wiring.undisturbed(bytes, start, timing, &mut running) + timing.wire_ps;
                self.wiring.lengthen(&mut line, lead);
                for channel in place.channels() {
                    sums.load_ps[channel.index()] += load / f64::from(place.width);
                }
                hops += 1;
            }
            match place.end {
                End::Node(_) => {
                    let lifetime = match self.wiring.integrated_timing {
                        Some(integrated_timing) if integrated_timing.is_wormhole() => {
                            integrated_timing.arbitration_ps + end
                        }
                        Some(integrated_timing) => integrated_timing.lifetime(hops, bytes),
                        None if self.wiring.makes_circuits_of_all() => {
                            start + self.wiring.completes_ps(&line, lead, bytes)
                        }
                        None => stop + end.max(start + self.wiring.drain_ps(bytes)),
                    };
                    return (hops, lifetime);
                }
                End::Switch(switch) => {
                    header.route = self.wiring.passed(place, header);
                    lead = self.next_lead(switch, header);
                }
            }
        }
    }

    /// How long a packet of `bytes` bytes that is alone waits for its own credits on a channel.
    fn stop_ps(&self, kind: ChannelKind, timing: &Timing, bytes: u32) -> Time {
        let flits = timing.packet_flits(bytes);
        self.credits.map_or(0, |credits| credits.stop_ps(kind, timing, flits))
    }

    /// The lead of the group a packet leaves a switch by: of several outputs of the first
    /// tier, one drawn.
    fn next_lead(&mut self, switch: SwitchId, header: Header) -> ChannelId {
        if !self.wiring.routing.has_several_ways() {
            return self.wiring.first_lead(switch, header);
        }
        let leads = self.wiring.leads(switch, header, &mut self.outputs);
        let mut best = leads.clone().take_while(|&(_, tier)| tier == 0);
        let choices = best.clone().count() as u64;
        self.has_drawn |= choices > 1;
        let drawn = best.nth(self.draws.below(choices) as usize);
        drawn.map_or_else(|| self.wiring.first_lead(switch, header), |(lead, _)| lead)
    }
}

fn summarise(spec: &Spec, topology: &Topology, walk: &Walk, sums: Sums, exact: bool) -> Prediction {
    let layout = &walk.wiring.layout;
    let per_node = sums.messages / topology.nodes as f64;
    let share = |load: f64| if per_node > 0.0 { load / per_node } else { 0.0 };
    let channel_load_ps: Vec<f64> = sums.load_ps.iter().map(|&load| share(load)).collect();
    // What channels share is as busy as they are together.
    let mut wire_load_ps = vec![0.0; channel_load_ps.len()];
    for (wire, load) in layout.wire_of.iter().zip(&channel_load_ps) {
        wire_load_ps[wire.index()] += load;
    }
    let load_max_ps = wire_load_ps.iter().copied().fold(0.0, f64::max);
    // A node drains what comes over all its channels.
    let busiest_ps = sums.drain_ps.iter().map(|&load| share(load)).fold(load_max_ps, f64::max);
    let kind = |channel: usize| layout.groups[layout.group_of[channel].index()].kind;
    let is_internal = |&channel: &usize| kind(channel) == ChannelKind::Internal;
    let internal_channels = (0..channel_load_ps.len()).filter(is_internal).count();
    let internal: Vec<f64> = (0..channel_load_ps.len())
        .filter(|&channel| is_internal(&channel) && layout.wire_of[channel].index() == channel)
        .map(|channel| wire_load_ps[channel])
        .collect();
    let mean = |sum: f64| if sums.remote > 0.0 { sum / sums.remote } else { 0.0 };
    // Several jobs do not send equally often.
    let is_even = !matches!(&spec.workload, Workload::Jobs(jobs) if jobs.jobs.len() > 1);
    Prediction {
        nodes: topology.nodes,
        switches: topology.switches,
        internal_channels,
        bisection_channels: bisection(&spec.machine, topology),
        pairs: sums.pairs.count(),
        sample: sums.sample,
        exact,
        mean_hops: mean(sums.hops),
        zero_load_data_ps: mean(sums.data_ps),
        zero_load_ack_ps: mean(sums.ack_ps),
        zero_load_neighbour_ps: neighbour_ps(spec, topology, walk, mean(sums.bytes)) as f64,
        load_max_ps,
        load_mean_internal_ps: internal.iter().sum::<f64>() / internal.len().max(1) as f64,
        saturation_per_ms: (busiest_ps > 0.0 && is_even).then(|| 1e9 / busiest_ps),
        channel_load_ps,
        routing: Routed {
            classes: walk.wiring.classes(),
            chooses: walk.wiring.routing.chooses(),
            is_known_free: walk.wiring.routing.properties().is_known_free,
            ways: walk.ways,
            is_drawn: walk.has_drawn,
        },
    }
}

/// The channels across the bisection, where its formula holds: all links have as many wires.
fn bisection(machine: &Machine, topology: &Topology) -> Option<u64> {
    let usual = machine.link.width;
    let mut classes = machine.link_classes.values();
    let are_alike = classes.all(|class| class.width.is_none_or(|width| width == usual));
    are_alike.then(|| topology.bisection_channels(usual)).flatten()
}

/// Lifetime of a full packet that is alone on its way to a neighbour.
fn neighbour_ps(spec: &Spec, topology: &Topology, walk: &Walk, bytes: f64) -> Time {
    if let Some(integrated_timing) = walk.wiring.integrated_timing {
        return integrated_timing.lifetime(1, bytes.round() as u32);
    }
    if let Some(cells) = &walk.wiring.cells {
        return cells::neighbour_ps(walk.wiring, cells, spec.machine.interface.packet_bytes);
    }
    let full = spec.machine.interface.packet_bytes;
    let groups = &walk.wiring.layout.groups;
    let internal = groups.iter().find(|group| group.kind == ChannelKind::Internal);
    let external = &groups[0];
    // The last has the times of the first: only where it ends is different.
    let way = match (topology.switches, internal) {
        (0, _) => vec![external],
        (_, None) => vec![external, &groups[groups.len() - 1]],
        (_, Some(group)) => vec![external, group, &groups[groups.len() - 1]],
    };
    let (mut running, mut line, mut start, mut end) = (Running::default(), Line::default(), 0, 0);
    let mut stop = 0;
    for (place, group) in way.iter().enumerate() {
        let timing = walk.wiring.timing(group.first);
        if place > 0 {
            let before = walk.wiring.timing(way[place - 1].first);
            start += walk.wiring.onward_ps(before, timing, full);
        }
        end = walk.wiring.undisturbed(full, start, timing, &mut running) + timing.wire_ps;
        stop = stop.max(walk.stop_ps(group.kind, timing, full));
        walk.wiring.lengthen(&mut line, group.first);
        if walk.wiring.makes_circuits_of_all() {
            end = start + walk.wiring.completes_ps(&line, group.first, full);
        }
    }
    // It has been drained, counted from its start on the last channel.
    stop + end.max(start + walk.wiring.drain_ps(full))
}

#[cfg(test)]
mod tests {
    // Expected values are exact.
    #![allow(clippy::float_cmp)]

    use super::*;
    use crate::spec::*;

    fn thesis(dims: Vec<u32>, radius: u32) -> Spec {
        Spec {
            machine: Machine::t9000(TopologySpec::Mesh { dims }),
            workload: Workload::Synthetic(Synthetic {
                processes_per_node: 1,
                pattern: Pattern::Uniform,
                radius,
                compute: Distribution::constant(100_000_000),
                messages: 1,
                bytes: Distribution::constant(32),
                sync: Sync::LooselySynchronous,
                throttle: Throttle::Outstanding { limit: 16 },
                start: Start::Random,
                mix: Vec::new(),
                includes_self: false,
                repeat: None,
            }),
            mode: Mode::Full,
            fidelity: Fidelity::Packet,
            seed: 1,
            sample_interval_ps: 1_000_000,
            sparse_samples: false,
            record_packets: false,
            lateness: false,
            blame: None,
            causes: None,
            faults: Vec::new(),
        }
    }

    /// The thesis prints 9.50 hops for its 16 × 16 runs and 16.6 for 32 × 32.
    #[test]
    fn mean_hops_of_the_published_set_ups() {
        let small = predict(&thesis(vec![16, 16], 8), u64::MAX).unwrap();
        assert!((small.mean_hops - 9.483).abs() < 0.001, "{}", small.mean_hops);
        assert!(small.exact);
        assert_eq!((small.nodes, small.internal_channels), (256, 960));
        let large = predict(&thesis(vec![32, 32], 16), u64::MAX).unwrap();
        assert!((large.mean_hops - 16.57).abs() < 0.01, "{}", large.mean_hops);
    }

    /// A message that stands for three is three messages.
    #[test]
    fn messages_may_stand_for_several() {
        let mut spec = thesis(vec![4, 4], 0);
        let mut listed = |destination: Vec<u32>, weights: &[f64]| {
            let count = destination.len();
            spec.workload = Workload::Messages(Messages {
                time_ps: vec![0; count],
                source: vec![0; count],
                destination,
                bytes: vec![32; count],
            });
            predict_weighted(&spec, u64::MAX, weights).unwrap()
        };
        let (three, one) = (listed(vec![5, 9, 9, 9], &[]), listed(vec![5, 9], &[1.0, 3.0]));
        assert_eq!(one.channel_load_ps, three.channel_load_ps);
        assert_eq!(one.mean_hops, three.mean_hops);
        // Messages between the same nodes are one pair.
        assert_eq!((one.pairs, three.pairs), (2, 2));
    }

    #[test]
    fn a_sample_of_pairs_comes_close() {
        let all = predict(&thesis(vec![16, 16], 8), u64::MAX).unwrap();
        let some = predict(&thesis(vec![16, 16], 8), 10_000).unwrap();
        assert!(!some.exact && some.pairs < 12_000);
        assert!((some.mean_hops / all.mean_hops - 1.0).abs() < 0.05);
    }

    /// On a ring of two every message crosses one channel each way.
    #[test]
    fn loads_of_two_switches_are_exact() {
        let two = predict(&thesis(vec![2], 1), u64::MAX).unwrap();
        // One 3340 ns data packet and one 140 ns acknowledgement per channel.
        assert_eq!(two.load_max_ps, 3_480_000.0);
        assert_eq!(two.saturation_per_ms, Some(1e9 / 3_480_000.0));
        assert_eq!(two.mean_hops, 3.0);
        assert_eq!(two.zero_load_neighbour_ps, 3_540_000.0);
    }

    fn with(dims: Vec<u32>, pattern: Pattern) -> Prediction {
        let mut spec = thesis(dims, 0);
        if let Workload::Synthetic(synthetic) = &mut spec.workload {
            synthetic.pattern = pattern;
        }
        predict(&spec, u64::MAX).unwrap()
    }

    /// Data and acknowledgement of one message.
    const MESSAGE_PS: f64 = 3_480_000.0;

    /// On a line of four, nodes 0 to 2 send one to the right and node 3 sends back to 0: every
    /// channel between switches carries one stream of data and one of acknowledgements.
    #[test]
    fn loads_are_those_of_the_pattern() {
        let line = with(vec![4], Pattern::Neighbour);
        assert_eq!((line.pairs, line.mean_hops), (4, (3.0 * 3.0 + 5.0) / 4.0));
        assert_eq!(line.load_max_ps, MESSAGE_PS);
        assert_eq!(line.load_mean_internal_ps, MESSAGE_PS);
    }

    /// Coordinates change places: |x - y| steps in both.
    #[test]
    fn who_sends_nothing_has_no_part_in_means() {
        let transposed = with(vec![4, 4], Pattern::Transpose);
        // 12 nodes send, by 2 |x - y| channels between switches and two others.
        let steps = 2.0 * (6.0 * 1.0 + 4.0 * 2.0 + 2.0 * 3.0);
        assert_eq!(transposed.pairs, 12);
        assert!((transposed.mean_hops - (2.0 + steps / 12.0)).abs() < 1e-9);
        // x first: all three of row 0 come from (1, 0) to (0, 0), and so do acknowledgements.
        let per_node = 12.0 / 16.0;
        assert!((transposed.load_max_ps * per_node / MESSAGE_PS - 3.0).abs() < 1e-9);
    }

    fn routed(topology: TopologySpec, routing: RoutingSpec, channels: u32) -> Prediction {
        let is_grid = matches!(topology, TopologySpec::Torus { .. });
        let mut spec = thesis(vec![2], if is_grid { 4 } else { 0 });
        spec.machine = Machine::t9000(topology);
        spec.machine.routing.algorithm = routing;
        spec.machine.switch.virtual_channels = channels;
        predict(&spec, u64::MAX).unwrap()
    }

    /// By way of every node: on the ring of five the mean distance of two nodes, the same
    /// ones included, is 6/5, and each phase is that long.
    #[test]
    fn loads_of_two_phases_are_averages_over_the_middle() {
        let ring = TopologySpec::Torus { dims: vec![5] };
        let found = routed(ring, RoutingSpec::Valiant { order: vec![] }, 4);
        assert!((found.mean_hops - (2.0 + 2.0 * 6.0 / 5.0)).abs() < 1e-9, "{}", found.mean_hops);
        assert_eq!((found.routing.classes.as_slice(), found.routing.ways), (&[1; 4][..], 64));
        // Ten links, whose four classes share a wire.
        let load = 2.0 * 6.0 / 5.0 * MESSAGE_PS * 5.0 / 10.0;
        assert_eq!(found.internal_channels, 40);
        assert!((found.load_mean_internal_ps / load - 1.0).abs() < 1e-9);
    }

    /// Up a fat tree any way is as good as any other, so all links up have about the same
    /// load, not those of the first ports all of it.
    #[test]
    fn loads_are_spread_over_the_ways_there_are() {
        let tree = TopologySpec::FatTree { arity: 2, levels: 3 };
        let chosen = routed(tree.clone(), RoutingSpec::NearestCommonAncestor { adaptive: true }, 1);
        assert!(chosen.routing.chooses && chosen.routing.is_known_free);
        let fixed = routed(tree, RoutingSpec::NearestCommonAncestor { adaptive: false }, 1);
        assert_eq!(chosen.mean_hops, fixed.mean_hops);
        assert!((chosen.load_max_ps / fixed.load_max_ps - 1.0).abs() < 0.1, "{chosen:?}");
    }

    /// All but the hot spot send half of their messages there.
    #[test]
    fn the_channels_of_a_hot_spot_are_loaded_most() {
        let hot = with(vec![3, 3], Pattern::HotSpot { nodes: vec![4], share: 0.5 });
        let received = 8.0 * (0.5 + 0.5 / 8.0);
        // Acknowledgements are for what it sends: one message, like everybody.
        let ejection_ps = received * 3_340_000.0 + 140_000.0;
        // Injection and ejection are four wide; 24 channels join switches.
        let found = hot.channel_load_ps[9 * 4 + 24 + 4 * 4];
        assert!((found * 4.0 / ejection_ps - 1.0).abs() < 1e-12, "{found}");
        // Six others, of rows 0 and 2, enter its row from above or below: 3 · 0.5 and more.
        assert!(hot.load_max_ps > 1.5 * 3_340_000.0 && hot.load_max_ps > found);
    }
}
