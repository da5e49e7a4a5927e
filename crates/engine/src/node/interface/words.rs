//! What a process waits for, in words.

use super::Interface;
use super::station::{Operation, Station};
use crate::ids::{NodeId, ProcessId};
use crate::workload::Filter;

impl Interface {
    /// What a process waits for, in words; `has_ended` tells of a node that it sends no more.
    pub fn waits_for(
        &self,
        process: ProcessId,
        has_ended: impl Fn(NodeId) -> bool,
    ) -> Option<String> {
        let station = &self.stations[process.index()];
        let wait = station.wait?;
        let number = wait.operation;
        Some(match station.operation(number) {
            Operation::Receive { filter, arrival } if !arrival.is_some() => {
                let ended = filter.source.filter(|&source| has_ended(source));
                let ended = ended.map(|node| format!("; node {} has ended", node.0));
                let others = self.others_there(station).unwrap_or_default();
                let what = in_words(filter);
                format!("{what} (its operation {number}){}{others}", ended.unwrap_or_default())
            }
            Operation::Receive { arrival, .. } => {
                let source = self.arrivals[arrival].heard.source.0;
                format!("the rest of a message from node {source} (its operation {number})")
            }
            _ => format!("the message of its operation {number} to be sent"),
        })
    }

    /// What lies in a node's buffers that no receive takes.
    fn others_there(&self, station: &Station) -> Option<String> {
        let first = &self.arrivals[*station.arrivals.front()?].heard;
        let count = station.arrivals.len();
        let which = if count == 1 { "is the only one" } else { "is the oldest" };
        Some(format!(
            "; of the {count} it has not received, one of type {} from node {} {which}",
            first.tag, first.source.0
        ))
    }
}

/// What a receive takes.
fn in_words(filter: Filter) -> String {
    let tag = filter.tag.map_or_else(String::new, |tag| format!(" of type {tag}"));
    let source = filter.source.map_or("any node".into(), |node| format!("node {}", node.0));
    format!("a message{tag} from {source}")
}
