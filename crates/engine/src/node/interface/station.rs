//! The interface of one node: operations that are not over, receives and messages that wait
//! for each other, system buffers.

use crate::ids::{ArrivalId, MessageId, NodeId};
use crate::workload::{Filter, Wait};
use std::collections::{BTreeMap, VecDeque};

/// The interface of one node, for the process there that comes from outside.
#[derive(Default)]
pub struct Station {
    /// What it is like; none: the process does not come from outside.
    pub site: Option<Site>,
    /// Operations that are not over, and some that are, by number from `first` on.
    pub operations: VecDeque<Operation>,
    /// The number of the first of these.
    pub first: u32,
    /// Receives without a message, oldest first.
    pub receives: VecDeque<u32>,
    /// Messages without a receive, oldest first.
    pub arrivals: VecDeque<ArrivalId>,
    /// Comparators in use.
    pub following: u32,
    /// What the process waits for.
    pub wait: Option<Wait>,
    /// The operation it waited for last, if it has not been told of it.
    pub waited: Option<u32>,
    /// Bytes of the system buffers that the process holds, by receive.
    pub held: BTreeMap<u32, u64>,
    /// System buffers in use.
    pub buffers: Buffers,
    /// Whether the process has begun.
    pub has_begun: bool,
}

/// Where a process from outside is, and what its node can do.
#[derive(Clone, Copy)]
pub struct Site {
    /// Its node.
    pub node: NodeId,
    /// The process that is number 0 to it.
    pub first: u32,
    /// Messages whose arrival its node can follow at one time.
    pub comparators: u32,
}

/// System buffers of one node, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    /// In use now.
    pub used: u64,
    /// Most in use at one time, in the window.
    pub most: u64,
}

impl Buffers {
    /// So many more are in use.
    pub fn take(&mut self, bytes: u64) {
        self.used += bytes;
        self.most = self.most.max(self.used);
    }

    /// So many are given back.
    pub fn free(&mut self, bytes: u64) {
        self.used -= bytes;
    }
}

/// An operation of a process.
#[derive(Clone, Copy)]
pub enum Operation {
    /// A message, or several copies of one.
    Send {
        /// Copies that have not been acknowledged.
        open: u32,
        /// Whether it is known that the first packet has begun its way.
        has_begun: bool,
        /// The first copy.
        first: MessageId,
    },
    /// A receive.
    Receive {
        /// What it takes.
        filter: Filter,
        /// Its message; none yet.
        arrival: ArrivalId,
    },
    /// One that is over.
    Over,
}

impl Station {
    /// Where its process is.
    ///
    /// # Panics
    /// If that does not come from outside.
    #[inline]
    pub fn site(&self) -> Site {
        self.site.expect("only processes from outside have an interface")
    }

    /// Begins an operation; its number.
    pub fn begin(&mut self, operation: Operation) -> u32 {
        self.operations.push_back(operation);
        self.first + self.operations.len() as u32 - 1
    }

    /// An operation by its number; what is not known is over.
    pub fn operation(&self, number: u32) -> Operation {
        let place = number.checked_sub(self.first);
        let operation = place.and_then(|place| self.operations.get(place as usize));
        operation.copied().unwrap_or(Operation::Over)
    }

    /// The same, to be changed.
    pub fn operation_mut(&mut self, number: u32) -> Option<&mut Operation> {
        let place = number.checked_sub(self.first)?;
        self.operations.get_mut(place as usize)
    }

    /// A receive takes a message.
    pub fn takes(&mut self, number: u32, place: ArrivalId) {
        if let Some(Operation::Receive { arrival, .. }) = self.operation_mut(number) {
            *arrival = place;
        }
    }

    /// The oldest receive that takes a message is no longer without.
    pub fn take_receive(&mut self, source: NodeId, tag: u32) -> Option<(u32, Filter)> {
        let taking = self.receives.iter().enumerate().find_map(|(place, &number)| {
            match self.operation(number) {
                Operation::Receive { filter, .. } if filter.takes(source, tag) => {
                    Some((place, number, filter))
                }
                _ => None,
            }
        });
        let (place, number, filter) = taking?;
        self.receives.remove(place);
        Some((number, filter))
    }

    /// The first packet of a send has begun its way.
    pub fn sets_out(&mut self, number: u32) {
        if let Some(Operation::Send { has_begun, .. }) = self.operation_mut(number) {
            *has_begun = true;
        }
    }

    /// An operation is over; the oldest such are forgotten.
    pub fn ends(&mut self, number: u32) {
        if let Some(operation) = self.operation_mut(number) {
            *operation = Operation::Over;
        }
        while let Some(Operation::Over) = self.operations.front() {
            self.operations.pop_front();
            self.first += 1;
        }
    }
}
