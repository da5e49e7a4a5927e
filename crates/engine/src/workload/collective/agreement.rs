//! Whether what members say of one collective agrees, and groups in words.

use super::data::Rows;
use crate::error::SpecError;
use crate::spec::{Collective, Method, Operation};
use std::sync::Arc;

/// In what two members' words about one collective differ.
pub fn difference(one: &Collective, other: &Collective) -> Option<(&'static str, String, String)> {
    let differs = |what, one: String, other: String| (one != other).then_some((what, one, other));
    let name = |call: &Collective| call.operation.name().to_owned();
    let lists = |call: &Collective| match (&call.sizes, call.operation) {
        (None, _) => "none".into(),
        (Some(_), Operation::AllToAll) => "lengths of one's own".into(),
        (Some(sizes), _) => format!("{sizes:?}"),
    };
    let root = |call: &Collective| call.root.map_or("the first".into(), |root| root.to_string());
    let method = |call: &Collective| match call.method {
        None => "the machine's".into(),
        Some(Method::Algorithm(algorithm)) => algorithm.name().to_owned(),
        Some(method) => format!("{method:?}"),
    };
    let segment = |call: &Collective| call.segment.map_or("none".into(), |s| format!("{s} bytes"));
    differs("operation", name(one), name(other))
        .or_else(|| {
            let (bytes, expected) = (one.bytes, other.bytes);
            (bytes != expected)
                .then(|| ("size_bytes", bytes.to_string(), format!("{expected} bytes")))
        })
        .or_else(|| differs("sizes", lists(one), lists(other)))
        .or_else(|| differs("root", root(one), root(other)))
        .or_else(|| differs("algorithm", method(one), method(other)))
        .or_else(|| differs("segment", segment(one), segment(other)))
}

/// Refuses an all-to-all in which one expects what another does not send.
///
/// # Errors
/// That, with who sends and who expects.
pub fn check_rows(
    rows: &[Option<Arc<Rows>>],
    members: &[u32],
    field: &str,
) -> Result<(), SpecError> {
    let rows: Vec<_> = rows.iter().flatten().collect();
    for (from, one) in rows.iter().enumerate() {
        for (to, other) in rows.iter().enumerate() {
            let (sent, expected) = (one.0[to], other.1[from]);
            if sent != expected {
                let (from, to) = (members[from], members[to]);
                let allowed = format!(
                    "is what process {from} sends to process {to}, which expects {expected} bytes"
                );
                return Err(SpecError::new(format!("{field}.sizes_bytes"), sent, allowed));
            }
        }
    }
    Ok(())
}

/// Processes in words: a range, or the first few.
pub fn listed(processes: &[u32]) -> String {
    const SHOWN: usize = 8;
    match processes {
        [one] => format!("process {one}"),
        [first, .., last]
            if processes.len() > 2 && processes.iter().copied().eq(*first..=*last) =>
        {
            format!("processes {first} to {last}")
        }
        _ => {
            let shown: Vec<_> = processes.iter().take(SHOWN).map(u32::to_string).collect();
            let more = processes.len().saturating_sub(SHOWN);
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("processes {}{rest}", shown.join(", "))
        }
    }
}
