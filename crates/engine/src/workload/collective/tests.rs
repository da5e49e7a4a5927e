//! That every member ends with what the collective promises, whatever the algorithm: what each
//! part of the data at each member consists of is followed through all moves.

use super::data::{Data, with_bit};
use super::{Amount, Moves, Plan};
use crate::spec::{Algorithm, Operation};
use std::collections::BTreeMap;

/// What members have: for each name of a piece of data the members it is the sum of, as bits.
type Held = BTreeMap<(u32, u32), u32>;

struct World {
    n: u32,
    plan: Plan,
    parts: u32,
    held: Vec<Held>,
    /// Whom each has heard of.
    heard: Vec<u32>,
    messages: u32,
    bytes: u64,
}

impl World {
    fn new(plan: Plan, parts: u32, begin: impl Fn(u32) -> Held) -> Self {
        let n = plan.members();
        let heard = (0..n).map(|member| 1 << member).collect();
        Self { n, plan, parts, held: (0..n).map(begin).collect(), heard, messages: 0, bytes: 0 }
    }

    /// The pieces of data that a message carries.
    fn pieces(&self, sender: u32, data: Data) -> Vec<(u32, u32)> {
        match data {
            Data::Parts { first, count } => {
                assert!(count <= self.parts && first < self.parts, "{data:?} of {}", self.parts);
                (0..count).map(|part| (0, (first + part) % self.parts)).collect()
            }
            Data::Block { from, to } => vec![(from, to)],
            // A block for the member at a distance is, before the bit's turn, as far on as the
            // lower bits say.
            Data::Distances(bit) => with_bit(self.n, bit)
                .map(|distance| {
                    let from = (sender + self.n - distance % (1 << bit)) % self.n;
                    (from, (from + distance) % self.n)
                })
                .collect(),
        }
    }

    fn run(&mut self) {
        let mut moves = vec![Moves::default(); self.n as usize];
        for round in 0..self.plan.rounds() {
            let adds: Vec<_> = (0..self.n)
                .map(|member| self.plan.moves(member, round, &mut moves[member as usize]))
                .collect();
            let (before, heard) = (self.held.clone(), self.heard.clone());
            for (sender, sent) in moves.iter().enumerate() {
                for message in &sent.sends {
                    let receiver = &mut moves[message.peer as usize].receives.clone();
                    let found = receiver
                        .iter()
                        .filter(|r| r.peer as usize == sender && r.data == message.data);
                    assert_eq!(found.count(), 1, "round {round}: {sender} sends {message:?}");
                    self.messages += 1;
                    self.bytes += self.plan.bytes(message.data);
                    let peer = message.peer as usize;
                    assert_ne!(peer, sender);
                    self.heard[peer] |= heard[sender];
                    for piece in self.pieces(sender as u32, message.data) {
                        let Some(&value) = before[sender].get(&piece) else {
                            panic!("round {round}: {sender} sends {piece:?}, which it has not");
                        };
                        let there = self.held[peer].entry(piece).or_default();
                        if adds[peer] {
                            assert_eq!(*there & value, 0, "added twice in round {round}");
                            *there |= value;
                        } else {
                            *there = value;
                        }
                    }
                }
            }
            let sent: usize = moves.iter().map(|moves| moves.sends.len()).sum();
            let received: usize = moves.iter().map(|moves| moves.receives.len()).sum();
            assert_eq!(sent, received, "round {round}");
        }
    }
}

const BYTES: u64 = 1_000_003;

fn check(operation: Operation, algorithm: Algorithm, n: u32, root: u32, segment: Option<u32>) {
    let plan = Plan::new(operation, algorithm, (n, root), Amount::Equal(BYTES), segment).unwrap();
    let parts = plan.parts();
    let everybody = ((1u64 << n) - 1) as u32;
    let all = |value: u32| (0..parts).map(|part| ((0, part), value)).collect::<Held>();
    let begin = |member: u32| -> Held {
        match operation {
            Operation::Barrier => all(0),
            Operation::Broadcast | Operation::Scatter if member == root => all(1 << root),
            Operation::Broadcast | Operation::Scatter => Held::new(),
            Operation::Reduce | Operation::AllReduce | Operation::ReduceScatter => all(1 << member),
            Operation::Gather | Operation::AllGather => [((0, member), 1 << member)].into(),
            Operation::AllToAll => (0..n).map(|to| ((member, to), 1)).collect(),
        }
    };
    let mut world = World::new(plan, parts, begin);
    world.run();
    for member in 0..n {
        let held = &world.held[member as usize];
        let case = format!("{operation:?} by {algorithm:?}, {n} members, root {root}: {member}");
        match operation {
            Operation::Barrier => assert_eq!(world.heard[member as usize], everybody, "{case}"),
            Operation::Broadcast => assert_eq!(*held, all(1 << root), "{case}"),
            Operation::Scatter => assert_eq!(held.get(&(0, member)), Some(&(1 << root)), "{case}"),
            Operation::Reduce | Operation::Gather if member != root => {}
            Operation::Reduce | Operation::AllReduce => assert_eq!(*held, all(everybody), "{case}"),
            Operation::ReduceScatter => {
                assert_eq!(held.get(&(0, member)), Some(&everybody), "{case}");
            }
            Operation::Gather | Operation::AllGather => {
                for from in 0..n {
                    assert_eq!(held.get(&(0, from)), Some(&(1 << from)), "{case}");
                }
            }
            Operation::AllToAll => {
                assert!((0..n).all(|from| held.contains_key(&(from, member))), "{case}");
            }
        }
    }
}

#[test]
fn every_member_ends_with_what_the_collective_promises() {
    let mut cases = 0;
    for operation in Operation::ALL {
        for algorithm in Algorithm::ALL {
            if Plan::new(operation, algorithm, (2, 0), Amount::Equal(8), None).is_err() {
                continue;
            }
            for n in 1..=17 {
                if algorithm == Algorithm::NeighbourExchange && n % 2 == 1 && n > 1 {
                    continue;
                }
                for root in 0..if operation.has_root() { n } else { 1 } {
                    check(operation, algorithm, n, root, None);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 1500, "{cases}");
}

#[test]
fn segments_change_nothing_of_what_members_end_with() {
    for n in 1..=9 {
        for algorithm in [Algorithm::Chain, Algorithm::BinaryTree] {
            for operation in [Operation::Broadcast, Operation::Reduce] {
                for root in 0..n {
                    check(operation, algorithm, n, root, Some(200_000));
                }
            }
        }
        check(Operation::AllReduce, Algorithm::SegmentedRing, n, 0, Some(30_000));
    }
}
