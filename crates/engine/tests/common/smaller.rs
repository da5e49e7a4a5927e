//! Specifications that are a little smaller or simpler than one.

use tailback_engine::spec::{
    Arbiter, Costs, Distribution, HalfDuplex, LinkClass, MessageOrder, Messages, Program,
    RoutingSpec, Selection, Sharing, Side, Spec, Step, Synthetic, TopologySpec, Traffic, Workload,
};

/// Smaller ones, the boldest first. Not all can be simulated; a chain of them ends.
pub fn than(spec: &Spec) -> Vec<Spec> {
    let workloads: Vec<Workload> = match &spec.workload {
        Workload::Messages(list) => shorter(list).into_iter().map(Workload::Messages).collect(),
        Workload::Program(program) => {
            fewer_steps(program).into_iter().map(Workload::Program).collect()
        }
        Workload::Synthetic(synthetic) => {
            fewer_messages(synthetic).into_iter().map(Workload::Synthetic).collect()
        }
        Workload::Traffic(traffic) => {
            fewer_classes(traffic).into_iter().map(Workload::Traffic).collect()
        }
        Workload::External(_) | Workload::Trace(_) | Workload::Jobs(_) => Vec::new(),
    };
    let with = |workload| Spec { workload, ..spec.clone() };
    let mut all: Vec<Spec> = workloads.into_iter().map(with).collect();
    all.extend(topologies(&spec.machine.topology).into_iter().map(|one| on(spec, one)));
    for simplify in SIMPLER {
        let mut simpler = spec.clone();
        simplify(&mut simpler);
        all.push(simpler);
    }
    all.retain(|one| one != spec);
    all
}

/// Simplifications of everything else.
const SIMPLER: [fn(&mut Spec); 33] = [
    |spec| spec.machine.routing.algorithm = dimension_order(),
    |spec| spec.machine.routing.selection = Selection::First,
    |spec| spec.machine.link_classes.clear(),
    |spec| spec.machine.set_node_link(|class| *class = LinkClass::default()),
    |spec| spec.machine.set_node_link(|class| class.width = Some(1)),
    |spec| spec.machine.link.width = 1,
    |spec| spec.machine.link.packet_gap_ps = 0,
    |spec| spec.machine.link.delay_ps = 0,
    |spec| spec.machine.link.credit_delay_ps = 0,
    |spec| spec.machine.link.end_token = false,
    |spec| spec.machine.link.half_duplex = HalfDuplex::No,
    |spec| spec.machine.link.sharing = Sharing::RoundRobin,
    |spec| spec.machine.switch.virtual_channels = 1,
    |spec| spec.machine.switch.delay_ps = 0,
    |spec| spec.machine.switch.arbiter = Arbiter::Fifo,
    |spec| spec.machine.switch.ack_priority = false,
    |spec| spec.machine.switch.overtaking = false,
    |spec| spec.machine.interface.ack_priority = false,
    |spec| spec.machine.interface.acknowledges = false,
    |spec| spec.machine.interface.message_order = MessageOrder::Fifo,
    |spec| spec.machine.interface.time_slice_ps = None,
    |spec| spec.machine.interface.first_packet_bytes = None,
    |spec| spec.machine.interface.early_bytes = 0,
    |spec| spec.machine.interface.costs = None,
    |spec| pay_less(spec, |costs| costs.send = Side::default()),
    |spec| pay_less(spec, |costs| costs.receive = Side::default()),
    |spec| pay_less(spec, |costs| costs.packet_interval_ps = 0),
    |spec| pay_less(spec, |costs| costs.packet_interval_per_byte_fs = 0),
    |spec| pay_less(spec, |costs| costs.variation_ps = 0),
    |spec| pay_less(spec, |costs| costs.overlap = true),
    |spec| pay_less(spec, |costs| costs.receive_preempts = false),
    |spec| pay_less(spec, |costs| costs.multi_packet_only = false),
    |spec| spec.seed = 1,
];

fn pay_less(spec: &mut Spec, change: impl Fn(&mut Costs)) {
    if let Some(costs) = &mut spec.machine.interface.costs {
        change(costs);
    }
}

fn dimension_order() -> RoutingSpec {
    RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false }
}

/// Without some of the messages, the longest stretches first; shorter; and closer together.
fn shorter(list: &Messages) -> Vec<Messages> {
    let count = list.time_ps.len();
    let mut all = Vec::new();
    let mut stretch = count / 2;
    while stretch > 0 {
        for first in (0..count).step_by(stretch) {
            all.push(kept(list, |i| !(first..first + stretch).contains(&i)));
        }
        stretch /= 2;
    }
    let halved = |bytes: &u64| bytes / 2;
    all.push(Messages { bytes: list.bytes.iter().map(halved).collect(), ..list.clone() });
    all.push(Messages { time_ps: list.time_ps.iter().map(|t| t / 2).collect(), ..list.clone() });
    all
}

/// The messages at some places of a list.
fn kept(list: &Messages, keep: impl Fn(usize) -> bool) -> Messages {
    let mut fewer = Messages::default();
    for i in (0..list.time_ps.len()).filter(|&i| keep(i)) {
        fewer.time_ps.push(list.time_ps[i]);
        fewer.source.push(list.source[i]);
        fewer.destination.push(list.destination[i]);
        fewer.bytes.push(list.bytes[i]);
    }
    fewer
}

/// Without one process, with fewer repetitions, without one step.
fn fewer_steps(program: &Program) -> Vec<Program> {
    let processes = 0..program.processes.len();
    let mut all: Vec<Program> = processes.clone().map(|p| without(program, p as u32)).collect();
    for process in processes {
        let change = |change: &dyn Fn(&mut tailback_engine::spec::ProcessProgram)| {
            let mut changed = program.clone();
            change(&mut changed.processes[process]);
            changed
        };
        all.push(change(&|process| process.repeat = process.repeat.map(|n| n.div_ceil(2))));
        for step in 0..program.processes[process].steps.len() {
            all.push(change(&|process| {
                process.steps.remove(step);
            }));
        }
    }
    all
}

/// Without a process and all that others do with it.
fn without(program: &Program, gone: u32) -> Program {
    let mut fewer = program.clone();
    fewer.processes.remove(gone as usize);
    let number = |process: u32| process - u32::from(process > gone);
    for process in &mut fewer.processes {
        let sockets = process.sockets.clone();
        let is_from = |socket: u32| sockets.get(socket as usize) == Some(&Some(gone));
        process.steps.retain(|step| match *step {
            Step::Send { process, .. } => process != gone,
            Step::Receive { socket: Some(socket) } => !is_from(socket),
            _ => true,
        });
        for step in &mut process.steps {
            if let Step::Send { process, .. } = step {
                *process = number(*process);
            }
        }
        for sender in &mut process.sockets {
            *sender = sender.filter(|&sender| sender != gone).map(number);
        }
    }
    fewer
}

fn fewer_messages(synthetic: &Synthetic) -> Vec<Synthetic> {
    let constant = Distribution::constant;
    vec![
        Synthetic { processes_per_node: 1, ..synthetic.clone() },
        Synthetic { messages: 1, ..synthetic.clone() },
        Synthetic { radius: synthetic.radius.min(1), ..synthetic.clone() },
        Synthetic { repeat: synthetic.repeat.map(|n| n.div_ceil(2)), ..synthetic.clone() },
        Synthetic { bytes: constant(synthetic.bytes.mean / 2), ..synthetic.clone() },
        Synthetic { compute: constant(synthetic.compute.mean), ..synthetic.clone() },
    ]
}

/// Topologies with fewer nodes or links.
fn topologies(topology: &TopologySpec) -> Vec<TopologySpec> {
    match topology {
        TopologySpec::Mesh { dims } => {
            smaller_sides(dims).into_iter().map(|dims| TopologySpec::Mesh { dims }).collect()
        }
        TopologySpec::Torus { dims } => {
            smaller_sides(dims).into_iter().map(|dims| TopologySpec::Torus { dims }).collect()
        }
        &TopologySpec::Hypercube { dimensions } if dimensions > 1 => {
            vec![TopologySpec::Hypercube { dimensions: dimensions - 1 }]
        }
        &TopologySpec::Star { nodes } if nodes > 2 => vec![TopologySpec::Star { nodes: nodes - 1 }],
        TopologySpec::Graph { links, .. } => {
            let without = |gone: usize| {
                let mut fewer = topology.clone();
                if let TopologySpec::Graph { links, .. } = &mut fewer {
                    links.remove(gone);
                }
                fewer
            };
            (0..links.len()).map(without).collect()
        }
        _ => Vec::new(),
    }
}

fn smaller_sides(dims: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for i in 0..dims.len() {
        let mut fewer = dims.to_vec();
        fewer.remove(i);
        all.push(fewer);
        for side in [dims[i] / 2, dims[i] - 1] {
            let mut shorter = dims.to_vec();
            shorter[i] = side.max(1);
            all.push(shorter);
        }
    }
    all.retain(|dims| dims.iter().any(|&side| side > 1));
    all
}

/// Of every class fewer messages: the network knows as many classes.
fn fewer_classes(traffic: &Traffic) -> Vec<Traffic> {
    let mut all = Vec::new();
    for (number, class) in traffic.classes.iter().enumerate() {
        for fewer in fewer_messages(&class.messages) {
            let mut one = traffic.clone();
            one.classes[number].messages = fewer;
            all.push(one);
        }
    }
    all
}

/// A run on another topology: what is on nodes that are gone goes with them.
fn on(spec: &Spec, topology: TopologySpec) -> Spec {
    let mut spec = spec.clone();
    let nodes = nodes(&topology);
    match &mut spec.workload {
        Workload::Messages(list) => {
            *list = kept(list, |i| list.source[i] < nodes && list.destination[i] < nodes);
        }
        Workload::Program(program) => {
            for gone in (0..program.processes.len()).rev() {
                if program.processes[gone].node >= nodes {
                    *program = without(program, gone as u32);
                }
            }
        }
        Workload::Synthetic(_)
        | Workload::Traffic(_)
        | Workload::External(_)
        | Workload::Trace(_)
        | Workload::Jobs(_) => {}
    }
    let sides = |topology: &TopologySpec| match topology {
        TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => dims.len(),
        _ => 0,
    };
    if sides(&topology) != sides(&spec.machine.topology) {
        // They name dimensions.
        spec.machine.link_classes.clear();
        spec.machine.routing.algorithm = dimension_order();
    }
    spec.machine.topology = topology;
    spec
}

/// Nodes of a topology that is made smaller here.
fn nodes(topology: &TopologySpec) -> u32 {
    match topology {
        TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => dims.iter().product(),
        TopologySpec::Hypercube { dimensions } => 1 << dimensions,
        TopologySpec::Star { nodes } => *nodes,
        TopologySpec::Graph { nodes, .. } => nodes.len() as u32,
        _ => unreachable!("it is not made smaller"),
    }
}
