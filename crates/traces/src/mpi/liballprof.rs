//! liballprof, which schedgen reads: a file for each rank, a line for each call, with its
//! arguments in the order of C between colons, and times in microseconds.

use super::files;
use super::program::{Dialect, Program};
use super::record::Call;
use crate::Source;
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::{real, shown};
use std::path::Path;

/// Opens the program of which a file is one rank.
///
/// # Errors
/// Files that cannot be read; ranks that are missing.
pub fn open(path: &Path) -> Result<Box<dyn Source>, Mistake> {
    Ok(Box::new(Program::<Liballprof>::new(files::of_ranks(path)?)))
}

/// Whether a file begins with comments and a call.
pub fn looks_like(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && line[0] != b'#');
    first.is_some_and(|line| line.starts_with(b"MPI_") && line.contains(&b':'))
}

/// The arguments of calls that have an effect, in order.
const ARGUMENTS: [(&str, &str); 23] = [
    ("MPI_Send", "buf count datatype dest tag comm"),
    ("MPI_Isend", "buf count datatype dest tag comm request"),
    ("MPI_Recv", "buf count datatype source tag comm status"),
    ("MPI_Irecv", "buf count datatype source tag comm request"),
    (
        "MPI_Sendrecv",
        "buf sendcount sendtype dest sendtag buf recvcount recvtype source recvtag comm status",
    ),
    ("MPI_Sendrecv_replace", "buf count datatype dest sendtag source recvtag comm status"),
    ("MPI_Wait", "request status"),
    ("MPI_Waitall", "count requests statuses"),
    ("MPI_Waitany", "count requests index status"),
    ("MPI_Test", "request flag status"),
    ("MPI_Barrier", "comm"),
    ("MPI_Bcast", "buf count datatype root comm"),
    ("MPI_Reduce", "buf buf count datatype op root comm"),
    ("MPI_Allreduce", "buf buf count datatype op comm"),
    ("MPI_Scan", "buf buf count datatype op comm"),
    ("MPI_Exscan", "buf buf count datatype op comm"),
    ("MPI_Gather", "buf sendcount sendtype buf recvcount recvtype root comm"),
    ("MPI_Scatter", "buf sendcount sendtype buf recvcount recvtype root comm"),
    ("MPI_Allgather", "buf sendcount sendtype buf recvcount recvtype comm"),
    ("MPI_Alltoall", "buf sendcount sendtype buf recvcount recvtype comm"),
    ("MPI_Gatherv", "buf sendcount sendtype buf recvcounts displs recvtype root comm"),
    ("MPI_Alltoallv", "buf sendcounts displs sendtype buf recvcounts displs recvtype comm"),
    ("MPI_Allgatherv", "buf sendcount sendtype buf recvcounts displs recvtype comm"),
];

struct Liballprof;

/// Microseconds, in picoseconds.
fn time(text: &[u8]) -> Option<u64> {
    let micros = real(text)?;
    (micros < 1e13).then(|| (micros * 1e6).round() as u64)
}

impl Dialect for Liballprof {
    fn read(lines: &mut Lines, call: &mut Call) -> Result<bool, Mistake> {
        loop {
            let Some((number, line)) = lines.next()? else { return Ok(false) };
            let line = line.trim_ascii();
            if line.is_empty() || line[0] == b'#' {
                continue;
            }
            return match parse(line, number, call) {
                Ok(()) => Ok(true),
                Err(what) => Err(lines.mistake(what)),
            };
        }
    }
}

fn parse(line: &[u8], number: u64, call: &mut Call) -> Result<(), String> {
    let parts: Vec<_> = line.split(|&c| c == b':').collect();
    let (name, rest) = (parts[0], &parts[1..]);
    if !name.starts_with(b"MPI_") || rest.is_empty() {
        return Err(format!("expected a call MPI_…:time:…, found {}", shown(line)));
    }
    call.begin(name, number);
    let stamp = |text: &[u8]| {
        time(text).ok_or_else(|| format!("a time must be a number, not {}", shown(text)))
    };
    let is_init = matches!(name, b"MPI_Init" | b"MPI_Init_thread");
    let (first, last) = (rest[0], rest[rest.len() - 1]);
    if !is_init {
        call.begun = Some(stamp(first)?);
    }
    if name != b"MPI_Finalize" && (rest.len() > 1 || is_init) {
        call.done = Some(stamp(last)?);
    }
    let Some((_, names)) = ARGUMENTS.iter().find(|(known, _)| known.as_bytes() == name) else {
        return Ok(());
    };
    let values = &rest[1..rest.len().max(2) - 1];
    let names: Vec<_> = names.split(' ').collect();
    // Lists are as many values as they have entries, and come before what has one.
    let lists = names.iter().filter(|name| is_list(name)).count();
    let extra = values.len().checked_sub(names.len() - lists);
    let each = extra.and_then(|extra| match lists {
        0 => (extra == 0).then_some(0),
        _ => (extra % lists == 0).then_some(extra / lists),
    });
    let Some(each) = each else {
        let (given, needed) = (values.len(), names.len());
        return Err(format!(
            "{} has {given} arguments; needs {needed}: {}",
            call.name,
            names.join(", ")
        ));
    };
    let mut at = 0;
    for name in names {
        let count = if is_list(name) { each } else { 1 };
        call.add(name.as_bytes(), &values[at..at + count].join(&b","[..]));
        at += count;
    }
    Ok(())
}

fn is_list(name: &str) -> bool {
    matches!(name, "requests" | "statuses" | "recvcounts" | "sendcounts" | "displs")
}
