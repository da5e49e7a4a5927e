//! What can be said about a run without simulating it.
//!
//! The traffic of the workload is laid on the routes of the machine: how long is
//! every channel occupied for one message from every node? The most loaded one
//! bounds the rate of the whole machine, if nothing else does.

use crate::error::SpecError;
use crate::fabric::{End, Layout, Timing};
use crate::ids::NodeId;
use crate::measure::ChannelKind;
use crate::routing::Routing;
use crate::simulation::Simulation;
use crate::spec::{Spec, Step, Workload};
use crate::topology::Topology;
use crate::workload::Reach;

/// Expectations under the workload's traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of switches.
    pub switches: usize,
    /// Channels between switches.
    pub internal_channels: usize,
    /// Channels, both directions, cut by halving the largest dimension.
    pub bisection_channels: Option<u64>,
    /// Pairs of nodes whose routes were walked.
    pub pairs: u64,
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
    /// The largest of these.
    pub load_max_ps: f64,
    /// Their mean over internal channels.
    pub load_mean_internal_ps: f64,
    /// Messages per node and millisecond at which the most loaded channel is always busy.
    pub saturation_per_ms: Option<f64>,
}

/// Traffic from one node to another: `weight` messages of `bytes` bytes.
struct Flow {
    from: NodeId,
    to: NodeId,
    weight: f64,
    bytes: u64,
}

/// Walks the routes of the workload's traffic, at most about `max_pairs` of them.
///
/// # Errors
/// A description that cannot be simulated.
pub fn predict(spec: &Spec, max_pairs: u64) -> Result<Prediction, SpecError> {
    // Building the run checks the whole description.
    let simulation = Simulation::new(spec)?;
    let topology = simulation.topology();
    let walk = Walk {
        link: Timing::new(&spec.machine.link),
        layout: simulation.layout(),
        routing: Routing::new(&spec.machine.routing, topology)?,
        packet_bytes: u64::from(spec.machine.node.packet_bytes),
        acknowledges: spec.machine.node.acknowledges,
    };
    let mut sums = Sums { load_ps: vec![0.0; walk.layout.channels()], ..Sums::default() };
    let exact = each_flow(spec, topology, max_pairs, |flow| walk.add(&flow, &mut sums))?;
    Ok(summarise(spec, topology, &walk, &sums, exact))
}

struct Walk<'a> {
    link: Timing,
    layout: &'a Layout,
    routing: Routing,
    packet_bytes: u64,
    acknowledges: bool,
}

#[derive(Default)]
struct Sums {
    load_ps: Vec<f64>,
    messages: f64,
    remote: f64,
    hops: f64,
    pairs: u64,
}

impl Walk<'_> {
    fn add(&self, flow: &Flow, sums: &mut Sums) {
        sums.messages += flow.weight;
        if flow.from == flow.to {
            return;
        }
        sums.pairs += 1;
        sums.remote += flow.weight;
        let full = flow.bytes / self.packet_bytes;
        let rest = (flow.bytes % self.packet_bytes) as u32;
        let partial = u64::from(rest > 0 || full == 0);
        let data = full * self.link.packet_ps(self.packet_bytes as u32)
            + partial * self.link.packet_ps(rest);
        let acks = if self.acknowledges { (full + partial) * self.link.packet_ps(0) } else { 0 };
        let hops = self.occupy(flow.from, flow.to, flow.weight * data as f64, sums);
        self.occupy(flow.to, flow.from, flow.weight * acks as f64, sums);
        sums.hops += flow.weight * f64::from(hops);
    }

    /// Spreads a load over the channels of a route; how many groups it crosses.
    fn occupy(&self, from: NodeId, to: NodeId, load: f64, sums: &mut Sums) -> u16 {
        let mut lead = self.layout.injection_lead(from);
        let mut hops = 0;
        loop {
            let place = self.layout.group(lead);
            for channel in place.channels() {
                sums.load_ps[channel.index()] += load / f64::from(place.width);
            }
            hops += 1;
            match place.end {
                End::Node(_) => return hops,
                End::Switch(switch) => lead = self.layout.output_lead(&self.routing, switch, to),
            }
        }
    }
}

/// Calls `visit` for the traffic of the workload; whether all of it was visited.
fn each_flow(
    spec: &Spec,
    topology: &Topology,
    max_pairs: u64,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    match &spec.workload {
        Workload::Synthetic(synthetic) => {
            let per_node = synthetic.processes_per_node;
            let reach = Reach::new(topology, synthetic.radius, per_node)?;
            let bytes = synthetic.bytes.mean;
            let pairs: u64 = (0..topology.nodes).map(|node| reach.size(node) as u64).sum();
            let step = pairs.div_ceil(max_pairs.max(1)) as usize;
            // An odd stride visits all columns of a grid with an even number of them.
            for node in (0..topology.nodes).step_by(step | usize::from(step > 1)) {
                let from = NodeId::from_index(node);
                let size = reach.size(node);
                let others = (size * per_node as usize - 1) as f64;
                for index in 0..size {
                    let to = NodeId::from_index(reach.node_at(node, index));
                    let candidates = f64::from(per_node) - f64::from(u8::from(to == from));
                    visit(Flow { from, to, weight: candidates / others, bytes });
                }
            }
            Ok(step == 1)
        }
        Workload::Program(program) => {
            for process in &program.processes {
                for step in &process.steps {
                    if let Step::Send { process: to, bytes, .. } = step {
                        let to = NodeId(program.processes[*to as usize].node);
                        let from = NodeId(process.node);
                        visit(Flow { from, to, weight: 1.0, bytes: u64::from(*bytes) });
                    }
                }
            }
            Ok(true)
        }
        Workload::Messages(rows) => {
            let step = (rows.time_ps.len() as u64).div_ceil(max_pairs.max(1)).max(1) as usize;
            for row in (0..rows.time_ps.len()).step_by(step) {
                let (from, to) = (NodeId(rows.source[row]), NodeId(rows.destination[row]));
                visit(Flow { from, to, weight: 1.0, bytes: u64::from(rows.bytes[row]) });
            }
            Ok(step == 1)
        }
    }
}

fn summarise(
    spec: &Spec,
    topology: &Topology,
    walk: &Walk,
    sums: &Sums,
    exact: bool,
) -> Prediction {
    let (link, layout) = (&walk.link, walk.layout);
    let per_node = sums.messages / topology.nodes as f64;
    let share = |load: f64| if per_node > 0.0 { load / per_node } else { 0.0 };
    let channel_load_ps: Vec<f64> = sums.load_ps.iter().map(|&load| share(load)).collect();
    let load_max_ps = channel_load_ps.iter().copied().fold(0.0, f64::max);
    let internal: Vec<f64> = layout
        .group_of
        .iter()
        .zip(&channel_load_ps)
        .filter(|(group, _)| layout.groups[group.index()].kind == ChannelKind::Internal)
        .map(|(_, &load)| load)
        .collect();
    let mean_hops = if sums.remote > 0.0 { sums.hops / sums.remote } else { 0.0 };
    let way = link.hop_ps as f64 * (mean_hops - 1.0) + link.wire_ps as f64;
    let neighbour_hops = if topology.switches == 0 { 1 } else { 3 };
    let full = spec.machine.node.packet_bytes;
    Prediction {
        nodes: topology.nodes,
        switches: topology.switches,
        internal_channels: internal.len(),
        bisection_channels: topology.bisection_channels(),
        pairs: sums.pairs,
        exact,
        mean_hops,
        zero_load_data_ps: way + link.packet_ps(full) as f64,
        zero_load_ack_ps: way + link.packet_ps(0) as f64,
        zero_load_neighbour_ps: link.zero_load_lifetime(neighbour_hops, full) as f64,
        load_max_ps,
        load_mean_internal_ps: internal.iter().sum::<f64>() / internal.len().max(1) as f64,
        saturation_per_ms: (load_max_ps > 0.0).then(|| 1e9 / load_max_ps),
        channel_load_ps,
    }
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
                radius,
                compute: Distribution::constant(100_000_000),
                messages: 1,
                bytes: Distribution::constant(32),
                sync: Sync::LooselySynchronous,
                throttle: Throttle::Outstanding { limit: 16 },
                start: Start::Random,
            }),
            mode: Mode::Full,
            fidelity: Fidelity::Packet,
            seed: 1,
            sample_interval_ps: 1_000_000,
            record_packets: false,
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
}
