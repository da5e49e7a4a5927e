//! Who sends how much to whom, as the description of the workload has it.

use crate::error::SpecError;
use crate::ids::NodeId;
use crate::spec::{Collective, Operation, Program, Spec, Step, Workload};
use crate::topology::Topology;
use crate::workload::{Destinations, Made, Moves, Plan, Teams};
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
        Workload::Program(program) => of_program(spec, program, visit),
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

/// The messages of all steps, those of collectives too.
fn of_program(
    spec: &Spec,
    program: &Program,
    mut visit: impl FnMut(Flow),
) -> Result<bool, SpecError> {
    let rules = &spec.machine.interface.collectives;
    let mut teams = Teams::new(rules, program.processes.len(), false);
    let mut moves = Moves::default();
    for (number, process) in program.processes.iter().enumerate() {
        let mut send = |to: u32, bytes: u32| {
            let (from, to) = (NodeId(process.node), NodeId(program.processes[to as usize].node));
            visit(Flow { from, to, weight: 1.0, bytes: bytes.into() });
        };
        for step in &process.steps {
            let call = match step {
                Step::Send { process: to, bytes, .. } => {
                    send(*to, *bytes);
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
    mut visit: impl FnMut(u32, u32),
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
