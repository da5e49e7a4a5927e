//! Which ranks want to know what comes next, and have been told.

use crate::ids::ProcessId;

/// Who wants the next batch.
pub struct Feeding {
    /// In the order in which they came to want it.
    pub(super) wanting: Vec<ProcessId>,
    /// How many of them have been answered.
    pub(super) answered: usize,
    /// By rank.
    pub(super) states: Vec<State>,
}

/// Whether a rank wants anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has enough to do, or has ended.
    Content,
    Wants,
    /// It has been told, and will go on.
    Answered,
}

impl Feeding {
    /// Nobody of so many ranks wants anything.
    pub fn new(ranks: u32) -> Self {
        let states = vec![State::Content; ranks as usize];
        Self { wanting: Vec::new(), answered: 0, states }
    }

    /// A rank wants its next batch.
    pub fn wants(&mut self, process: ProcessId) {
        if self.states[process.index()] == State::Content {
            self.states[process.index()] = State::Wants;
            self.wanting.push(process);
        }
    }

    /// Whether all who want something have been answered.
    #[inline]
    pub fn is_answered(&self) -> bool {
        self.answered == self.wanting.len()
    }

    /// Takes those that wanted something: they have been answered.
    pub fn take_answered(&mut self) -> Vec<ProcessId> {
        debug_assert!(self.is_answered());
        for process in &self.wanting {
            self.states[process.index()] = State::Content;
        }
        self.answered = 0;
        std::mem::take(&mut self.wanting)
    }
}
