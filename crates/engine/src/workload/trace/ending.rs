//! What ranks wait for that never comes, and what nobody received.

use super::letters::Stage;
use super::operation::{Envelope, Filter, What};
use super::ranks::Ranks;
use crate::error::{SpecError, Stuck, Unreceived};
use crate::ids::ProcessId;

/// Operations of a rank that are named.
const SHOWN: usize = 2;

impl Ranks {
    /// See [`crate::workload::Workload::waits_for`].
    pub fn waits_for(&self, process: ProcessId) -> Option<String> {
        let rank = process.0;
        if self.dependencies.is_finished(rank) {
            return None;
        }
        let begun = || self.dependencies.pending(rank).filter(|&(_, has_begun)| has_begun);
        let mut words: Vec<_> =
            begun().take(SHOWN).map(|(number, _)| self.in_words(process, number)).collect();
        let left = begun().count() - words.len();
        if left > 0 {
            words.push(format!("{left} more"));
        }
        if words.is_empty() {
            words.push("what it is to do".into());
        }
        let words = words.join(" and for ");
        let left = self.left_at(rank);
        Some(match left.first() {
            None => words,
            Some(left) => format!("{words}; at it: {}", left.what()),
        })
    }

    fn in_words(&self, process: ProcessId, number: u32) -> String {
        let what = match self.dependencies.operation(process.0, number).what {
            What::Receive(filter) => of_filter(&filter),
            What::Send(Envelope { to, bytes, tag, context, .. }) => {
                format!("rank {to} to receive {bytes} B, tag {tag}{}", within(context))
            }
            What::Collective(_) => {
                return self.collectives.waits_for(process).unwrap_or_default();
            }
            What::Compute(_) | What::Flops(_) | What::Join => return "the processor".into(),
        };
        format!("{what} (operation {number})")
    }

    /// A collective that not all ranks have come to.
    pub fn left_collective(&self) -> Option<SpecError> {
        self.collectives.left()
    }

    /// Messages that nobody has received, by receiver, and of each in the order of coming.
    pub fn unreceived(&self) -> Vec<Unreceived> {
        (0..self.dependencies.ranks()).flat_map(|rank| self.left_at(rank)).collect()
    }

    fn left_at(&self, rank: u32) -> Vec<Unreceived> {
        let mut left: Vec<Unreceived> = Vec::new();
        for letter in self.matching.unexpected(rank) {
            let (from, Envelope { bytes, tag, context, .. }) = self.untaken(letter);
            let one = Unreceived { rank, from, tag, context, bytes, count: 1 };
            match left.iter_mut().find(|known| Unreceived { count: 1, ..**known } == one) {
                Some(known) => known.count += 1,
                None => left.push(one),
            }
        }
        left
    }

    /// Who sent a message that nobody has taken, and what it is known by.
    fn untaken(&self, message: u32) -> (u32, Envelope) {
        if let Some(machine) = &self.loggops {
            return machine.untaken(message);
        }
        (self.letters[message].from, self.letters[message].envelope)
    }

    /// The operation that sent such a message, if its sender waits for it to be taken.
    fn holds_up(&self, message: u32) -> Option<u32> {
        if let Some(machine) = &self.loggops {
            return machine.holds_up(message);
        }
        let of = &self.letters[message];
        (of.stage == Stage::Asks).then_some(of.send)
    }

    /// Ranks in a circle, each of which waits for the next to receive what it sends; none if there
    /// is no such circle.
    pub fn circle(&self) -> Vec<Stuck> {
        // A walk along sends that nobody receives comes back to where it was, or ends.
        let count = self.dependencies.ranks() as usize;
        let mut walk = vec![usize::MAX; count];
        for start in 0..count {
            let mut way = Vec::new();
            let mut rank = start;
            while walk[rank] == usize::MAX {
                let Some(next) = self.unanswered(rank as u32) else { break };
                walk[rank] = start;
                way.push(next);
                rank = next.to as usize;
            }
            if walk[rank] == start
                && let Some(first) = way.iter().position(|stuck| stuck.rank as usize == rank)
            {
                return way.split_off(first);
            }
        }
        Vec::new()
    }

    /// What a rank sends first of what its receiver has not answered.
    fn unanswered(&self, rank: u32) -> Option<Stuck> {
        self.dependencies.pending(rank).filter(|&(_, has_begun)| has_begun).find_map(
            |(number, _)| {
                let What::Send(Envelope { to, bytes, tag, .. }) =
                    self.dependencies.operation(rank, number).what
                else {
                    return None;
                };
                let asks = |letter| {
                    self.untaken(letter).0 == rank && self.holds_up(letter) == Some(number)
                };
                self.matching.unexpected(to).any(asks).then_some(Stuck { rank, to, bytes, tag })
            },
        )
    }
}

fn of_filter(filter: &Filter) -> String {
    let from = filter.from.map_or("any rank".into(), |rank| format!("rank {rank}"));
    let tag = filter.tag.map_or(String::new(), |tag| format!(", tag {tag}"));
    format!("a message from {from}{tag}{}", within(filter.context))
}

fn within(context: u32) -> String {
    if context == 0 { String::new() } else { format!(", communicator {context}") }
}
