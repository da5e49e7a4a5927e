//! Groups of ranks by name: a JSON object of lists of numbers, and nothing else.

use crate::mistake::Mistake;
use crate::pieces::without_mark;
use std::collections::HashMap;
use std::path::Path;

/// Groups by their names.
pub type Groups = HashMap<String, Vec<u32>>;

/// Reads a file such as `{"1": [0, 1], "2": [2, 3]}`.
///
/// # Errors
/// What is no such file.
pub fn read(path: &Path) -> Result<Groups, Mistake> {
    let bytes = std::fs::read(path).map_err(|error| Mistake::unreadable(path, &error))?;
    let mut json = Json { bytes: &bytes, at: bytes.len() - without_mark(&bytes).len() };
    let mut groups = Groups::new();
    let read = json.needs(b'{').and_then(|()| {
        if json.takes(b'}') {
            return Some(());
        }
        loop {
            let name = json.text()?;
            json.needs(b':')?;
            groups.insert(name, json.numbers()?);
            if json.takes(b'}') {
                return Some(());
            }
            json.needs(b',')?;
        }
    });
    json.blanks();
    if read.is_some() && json.at == bytes.len() {
        return Ok(groups);
    }
    let what = "expected an object of lists of ranks, as {\"1\": [0, 1]}";
    Err(Mistake::at_byte(path, json.at as u64, what))
}

struct Json<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Json<'_> {
    fn blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn needs(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// A text without escapes: names of groups have none.
    fn text(&mut self) -> Option<String> {
        self.needs(b'"')?;
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        let text = String::from_utf8(rest[..end].to_vec()).ok()?;
        self.at += end;
        self.needs(b'"')?;
        Some(text)
    }

    fn numbers(&mut self) -> Option<Vec<u32>> {
        self.needs(b'[')?;
        let mut numbers = Vec::new();
        if self.takes(b']') {
            return Some(numbers);
        }
        loop {
            self.blanks();
            let rest = &self.bytes[self.at..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            numbers.push(crate::words::whole(&rest[..digits])?.try_into().ok()?);
            self.at += digits;
            if self.takes(b']') {
                return Some(numbers);
            }
            self.needs(b',')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::Folder;

    #[test]
    fn groups_have_names_and_ranks() {
        let folder = Folder::new();
        let good = folder.file("groups", b" {\"1\": [0, 2],\n\"b\":[] } ");
        let groups = read(&good).unwrap();
        assert_eq!((&groups["1"], groups["b"].len()), (&vec![0, 2], 0));
        assert!(read(&folder.file("none", b"{}")).unwrap().is_empty());
        for bad in
            ["", "{", "[1]", "{\"1\": [0, -1]}", "{\"1\": [0]} x", "{\"1\" [0]}", "{\"1\": [0],}"]
        {
            let refused = read(&folder.file("bad", bad.as_bytes())).unwrap_err();
            assert!(refused.what.starts_with("expected an object"), "{bad}");
        }
    }
}
