//! What ranks do, as it is read from traces: operations that wait for earlier ones of their rank.
//!
//! Every format of programs comes to this one form. A sequential program is one in which
//! every operation is after the one before it; `wait` and `waitall` are a [`What::Join`] after
//! what they wait for.

use crate::spec::Collective;
use crate::time::Time;

/// What an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Compute for so long, as recorded.
    Compute(Time),
    /// Compute so many floating-point operations.
    Flops(u64),
    /// Send a message. It is done when the sender may go on: at once if it is eager, else when
    /// it has been received.
    Send(Envelope),
    /// Post a receive. It is done when a message that it takes is there.
    Receive(Filter),
    /// Nothing, in no time.
    Join,
    /// Take part in a collective, one of [`Batch::collectives`].
    Collective(u32),
}

/// What a message is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The receiving rank.
    pub to: u32,
    /// Its length.
    pub bytes: u64,
    /// Its tag.
    pub tag: u32,
    /// Its communicator: receives of others do not see it.
    pub context: u32,
}

/// Which messages a receive takes, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Filter {
    /// From which rank; none: any.
    pub from: Option<u32>,
    /// With which tag; none: any.
    pub tag: Option<u32>,
    /// Of which communicator.
    pub context: u32,
}

/// One operation of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub what: What,
    /// The CPU of its rank that carries it out.
    pub cpu: u8,
    /// The network interface of its rank.
    pub nic: u8,
    /// Where in the program it is called: a place in the list of its source; [`Operation::NO_CALL`].
    pub call: u32,
    /// How many of [`Batch::after`] are its own: those that follow what operations before it have.
    pub after: u32,
}

impl Operation {
    /// Nobody knows where in the program it is called.
    pub const NO_CALL: u32 = u32::MAX;

    /// An operation on the first CPU and interface of its rank that is after so many others.
    pub fn new(what: What, after: u32) -> Self {
        Self { what, cpu: 0, nic: 0, call: Self::NO_CALL, after }
    }
}

/// That an operation is after an earlier one of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    /// How many operations before it that one is: at least 1.
    pub back: u32,
    /// Whether it may begin as soon as that one has begun, not only when it is done.
    pub begun: bool,
}

/// The next operations of a rank.
///
/// A batch ends where all that follows waits, perhaps by way of others, for its last operation to
/// have begun, or where the rank ends. So it is enough to have read one batch of each rank at a
/// time, and nothing begins later than if all had been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// The operations. They may be after operations of earlier batches, too.
    pub operations: Vec<Operation>,
    /// What they are after, operation by operation.
    pub after: Vec<After>,
    /// The collectives they take part in.
    pub collectives: Vec<Collective>,
}

impl Batch {
    /// Takes out all that is in it, not its room.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.after.clear();
        self.collectives.clear();
    }
}
