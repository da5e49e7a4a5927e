//! Instants at which something could go on, each with the one instant that it stands on.

use super::piece::{Part, Piece};
use crate::ids::{Id, InstantId, ProcessId};
use crate::time::Time;
use std::ops::Index;

/// An instant at which a process, or a message, could go on.
#[derive(Clone, Debug)]
pub struct Instant {
    /// When.
    pub at: Time,
    /// The instant before it that it stands on, or none: it begins at time 0.
    pub parent: InstantId,
    /// Who could go on.
    pub process: ProcessId,
    /// What lies between.
    pub segment: Segment,
    references: u32,
}

/// What lies between an instant and the one before it.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Nothing was done: a process begins, or a message is due.
    Start,
    /// The process computed for so long, and its CPU worked so long for messages meanwhile; the
    /// rest it worked for other processes.
    Computed(Computed),
    /// A message, or an acknowledgement, was on its way.
    Message(Box<Leg>),
    /// The last of a group has come.
    Met,
    /// A group stays together for its price.
    Price,
    /// It waited for something else of its own, such as that a packet left.
    Waited,
}

/// What a CPU did while a process had something to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Computed {
    /// It computed for the process.
    pub computing: Time,
    /// It prepared messages.
    pub sending: Time,
    /// It took messages in.
    pub receiving: Time,
    /// A message came in, for which there is a clock but no software.
    pub crossing: Time,
    /// Where in the program that was called.
    pub call: u32,
}

impl Computed {
    /// What its time is put down to, in this order; the rest is the processor's.
    pub fn parts(&self) -> [(Part, Time); 4] {
        [
            (Part::Computing, self.computing),
            (Part::Sending, self.sending),
            (Part::Receiving, self.receiving),
            (Part::Own, self.crossing),
        ]
    }
}

/// A part of the way of a message: between two instants of which neither need be its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The number of the message.
    pub message: u64,
    /// Who sends it.
    pub from: ProcessId,
    /// Who receives it.
    pub to: ProcessId,
    /// Where in the program it is sent.
    pub call: u32,
    /// What it consisted of in order of time; the rest is latency and serialisation.
    pub pieces: Box<[Piece]>,
}

/// All instants that something present stands on.
#[derive(Default)]
pub struct Forest {
    instants: Vec<Instant>,
    free: Vec<InstantId>,
    /// Whether nothing is forgotten.
    keeps_all: bool,
}

impl Forest {
    /// No instant yet; whether all are kept.
    pub fn new(keeps_all: bool) -> Self {
        Self { keeps_all, ..Self::default() }
    }

    /// A new instant, on which the caller stands.
    pub fn add(
        &mut self,
        at: Time,
        parent: InstantId,
        process: ProcessId,
        segment: Segment,
    ) -> InstantId {
        debug_assert!(at >= self.at(parent), "nothing goes on before what it stands on");
        self.share(parent);
        let instant = Instant { at, parent, process, segment, references: 1 };
        if let Some(id) = self.free.pop() {
            self.instants[id.index()] = instant;
            return id;
        }
        self.instants.push(instant);
        InstantId::from_index(self.instants.len() - 1)
    }

    /// Somebody else stands on an instant, too.
    #[inline]
    pub fn share(&mut self, id: InstantId) -> InstantId {
        if id.is_some() {
            self.instants[id.index()].references += 1;
        }
        id
    }

    /// Somebody does not stand on an instant any more: what nobody stands on is forgotten.
    pub fn release(&mut self, mut id: InstantId) {
        while id.is_some() {
            let instant = &mut self.instants[id.index()];
            instant.references -= 1;
            if instant.references > 0 || self.keeps_all {
                return;
            }
            instant.segment = Segment::Start;
            self.free.push(id);
            id = std::mem::replace(&mut instant.parent, InstantId::NONE);
        }
    }

    /// Somebody goes over from one instant to another.
    #[inline]
    pub fn replace(&mut self, place: &mut InstantId, by: InstantId) {
        let before = std::mem::replace(place, by);
        self.release(before);
    }

    /// When an instant is; 0 of none.
    #[inline]
    pub fn at(&self, id: InstantId) -> Time {
        self.instants.get(id.index()).map_or(0, |instant| instant.at)
    }

    /// How many instants are kept.
    pub fn kept(&self) -> usize {
        self.instants.len() - self.free.len()
    }

    /// All instants that have been kept, in the order of their making: parents first.
    pub fn all(&self) -> &[Instant] {
        &self.instants
    }

    /// From an instant back to where its branch begins.
    pub fn back(&self, from: InstantId) -> impl Iterator<Item = (InstantId, &Instant)> {
        let known = move |id: InstantId| id.is_some().then(|| (id, &self[id]));
        std::iter::successors(known(from), move |(_, instant)| known(instant.parent))
    }
}

impl Index<InstantId> for Forest {
    type Output = Instant;

    #[inline]
    fn index(&self, id: InstantId) -> &Instant {
        &self.instants[Id::index(id)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_stands_on_is_forgotten() {
        let mut forest = Forest::default();
        let add =
            |forest: &mut Forest, at, parent| forest.add(at, parent, ProcessId(0), Segment::Waited);
        let root = add(&mut forest, 0, InstantId::NONE);
        let left = add(&mut forest, 1, root);
        let right = add(&mut forest, 2, root);
        forest.release(root);
        assert_eq!(forest.kept(), 3);
        forest.release(left);
        assert_eq!(forest.kept(), 2);
        let next = add(&mut forest, 3, right);
        assert_eq!(next, left, "its place is used again");
        forest.release(right);
        assert_eq!(forest.back(next).map(|(_, instant)| instant.at).collect::<Vec<_>>(), [3, 2, 0]);
        forest.release(next);
        assert_eq!(forest.kept(), 0);
    }
}
