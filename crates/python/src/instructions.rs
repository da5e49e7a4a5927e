//! Instructions for processes written in Python, as whole numbers in a row.
//!
//! Each is the number of its process, a code, and what belongs to it:
//!
//! | code | instruction | then |
//! |---|---|---|
//! | 0 | compute | time in ps |
//! | 1 | send | node, type, bytes |
//! | 2 | broadcast | type, bytes |
//! | 3 | broadcast to near neighbours | type, bytes, their number, nodes |
//! | 4 | receive | node or -1, type or -1, 1 if there is a buffer for it, else 0 |
//! | 5 | wait | operation; bytes, or -1 (now), -2 (in progress), -3 (complete) |
//! | 6 | release | operation |
//! | 7 | end | |
//! | 8 | collective | operation, algorithm, root, segment, bytes; then three lists: group, sizes, receives |
//! | 9 | send to several | type, bytes, their number, nodes |
//!
//! Operations and algorithms are places in `_engine.OPERATIONS` and `ALGORITHMS`; an algorithm of
//! -1: as the machine has it, of -2: none, it costs nothing. A root or segment of -1, and a list
//! of length -1, is not given. A list is its length and its entries.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tailback_engine as engine;
use tailback_engine::ids::{NodeId, ProcessId};
use tailback_engine::spec::{Algorithm, Collective, Method, Operation, Price};
use tailback_engine::workload::{Filter, Instruction, Letter, Until, Wait};

/// How far what a process waited for has come: its flag; source, type, length and bytes there
/// of a message (a source of -1: there is none), and the operation of its source.
pub type Told = (u8, i64, u32, u64, u64, u32);

/// The processes that ask, and what each is told.
pub fn asking(simulation: &engine::Simulation) -> Vec<(u32, Option<Told>)> {
    let told = |told: engine::node::Told| match told.message {
        None => (told.flag, -1, 0, 0, 0, 0),
        Some(m) => (told.flag, i64::from(m.source.0), m.tag, m.bytes, m.arrived, m.operation),
    };
    simulation.asking().map(|ask| (ask.process.0, ask.told.map(told))).collect()
}

/// Gives instructions to those that ask.
pub fn instruct(simulation: &mut engine::Simulation, numbers: &[i64]) -> PyResult<()> {
    let mut words = Words { left: numbers };
    while !words.left.is_empty() {
        let process = ProcessId(words.take()?);
        let instruction = words.instruction()?;
        let given = simulation.instruct(process, instruction);
        given.map_err(|error| Python::attach(|py| crate::errors::spec_error(py, &error)))?;
    }
    Ok(())
}

struct Words<'a> {
    left: &'a [i64],
}

impl Words<'_> {
    fn next(&mut self) -> PyResult<i64> {
        let cut = || PyValueError::new_err("instructions: the last one is cut off");
        let (&first, left) = self.left.split_first().ok_or_else(cut)?;
        self.left = left;
        Ok(first)
    }

    fn take<T: TryFrom<i64>>(&mut self) -> PyResult<T> {
        let number = self.next()?;
        let beyond = |_| PyValueError::new_err(format!("instructions: {number} is out of range"));
        T::try_from(number).map_err(beyond)
    }

    /// A number, or none where it is -1.
    fn perhaps(&mut self) -> PyResult<Option<u32>> {
        if self.left.first() == Some(&-1) {
            return self.next().map(|_| None);
        }
        self.take().map(Some)
    }

    fn letter(&mut self) -> PyResult<Letter> {
        Ok(Letter { tag: self.take()?, bytes: self.take()? })
    }

    /// A list, or none where its length is -1.
    fn list<T: TryFrom<i64>>(&mut self) -> PyResult<Option<Vec<T>>> {
        let Some(count) = self.perhaps()? else { return Ok(None) };
        (0..count).map(|_| self.take()).collect::<PyResult<_>>().map(Some)
    }

    fn nodes(&mut self) -> PyResult<Vec<NodeId>> {
        let count: u32 = self.take()?;
        (0..count).map(|_| Ok(NodeId(self.take()?))).collect()
    }

    fn collective(&mut self) -> PyResult<Collective> {
        let unknown = || PyValueError::new_err("instructions: no such collective");
        let operation: usize = self.take()?;
        let operation = *Operation::ALL.get(operation).ok_or_else(unknown)?;
        let method = match self.next()? {
            -1 => None,
            -2 => Some(Method::Price(Price::default())),
            place => {
                let place = usize::try_from(place).map_err(|_| unknown())?;
                Some(Method::Algorithm(*Algorithm::ALL.get(place).ok_or_else(unknown)?))
            }
        };
        Ok(Collective {
            root: self.perhaps()?,
            segment: self.perhaps()?,
            bytes: self.take()?,
            group: self.list()?,
            sizes: self.list()?,
            receives: self.list()?.unwrap_or_default(),
            method,
            ..Collective::new(operation, 0)
        })
    }

    fn instruction(&mut self) -> PyResult<Instruction> {
        Ok(match self.next()? {
            0 => Instruction::Compute(self.take()?),
            1 => {
                let to = NodeId(self.take()?);
                Instruction::Send(self.letter()?, to)
            }
            2 => Instruction::Broadcast(self.letter()?),
            3 => Instruction::BroadcastNear(self.letter()?, self.nodes()?),
            4 => Instruction::Receive(Filter {
                source: self.perhaps()?.map(NodeId),
                tag: self.perhaps()?,
                has_buffer: self.next()? != 0,
            }),
            5 => {
                let operation = self.take()?;
                let until = match self.next()? {
                    -1 => Until::Now,
                    -2 => Until::InProgress,
                    -3 => Until::Complete,
                    bytes => Until::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)),
                };
                Instruction::Wait(Wait { operation, until })
            }
            6 => Instruction::Release(self.take()?),
            7 => Instruction::End,
            8 => Instruction::Together(Box::new(self.collective()?)),
            9 => Instruction::Multicast(self.letter()?, self.nodes()?),
            code => {
                return Err(PyValueError::new_err(format!("instructions: no code {code}")));
            }
        })
    }
}
