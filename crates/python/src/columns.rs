//! Tables as dictionaries of `NumPy` arrays that own what the engine computed.

use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tailback_engine::fabric::{End, Group};
use tailback_engine::ids::{ChannelId, NodeId, SwitchId};
use tailback_engine::measure::blame::{Blame, Cause};
use tailback_engine::measure::late::{Kind, Late, Why};
use tailback_engine::measure::slices::{NONE, Slices};
use tailback_engine::measure::stored::Owner;
use tailback_engine::measure::{ClassCounters, Distribution, Measures, MessageRow, PacketRow};
use tailback_engine::prediction::Prediction;
use tailback_engine::survey::Survey;
use tailback_engine::time::Time;
use tailback_engine::topology::Topology;
use tailback_engine::{Counters, Sample, Simulation};

/// A table under construction.
pub struct Table<'py>(pub Bound<'py, PyDict>);

impl<'py> Table<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    pub fn column<T: Element>(
        &self,
        name: impl AsRef<str>,
        values: impl Iterator<Item = T>,
    ) -> PyResult<()> {
        let array = PyArray1::from_vec(self.0.py(), values.collect());
        self.0.set_item(name.as_ref(), array)
    }
}

impl Table<'_> {
    /// Lengths of messages: as `uint32`, unless one is longer.
    pub fn lengths(&self, name: &str, values: impl Iterator<Item = u64>) -> PyResult<()> {
        let values: Vec<_> = values.collect();
        let short: Result<Vec<_>, _> = values.iter().map(|&bytes| u32::try_from(bytes)).collect();
        match short {
            Ok(short) => self.column(name, short.into_iter()),
            Err(_) => self.column(name, values.into_iter()),
        }
    }
}

/// Every counter with its name, those of what is not measured left out, and those of every traffic
/// class.
pub fn counted(
    counters: &Counters,
    classes: &[ClassCounters],
    measures: &Measures,
) -> Vec<(String, u64)> {
    let mut named = counters.named();
    if measures.message_begins.is_none() {
        named.retain(|(name, _)| !name.starts_with("message_begins"));
    }
    if measures.software.is_none() {
        let software = ["latency_", "cpu_sending", "cpu_receiving", "cpu_idle"];
        named.retain(|(name, _)| !software.iter().any(|start| name.starts_with(start)));
    }
    if !measures.forwards {
        named.retain(|(name, _)| name != "packets_lost" && name != "pauses");
    }
    let known = measures.traffic.iter().flat_map(|traffic| &traffic.classes);
    for (class, counters) in known.zip(classes) {
        named.extend(counters.named(&class.name));
    }
    named
}

/// What is counted of channels, processors and events, and so not by job.
const NOT_OF_JOBS: [&str; 7] =
    ["busy_", "held_", "cpu_", "packet_hops", "packets_queued", "packets_lost", "pauses"];

/// Every counter of a job with its name, those of what is not measured left out.
fn counted_of_job(job: &str, counters: &Counters, measures: &Measures) -> Vec<(String, u64)> {
    let mut named = counted(counters, &[], measures);
    named.retain(|(name, _)| !NOT_OF_JOBS.iter().any(|start| name.starts_with(start)));
    named.into_iter().map(|(name, value)| (format!("{job}.{name}"), value)).collect()
}

/// Every counter of every job: `JOB.COUNTER`.
pub fn counted_of_jobs(simulation: &Simulation) -> Vec<(String, u64)> {
    let counters = simulation.counters_of_jobs();
    let jobs = simulation.job_names().zip(&counters);
    jobs.flat_map(|(job, counters)| counted_of_job(job, counters, simulation.measures())).collect()
}

/// Rows of samples: `time_ps`, `events`, then every counter, then those of jobs.
pub fn samples<'py>(
    py: Python<'py>,
    samples: &[Sample],
    of_jobs: &[Counters],
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyDict>> {
    let measures = simulation.measures();
    let table = Table::new(py);
    let jobs: Vec<_> = simulation.job_names().collect();
    for (place, job) in jobs.iter().enumerate() {
        let rows: Vec<Vec<(String, u64)>> = of_jobs
            .iter()
            .skip(place)
            .step_by(jobs.len())
            .map(|counters| counted_of_job(job, counters, measures))
            .collect();
        let names = counted_of_job(job, &Counters::default(), measures);
        for (at, (name, _)) in names.into_iter().enumerate() {
            table.column(name, rows.iter().map(|row| row[at].1))?;
        }
    }
    table.column("time_ps", samples.iter().map(|sample| sample.time))?;
    table.column("events", samples.iter().map(|sample| sample.events))?;
    let classes = measures.traffic.as_ref().map_or(0, |traffic| traffic.classes.len());
    let nothing = vec![ClassCounters::default(); classes];
    let names = counted(&Counters::default(), &nothing, measures);
    let mut columns: Vec<Vec<u64>> = vec![Vec::with_capacity(samples.len()); names.len()];
    for sample in samples {
        let counted = counted(&sample.counters, &sample.classes, measures);
        for (column, (_, value)) in columns.iter_mut().zip(counted) {
            column.push(value);
        }
    }
    for ((name, _), column) in names.into_iter().zip(columns) {
        table.column(name, column.into_iter())?;
    }
    Ok(table.0)
}

/// Names of coordinates: x, y, z, x3, x4, ….
fn coordinate_name(dimension: usize) -> String {
    ["x", "y", "z"].get(dimension).map_or_else(|| format!("x{dimension}"), ToString::to_string)
}

pub fn nodes<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let tallies = simulation.node_tallies();
    let topology = simulation.topology();
    table.column("node", 0..tallies.len() as u32)?;
    let coordinates: Vec<_> =
        (0..topology.nodes).map(|n| topology.coordinates(NodeId::from_index(n))).collect();
    for dimension in 0..topology.dims.len() {
        table.column(coordinate_name(dimension), coordinates.iter().map(|c| c[dimension]))?;
    }
    let rows = || tallies.iter();
    table.column("messages_sent", rows().map(|t| t.messages_sent))?;
    table.column("messages_delivered", rows().map(|t| t.messages_delivered))?;
    table.column("messages_acknowledged", rows().map(|t| t.messages_acknowledged))?;
    let done = simulation.nodes_done();
    table.column("messages_failed", done.iter().map(|d| d.dropped))?;
    table.column("iterations", done.iter().map(|d| d.iterations))?;
    table.column("cpu_busy_ps", simulation.processors_busy().into_iter())?;
    for (class, name) in ["data", "ack"].iter().enumerate() {
        table.column(format!("packets_sent_{name}"), rows().map(|t| t.packets_sent[class]))?;
        let delivered = rows().map(|t| t.packets_delivered[class]);
        table.column(format!("packets_delivered_{name}"), delivered)?;
        table.column(format!("{name}_queue_area_ps"), rows().map(|t| t.queues[class].area_ps))?;
        table.column(format!("{name}_queue_max"), rows().map(|t| t.queues[class].max))?;
    }
    // Where nodes and switches are one; 0 where nothing is stored, or that is not known.
    let measures = simulation.measures();
    if measures.offered.is_some() {
        for owner in [Owner::Transit, Owner::Local] {
            let most = |node: usize| {
                measures.stored.as_ref().map_or(0, |s| s.nodes[node][owner as usize].max)
            };
            table.column(format!("{}_bytes_max", owner.name()), (0..topology.nodes).map(most))?;
        }
    }
    let buffers = simulation.buffers();
    if !buffers.is_empty() {
        table.column("system_buffers_bytes", buffers.iter().map(|b| b.used))?;
        table.column("system_buffers_max_bytes", buffers.iter().map(|b| b.most))?;
    }
    if let Some(times) = simulation.processor_times() {
        table.column("cpu_sending_ps", times.iter().map(|t| t.sending))?;
        table.column("cpu_receiving_ps", times.iter().map(|t| t.receiving))?;
    }
    Ok(table.0)
}

pub fn channels<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let layout = simulation.layout();
    let groups: Vec<_> = layout.group_of.iter().map(|g| layout.groups[g.index()]).collect();
    let tallies = &simulation.measures().channels;
    let used = simulation.channels_used();
    table.column("channel", 0..tallies.len() as u32)?;
    table.column("kind", groups.iter().map(|g| g.kind as u8))?;
    table.column("from_node", groups.iter().map(|g| g.from))?;
    table.column(
        "to_node",
        groups.iter().map(|g| match g.end {
            End::Switch(switch) => switch.0,
            End::Node(node) => node.0,
        }),
    )?;
    let layout = simulation.layout();
    // Only where there is a grid do ports lie along dimensions.
    let is_grid = !simulation.topology().dims.is_empty();
    let along = |g: &Group| layout.port_and_class(g).filter(|_| is_grid).map(|(port, _)| port);
    let dimension = |g: &Group| along(g).map_or(-1, |port| (port / 2) as i8);
    let direction = |g: &Group| along(g).map_or(0, |port| (port % 2 * 2) as i8 - 1);
    table.column("dimension", groups.iter().map(dimension))?;
    table.column("direction", groups.iter().map(direction))?;
    let channels = (0..tallies.len()).map(ChannelId::from_index);
    table.column("place", channels.map(|channel| layout.place(channel).lane as u16))?;
    let rows = || tallies.iter();
    table.column("packets", used.iter().map(|u| u64::from(u.packets)))?;
    table.column("busy_ps", used.iter().map(|u| u.busy_ps))?;
    table.column("held_ps", rows().zip(&used).map(|(t, u)| u.busy_ps + t.kept_ps))?;
    table.column("wait_throttling_ps", rows().map(|t| t.wait_throttling_ps))?;
    table.column("wait_internal_ps", rows().map(|t| t.wait_internal_ps))?;
    table.column("waits", rows().map(|t| t.waits))?;
    Ok(table.0)
}

pub fn processes<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let placement = simulation.placement();
    table.column("process", 0..placement.len() as u32)?;
    table.column("node", placement.iter().map(|node| node.0))?;
    table.column("iterations", simulation.processes_done().iter().map(|d| d.iterations))?;
    if let Some(jobs) = simulation.jobs() {
        table.column("job", jobs.iter().copied())?;
    }
    table.column("completed_ps", simulation.measures().completed.iter().copied())?;
    Ok(table.0)
}

/// Of switches that forward frames, one row for each channel: frames lost at its end, and pauses of its sender.
pub fn frames<'py>(
    py: Python<'py>,
    simulation: &Simulation,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(kept) = &simulation.measures().forwarding else { return Ok(None) };
    let (table, rows) = (Table::new(py), || kept.until(simulation.now()));
    table.column("channel", 0..rows().count() as u32)?;
    table.column("lost", rows().map(|of| of.lost))?;
    table.column("pauses", rows().map(|of| of.pauses))?;
    table.column("paused_ps", rows().map(|of| of.paused_ps))?;
    Ok(Some(table.0))
}

pub fn packets<'py>(py: Python<'py>, packets: &[PacketRow]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || packets.iter();
    table.column("class", rows().map(|p| p.class as u8))?;
    table.column("message", rows().map(|p| p.message))?;
    table.column("source", rows().map(|p| p.source))?;
    table.column("destination", rows().map(|p| p.destination))?;
    table.column("bytes", rows().map(|p| p.bytes))?;
    table.column("hops", rows().map(|p| p.hops))?;
    table.column("queued_ps", rows().map(|p| p.queued))?;
    table.column("first_sent_ps", rows().map(|p| p.first_sent))?;
    table.column("first_internal_ps", rows().map(|p| p.first_internal))?;
    table.column("delivered_ps", rows().map(|p| p.delivered))?;
    Ok(table.0)
}

pub fn messages<'py>(py: Python<'py>, messages: &[MessageRow]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || messages.iter();
    table.column("message", rows().map(|m| m.number))?;
    table.column("source_process", rows().map(|m| m.from.0.0))?;
    table.column("source", rows().map(|m| m.from.1.0))?;
    table.column("destination_process", rows().map(|m| m.to.0.0))?;
    table.column("destination", rows().map(|m| m.to.1.0))?;
    table.lengths("bytes", rows().map(|m| m.bytes))?;
    table.column("tag", rows().map(|m| m.tag))?;
    table.column("sent_ps", rows().map(|m| m.sent))?;
    table.column("arrived_ps", rows().map(|m| m.arrived))?;
    table.column("received_ps", rows().map(|m| m.received))?;
    table.column("latency_ps", rows().map(|m| m.arrived - m.sent))?;
    Ok(table.0)
}

/// Tables of charges: `pairs`, `channels`, `victims`, of how late messages were, and `waits`, of all
/// waits of packets, if either is kept; each with its key, `count` and `batches`, the sums in batches of time one row after
/// the other; the batches; and what is not charged.
pub fn blame<'py>(
    py: Python<'py>,
    late: Option<&Late>,
    blame: Option<&Blame>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (tables, waits) =
        (late.map(|late| late.tables.settled()), blame.map(|blame| blame.tables.settled()));
    if tables.is_none() && waits.is_none() {
        return Ok(None);
    }
    let all = PyDict::new(py);
    let of_messages = tables.iter().flat_map(|tables| {
        [
            ("pairs", &tables.charges.pairs),
            ("channels", &tables.charges.channels),
            ("victims", &tables.victims),
        ]
    });
    let of_packets = waits.iter().map(|waits| ("waits", &waits.direct.channels));
    for (name, sums) in of_messages.chain(of_packets) {
        let rows = sums.sorted();
        let table = Table::new(py);
        table.column("channel", rows.iter().map(|(key, _)| key.channel))?;
        table.column("victim", rows.iter().map(|(key, _)| key.victim))?;
        table.column("culprit", rows.iter().map(|(key, _)| key.culprit))?;
        table.column("cause", rows.iter().map(|(key, _)| key.cause))?;
        table.column("count", rows.iter().map(|(_, sum)| sum.count))?;
        table.column("batches", rows.iter().flat_map(|(_, sum)| sum.batches))?;
        all.set_item(name, table.0)?;
    }
    if let Some(tables) = tables {
        all.set_item("batch_begin_ps", tables.batches.begin)?;
        all.set_item("batch_length_ps", tables.batches.length)?;
        all.set_item("early_messages", tables.early.0)?;
        all.set_item("early_ps", tables.early.1)?;
        all.set_item("unattributed_ps", tables.unattributed)?;
        all.set_item("waited_ps", tables.waited)?;
    }
    Ok(Some(all))
}

/// What happened on channels by slice of time: when slices begin and how long they are, the waits of packets, one
/// row for each slice and who waited for what, and of channels, one for each slice and channel with anything in it.
pub fn slices<'py>(py: Python<'py>, slices: &Slices, now: Time) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let rows = slices.waited();
    let waits = Table::new(py);
    waits.column("slice", rows.iter().map(|row| row.slice))?;
    waits.column("channel", rows.iter().map(|row| row.wait.channel))?;
    let number = |number: u32| if number == NONE { -1 } else { i64::from(number) };
    waits.column("root", rows.iter().map(|row| number(row.wait.root)))?;
    waits.column("victim", rows.iter().map(|row| number(row.wait.victim)))?;
    waits.column("culprit", rows.iter().map(|row| number(row.wait.culprit)))?;
    waits.column("waited_ps", rows.iter().map(|row| row.time))?;
    all.set_item("waits", waits.0)?;
    let channels = slices.by_channel();
    let table = Table::new(py);
    table.column("slice", channels.iter().map(|row| row.slice))?;
    table.column("channel", channels.iter().map(|row| row.channel.0))?;
    table.column("busy_ps", channels.iter().map(|row| row.busy))?;
    table.column("queue_ps", channels.iter().map(|row| row.queue))?;
    all.set_item("channels", table.0)?;
    let ways = slices.by_class_and_channel();
    let table = Table::new(py);
    table.column("class", ways.iter().map(|&(class, ..)| class))?;
    table.column("channel", ways.iter().map(|&(_, channel, _)| channel.0))?;
    table.column("busy_ps", ways.iter().map(|&(.., time)| time))?;
    all.set_item("ways", table.0)?;
    let clock = slices.clock();
    all.set_item("begin_ps", clock.begin())?;
    all.set_item("width_ps", clock.width())?;
    all.set_item("end_ps", now)?;
    Ok(all)
}

/// Why messages took as long as they did, one row each, and what they waited for.
pub fn late<'py>(py: Python<'py>, rows: &[Why]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    table.column("message", rows.iter().map(|why| why.number))?;
    table.column("label", rows.iter().map(|why| why.label))?;
    table.column("queued_ps", rows.iter().map(|why| why.span.0))?;
    table.column("delivered_ps", rows.iter().map(|why| why.span.1))?;
    table.column("alone_ps", rows.iter().map(|why| why.alone))?;
    table.column("own_ps", rows.iter().map(|why| why.own))?;
    table.column("charges", rows.iter().map(|why| why.charges.len() as u32))?;
    let all = || rows.iter().flat_map(|why| &why.charges);
    table.column("culprit", all().map(|charge| charge.culprit))?;
    table.column("channel", all().map(|charge| charge.channel.0))?;
    table.column("kind", all().map(|charge| charge.kind as u8))?;
    table.column("waited_ps", all().map(|charge| charge.waited))?;
    table.column("late_ps", all().map(|charge| charge.late))?;
    Ok(table.0)
}

/// Names of kinds of charges, by number.
pub fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|&(_, name)| name).collect()
}

/// Names of causes, by number.
pub fn causes() -> Vec<&'static str> {
    Cause::ALL.iter().map(|&(_, name)| name).collect()
}

/// Every measured distribution: variable, class, values.
fn distributions(measures: &Measures) -> impl Iterator<Item = (&str, &str, &Distribution)> {
    let classes = ["data", "ack"].into_iter().zip(&measures.packets);
    let packets = classes.flat_map(|(class, d)| {
        [
            ("lifetime", class, &d.lifetime),
            ("network_lifetime", class, &d.network_lifetime),
            ("routed_lifetime", class, &d.routed_lifetime),
            ("hops", class, &d.hops),
        ]
    });
    let late = measures.late.iter().flat_map(|late| {
        let tables = &late.tables;
        [
            ("message_alone", "data", &tables.alone),
            ("message_late", "data", &tables.late),
            ("message_slowdown", "data", &tables.slowdown),
        ]
    });
    let begins = measures.message_begins.iter().map(|begins| ("message_begins", "data", begins));
    let classes = measures.traffic.iter().flat_map(|traffic| traffic.classes.iter().enumerate());
    let classes = classes.flat_map(|(number, class)| {
        let is_answered =
            measures.traffic.as_ref().is_some_and(|traffic| traffic.is_answered(number));
        let round_trip = is_answered.then_some(("round_trip", &*class.name, &class.round_trip));
        [("class_latency", &*class.name, &class.latency)].into_iter().chain(round_trip)
    });
    packets
        .chain([("message_latency", "data", &measures.message_latency)])
        .chain(late)
        .chain(begins)
        .chain(classes)
}

/// The latencies of messages of every job.
fn latencies(simulation: &Simulation) -> impl Iterator<Item = (&str, &str, &Distribution)> {
    let jobs = simulation.measures().jobs.iter().flat_map(|jobs| &jobs.jobs);
    simulation.job_names().zip(jobs).map(|(name, job)| (name, "data", &job.latency))
}

pub fn moments<'py>(py: Python<'py>, measures: &Measures) -> PyResult<Bound<'py, PyList>> {
    moments_of(py, distributions(measures))
}

/// Those of the latencies of jobs; the variable is the name of the job.
pub fn job_moments<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyList>> {
    moments_of(py, latencies(simulation))
}

fn moments_of<'py, 'a>(
    py: Python<'py>,
    distributions: impl Iterator<Item = (&'a str, &'a str, &'a Distribution)>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (variable, class, distribution) in distributions {
        let moments = distribution.moments;
        let row = PyDict::new(py);
        row.set_item("variable", variable)?;
        row.set_item("class", class)?;
        row.set_item("count", moments.count)?;
        row.set_item("sum", moments.sum)?;
        row.set_item("sum2", moments.sum2)?;
        let (low, high) = moments.sum3;
        let high = high.into_pyobject(py)?.call_method1("__lshift__", (128,))?;
        row.set_item("sum3", high.call_method1("__add__", (low,))?)?;
        row.set_item("min", (moments.count > 0).then_some(moments.min))?;
        row.set_item("max", (moments.count > 0).then_some(moments.max))?;
        list.append(row)?;
    }
    Ok(list)
}

pub fn histograms<'py>(py: Python<'py>, measures: &Measures) -> PyResult<Bound<'py, PyList>> {
    histograms_of(py, distributions(measures))
}

/// Those of the latencies of jobs; the variable is the name of the job.
pub fn job_histograms<'py>(
    py: Python<'py>,
    simulation: &Simulation,
) -> PyResult<Bound<'py, PyList>> {
    histograms_of(py, latencies(simulation))
}

fn histograms_of<'py, 'a>(
    py: Python<'py>,
    distributions: impl Iterator<Item = (&'a str, &'a str, &'a Distribution)>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (variable, class, distribution) in distributions {
        let table = Table::new(py);
        table.0.set_item("variable", variable)?;
        table.0.set_item("class", class)?;
        let bins = || distribution.histogram.bins();
        table.column("low", bins().map(|(low, _, _)| low))?;
        table.column("high", bins().map(|(_, high, _)| high))?;
        table.column("count", bins().map(|(_, _, count)| count))?;
        list.append(table.0)?;
    }
    Ok(list)
}

pub fn prediction(py: Python<'_>, prediction: Prediction) -> PyResult<Bound<'_, PyDict>> {
    let table = Table::new(py);
    let set = |name: &str, value: Bound<'_, PyAny>| table.0.set_item(name, value);
    set("nodes", prediction.nodes.into_pyobject(py)?.into_any())?;
    set("switches", prediction.switches.into_pyobject(py)?.into_any())?;
    set("channels", prediction.channel_load_ps.len().into_pyobject(py)?.into_any())?;
    set("internal_channels", prediction.internal_channels.into_pyobject(py)?.into_any())?;
    set("bisection_channels", prediction.bisection_channels.into_pyobject(py)?.into_any())?;
    set("pairs", prediction.pairs.into_pyobject(py)?.into_any())?;
    set("exact", prediction.exact.into_pyobject(py)?.to_owned().into_any())?;
    let routing = prediction.routing;
    table.0.set_item("routing_classes", routing.classes)?;
    table.0.set_item("routing_chooses", routing.chooses)?;
    table.0.set_item("routing_known_free", routing.is_known_free)?;
    table.0.set_item("ways", routing.ways)?;
    table.0.set_item("drawn", routing.is_drawn)?;
    let numbers = [
        ("mean_hops", Some(prediction.mean_hops)),
        ("zero_load_data_ps", Some(prediction.zero_load_data_ps)),
        ("zero_load_ack_ps", Some(prediction.zero_load_ack_ps)),
        ("zero_load_data_1hop_ps", Some(prediction.zero_load_neighbour_ps)),
        ("channel_load_max", Some(prediction.load_max_ps)),
        ("channel_load_mean_internal", Some(prediction.load_mean_internal_ps)),
        ("saturation_messages_per_node_per_ms", prediction.saturation_per_ms),
    ];
    for (name, value) in numbers {
        table.0.set_item(name, value)?;
    }
    table.column("channel_load", prediction.channel_load_ps.into_iter())?;
    table.column("sample_source", prediction.sample.source.into_iter())?;
    table.column("sample_destination", prediction.sample.destination.into_iter())?;
    table.column("sample_weight", prediction.sample.weight.into_iter())?;
    Ok(table.0)
}

/// The numbers of a survey, and the graph: a row per link (`link_…`) and node (`node_…`).
/// A link's class is a place among the names of classes; its time of a flit is 0 if the machine
/// says it.
pub fn survey<'py>(
    py: Python<'py>,
    topology: &Topology,
    (width, delay_ps): (u32, u64),
    survey: &Survey,
) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let dict = &table.0;
    dict.set_item("nodes", topology.nodes)?;
    dict.set_item("switches", topology.switches)?;
    dict.set_item("links", survey.links)?;
    dict.set_item("degree", survey.degree)?;
    dict.set_item("symmetric", survey.symmetric)?;
    dict.set_item("switch_diameter", survey.switch_diameter)?;
    dict.set_item("diameter", survey.diameter)?;
    dict.set_item("mean_hops", survey.mean_hops)?;
    dict.set_item("paths_mean", survey.paths_mean)?;
    dict.set_item("paths_min", survey.paths_min)?;
    dict.set_item("paths_max", survey.paths_max)?;
    dict.set_item("bisection_channels", survey.bisection_channels)?;
    dict.set_item("sources", survey.sources)?;
    dict.set_item("exact", survey.exact)?;
    let switches = (0..topology.switches).map(SwitchId::from_index);
    let links: Vec<_> = switches
        .flat_map(|from| topology.links(from).map(move |(port, to)| (from, port, to)))
        .collect();
    let rows = || links.iter();
    table.column("link_from", rows().map(|&(from, _, _)| from.0))?;
    table.column("link_to", rows().map(|&(_, _, to)| to.0))?;
    table.column("link_width", rows().map(|&(from, port, _)| topology.width(from, port, width)))?;
    table.column(
        "link_delay_ps",
        rows().map(|&(from, port, _)| topology.delay(from, port).unwrap_or(delay_ps)),
    )?;
    let place = |from: SwitchId, port| from.index() * topology.ports + port;
    let class = |&(from, port, _): &_| topology.link_class(place(from, port)) as u16;
    table.column("link_class", rows().map(class))?;
    let own = |&(from, port, _): &_| topology.differing_links.get(place(from, port))?.flit_ps;
    table.column("link_flit_ps", rows().map(|link| own(link).unwrap_or(0)))?;
    let places = || topology.attachments.iter();
    let number = |switch: Option<SwitchId>| switch.unwrap_or(SwitchId::NONE).0;
    table.column("node_enters", places().map(|at| number(at.enters())))?;
    table.column("node_leaves", places().map(|at| number(at.leaves())))?;
    Ok(table.0)
}
