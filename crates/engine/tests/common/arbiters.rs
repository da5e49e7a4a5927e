//! The arbiters as the slow twins have them, from the table in `docs/model.md`, and what random
//! cases draw.

use super::dice::Dice;
use tailback_engine::spec::{Arbiter, Machine};
use tailback_engine::time::{NEVER, Time};

/// What random cases draw: all arbiters, the usual one twice.
pub fn drawn() -> Vec<Arbiter> {
    [Arbiter::default()].into_iter().chain(Arbiter::ALL.iter().copied()).collect()
}

/// A request, as an arbiter sees it.
#[derive(Clone, Copy)]
pub struct Request {
    /// Number of the channel in whose buffer the packet is.
    pub input: usize,
    /// Whether that comes from a node.
    pub is_from_node: bool,
    /// When the packet was queued at its source.
    pub queued: Time,
    /// Channels it has crossed.
    pub hops: u64,
    /// Its traffic class; 0 where there are none.
    pub class: usize,
    /// Its data bytes.
    pub bytes: u32,
}

/// Gives traffic classes shares of any size, often such that they owe for several turns.
pub fn share_out(dice: &mut Dice, machine: &mut Machine) {
    if dice.chance(70) {
        let longest = machine.interface.header_bytes + machine.interface.packet_bytes;
        let share = |_| dice.number(1, 3 * u64::from(longest)) as u32;
        let classes = machine.routing.traffic_classes.len();
        machine.switch.arbiter_keys.shares_bytes = (0..classes).map(share).collect();
    }
}

/// Where the smallest is the best; `granted`: the requests granted before at the same place, the
/// latest last.
pub fn rank(machine: &Machine, request: &Request, granted: &[Request]) -> Time {
    let inputs = || granted.iter().map(|request| request.input);
    match machine.switch.arbiter {
        Arbiter::Fifo | Arbiter::Random => 0,
        Arbiter::Priority => {
            let class = machine.routing.traffic_classes.get(request.class);
            NEVER - class.map_or(0, |class| Time::from(class.priority))
        }
        Arbiter::NetFirst => Time::from(request.is_from_node),
        Arbiter::OldestFirst => request.queued,
        Arbiter::HopsFirst => NEVER - request.hops,
        Arbiter::RoundRobin => match inputs().next_back() {
            // From the next number up, then from the lowest.
            Some(last) if request.input <= last => NEVER / 2 + request.input as Time,
            _ => request.input as Time,
        },
        Arbiter::LeastRecentlyGranted => {
            let latest = inputs().rposition(|input| input == request.input);
            latest.map_or(0, |number| number as Time + 1)
        }
        Arbiter::DeficitRoundRobin => {
            let mut round = Round::new(machine);
            for past in granted {
                round.turn_to(past.class);
                round.credits[round.turn] -= round.header + i64::from(past.bytes);
            }
            round.turn_to(request.class)
        }
    }
}

/// Deficit round robin, turn by turn.
struct Round {
    shares: Vec<i64>,
    credits: Vec<i64>,
    turn: usize,
    header: i64,
}

impl Round {
    /// Before the turn of the first class.
    fn new(machine: &Machine) -> Self {
        let (header, longest) = (machine.interface.header_bytes, machine.interface.packet_bytes);
        let given = &machine.switch.arbiter_keys.shares_bytes;
        let classes = machine.routing.traffic_classes.len().max(1);
        let share = |class| given.get(class).map_or(header + longest, |&share| share);
        let shares: Vec<i64> = (0..classes).map(|class| share(class).into()).collect();
        Self { credits: vec![0; classes], shares, turn: classes - 1, header: header.into() }
    }

    /// Turns pass on until it is that of a class that has credit: how often.
    fn turn_to(&mut self, class: usize) -> Time {
        let mut passed = 0;
        while self.turn != class || self.credits[class] <= 0 {
            self.credits[self.turn] = self.credits[self.turn].min(0);
            self.turn = (self.turn + 1) % self.credits.len();
            self.credits[self.turn] += self.shares[self.turn];
            passed += 1;
        }
        passed
    }
}

/// By hand, of packets that wait for one channel: in which order they are delivered, if the
/// oldest asks last, or first (`policies_choose_among_those_who_wait` of the cycles).
pub const BY_HAND: [(Arbiter, [usize; 3], [usize; 3]); 8] = [
    (Arbiter::Fifo, [0, 2, 1], [0, 1, 2]),
    (Arbiter::Priority, [0, 2, 1], [0, 1, 2]),
    (Arbiter::DeficitRoundRobin, [0, 2, 1], [0, 1, 2]),
    (Arbiter::OldestFirst, [0, 1, 2], [0, 1, 2]),
    (Arbiter::NetFirst, [0, 1, 2], [0, 2, 1]),
    (Arbiter::HopsFirst, [0, 1, 2], [0, 2, 1]),
    // The other input from node 1 has the next number.
    (Arbiter::RoundRobin, [0, 2, 1], [0, 1, 2]),
    // Neither input has been granted anything: who asks first is first.
    (Arbiter::LeastRecentlyGranted, [0, 2, 1], [0, 1, 2]),
];

/// The same of two packets whose place among those queued at the source is 1 or 2: who is first,
/// and who if the node has two channels (`policies_choose_among_those_who_wait` of the reference).
pub const FIRST_BY_HAND: [(Arbiter, usize, usize); 8] = [
    (Arbiter::Fifo, 2, 1),
    (Arbiter::Priority, 2, 1),
    (Arbiter::DeficitRoundRobin, 2, 1),
    (Arbiter::NetFirst, 2, 2),
    (Arbiter::OldestFirst, 1, 1),
    (Arbiter::HopsFirst, 2, 2),
    (Arbiter::RoundRobin, 2, 1),
    (Arbiter::LeastRecentlyGranted, 2, 1),
];
