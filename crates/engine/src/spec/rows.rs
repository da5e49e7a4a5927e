//! Tables of millions of numbers as text: a row is the hexadecimal digits of its numbers, each
//! plus one, so that 0 stands for [`NO_HOP`](super::NO_HOP).

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows, and how many digits each number has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    digits: usize,
    rows: Vec<String>,
}

/// Writes eight digits of each number.
pub fn serialize<S: Serializer>(rows: &[Vec<u32>], serializer: S) -> Result<S::Ok, S::Error> {
    let number = |number: &u32| format!("{:08x}", number.wrapping_add(1));
    let rows = rows.iter().map(|row| row.iter().map(number).collect()).collect();
    Written { digits: 8, rows }.serialize(serializer)
}

/// Reads numbers of any number of digits.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<u32>>, D::Error> {
    let Written { digits, rows } = Written::deserialize(deserializer)?;
    if digits == 0 || rows.iter().any(|row| row.len() % digits != 0) {
        return Err(D::Error::custom(format!("a row must have {digits} digits for each number")));
    }
    let number = |text: &[u8]| {
        let text = str::from_utf8(text).map_err(D::Error::custom)?;
        let number = u32::from_str_radix(text, 16).map_err(D::Error::custom)?;
        Ok(number.wrapping_sub(1))
    };
    rows.iter().map(|row| row.as_bytes().chunks(digits).map(number).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::NO_HOP;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Table(#[serde(with = "super")] Vec<Vec<u32>>);

    #[test]
    fn rows_are_read_as_they_are_written() {
        let table = Table(vec![vec![0, NO_HOP, 1], vec![u32::MAX - 1, 254, 255]]);
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), table);
        let short = r#"{"digits":2,"rows":["0001","ff10"]}"#;
        let read = Table(vec![vec![NO_HOP, 0], vec![254, 15]]);
        assert_eq!(serde_json::from_str::<Table>(short).unwrap(), read);
    }

    #[test]
    fn numbers_that_are_cut_or_have_other_digits_are_refused() {
        for (digits, row) in [(2, "0e1"), (2, "0e1g"), (0, "0e10"), (9, "000000010"), (2, "0é1")] {
            let text = format!(r#"{{"digits":{digits},"rows":["{row}"]}}"#);
            let read = serde_json::from_str::<Table>(&text);
            assert_eq!(read.is_ok(), digits == 9, "{digits} {row}");
        }
    }
}
