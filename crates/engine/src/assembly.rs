//! From the description of a run to its parts: what is wrong with it is found here, and
//! nothing has happened yet.

use crate::error::SpecError;
use crate::fabric::Fabric;
use crate::measure::{Blame, InSoftware, Measures, Offered, Stored};
use crate::node::Nodes;
use crate::spec::{Fidelity, Spec};
use crate::topology::Topology;
use crate::workload::Workload;

/// The parts of a run.
pub struct Assembly {
    /// The machine's graph.
    pub topology: Topology,
    /// Its network, with channels, routes and times.
    pub fabric: Fabric,
    /// What processes do.
    pub workload: Workload,
    /// The nodes that do it.
    pub nodes: Nodes,
    /// What is measured.
    pub measures: Measures,
}

impl Assembly {
    /// The parts of a run that fit together.
    ///
    /// # Errors
    /// A description that cannot be simulated.
    pub fn new(spec: &Spec) -> Result<Self, SpecError> {
        if spec.blame.is_some() && spec.fidelity == Fidelity::Fluid {
            let allowed = "must be false with fidelity fluid: messages that share a link slow each \
                           other down, and none of them waits for another; use another fidelity";
            return Err(SpecError::new("run.blame", true, allowed));
        }
        let topology = Topology::new(&spec.machine.topology)?;
        let fabric = Fabric::new(&spec.machine, &topology, spec.mode, spec.fidelity, spec.seed)?;
        let workload = Workload::new(spec, &topology)?;
        let nodes = Nodes::new(spec, &topology, &workload)?;
        if spec.sample_interval_ps == 0 {
            return Err(SpecError::new("run.sample_interval", 0, "must be above 0"));
        }
        let measures = measures(spec, &topology, &fabric, nodes.placement().len());
        Ok(Self { topology, fabric, workload, nodes, measures })
    }
}

/// What is measured of a run.
fn measures(spec: &Spec, topology: &Topology, fabric: &Fabric, processes: usize) -> Measures {
    let channels = fabric.wiring().layout.channels();
    let interval = spec.sample_interval_ps;
    let mut measures = Measures::new(channels, topology.nodes, interval, spec.record_packets);
    measures.message_begins = (spec.machine.interface.early_bytes > 0).then(Default::default);
    measures.offered = spec.machine.switch.integrated.then(Offered::default);
    measures.stored = fabric.stores().then(|| Box::new(Stored::new(topology.nodes)));
    let has_costs = spec.machine.interface.costs().is_some();
    measures.software = has_costs.then(|| Box::new(InSoftware::new(interval)));
    measures.completed = vec![0; processes];
    measures.blame = spec.blame.as_ref().map(|blame| {
        let queues = fabric.queues(spec.mode, spec.fidelity);
        Box::new(Blame::new(queues, interval, (spec.record_packets, blame.keep_all)))
    });
    measures
}
