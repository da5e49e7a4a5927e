//! Python bindings of the Tailback engine: specification in, columns out.
//!
//! Thin on purpose: parse, release the GIL, run, map the error, hand over arrays
//! without copying. Everything users see is made in Python from these.

mod columns;
mod errors;
mod simulation;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The compiled engine; `tailback.engine` is its only user.
#[pymodule]
mod _engine {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::errors::{ClockStuckError, DeadlockError, SpecError};
    #[pymodule_export]
    use super::predict;
    #[pymodule_export]
    use super::simulation::Simulation;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("CAUSES", super::columns::causes())?;
        module.add("RESULTS_VERSION", tailback_engine::RESULTS_VERSION)
    }
}

/// What can be said about a run without simulating it.
///
/// Walks the routes of at most `max_pairs` pairs of nodes.
#[pyfunction]
#[pyo3(signature = (spec_json, max_pairs, messages=None))]
fn predict<'py>(
    py: Python<'py>,
    spec_json: &str,
    max_pairs: u64,
    messages: Option<simulation::MessageColumns<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = simulation::parse(spec_json, messages)?;
    let prediction = py
        .detach(|| tailback_engine::prediction::predict(&spec, max_pairs))
        .map_err(|error| errors::spec_error(py, &error))?;
    columns::prediction(py, prediction)
}
