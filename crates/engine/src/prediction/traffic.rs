//! Who sends how much to whom, as the description of the workload has it.

use crate::error::SpecError;
use crate::ids::NodeId;
use crate::spec::{
    Collective, Collectives, Operation, Portion, Program, Source, Spec, Step, Synthetic, Traffic,
    Workload,
};
use crate::topology::Topology;
use crate::workload::{Destinations, Made, Moves, Plan, Teams, job_machine};
use std::sync::Arc;

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
    /// The traffic class that the network knows them by.
    pub traffic: u8,
}

/// Calls `visit` for the traffic of the workload; whether all of it was visited.
pub fn each_flow(
    spec: &Spec,
    topology: &Topology,
    max_pairs: u64,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    let rules = &spec.machine.interface.collectives;
    flows(&spec.workload, (topology, rules), max_pairs, &mut visit)
}

/// The same of a part of a description; with what collectives are.
fn flows(
    workload: &Workload,
    (topology, rules): (&Topology, &Collectives),
    max_pairs: u64,
    visit: &mut dyn FnMut(Flow),
) -> Result<bool, SpecError> {
    match workload {
        Workload::Synthetic(synthetic) => of_synthetic(synthetic, topology, max_pairs, visit),
        Workload::Traffic(traffic) => of_classes(traffic, topology, max_pairs, visit),
        Workload::Program(program) => of_program(rules, program, visit),
        Workload::Messages(rows) => {
            let step = (rows.time_ps.len() as u64).div_ceil(max_pairs.max(1)).max(1) as usize;
            for row in (0..rows.time_ps.len()).step_by(step) {
                let (from, to) = (NodeId(rows.source[row]), NodeId(rows.destination[row]));
                let bytes = rows.bytes[row];
                visit(Flow { from, to, weight: 1.0, bytes, traffic: 0 });
            }
            Ok(step == 1)
        }
        // What they will send nobody knows.
        Workload::External(_) | Workload::Trace(_) => Ok(true),
        Workload::Jobs(jobs) => {
            let mut exact = true;
            let share = max_pairs / jobs.jobs.len().max(1) as u64;
            for job in &jobs.jobs {
                let own = job_machine(&job.nodes, topology);
                let place = |node: NodeId| NodeId(job.nodes[node.index()]);
                exact &= flows(&job.workload, (&own, rules), share, &mut |flow| {
                    let traffic = flow.traffic + job.traffic_class as u8;
                    visit(Flow { from: place(flow.from), to: place(flow.to), traffic, ..flow });
                })?;
            }
            Ok(exact)
        }
    }
}

/// Sources that a sample has at least, if there are as many.
const FEWEST_SOURCES: u64 = 8;

/// At least one, and odd: such a stride visits all columns of a grid with an even number of them.
fn odd(stride: u64) -> u64 {
    stride.max(1) | u64::from(stride > 1)
}

/// The messages of one iteration of the processes of a node, by who they go to.
fn of_synthetic(
    synthetic: &Synthetic,
    topology: &Topology,
    max_pairs: u64,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    let destinations = Destinations::new(synthetic, topology)?;
    let bytes = synthetic.bytes.mean;
    let (max_pairs, pairs_of) = (max_pairs.max(1), |node| destinations.pairs_of(node) as u64);
    let pairs: u64 = (0..topology.nodes).map(pairs_of).sum();
    let few = (0..topology.nodes).map(pairs_of).max().unwrap_or(0) * FEWEST_SOURCES;
    // Where a few sources alone have too many, some of their destinations stand for all.
    let thin = odd(few.min(pairs).div_ceil(max_pairs));
    let step = odd(pairs.div_ceil(thin).div_ceil(max_pairs));
    for node in (0..topology.nodes).step_by(step as usize) {
        let (from, mut number) = (NodeId::from_index(node), 0);
        destinations.each_share(node, |to, weight| {
            if number % thin == 0 {
                let weight = weight * thin as f64 / destinations.period(node);
                visit(Flow { from, to: NodeId::from_index(to), weight, bytes, traffic: 0 });
            }
            number += 1;
        });
    }
    Ok(step == 1 && thin == 1)
}

/// The messages of all classes, as often as sources send them that nobody slows down, and the
/// replies to them.
fn of_classes(
    traffic: &Traffic,
    topology: &Topology,
    max_pairs: u64,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    let answers =
        |number: usize| traffic.classes.iter().any(|class| class.reply == Some(number as u32));
    let rate = |class: &Source| 1.0 / class.messages.compute.mean.max(1) as f64;
    let sources = || traffic.classes.iter().enumerate().filter(|(number, _)| !answers(*number));
    let messages = |class: &Source| if class.reply.is_some() { 2.0 } else { 1.0 };
    let all: f64 = sources().map(|(_, class)| rate(class) * messages(class)).sum();
    let mut is_all = true;
    for (number, class) in sources() {
        let part = rate(class) / all;
        is_all &= of_synthetic(&class.messages, topology, max_pairs, |flow| {
            let weight = flow.weight * part;
            visit(Flow { weight, traffic: number as u8, ..flow });
            if let Some(reply) = class.reply {
                let bytes = reply_bytes(class, &traffic.classes[reply as usize]);
                let (from, to) = (flow.to, flow.from);
                visit(Flow { from, to, weight, bytes, traffic: reply as u8 });
            }
        })?;
    }
    Ok(is_all)
}

/// The mean length of the replies to a class.
fn reply_bytes(class: &Source, reply: &Source) -> u64 {
    let weight = |portion: &Portion| u64::from(portion.weight);
    let all: u64 = class.messages.mix.iter().map(weight).sum();
    if class.reply_bytes.is_empty() || all == 0 {
        return reply.messages.bytes.mean;
    }
    let lengths = class.reply_bytes.iter().zip(&class.messages.mix);
    let sum: u64 = lengths.map(|(&bytes, portion)| bytes * weight(portion)).sum();
    sum / all
}

/// The messages of all steps, those of collectives too.
fn of_program(
    rules: &Collectives,
    program: &Program,
    visit: &mut dyn FnMut(Flow),
) -> Result<bool, SpecError> {
    let mut teams = Teams::new(rules, program.processes.len(), false);
    let mut moves = Moves::default();
    for (number, process) in program.processes.iter().enumerate() {
        let mut send = |to: u32, bytes: u64| {
            let (from, to) = (NodeId(process.node), NodeId(program.processes[to as usize].node));
            visit(Flow { from, to, weight: 1.0, bytes, traffic: 0 });
        };
        for step in &process.steps {
            let call = match step {
                Step::Send { process: to, bytes, .. } => {
                    send(*to, *bytes);
                    continue;
                }
                // As if each went by itself: at most so much is on channels.
                Step::Multicast { processes, bytes, .. } => {
                    processes.iter().for_each(|&to| send(to, *bytes));
                    continue;
                }
                Step::Compute { .. } | Step::Receive { .. } => continue,
                Step::Barrier { group, method } => &Collective::barrier(group.clone(), *method),
                Step::Collective(call) => call,
            };
            let team = teams.team(call.group.as_deref(), "workload.processes")?;
            let me = teams.place(team, number as u32, "workload.processes")?;
            let Made::Of(plan) = teams.made(team, call, "workload.processes")? else { continue };
            let members = Arc::clone(teams.members(team));
            each_message(&plan, call, me, &mut moves, |to, bytes| {
                send(members[to as usize], bytes);
            });
        }
    }
    Ok(true)
}

/// Calls `visit` for every message that a member sends: to whom, and how long it is.
fn each_message(
    plan: &Plan,
    call: &Collective,
    me: u32,
    moves: &mut Moves,
    mut visit: impl FnMut(u32, u64),
) {
    let row = call.sizes.as_ref().filter(|_| call.operation == Operation::AllToAll);
    for round in 0..plan.rounds() {
        plan.moves(me, round, moves);
        for sent in &moves.sends {
            let bytes = row.map_or_else(|| plan.bytes(sent.data), |row| row[sent.peer as usize]);
            if row.is_none() || bytes > 0 {
                visit(sent.peer, bytes);
            }
        }
    }
}
