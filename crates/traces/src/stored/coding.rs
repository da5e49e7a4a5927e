//! Batches as bytes.
//!
//! A batch is the number of its operations, and they. An operation is a byte with its kind and
//! what is unusual of it, and numbers of any length. Most operations are after the one before.

#![allow(clippy::option_option, reason = "whether bytes are a number, and whether one is given")]

use crate::bytes::{push_varint, varint};
use crate::words::LONGEST;
use tailback_engine::spec::{Algorithm, Collective, Method, Operation as Together};
use tailback_engine::workload::trace::{After, Batch, Envelope, Filter, Operation, What};

const COMPUTE: u8 = 0;
const FLOPS: u8 = 1;
const SEND: u8 = 2;
const RECEIVE: u8 = 3;
const JOIN: u8 = 4;
const COLLECTIVE: u8 = 5;
const KINDS: u8 = 7;
/// It has a CPU or an interface that is not the first.
const PLACED: u8 = 8;
/// It has a place in the program.
const CALLED: u8 = 16;
/// What it is after: the one before when it is done, when it has begun, or a list.
const AFTERS: u8 = 3 << 5;
const AFTER_DONE: u8 = 1 << 5;
const AFTER_BEGUN: u8 = 2 << 5;
const AFTER_LIST: u8 = 3 << 5;

/// Appends a batch, and what its receives expect: nothing, or one number each.
pub fn push(bytes: &mut Vec<u8>, batch: &Batch, expected: &[u64]) {
    push_varint(bytes, batch.operations.len() as u64);
    let mut after = &batch.after[..];
    let mut expected = expected.iter();
    for operation in &batch.operations {
        let (mine, rest) = after.split_at(operation.after as usize);
        after = rest;
        push_operation(bytes, operation, mine);
        match operation.what {
            What::Receive(_) => {
                push_varint(bytes, expected.next().copied().unwrap_or(0));
            }
            What::Collective(number) => push_collective(bytes, &batch.collectives[number as usize]),
            _ => {}
        }
    }
}

fn push_operation(bytes: &mut Vec<u8>, operation: &Operation, after: &[After]) {
    let kind = match operation.what {
        What::Compute(_) => COMPUTE,
        What::Flops(_) => FLOPS,
        What::Send(_) => SEND,
        What::Receive(_) => RECEIVE,
        What::Join => JOIN,
        What::Collective(_) => COLLECTIVE,
    };
    let placed = if operation.cpu > 0 || operation.nic > 0 { PLACED } else { 0 };
    let called = if operation.call == Operation::NO_CALL { 0 } else { CALLED };
    let afters = match after {
        [] => 0,
        [After { back: 1, begun: false }] => AFTER_DONE,
        [After { back: 1, begun: true }] => AFTER_BEGUN,
        _ => AFTER_LIST,
    };
    bytes.push(kind | placed | called | afters);
    if placed > 0 {
        bytes.extend([operation.cpu, operation.nic]);
    }
    if called > 0 {
        push_varint(bytes, u64::from(operation.call));
    }
    if afters == AFTER_LIST {
        push_varint(bytes, after.len() as u64);
        for after in after {
            push_varint(bytes, u64::from(after.back) << 1 | u64::from(after.begun));
        }
    }
    let perhaps = |number: Option<u32>| number.map_or(0, |number| u64::from(number) + 1);
    match operation.what {
        What::Compute(number) | What::Flops(number) => push_varint(bytes, number),
        What::Send(Envelope { to, bytes: length, tag, context }) => {
            let parts = [to.into(), length, tag.into(), context.into()];
            parts.iter().for_each(|&part| push_varint(bytes, part));
        }
        What::Receive(Filter { from, tag, context }) => {
            let parts = [perhaps(from), perhaps(tag), u64::from(context)];
            parts.iter().for_each(|&part| push_varint(bytes, part));
        }
        What::Join | What::Collective(_) => {}
    }
}

fn push_collective(bytes: &mut Vec<u8>, collective: &Collective) {
    let operation = Together::ALL.iter().position(|&one| one == collective.operation).unwrap_or(0);
    let algorithm = match collective.method {
        Some(Method::Algorithm(algorithm)) => {
            Algorithm::ALL.iter().position(|&one| one == algorithm).map_or(0, |place| place + 1)
        }
        // Tables and prices are of machines; no trace has them.
        _ => 0,
    };
    let perhaps = |number: Option<u32>| number.map_or(0, |number| u64::from(number) + 1);
    let parts = [
        operation as u64,
        collective.bytes,
        perhaps(collective.root),
        perhaps(collective.segment),
        algorithm as u64,
    ];
    parts.iter().for_each(|&part| push_varint(bytes, part));
    let receives = (!collective.receives.is_empty()).then_some(&collective.receives);
    push_list(bytes, collective.group.as_ref());
    push_list(bytes, collective.sizes.as_ref());
    push_list(bytes, receives);
}

fn push_list<T: Copy + Into<u64>>(bytes: &mut Vec<u8>, list: Option<&Vec<T>>) {
    push_varint(bytes, list.map_or(0, |list| list.len() as u64 + 1));
    list.into_iter().flatten().for_each(|&number| push_varint(bytes, number.into()));
}

/// What is known of a rank whose batches are taken.
pub struct Taker<'a> {
    /// What is left.
    pub bytes: &'a [u8],
    /// How many ranks there are.
    pub ranks: u32,
    /// How many places in the program have names.
    pub calls: u32,
    /// How many operations of the rank came before.
    pub given: u64,
}

impl Taker<'_> {
    /// Appends the next batch, and what its receives expect; none if the bytes are not one.
    pub fn take(&mut self, batch: &mut Batch, expected: &mut Vec<u64>) -> Option<()> {
        let count = self.number()?;
        for _ in 0..count {
            let operation = self.operation(batch, expected)?;
            batch.operations.push(operation);
            self.given += 1;
        }
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        varint(&mut self.bytes)
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn length(&mut self) -> Option<u64> {
        self.number().filter(|&bytes| bytes <= LONGEST)
    }

    fn perhaps(&mut self) -> Option<Option<u32>> {
        let number = self.number()?;
        number.checked_sub(1).map_or(Some(None), |number| u32::try_from(number).ok().map(Some))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn rank(&self, rank: u32) -> Option<u32> {
        (rank < self.ranks).then_some(rank)
    }

    fn operation(&mut self, batch: &mut Batch, expected: &mut Vec<u64>) -> Option<Operation> {
        let head = self.byte()?;
        let (cpu, nic) = if head & PLACED > 0 { (self.byte()?, self.byte()?) } else { (0, 0) };
        let call = match head & CALLED {
            0 => Operation::NO_CALL,
            _ => self.small().filter(|&call| call < self.calls)?,
        };
        let after = self.after(head & AFTERS, batch)?;
        let what = match head & KINDS {
            COMPUTE => What::Compute(self.number()?),
            FLOPS => What::Flops(self.number()?),
            SEND => {
                let to = self.small().and_then(|to| self.rank(to))?;
                let (bytes, tag, context) = (self.length()?, self.small()?, self.small()?);
                What::Send(Envelope { to, bytes, tag, context })
            }
            RECEIVE => {
                let from = self.perhaps()?;
                from.map_or(Some(0), |from| self.rank(from))?;
                let (tag, context) = (self.perhaps()?, self.small()?);
                expected.push(self.length()?);
                What::Receive(Filter { from, tag, context })
            }
            JOIN => What::Join,
            COLLECTIVE => {
                let collective = self.collective()?;
                batch.collectives.push(collective);
                What::Collective(batch.collectives.len() as u32 - 1)
            }
            _ => return None,
        };
        Some(Operation { what, cpu, nic, call, after })
    }

    fn after(&mut self, kind: u8, batch: &mut Batch) -> Option<u32> {
        let count = match kind {
            0 => return Some(0),
            AFTER_LIST => self.small()?,
            _ => 1,
        };
        for _ in 0..count {
            let (back, begun) = match kind {
                AFTER_LIST => {
                    let number = self.number()?;
                    (u32::try_from(number >> 1).ok()?, number & 1 > 0)
                }
                _ => (1, kind == AFTER_BEGUN),
            };
            let is_there = back > 0 && u64::from(back) <= self.given;
            is_there.then(|| batch.after.push(After { back, begun }))?;
        }
        Some(count)
    }

    fn collective(&mut self) -> Option<Collective> {
        let operation = *Together::ALL.get(self.small()? as usize)?;
        let bytes = self.length()?;
        let (root, segment) = (self.perhaps()?, self.perhaps()?);
        let method = match self.small()? as usize {
            0 => None,
            place => Some(Method::Algorithm(*Algorithm::ALL.get(place - 1)?)),
        };
        let (group, sizes) = (self.list()?, self.list()?);
        let receives = self.list()?.unwrap_or_default();
        let ranks = root.iter().chain(group.iter().flatten());
        let all_there = ranks.into_iter().all(|&rank| rank < self.ranks);
        let collective = Collective {
            root,
            segment,
            method,
            group,
            sizes,
            receives,
            ..Collective::new(operation, bytes)
        };
        all_there.then_some(collective)
    }

    fn list<T: TryFrom<u64>>(&mut self) -> Option<Option<Vec<T>>> {
        let one = |number: u64| T::try_from(number).ok();
        match self.small()? {
            0 => Some(None),
            more => (1..more).map(|_| self.length().and_then(one)).collect::<Option<_>>().map(Some),
        }
    }
}
