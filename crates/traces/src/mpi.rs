//! Programs as the calls of MPI that their ranks were seen to make: what DUMPI and liballprof have
//! in common.

mod collectives;
mod communicators;
pub mod dumpi;
mod files;
pub mod liballprof;
mod rank;
mod record;
mod types;

use crate::Source;
use crate::calls::Calls;
use crate::lines::Lines;
use crate::mistake::Mistake;
use communicators::Contexts;
use rank::Rank;
use record::Call;
use std::collections::BTreeMap;
use tailback_engine::workload::trace::Batch;

/// Calls are read until a batch has so many operations.
const BATCH: usize = 128;

/// What is wrong with a call.
type Parsed<T> = Result<T, String>;

/// How calls are written down.
trait Dialect: Send {
    /// Reads the next call of a rank; false if there is none.
    fn read(lines: &mut Lines, call: &mut Call) -> Result<bool, Mistake>;
}

/// What calls of a rank are added to.
struct Output<'a> {
    batch: &'a mut Batch,
    expected: &'a mut Vec<u32>,
    calls: &'a mut Calls,
    contexts: &'a mut Contexts,
    ignored: &'a mut BTreeMap<String, u64>,
}

/// A program that is read.
struct Program<D> {
    ranks: Vec<(Lines, Rank)>,
    call: Call,
    calls: Calls,
    contexts: Contexts,
    expected: Vec<u32>,
    /// Calls without effect, by their names.
    ignored: BTreeMap<String, u64>,
    dialect: std::marker::PhantomData<D>,
}

impl<D: Dialect> Program<D> {
    /// One of which each rank's calls are lines.
    fn new(lines: Vec<Lines>) -> Self {
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

    fn expected(&self) -> &[u32] {
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
