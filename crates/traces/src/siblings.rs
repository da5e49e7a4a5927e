//! Files of one folder whose names differ in a number.

use crate::mistake::Mistake;
use std::path::{Path, PathBuf};

/// A name cut at its number.
pub type Numbered<'a> = (&'a str, u64, &'a str);

/// The files whose names differ from the given one in their number alone, in order of it. A name
/// that `cut` finds no number in has none beside it, and is 0.
///
/// # Errors
/// A folder that cannot be read.
pub fn siblings(
    path: &Path,
    cut: impl Fn(&str) -> Option<Numbered<'_>>,
) -> Result<Vec<(u64, PathBuf)>, Mistake> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let Some((before, _, after)) = cut(name) else { return Ok(vec![(0, path.into())]) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).map_err(|error| Mistake::unreadable(folder, &error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let of_one = |name: String| {
        let (b, number, a) = cut(&name)?;
        (b == before && a == after).then(|| (number, folder.join(&name)))
    };
    let mut files: Vec<_> = names.filter_map(of_one).collect();
    files.sort_unstable();
    Ok(files)
}
