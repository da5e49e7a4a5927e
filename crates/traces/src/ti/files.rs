//! Where the actions of each rank are: in a file of its own, or in one for all.

use super::rank::name_of;
use super::split;
use crate::lines::{Lines, Part};
use crate::mistake::Mistake;
use crate::pieces::Pieces;
use crate::words::{shown, whole};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Buffers of all ranks have about so many bytes together, and each has some at least.
const ALL_BUFFERS: usize = 64 << 20;
const BUFFERS: (usize, usize) = (4 << 10, 64 << 10);
/// A trace has at most so many ranks.
const MOST_RANKS: u64 = 1 << 24;

/// What each rank does.
///
/// # Errors
/// Files that are not there or cannot be read; ranks that are missing.
pub fn of_ranks(path: &Path) -> Result<Vec<Lines>, Mistake> {
    let file = Arc::new(Pieces::kept_open(path)?);
    let mut lines = Lines::of_file(Arc::clone(&file), BUFFERS.1);
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
    let mut start = vec![0; BUFFERS.0.min(file.length() as usize)];
    let there = file.read(0, &mut start).unwrap_or(0);
    let mut lines = start[..there].split(|&byte| byte == b'\n');
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

fn of_each(list: &Path, listed: &[(u64, PathBuf)]) -> Result<Vec<Lines>, Mistake> {
    let piece = (ALL_BUFFERS / listed.len()).clamp(BUFFERS.0, BUFFERS.1);
    let open = |(line, path): &(u64, PathBuf)| {
        let file = Pieces::one_of_many(path).map_err(|mistake| {
            let what = format!("{} {}", path.display(), mistake.what);
            Mistake::in_line(list, *line, what)
        })?;
        Ok(Lines::of_file(Arc::new(file), piece))
    };
    listed.iter().map(open).collect()
}

/// Finds the lines of each rank in one file for all.
fn of_one(file: &Arc<Pieces>) -> Result<Vec<Lines>, Mistake> {
    let mut lines = Lines::of_file(Arc::clone(file), BUFFERS.1);
    let mut ranks: Vec<Vec<Part>> = Vec::new();
    loop {
        let start = lines.offset();
        let Some((number, line)) = lines.next()? else { break };
        let Some((first, _, _)) = split(line) else { continue };
        let Some(rank) = whole(first).filter(|&rank| rank < MOST_RANKS) else {
            let what = format!("must begin with a rank below {MOST_RANKS}, not {}", shown(first));
            return Err(lines.mistake(what));
        };
        let (rank, end) = (rank as usize, lines.offset());
        if ranks.len() <= rank {
            ranks.resize_with(rank + 1, Vec::new);
        }
        match ranks[rank].last_mut() {
            Some(part) if part.end == start => part.end = end,
            _ => ranks[rank].push(Part { start, end, line: number }),
        }
    }
    if ranks.is_empty() {
        return Err(Mistake::new(file.path(), "has no actions"));
    }
    if let Some(missing) = ranks.iter().position(Vec::is_empty) {
        let what = format!("has ranks up to {}, but no line of rank {missing}", ranks.len() - 1);
        return Err(Mistake::new(file.path(), what));
    }
    let piece = (ALL_BUFFERS / ranks.len()).clamp(BUFFERS.0, BUFFERS.1);
    let lines = |parts| Lines::of_parts(Arc::clone(file), parts, piece);
    Ok(ranks.into_iter().map(lines).collect())
}
