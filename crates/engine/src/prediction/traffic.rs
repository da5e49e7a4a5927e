//! Who sends how much to whom, as the description of the workload has it.

use crate::error::SpecError;
use crate::ids::NodeId;
use crate::spec::{Spec, Step, Workload};
use crate::topology::Topology;
use crate::workload::Destinations;

/// Traffic from one node to another: messages of one length.
pub struct Flow {
    /// Where it is sent.
    pub from: NodeId,
    /// Where it goes.
    pub to: NodeId,
    /// How many messages, or what share of them.
    pub weight: f64,
    /// The length of each.
    pub bytes: u64,
}

/// Calls `visit` for the traffic of the workload; whether all of it was visited.
pub fn each_flow(
    spec: &Spec,
    topology: &Topology,
    max_pairs: u64,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    match &spec.workload {
        Workload::Synthetic(synthetic) => {
            let destinations = Destinations::new(synthetic, topology)?;
            let bytes = synthetic.bytes.mean;
            let pairs: u64 =
                (0..topology.nodes).map(|node| destinations.pairs_of(node) as u64).sum();
            let step = pairs.div_ceil(max_pairs.max(1)) as usize;
            // An odd stride visits all columns of a grid with an even number of them.
            for node in (0..topology.nodes).step_by(step | usize::from(step > 1)) {
                let from = NodeId::from_index(node);
                destinations.each_share(node, |to, weight| {
                    visit(Flow { from, to: NodeId::from_index(to), weight, bytes });
                });
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
        // What they will send nobody knows.
        Workload::External(_) => Ok(true),
    }
}
