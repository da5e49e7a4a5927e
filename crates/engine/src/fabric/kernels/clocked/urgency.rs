//! How urgent requests are, where the arbiter of a switch says so.

use crate::fabric::act::Act;
use crate::ids::PacketId;
use crate::spec::{Arbiter, Machine};
use crate::time::Time;

/// Steps or cycles of age that can be told apart: what is older counts as that old.
const OLDEST: u64 = (1 << 22) - 1;

/// Bits below an urgency in which the tiers of outputs count: they decide among the requests of
/// one packet, never between packets.
const TIERS: u32 = 8;

/// What makes a request urgent.
#[derive(Clone)]
pub enum Urgency {
    /// Nothing: it is a matter of turns.
    Alike,
    /// The traffic class of its packet, by class.
    OfClass(Vec<i32>),
    /// How long ago its packet asked for an output of this switch.
    SinceAsked,
    /// How long ago its packet was queued at its source, in cycles of so much time.
    SinceQueued(Time),
}

impl Urgency {
    /// That of a machine whose cycles take so long.
    pub fn new(machine: &Machine, cycle_ps: Time) -> Self {
        match machine.switch.arbiter {
            Arbiter::Priority => {
                let classes = machine.routing.traffic_classes.iter();
                Self::OfClass(classes.map(|class| i32::from(class.priority) << TIERS).collect())
            }
            Arbiter::Fifo => Self::SinceAsked,
            Arbiter::OldestFirst => Self::SinceQueued(cycle_ps),
            _ => Self::Alike,
        }
    }

    /// How urgent a packet is, in a step, that has asked since another.
    #[inline]
    pub fn of(&self, packet: PacketId, due: u64, step: u64, act: &Act) -> i32 {
        match self {
            Self::Alike => 0,
            // Without traffic classes all packets are alike.
            Self::OfClass(classes) => {
                let class = usize::from(act.packets[packet].traffic());
                classes.get(class).copied().unwrap_or(0)
            }
            Self::SinceAsked => aged(step - due),
            Self::SinceQueued(cycle_ps) => {
                aged(act.now.saturating_sub(act.packets[packet].queued) / cycle_ps)
            }
        }
    }
}

fn aged(age: u64) -> i32 {
    (age.min(OLDEST) as i32) << TIERS
}
