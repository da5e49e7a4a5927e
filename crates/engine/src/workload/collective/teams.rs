//! Groups of processes, and the collectives that their members take part in.
//!
//! The k-th collective of a member in a group is the k-th of every member: whoever comes first
//! says what it is, and what others say must agree.

use super::agreement::{check_rows, difference, listed};
use super::choice::algorithm;
use super::data::Rows;
use super::plan::{Amount, Plan};
use super::price::priced;
use crate::error::SpecError;
use crate::ids::{ProcessId, TeamId};
use crate::spec::{self, Collective, Method, Operation};
use crate::time::Time;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// What a collective consists of.
#[derive(Clone, Debug)]
pub enum Made {
    /// Messages.
    Of(Arc<Plan>),
    /// None: all wait for the last to come, and then for so long.
    Meeting(Time),
}

/// A process' part in one collective.
#[derive(Clone, Debug)]
pub struct Part {
    /// The group.
    pub team: TeamId,
    /// How many collectives of the group were before it.
    pub number: u32,
    /// The place of the process in the group.
    pub me: u32,
    /// What it consists of.
    pub made: Made,
    /// The tag of its first round.
    pub first_tag: u32,
    /// Where each pair has a block of its own length: what it sends to each, and gets from each.
    pub rows: Option<Arc<Rows>>,
}

/// A group of processes in an order.
struct Team {
    members: Arc<[u32]>,
    /// Their places, by their numbers in ascending order.
    places: Vec<(u32, u32)>,
    /// How many collectives each member was told of, and how many it has begun.
    told: Vec<u32>,
    begun: Vec<u32>,
    /// Those that not all have begun, and the number of the first.
    open: VecDeque<Shared>,
    first: u32,
    next_tag: u32,
}

/// What members have in common in one collective.
struct Shared {
    call: Collective,
    made: Made,
    first_tag: u32,
    /// The member that was told of it first.
    by: u32,
    told: u32,
    begun: u32,
    rows: Vec<Option<Arc<Rows>>>,
}

/// All groups of a run.
pub struct Teams {
    rules: spec::Collectives,
    processes: u32,
    is_free: bool,
    teams: Vec<Team>,
    known: HashMap<Box<[u32]>, TeamId>,
    everybody: TeamId,
}

impl Teams {
    /// No groups yet; `is_free`: what is no messages costs nothing.
    pub fn new(rules: &spec::Collectives, processes: usize, is_free: bool) -> Self {
        Self {
            rules: *rules,
            processes: processes as u32,
            is_free,
            teams: Vec::new(),
            known: HashMap::new(),
            everybody: TeamId::NONE,
        }
    }

    /// Processor time to add so many bytes.
    pub fn adding(&self, bytes: u64) -> Time {
        (self.rules.reduce_fs_per_byte.saturating_mul(bytes) + 500) / 1000
    }

    /// The group of these processes in this order; of all, if none are named. `field` is where
    /// it is named.
    ///
    /// # Errors
    /// Processes that are not there, or named twice; no process at all.
    pub fn team(&mut self, group: Option<&[u32]>, field: &str) -> Result<TeamId, SpecError> {
        let id = TeamId::from_index(self.teams.len());
        let members: Arc<[u32]> = match group {
            None if self.everybody.is_some() => return Ok(self.everybody),
            None => {
                self.everybody = id;
                (0..self.processes).collect()
            }
            Some(group) => {
                if let Some(&known) = self.known.get(group) {
                    return Ok(known);
                }
                group.into()
            }
        };
        let mut places: Vec<_> = members.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let refuse = |given: u32, allowed: String| {
            Err(SpecError::new(format!("{field}.group"), given, allowed))
        };
        let Some(&(last, _)) = places.last() else {
            return Err(SpecError::new(format!("{field}.group"), "[]", "must name processes"));
        };
        if last >= self.processes {
            return refuse(last, format!("must be a process, 0 to {}", self.processes - 1));
        }
        if let Some(twice) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return refuse(twice[0].0, "is named twice".into());
        }
        if group.is_some() {
            self.known.insert(members.as_ref().into(), id);
        }
        let count = members.len();
        self.teams.push(Team {
            members,
            places,
            told: vec![0; count],
            begun: vec![0; count],
            open: VecDeque::new(),
            first: 0,
            next_tag: 0,
        });
        Ok(id)
    }

    /// The members of a group, in order.
    pub fn members(&self, team: TeamId) -> &Arc<[u32]> {
        &self.teams[team.index()].members
    }

    /// What a collective of a group consists of.
    ///
    /// # Errors
    /// Roots, lengths, algorithms and prices that cannot be.
    pub fn made(&self, team: TeamId, call: &Collective, field: &str) -> Result<Made, SpecError> {
        let team = &self.teams[team.index()];
        let (n, operation) = (team.members.len() as u32, call.operation);
        let refuse = |key: &str, given: String, allowed: String| {
            Err(SpecError::new(format!("{field}.{key}"), given, allowed))
        };
        let root = match call.root.filter(|_| operation.has_root()) {
            None => 0,
            Some(root) => {
                let Some(place) = team.place(root) else {
                    let allowed = format!("must be one of {}", self.in_words(&team.members));
                    return refuse("root", root.to_string(), allowed);
                };
                place
            }
        };
        if call.sizes.is_some() && !operation.has_blocks() {
            let allowed = format!("must be one length for {}", operation.name());
            return refuse("sizes", "several lengths".into(), allowed);
        }
        let amount = match &call.sizes {
            None => Amount::Equal(call.bytes),
            Some(sizes) => {
                for list in [sizes, &call.receives] {
                    let needed = operation == Operation::AllToAll || std::ptr::eq(list, sizes);
                    if needed && list.len() != n as usize {
                        let allowed = format!("must be one for each member: {n}");
                        return refuse("sizes", format!("{} lengths", list.len()), allowed);
                    }
                }
                match operation {
                    Operation::AllToAll => Amount::Pairs,
                    _ => Amount::Each(sizes),
                }
            }
        };
        let total = match amount {
            Amount::Equal(bytes) => bytes,
            Amount::Each(sizes) => sizes.iter().sum(),
            Amount::Pairs => 0,
        };
        let method = call.method.unwrap_or_else(|| self.rules.method(operation));
        let one = match method {
            Method::Price(price) => {
                let time = priced(&price, operation, n, total)?;
                return Ok(Made::Meeting(if self.is_free { 0 } else { time }));
            }
            Method::Algorithm(one) => one,
            Method::Table(table) => algorithm(table, operation, n, amount),
        };
        match Plan::new(operation, one, (n, root), amount, call.segment) {
            Ok(plan) => Ok(Made::Of(Arc::new(plan))),
            Err(problem) => refuse("algorithm", one.name().into(), problem),
        }
    }

    /// The place of a process in a group.
    ///
    /// # Errors
    /// A group without it.
    pub fn place(&self, team: TeamId, process: u32, field: &str) -> Result<u32, SpecError> {
        let team = &self.teams[team.index()];
        team.place(process).ok_or_else(|| {
            let allowed = format!("must have process {process} itself in it");
            SpecError::new(format!("{field}.group"), self.in_words(&team.members), allowed)
        })
    }

    /// A process is told of the next collective of its group; its part in that.
    ///
    /// # Errors
    /// What [`Self::made`] refuses, and what does not agree with what others were told.
    pub fn join(
        &mut self,
        process: ProcessId,
        team: TeamId,
        call: &Collective,
        field: &str,
    ) -> Result<Part, SpecError> {
        let me = self.place(team, process.0, field)?;
        let here = &self.teams[team.index()];
        let number = here.told[me as usize];
        if (number - here.first) as usize == here.open.len() {
            let made = self.made(team, call, field)?;
            self.teams[team.index()].opens(process.0, call, made);
        }
        let here = &mut self.teams[team.index()];
        let shared = &mut here.open[(number - here.first) as usize];
        if let Some((what, given, other)) = difference(call, &shared.call) {
            let (by, nth) = (shared.by, number);
            let members = self.in_words(&self.teams[team.index()].members);
            let allowed =
                format!("must be {other} as process {by} has it, in collective {nth} of {members}");
            return Err(SpecError::new(format!("{field}.{what}"), given, allowed));
        }
        here.told[me as usize] += 1;
        shared.told += 1;
        let rows = shared.rows.get_mut(me as usize).map(|mine| {
            let lists = (call.sizes.clone().unwrap_or_default(), call.receives.clone());
            mine.insert(Arc::new(lists)).clone()
        });
        if shared.told == here.members.len() as u32 {
            check_rows(&std::mem::take(&mut shared.rows), &here.members, field)?;
        }
        let (made, first_tag) = (shared.made.clone(), shared.first_tag);
        Ok(Part { team, number, me, made, first_tag, rows })
    }

    /// A member begins its part; whether it is the last that does.
    pub fn begins(&mut self, part: &Part) -> bool {
        let team = &mut self.teams[part.team.index()];
        team.begun[part.me as usize] += 1;
        let count = team.members.len() as u32;
        let shared = &mut team.open[(part.number - team.first) as usize];
        shared.begun += 1;
        let is_last = shared.begun == count;
        while team.open.front().is_some_and(|shared| shared.begun == count) {
            team.open.pop_front();
            team.first += 1;
        }
        is_last
    }

    /// The members of a part's group that have not begun it; and the collective in words.
    pub fn missing(&self, part: &Part) -> (String, Option<String>) {
        let team = &self.teams[part.team.index()];
        let members = self.in_words(&team.members);
        let place = part.number.checked_sub(team.first);
        let Some(shared) = place.and_then(|place| team.open.get(place as usize)) else {
            return (format!("collective {} of {members}", part.number), None);
        };
        let missing = team.absent(part.number);
        let what = format!("{} of {members}", shared.call.operation.name());
        (what, (!missing.is_empty()).then(|| listed(&missing)))
    }

    /// A collective that some members have not begun, where nothing will happen any more.
    pub fn left(&self) -> Option<SpecError> {
        let team = self.teams.iter().find(|team| !team.open.is_empty())?;
        let shared = team.open.front()?;
        let what = format!("{} of {}", shared.call.operation.name(), self.in_words(&team.members));
        let given = format!("begun by {} of {}", shared.begun, team.members.len());
        let allowed = format!("{} must take part, too", listed(&team.absent(team.first)));
        Some(SpecError::new(what, given, allowed))
    }

    fn in_words(&self, members: &[u32]) -> String {
        if members.len() as u32 == self.processes && members.is_sorted() {
            return "all processes".into();
        }
        listed(members)
    }
}

impl Team {
    fn place(&self, process: u32) -> Option<u32> {
        let found = self.places.binary_search_by_key(&process, |&(process, _)| process);
        found.ok().map(|place| self.places[place].1)
    }

    /// The members that have not begun a collective.
    fn absent(&self, number: u32) -> Vec<u32> {
        let all = self.members.iter().zip(&self.begun);
        all.filter(|(_, begun)| **begun <= number).map(|(&process, _)| process).collect()
    }

    fn opens(&mut self, by: u32, call: &Collective, made: Made) {
        let first_tag = self.next_tag;
        if let Made::Of(plan) = &made {
            self.next_tag = first_tag.wrapping_add(plan.rounds());
        }
        let has_rows = call.operation == Operation::AllToAll && call.sizes.is_some();
        let rows = vec![None; if has_rows { self.members.len() } else { 0 }];
        let sizes = if has_rows { Some(Vec::new()) } else { call.sizes.clone() };
        let call = Collective { group: None, receives: Vec::new(), sizes, ..*call };
        self.open.push_back(Shared { call, made, first_tag, by, told: 0, begun: 0, rows });
    }
}
