//! One row for every message that has been received, as many as there is room for.

use crate::ids::{MessageId, NodeId, ProcessId};
use crate::time::Time;

/// Most rows that are kept: of more, every other message goes, and so on.
pub const MOST_MESSAGES: usize = 1 << 20;

/// A message that has been received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// How many were sent before it.
    pub number: u64,
    /// The sending process, and where it runs.
    pub from: (ProcessId, NodeId),
    /// The receiving process, and where it runs.
    pub to: (ProcessId, NodeId),
    /// What the receiver knows it by.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
    /// When its send was called.
    pub sent: Time,
    /// When its last byte was there.
    pub arrived: Time,
    /// When its process had accepted it, too.
    pub received: Time,
}

/// Rows of messages received since they were last taken.
///
/// Kept are those whose number is a multiple of a *step*, 1 until there are too many, then twice as
/// much: so which are kept does not depend on how they fared.
pub struct MessageRows {
    rows: Vec<MessageRow>,
    step: u64,
    most: usize,
    /// By message under way: when its last byte was there.
    arrived: Vec<Time>,
}

impl Default for MessageRows {
    fn default() -> Self {
        Self::of_most(MOST_MESSAGES)
    }
}

impl MessageRows {
    fn of_most(most: usize) -> Self {
        Self { rows: Vec::new(), step: 1, most, arrived: Vec::new() }
    }

    /// The last byte of a message is there.
    pub fn arrives(&mut self, id: MessageId, now: Time) {
        if self.arrived.len() <= id.index() {
            self.arrived.resize(id.index() + 1, now);
        }
        self.arrived[id.index()] = now;
    }

    /// When the last byte of a message was there that came in packets.
    pub fn arrived(&self, id: MessageId) -> Time {
        self.arrived[id.index()]
    }

    /// A message has been received.
    pub fn add(&mut self, row: MessageRow) {
        if !row.number.is_multiple_of(self.step) {
            return;
        }
        self.rows.push(row);
        if self.rows.len() > self.most {
            self.step *= 2;
            self.rows.retain(|row| row.number.is_multiple_of(self.step));
        }
    }

    /// Takes the rows, in the order of receiving.
    pub fn take(&mut self) -> Vec<MessageRow> {
        std::mem::take(&mut self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_messages_every_other_goes() {
        let mut rows = MessageRows::of_most(4);
        let from = (ProcessId(0), NodeId(0));
        let row = |number| {
            let (tag, bytes, sent, arrived, received) = (0, 0, 0, 0, 0);
            MessageRow { number, from, to: from, tag, bytes, sent, arrived, received }
        };
        (0..4).for_each(|number| rows.add(row(number)));
        assert_eq!(rows.take().len(), 4);
        // In whatever order they come.
        [7, 4, 5, 6, 8, 9, 10, 12].into_iter().map(row).for_each(|row| rows.add(row));
        let kept = rows.take();
        assert_eq!(kept.iter().map(|row| row.number).collect::<Vec<_>>(), [4, 8, 12]);
    }
}
