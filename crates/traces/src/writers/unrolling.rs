//! Collectives as the messages that they consist of, for forms that have none.

use super::sink::{Refusal, Taken, refuse};
use std::collections::HashMap;
use tailback_engine::ids::{ProcessId, TeamId};
use tailback_engine::spec::{Collective, Collectives};
use tailback_engine::workload::trace::{After, Batch, Envelope, Filter, Operation, What};
use tailback_engine::workload::{Made, Moves, Teams};

/// Tags of messages of collectives are from here on.
const FIRST_TAG: u32 = 3 << 30;

/// Makes messages of collectives, by the algorithms that MPICH chooses.
pub struct Unrolling {
    teams: Teams,
    /// By group and number of a collective: the tag of its first round.
    tags: HashMap<(TeamId, u32), u32>,
    next_tag: u32,
    moves: Moves,
    /// By operation of the rank: the first and the last of those that stand for it.
    stands: Vec<(u64, u64)>,
    /// Operations of the rank that have been given.
    given: u64,
    /// Parts that ranks had in collectives.
    parts: u64,
    /// Receives that take messages of collectives, too.
    takers: u64,
}

impl Unrolling {
    /// Of so many ranks.
    pub fn new(ranks: u32) -> Self {
        Self {
            teams: Teams::new(&Collectives::default(), ranks as usize, false),
            tags: HashMap::new(),
            next_tag: FIRST_TAG,
            moves: Moves::default(),
            stands: Vec::new(),
            given: 0,
            parts: 0,
            takers: 0,
        }
    }

    /// The operations of the next rank follow.
    pub fn begin(&mut self) {
        self.stands.clear();
        self.given = 0;
    }

    /// Gives what stands for the next operation of a rank: its number, itself, what it is after, and
    /// how many bytes it receives.
    pub fn take(
        &mut self,
        (rank, operation): (u32, Operation),
        after: &[After],
        expected: u64,
        batch: &Batch,
        each: &mut Each<'_>,
    ) -> Taken {
        let number = self.stands.len() as u64;
        let moved = |after: &After| {
            let (first, last) = self.stands[(number - u64::from(after.back)) as usize];
            (if after.begun { first } else { last }, after.begun)
        };
        let after: Vec<_> = after.iter().map(moved).collect();
        let first = self.given;
        if let What::Collective(place) = operation.what {
            self.parts += 1;
            let call = &batch.collectives[place as usize];
            self.unroll((rank, operation), call, after, each)?;
        } else {
            if let What::Receive(Filter { tag: None, .. }) = operation.what {
                self.takers += 1;
            }
            self.give(operation, &after, expected, each)?;
        }
        self.stands.push((first, self.given - 1));
        Ok(())
    }

    /// What a member does in each round is after all that it did in the one before.
    fn unroll(
        &mut self,
        (rank, operation): (u32, Operation),
        call: &Collective,
        mut after: Vec<(u64, bool)>,
        each: &mut Each<'_>,
    ) -> Taken {
        let name = call.operation.name();
        let wrong = |error| Refusal::Form(format!("a collective: {error}"));
        let team = self.teams.team(call.group.as_deref(), name).map_err(wrong)?;
        let part = self.teams.join(ProcessId(rank), team, call, name).map_err(wrong)?;
        self.teams.begins(&part);
        let Made::Of(plan) = &part.made else {
            return refuse(format!("a collective that is no messages ({name})"));
        };
        let next_tag = &mut self.next_tag;
        let tag = *self.tags.entry((team, part.number)).or_insert_with(|| {
            let tag = *next_tag;
            *next_tag = tag.wrapping_add(plan.rounds()).max(FIRST_TAG);
            tag
        });
        let members = self.teams.members(team).clone();
        let (sent, got) = part.rows.as_deref().map(|rows| (&rows.0, &rows.1)).unzip();
        let mut moves = std::mem::take(&mut self.moves);
        for round in 0..plan.rounds() {
            plan.moves(part.me, round, &mut moves);
            let tag = tag + round;
            let context = 0;
            let length = |row: Option<&Vec<u64>>, one: &tailback_engine::workload::Move| {
                row.map_or_else(|| plan.bytes(one.data), |row| row[one.peer as usize])
            };
            let begin = self.given;
            for one in &moves.sends {
                let (to, bytes) = (members[one.peer as usize], length(sent, one));
                if sent.is_none() || bytes > 0 {
                    let what = What::Send(Envelope { to, bytes, tag, context });
                    self.give(Operation { what, ..operation }, &after, 0, each)?;
                }
            }
            for one in &moves.receives {
                let (from, bytes) = (members[one.peer as usize], length(got, one));
                if got.is_none() || bytes > 0 {
                    let what = What::Receive(Filter { from: Some(from), tag: Some(tag), context });
                    self.give(Operation { what, ..operation }, &after, bytes, each)?;
                }
            }
            if self.given > begin {
                let all: Vec<_> = (begin..self.given).map(|number| (number, false)).collect();
                self.give(Operation { what: What::Join, ..operation }, &all, 0, each)?;
                after = vec![(self.given - 1, false)];
            }
        }
        self.moves = moves;
        // It has nothing to do, but what follows is after it.
        self.give(Operation { what: What::Join, ..operation }, &after, 0, each)
    }

    fn give(
        &mut self,
        operation: Operation,
        after: &[(u64, bool)],
        expected: u64,
        each: &mut Each<'_>,
    ) -> Taken {
        let number = self.given;
        let back = |&(other, begun): &(u64, bool)| After { back: (number - other) as u32, begun };
        let after: Vec<_> = after.iter().map(back).collect();
        let operation = Operation { after: after.len() as u32, ..operation };
        self.given += 1;
        each(number, operation, &after, expected)
    }

    /// The collective that not all take part in, if no rank has anything more to do.
    pub fn left(&self) -> Option<String> {
        self.teams.left().map(|left| left.to_string())
    }

    /// What is not as it was.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.parts > 0 {
            let parts = self.parts;
            notes.push(format!(
                "collectives are written as the messages that MPICH makes of them ({parts} parts \
                 of ranks), with tags from {FIRST_TAG} on"
            ));
        }
        if self.parts > 0 && self.takers > 0 {
            notes.push(format!(
                "{} receives of any tag may take messages of collectives there",
                self.takers
            ));
        }
        notes
    }
}

/// Takes an operation with its number, what it is after, and how many bytes it receives.
pub type Each<'a> = dyn FnMut(u64, Operation, &[After], u64) -> Taken + 'a;
