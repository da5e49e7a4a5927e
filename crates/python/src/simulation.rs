//! A run, as Python sees it.

use crate::traces::{Feeder, File};
use crate::{causes, columns, errors, instructions};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tailback_engine as engine;
use tailback_engine::ids::ProcessId;
use tailback_engine::measure::blame::Turns;
use tailback_engine::spec::{Messages, Workload};

/// Rows of a message list: times in ps, sources, destinations, bytes.
pub type MessageColumns<'py> = (
    PyReadonlyArray1<'py, u64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    Lengths<'py>,
);

/// Lengths of messages: of 32 bits, unless one is longer.
#[derive(FromPyObject)]
pub enum Lengths<'py> {
    /// None is longer than 4 GiB.
    Short(PyReadonlyArray1<'py, u32>),
    /// Any length.
    Long(PyReadonlyArray1<'py, u64>),
}

impl Lengths<'_> {
    fn to_vec(&self) -> PyResult<Vec<u64>> {
        Ok(match self {
            Self::Short(bytes) => bytes.as_slice()?.iter().copied().map(u64::from).collect(),
            Self::Long(bytes) => bytes.as_slice()?.to_vec(),
        })
    }
}

/// Message lists that are not in a specification.
#[derive(FromPyObject)]
pub enum Lists<'py> {
    /// That of the run.
    Alone(MessageColumns<'py>),
    /// Those of jobs, in order; none for jobs of other kinds.
    OfJobs(Vec<Option<MessageColumns<'py>>>),
}

/// Reads a specification; `messages` replace those in the text.
pub fn parse(spec_json: &str, messages: Option<Lists>) -> PyResult<engine::Spec> {
    let mut spec: engine::Spec = serde_json::from_str(spec_json)
        .map_err(|error| PyValueError::new_err(format!("specification: {error}")))?;
    match (messages, &mut spec.workload) {
        (Some(Lists::Alone(columns)), workload) => *workload = list(&columns)?,
        (Some(Lists::OfJobs(lists)), Workload::Jobs(jobs)) => {
            for (job, columns) in jobs.jobs.iter_mut().zip(&lists) {
                if let Some(columns) = columns {
                    job.workload = list(columns)?;
                }
            }
        }
        (Some(Lists::OfJobs(_)) | None, _) => {}
    }
    Ok(spec)
}

fn list((time, source, destination, bytes): &MessageColumns) -> PyResult<Workload> {
    Ok(Workload::Messages(Messages {
        time_ps: time.as_slice()?.to_vec(),
        source: source.as_slice()?.to_vec(),
        destination: destination.as_slice()?.to_vec(),
        bytes: bytes.to_vec()?,
    }))
}

/// A run in progress; see `tailback_engine::Simulation`.
#[pyclass(module = "tailback._engine")]
pub struct Simulation {
    engine: engine::Simulation,
    /// What tells ranks of traces what they do.
    feeder: Feeder,
    /// Where the latest `advance` was to go.
    until_ps: u64,
    last_event: u64,
}

impl Simulation {
    /// Why everybody could go on, if that is kept.
    fn of_channels(&self) -> Option<Turns<'_>> {
        let measures = self.engine.measures();
        measures.blame.as_ref()?.turns(measures.labels.as_deref()?, self.engine.now())
    }

    fn causes(&self) -> Option<&engine::measure::Causes> {
        self.engine.measures().causes.as_deref()
    }

    fn run<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (until_ps, last_event) = (self.until_ps, self.last_event);
        let (simulation, feeder) = (&mut self.engine, &mut self.feeder);
        let advanced = py.detach(|| feeder.advance(simulation, until_ps, last_event));
        let ending = match advanced {
            Ok(engine::Progress::Time) => "time",
            Ok(engine::Progress::Events) => "events",
            Ok(engine::Progress::Finished) => "finished",
            Ok(engine::Progress::Grown) => "grown",
            // Ranks of traces have been fed.
            Ok(engine::Progress::Asks | engine::Progress::Wants) => {
                let asked = (simulation.now(), instructions::asking(simulation));
                return Ok(asked.into_pyobject(py)?.into_any());
            }
            Err(failure) => return Err(failure.raised(py)),
        };
        Ok(ending.into_pyobject(py)?.into_any())
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (spec_json, messages=None, classes=None, traces=Vec::new()))]
    fn new(
        py: Python<'_>,
        spec_json: &str,
        messages: Option<Lists>,
        classes: Option<PyReadonlyArray1<'_, u32>>,
        traces: Vec<File>,
    ) -> PyResult<Self> {
        let mut spec = parse(spec_json, messages)?;
        if let (Some(blame), Some(classes)) = (&mut spec.blame, classes) {
            blame.message_classes = classes.as_slice()?.to_vec();
        }
        let built = py.detach(|| engine::Simulation::new(&spec));
        let mut engine = built.map_err(|error| errors::spec_error(py, &error))?;
        engine.leave_instants();
        let feeder = Feeder::open(traces, &engine)?;
        Ok(Self { engine, feeder, until_ps: 0, last_event: 0 })
    }

    /// Runs until `until_ps`, or for `max_events` events, or to the end of the
    /// workload: "time", "events" or "finished". Or "grown": it has taken much memory at the present
    /// instant, with which `go_on` goes on. Other Python threads run meanwhile.
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

    /// The same after processes have asked, with instructions for all of them, or after "grown", with
    /// none: to where the call of `advance` was to go.
    #[allow(clippy::needless_pass_by_value, reason = "Python's list becomes one of ours")]
    fn go_on<'py>(
        &mut self,
        py: Python<'py>,
        instructions: Vec<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        instructions::instruct(&mut self.engine, &instructions)?;
        self.run(py)
    }

    /// Nodes one link away from that of a process written in Python, by their numbers in its job.
    fn neighbours(&self, process: u32) -> Vec<u32> {
        self.engine.neighbours(ProcessId(process)).iter().map(|node| node.0).collect()
    }

    /// The kernel that simulates the network.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.engine.kernel()
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

    /// Number of nodes.
    #[getter]
    fn node_count(&self) -> usize {
        self.engine.node_tallies().len()
    }

    /// Number of channels of each kind: injection, internal, ejection, direct.
    #[getter]
    fn channel_counts(&self) -> [usize; 4] {
        let layout = self.engine.layout();
        let mut counts = [0; 4];
        for group in &layout.group_of {
            counts[layout.groups[group.index()].kind as usize] += 1;
        }
        counts
    }

    /// Messages of which a packet has been lost so far.
    #[getter]
    fn messages_lost(&self) -> usize {
        self.engine.messages_lost()
    }

    /// Events handled so far.
    #[getter]
    fn events(&self) -> u64 {
        self.engine.events()
    }

    /// Before what was measured is read where a call ended after so many events.
    fn catch_up(&mut self) {
        self.engine.catch_up();
    }

    /// Forgets all distributions and tallies; the window begins now.
    fn begin_window(&mut self) {
        self.engine.begin_window();
    }

    /// Everything counted since time 0.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = PyDict::new(py);
        counters.set_item("events", self.engine.events())?;
        let (all, classes) = (self.engine.counters(), self.engine.class_counters());
        for (name, value) in columns::counted(&all, &classes, self.engine.measures()) {
            counters.set_item(name, value)?;
        }
        for (name, value) in columns::counted_of_jobs(&self.engine) {
            counters.set_item(name, value)?;
        }
        Ok(counters)
    }

    /// The counters at the end of every sample interval since the last call.
    fn take_samples<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let samples = self.engine.take_samples();
        let of_jobs = self.engine.take_job_samples();
        columns::samples(py, &samples, &of_jobs, &self.engine)
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

    /// One row per channel, in the current window: frames lost, and pauses; None unless switches forward frames.
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        columns::frames(py, &self.engine)
    }

    /// One row per process, in the current window.
    fn processes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::processes(py, &self.engine)
    }

    /// Of every job, whether all of it is done; an empty list where there are no jobs.
    fn jobs_over(&self) -> Vec<bool> {
        self.engine.jobs_over()
    }

    /// Exact sums of powers of the latencies of messages of every job, in the current window.
    fn job_moments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        columns::job_moments(py, &self.engine)
    }

    /// Occupied histogram bins of the same.
    fn job_histograms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        columns::job_histograms(py, &self.engine)
    }

    /// One row per packet delivered since the last call, if recorded.
    fn take_packets<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::packets(py, &self.engine.take_packets())
    }

    /// Keeps one row per message from now on.
    fn keep_messages(&mut self) {
        self.engine.keep_messages();
    }

    /// One row per message received since the last call, if they are kept.
    fn take_messages<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::messages(py, &self.engine.take_messages())
    }

    /// Who made messages late, and where packets waited, in the current window, by table; None unless
    /// that is kept.
    fn blame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let measures = self.engine.measures();
        let late = measures.late.as_deref().filter(|late| late.is_followed());
        columns::blame(py, late, measures.blame.as_deref())
    }

    /// What happened on channels by slice of time, in the current window, up to now; None unless that is kept.
    fn slices<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let now = self.engine.now();
        let slices = py.detach(|| self.engine.slices());
        slices.map(|slices| columns::slices(py, &slices, now)).transpose()
    }

    /// Why messages took as long as they did, of those that have arrived since the last call.
    fn take_late<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::late(py, &self.engine.take_late())
    }

    /// The critical path up to now; None unless it is kept why everybody could go on.
    fn critical_path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.causes().map(|kept| causes::path(py, kept)).transpose()
    }

    /// Of every trace, its first process and the names of the places that its calls have.
    fn places(&mut self) -> Vec<(u32, Vec<String>)> {
        self.feeder.places()
    }

    /// Where the time of processes went, up to now; None as above.
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.causes().map(|kept| causes::times(py, &self.engine, kept)).transpose()
    }

    /// What processes did when, up to now; None unless a timeline is kept.
    fn activities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let rows = self.causes().and_then(|kept| kept.rows.as_ref());
        rows.map(|rows| causes::activities(py, &self.engine, &rows.activities)).transpose()
    }

    /// Messages, up to now; None as above.
    fn transfers<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let rows = self.causes().and_then(|kept| kept.rows.as_ref());
        rows.map(|rows| causes::transfers(py, &rows.transfers)).transpose()
    }

    /// Turns of packets on channels, up to now; None unless a timeline keeps them.
    fn turns<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.of_channels().map(|kept| causes::turns(py, &kept)).transpose()
    }

    /// What packets that have been delivered have waited for, up to now; None as above.
    fn waits<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.of_channels().map(|kept| causes::waits(py, &kept)).transpose()
    }

    /// Since when turns or waits are missing, as there were too many; None if none is.
    fn turns_missing_ps(&self) -> Option<u64> {
        let full = self.of_channels()?.full;
        (full != engine::time::NEVER).then_some(full)
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
