//! What holds for a machine, without simulating it: sizes, routing, fidelities.
//!
//! Whoever describes machines to users asks here and knows nothing of it again. What is
//! refused is refused by the checks of [`Simulation::new`](crate::Simulation::new); only that
//! packets cannot wait for each other in a circle is not searched for, which can take long.

use crate::error::SpecError;
use crate::fabric::Fabric;
use crate::ids::SwitchId;
use crate::routing::{Properties, possible};
use crate::spec::{
    Arbiter, FailedLink, Fault, FaultAt, Fidelity, FlowControl, Machine, RoutingSpec, Switching,
    TopologySpec,
};
use crate::survey::{Graph, Search};
use crate::time::Time;
use crate::topology::{Attachment, Outage, Topology};
use serde::{Deserialize, Serialize};

/// What is asked.
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The numbers of a network.
    Topology {
        /// The network.
        topology: TopologySpec,
    },
    /// The switch of every node of a network.
    Homes {
        /// The network.
        topology: TopologySpec,
    },
    /// The links between switches that have not failed.
    Cables {
        /// The network.
        topology: TopologySpec,
    },
    /// When faults begin and end.
    Outages {
        /// The network.
        topology: TopologySpec,
        /// The faults.
        faults: Vec<Fault>,
        /// How many of those that begin first are told.
        first: usize,
    },
    /// The routing algorithms that suit a kind of topology.
    Routings {
        /// Its name in files.
        kind: String,
    },
    /// What an algorithm is like on a network.
    Routing {
        /// The network.
        topology: TopologySpec,
        /// The algorithm.
        algorithm: RoutingSpec,
    },
    /// Which fidelity leaves nothing of a machine out.
    Exact {
        /// The machine.
        machine: Machine,
    },
    /// The words that there are for arbiters.
    Arbiters {},
    /// Whether a machine can be simulated at a fidelity: a refusal, if not.
    Fidelity {
        /// The machine.
        machine: Machine,
        /// The fidelity.
        fidelity: Fidelity,
    },
}

/// What is so.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To [`Question::Topology`].
    Topology(Network),
    /// To [`Question::Homes`]; of nodes without a switch their own numbers.
    Homes(Vec<u32>),
    /// To [`Question::Cables`]: switch and port of one end, switch of the other.
    Cables(Vec<(u32, usize, u32)>),
    /// To [`Question::Outages`].
    Outages {
        /// How many there are.
        count: usize,
        /// Those that begin first.
        first: Vec<Told>,
    },
    /// To [`Question::Routings`]: the usual one first.
    Routings(Vec<Suited>),
    /// To [`Question::Routing`].
    Routing(Properties),
    /// To [`Question::Exact`].
    Exact(Exact),
    /// To [`Question::Arbiters`].
    Words(Vec<&'static str>),
    /// To [`Question::Fidelity`]: nothing is refused.
    Possible,
}

/// Answers a question.
///
/// # Errors
/// A topology that cannot be, an algorithm that it cannot have, a machine that cannot be
/// simulated at the fidelity.
pub fn answer(question: &Question) -> Result<Answer, SpecError> {
    Ok(match question {
        Question::Topology { topology } => Answer::Topology(Network::of(topology)?),
        Question::Homes { topology } => {
            let topology = Topology::new(topology)?;
            let home = |(node, at): (u32, &Attachment)| at.leaves().map_or(node, |home| home.0);
            Answer::Homes((0..).zip(&topology.attachments).map(home).collect())
        }
        Question::Cables { topology } => Answer::Cables(Topology::new(topology)?.cables()),
        Question::Outages { topology, faults, first } => {
            let topology = Topology::new(topology)?;
            let all = topology.outages(faults)?;
            let told = |outage: &Outage| Told::of(outage, &topology);
            Answer::Outages { count: all.len(), first: all.iter().take(*first).map(told).collect() }
        }
        Question::Routings { kind } => Answer::Routings(suited(kind)),
        Question::Routing { topology, algorithm } => {
            Answer::Routing(Properties::of(algorithm, &Topology::new(topology)?)?)
        }
        Question::Exact { machine } => Answer::Exact(exact(machine)?),
        Question::Arbiters {} => {
            Answer::Words(Arbiter::ALL.iter().map(|arbiter| arbiter.name()).collect())
        }
        Question::Fidelity { machine, fidelity } => {
            check(machine, &Topology::new(&machine.topology)?, *fidelity)?;
            Answer::Possible
        }
    })
}

/// A fault, from its beginning until its repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Which of the faults that were described it is one of.
    pub fault: usize,
    /// What it concerns: `link`, `switch` or `node`.
    pub what: &'static str,
    /// The node or switch, or the switch at one end.
    pub at: u32,
    /// The port of a link that is named by its port.
    pub port: Option<u32>,
    /// The switch at the other end of a link.
    pub to: Option<u32>,
    /// When it begins.
    pub from_ps: Time,
    /// When it is repaired.
    pub until_ps: Time,
}

impl Told {
    fn of(outage: &Outage, topology: &Topology) -> Self {
        let far = |switch: u32, port: u32| {
            let found = topology.links(SwitchId(switch)).find(|link| link.0 == port as usize);
            found.map(|(_, to)| to.0)
        };
        let (what, at, port, to) = match outage.at {
            FaultAt::Link(FailedLink::Between(from, to)) => ("link", from, None, Some(to)),
            FaultAt::Link(FailedLink::At { switch, port }) => {
                ("link", switch, Some(port), far(switch, port))
            }
            FaultAt::Switch(switch) => ("switch", switch, None, None),
            FaultAt::Node(node) => ("node", node, None, None),
            FaultAt::Each(_) => ("each", 0, None, None),
        };
        let (from_ps, until_ps) = (outage.from, outage.until);
        Self { fault: outage.table, what, at, port, to, from_ps, until_ps }
    }
}

/// The numbers of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Network {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of switches.
    pub switches: usize,
    /// Links of a switch to others, of the switch with most of them, failed ones too; of a mesh
    /// or torus as many as inside a large one. Of a node where there is no other switch.
    pub degree: usize,
    /// Links between switches, each direction counted.
    pub links: usize,
    /// Nodes along each dimension; empty where they have no coordinates.
    pub shape: Vec<u32>,
    /// Switches along each dimension; empty where there is none.
    pub sides: Vec<u32>,
    /// Nodes of a group of a dragonfly, an island, or a largest subtree of a fat tree.
    pub group_nodes: Option<usize>,
    /// Names of the classes that links between switches fall into.
    pub link_classes: Vec<String>,
    /// Whether nodes can be their own switches.
    pub is_direct: bool,
    /// Links between switches on a typical way: half of the longest, roughly.
    pub typical_hops: usize,
    /// Whether there may be several ways that are equally short.
    pub has_several_ways: bool,
    /// The first link that none leads back along: the switches at its ends.
    pub one_way: Option<(u32, u32)>,
    /// The links that have failed: the switches at their ends.
    pub failed_links: Vec<(u32, u32)>,
}

impl Network {
    fn of(spec: &TopologySpec) -> Result<Self, SpecError> {
        let topology = Topology::new(spec)?;
        let whole = topology.has_failed().then(|| Topology::new(spec.whole())).transpose()?;
        let (spec, as_built) = (spec.whole(), whole.as_ref().unwrap_or(&topology));
        let degree = match spec {
            TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => 2 * dims.len(),
            _ => as_built.degree(),
        };
        Ok(Self {
            nodes: topology.nodes,
            switches: topology.switches,
            degree,
            links: topology.neighbours.iter().filter(|neighbour| neighbour.is_some()).count(),
            shape: if topology.nodes == topology.switches {
                topology.dims.clone()
            } else {
                Vec::new()
            },
            sides: topology.sides().to_vec(),
            group_nodes: topology.group_nodes(),
            link_classes: topology.link_classes(),
            // Without coordinates no routing suits integrated nodes.
            is_direct: topology.is_direct() && !topology.dims.is_empty(),
            typical_hops: typical_hops(spec, as_built),
            has_several_ways: !matches!(spec, TopologySpec::Tree { .. }),
            one_way: topology.first_one_way().map(|(from, to)| (from.0, to.0)),
            failed_links: topology.failed_links().map(|(from, to)| (from.0, to.0)).collect(),
        })
    }
}

/// Half of the longest way, in links between switches; of a torus as if it were a mesh, of what
/// has no formula the longest from the first node.
#[allow(
    clippy::match_wildcard_for_single_variants,
    reason = "a family without a formula needs no arm"
)]
fn typical_hops(spec: &TopologySpec, topology: &Topology) -> usize {
    match spec {
        TopologySpec::Pair | TopologySpec::Star { .. } => 0,
        TopologySpec::Mesh { .. }
        | TopologySpec::Torus { .. }
        | TopologySpec::Hypercube { .. }
        | TopologySpec::ConcentratedMesh { .. }
        | TopologySpec::ConcentratedTorus { .. } => {
            let longest: usize = topology.dims.iter().map(|&side| side as usize - 1).sum();
            longest.div_ceil(2)
        }
        TopologySpec::FatTree { levels, .. } => *levels as usize - 1,
        TopologySpec::Xgft { parents, .. } => parents.len(),
        TopologySpec::Butterfly { stages, .. } => *stages as usize - 1,
        TopologySpec::Tree { children, .. } => children.len(),
        TopologySpec::FullyConnected { switches, .. } => usize::from(*switches > 1),
        TopologySpec::Dragonfly { .. } | TopologySpec::PodFatTree { .. } => 2,
        _ => longest_from_first_node(topology).div_ceil(2),
    }
}

/// Links of the longest of the shortest ways from the switch of the first node.
fn longest_from_first_node(topology: &Topology) -> usize {
    let start = topology.attachments.first().and_then(|at| at.enters());
    start.map_or(0, |switch| {
        let mut search = Search::new(topology.switches);
        search.run(&Graph::new(topology), switch.index());
        search.farthest() as usize
    })
}

/// An algorithm that suits a topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suited {
    /// Its name in files.
    pub kind: &'static str,
    /// Whether it suits switches that nodes are attached to.
    pub switched: bool,
    /// The switchings and units with which it suits integrated nodes.
    pub integrated: Vec<(&'static str, &'static str)>,
}

fn suited(kind: &str) -> Vec<Suited> {
    use crate::spec::Unit;
    let switchings = [
        Switching::Wormhole,
        Switching::StoreAndForward,
        Switching::CutThrough,
        Switching::Circuit,
    ];
    let crossings = switchings.into_iter().flat_map(|switching| {
        [Unit::Packet, Unit::Message].into_iter().map(move |unit| (switching, unit))
    });
    let of = |kind| Suited {
        kind,
        switched: possible::suits(kind, None),
        integrated: crossings
            .clone()
            .filter(|&crossing| possible::suits(kind, Some(crossing)))
            .map(|(switching, unit)| (switching.name(), unit.name()))
            .collect(),
    };
    possible::on(kind).into_iter().map(of).collect()
}

/// The cheapest fidelity that leaves nothing of a machine out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exact {
    /// Its name.
    pub fidelity: &'static str,
    /// Why a cheaper one would not do, in words.
    pub why: String,
}

fn exact(machine: &Machine) -> Result<Exact, SpecError> {
    let switching = machine.switch.switching;
    if switching != Switching::Wormhole {
        let why = match switching {
            Switching::Circuit => "circuits have all channels of a way to themselves".into(),
            _ => format!("{} moves packets as a whole", switching.name()),
        };
        return Ok(Exact { fidelity: Fidelity::Packet.name(), why });
    }
    let candidates: &[Fidelity] = match machine.link.flow_control {
        FlowControl::InBand => &[Fidelity::Token],
        FlowControl::OutOfBand => &[Fidelity::Worm, Fidelity::Flit],
        FlowControl::StopGo(_) => {
            let why = "when senders stop depends on every flit in a buffer".into();
            return Ok(Exact { fidelity: Fidelity::Flit.name(), why });
        }
    };
    let topology = Topology::new(&machine.topology)?;
    let machine = roomy(machine);
    let mut before = None;
    for &fidelity in candidates {
        match check(&machine, &topology, fidelity) {
            Err(error) if is_of_fidelity(&error) => before = Some(error),
            // What no fidelity can do is not told here.
            _ => {
                return Ok(Exact {
                    fidelity: fidelity.name(),
                    why: why(fidelity, before.as_ref()),
                });
            }
        }
    }
    let packet = check(&machine, &topology, Fidelity::Packet);
    let (fidelity, why) = match (packet, candidates.last()) {
        (Err(error), Some(last)) if error.field == "fidelity" => {
            (*last, "whole packets would leave something of the machine out")
        }
        _ => (Fidelity::Packet, "no fidelity of flits can do this routing"),
    };
    Ok(Exact { fidelity: fidelity.name(), why: why.into() })
}

/// Why a fidelity of flits is the cheapest, where another was refused before.
fn why(fidelity: Fidelity, before: Option<&SpecError>) -> String {
    match (fidelity, before.map(|error| error.field.as_str())) {
        (Fidelity::Token, _) => "flow control in band shares the wires with data",
        (_, Some("machine.link.sharing")) => "virtual channels share wires flit by flit",
        (_, Some(field)) if is_half_duplex(field) => "both directions share wires flit by flit",
        (_, Some("machine.switch.regrant_delay_ps")) => "outputs take time to be granted again",
        (_, Some("machine.link.packet_gap_ps")) => "packets have a gap",
        (_, Some(_)) => "packets may change to another virtual channel",
        _ => "worms have their wires to themselves: their times follow from a recurrence",
    }
    .into()
}

/// The same machine with buffers that are large enough: they are for the user to mend.
fn roomy(machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    machine.switch.input_buffer_flits = Some(1 << 18);
    machine.switch.output_buffer_flits = 1 << 18;
    machine
}

/// Whether another fidelity may do what this one refuses.
fn is_of_fidelity(error: &SpecError) -> bool {
    let fields = [
        "fidelity",
        "machine.routing",
        "machine.link.sharing",
        "machine.link.packet_gap_ps",
        "machine.switch.regrant_delay_ps",
    ];
    fields.contains(&error.field.as_str()) || is_half_duplex(&error.field)
}

/// Whether a field says how the directions of some links share a wire.
fn is_half_duplex(field: &str) -> bool {
    field.ends_with(".half_duplex")
}

/// Refuses what a fidelity cannot simulate.
fn check(machine: &Machine, topology: &Topology, fidelity: Fidelity) -> Result<(), SpecError> {
    let mut machine = machine.clone();
    machine.routing.allow_deadlock = true;
    Fabric::wired(&machine, topology, fidelity, 0).map(|_| ())
}
