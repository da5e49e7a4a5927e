//! Files without a name, for what is put into another order before it is read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty file that is gone when it is closed, however the process ends.
///
/// # Errors
/// What the system says.
pub fn file() -> io::Result<File> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = std::env::temp_dir();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("tailback-{}-{number}.scratch", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return fs::remove_file(&path).map(|()| file),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};

    #[test]
    fn what_is_written_can_be_read_and_has_no_name() {
        let mut file = file().unwrap();
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::nlink(&file.metadata().unwrap()), 0);
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }
}
