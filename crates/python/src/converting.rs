//! Traces, turned from one form into another.

use crate::errors::trace_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tailback_traces::writers::{Target, Writing, Written, convert};
use tailback_traces::{Format, Mistake, Options};

/// How long nobody is told how far the work has come.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// How a file is read and written, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    format: Option<String>,
    target: String,
    most_bytes: u64,
    cycle_ps: u64,
    groups: Option<PathBuf>,
    peak_flops: Option<f64>,
    memory_bytes_per_s: Option<f64>,
    flops: Option<f64>,
}

/// Writes a trace in another form, and counts what it has; none if it was stopped.
///
/// `watch` is told how many operations there were some ten times a second, and answers whether to
/// go on.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python's values become ours")]
pub fn convert_trace(
    py: Python<'_>,
    file: PathBuf,
    out: PathBuf,
    settings: Settings,
    watch: Py<PyAny>,
) -> PyResult<Option<Bound<'_, PyDict>>> {
    let mut failure = None;
    let written = py.detach(|| {
        let mut last = Instant::now();
        carry_out(&file, &out, &settings, &mut |operations| {
            if last.elapsed() < BETWEEN_LOOKS {
                return true;
            }
            last = Instant::now();
            let told = Python::attach(|py| watch.call1(py, (operations,))?.extract::<bool>(py));
            told.unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        })
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    written.map(|written| counted(py, &written)).transpose()
}

fn carry_out(
    file: &Path,
    out: &Path,
    settings: &Settings,
    watch: &mut dyn FnMut(u64) -> bool,
) -> PyResult<Option<Written>> {
    let unknown = |name: &str| PyValueError::new_err(format!("{name} is no form of traces"));
    let named = |name: &String| {
        let format = Format::ALL.into_iter().find(|format| format.name() == name);
        format.ok_or_else(|| unknown(name))
    };
    let target = Target::ALL.into_iter().find(|target| target.name() == settings.target);
    let target = target.ok_or_else(|| unknown(&settings.target))?;
    let options = Options {
        format: settings.format.as_ref().map(named).transpose()?,
        most_bytes: settings.most_bytes,
        cycle_ps: settings.cycle_ps,
        groups: settings.groups.clone(),
        peak_flops: settings.peak_flops,
        memory_bytes_per_s: settings.memory_bytes_per_s,
    };
    let raised = |mistake: Mistake| trace_error(&mistake);
    let mut source = tailback_traces::open(file, &options).map_err(raised)?;
    let writing = Writing { flops: settings.flops };
    convert(&mut *source, target, out, writing, watch).map_err(raised)
}

fn counted<'py>(py: Python<'py>, written: &Written) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("ranks", written.ranks)?;
    row.set_item("operations", written.operations)?;
    row.set_item("messages", written.messages)?;
    row.set_item("bytes", written.bytes)?;
    row.set_item("collectives", written.collectives)?;
    row.set_item("notes", &written.notes)?;
    Ok(row)
}
