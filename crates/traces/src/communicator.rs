//! Communicators: who is in them, and by which number their messages are told apart.

use crate::words::counted;
use std::sync::Arc;

/// A communicator as a rank knows it.
#[derive(Clone, Debug, Default)]
pub struct Communicator {
    /// The number by which its messages are known.
    pub context: u32,
    /// Its members in order; none: all ranks.
    pub members: Option<Arc<[u32]>>,
}

impl Communicator {
    /// How many members it has, if there are so many ranks.
    pub fn size(&self, ranks: u32) -> u32 {
        self.members.as_ref().map_or(ranks, |members| members.len() as u32)
    }

    /// The rank of the world that has a number in it.
    ///
    /// # Errors
    /// A number that nobody has.
    pub fn member(&self, number: i64, ranks: u32) -> Result<u32, String> {
        let count = self.size(ranks);
        let place = u32::try_from(number).ok().filter(|&place| place < count);
        let place = place.ok_or_else(|| {
            let ranks = counted(count, "rank");
            format!("rank {number} is not there: the communicator has {ranks}")
        })?;
        Ok(self.members.as_ref().map_or(place, |members| members[place as usize]))
    }

    /// Its members, for a collective.
    pub fn group(&self) -> Option<Vec<u32>> {
        self.members.as_ref().map(|members| members.to_vec())
    }

    /// Its members but one, in order.
    pub fn others(&self, me: u32, ranks: u32) -> Vec<u32> {
        let all = self.group().unwrap_or_else(|| (0..ranks).collect());
        all.into_iter().filter(|&rank| rank != me).collect()
    }

    /// With whom a rank exchanges in each round of recursive doubling: the member whose place
    /// differs from its own in the bit of the round, if there is one.
    ///
    /// # Errors
    /// A rank that is no member.
    pub fn doubling(&self, me: u32, ranks: u32) -> Result<Vec<(u32, u32)>, String> {
        let size = self.size(ranks);
        let place = match &self.members {
            None => Some(me),
            Some(members) => members.iter().position(|&rank| rank == me).map(|place| place as u32),
        };
        let place = place.ok_or("this rank is not in it")?;
        let rounds = 0..32 - size.saturating_sub(1).leading_zeros();
        let partner = |round: u32| {
            let other = i64::from(place ^ 1u32 << round);
            self.member(other, ranks).ok().map(|other| (round, other))
        };
        Ok(rounds.filter_map(partner).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_members_that_are_there() {
        let all = Communicator::default();
        assert_eq!(all.doubling(2, 5).unwrap(), [(0, 3), (1, 0)]);
        assert_eq!(all.doubling(0, 5).unwrap(), [(0, 1), (1, 2), (2, 4)]);
        assert_eq!(all.doubling(0, 1).unwrap(), []);
        let some = Communicator { context: 3, members: Some(Arc::new([7, 2, 5])) };
        assert_eq!(some.doubling(7, 9).unwrap(), [(0, 2), (1, 5)]);
        assert_eq!(some.doubling(5, 9).unwrap(), [(1, 7)]);
        assert!(some.doubling(1, 9).is_err());
        assert_eq!(some.others(2, 9), [7, 5]);
    }
}
