//! Traces: read from files and given to ranks, without Python in between.

use crate::errors::{self, trace_error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tailback_engine as engine;
use tailback_engine::ids::ProcessId;
use tailback_engine::workload::trace::{Batch, What};
use tailback_traces::{Format, Mistake, Options, Source};

/// A file, and how it is read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct File {
    file: PathBuf,
    /// The name of its format; none: what it looks like.
    format: Option<String>,
    cycle_ps: u64,
    groups: Option<PathBuf>,
    peak_flops: Option<f64>,
    memory_bytes_per_s: Option<f64>,
}

impl File {
    fn open(&self) -> PyResult<Box<dyn Source>> {
        let known = |name: &str| Format::ALL.into_iter().find(|format| format.name() == name);
        let format =
            match self.format.as_deref() {
                None => None,
                Some(name) => Some(known(name).ok_or_else(|| {
                    PyValueError::new_err(format!("{name} is no format of traces"))
                })?),
            };
        let options = Options {
            format,
            cycle_ps: self.cycle_ps,
            groups: self.groups.clone(),
            peak_flops: self.peak_flops,
            memory_bytes_per_s: self.memory_bytes_per_s,
            ..Options::default()
        };
        tailback_traces::open(&self.file, &options).map_err(|mistake| trace_error(&mistake))
    }
}

/// The name of the format that a file has, by what is in it.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python's values become ours")]
pub fn trace_format(file: PathBuf) -> PyResult<&'static str> {
    let guessed = tailback_traces::format::guess(&file);
    guessed.map(Format::name).map_err(|mistake| trace_error(&mistake))
}

/// Gives ranks what files say.
pub struct Feeder {
    /// One for each trace, in the order of their ranks.
    traces: Vec<Trace>,
    batch: Batch,
}

struct Trace {
    file: PathBuf,
    /// Never locked: Python may share what only one thread uses at a time.
    source: Mutex<Box<dyn Source>>,
    /// The process that is its first rank.
    first: u32,
}

/// Why a run with a trace cannot go on.
pub enum Failure {
    /// What has happened in the run.
    Run(engine::RunError),
    /// What the file has that cannot be.
    Spec(engine::SpecError),
    /// What is wrong with the file itself.
    File(Mistake),
}

impl Failure {
    /// As an exception.
    pub fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Run(error) => errors::run_error(py, error),
            Self::Spec(error) => errors::spec_error(py, error),
            Self::File(mistake) => trace_error(mistake),
        }
    }
}

impl Feeder {
    /// Opens the files of a run's traces.
    pub fn open(files: Vec<File>, simulation: &engine::Simulation) -> PyResult<Self> {
        let firsts: Vec<_> = simulation.first_ranks().collect();
        if firsts.len() != files.len() {
            let text = format!("{} files for {} traces", files.len(), firsts.len());
            return Err(PyValueError::new_err(text));
        }
        let trace = |(file, first): (File, ProcessId)| {
            let source = Mutex::new(file.open()?);
            Ok(Trace { file: file.file, source, first: first.0 })
        };
        let traces = files.into_iter().zip(firsts).map(trace).collect::<PyResult<_>>()?;
        Ok(Self { traces, batch: Batch::default() })
    }

    /// Lets a run go on until something else is asked for.
    pub fn advance(
        &mut self,
        simulation: &mut engine::Simulation,
        until: u64,
        last_event: u64,
    ) -> Result<engine::Progress, Failure> {
        loop {
            let max_events = last_event.saturating_sub(simulation.events());
            match simulation.advance(until, max_events).map_err(Failure::Run)? {
                engine::Progress::Wants => self.feed(simulation)?,
                other => return Ok(other),
            }
        }
    }

    /// Of every trace: the process that is its first rank, and names of places in the program by the
    /// numbers that calls have, as far as it has been read. Empty where it has none.
    pub fn places(&mut self) -> Vec<(u32, Vec<String>)> {
        let places = |trace: &mut Trace| {
            let source = trace.source.get_mut().unwrap_or_else(PoisonError::into_inner);
            (trace.first, source.calls().to_vec())
        };
        self.traces.iter_mut().map(places).collect()
    }

    fn feed(&mut self, simulation: &mut engine::Simulation) -> Result<(), Failure> {
        let wanting: Vec<_> = simulation.wanting().collect();
        for process in wanting {
            let behind = self.traces.partition_point(|trace| trace.first <= process.0);
            let Trace { file, source, first } = &mut self.traces[behind - 1];
            let source = source.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.batch.clear();
            let rank = process.0 - *first;
            let goes_on = source.next(rank, &mut self.batch).map_err(Failure::File)?;
            let batch = goes_on.then_some(&mut self.batch);
            simulation.feed(process, batch).map_err(|error| {
                let field = format!("{}: {}", file.display(), error.field);
                Failure::Spec(engine::SpecError { field, ..error })
            })?;
        }
        Ok(())
    }
}

/// What a trace has, all ranks together; of computing, what the rank has that computes most.
#[derive(Default)]
struct Counted {
    operations: u64,
    messages: u64,
    bytes: u64,
    collectives: u64,
    computing_ps: u64,
    flops: u64,
}

impl Counted {
    fn of(file: &Path, source: &mut dyn Source) -> Result<Self, Mistake> {
        let (mut counted, mut batch) = (Self::default(), Batch::default());
        for rank in 0..source.ranks() {
            let (mut computing, mut flops) = (0_u64, 0_u64);
            while source.next(rank, &mut batch)? {
                counted.operations += batch.operations.len() as u64;
                for operation in &batch.operations {
                    match operation.what {
                        What::Compute(time) => computing = computing.saturating_add(time),
                        What::Flops(count) => flops = flops.saturating_add(count),
                        What::Send(envelope) => {
                            counted.messages += 1;
                            counted.bytes += envelope.bytes;
                        }
                        What::Collective(_) => counted.collectives += 1,
                        What::Receive(_) | What::Join => {}
                    }
                }
                batch.clear();
            }
            counted.computing_ps = counted.computing_ps.max(computing);
            counted.flops = counted.flops.max(flops);
        }
        if source.ranks() == 0 {
            return Err(Mistake::new(file, "has no ranks"));
        }
        Ok(counted)
    }
}

/// What a trace has: it is read once.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python's values become ours")]
pub fn trace_facts(py: Python<'_>, file: File) -> PyResult<Bound<'_, PyDict>> {
    let (ranks, counted) = py.detach(|| {
        let mut source = file.open()?;
        let counted =
            Counted::of(&file.file, &mut *source).map_err(|mistake| trace_error(&mistake))?;
        Ok::<_, PyErr>((source.ranks(), counted))
    })?;
    let facts = PyDict::new(py);
    facts.set_item("ranks", ranks)?;
    facts.set_item("operations", counted.operations)?;
    facts.set_item("messages", counted.messages)?;
    facts.set_item("bytes", counted.bytes)?;
    facts.set_item("collectives", counted.collectives)?;
    facts.set_item("computing_ps", counted.computing_ps)?;
    facts.set_item("flops", counted.flops)?;
    Ok(facts)
}
