//! A list of messages, one process per node, receivers always ready.

use super::instruction::Send;
use crate::error::SpecError;
use crate::ids::{LinkId, NodeId, ProcessId, TeamId};
use crate::spec::Messages;
use crate::time::Time;
use crate::topology::Topology;

/// Messages in order of time.
pub struct MessageList {
    rows: Messages,
    nodes: usize,
}

impl MessageList {
    /// Checks a list against a machine.
    pub fn new(rows: &Messages, topology: &Topology) -> Result<Self, SpecError> {
        let count = rows.time_ps.len();
        let columns = [rows.source.len(), rows.destination.len(), rows.bytes.len()];
        if columns.iter().any(|&length| length != count) {
            return Err(SpecError::new(
                "workload.messages",
                format!("{count} times, {columns:?} sources, destinations, bytes"),
                "columns must be of one length",
            ));
        }
        if let Some(row) = rows.time_ps.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(SpecError::new(
                format!("workload.messages[{}].time", row + 1),
                format!("{} ps", rows.time_ps[row + 1]),
                "must not be before the row above",
            ));
        }
        for (column, name) in [(&rows.source, "source"), (&rows.destination, "destination")] {
            if let Some(row) = column.iter().position(|&node| node as usize >= topology.nodes) {
                return Err(SpecError::new(
                    format!("workload.messages[{row}].{name}"),
                    column[row],
                    format!("must be a node, 0 to {}", topology.nodes - 1),
                ));
            }
        }
        Ok(Self { rows: rows.clone(), nodes: topology.nodes })
    }

    /// See [`super::Workload::placement`].
    pub fn placement(&self) -> Vec<NodeId> {
        (0..self.nodes).map(NodeId::from_index).collect()
    }

    /// See [`super::Workload::rows`].
    pub fn rows(&self) -> usize {
        self.rows.time_ps.len()
    }

    /// See [`super::Workload::due`].
    pub fn due(&self, row: u32) -> Option<Time> {
        self.rows.time_ps.get(row as usize).copied()
    }

    /// See [`super::Workload::row`].
    pub fn row(&self, row: u32) -> (ProcessId, Send) {
        let at = row as usize;
        let send = Send {
            to: ProcessId(self.rows.destination[at]),
            tag: 0,
            bytes: self.rows.bytes[at],
            link: LinkId::NONE,
            blocking: false,
            team: TeamId::NONE,
            traffic: 0,
        };
        (ProcessId(self.rows.source[at]), send)
    }
}
