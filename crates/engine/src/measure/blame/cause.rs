//! Why packets wait, and what they are charged.

use crate::ids::ChannelId;
use crate::time::Time;

/// Why a packet waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// In its node's output queue, for packets sent before it.
    Throttling,
    /// For an output held by a packet that was granted it before this one asked.
    OutputBusy,
    /// For an output that another was granted while this one was waiting for it.
    Arbitration,
    /// For room in the next buffer.
    BufferFull,
    /// Behind another packet in an input buffer.
    HeadOfLine,
    /// For a wire that another virtual channel, or flow control, used.
    SharedWire,
    /// Later flits were stopped after its first had gone on.
    Stretched,
    /// For a place in the receive FIFO of its node or for its reply there, or to be drained behind
    /// others.
    ReceiverBusy,
    /// For the engine of a switch that looked up the outputs of others.
    SwitchBusy,
}

impl Cause {
    /// All causes, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 9] = [
        (Self::Throttling, "throttling"),
        (Self::OutputBusy, "output_busy"),
        (Self::Arbitration, "arbitration"),
        (Self::BufferFull, "buffer_full"),
        (Self::HeadOfLine, "head_of_line"),
        (Self::SharedWire, "shared_wire"),
        (Self::Stretched, "stretched"),
        (Self::ReceiverBusy, "receiver_busy"),
        (Self::SwitchBusy, "switch_busy"),
    ];
}

/// A piece of a packet's waiting time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The channel it waited for.
    pub channel: ChannelId,
    /// The traffic class of who stood in its way.
    pub culprit: u32,
    /// Why it waited.
    pub cause: Cause,
    /// How long.
    pub time: Time,
}
