//! A program that is read call by call.

use super::communicators::{Contexts, WORLD};
use super::output::Output;
use super::rank::Rank;
use super::record::{Call, Dialect, Parsed};
use super::splits::{self, SPLIT};
use crate::calls::Calls;
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::counted;
use crate::{Source, sequence};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tailback_engine::workload::trace::{Batch, What};

/// Calls are read until a batch has so many operations.
const BATCH: usize = 128;

/// A program that is read.
pub struct Program<D> {
    ranks: Vec<(Lines, Rank)>,
    files: Vec<PathBuf>,
    call: Call,
    calls: Calls,
    contexts: Contexts,
    expected: Vec<u64>,
    /// Calls without effect, by their names.
    ignored: BTreeMap<String, u64>,
    dialect: std::marker::PhantomData<D>,
}

impl<D: Dialect> Program<D> {
    /// One of which each rank's calls are lines.
    pub fn new(lines: Vec<Lines>) -> Self {
        let count = lines.len() as u32;
        let files = lines.iter().map(|lines| lines.path().into()).collect();
        let ranks = lines.into_iter().zip(0..).map(|(lines, me)| (lines, Rank::new(me, count)));
        Self {
            ranks: ranks.collect(),
            files,
            call: Call::default(),
            calls: Calls::default(),
            contexts: Contexts::default(),
            expected: Vec::new(),
            ignored: BTreeMap::new(),
            dialect: std::marker::PhantomData,
        }
    }
}

impl<D: Dialect> Source for Program<D> {
    fn ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn next(&mut self, number: u32, batch: &mut Batch) -> Result<bool, Mistake> {
        self.expected.clear();
        let (lines, rank) = &mut self.ranks[number as usize];
        let before = batch.operations.len();
        let mut output = Output {
            batch,
            expected: &mut self.expected,
            calls: &mut self.calls,
            contexts: &mut self.contexts,
            ignored: &mut self.ignored,
        };
        while output.batch.operations.len() < before + BATCH && D::read(lines, &mut self.call)? {
            let call = &self.call;
            if call.name == SPLIT && !call.is_described && output.contexts.splits.is_none() {
                output.contexts.splits = Some(splits::read::<D>(&self.files)?);
            }
            rank.call(call, &mut output).map_err(|what| {
                let what = format!("{}: {what}", call.name);
                Mistake::in_line(lines.path(), call.line, what)
            })?;
        }
        Ok(output.batch.operations.len() > before)
    }

    fn calls(&self) -> &[String] {
        self.calls.names()
    }

    fn expected(&self) -> &[u64] {
        &self.expected
    }

    fn notes(&self) -> Vec<String> {
        let ignored = self.ignored.iter().map(|(name, count)| format!("{count} {name}"));
        let ignored: Vec<_> = ignored.collect();
        if ignored.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "calls without effect, but for the time between calls: {}",
            ignored.join(", ")
        )]
    }
}

/// Refuses calls that communicate, or wait for others, in ways that are not read: without them a
/// program would be another.
fn refuse_lost(name: &str) -> Parsed<()> {
    const ONE_SIDED: [&str; 10] = [
        "MPI_Put",
        "MPI_Get",
        "MPI_Accumulate",
        "MPI_Rput",
        "MPI_Rget",
        "MPI_Raccumulate",
        "MPI_Get_accumulate",
        "MPI_Rget_accumulate",
        "MPI_Fetch_and_op",
        "MPI_Compare_and_swap",
    ];
    const WAITING: [&str; 6] = [
        "MPI_Win_fence",
        "MPI_Win_post",
        "MPI_Win_start",
        "MPI_Win_complete",
        "MPI_Win_wait",
        "MPI_Win_lock",
    ];
    const OTHERS: [&str; 10] = [
        "MPI_Mrecv",
        "MPI_Imrecv",
        "MPI_Isendrecv",
        "MPI_Isendrecv_replace",
        "MPI_Psend_init",
        "MPI_Precv_init",
        "MPI_Comm_spawn",
        "MPI_Comm_spawn_multiple",
        "MPI_Comm_connect",
        "MPI_Comm_accept",
    ];
    let is_one_sided = ONE_SIDED.contains(&name) || WAITING.contains(&name);
    if is_one_sided {
        return Err("one-sided communication is not read".into());
    }
    let of_neighbours = name.contains("_Neighbor_") || name.contains("_Ineighbor_");
    if of_neighbours || OTHERS.contains(&name) {
        return Err("is not read, and communicates".into());
    }
    Ok(())
}

impl Rank {
    /// Appends what was computed since the last call, and what this one does.
    fn call(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<()> {
        self.place = output.calls.number(&call.name);
        if call.is_described {
            self.communicators.meet(call);
        }
        if let (Some(done), Some(begun)) = (self.done, call.begun) {
            // Times may have wrapped around; what goes backwards is no time.
            let gap = begun.wrapping_sub(done);
            if gap > 0 && gap < 1 << 63 {
                self.then(What::Compute(gap), sequence::Call::Blocks, output);
            }
        }
        self.done = call.done.or(call.begun).or(self.done);
        if call.name == "MPI_Comm_size" && !call.is_described {
            self.check_size(call)?;
        }
        let is_known = self.message(call, output)?
            || self.waiting(call, output)?
            || self.collective(call, output)?
            // Where every use says what they are it does not matter who makes them.
            || !call.is_described
                && (self.types.made_by(call)?
                    || self.communicators.made_by(call, output.contexts)?);
        if !is_known {
            refuse_lost(&call.name)?;
            *output.ignored.entry(call.name.clone()).or_insert(0) += 1;
        }
        Ok(())
    }

    /// Refuses a program of which files are missing.
    fn check_size(&self, call: &Call) -> Parsed<()> {
        let is_world = call.number(&["comm"]).is_ok_and(|comm| comm == WORLD);
        match call.count(&["size"]) {
            Ok(size) if is_world && size != u64::from(self.ranks) => {
                let ranks = counted(size, "rank");
                Err(format!("MPI_COMM_WORLD has {ranks}; files of {} were found", self.ranks))
            }
            _ => Ok(()),
        }
    }
}
