//! What an algorithm is like on a topology.

use super::outputs::Slots;
use serde::Serialize;

/// What becomes of packets that cannot come nearer at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// They wait where they are.
    Wait,
    /// They leave by any output that is free.
    Deflect,
    /// They are stored in the switch, and some leave by any output when it is full.
    Store,
}

/// What an algorithm is like on a topology, whatever the machine.
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// Classes of virtual channels it tells apart: it needs as many.
    pub classes: usize,
    /// How many of them, the first, are the way out of all others.
    pub escapes: usize,
    /// Whether further virtual channels all belong to the last class; else to all in turn.
    #[serde(skip)]
    pub prefers_last: bool,
    /// Whether packets may have a choice of several outputs.
    pub chooses: bool,
    /// Whether they may have one behind their first switch, so that packets of one message that
    /// begin alike may part.
    #[serde(skip)]
    pub chooses_late: bool,
    /// Whether all routes of a pair have as many hops, where no link has failed.
    #[serde(skip)]
    pub are_equally_long: bool,
    /// Whether a packet's route changes on its way.
    pub remembers: bool,
    /// Whether it draws random numbers for every packet.
    pub draws: bool,
    /// Whether packets of a pair have several ways, though each has one: all of them are named
    /// for the route that [`super::algorithm::Algorithm::beginnings`] gives.
    #[serde(skip)]
    pub varies: bool,
    /// Whether a packet's route depends on how loaded outputs are when it asks for one.
    #[serde(skip)]
    pub weighs: bool,
    /// Whether what waits for an output in its switch is part of that.
    #[serde(skip)]
    pub counts_waiting: bool,
    /// Whether it never goes by a link that has failed; else its ways are walked where any has.
    #[serde(skip)]
    pub avoids_failed: bool,
    /// Whether it is free of deadlock by its own argument, given in its file, with all its
    /// classes; if some are a way out, the argument is about them alone [Duato 1993].
    pub is_known_free: bool,
    /// Whether nothing but an order of channels can keep its packets from waiting for each other
    /// in a circle; else queues at outputs with a reserve do.
    #[serde(skip)]
    pub depends_on_order: bool,
    /// Whether a packet may go on from any switch by the tables of another network, with the same links or
    /// fewer: what it remembers, if anything, means the same there.
    #[serde(skip)]
    pub takes_new_tables: bool,
    /// What becomes of packets that cannot come nearer at once.
    #[serde(skip)]
    pub otherwise: Otherwise,
}

impl Properties {
    /// Those of an algorithm that gives every packet one output, remembers nothing, draws
    /// nothing, and has one class of virtual channels.
    pub fn one_way(is_known_free: bool) -> Self {
        Self {
            classes: 1,
            escapes: 0,
            prefers_last: false,
            chooses: false,
            chooses_late: false,
            are_equally_long: false,
            remembers: false,
            draws: false,
            varies: false,
            weighs: false,
            counts_waiting: false,
            avoids_failed: false,
            is_known_free,
            depends_on_order: true,
            takes_new_tables: false,
            otherwise: Otherwise::Wait,
        }
    }

    /// The same of one whose classes are an argument of its own against deadlock, and for which a
    /// packet remembers what its next class follows from.
    pub fn in_classes(slots: Slots) -> Self {
        let classes = slots.classes();
        Self { classes, remembers: true, ..Self::one_way(!slots.is_folded()) }
    }

    /// The same of one that gives packets a choice anywhere.
    pub fn choosing(is_known_free: bool) -> Self {
        Self { chooses: true, chooses_late: true, ..Self::one_way(is_known_free) }
    }
}
