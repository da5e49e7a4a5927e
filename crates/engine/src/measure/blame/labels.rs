//! Messages instead of traffic classes, where it is asked whose message was in the way.
//!
//! Then packets are of the class of their message's number, so that every charge names a message;
//! tables are of the classes as ever.

use super::Charge;
use crate::ids::ProcessId;
use crate::time::{NEVER, Time};
use std::collections::VecDeque;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The traffic class of the message.
    pub class: u32,
    /// The sending process.
    pub process: ProcessId,
}

/// The messages that can still be in somebody's way.
pub struct Labels {
    known: VecDeque<(Sender, Option<u32>)>,
    /// The label of the first of these.
    first: u32,
    /// How many after it are over, at least.
    over: usize,
    /// The classes of all messages: roots of waits may be long over.
    classes: Vec<u32>,
    /// What is charged, by classes.
    charges: Vec<Charge>,
}

/// Stands for nobody, where class 0 does.
const NOBODY: u32 = 0;

impl Default for Labels {
    fn default() -> Self {
        Self {
            known: VecDeque::new(),
            first: NOBODY + 1,
            over: 0,
            classes: Vec::new(),
            charges: Vec::new(),
        }
    }
}

impl Labels {
    /// The number of a message, modulo 2^32.
    pub fn number(label: u32) -> u32 {
        label.wrapping_sub(NOBODY + 1)
    }

    /// The next message is sent; what packets of it are called.
    pub fn opens(&mut self, sender: Sender) -> u32 {
        self.known.push_back((sender, None));
        self.classes.push(sender.class);
        self.next() - 1
    }

    fn next(&self) -> u32 {
        self.first.wrapping_add(self.known.len() as u32)
    }

    /// A message is over: it is forgotten when all are that were under way with it.
    pub fn closes(&mut self, label: u32) {
        let next = self.next();
        let place = label.wrapping_sub(self.first) as usize;
        if let Some((_, over)) = self.known.get_mut(place) {
            *over = Some(next);
        }
        while self.known.get(self.over).is_some_and(|(_, over)| over.is_some()) {
            self.over += 1;
        }
        let oldest = self.first.wrapping_add(self.over as u32);
        while let Some(&(_, Some(until))) = self.known.front()
            && until.wrapping_sub(self.first) <= oldest.wrapping_sub(self.first)
        {
            self.known.pop_front();
            self.first = self.first.wrapping_add(1);
            self.over -= 1;
        }
    }

    /// Who sends a message, as long as it can be in the way of any.
    pub fn sender(&self, label: u32) -> Option<Sender> {
        let place = label.wrapping_sub(self.first) as usize;
        self.known.get(place).map(|known| known.0)
    }

    /// The traffic class of a message.
    pub fn class(&self, label: u32) -> u32 {
        let class = self.classes.get(Self::number(label) as usize);
        debug_assert!(label == NOBODY || class.is_some(), "a message in the way is known");
        class.copied().unwrap_or(label)
    }

    /// The same charges, by classes: of one wait, those are one that follow each other and are
    /// of one class. `begins` has for every wait how many charges there were before.
    pub fn by_class(&mut self, charges: &[Charge], begins: &[(usize, Time)]) -> &[Charge] {
        let mut named = std::mem::take(&mut self.charges);
        named.clear();
        let mut begins = begins.iter().filter(|wait| wait.1 != NEVER).peekable();
        for (place, charge) in charges.iter().enumerate() {
            let charge = Charge { culprit: self.class(charge.culprit), ..*charge };
            let mut is_new = false;
            while begins.next_if(|wait| wait.0 <= place).is_some() {
                is_new = true;
            }
            match named.last_mut() {
                Some(last) if !is_new && Charge { time: charge.time, ..*last } == charge => {
                    last.time += charge.time;
                }
                _ => named.push(charge),
            }
        }
        self.charges = named;
        &self.charges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_known_as_long_as_one_is_under_way_that_was_with_them() {
        let mut labels = Labels::default();
        let sender = |class| Sender { class, process: ProcessId(0) };
        let all: Vec<_> = (0..3).map(|class| labels.opens(sender(class))).collect();
        labels.closes(all[1]);
        labels.closes(all[0]);
        assert_eq!(labels.class(all[0]), 0);
        let last = labels.opens(sender(3));
        labels.closes(all[2]);
        // The last came when the first two were over.
        assert_eq!(labels.sender(all[0]), None);
        assert_eq!((labels.class(all[2]), labels.class(last)), (2, 3));
        labels.closes(last);
        assert_eq!(labels.sender(last), None);
    }
}
