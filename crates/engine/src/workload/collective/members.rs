//! How processes carry out their parts in collectives: round by round, whoever instructs them.

use super::moves::{Move, Moves};
use super::plan::Plan;
use super::teams::{Made, Part, Teams};
use crate::error::SpecError;
use crate::ids::{LinkId, ProcessId, TeamId};
use crate::spec::{self, Collective};
use crate::time::Time;
use crate::workload::instruction::{Op, Send};
use std::sync::Arc;

/// The collectives of all processes of a run.
pub struct Collectives {
    teams: Teams,
    members: Vec<Member>,
    moves: Moves,
}

/// A process, as far as collectives go.
#[derive(Default)]
struct Member {
    active: Option<Box<Active>>,
    /// Messages that are there before their round: group, tag, number.
    early: Vec<(TeamId, u32, u32)>,
}

/// The collective that a process is in.
struct Active {
    part: Part,
    members: Arc<[u32]>,
    state: State,
    round: u32,
    /// What is still to be sent in the round, the next one last: to whom, and how much.
    sends: Vec<(ProcessId, u64)>,
    /// Messages of the round that have not come.
    awaited: u32,
    /// Its messages that have not been acknowledged.
    unacknowledged: u32,
    /// Bytes of the round that are added to one's own.
    added: u64,
    /// Whether it is to be told when it can go on.
    waits: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It comes to where others are met.
    Coming,
    /// It waits there; until when, once all have come.
    Met(Option<Time>),
    /// The next round begins.
    Round,
    /// It sends, and waits for what it receives.
    Messages,
    /// It adds what has come.
    Adding,
}

/// What a process in a collective does next.
pub enum Next {
    /// It carries out an instruction.
    Do(Op),
    /// It waits.
    Waits,
    /// The collective is over for it, or there is none.
    Over,
}

impl Collectives {
    /// Those of so many processes; see [`Teams::new`].
    pub fn new(rules: &spec::Collectives, processes: usize, is_free: bool) -> Self {
        Self {
            teams: Teams::new(rules, processes, is_free),
            members: (0..processes).map(|_| Member::default()).collect(),
            moves: Moves::default(),
        }
    }

    /// The group of these processes in this order; see [`Teams::team`].
    pub fn team(&mut self, group: Option<&[u32]>, field: &str) -> Result<TeamId, SpecError> {
        self.teams.team(group, field)
    }

    /// Whether a process of a group can carry out a collective; see [`Teams::made`].
    pub fn check(
        &self,
        team: TeamId,
        process: u32,
        call: &Collective,
        field: &str,
    ) -> Result<(), SpecError> {
        self.teams.place(team, process, field)?;
        self.teams.made(team, call, field).map(|_| ())
    }

    /// The next collective of a process in a group; see [`Teams::join`].
    pub fn join(
        &mut self,
        process: ProcessId,
        team: TeamId,
        call: &Collective,
        field: &str,
    ) -> Result<Part, SpecError> {
        self.teams.join(process, team, call, field)
    }

    /// A process begins its part in a collective.
    pub fn begin(&mut self, process: ProcessId, part: Part) {
        let is_meeting = matches!(part.made, Made::Meeting(_));
        if !is_meeting {
            self.teams.begins(&part);
        }
        self.members[process.index()].active = Some(Box::new(Active {
            members: self.teams.members(part.team).clone(),
            part,
            state: if is_meeting { State::Coming } else { State::Round },
            round: 0,
            sends: Vec::new(),
            awaited: 0,
            unacknowledged: 0,
            added: 0,
            waits: false,
        }));
    }

    /// Whether a process is in a collective.
    #[inline]
    pub fn is_in(&self, process: ProcessId) -> bool {
        self.members.get(process.index()).is_some_and(|member| member.active.is_some())
    }

    /// What a process does next, if it is in a collective.
    pub fn next(&mut self, process: ProcessId) -> Next {
        let member = &mut self.members[process.index()];
        let Some(active) = member.active.as_deref_mut() else { return Next::Over };
        loop {
            match active.state {
                State::Coming => {
                    active.state = State::Met(None);
                    return Next::Do(Op::Meet);
                }
                State::Met(_) | State::Adding => return Next::Waits,
                State::Round => {
                    let Made::Of(plan) = &active.part.made else { return Next::Waits };
                    let plan = Arc::clone(plan);
                    if active.round == plan.rounds() {
                        active.waits = active.unacknowledged > 0;
                        if active.waits {
                            return Next::Waits;
                        }
                        member.active = None;
                        return Next::Over;
                    }
                    active.begins_round(&plan, &mut self.moves, &mut member.early);
                }
                State::Messages => {
                    if let Some((to, bytes)) = active.sends.pop() {
                        active.unacknowledged += 1;
                        let (team, tag) = (active.part.team, active.tag());
                        let link = LinkId::NONE;
                        return Next::Do(Op::Send(Send {
                            to,
                            tag,
                            bytes,
                            link,
                            blocking: false,
                            team,
                            traffic: 0,
                        }));
                    }
                    active.waits = active.awaited > 0;
                    if active.waits {
                        return Next::Waits;
                    }
                    active.round += 1;
                    active.state = State::Round;
                    let time = self.teams.adding(std::mem::take(&mut active.added));
                    if time > 0 {
                        active.state = State::Adding;
                        return Next::Do(Op::Compute(time));
                    }
                }
            }
        }
    }

    /// A process has computed: whether that was for a collective.
    #[inline]
    pub fn computed(&mut self, process: ProcessId) -> bool {
        let Some(active) =
            self.members.get_mut(process.index()).and_then(|m| m.active.as_deref_mut())
        else {
            return false;
        };
        active.state = State::Round;
        true
    }

    /// A message of a collective is there; whether its process can now go on.
    pub fn received(&mut self, process: ProcessId, team: TeamId, tag: u32) -> bool {
        let member = &mut self.members[process.index()];
        if let Some(active) = member.active.as_deref_mut()
            && active.state == State::Messages
            && (active.part.team, active.tag()) == (team, tag)
        {
            active.awaited -= 1;
            return active.goes_on(active.awaited);
        }
        let known = member.early.iter_mut().find(|early| (early.0, early.1) == (team, tag));
        match known {
            Some((_, _, count)) => *count += 1,
            None => member.early.push((team, tag, 1)),
        }
        false
    }

    /// A message of a process in a collective has been acknowledged; whether it can now go on.
    pub fn acknowledged(&mut self, process: ProcessId) -> bool {
        let Some(active) = self.members[process.index()].active.as_deref_mut() else {
            debug_assert!(false, "a collective ended before its messages were acknowledged");
            return false;
        };
        active.unacknowledged -= 1;
        active.state == State::Round && active.goes_on(active.unacknowledged)
    }

    /// A process has come to where it meets others. If it is the last: who they are, and how long
    /// they stay.
    pub fn meets(&mut self, process: ProcessId) -> Option<(Arc<[u32]>, Time)> {
        let active = self.members[process.index()].active.as_deref()?;
        let Made::Meeting(price) = active.part.made else { return None };
        let members = active.members.clone();
        self.teams.begins(&active.part).then_some((members, price))
    }

    /// All have come: a process leaves at an instant.
    pub fn leaves_at(&mut self, process: ProcessId, at: Time) {
        if let Some(active) = self.members[process.index()].active.as_deref_mut() {
            active.state = State::Met(Some(at));
        }
    }

    /// A process leaves a meeting, if it is time; whether it does.
    pub fn leaves(&mut self, process: ProcessId, now: Time) -> bool {
        let Some(member) = self.members.get_mut(process.index()) else { return false };
        let over =
            |active: &Active| matches!(active.state, State::Met(Some(until)) if until <= now);
        if !member.active.as_deref().is_some_and(over) {
            return false;
        }
        member.active = None;
        true
    }

    /// See [`Teams::left`].
    pub fn left(&self) -> Option<SpecError> {
        self.teams.left()
    }

    /// What a process in a collective waits for.
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        let active = self.members.get(process.index())?.active.as_deref()?;
        let (what, missing) = self.teams.missing(&active.part);
        if let Some(missing) = missing {
            return Some(format!("{missing} in the {what}"));
        }
        Some(match active.state {
            State::Met(_) | State::Coming => format!("the end of the {what}"),
            State::Adding => "the processor".into(),
            State::Round => format!("its messages in {what} to be acknowledged"),
            State::Messages => format!("{} messages in {what}", active.awaited),
        })
    }
}

impl Active {
    fn tag(&self) -> u32 {
        self.part.first_tag.wrapping_add(self.round)
    }

    /// Whether it is told that it can go on, if so many things are left to wait for.
    fn goes_on(&mut self, left: u32) -> bool {
        left == 0 && std::mem::take(&mut self.waits)
    }

    fn begins_round(
        &mut self,
        plan: &Plan,
        moves: &mut Moves,
        early: &mut Vec<(TeamId, u32, u32)>,
    ) {
        let adds = plan.moves(self.part.me, self.round, moves);
        let rows = self.part.rows.as_deref();
        let length = |row: Option<&Vec<u64>>, at: &Move| {
            row.map_or_else(|| plan.bytes(at.data), |row| row[at.peer as usize])
        };
        // Where every pair has a length of its own, what is empty is not sent.
        let is_sent = |bytes: u64| rows.is_none() || bytes > 0;
        let sends = moves.sends.iter().rev().filter_map(|at| {
            let bytes = length(rows.map(|rows| &rows.0), at);
            is_sent(bytes).then(|| (ProcessId(self.members[at.peer as usize]), bytes))
        });
        self.sends.clear();
        self.sends.extend(sends);
        let came = moves.receives.iter().map(|at| length(rows.map(|rows| &rows.1), at));
        (self.awaited, self.added) = (0, 0);
        for bytes in came.filter(|&bytes| is_sent(bytes)) {
            self.awaited += 1;
            self.added += if adds { bytes } else { 0 };
        }
        let round = (self.part.team, self.tag());
        if let Some(place) = early.iter().position(|early| (early.0, early.1) == round) {
            self.awaited -= early.swap_remove(place).2;
        }
        self.state = State::Messages;
    }
}
