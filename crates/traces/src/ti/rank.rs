//! A rank of a SimGrid trace: messages and work into operations.

use super::arguments::{Arguments, Parsed};
use super::communicators::Communicators;
use super::datatypes::{BYTE, length};
use super::requests::{Key, Requests};
use crate::calls::Calls;
use crate::communicator::Communicator;
use crate::sequence::{Call, Sequence};
use crate::words::in_bytes;
use tailback_engine::workload::trace::{Batch, Envelope, Filter, What};

/// What an action appends to.
pub struct Output<'a> {
    /// The batch.
    pub batch: &'a mut Batch,
    /// What its receives expect.
    pub expected: &'a mut Vec<u64>,
    /// The names of places.
    pub calls: &'a mut Calls,
    /// Who is in communicators.
    pub communicators: &'a mut Communicators,
    /// Whether `gatherv` and `scatterv` have lengths at their roots alone.
    pub at_root_alone: bool,
}

/// What is remembered of a rank from one action to the next.
#[derive(Debug)]
pub struct Rank {
    pub(super) me: u32,
    pub(super) ranks: u32,
    pub(super) sequence: Sequence,
    pub(super) requests: Requests,
    pub(super) element: u64,
    /// That of the collectives that follow.
    pub(super) communicator: Communicator,
    /// Where in the program the next action is, if it says.
    pub(super) location: Option<String>,
    /// The number of the place of the action that is being read.
    pub(super) place: u32,
}

impl Rank {
    /// One of so many that has done nothing yet.
    pub fn new(me: u32, ranks: u32) -> Self {
        Self {
            me,
            ranks,
            sequence: Sequence::new(),
            requests: Requests::default(),
            element: length(BYTE).unwrap_or(1),
            communicator: Communicator::default(),
            location: None,
            place: 0,
        }
    }

    pub(super) fn then(&mut self, what: What, call: Call, batch: &mut Batch) -> u64 {
        self.sequence.then(batch, what, call, self.place)
    }

    /// Work, if there is any.
    pub(super) fn compute(&mut self, flops: f64, batch: &mut Batch) -> Parsed<()> {
        if flops >= 1e19 {
            return Err(format!("the work is too large: {flops} operations"));
        }
        if flops >= 1.0 {
            self.then(What::Flops(flops as u64), Call::Blocks, batch);
        }
        Ok(())
    }

    pub(super) fn send(
        &mut self,
        action: &str,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let to = given.rank("the receiver")?;
        let tag = given.tag()?;
        let (count, element) = (given.count("the length")?, given.element()?);
        let sent = tag.ok_or("a send must have a tag from 0")?;
        let envelope = Envelope { to, bytes: in_bytes(count, element)?, tag: sent, context: 0 };
        if action == "send" {
            self.then(What::Send(envelope), Call::Blocks, output.batch);
            return Ok(());
        }
        let number = self.then(What::Send(envelope), Call::Returns, output.batch);
        self.requests.add(Key { source: Some(self.me), destination: to, tag }, number);
        Ok(())
    }

    pub(super) fn receive(
        &mut self,
        action: &str,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let from = given.source("the sender")?;
        let tag = given.tag()?;
        let (count, element) = (given.perhaps_count("the length")?, given.element()?);
        let filter = Filter { from, tag, context: 0 };
        output.expected.push(count.map_or(Ok(0), |count| in_bytes(count, element))?);
        if action == "recv" {
            self.then(What::Receive(filter), Call::Blocks, output.batch);
            return Ok(());
        }
        let number = self.then(What::Receive(filter), Call::Returns, output.batch);
        self.requests.add(Key { source: from, destination: self.me, tag }, number);
        Ok(())
    }

    /// A request that has been waited for already is not waited for again.
    pub(super) fn wait(&mut self, given: &mut Arguments<'_>, batch: &mut Batch) -> Parsed<()> {
        if given.left() == 0 {
            let since = "since SimGrid 3.20: record the trace with a newer one";
            return Err(format!("wait must have a sender, a receiver and a tag, as {since}"));
        }
        let source = given.source("the sender")?;
        let destination = given.rank("the receiver")?;
        let tag = given.tag()?;
        if let Some(number) = self.requests.take(Key { source, destination, tag }) {
            self.sequence.wait(batch, &[number], self.place);
        }
        Ok(())
    }

    pub(super) fn send_and_receive(
        &mut self,
        given: &mut Arguments<'_>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let sent = given.count("the length sent")?;
        let to = given.rank("the receiver")?;
        let received = given.count("the length received")?;
        let from = given.source("the sender")?;
        let (sent_element, received_element) = (given.element()?, given.element()?);
        let bytes_sent = in_bytes(sent, sent_element)?;
        output.expected.push(in_bytes(received, received_element)?);
        let filter = Filter { from, tag: Some(0), context: 0 };
        self.exchange(Envelope { to, bytes: bytes_sent, tag: 0, context: 0 }, filter, output.batch);
        Ok(())
    }

    /// Sends and receives at once, and waits for both.
    pub(super) fn exchange(&mut self, envelope: Envelope, filter: Filter, batch: &mut Batch) {
        let both = [What::Send(envelope), What::Receive(filter)];
        self.sequence.together(batch, both, self.place);
    }
}
