//! Random programs: some that cannot deadlock, and some of any kind.

use super::cases::{bytes, distribution, nodes, packet_time};
use crate::common::random::Dice;
use tailback_engine::spec::{Distribution, Machine, ProcessProgram, Program, Step, Workload};

/// Everybody sends to its neighbours on a ring without blocking, then receives
/// from each of them, in some order: the exchange of boundaries. Never a deadlock.
pub fn exchange(dice: &mut Dice, machine: &Machine) -> Workload {
    let processes = dice.number(2, 9) as u32;
    // With two processes both neighbours are the same one.
    let distances = if dice.chance(50) { vec![1] } else { vec![1, processes - 1] };
    let repeat = if dice.chance(50) { None } else { Some(dice.number(1, 4)) };
    let blocking_last = dice.chance(30);
    let work = packet_time(machine) * dice.number(1, 30) / 10;
    let duration = distribution(dice, work);
    let size = bytes(dice, machine) as u32;
    let process = |number: u32| {
        let mut steps = vec![Step::Compute { duration }];
        for (socket, distance) in distances.iter().enumerate() {
            let to = (number + distance) % processes;
            let socket = socket as u32;
            steps.push(Step::Send { process: to, socket, bytes: size.into(), blocking: false });
        }
        let any = dice.chance(20);
        for socket in 0..distances.len() {
            steps.push(Step::Receive { socket: (!any).then_some(socket as u32) });
        }
        let peers = distances.iter().map(|distance| (number + processes - distance) % processes);
        let sockets = peers.map(|peer| (!dice.chance(30)).then_some(peer)).collect();
        let node = dice.number(0, nodes(machine) - 1) as u32;
        let start_window_ps = if dice.chance(50) { 0 } else { work };
        ProcessProgram { node, start_ps: 0, start_window_ps, repeat, sockets, steps }
    };
    let mut processes: Vec<ProcessProgram> = (0..processes).map(process).collect();
    if blocking_last && let Some(Step::Send { blocking, .. }) = processes[0].steps.get_mut(1) {
        *blocking = true;
    }
    Workload::Program(Program { processes })
}

/// Matching sends and receives in one global order, which cannot deadlock unless
/// somebody receives from anybody; in some, single steps are then lost or repeated.
pub fn anything(dice: &mut Dice, machine: &Machine) -> Workload {
    let mut processes = strangers(dice, machine);
    let may_receive_any = dice.chance(40);
    for _ in 0..dice.number(1, 12) {
        let (from, to) = (pick(dice, &processes), pick(dice, &processes));
        let socket = dice.number(0, processes[to].sockets.len() as u64 - 1) as u32;
        let is_open =
            processes[to].sockets[socket as usize].is_none_or(|peer| peer as usize == from);
        // Now and then a process sends to itself; if it waits for that, it is for ever.
        if from == to && dice.chance(70) || !is_open || dice.chance(20) {
            processes[from].steps.push(compute(dice, machine));
            continue;
        }
        let (bytes, blocking) = (bytes(dice, machine), dice.chance(40));
        processes[from].steps.push(Step::Send { process: to as u32, socket, bytes, blocking });
        let any = may_receive_any && dice.chance(50);
        processes[to].steps.push(Step::Receive { socket: (!any).then_some(socket) });
    }
    if dice.chance(40) {
        spoil(dice, &mut processes);
    }
    for process in &mut processes {
        // A loop without end takes some time in each round.
        let duration = Distribution::constant(packet_time(machine) * dice.number(1, 20) / 10);
        process.steps.push(Step::Compute { duration });
    }
    Workload::Program(Program { processes })
}

/// Processes without steps; some of their sockets take messages from one peer only.
fn strangers(dice: &mut Dice, machine: &Machine) -> Vec<ProcessProgram> {
    let number = dice.number(2, 8);
    let repeat = if dice.chance(30) { None } else { Some(dice.number(1, 5)) };
    // Often many share few processors and send to each other without packets.
    let nodes = if dice.chance(40) { 2 } else { nodes(machine) };
    let stranger = |process| {
        let sockets = dice.number(1, 3);
        let socket = |_| {
            let peer = (process + dice.number(1, number - 1)) % number;
            dice.chance(40).then_some(peer as u32)
        };
        ProcessProgram {
            sockets: (0..sockets).map(socket).collect(),
            node: dice.number(0, nodes - 1) as u32,
            start_ps: dice.one_of(&[0, 0, packet_time(machine)]),
            start_window_ps: dice.one_of(&[0, packet_time(machine)]),
            repeat,
            steps: Vec::new(),
        }
    };
    (0..number).map(stranger).collect()
}

fn compute(dice: &mut Dice, machine: &Machine) -> Step {
    let work = packet_time(machine) * dice.number(0, 20) / 10;
    Step::Compute { duration: distribution(dice, work) }
}

fn pick(dice: &mut Dice, processes: &[ProcessProgram]) -> usize {
    dice.number(0, processes.len() as u64 - 1) as usize
}

/// Takes a step away from some process, or lets it come twice.
fn spoil(dice: &mut Dice, processes: &mut [ProcessProgram]) {
    let process = pick(dice, processes);
    let steps = &mut processes[process].steps;
    if !steps.is_empty() {
        let place = dice.number(0, steps.len() as u64 - 1) as usize;
        if dice.chance(50) {
            steps.remove(place);
        } else {
            steps.insert(place, steps[place].clone());
        }
    }
}
