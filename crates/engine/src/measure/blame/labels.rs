//! Messages instead of traffic classes, where it is asked whose message was in the way.
//!
//! Then packets are of the class of their message's number, so that every charge names a message;
//! tables are of the classes as ever.

use super::cause::Charge;
use crate::ids::ProcessId;
use crate::time::{NEVER, Time};

/// Who sends a message, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The traffic class of the message.
    pub class: u32,
    /// The sending process.
    pub process: ProcessId,
    /// Who receives it.
    pub to: ProcessId,
    /// Where in the program it is sent; `u32::MAX`: nobody knows.
    pub call: u32,
}

/// All messages: those in the way may be long over.
#[derive(Default)]
pub struct Labels {
    senders: Vec<Sender>,
}

/// Stands for nobody, where class 0 does.
const NOBODY: u32 = 0;

impl Labels {
    /// The number of a message, modulo 2^32.
    pub fn number(label: u32) -> u32 {
        label.wrapping_sub(NOBODY + 1)
    }

    /// The next message is sent; what packets of it are called.
    pub fn opens(&mut self, sender: Sender) -> u32 {
        self.senders.push(sender);
        self.senders.len() as u32 + NOBODY
    }

    /// Who sends a message.
    pub fn sender(&self, label: u32) -> Option<Sender> {
        self.senders.get(Self::number(label) as usize).copied()
    }

    /// The traffic class of a message.
    pub fn class(&self, label: u32) -> u32 {
        let sender = self.sender(label);
        debug_assert!(label == NOBODY || sender.is_some(), "a message in the way is known");
        sender.map_or(label, |sender| sender.class)
    }

    /// The same charges, by classes: of one wait, those are one that follow each other and are
    /// of one class. `begins` has for every wait how many charges there were before.
    pub fn by_class(&self, charges: &[Charge], begins: &[(usize, Time)]) -> Vec<Charge> {
        let mut named: Vec<Charge> = Vec::with_capacity(charges.len());
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
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_known_by_their_labels() {
        let mut labels = Labels::default();
        let sender =
            |class| Sender { class, process: ProcessId(7), to: ProcessId(8), call: 10 * class };
        let all: Vec<_> = (0..3).map(|class| labels.opens(sender(class))).collect();
        assert_eq!(labels.sender(all[2]), Some(sender(2)));
        assert_eq!((labels.class(all[1]), Labels::number(all[1])), (1, 1));
        assert_eq!((labels.sender(NOBODY), labels.class(NOBODY)), (None, NOBODY));
    }
}
