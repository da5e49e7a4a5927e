//! Collectives that are no messages: what they take.

use crate::error::SpecError;
use crate::spec::{Operation, Price};
use crate::time::Time;

/// How long the members of a group stay, from when the last has come.
///
/// # Errors
/// A formula that is negative for so many members.
pub fn priced(price: &Price, operation: Operation, n: u32, bytes: u64) -> Result<Time, SpecError> {
    let doubled = price.per_log2_ps as f64 * libm::log2(n.into());
    let sum = i128::from(price.base_ps)
        + doubled.round() as i128
        + (i128::from(price.per_byte_fs) * i128::from(bytes) + 500) / 1000;
    let us = |ps: f64| format!("{} us", ps / 1e6);
    Time::try_from(sum).map_err(|_| {
        let (base, each) = (us(price.base_ps as f64), us(price.per_log2_ps as f64));
        let per_byte = match price.per_byte_fs {
            0 => String::new(),
            per_byte_fs => format!(" + {} ns/B · bytes", per_byte_fs as f64 / 1e6),
        };
        SpecError::new(
            match operation {
                Operation::Barrier => "machine.interface.barrier".into(),
                _ => format!("machine.interface.collectives.{}", operation.name()),
            },
            format!("{base} + {each} · log2 n{per_byte}"),
            format!("must not be negative, and is {} for n = {n}", us(sum as f64)),
        )
    })
}
