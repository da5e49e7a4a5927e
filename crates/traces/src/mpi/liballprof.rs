//! liballprof, which schedgen reads: a file for each rank, a line for each call, with its
//! arguments in the order of C between colons, and times in microseconds.

use super::collectives::blocking;
use super::files;
use super::program::Program;
use super::record::{Call, Dialect};
use crate::Source;
use crate::lines::Lines;
use crate::mistake::Mistake;
use crate::words::{clock_ps, shown};
use std::borrow::Cow;
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

/// The arguments of calls that have an effect, in order. Collectives that do not block have a
/// request behind those of the others.
const ARGUMENTS: [(&str, &str); 37] = [
    ("MPI_Comm_rank", "comm rank"),
    ("MPI_Comm_size", "comm ranks"),
    ("MPI_Send", SENT),
    ("MPI_Bsend", SENT),
    ("MPI_Rsend", SENT),
    ("MPI_Ssend", SENT),
    ("MPI_Isend", SENT_LATER),
    ("MPI_Ibsend", SENT_LATER),
    ("MPI_Irsend", SENT_LATER),
    ("MPI_Issend", SENT_LATER),
    ("MPI_Recv", "buf count datatype source tag comm status"),
    ("MPI_Irecv", RECEIVED_LATER),
    (
        "MPI_Sendrecv",
        "buf sendcount sendtype dest sendtag buf recvcount recvtype source recvtag comm status",
    ),
    ("MPI_Sendrecv_replace", "buf count datatype dest sendtag source recvtag comm status"),
    ("MPI_Send_init", SENT_LATER),
    ("MPI_Bsend_init", SENT_LATER),
    ("MPI_Rsend_init", SENT_LATER),
    ("MPI_Ssend_init", SENT_LATER),
    ("MPI_Recv_init", RECEIVED_LATER),
    ("MPI_Start", "request"),
    ("MPI_Startall", "count requests"),
    ("MPI_Wait", "request status"),
    ("MPI_Waitall", "count requests statuses"),
    ("MPI_Waitany", "count requests index status"),
    ("MPI_Waitsome", "count requests outcount indices statuses"),
    ("MPI_Barrier", "comm"),
    ("MPI_Bcast", "buf count datatype root comm"),
    ("MPI_Reduce", "buf buf count datatype op root comm"),
    ("MPI_Allreduce", "buf buf count datatype op comm"),
    ("MPI_Scan", "buf buf count datatype op comm"),
    ("MPI_Exscan", "buf buf count datatype op comm"),
    ("MPI_Reduce_scatter", "buf buf recvcounts datatype op comm"),
    ("MPI_Reduce_scatter_block", "buf buf count datatype op comm"),
    ("MPI_Gatherv", "buf sendcount sendtype buf recvcounts displs recvtype root comm"),
    ("MPI_Scatterv", "buf sendcounts displs sendtype buf recvcount recvtype root comm"),
    ("MPI_Alltoallv", "buf sendcounts displs sendtype buf recvcounts displs recvtype comm"),
    ("MPI_Allgatherv", "buf sendcount sendtype buf recvcounts displs recvtype comm"),
];
const SENT: &str = "buf count datatype dest tag comm";
const SENT_LATER: &str = "buf count datatype dest tag comm request";
const RECEIVED_LATER: &str = "buf count datatype source tag comm request";
const EQUAL_BLOCKS: &str = "buf sendcount sendtype buf recvcount recvtype";

/// The names of the arguments of a call; none if it has no effect.
fn arguments(call: &str) -> Option<Cow<'static, str>> {
    if let Some((_, names)) = ARGUMENTS.iter().find(|(known, _)| *known == call) {
        return Some((*names).into());
    }
    match call {
        "MPI_Gather" | "MPI_Scatter" => Some(format!("{EQUAL_BLOCKS} root comm").into()),
        "MPI_Allgather" | "MPI_Alltoall" => Some(format!("{EQUAL_BLOCKS} comm").into()),
        _ => arguments(&blocking(call)?).map(|names| format!("{names} request").into()),
    }
}

struct Liballprof;

/// A microsecond is so many powers of ten of a picosecond.
const MICROSECOND_DIGITS: u32 = 6;

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
    call.is_described = true;
    let stamp = |text: &[u8]| {
        let wrong = || format!("a time must be a number, not {}", shown(text));
        clock_ps(text, MICROSECOND_DIGITS).ok_or_else(wrong)
    };
    let is_init = matches!(name, b"MPI_Init" | b"MPI_Init_thread");
    let (first, last) = (rest[0], rest[rest.len() - 1]);
    if !is_init {
        call.begun = Some(stamp(first)?);
    }
    if name != b"MPI_Finalize" && (rest.len() > 1 || is_init) {
        call.done = Some(stamp(last)?);
    }
    let Some(names) = arguments(&call.name) else { return Ok(()) };
    add_arguments(call, &names, &rest[1..rest.len().max(2) - 1])
}

/// Adds the values of arguments. Counts for all members are two of them: a pointer, and the counts.
fn add_arguments(call: &mut Call, names: &str, values: &[&[u8]]) -> Result<(), String> {
    let count = names.split(' ').count();
    let lists = names.split(' ').filter(|name| is_list(name)).count();
    // Some libraries do not say what is behind the pointer.
    let each = match values.len().checked_sub(count) {
        Some(0) => 1,
        Some(more) if lists > 0 && more == lists => 2,
        _ => {
            let (given, needed) = (values.len(), names.replace(' ', ", "));
            let name = &call.name;
            return Err(format!("{name} has {given} arguments; needs {count}: {needed}"));
        }
    };
    let mut values = values.iter();
    for name in names.split(' ') {
        let here = if is_list(name) { each } else { 1 };
        let value = values.by_ref().take(here).last().copied().unwrap_or(b"");
        if is_list(name) && each == 1 && !value.contains(&b',') {
            // A pointer alone: what needs it will miss it.
            continue;
        }
        call.add(name.as_bytes(), value);
    }
    Ok(())
}

fn is_list(name: &str) -> bool {
    matches!(name, "recvcounts" | "sendcounts" | "displs")
}
