//! Who is in the communicators that `MPI_Comm_split` makes: that is known only when the colours and
//! keys of all members are, so the calls of all ranks are read for them once, before any is needed.

use super::communicators::{Communicators, Contexts, Splits};
use super::record::{Call, Dialect, Parsed};
use crate::lines::{Lines, piece_of_each};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the call.
pub const SPLIT: &str = "MPI_Comm_split";

/// A rank that is read as far as its next split.
struct Reader {
    lines: Lines,
    call: Call,
    communicators: Communicators,
    /// How often it has split a communicator of these members.
    times: HashMap<Arc<[u32]>, u32>,
    /// The split that waits for the other members.
    waits: Option<Waiting>,
}

/// One rank's part in a split.
struct Waiting {
    /// The members, and the how manieth split of theirs it is.
    of: (Arc<[u32]>, u32),
    /// Below 0: it gets nothing.
    color: i64,
    key: i64,
}

/// Reads what all splits of a program make, from the files of its ranks.
///
/// # Errors
/// Files that cannot be read; a split that some members do not take part in.
pub fn read<D: Dialect>(files: &[PathBuf]) -> Result<Splits, Mistake> {
    let piece = piece_of_each(files.len());
    let count = files.len() as u32;
    let reader = |(file, me): (&PathBuf, u32)| {
        Ok(Reader {
            lines: Lines::of_file(Arc::new(Pieces::one_of_many(file)?), piece),
            call: Call::default(),
            communicators: Communicators::new(me, count),
            times: HashMap::new(),
            waits: None,
        })
    };
    let mut readers = files.iter().zip(0..).map(reader).collect::<Result<Vec<_>, Mistake>>()?;
    let mut splits: Splits = vec![VecDeque::new(); files.len()];
    let mut contexts = Contexts::default();
    let mut here: HashMap<(Arc<[u32]>, u32), usize> = HashMap::new();
    let mut ready: Vec<usize> = (0..readers.len()).collect();
    while let Some(me) = ready.pop() {
        let reader = &mut readers[me];
        reader.read::<D>(&mut contexts)?;
        let Some(Waiting { of, .. }) = &reader.waits else { continue };
        let of = of.clone();
        let there = here.entry(of.clone()).or_insert(0);
        *there += 1;
        if *there == of.0.len() {
            here.remove(&of);
            share_out(&mut readers, &of.0, &mut splits, &mut contexts)?;
            ready.extend(of.0.iter().map(|&rank| rank as usize));
        }
    }
    match readers.iter().find(|reader| reader.waits.is_some()) {
        None => Ok(splits),
        Some(reader) => Err(reader.mistake("not all members of the communicator call it")),
    }
}

/// Gives every member of a communicator that all have come to split what it gets.
fn share_out(
    readers: &mut [Reader],
    members: &[u32],
    splits: &mut Splits,
    contexts: &mut Contexts,
) -> Result<(), Mistake> {
    let mut by_color: HashMap<i64, Vec<(i64, usize, u32)>> = HashMap::new();
    let mut colors = Vec::with_capacity(members.len());
    for (place, &rank) in members.iter().enumerate() {
        let Some(Waiting { color, key, .. }) = readers[rank as usize].waits.take() else {
            continue;
        };
        by_color.entry(color).or_default().push((key, place, rank));
        colors.push((rank, color));
    }
    let in_order = |(color, mut of): (i64, Vec<(i64, usize, u32)>)| {
        of.sort_unstable();
        (color, of.iter().map(|&(_, _, rank)| rank).collect::<Arc<[u32]>>())
    };
    let made: HashMap<_, _> = by_color.into_iter().map(in_order).collect();
    for (rank, color) in colors {
        let given = (color >= 0).then(|| Arc::clone(&made[&color]));
        let Reader { communicators, call, .. } = &mut readers[rank as usize];
        let known = communicators.given(call, given.clone(), contexts);
        known.map_err(|what| readers[rank as usize].mistake(&what))?;
        splits[rank as usize].push_back(given);
    }
    Ok(())
}

impl Reader {
    /// Reads up to the next split, or to the end.
    fn read<D: Dialect>(&mut self, contexts: &mut Contexts) -> Result<(), Mistake> {
        while D::read(&mut self.lines, &mut self.call)? {
            if self.call.name == SPLIT {
                self.waits = Some(self.waiting().map_err(|what| self.mistake(&what))?);
                return Ok(());
            }
            // What is wrong with others is said when they are read for themselves.
            let _ = self.communicators.made_by(&self.call, contexts);
        }
        Ok(())
    }

    fn waiting(&mut self) -> Parsed<Waiting> {
        let members = self.communicators.members(&self.call)?;
        let times = self.times.entry(Arc::clone(&members)).or_insert(0);
        *times += 1;
        let color = self.call.number(&["color"])?;
        Ok(Waiting { of: (members, *times), color, key: self.call.number(&["key"])? })
    }

    fn mistake(&self, what: &str) -> Mistake {
        Mistake::in_line(self.lines.path(), self.call.line, format!("{SPLIT}: {what}"))
    }
}
