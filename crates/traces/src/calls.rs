//! Names of places in programs.

use std::collections::HashMap;

/// Names in the order in which they were first met.
#[derive(Debug, Default)]
pub struct Calls {
    names: Vec<String>,
    places: HashMap<String, u32>,
}

impl Calls {
    /// The number of a name.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.places.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), number);
        number
    }

    /// All of them.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
