//! Where the actions of each rank are: in a file of its own, or in one for all.

use super::actions::name_of;
use super::dealing::{deal, number_of};
use super::line::{MOST_RANKS, rank_of, split};
use super::places::Places;
use crate::lines::{ALL_BUFFERS, Lines, Part, piece_of_each};
use crate::mistake::Mistake;
use crate::pieces::{Pieces, without_mark};
use crate::words::{shown, whole};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So much is read at once where one file is read from its beginning.
const PIECE: usize = 64 << 10;
/// Parts of a file, once there are many, are read where they are if they have so many bytes on
/// average; else a read for each would take longer than to bring them in order.
const MANY_PARTS: u64 = 1 << 10;
const LEAST_PART: u64 = 4 << 10;

/// What ranks do.
pub struct Files {
    /// The lines of each rank.
    pub ranks: Vec<Lines>,
    /// The file that has the lines of all, if they were brought in order: it counts them otherwise.
    together: Option<Arc<Pieces>>,
}

impl Files {
    /// Something wrong in the line of a rank that came last.
    pub fn mistake(&self, rank: u32, what: String) -> Mistake {
        let lines = &self.ranks[rank as usize];
        let Some(file) = &self.together else { return lines.mistake(what) };
        let all = Lines::of_file(Arc::clone(file), PIECE);
        match number_of(all, rank, lines.number()) {
            Ok(number) => Mistake::in_line(file.path(), number, what),
            Err(unreadable) => unreadable,
        }
    }
}

/// What each rank does.
///
/// # Errors
/// Files that are not there or cannot be read; ranks that are missing.
pub fn of_ranks(path: &Path) -> Result<Files, Mistake> {
    let file = Arc::new(Pieces::kept_open(path)?);
    let mut lines = Lines::of_file(Arc::clone(&file), PIECE);
    let mut listed = Vec::new();
    while let Some((number, line)) = lines.next()? {
        if split(line).is_none() {
            continue;
        }
        if listed.is_empty() && is_action(line) {
            return of_one(&file);
        }
        listed.push((number, listed_path(path, line.trim_ascii(), number)?));
        if listed.len() as u64 > MOST_RANKS {
            return Err(lines.mistake(format!("more than {MOST_RANKS} ranks")));
        }
    }
    match &listed[..] {
        [] => Err(Mistake::new(path, "names no file of a rank")),
        [(_, one)] => of_one(&Arc::new(Pieces::kept_open(one)?)),
        _ => of_each(path, &listed),
    }
}

/// Whether a file begins like a trace or a list of such files.
pub fn looks_like(path: &Path, start: &[u8]) -> bool {
    let line = start.split(|&byte| byte == b'\n').find(|line| split(line).is_some());
    line.is_some_and(|line| is_action(line) || is_list(path, line))
}

fn is_list(path: &Path, line: &[u8]) -> bool {
    let Ok(first) = listed_path(path, line.trim_ascii(), 1) else { return false };
    let Ok(file) = Pieces::one_of_many(&first) else { return false };
    let mut start = vec![0; file.length().min(LEAST_PART) as usize];
    let there = file.read(0, &mut start).unwrap_or(0);
    let mut lines = without_mark(&start[..there]).split(|&byte| byte == b'\n');
    lines.find(|line| split(line).is_some()).is_none_or(is_action)
}

fn is_action(line: &[u8]) -> bool {
    split(line).is_some_and(|(rank, name, _)| whole(rank).is_some() && name_of(name).is_some())
}

/// A path is seen from the list, from one folder above it, or from here.
fn listed_path(list: &Path, line: &[u8], number: u64) -> Result<PathBuf, Mistake> {
    let named = || std::str::from_utf8(line).ok().map(PathBuf::from);
    let missing = || {
        let what = format!("{} is no action, and no file that is there", shown(line));
        Mistake::in_line(list, number, what)
    };
    let named = named().ok_or_else(missing)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let above = folder.parent().unwrap_or(Path::new(".."));
    let seen = [folder.join(&named), above.join(&named), named];
    seen.into_iter().find(|path| path.is_file()).ok_or_else(missing)
}

fn of_each(list: &Path, listed: &[(u64, PathBuf)]) -> Result<Files, Mistake> {
    let piece = piece_of_each(listed.len());
    let open = |(line, path): &(u64, PathBuf)| {
        let file = Pieces::one_of_many(path).map_err(|mistake| {
            let what = format!("{} {}", path.display(), mistake.what);
            Mistake::in_line(list, *line, what)
        })?;
        Ok(Lines::of_file(Arc::new(file), piece))
    };
    let ranks = listed.iter().map(open).collect::<Result<_, _>>()?;
    Ok(Files { ranks, together: None })
}

/// Finds the lines of each rank in one file for all.
fn of_one(file: &Arc<Pieces>) -> Result<Files, Mistake> {
    let all = || Lines::of_file(Arc::clone(file), PIECE);
    let (mut lines, mut places) = (all(), Places::default());
    loop {
        let start = lines.offset();
        let Some((line, text)) = lines.next()? else { break };
        match rank_of(text) {
            Ok(Some(rank)) => places.add(rank, Part { start, end: lines.offset(), line }),
            Ok(None) => {}
            Err(what) => return Err(lines.mistake(what)),
        }
        if places.count > MANY_PARTS && lines.offset() < places.count * LEAST_PART {
            let (dealt, places) = deal(all(), ALL_BUFFERS)?;
            return Ok(Files { ranks: places.lines(&dealt)?, together: Some(Arc::clone(file)) });
        }
    }
    Ok(Files { ranks: places.lines(file)?, together: None })
}
