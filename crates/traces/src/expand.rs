//! Files that may be compressed.

use crate::mistake::Mistake;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// The bytes of a file one after the other, expanded if it is compressed.
pub struct Expanded {
    path: PathBuf,
    inside: Box<dyn Read + Send>,
    at: u64,
    most: u64,
}

impl Expanded {
    /// A file as it is, or compressed with gzip or bzip2, which may expand to so many bytes.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(path: &Path, most: u64) -> Result<Self, Mistake> {
        let unreadable = |error: io::Error| Mistake::unreadable(path, &error);
        let mut file = File::open(path).map_err(unreadable)?;
        let mut start = Vec::new();
        file.by_ref().take(4).read_to_end(&mut start).map_err(unreadable)?;
        let is_compressed = |magic: &[u8]| start.starts_with(magic);
        let (gzip, bzip2) = (is_compressed(b"\x1f\x8b"), is_compressed(b"BZh"));
        let whole = BufReader::with_capacity(1 << 16, Cursor::new(start).chain(file));
        let inside: Box<dyn Read + Send> = if gzip {
            Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(whole)))
        } else if bzip2 {
            Box::new(BufReader::new(bzip2::read::MultiBzDecoder::new(whole)))
        } else {
            Box::new(whole)
        };
        let most = if gzip || bzip2 { most } else { u64::MAX };
        Ok(Self { path: path.into(), inside, at: 0, most })
    }

    /// Where the next byte is, in what the file expands to.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Something wrong at a byte of what the file expands to.
    pub fn mistake(&self, at: u64, what: impl Into<String>) -> Mistake {
        Mistake::at_byte(&self.path, at, what)
    }

    /// Fills a buffer as far as there is something; how much there was.
    ///
    /// # Errors
    /// What the system or the compression says, and a file that expands to too much.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Mistake> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inside.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let reason = Mistake::unreadable(&self.path, &error).what;
                    return Err(self.mistake(self.at + filled as u64, reason));
                }
            }
        }
        self.at += filled as u64;
        if self.at > self.most {
            let what =
                format!("expands to more than {} bytes; if it is meant, allow more", self.most);
            return Err(Mistake::new(&self.path, what));
        }
        Ok(filled)
    }

    /// Nothing may follow: neither in the file, nor behind what was compressed.
    ///
    /// # Errors
    /// What does, and compression that is cut off.
    pub fn ends(&mut self, behind: &str) -> Result<(), Mistake> {
        let (start, mut byte) = (self.at, [0]);
        if self.fill(&mut byte)? == 0 {
            return Ok(());
        }
        Err(self.mistake(start, format!("has more bytes behind {behind}")))
    }

    /// Fills a buffer with what must be there.
    ///
    /// # Errors
    /// As [`Self::fill`]; a file that ends before.
    pub fn exactly(&mut self, buffer: &mut [u8]) -> Result<(), Mistake> {
        let start = self.at;
        if self.fill(buffer)? == buffer.len() {
            return Ok(());
        }
        let what = format!("needs {} bytes here; the file is cut off", buffer.len());
        Err(self.mistake(start, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::Folder;
    use std::io::Write;

    fn compressed(content: &[u8]) -> [Vec<u8>; 2] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(content).unwrap();
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(content).unwrap();
        [gzip.finish().unwrap(), bzip2.finish().unwrap()]
    }

    #[test]
    fn files_are_expanded_by_what_they_are() {
        let folder = Folder::new();
        let [gzip, bzip2] = compressed(b"content");
        for content in [&b"content"[..], &gzip, &bzip2] {
            let path = folder.file("file", content);
            let mut file = Expanded::new(&path, 7).unwrap();
            let mut bytes = [0; 7];
            file.exactly(&mut bytes).unwrap();
            assert_eq!((&bytes, file.at()), (b"content", 7));
            let end = file.exactly(&mut bytes).unwrap_err();
            assert_eq!(end.what, "needs 7 bytes here; the file is cut off");
        }
    }

    #[test]
    fn what_expands_to_too_much_is_refused() {
        let folder = Folder::new();
        for content in compressed(&vec![0; 100_000]) {
            let path = folder.file("bomb", &content);
            let mut file = Expanded::new(&path, 5000).unwrap();
            let refused = file.fill(&mut vec![0; 100_000]).unwrap_err();
            assert_eq!(refused.what, "expands to more than 5000 bytes; if it is meant, allow more");
            let path = folder.file("cut", &content[..content.len() / 2]);
            let mut file = Expanded::new(&path, u64::MAX).unwrap();
            let filled = file.fill(&mut vec![0; 200_000]);
            assert!(filled.is_err() || filled.is_ok_and(|count| count < 100_000));
        }
    }
}
