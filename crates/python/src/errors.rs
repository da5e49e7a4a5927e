//! The one map from engine errors to exceptions.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};
use tailback_engine as engine;

create_exception!(tailback, SpecError, PyValueError, "The description cannot be simulated.");
create_exception!(tailback, DeadlockError, PyRuntimeError, "Processes wait for ever.");
create_exception!(tailback, ClockStuckError, PyRuntimeError, "Simulated time does not pass.");

/// With attributes `field`, `given`, `allowed`.
pub fn spec_error(py: Python<'_>, error: &engine::SpecError) -> PyErr {
    let exception = SpecError::new_err(error.to_string());
    let attributes =
        [("field", &error.field), ("given", &error.given), ("allowed", &error.allowed)];
    for (name, value) in attributes {
        if let Err(failure) = exception.value(py).setattr(name, value) {
            return failure;
        }
    }
    exception
}

/// A deadlock has attributes `at_ps` and `waiting`, pairs of who and what.
pub fn run_error(py: Python<'_>, error: &engine::RunError) -> PyErr {
    let text = error.to_string();
    match error {
        engine::RunError::Deadlock { at, waiting } => {
            let exception = DeadlockError::new_err(text);
            let waiting: Vec<_> =
                waiting.iter().map(|w| (w.who.as_str(), w.what.as_str())).collect();
            let value = exception.value(py);
            let set = value.setattr("at_ps", *at).and_then(|()| value.setattr("waiting", waiting));
            set.err().unwrap_or(exception)
        }
        _ => ClockStuckError::new_err(text),
    }
}
