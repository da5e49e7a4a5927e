//! A message under way, and what its packets stand on.

use super::forest::Leg;
use super::piece::{Blamed, Part, Piece, passed_on, push};
use crate::ids::{InstantId, ProcessId};
use crate::time::Time;

/// A message that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its number.
    pub number: u64,
    /// Who sends it.
    pub from: ProcessId,
    /// Who receives it.
    pub to: ProcessId,
    /// Its length.
    pub bytes: u64,
    /// What the receiver knows it by.
    pub tag: u32,
    /// Its traffic class.
    pub class: u32,
    /// Where in the program it is sent.
    pub call: u32,
}

/// A message under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub number: u64,
    /// The number, as blame knows it.
    pub label: u32,
    pub from: ProcessId,
    pub to: ProcessId,
    pub call: u32,
    /// What packets stand on that are queued now.
    pub base: InstantId,
    /// What the packet of it waited for that was delivered last.
    pub before: Vec<Piece>,
    /// What software has done for it since `base`, if anything.
    pub prepared: Option<Box<Prepared>>,
    /// The latest packet that a CPU took in.
    pub taken: InstantId,
    /// What was there before the receiver accepted it, if slack is asked for.
    pub offered: InstantId,
    /// Its place in the rows of timelines, if it is shown.
    pub row: Option<usize>,
}

impl Default for Way {
    fn default() -> Self {
        let (nobody, none) = (ProcessId::NONE, InstantId::NONE);
        Self {
            number: 0,
            label: 0,
            from: nobody,
            to: nobody,
            call: u32::MAX,
            base: none,
            before: Vec::new(),
            prepared: None,
            taken: none,
            offered: none,
            row: None,
        }
    }
}

impl Way {
    /// What software has done for it since `base`.
    pub(super) fn prepared(&self) -> Prepared {
        self.prepared.as_deref().copied().unwrap_or_default()
    }

    /// A part of its way.
    pub(super) fn leg(&self, pieces: Box<[Piece]>) -> Leg {
        let &Self { number: message, from, to, call, .. } = self;
        Leg { message, from, to, call, pieces }
    }
}

/// What a packet stands on.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) base: InstantId,
    /// What software did for it, if anything: where messages cost nothing there are millions without.
    pub(super) prepared: Option<Box<Prepared>>,
}

impl Default for Standing {
    fn default() -> Self {
        Self { base: InstantId::NONE, prepared: None }
    }
}

impl Standing {
    /// What software did for it.
    pub(super) fn prepared(&self) -> Prepared {
        self.prepared.as_deref().copied().unwrap_or_default()
    }
}

/// What software did for a packet before it was handed to the network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prepared {
    /// For so long it was prepared.
    pub(super) overhead: Time,
    /// For so long a packet before it was leaving.
    pub(super) leaving: Time,
    /// Until when.
    pub(super) left: Time,
    /// When it was ready, if software had anything to do with it, and when it was handed over.
    pub(super) ready: Option<Time>,
    pub(super) handed: Time,
    /// Whom it waited behind meanwhile, if not a packet of its own message.
    pub(super) behind: Option<Blamed>,
}

impl Prepared {
    /// What came before a packet was handed to the network, since `began`.
    pub(super) fn put_down(&self, began: Time, way: &Way, pieces: &mut Vec<Piece>) {
        let Some(ready) = self.ready else { return };
        passed_on(&way.before, (began, self.left), pieces);
        let others = (ready - began).saturating_sub(self.overhead + self.leaving);
        // What was done when is not kept: it is shown as if done last.
        let first = ready - self.overhead;
        push(pieces, Piece::own(Part::Processor, first - others, others));
        push(pieces, Piece::own(Part::Sending, first, self.overhead));
        match self.behind {
            None => passed_on(&way.before, (ready, self.handed), pieces),
            blamed => {
                let time = self.handed - ready;
                push(pieces, Piece { begin: ready, time, part: Part::Processor, blamed });
            }
        }
    }
}
