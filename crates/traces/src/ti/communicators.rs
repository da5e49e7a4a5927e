//! Communicators of some ranks. SimGrid's traces have none; other formats come by way of its actions.

use super::arguments::{Arguments, Parsed};
use crate::communicator::Communicator;
use std::collections::HashMap;
use std::sync::Arc;

/// The members of communicators, by their numbers, which are the same for all ranks.
#[derive(Debug, Default)]
pub struct Communicators {
    known: HashMap<u32, Arc<[u32]>>,
}

impl Communicators {
    /// The communicator that a rank names: a number, 0 for all ranks, and its members, which may be
    /// left out once they are known.
    pub fn named(&mut self, me: u32, given: &mut Arguments<'_>) -> Parsed<Communicator> {
        let number = given.count("the communicator")?;
        let number = u32::try_from(number).ok().filter(|&number| number < 1 << 31);
        let number = number.ok_or("the communicator must be a number below 2147483648")?;
        if number == 0 {
            return Ok(Communicator::default());
        }
        let mut members = Vec::new();
        while given.left() > 0 {
            members.push(given.rank("a member")?);
        }
        let members = self.members(number, members)?;
        if !members.contains(&me) {
            return Err(format!("rank {me} is no member of communicator {number}"));
        }
        Ok(Communicator { context: number, members: Some(members) })
    }

    fn members(&mut self, number: u32, given: Vec<u32>) -> Parsed<Arc<[u32]>> {
        let known = self.known.get(&number);
        if given.is_empty() {
            return known.cloned().ok_or_else(|| format!("communicator {number} has no members"));
        }
        if let Some(known) = known {
            let same = known[..] == given;
            let other = || format!("communicator {number} has had other members before");
            return same.then(|| Arc::clone(known)).ok_or_else(other);
        }
        let mut sorted = given.clone();
        sorted.sort_unstable();
        let mut pairs = sorted.iter().zip(sorted.iter().skip(1));
        if let Some((twice, _)) = pairs.find(|(one, next)| one == next) {
            return Err(format!("communicator {number} has rank {twice} twice"));
        }
        let members: Arc<[u32]> = given.into();
        self.known.insert(number, Arc::clone(&members));
        Ok(members)
    }
}
