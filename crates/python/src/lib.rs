//! Python bindings of the Tailback engine: specification in, columns out.
//!
//! Thin on purpose: parse, release the GIL, run, map the error, hand over arrays
//! without copying. Everything users see is made in Python from these.

mod causes;
mod columns;
mod converting;
mod errors;
mod instructions;
mod pages;
mod simulation;
mod traces;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tailback_engine::facts::Question;
use tailback_engine::spec::{Algorithm, Operation, TopologySpec};
use tailback_engine::survey::survey_from;
use tailback_engine::topology::Topology;
use tailback_traces::Format;
use tailback_traces::writers::Target;

#[global_allocator]
static MEMORY: pages::LargePages = pages::LargePages;

/// The compiled engine; `tailback.door` is its only user.
#[pymodule]
mod _engine {
    use super::{Algorithm, Bound, Format, Operation, PyModule, PyModuleMethods, PyResult, Target};

    #[pymodule_export]
    use super::converting::convert_trace;
    #[pymodule_export]
    use super::errors::{
        BufferTooFullError, ClockStuckError, DeadlockError, LivelockError, LostError, SpecError,
        TraceError, UnreceivedError,
    };
    #[pymodule_export]
    use super::facts;
    #[pymodule_export]
    use super::predict;
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::survey;
    #[pymodule_export]
    use super::traces::{trace_facts, trace_format};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module.add("ALGORITHMS", Algorithm::ALL.map(Algorithm::name).to_vec())?;
        module.add("OPERATIONS", Operation::ALL.map(Operation::name).to_vec())?;
        module.add("TRACE_FORMATS", Format::ALL.map(Format::name).to_vec())?;
        module.add("TRACE_TARGETS", Target::ALL.map(Target::name).to_vec())?;
        module.add("CAUSES", super::columns::causes())?;
        module.add("KINDS", super::columns::kinds())?;
        for (name, words) in super::causes::names() {
            module.add(name, words)?;
        }
        module.add("MOST_NODES", tailback_engine::topology::MAX_NODES)?;
        module.add("RESULTS_VERSION", tailback_engine::RESULTS_VERSION)
    }
}

/// What holds for a machine, without simulating it: the answer to a question, both JSON.
#[pyfunction]
fn facts(py: Python<'_>, question_json: &str) -> PyResult<String> {
    let question: Question = serde_json::from_str(question_json)
        .map_err(|error| PyValueError::new_err(format!("question: {error}")))?;
    let answer = py.detach(|| tailback_engine::facts::answer(&question));
    let answer = answer.map_err(|error| errors::spec_error(py, &error))?;
    serde_json::to_string(&answer).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What can be said about a run without simulating it.
///
/// Walks the routes of at most `max_pairs` pairs of nodes. Each message of a list stands for
/// `weights` messages, else for one.
#[pyfunction]
#[pyo3(signature = (spec_json, max_pairs, messages=None, weights=None))]
fn predict<'py>(
    py: Python<'py>,
    spec_json: &str,
    max_pairs: u64,
    messages: Option<simulation::Lists<'py>>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = simulation::parse(spec_json, messages)?;
    let weights = weights.map_or_else(Vec::new, |weights| weights.as_array().to_vec());
    let prediction = py
        .detach(|| tailback_engine::prediction::predict_weighted(&spec, max_pairs, &weights))
        .map_err(|error| errors::spec_error(py, &error))?;
    columns::prediction(py, prediction)
}

/// What can be said about a topology (as JSON) by counting, and its links.
///
/// Links have `link_width` wires and a delay of `link_delay_ps` if they have none of their own;
/// at most about `max_links` of them are looked at. If `sources` are given, ways are searched from
/// these switches, which stand for all.
#[pyfunction]
#[pyo3(signature = (topology_json, link_width, max_links, link_delay_ps=0, sources=None))]
fn survey<'py>(
    py: Python<'py>,
    topology_json: &str,
    link_width: u32,
    max_links: u64,
    link_delay_ps: u64,
    sources: Option<Vec<usize>>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec: TopologySpec = serde_json::from_str(topology_json)
        .map_err(|error| PyValueError::new_err(format!("topology: {error}")))?;
    let counted = py.detach(|| {
        let topology = Topology::new(&spec)?;
        let survey = match sources {
            Some(sources) => survey_from(&topology, link_width, &sources),
            None => tailback_engine::survey::survey(&topology, link_width, max_links),
        };
        Ok((topology, survey))
    });
    let (topology, survey) = counted.map_err(|error| errors::spec_error(py, &error))?;
    columns::survey(py, &topology, (link_width, link_delay_ps), &survey)
}
