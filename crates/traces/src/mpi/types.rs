//! The lengths of datatypes.

use super::record::{Call, Parsed};
use crate::words::shown;
use std::collections::HashMap;

/// Those of DUMPI from number 2: char to long double and an int.
const KNOWN: [u64; 26] =
    [1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

/// Datatypes that a rank has made.
#[derive(Debug, Default)]
pub struct Types {
    made: HashMap<i64, u64>,
}

impl Types {
    /// The length of a type. In traces of liballprof it stands behind its number.
    pub fn length(&self, call: &Call, names: &[&str]) -> Parsed<u64> {
        let value = call.value(names)?;
        if value.contains(&b',') {
            let parts = call.numbers(names)?;
            let length = parts.get(1).and_then(|&length| u64::try_from(length).ok());
            return length.ok_or_else(|| format!("{} has no length: {}", names[0], shown(value)));
        }
        self.of(call.number(names)?)
    }

    pub fn of(&self, number: i64) -> Parsed<u64> {
        let known = usize::try_from(number - 2).ok().and_then(|place| KNOWN.get(place));
        known.or_else(|| self.made.get(&number)).copied().ok_or_else(|| {
            format!("the length of datatype {number} is not known: no call of the trace makes it")
        })
    }

    /// Remembers the type that a call makes; whether it makes one.
    pub fn made_by(&mut self, call: &Call) -> Parsed<bool> {
        let old = || self.length(call, &["oldtype", "datatype"]);
        let product = |a: u64, b: u64| a.checked_mul(b).ok_or("the type is too long");
        let sum = |names: &[&str]| -> Parsed<u64> {
            let lengths = call.numbers(names)?;
            let total = lengths
                .iter()
                .try_fold(0u64, |total, &length| total.checked_add(u64::try_from(length).ok()?));
            total.ok_or_else(|| format!("{} must be 0 or more", names[0]))
        };
        let length = match call.name.as_str() {
            "MPI_Type_contiguous" => product(call.count(&["count"])?, old()?)?,
            "MPI_Type_vector"
            | "MPI_Type_hvector"
            | "MPI_Type_create_hvector"
            | "MPI_Type_create_indexed_block" => {
                let blocks = product(call.count(&["count"])?, call.count(&["blocklength"])?)?;
                product(blocks, old()?)?
            }
            "MPI_Type_indexed" | "MPI_Type_hindexed" | "MPI_Type_create_hindexed" => {
                product(sum(&["lengths", "blocklengths"])?, old()?)?
            }
            "MPI_Type_struct" | "MPI_Type_create_struct" => {
                let lengths = call.numbers(&["lengths", "blocklengths"])?;
                let types = call.numbers(&["oldtypes", "types"])?;
                let mut total = 0u64;
                for (&length, &number) in lengths.iter().zip(&types) {
                    let length = u64::try_from(length).map_err(|_| "lengths must be 0 or more")?;
                    total = total.saturating_add(product(length, self.of(number)?)?);
                }
                total
            }
            "MPI_Type_create_subarray" => {
                let parts = call.numbers(&["subsizes"])?;
                let mut parts = parts.iter().map(|&part| u64::try_from(part).unwrap_or(0));
                parts.try_fold(old()?, product)?
            }
            "MPI_Type_dup" | "MPI_Type_create_resized" => old()?,
            _ => return Ok(false),
        };
        self.made.insert(call.number(&["newtype"])?, length);
        Ok(true)
    }
}
