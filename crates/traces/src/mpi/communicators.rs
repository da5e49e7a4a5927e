//! The communicators that programs make.

use super::record::{Call, Parsed};
use crate::communicator::Communicator;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Contexts of communicators: the n-th that is made of the same members in the same order.
#[derive(Debug, Default)]
pub struct Contexts {
    known: HashMap<(Arc<[u32]>, u32), u32>,
    /// What `MPI_Comm_split` has made, by rank, in order: read when the first is met.
    pub splits: Option<Splits>,
}

/// By rank: the members of what each `MPI_Comm_split` gave it; none where it gave it nothing.
pub type Splits = Vec<VecDeque<Option<Arc<[u32]>>>>;

/// What communicators are called that are made, and those that they are made of.
const NEW: &[&str] = &["newcomm", "comm_cart", "comm_graph", "newintercomm"];
const OLD: &[&str] = &["oldcomm", "comm", "comm_old"];

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
    /// The sides of those that are grids.
    grids: HashMap<i64, Vec<u32>>,
    /// Of a trace that says what each is: their handles, in the order in which they were met.
    handles: Vec<i64>,
}

/// The number of the communicator of all ranks in DUMPI.
pub const WORLD: i64 = 2;
const ITSELF: i64 = 3;
/// The same where libraries of MPI number them: Open MPI, and MPICH and what comes from it.
const WORLDS: [i64; 2] = [0, WORLD_OF_MPICH];
const WORLD_OF_MPICH: i64 = 0x4400_0000;

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
            grids: HashMap::new(),
            handles: Vec::new(),
        }
    }

    /// That of a call. In traces of liballprof its handle, rank and size are given.
    pub fn of(&self, call: &Call, names: &[&str]) -> Parsed<Communicator> {
        if !call.is_described {
            return self.numbered(call.number(names)?);
        }
        let [handle, rank, size] = call.numbers(names)?[..] else {
            return Err(format!("{} must be a handle, a rank and a size", names[0]));
        };
        let is_all = size == i64::from(self.ranks) && rank == i64::from(self.me);
        let place = self.handles.iter().position(|&known| known == handle).unwrap_or(0);
        match (is_all, place) {
            (true, place) => {
                // 1 is what a rank says to itself.
                let context = if place == 0 { 0 } else { place as u32 + 1 };
                Ok(Communicator { context, members: None })
            }
            _ if size == 1 => self.numbered(ITSELF),
            (_, 0) => Err(format!(
                "the first communicator is of {size} ranks, of which this is {rank}; files of {} \
                 were found, of which this is {}",
                self.ranks, self.me
            )),
            _ => Err("communicators of some ranks, or in another order, are not read".into()),
        }
    }

    /// Meets the communicator of a call: the first is that of all ranks, unless it is one that a
    /// library of MPI numbers so.
    pub fn meet(&mut self, call: &Call) {
        let numbers = call.numbers(&["comm"]).unwrap_or_default();
        let [handle, _, size] = numbers[..] else { return };
        if self.handles.contains(&handle) || size == 1 && self.ranks > 1 {
            return;
        }
        let is_world = WORLDS.contains(&handle);
        self.handles.insert(if is_world { 0 } else { self.handles.len() }, handle);
    }

    /// The number by which any source is meant: MPICH and its kin have another than Open MPI and DUMPI.
    pub fn any_source(&self) -> i64 {
        if self.handles.contains(&WORLD_OF_MPICH) { -2 } else { -1 }
    }

    /// How many bytes a request takes, which is what a communicator takes: a pointer, or an integer.
    pub fn request_bytes(&self) -> i64 {
        let is_pointer = self.handles.iter().any(|&handle| handle > u32::MAX.into());
        if is_pointer { 8 } else { 4 }
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
                let (members, new) = (self.members(call)?, call.number(&["newcomm"])?);
                self.make(new, members, contexts);
                if let Some(sides) = self.grids.get(&call.number(OLD)?).cloned() {
                    self.grids.insert(new, sides);
                }
            }
            "MPI_Comm_split" => self.split(call, contexts)?,
            "MPI_Cart_create" => {
                let sides = sides_of(call, "dims")?;
                let count = sides.iter().try_fold(1u32, |all, &side| all.checked_mul(side));
                let new = self.first_of(call, count.map(u64::from), contexts)?;
                self.grids.insert(new, sides);
            }
            "MPI_Graph_create" => {
                self.first_of(call, Some(call.count(&["nodes", "nnodes"])?), contexts)?;
            }
            "MPI_Cart_sub" => self.slice(call, contexts)?,
            "MPI_Comm_create" => {
                let members = self.known_group(call.number(&["group"])?)?;
                if members.contains(&self.me) {
                    self.make(call.number(&["newcomm"])?, members, contexts);
                }
            }
            "MPI_Comm_split_type"
            | "MPI_Dist_graph_create"
            | "MPI_Dist_graph_create_adjacent"
            | "MPI_Intercomm_create"
            | "MPI_Intercomm_merge" => {
                if let Ok(new) = call.number(NEW) {
                    self.unknown.insert(new, call.name.clone());
                    self.known.remove(&new);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Who is in the communicator that a call makes another of, in order.
    pub fn members(&self, call: &Call) -> Parsed<Arc<[u32]>> {
        let of = self.of(call, OLD)?;
        Ok(of.members.unwrap_or_else(|| (0..self.ranks).collect()))
    }

    /// Makes what `MPI_Comm_split` gave this rank.
    fn split(&mut self, call: &Call, contexts: &mut Contexts) -> Parsed<()> {
        let splits = contexts.splits.as_mut();
        let made = splits.and_then(|splits| splits[self.me as usize].pop_front());
        let made = made.ok_or("the members of a communicator do not split it as often")?;
        self.given(call, made, contexts)
    }

    /// Makes the communicator that a call gives this rank, if it gives it one.
    pub fn given(
        &mut self,
        call: &Call,
        made: Option<Arc<[u32]>>,
        contexts: &mut Contexts,
    ) -> Parsed<()> {
        if let Some(members) = made {
            self.make(call.number(NEW)?, members, contexts);
        }
        Ok(())
    }

    /// Makes a communicator of the first members of another; its number.
    fn first_of(
        &mut self,
        call: &Call,
        count: Option<u64>,
        contexts: &mut Contexts,
    ) -> Parsed<i64> {
        let (members, new) = (self.members(call)?, call.number(NEW)?);
        let count = count.and_then(|count| usize::try_from(count).ok());
        let of = members.len();
        let count = count.filter(|&count| count <= of);
        let count =
            count.ok_or_else(|| format!("has more places than the {of} ranks there are"))?;
        let members: Arc<[u32]> = members[..count].into();
        if members.contains(&self.me) {
            self.make(new, members, contexts);
        }
        Ok(new)
    }

    /// Makes the part of a grid whose members have the same places in the dimensions left out.
    fn slice(&mut self, call: &Call, contexts: &mut Contexts) -> Parsed<()> {
        let old = call.number(OLD)?;
        let sides = self.grids.get(&old).cloned();
        let sides = sides.ok_or_else(|| format!("communicator {old} is no grid"))?;
        let remains: Vec<_> = call.numbers(&["remain_dims"])?.iter().map(|&one| one != 0).collect();
        if remains.len() != sides.len() {
            return Err(format!("remain_dims must have one for each side: {}", sides.len()));
        }
        let members = self.members(call)?;
        // The last side runs fastest.
        let left_out = |place: usize| {
            let mut rest = place as u32;
            let places = sides.iter().zip(&remains).rev().map(|(&side, &remains)| {
                let at = rest % side;
                rest /= side;
                if remains { 0 } else { at }
            });
            places.collect::<Vec<_>>()
        };
        let mine = members.iter().position(|&rank| rank == self.me).map(left_out);
        let mine = mine.ok_or("this rank is not in it")?;
        let part = members.iter().enumerate().filter(|&(place, _)| left_out(place) == mine);
        let (part, new) = (part.map(|(_, &rank)| rank).collect(), call.number(NEW)?);
        self.make(new, part, contexts);
        let kept = sides.iter().zip(&remains).filter(|&(_, &remains)| remains);
        self.grids.insert(new, kept.map(|(&side, _)| side).collect());
        Ok(())
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

/// The sides of a grid: none is 0.
fn sides_of(call: &Call, name: &str) -> Parsed<Vec<u32>> {
    let side = |&side: &i64| {
        let side = u32::try_from(side).ok().filter(|&side| side > 0);
        side.ok_or_else(|| format!("{name} must be numbers from 1"))
    };
    call.numbers(&[name])?.iter().map(side).collect()
}
