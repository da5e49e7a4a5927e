//! Links as one message has them that shares them with no other: there it meets its own acknowledgements
//! alone, as it would where nobody else is.

use super::sharing::Sharing;
use crate::ids::MessageId;
use crate::mixed::Mixed;

/// The links that messages have of their own, while they have flows there.
#[derive(Clone, Default)]
pub struct OwnLinks {
    /// By message and the link of all: its own.
    numbers: Mixed<(MessageId, u32), u32>,
    /// Those that nobody has now.
    spare: Vec<u32>,
}

impl OwnLinks {
    /// A message's own link for one of all, or that one if it has none.
    pub fn seen(&self, message: MessageId, link: u32) -> u32 {
        self.numbers.get(&(message, link)).copied().unwrap_or(link)
    }

    /// A message's own link for one of all, with the same capacity, which a flow of it is to join.
    pub fn join(&mut self, message: MessageId, link: u32, sharing: &mut Sharing) -> u32 {
        let capacity = sharing.capacity(link);
        let spare = &mut self.spare;
        *self.numbers.entry((message, link)).or_insert_with(|| {
            let number = spare.pop().unwrap_or_else(|| sharing.add());
            sharing.set_capacity(number, capacity);
            number
        })
    }

    /// A flow has left a message's own link for one of all, if there is one.
    pub fn leave(&mut self, message: MessageId, link: u32, sharing: &Sharing) {
        if let Some(&number) = self.numbers.get(&(message, link))
            && sharing.flows_on(number) == 0
        {
            self.numbers.remove(&(message, link));
            self.spare.push(number);
        }
    }
}
