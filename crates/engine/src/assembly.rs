//! From the description of a run to its parts: what is wrong with it is found here, and
//! nothing has happened yet.

use crate::error::SpecError;
use crate::fabric::{Accounts, Fabric, Instants, KernelKind};
use crate::ids::NodeId;
use crate::measure::Window;
use crate::measure::blame::{Keeps, Occupancy, Victims};
use crate::measure::{
    Blame, ByJob, Causes, Forwarding, InSoftware, Late, Measures, Offered, Slices, Stored, Traffic,
};
use crate::node::{Alone, Nodes, Stragglers};
use crate::spec::{self, Fidelity, Mode, Spec};
use crate::time::Time;
use crate::topology::Topology;
use crate::workload::Workload;

/// Bytes that may be taken to follow who makes messages wait, unless it is said: a thousand million.
const MEMORY: u64 = 1_000_000_000;

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
    /// How long messages take alone, if that is wanted.
    pub alone: Option<Box<Alone>>,
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
        check_loggops(spec)?;
        let topology = Topology::new(&spec.machine.topology)?;
        let is_charged = spec.blame.is_some() || charges(spec);
        let accounts = match (keeps_waits(spec), is_charged) {
            (true, _) => Accounts::OfWaits,
            (false, true) => Accounts::OfTurns,
            (false, false) => Accounts::None,
        };
        let (kind, seed) = ((spec.mode, spec.fidelity), spec.seed);
        let known = (accounts, instants(spec));
        let mut fabric = Fabric::new(&spec.machine, &topology, kind, known, seed)?;
        let outages = topology.outages(&spec.faults)?;
        check_faults(spec)?;
        check_bit_errors(spec)?;
        if spec.has_faults_of_links() {
            fabric.set_faults(&spec.faults, &outages, (&spec.machine, &topology, spec.seed))?;
        }
        let workload = Workload::new(spec, &topology)?;
        let classes = workload.traffic_classes();
        if let Some(limit) = spec.machine.interface.reply_queue
            && !classes.is_empty()
        {
            fabric.limit_replies(limit, &classes);
        }
        let stragglers = Stragglers::new(&spec.faults, &outages, topology.nodes)?;
        let nodes = Nodes::new(spec, &topology, &workload, stragglers)?;
        if spec.sample_interval_ps == 0 {
            return Err(SpecError::new("run.sample_interval", 0, "must be above 0"));
        }
        let mut measures = measures(spec, &topology, &fabric, (&workload, nodes.placement()));
        measures.traffic = traffic(spec, &workload)?;
        measures.is_observed = is_charged;
        let mut alone = None;
        let is_asked = spec.blame.is_some() || spec.lateness;
        if (is_asked || charges(spec) && is_contended(spec.mode)) && is_late(spec.mode) {
            measures.late = Some(Box::new(late(spec, &fabric, (is_charged, is_asked))));
            measures.slices = slices(spec, &fabric)?.map(Box::new);
            alone = Some(Box::new(Alone::new(spec, &topology, instants(spec))?));
        }
        Ok(Self { topology, fabric, workload, nodes, measures, alone })
    }
}

/// When nodes do what they do by themselves, as far as anybody wants to know: to see it, lists of
/// messages are read to the end.
fn instants(spec: &Spec) -> Instants {
    if spec.fidelity == Fidelity::Flit && spec.is_in_slots() {
        Instants::OfSlots
    } else {
        Instants::Any
    }
}

/// What is measured of every traffic class, where there are several: the network must know the
/// same of them as the workload.
fn traffic(spec: &Spec, workload: &Workload) -> Result<Option<Box<Traffic>>, SpecError> {
    let (known, sent) = (&spec.machine.routing.traffic_classes, workload.traffic_classes());
    if known.len() != sent.len() {
        let allowed = format!("must be one for each of the {} of the workload", sent.len());
        return Err(SpecError::new("machine.routing.traffic_classes", known.len(), allowed));
    }
    let names = known.iter().map(|class| class.name.clone());
    Ok((!sent.is_empty()).then(|| Box::new(Traffic::new(names.zip(sent)))))
}

/// Refuses what there cannot be without a network.
fn check_loggops(spec: &Spec) -> Result<(), SpecError> {
    if spec.machine.loggops.is_none() {
        return Ok(());
    }
    let refuse = |key: &str, given: &str, allowed: &str| {
        Err(SpecError::new(
            key,
            given,
            format!("{allowed} with machine.loggops: there is no network"),
        ))
    };
    if !matches!(spec.workload, spec::Workload::Trace(_)) {
        return refuse("workload.kind", "another", "must be trace");
    }
    if spec.mode != Mode::Full {
        return refuse("run.mode", &format!("{:?}", spec.mode).to_lowercase(), "must be full");
    }
    if spec.blame.is_some() {
        return refuse("run.blame", "true", "must be false");
    }
    Ok(())
}

/// Most damaged packets of those with most bits: more would be sent for ever.
const MOST_DAMAGED: f64 = 0.9;

/// Refuses bit error rates with which hardly a packet is across.
fn check_bit_errors(spec: &Spec) -> Result<(), SpecError> {
    let interface = &spec.machine.interface;
    let bytes = interface.packet_bytes.max(spec.machine.first_packet_bytes());
    let bits = 8.0 * f64::from(bytes + interface.header_bytes);
    let most = 1e18 * -libm::log1p(-MOST_DAMAGED) / bits;
    let rates = spec.faults.iter().map(|fault| fault.bit_errors.unwrap_or(0));
    let Some(table) = rates.clone().position(|rate| rate as f64 > most) else { return Ok(()) };
    let field = format!("fault[{table}].bit_error_rate");
    let given = spec.faults[table].bit_errors.unwrap_or(0) as f64 / 1e18;
    let allowed = format!(
        "must be at most {:.1e}: of packets of {bytes} B more than 90 % would be damaged",
        most / 1e18,
    );
    Err(SpecError::new(field, given, allowed))
}

/// Refuses accounts that know nothing of faults; those of the network know of slower nodes what they need.
fn check_faults(spec: &Spec) -> Result<(), SpecError> {
    let asked = spec.blame.as_ref().filter(|_| spec.has_faults_of_links());
    let given = match () {
        () if spec.has_faults_of_links() && turns_shown(spec).is_some() => "run.timeline",
        () if asked.is_some_and(|blame| blame.packet_waits) => "run.packet_waits",
        () => return Ok(()),
    };
    Err(SpecError::new(given, true, "must be left out with [[fault]]: it knows nothing of faults"))
}

/// Whether waits are charged because the critical path is: it is divided by what its messages
/// are charged.
fn charges(spec: &Spec) -> bool {
    spec.causes.is_some() && spec.fidelity != Fidelity::Fluid && spec.machine.loggops.is_none()
}

/// Whether it is kept what packets waited for.
fn keeps_waits(spec: &Spec) -> bool {
    let asked = spec.blame.as_ref();
    let are_asked = asked.is_some_and(|blame| blame.packet_waits || !is_late(spec.mode));
    are_asked || charges(spec) && turns_shown(spec).is_some()
}

/// Most turns on channels that a timeline shows, if any.
fn turns_shown(spec: &Spec) -> Option<usize> {
    Some(spec.causes?.timeline?.turns? as usize)
}

/// Whether messages of a mode can be late.
fn is_late(mode: Mode) -> bool {
    matches!(mode, Mode::Full | Mode::Endpoints | Mode::Free)
}

/// Whether messages can be in each other's way.
fn is_contended(mode: Mode) -> bool {
    mode != Mode::Free
}

/// How late messages are, and why: whether waits are charged, and added up for somebody who asked.
fn late(spec: &Spec, fabric: &Fabric, known: (bool, bool)) -> Late {
    // The critical path needs the charges of all.
    let asked = spec.blame.as_ref().filter(|_| !charges(spec));
    let (share, groups) = asked.map_or((None, false), |blame| (blame.share, blame.groups));
    let victims = Victims::new(share, spec.seed, groups);
    let sites = fabric.sites(&spec.machine, (spec.mode, spec.fidelity));
    let memory = spec.blame.as_ref().and_then(|blame| blame.memory).unwrap_or(MEMORY);
    let mut late = Late::new(sites, spec.sample_interval_ps, victims, known, memory);
    late.rows = spec.lateness.then(Vec::new);
    late.notes_packets = spec.machine.interface.costs().is_some();
    late
}

/// What is kept by slices of time, where it is told who has turns on channels.
fn slices(spec: &Spec, fabric: &Fabric) -> Result<Option<Slices>, SpecError> {
    let Some(asked) = spec.blame.as_ref().and_then(|blame| blame.slices) else { return Ok(None) };
    if asked.most == 0 {
        return Err(SpecError::new("run.slices", 0, "must be above 0"));
    }
    let channels = fabric.wiring().layout.channels();
    let slices = Slices::new(channels, asked.most, asked.by_class);
    Ok((fabric.kernel() != KernelKind::Private).then_some(slices))
}

/// What is measured of a run.
fn measures(
    spec: &Spec,
    topology: &Topology,
    fabric: &Fabric,
    (workload, placement): (&Workload, &[NodeId]),
) -> Measures {
    let channels = fabric.wiring().layout.channels();
    let interval = spec.sample_interval_ps;
    let mut measures = Measures::new(channels, topology.nodes, interval, spec.record_packets);
    measures.message_begins = (spec.machine.interface.early_bytes > 0).then(Default::default);
    measures.offered = spec.machine.switch.integrated.then(Offered::default);
    measures.stored = fabric.stores().then(|| Box::new(Stored::new(topology.nodes)));
    let has_costs = spec.machine.interface.costs().is_some();
    measures.forwards = spec.machine.forwards_frames();
    measures.forwarding = measures.forwards.then(|| Box::new(Forwarding::new(channels)));
    measures.software = has_costs.then(|| Box::new(InSoftware::new(interval)));
    measures.completed = vec![0; placement.len()];
    let by_job = |jobs| Box::new(ByJob::new(jobs, placement, topology.nodes));
    measures.jobs = workload.jobs().map(by_job);
    measures.labels = charges(spec).then(Box::default);
    if keeps_waits(spec) {
        let keep_all = spec.blame.as_ref().is_some_and(|blame| blame.keep_all);
        let queues = fabric.queues(spec.mode, spec.fidelity);
        let keeps = Keeps { packets: spec.record_packets, all_turns: keep_all };
        // The critical path needs the charges of all.
        let asked = spec.blame.as_ref().filter(|_| !charges(spec));
        let (share, groups) = asked.map_or((None, false), |blame| (blame.share, blame.groups));
        let victims = Victims::new(share, spec.seed, groups);
        let mut blame = Blame::new(queues, interval, keeps, victims);
        let shown = spec.causes.and_then(|causes| causes.timeline);
        blame.occupancy = shown
            .zip(turns_shown(spec))
            .map(|(timeline, most)| Box::new(Occupancy::new(channels, window(timeline), most)));
        measures.blame = Some(Box::new(blame));
    }
    measures.causes = spec.causes.map(|causes| {
        let window = causes.timeline.map(window);
        let sizes = (placement.len(), topology.nodes);
        let known = (causes.slack, is_contended(spec.mode));
        Box::new(Causes::new(sizes, known, window))
    });
    measures
}

/// What of a run is shown.
fn window(timeline: spec::Timeline) -> Window {
    Window {
        time: timeline.window_ps.unwrap_or((0, Time::MAX)),
        processes: timeline.processes.unwrap_or((0, u32::MAX)),
    }
}
