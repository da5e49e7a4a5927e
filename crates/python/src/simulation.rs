//! A run, as Python sees it.

use crate::{columns, errors, instructions};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tailback_engine as engine;
use tailback_engine::ids::NodeId;
use tailback_engine::spec::{Messages, Workload};

/// Rows of a message list: times in ps, sources, destinations, bytes.
pub type MessageColumns<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
);

/// Reads a specification; `messages` replace those in the text.
pub fn parse(spec_json: &str, messages: Option<MessageColumns>) -> PyResult<engine::Spec> {
    let mut spec: engine::Spec = serde_json::from_str(spec_json)
        .map_err(|error| PyValueError::new_err(format!("specification: {error}")))?;
    if let Some((time, source, destination, bytes)) = messages {
        spec.workload = Workload::Messages(Messages {
            time_ps: time.as_slice()?.to_vec(),
            source: source.as_slice()?.to_vec(),
            destination: destination.as_slice()?.to_vec(),
            bytes: bytes.as_slice()?.to_vec(),
        });
    }
    Ok(spec)
}

/// A run in progress; see `tailback_engine::Simulation`.
#[pyclass(module = "tailback._engine")]
pub struct Simulation {
    engine: engine::Simulation,
    /// Where the latest `advance` was to go.
    until_ps: u64,
    last_event: u64,
}

impl Simulation {
    fn run<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (simulation, until_ps) = (&mut self.engine, self.until_ps);
        let max_events = self.last_event.saturating_sub(simulation.events());
        let ending = match py.detach(|| simulation.advance(until_ps, max_events)) {
            Ok(engine::Progress::Time) => "time",
            Ok(engine::Progress::Events) => "events",
            Ok(engine::Progress::Finished) => "finished",
            Ok(engine::Progress::Asks) => {
                let asked = (simulation.now(), instructions::asking(simulation));
                return Ok(asked.into_pyobject(py)?.into_any());
            }
            Err(error) => return Err(errors::run_error(py, &error)),
        };
        Ok(ending.into_pyobject(py)?.into_any())
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (spec_json, messages=None, classes=None))]
    fn new(
        py: Python<'_>,
        spec_json: &str,
        messages: Option<MessageColumns>,
        classes: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Self> {
        let mut spec = parse(spec_json, messages)?;
        if let (Some(blame), Some(classes)) = (&mut spec.blame, classes) {
            blame.message_classes = classes.as_slice()?.to_vec();
        }
        let built = py.detach(|| engine::Simulation::new(&spec));
        let begun = |engine| Self { engine, until_ps: 0, last_event: 0 };
        built.map(begun).map_err(|error| errors::spec_error(py, &error))
    }

    /// Runs until `until_ps`, or for `max_events` events, or to the end of the
    /// workload: "time", "events" or "finished". Other Python threads run meanwhile.
    ///
    /// Or until processes ask: the time in ps, and a list of who does and what each is told.
    fn advance<'py>(
        &mut self,
        py: Python<'py>,
        until_ps: u64,
        max_events: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.until_ps = until_ps;
        self.last_event = self.engine.events().saturating_add(max_events);
        self.run(py)
    }

    /// The same after processes have asked, with instructions for all of them: to where the
    /// call of `advance` was to go.
    #[allow(clippy::needless_pass_by_value, reason = "Python's list becomes one of ours")]
    fn go_on<'py>(
        &mut self,
        py: Python<'py>,
        instructions: Vec<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        instructions::instruct(&mut self.engine, &instructions)?;
        self.run(py)
    }

    /// Nodes one link away from a node, for processes written in Python.
    fn neighbours(&self, node: u32) -> Vec<u32> {
        self.engine.neighbours(NodeId(node)).iter().map(|node| node.0).collect()
    }

    /// Simulated time reached, in ps.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.engine.now()
    }

    /// Channels between switches that send over the wire of another one.
    #[getter]
    fn sharing_channels(&self) -> usize {
        let layout = self.engine.layout();
        let wires = layout.wire_of.iter().enumerate().filter(|&(_, &wire)| {
            layout.group(wire).kind == tailback_engine::measure::ChannelKind::Internal
        });
        wires.filter(|(channel, wire)| wire.index() != *channel).count()
    }

    /// Events handled so far.
    #[getter]
    fn events(&self) -> u64 {
        self.engine.events()
    }

    /// Forgets all distributions and tallies; the window begins now.
    fn begin_window(&mut self) {
        self.engine.begin_window();
    }

    /// Everything counted since time 0.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = PyDict::new(py);
        counters.set_item("events", self.engine.events())?;
        for (name, value) in columns::counted(&self.engine.counters(), self.engine.measures()) {
            counters.set_item(name, value)?;
        }
        Ok(counters)
    }

    /// The counters at the end of every sample interval since the last call.
    fn take_samples<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let samples = self.engine.take_samples();
        columns::samples(py, &samples, self.engine.measures())
    }

    /// Data bytes times internal channels of all packets delivered, and when the latest
    /// message was sent, in ps; None without a transport.
    #[getter]
    fn offered(&self) -> Option<(u64, u64)> {
        let offered = self.engine.measures().offered?;
        Some((offered.byte_hops, offered.last_sent))
    }

    /// One row per node, in the current window.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::nodes(py, &self.engine)
    }

    /// One row per channel, in the current window.
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::channels(py, &self.engine)
    }

    /// One row per process, in the current window.
    fn processes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::processes(py, &self.engine)
    }

    /// One row per packet delivered since the last call, if recorded.
    fn take_packets<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::packets(py, &self.engine.take_packets())
    }

    /// Who made whom wait, in the current window, by table; None unless that is kept.
    fn blame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let blame = self.engine.measures().blame.as_ref();
        blame.map(|blame| columns::blame(py, blame)).transpose()
    }

    /// Exact sums of powers of every variable, in the current window.
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        columns::moments(py, self.engine.measures())
    }

    /// Occupied histogram bins of every variable, in the current window.
    fn histograms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        columns::histograms(py, self.engine.measures())
    }
}
