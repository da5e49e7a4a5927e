//! A rank of an MPI program: calls into operations.

use super::communicators::Communicators;
use super::output::Output;
use super::record::{Call, Parsed};
use super::types::Types;

use crate::sequence::{self, Sequence};
use crate::words::in_bytes;
use std::collections::HashMap;
use tailback_engine::workload::trace::{Envelope, Filter, What};

/// What is remembered of a rank from one call to the next.
#[derive(Debug)]
pub struct Rank {
    pub(super) me: u32,
    pub(super) ranks: u32,
    pub(super) sequence: Sequence,
    pub(super) types: Types,
    pub(super) communicators: Communicators,
    /// Open requests, by their numbers, which are used again.
    requests: HashMap<i64, u64>,
    /// Messages that are sent or received whenever their request is started.
    persistent: HashMap<i64, (What, u64)>,
    /// When the last call was done.
    pub(super) done: Option<u64>,
    /// The number of the name of the call that is being read.
    pub(super) place: u32,
}

/// The names of arguments of one side of a message.
const SENT: Names = Names {
    count: &["count", "sendcount"],
    datatype: &["datatype", "sendtype"],
    peer: &["dest"],
    tag: &["tag", "sendtag"],
};
const RECEIVED: Names = Names {
    count: &["count", "recvcount"],
    datatype: &["datatype", "recvtype"],
    peer: &["source"],
    tag: &["tag", "recvtag"],
};

struct Names {
    count: &'static [&'static str],
    datatype: &'static [&'static str],
    peer: &'static [&'static str],
    tag: &'static [&'static str],
}

impl Rank {
    /// One of so many that has done nothing yet.
    pub fn new(me: u32, ranks: u32) -> Self {
        Self {
            me,
            ranks,
            sequence: Sequence::new(),
            types: Types::default(),
            communicators: Communicators::new(me, ranks),
            requests: HashMap::new(),
            persistent: HashMap::new(),
            done: None,
            place: 0,
        }
    }

    pub(super) fn then(&mut self, what: What, how: sequence::Call, output: &mut Output<'_>) -> u64 {
        self.sequence.then(output.batch, what, how, self.place)
    }

    /// Begins several at once and waits for all of them.
    pub(super) fn together(
        &mut self,
        all: impl IntoIterator<Item = What>,
        output: &mut Output<'_>,
    ) {
        self.sequence.together(output.batch, all, self.place);
    }

    /// Whether a call sends or receives one message, or one of each.
    pub(super) fn message(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<bool> {
        use sequence::Call::Blocks;
        match call.name.as_str() {
            "MPI_Send" | "MPI_Bsend" | "MPI_Ssend" | "MPI_Rsend" => {
                if let Some(what) = self.sent(call, &SENT)? {
                    self.then(what, Blocks, output);
                }
            }
            "MPI_Recv" => {
                if let Some((what, bytes)) = self.received(call, &RECEIVED)? {
                    output.expected.push(bytes);
                    self.then(what, Blocks, output);
                }
            }
            "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend" | "MPI_Irsend" => {
                let what = self.sent(call, &SENT)?;
                self.begin(call, what.map(|what| (what, 0)), output)?;
            }
            "MPI_Irecv" => {
                let what = self.received(call, &RECEIVED)?;
                self.begin(call, what, output)?;
            }
            "MPI_Sendrecv" | "MPI_Sendrecv_replace" => {
                let (sent, received) = (self.sent(call, &SENT)?, self.received(call, &RECEIVED)?);
                output.expected.extend(received.map(|(_, bytes)| bytes));
                self.together(sent.into_iter().chain(received.map(|(what, _)| what)), output);
            }
            "MPI_Send_init" | "MPI_Bsend_init" | "MPI_Ssend_init" | "MPI_Rsend_init" => {
                let what = self.sent(call, &SENT)?.map(|what| (what, 0));
                self.keep(call, what)?;
            }
            "MPI_Recv_init" => {
                let what = self.received(call, &RECEIVED)?;
                self.keep(call, what)?;
            }
            "MPI_Start" | "MPI_Startall" => {
                let requests = match call.name.as_str() {
                    "MPI_Startall" if call.is_described => self.in_row(call)?,
                    _ => call.numbers(&["requests", "request"])?,
                };
                for request in requests {
                    if let Some(&(what, bytes)) = self.persistent.get(&request) {
                        self.begin_as(request, what, bytes, output);
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn keep(&mut self, call: &Call, what: Option<(What, u64)>) -> Parsed<()> {
        let request = Self::request(call)?;
        match what {
            Some(what) => self.persistent.insert(request, what),
            None => self.persistent.remove(&request),
        };
        Ok(())
    }

    fn request(call: &Call) -> Parsed<i64> {
        let requests = call.numbers(&["request"])?;
        requests.first().copied().ok_or_else(|| "request is missing".into())
    }

    /// Begins what is waited for by a request.
    pub(super) fn begin(
        &mut self,
        call: &Call,
        what: Option<(What, u64)>,
        output: &mut Output<'_>,
    ) -> Parsed<()> {
        let request = Self::request(call)?;
        if let Some(number) = self.requests.remove(&request).filter(|_| call.is_described) {
            // A test that is not known to have succeeded did so before its request was used again.
            self.sequence.wait(output.batch, &[number], self.place);
        }
        if let Some((what, bytes)) = what {
            self.begin_as(request, what, bytes, output);
        }
        Ok(())
    }

    fn begin_as(&mut self, request: i64, what: What, bytes: u64, output: &mut Output<'_>) {
        if let What::Receive(_) = what {
            output.expected.push(bytes);
        }
        let number = self.then(what, sequence::Call::Returns, output);
        self.requests.insert(request, number);
    }

    /// A message that is sent; none if it goes to nobody.
    fn sent(&self, call: &Call, names: &Names) -> Parsed<Option<What>> {
        let to = call.number(names.peer)?;
        if to < 0 {
            return Ok(None);
        }
        let communicator = self.communicators.of(call, &["comm"])?;
        let tag =
            u32::try_from(call.number(names.tag)?).map_err(|_| "a send must have a tag from 0")?;
        let (to, bytes) = (communicator.member(to, self.ranks)?, self.bytes(call, names)?);
        Ok(Some(What::Send(Envelope { to, bytes, tag, context: communicator.context })))
    }

    /// A message that is received, and its length at most; none if it comes from nobody.
    fn received(&self, call: &Call, names: &Names) -> Parsed<Option<(What, u64)>> {
        let from = call.number(names.peer)?;
        let any = from == self.communicators.any_source();
        if from < 0 && !any {
            return Ok(None);
        }
        let communicator = self.communicators.of(call, &["comm"])?;
        let from = if any { None } else { Some(communicator.member(from, self.ranks)?) };
        let tag = u32::try_from(call.number(names.tag)?).ok();
        let filter = Filter { from, tag, context: communicator.context };
        Ok(Some((What::Receive(filter), self.bytes(call, names)?)))
    }

    fn bytes(&self, call: &Call, names: &Names) -> Parsed<u64> {
        self.length(call, names.count, names.datatype)
    }

    /// So many elements of a type, in bytes.
    pub(super) fn length(&self, call: &Call, count: &[&str], datatype: &[&str]) -> Parsed<u64> {
        let (count, element) = (call.count(count)?, self.types.length(call, datatype)?);
        in_bytes(count, element)
    }

    /// Whether a call waits for requests. What was tested with success has been waited for.
    pub(super) fn waiting(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<bool> {
        if call.is_described {
            return self.waiting_at(call, output);
        }
        let all = || call.numbers(&["requests", "request"]);
        let flag = || {
            call.value(&["flag"])
                .is_ok_and(|flag| !flag.starts_with(b"0") && !flag.starts_with(b"f"))
        };
        let one = |requests: Vec<i64>| -> Parsed<Vec<i64>> {
            let place = usize::try_from(call.number(&["index"])?).ok();
            Ok(place.and_then(|place| requests.get(place)).copied().into_iter().collect())
        };
        let some = |requests: Vec<i64>| -> Parsed<Vec<i64>> {
            let places = call.numbers(&["indices"])?;
            let places = places.iter().filter_map(|&place| usize::try_from(place).ok());
            Ok(places.filter_map(|place| requests.get(place)).copied().collect())
        };
        let requests = match call.name.as_str() {
            "MPI_Wait" | "MPI_Waitall" => all()?,
            "MPI_Waitany" => one(all()?)?,
            "MPI_Waitsome" | "MPI_Testsome" => some(all()?).unwrap_or_default(),
            "MPI_Test" | "MPI_Testall" => {
                if flag() {
                    all()?
                } else {
                    Vec::new()
                }
            }
            "MPI_Testany" => {
                if flag() {
                    one(all()?).unwrap_or_default()
                } else {
                    Vec::new()
                }
            }
            _ => return Ok(false),
        };
        self.wait_for(&requests, output);
        Ok(true)
    }

    /// The same where requests are known by where they lie, and nothing of what calls give back. Of
    /// several the oldest is waited for; what is tested is waited for where its request is used
    /// again.
    fn waiting_at(&mut self, call: &Call, output: &mut Output<'_>) -> Parsed<bool> {
        let requests = match call.name.as_str() {
            "MPI_Wait" => vec![Self::request(call)?],
            "MPI_Waitall" => self.in_row(call)?,
            "MPI_Waitany" | "MPI_Waitsome" => {
                let open = self.in_row(call)?.into_iter();
                let open = open.filter(|request| self.requests.contains_key(request));
                open.min_by_key(|request| self.requests[request]).into_iter().collect()
            }
            name => return Ok(name.starts_with("MPI_Test") && name != "MPI_Test_cancelled"),
        };
        self.wait_for(&requests, output);
        Ok(true)
    }

    /// Requests that lie one behind the other in memory.
    fn in_row(&self, call: &Call) -> Parsed<Vec<i64>> {
        /// Nobody waits for more at once.
        const MOST: u64 = 1 << 24;
        let (count, first) = (call.count(&["count"])?, call.number(&["requests"])?);
        if count > MOST {
            return Err(format!("count must be at most {MOST}, not {count}"));
        }
        let length = self.communicators.request_bytes();
        Ok((0..count.cast_signed()).map(|place| first.wrapping_add(place * length)).collect())
    }

    fn wait_for(&mut self, requests: &[i64], output: &mut Output<'_>) {
        let numbers: Vec<_> =
            requests.iter().filter_map(|request| self.requests.remove(request)).collect();
        if !numbers.is_empty() {
            self.sequence.wait(output.batch, &numbers, self.place);
        }
    }
}
