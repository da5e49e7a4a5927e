//! Messages on the machine.

use crate::ids::TeamId;
use crate::spec::of_bytes;
use crate::time::Time;
use crate::workload::instruction::Send;
use crate::workload::trace::operation::Envelope;

/// A message on its way, or there and not taken.
#[derive(Clone, Copy)]
pub struct Message {
    pub from: u32,
    pub envelope: Envelope,
    /// The operation that sent it.
    pub number: u32,
    pub cpu: u8,
    pub nic: u8,
    /// When its receiver's CPU is through with it, once that has begun.
    pub taken_in: Time,
    /// The group whose collective it is part of; none: it is of no collective.
    pub team: TeamId,
}

impl Message {
    /// One of a collective.
    pub fn of_collective(from: u32, send: &Send) -> Self {
        let Send { to, tag, bytes, team, .. } = *send;
        let envelope = Envelope { to: to.0, bytes, tag, context: 0 };
        Self { from, envelope, number: u32::MAX, cpu: 0, nic: 0, taken_in: 0, team }
    }

    /// What its bytes but the first take, at so many femtoseconds each.
    #[inline]
    pub fn takes(&self, per_byte_fs: u64) -> Time {
        of_bytes(per_byte_fs, self.envelope.bytes.saturating_sub(1))
    }
}
