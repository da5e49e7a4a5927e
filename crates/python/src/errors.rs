//! The one map from engine errors to exceptions.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{PyErr, create_exception};
use tailback_engine as engine;
use tailback_traces::{Kind, Mistake};

create_exception!(tailback, SpecError, PyValueError, "The description cannot be simulated.");
create_exception!(tailback, DeadlockError, PyRuntimeError, "Processes wait for ever.");
create_exception!(tailback, LivelockError, PyRuntimeError, "A packet goes about for ever.");
create_exception!(
    tailback,
    BufferTooFullError,
    PyRuntimeError,
    "A buffer without bounds is too full."
);
create_exception!(tailback, TraceError, PyValueError, "A trace cannot be read.");
create_exception!(
    tailback,
    UnreceivedError,
    PyRuntimeError,
    "A trace has ended, and messages are left that nobody received."
);
create_exception!(tailback, LostError, PyRuntimeError, "Processes wait for what has been lost.");
create_exception!(tailback, ClockStuckError, PyRuntimeError, "Simulated time does not pass.");

/// With attributes `place`: the file and where in it; `what`: what is wrong; and `start`: if the
/// file has none of the formats of traces its first bytes, else none.
pub fn trace_error(mistake: &Mistake) -> PyErr {
    let start = match &mistake.kind {
        Kind::UnknownFormat { start } => Some(start.clone()),
        Kind::Content => None,
    };
    let exception = TraceError::new_err(mistake.to_string());
    let set = Python::attach(|py| {
        let value = exception.value(py);
        value.setattr("place", mistake.whereabouts())?;
        value.setattr("what", &mistake.what)?;
        value.setattr("start", start.map(|start| PyBytes::new(py, &start)))
    });
    set.err().unwrap_or(exception)
}

/// With attributes `field`, `given`, `allowed`, and `circle`: channels by which packets could
/// wait for each other, as mappings.
pub fn spec_error(py: Python<'_>, error: &engine::SpecError) -> PyErr {
    let exception = SpecError::new_err(error.to_string());
    let attributes =
        [("field", &error.field), ("given", &error.given), ("allowed", &error.allowed)];
    for (name, value) in attributes {
        if let Err(failure) = exception.value(py).setattr(name, value) {
            return failure;
        }
    }
    let circle: PyResult<Vec<_>> = error.circle.iter().map(|at| held(py, at)).collect();
    let set = circle.and_then(|circle| exception.value(py).setattr("circle", circle));
    set.err().unwrap_or(exception)
}

fn held<'py>(py: Python<'py>, held: &engine::error::Held) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("from", held.from)?;
    row.set_item("to", held.to)?;
    row.set_item("class", held.class)?;
    row.set_item("source", held.source)?;
    row.set_item("destination", held.destination)?;
    Ok(row)
}

/// A deadlock has attributes `at_ps`, `waiting`, pairs of who and what, and `circle`: the
/// packets that wait for each other, as mappings. A livelock and a full buffer have `at_ps`.
pub fn run_error(py: Python<'_>, error: &engine::RunError) -> PyErr {
    let text = error.to_string();
    match error {
        engine::RunError::Deadlock { at, waiting, circle } => {
            let exception = DeadlockError::new_err(text);
            let waiting: Vec<_> = waiting.iter().map(|w| (w.who(), w.what())).collect();
            let value = exception.value(py);
            let circle: PyResult<Vec<_>> = circle.iter().map(|b| blocked(py, b)).collect();
            let set = value
                .setattr("at_ps", *at)
                .and_then(|()| value.setattr("waiting", waiting))
                .and_then(|()| value.setattr("circle", circle?));
            set.err().unwrap_or(exception)
        }
        engine::RunError::Lost { at, waiting, .. } => {
            let exception = LostError::new_err(text);
            let waiting: Vec<_> = waiting.iter().map(|w| (w.who(), w.what())).collect();
            let value = exception.value(py);
            let set = value.setattr("at_ps", *at).and_then(|()| value.setattr("waiting", waiting));
            set.err().unwrap_or(exception)
        }
        engine::RunError::Livelock { at, .. } => {
            let exception = LivelockError::new_err(text);
            exception.value(py).setattr("at_ps", *at).err().unwrap_or(exception)
        }
        engine::RunError::BufferTooFull { at, .. } => {
            let exception = BufferTooFullError::new_err(text);
            exception.value(py).setattr("at_ps", *at).err().unwrap_or(exception)
        }
        engine::RunError::SendsInCircle { at, circle, .. } => {
            let exception = DeadlockError::new_err(text);
            let waits = |s: &engine::error::Stuck| {
                (format!("rank {}", s.rank), format!("rank {} to receive {} B", s.to, s.bytes))
            };
            let waiting: Vec<_> = circle.iter().map(waits).collect();
            let value = exception.value(py);
            let set = value
                .setattr("at_ps", *at)
                .and_then(|()| value.setattr("waiting", waiting))
                .and_then(|()| value.setattr("circle", Vec::<()>::new()));
            set.err().unwrap_or(exception)
        }
        engine::RunError::Unreceived { at, .. } => {
            let exception = UnreceivedError::new_err(text);
            exception.value(py).setattr("at_ps", *at).err().unwrap_or(exception)
        }
        engine::RunError::Refused { error, .. } => spec_error(py, error),
        _ => ClockStuckError::new_err(text),
    }
}

/// A packet that will never move again: its number, ends, what it holds and waits for.
fn blocked<'py>(py: Python<'py>, blocked: &engine::error::Blocked) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("packet", blocked.packet)?;
    row.set_item("source", blocked.source)?;
    row.set_item("destination", blocked.destination)?;
    let holds: PyResult<Vec<_>> = blocked.holds.iter().map(|at| place(py, at)).collect();
    row.set_item("holds", holds?)?;
    row.set_item("waits_for", place(py, &blocked.waits_for)?)?;
    row.set_item("held_by", blocked.held_by)?;
    row.set_item("lack", blocked.lack.name())?;
    row.set_item("class", blocked.class.as_deref())?;
    row.set_item("text", blocked.to_string())?;
    Ok(row)
}

fn place<'py>(py: Python<'py>, place: &engine::error::Place) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("channel", place.channel)?;
    for (name, (is_switch, number)) in [("from", place.from), ("to", place.to)] {
        row.set_item(name, (if is_switch { "switch" } else { "node" }, number))?;
    }
    row.set_item("lane", place.lane)?;
    Ok(row)
}
