//! Why everybody could go on, as columns.

use crate::columns::Table;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tailback_engine::measure::Causes;
use tailback_engine::measure::causes::{Activity, Blamed, Doing, Kind, Part, Step, Transfer};
use tailback_engine::{
    Simulation,
    measure::blame::{Sender, Turns},
};

/// Where nobody was in the way.
const NOBODY: u32 = u32::MAX;
/// Where there is no message.
const NO_MESSAGE: u64 = u64::MAX;

/// Names of what time is put down to, of segments of paths and of activities, by number.
pub fn names() -> [(&'static str, Vec<&'static str>); 3] {
    [
        ("PARTS", Part::ALL.iter().map(|part| part.1).collect()),
        ("SEGMENTS", Kind::ALL.iter().map(|kind| kind.1).collect()),
        ("ACTIVITIES", Doing::ALL.iter().map(|doing| doing.1).collect()),
    ]
}

/// The critical path: a row for each of its pieces, in order of time.
pub fn path<'py>(py: Python<'py>, causes: &Causes) -> PyResult<Bound<'py, PyDict>> {
    let (table, path) = (Table::new(py), causes.path());
    let rows = || path.iter();
    table.column("segment", rows().map(|step| step.segment))?;
    table.column("kind", rows().map(|step| step.kind as u8))?;
    table.column("part", rows().map(|step| step.part as u8))?;
    table.column("process", rows().map(|step| step.process.0))?;
    table.column("peer", rows().map(|step| step.peer.0))?;
    table.column("message", rows().map(|step| step.message.unwrap_or(NO_MESSAGE)))?;
    table.column("call", rows().map(|step| step.call))?;
    table.column("segment_begin_ps", rows().map(|step| step.begin))?;
    table.column("time_ps", rows().map(|step| step.time))?;
    let blamed = |of: fn(&Blamed) -> u32| {
        rows().map(move |step: &Step| step.blamed.as_ref().map_or(NOBODY, of))
    };
    table.column("channel", blamed(|blamed| blamed.channel.0))?;
    table.column("culprit", blamed(|blamed| blamed.culprit.class))?;
    table.column("culprit_process", blamed(|blamed| blamed.culprit.process))?;
    table.column("culprit_message", blamed(|blamed| blamed.culprit.message))?;
    table.column("culprit_call", blamed(|blamed| blamed.culprit.call))?;
    Ok(table.0)
}

/// Where the time of every process went, and how much later it could have been if that is kept.
pub fn times<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    causes: &Causes,
) -> PyResult<Bound<'py, PyDict>> {
    let (table, times) = (Table::new(py), causes.parts(causes.makespan()));
    table.column("process", 0..times.len() as u32)?;
    table.column("node", simulation.placement().iter().map(|node| node.0))?;
    for (part, name) in Part::ALL {
        let took = || times.iter().map(|parts| parts[part as usize]);
        if part.is_usual() || took().any(|time| time > 0) {
            table.column(format!("{name}_ps"), took())?;
        }
    }
    if let Some(slack) = causes.slack() {
        table.column("slack_ps", slack.iter().map(|slack| slack.least))?;
        table.column("slack_of_end_ps", slack.iter().map(|slack| slack.of_end))?;
    }
    Ok(table.0)
}

/// What processes did when.
pub fn activities<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    rows: &[Activity],
) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || rows.iter();
    let node = |row: &Activity| simulation.placement()[row.process.index()].0;
    table.column("process", rows().map(|row| row.process.0))?;
    table.column("node", rows().map(node))?;
    table.column("kind", rows().map(|row| row.doing as u8))?;
    table.column("message", rows().map(|row| row.message.unwrap_or(NO_MESSAGE)))?;
    table.column("call", rows().map(|row| row.call))?;
    table.column("begin_ps", rows().map(|row| row.begin))?;
    table.column("end_ps", rows().map(|row| row.end))?;
    for (part, name) in Part::ALL {
        // What else there is, is what it does itself.
        let is_told = part.is_contention() || matches!(part, Part::Partner | Part::Own);
        let took = || rows().map(|row| row.parts[part as usize]);
        if is_told && (part.is_usual() || took().any(|time| time > 0)) {
            table.column(format!("{name}_ps"), took())?;
        }
    }
    Ok(table.0)
}

/// Messages.
pub fn transfers<'py>(py: Python<'py>, rows: &[Transfer]) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || rows.iter();
    table.column("message", rows().map(|row| row.message.number))?;
    table.column("source", rows().map(|row| row.message.from.0))?;
    table.column("destination", rows().map(|row| row.message.to.0))?;
    table.lengths("bytes", rows().map(|row| row.message.bytes))?;
    table.column("tag", rows().map(|row| row.message.tag))?;
    table.column("class", rows().map(|row| row.message.class))?;
    table.column("call", rows().map(|row| row.message.call))?;
    table.column("sent_ps", rows().map(|row| row.sent))?;
    table.column("left_ps", rows().map(|row| row.left))?;
    table.column("arrived_ps", rows().map(|row| row.arrived))?;
    table.column("received_ps", rows().map(|row| row.received))?;
    Ok(table.0)
}

/// Turns of packets on channels.
pub fn turns<'py>(py: Python<'py>, kept: &Turns) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || kept.holds.iter();
    table.column("channel", rows().map(|row| row.channel.0))?;
    put_packets(&table, kept, rows().map(|row| row.label))?;
    table.column("granted_ps", rows().map(|row| row.granted))?;
    table.column("start_ps", rows().map(|row| row.start))?;
    table.column("end_ps", rows().map(|row| row.end))?;
    table.column("busy_ps", rows().map(|row| row.busy))?;
    Ok(table.0)
}

/// What packets have waited for.
pub fn waits<'py>(py: Python<'py>, kept: &Turns) -> PyResult<Bound<'py, PyDict>> {
    let table = Table::new(py);
    let rows = || kept.waits.iter();
    table.column("channel", rows().map(|row| row.timed.charge.channel.0))?;
    put_packets(&table, kept, rows().map(|row| row.label))?;
    table.column("begin_ps", rows().map(|row| row.timed.begin))?;
    table.column("time_ps", rows().map(|row| row.timed.charge.time))?;
    table.column("cause", rows().map(|row| row.timed.charge.cause as u8))?;
    let number = |label| kept.named(label).0;
    table.column("culprit_message", rows().map(|row| number(row.timed.charge.culprit)))?;
    Ok(table.0)
}

/// Of which messages packets are, and between which processes.
fn put_packets(
    table: &Table,
    kept: &Turns,
    labels: impl Iterator<Item = u32> + Clone,
) -> PyResult<()> {
    let process = |label, end: fn(Sender) -> u32| kept.named(label).1.map_or(NOBODY, end);
    table.column("message", labels.clone().map(|label| kept.named(label).0))?;
    table.column("source", labels.clone().map(|label| process(label, |of| of.process.0)))?;
    table.column("destination", labels.map(|label| process(label, |of| of.to.0)))
}
