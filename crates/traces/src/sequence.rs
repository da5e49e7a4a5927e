//! What a rank does one after the other, with requests that are waited for later.

use tailback_engine::workload::trace::{After, Batch, Operation, What};

/// When what follows an operation may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// When it is done.
    Blocks,
    /// When it has begun.
    Returns,
}

/// The operations of a rank so far.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    count: u64,
    /// Whether it is enough that the last one has begun.
    begun: bool,
}

impl Sequence {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends what comes next, which is called at a place in the program; its number.
    pub fn then(&mut self, batch: &mut Batch, what: What, call: Call, place: u32) -> u64 {
        let after = u32::from(self.count > 0);
        if after > 0 {
            batch.after.push(After { back: 1, begun: self.begun });
        }
        self.push(batch, what, after, place);
        self.begun = call == Call::Returns;
        self.count - 1
    }

    /// Waits for operations that have been called.
    pub fn wait(&mut self, batch: &mut Batch, numbers: &[u64], place: u32) {
        let first = batch.after.len();
        let mut has_last = false;
        for &number in numbers {
            let back = u32::try_from(self.count - number).unwrap_or(u32::MAX);
            has_last |= back == 1;
            batch.after.push(After { back, begun: false });
        }
        if !has_last && self.count > 0 {
            batch.after.push(After { back: 1, begun: self.begun });
        }
        let after = (batch.after.len() - first) as u32;
        self.push(batch, What::Join, after, place);
        self.begun = false;
    }

    /// Begins several at once and waits for all of them.
    pub fn together(&mut self, batch: &mut Batch, all: impl IntoIterator<Item = What>, place: u32) {
        let begin = |what| self.then(batch, what, Call::Returns, place);
        let numbers: Vec<_> = all.into_iter().map(begin).collect();
        self.wait(batch, &numbers, place);
    }

    fn push(&mut self, batch: &mut Batch, what: What, after: u32, place: u32) {
        batch.operations.push(Operation { call: place, ..Operation::new(what, after) });
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_waited_for_where_it_says() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        let first = sequence.then(&mut batch, What::Flops(1), Call::Returns, 0);
        let second = sequence.then(&mut batch, What::Flops(2), Call::Returns, 0);
        sequence.then(&mut batch, What::Compute(3), Call::Blocks, 0);
        sequence.wait(&mut batch, &[first, second], 7);
        sequence.then(&mut batch, What::Compute(4), Call::Blocks, 0);
        let after = |back, begun| After { back, begun };
        let expected = [
            after(1, true),
            after(1, true),
            after(3, false),
            after(2, false),
            after(1, false),
            after(1, false),
        ];
        assert_eq!(batch.after, expected);
        let counts: Vec<_> = batch.operations.iter().map(|operation| operation.after).collect();
        assert_eq!(counts, [0, 1, 1, 3, 1]);
        assert_eq!((batch.operations[3].what, batch.operations[3].call), (What::Join, 7));
    }

    #[test]
    fn a_wait_for_the_last_is_after_it_once() {
        let (mut sequence, mut batch) = (Sequence::new(), Batch::default());
        sequence.wait(&mut batch, &[], 0);
        let only = sequence.then(&mut batch, What::Flops(1), Call::Returns, 0);
        sequence.wait(&mut batch, &[only], 0);
        assert_eq!(batch.after.len(), 2);
    }
}
