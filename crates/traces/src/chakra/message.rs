//! Fields of protobuf messages, without a schema.

use crate::bytes::varint;

/// A value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number, or bits of one.
    Number(u64),
    /// Eight bytes.
    Long([u8; 8]),
    /// Four bytes.
    Short([u8; 4]),
    /// A text, a message, or numbers in a row.
    Bytes(&'a [u8]),
}

/// The fields of a message, in order; the last is none if the rest is no field.
pub fn fields(mut message: &[u8]) -> impl Iterator<Item = Option<(u64, Value<'_>)>> {
    let mut is_broken = false;
    std::iter::from_fn(move || {
        if message.is_empty() || is_broken {
            return None;
        }
        let found = field(&mut message);
        is_broken = found.is_none();
        Some(found)
    })
}

fn field<'a>(message: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(message)?;
    let mut take = |count: u64| {
        let (taken, rest) = message.split_at_checked(usize::try_from(count).ok()?)?;
        *message = rest;
        Some(taken)
    };
    let value = match key & 7 {
        0 => Value::Number(varint(message)?),
        1 => Value::Long(take(8)?.try_into().ok()?),
        2 => {
            let count = varint(message)?;
            let (taken, rest) = message.split_at_checked(usize::try_from(count).ok()?)?;
            *message = rest;
            Value::Bytes(taken)
        }
        5 => Value::Short(take(4)?.try_into().ok()?),
        _ => return None,
    };
    (key >> 3 > 0).then_some((key >> 3, value))
}

/// Numbers that are given one by one or in a row; none if they are not.
pub fn numbers(value: Value<'_>, into: &mut Vec<u64>) -> Option<()> {
    match value {
        Value::Number(number) => into.push(number),
        Value::Bytes(mut bytes) => {
            while !bytes.is_empty() {
                into.push(varint(&mut bytes)?);
            }
        }
        _ => return None,
    }
    Some(())
}
