//! The communicators that programs make.

use super::record::{Call, Parsed};
use crate::communicator::Communicator;
use std::collections::HashMap;
use std::sync::Arc;

/// Contexts of communicators: the n-th that is made of the same members in the same order.
#[derive(Debug, Default)]
pub struct Contexts {
    known: HashMap<(Arc<[u32]>, u32), u32>,
}

/// Messages that collectives are made of have this bit.
pub const TOGETHER: u32 = 1 << 31;

/// The communicators and groups that a rank has made.
#[derive(Debug)]
pub struct Communicators {
    me: u32,
    ranks: u32,
    known: HashMap<i64, Communicator>,
    groups: HashMap<i64, Arc<[u32]>>,
    /// How many were made of the same members.
    made: HashMap<Arc<[u32]>, u32>,
    unknown: HashMap<i64, String>,
}

/// The number of the communicator of all ranks in DUMPI.
pub const WORLD: i64 = 2;
const ITSELF: i64 = 3;
/// The same where libraries of MPI number them: Open MPI, and MPICH and what comes from it.
const WORLDS: [i64; 2] = [0, 0x4400_0000];

impl Communicators {
    /// Those that are there from the beginning.
    pub fn new(me: u32, ranks: u32) -> Self {
        Self {
            me,
            ranks,
            known: HashMap::new(),
            groups: HashMap::new(),
            made: HashMap::new(),
            unknown: HashMap::new(),
        }
    }

    /// That of a call. In traces of liballprof its number, rank and size are given.
    pub fn of(&self, call: &Call, names: &[&str]) -> Parsed<Communicator> {
        let value = call.value(names)?;
        if value.contains(&b',') {
            let parts = call.numbers(names)?;
            let (rank, size) = (parts.get(1).copied(), parts.get(2).copied());
            let is_world = size == Some(i64::from(self.ranks)) && rank == Some(i64::from(self.me));
            let what = "communicators of some ranks, or in another order, are not read";
            let is_first = WORLDS.contains(&parts[0]);
            let context = if is_first { 0 } else { parts[0].unsigned_abs() as u32 & !TOGETHER };
            return if is_world {
                Ok(Communicator { context, members: None })
            } else {
                Err(what.into())
            };
        }
        self.numbered(call.number(names)?)
    }

    fn numbered(&self, number: i64) -> Parsed<Communicator> {
        match number {
            WORLD => return Ok(Communicator { context: 0, members: None }),
            ITSELF => return Ok(Communicator { context: 1, members: Some(Arc::new([self.me])) }),
            _ => {}
        }
        if let Some(maker) = self.unknown.get(&number) {
            return Err(format!(
                "who is in communicator {number}, which {maker} made, is not read"
            ));
        }
        let known = self.known.get(&number).cloned();
        known.ok_or_else(|| {
            format!("communicator {number} is not known: no call of the trace makes it")
        })
    }

    /// Remembers what a call makes; whether it makes a communicator or a group.
    pub fn made_by(&mut self, call: &Call, contexts: &mut Contexts) -> Parsed<bool> {
        let everybody = |ranks| (0..ranks).collect::<Arc<[u32]>>();
        match call.name.as_str() {
            "MPI_Comm_group" => {
                let of = self.of(call, &["comm"])?;
                let members = of.members.unwrap_or_else(|| everybody(self.ranks));
                self.groups.insert(call.number(&["group"])?, members);
            }
            "MPI_Group_incl" | "MPI_Group_excl" => self.group(call)?,
            "MPI_Comm_dup" => {
                let of = self.of(call, &["oldcomm", "comm"])?;
                let members = of.members.unwrap_or_else(|| everybody(self.ranks));
                self.make(call.number(&["newcomm"])?, members, contexts);
            }
            "MPI_Comm_create" => {
                let members = self.known_group(call.number(&["group"])?)?;
                if members.contains(&self.me) {
                    self.make(call.number(&["newcomm"])?, members, contexts);
                }
            }
            "MPI_Comm_split"
            | "MPI_Cart_create"
            | "MPI_Cart_sub"
            | "MPI_Graph_create"
            | "MPI_Intercomm_create"
            | "MPI_Intercomm_merge" => {
                let new = call.number(&["newcomm", "comm_cart", "comm_graph", "newintercomm"]);
                if let Ok(new) = new {
                    self.unknown.insert(new, call.name.clone());
                    self.known.remove(&new);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn known_group(&self, number: i64) -> Parsed<Arc<[u32]>> {
        self.groups.get(&number).cloned().ok_or_else(|| format!("group {number} is not known"))
    }

    fn group(&mut self, call: &Call) -> Parsed<()> {
        let old = self.known_group(call.number(&["group"])?)?;
        let places = call.numbers(&["ranks"])?;
        let there = |place: i64| usize::try_from(place).is_ok_and(|place| place < old.len());
        if let Some(place) = places.iter().find(|&&place| !there(place)) {
            return Err(format!("rank {place} is not in the group of {}", old.len()));
        }
        let members = if call.name == "MPI_Group_incl" {
            places.iter().map(|&place| old[place as usize]).collect()
        } else {
            let left = (0..old.len())
                .filter(|&place| !places.iter().any(|&left_out| left_out as usize == place));
            left.map(|place| old[place]).collect()
        };
        self.groups.insert(call.number(&["newgroup"])?, members);
        Ok(())
    }

    fn make(&mut self, number: i64, members: Arc<[u32]>, contexts: &mut Contexts) {
        let nth = self.made.entry(Arc::clone(&members)).or_insert(0);
        // 0 is the world, 1 what a rank says to itself.
        let next = contexts.known.len() as u32 + 2;
        let context = *contexts.known.entry((Arc::clone(&members), *nth)).or_insert(next);
        *nth += 1;
        let is_world = members.iter().copied().eq(0..self.ranks);
        let members = (!is_world).then_some(members);
        self.unknown.remove(&number);
        self.known.insert(number, Communicator { context, members });
    }
}
