//! What happens to channels in a round, if somebody wants to know.

use crate::ids::ChannelId;
use crate::time::Time;

/// What happens to a channel in a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// The first flit of a packet starts, so long before the switch at the end may be asked.
    Starts(Time),
    /// The last flit of a packet starts, which will have left then.
    Ends(Time),
    /// It could send a flit, but that channel of its wire has its turn.
    Loses(ChannelId),
}

/// The lowest channel of a wire, what happens, and to which channel of it: in this order it is told.
pub type Tale = (ChannelId, Told, ChannelId);
