//! A program that is read call by call.

use super::communicators::{Contexts, WORLD};
use super::output::Output;
use super::rank::Rank;
use super::record::{Call, Parsed};
use crate::calls::Calls;
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::counted;
use crate::{Source, sequence};
use std::collections::BTreeMap;
use tailback_engine::workload::trace::{Batch, What};

/// Calls are read until a batch has so many operations.
const BATCH: usize = 128;

/// How calls are written down.
pub trait Dialect: Send {
    /// Reads the next call of a rank; false if there is none.
    fn read(lines: &mut Lines, call: &mut Call) -> Result<bool, Mistake>;
}

/// A program that is read.
pub struct Program<D> {
    ranks: Vec<(Lines, Rank)>,
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
        let ranks = lines.into_iter().zip(0..).map(|(lines, me)| (lines, Rank::new(me, count)));
        Self {
            ranks: ranks.collect(),
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

impl Rank {
    /// Appends what was computed since the last call, and what this one does.
    fn call(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<()> {
        self.place = output.calls.number(&call.name);
        if let (Some(done), Some(begun)) = (self.done, call.begun) {
            // Times may have wrapped around; what goes backwards is no time.
            let gap = begun.wrapping_sub(done);
            if gap > 0 && gap < 1 << 63 {
                self.then(What::Compute(gap), sequence::Call::Blocks, output);
            }
        }
        self.done = call.done.or(call.begun).or(self.done);
        if call.name == "MPI_Comm_size" {
            self.check_size(call)?;
        }
        let is_known = self.message(call, output)?
            || self.waiting(call, output)?
            || self.collective(call, output)?
            || self.types.made_by(call)?
            || self.communicators.made_by(call, output.contexts)?;
        if !is_known {
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
