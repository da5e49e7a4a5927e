//! A file that is whole or not there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file under another name, which gets its own when it is whole.
pub struct WholeFile {
    path: PathBuf,
    part: PathBuf,
    file: File,
    is_kept: bool,
}

impl WholeFile {
    /// Begins it; what has the name now stays as it is until then.
    pub fn new(path: &Path) -> io::Result<Self> {
        let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it has no name");
        let name = path.file_name().ok_or_else(no_name)?.to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = File::create(&part)?;
        Ok(Self { path: path.into(), part, file, is_kept: false })
    }

    /// Where its content goes.
    pub fn output(&mut self) -> &mut File {
        &mut self.file
    }

    /// It is whole.
    pub fn keep(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.part);
        }
    }
}
