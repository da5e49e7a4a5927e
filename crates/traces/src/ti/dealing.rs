//! A file in which lines of all ranks take turns, dealt out: those of each rank together.
//!
//! A stretch of the file is put in order of ranks at a time, so that what a rank reads at once lies
//! in one place, and what is known of places grows with stretches and ranks, not with lines.

use super::line::rank_of;
use super::places::Places;
use crate::lines::{Lines, Part};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use crate::scratch;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

/// Lines of a stretch that have not been written yet, by rank.
struct Hand {
    lines: Vec<u8>,
    /// How many there are, and how many there were before.
    count: u64,
    dealt: u64,
}

/// Copies lines into a file of their own, so many bytes at a time, and says where those of each
/// rank are. Their numbers there count the lines of the rank.
///
/// # Errors
/// Lines without a rank; what the system says.
pub fn deal(mut lines: Lines, stretch: usize) -> Result<(Arc<Pieces>, Places), Mistake> {
    let failed = |lines: &Lines, error: io::Error| {
        let folder = std::env::temp_dir();
        let what = format!("its lines cannot be brought in order of ranks in {}", folder.display());
        Mistake::new(lines.path(), format!("{what}: {error}"))
    };
    let mut file = scratch::file().map_err(|error| failed(&lines, error))?;
    let (mut hands, mut places, mut held) = (Vec::new(), Places::default(), 0);
    let mut length = 0;
    while let Some((_, line)) = lines.next()? {
        let rank = match rank_of(line) {
            Ok(Some(rank)) => rank,
            Ok(None) => continue,
            Err(what) => return Err(lines.mistake(what)),
        };
        if hands.len() <= rank {
            hands.resize_with(rank + 1, || Hand { lines: Vec::new(), count: 0, dealt: 0 });
        }
        let hand = &mut hands[rank];
        hand.lines.extend_from_slice(line);
        hand.lines.push(b'\n');
        hand.count += 1;
        held += line.len() + 1;
        if held >= stretch {
            write(&mut hands, &mut file, &mut length, &mut places)
                .map_err(|error| failed(&lines, error))?;
            held = 0;
        }
    }
    write(&mut hands, &mut file, &mut length, &mut places)
        .map_err(|error| failed(&lines, error))?;
    Ok((Arc::new(Pieces::of_open(lines.path(), file, length)), places))
}

/// Writes what hands hold, in order of ranks.
fn write(
    hands: &mut [Hand],
    file: &mut File,
    length: &mut u64,
    places: &mut Places,
) -> io::Result<()> {
    for (rank, hand) in hands.iter_mut().enumerate() {
        if hand.lines.is_empty() {
            continue;
        }
        file.write_all(&hand.lines)?;
        let end = *length + hand.lines.len() as u64;
        places.add(rank, Part { start: *length, end, line: hand.dealt + 1 });
        *length = end;
        hand.lines.clear();
        hand.dealt += std::mem::take(&mut hand.count);
    }
    Ok(())
}

/// The number that the n-th line of a rank has in a file, from 1; 0 if there is none.
///
/// # Errors
/// What the system says.
pub fn number_of(mut lines: Lines, rank: u32, nth: u64) -> Result<u64, Mistake> {
    let mut seen = 0;
    while let Some((number, line)) = lines.next()? {
        seen += u64::from(rank_of(line) == Ok(Some(rank as usize)));
        if seen == nth {
            return Ok(number);
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::Folder;

    #[test]
    fn lines_of_a_rank_are_the_same_however_short_the_stretches() {
        let folder = Folder::new();
        let text = "0 init\n# all\n1 init\n0 compute 7 # work\n\n1 compute 8\n1 barrier\n0 barrier";
        let path = folder.file("all", text.as_bytes());
        let file = Arc::new(Pieces::kept_open(&path).unwrap());
        let all = || Lines::of_file(Arc::clone(&file), 16);
        for stretch in 1..80 {
            let (dealt, places) = deal(all(), stretch).unwrap();
            let found: Vec<Vec<_>> = places
                .ranks
                .into_iter()
                .map(|parts| {
                    let mut lines = Lines::of_parts(Arc::clone(&dealt), parts, 5);
                    let mut found = Vec::new();
                    while let Some((number, line)) = lines.next().unwrap() {
                        found.push((number, String::from_utf8(line.to_vec()).unwrap()));
                    }
                    found
                })
                .collect();
            let expected = [
                [(1, "0 init"), (2, "0 compute 7 # work"), (3, "0 barrier")],
                [(1, "1 init"), (2, "1 compute 8"), (3, "1 barrier")],
            ];
            let expected = expected.map(|lines| lines.map(|(n, line)| (n, line.to_owned())));
            assert_eq!(found, expected);
        }
        let numbers = [(0, 2, 4), (1, 3, 7), (0, 3, 8), (0, 4, 0)];
        for (rank, nth, number) in numbers {
            assert_eq!(number_of(all(), rank, nth).unwrap(), number);
        }
    }
}
