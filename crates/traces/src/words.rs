//! Words of lines of text, and the numbers they say.

/// The words of a line, between blanks.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The first word of a line, empty if there is none, and what follows it.
pub fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    line.split_at(end)
}

/// A word for a message: short, and printable whatever it is.
pub fn shown(word: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(MOST)]);
    let text: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if word.len() > MOST { format!("{text}…") } else { text }
}

/// A whole number from 0, in digits alone; none if it is something else or too large.
pub fn whole(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0u64, |number, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// A whole number with or without a sign.
pub fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some(digits) => whole(digits).and_then(|number| 0i64.checked_sub_unsigned(number)),
        None => whole(word.strip_prefix(b"+").unwrap_or(word))?.try_into().ok(),
    }
}

/// A number with or without a fraction or exponent; not infinite, not negative.
pub fn real(word: &[u8]) -> Option<f64> {
    if let Some(number) = whole(word) {
        return Some(number as f64);
    }
    let number: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// A time in decimals, in picoseconds, of which the unit has 10 to the power of `digits`.
///
/// Clocks may count from 1970, which no 64 bits hold: only differences matter, which wrap around
/// the same. None for what is no number.
pub fn clock_ps(word: &[u8], digits: u32) -> Option<u64> {
    let dot = word.iter().position(|&c| c == b'.').unwrap_or(word.len());
    let decimals = word.get(dot + 1..).unwrap_or(b"");
    let (Some(units), true) = (whole(&word[..dot]), decimals.iter().all(u8::is_ascii_digit)) else {
        let picoseconds = real(word)? * 10f64.powi(digits.cast_signed());
        return (picoseconds < 1e19).then(|| picoseconds.round() as u64);
    };
    let decimals = &decimals[..decimals.len().min(digits as usize)];
    let fraction = if decimals.is_empty() { 0 } else { whole(decimals)? };
    let scale = 10u64.pow(digits - decimals.len() as u32);
    Some(units.wrapping_mul(10u64.pow(digits)).wrapping_add(fraction * scale))
}

/// No message and no collective is longer, in bytes: so many times the number of ranks is a number.
pub const LONGEST: u64 = 1_000_000_000_000_000;

/// So many elements of so many bytes, in bytes.
pub fn in_bytes(count: u64, element: u64) -> Result<u64, String> {
    let bytes = count.checked_mul(element).filter(|&bytes| bytes <= LONGEST);
    bytes
        .ok_or_else(|| format!("{count} elements of {element} bytes are more than {LONGEST} bytes"))
}

/// The name that a misspelt word is most like, if any is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = names.into_iter().map(|name| (distance(word, name), name)).min()?;
    (near.0 <= 1 + word.len() / 4).then_some(near.1)
}

/// How many letters must be changed, added or left out to get from one word to the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// So many of something, in words: "1 rank", "2 ranks".
pub fn counted(count: impl Into<u64>, one: &str) -> String {
    let count = count.into();
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(whole(b"18446744073709551616"), None);
        assert_eq!((whole(b""), whole(b"1x"), whole(b"-1")), (None, None, None));
        assert_eq!((signed(b"-1"), signed(b"-555"), signed(b"-")), (Some(-1), Some(-555), None));
        assert_eq!((real(b"2.5e3"), real(b"-1"), real(b"nan")), (Some(2500.0), None, None));
    }

    #[test]
    fn clocks_are_exact_however_long_they_have_run() {
        assert_eq!(clock_ps(b"1.5", 12), Some(1_500_000_000_000));
        assert_eq!(
            (clock_ps(b"15.5", 6), clock_ps(b"1e3", 6)),
            (Some(15_500_000), Some(1_000_000_000))
        );
        let since_1970 = |text: &[u8]| clock_ps(text, 6).unwrap();
        assert_eq!(
            since_1970(b"1700000000000003.25").wrapping_sub(since_1970(b"1700000000000000")),
            3_250_000
        );
        for wrong in [&b""[..], b"x", b"1.x", b"-1", b"nan", b"1.5s", b"1e300"] {
            assert_eq!(clock_ps(wrong, 12), None);
        }
    }

    #[test]
    fn misspelt_words_have_a_nearest_name() {
        let names = ["allreduce", "alltoall", "wait"];
        assert_eq!(nearest("alreduce", names), Some("allreduce"));
        assert_eq!(nearest("wiat", names), Some("wait"));
        assert_eq!(nearest("gatherv", names), None);
    }

    #[test]
    fn any_word_can_be_shown() {
        assert_eq!(shown(b"\x1b[31m\xff"), "?[31m\u{fffd}");
        assert_eq!(shown(&[b'a'; 50]).chars().count(), 41);
    }
}
