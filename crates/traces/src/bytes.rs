//! Numbers in bytes, the lowest byte first.

/// Four bytes at a place, which must be there.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

/// Eight bytes at a place, which must be there.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

/// The next number of any length, seven bits a byte, and goes past it; none if it is cut off or
/// has more than 64 bits.
pub fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 127);
        if shift == 63 && part > 1 {
            return None;
        }
        number |= part << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// Appends a number as [`varint`] reads it.
pub fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            let mut rest = &bytes[..];
            assert_eq!((varint(&mut rest), rest.len()), (Some(number), 0));
            let mut cut = &bytes[..bytes.len() - 1];
            assert_eq!(varint(&mut cut), None);
        }
        assert_eq!(varint(&mut &[255; 11][..]), None);
    }
}
