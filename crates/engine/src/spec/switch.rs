//! The switches.

use super::absent::one;
use super::arbiter::{Arbiter, ArbiterKeys};
use super::cells::Cells;
use super::frames::Frames;
use super::pipeline::Pipeline;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A switch.
#[allow(clippy::struct_excessive_bools, reason = "each is a key that users write")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Whether every node is its own switch: no link lies between them, packets ask for a
    /// channel to a neighbour where they are made, and are delivered as they arrive, on all
    /// channels at once.
    #[serde(default)]
    pub integrated: bool,
    /// When packets go on.
    #[serde(default)]
    pub switching: Switching,
    /// Input buffer of every channel that ends in a switch; absent: without bounds.
    #[serde(default)]
    pub input_buffer_flits: Option<u32>,
    /// Output buffer of every channel that begins in a switch; with fidelity `token` only.
    #[serde(default = "output_buffer")]
    pub output_buffer_flits: u32,
    /// Packets in the queue of an outgoing channel, where nodes are switches; absent: any
    /// number.
    #[serde(default)]
    pub output_queue_packets: Option<u32>,
    /// Whether one of these places is kept from packets whose next step is not that of
    /// dimension order.
    #[serde(default)]
    pub reserve: bool,
    /// Whether a packet that has no place in its next queue may be overtaken by those of
    /// other messages behind it.
    #[serde(default)]
    pub overtaking: bool,
    /// Time a switch takes, after the header has arrived, before it asks for an output; where
    /// nodes are switches, the time of arbitration.
    #[serde(default)]
    pub delay_ps: Time,
    /// Time from when a flit begins to arrive until it may begin to leave, in place of `delay_ps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fall_through_ps: Option<Time>,
    /// Time from when a packet that had to wait for its output is granted it until it may start.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub regrant_delay_ps: Time,
    /// Time that a packet from a node waits at its first switch, besides.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edge_delay_ps: Time,
    /// Virtual channels of every link between switches, each with a buffer of its own.
    #[serde(default = "one")]
    pub virtual_channels: u32,
    /// Virtual channels of every link between a node and its switch; with a pipeline only.
    #[serde(default = "one")]
    pub node_virtual_channels: u32,
    /// Its stages, if it runs by a clock; absent: it grants what it can at any time.
    #[serde(default)]
    pub pipeline: Option<Pipeline>,
    /// What they cut frames into, if they are line cards of a fabric of cells; absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// What it does with frames, if it forwards them; absent: packets stand in its input buffers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<Frames>,
    /// Which packets of an input buffer may ask for outputs, where packets are sent as a whole.
    #[serde(default, skip_serializing_if = "Queueing::is_fifo")]
    pub queueing: Queueing,
    /// With `voq`, packets that an input sends at a time, to different outputs; absent: its rate over that of
    /// the slowest output of its switch, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_speedup: Option<u32>,
    /// Which waiting input is granted a free output.
    #[serde(default)]
    pub arbiter: Arbiter,
    /// What that has to know besides.
    #[serde(default, skip_serializing_if = "ArbiterKeys::are_none")]
    pub arbiter_keys: ArbiterKeys,
    /// Whether acknowledgements are granted before data, whatever the arbiter.
    #[serde(default)]
    pub ack_priority: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(time: &Time) -> bool {
    *time == 0
}

/// That of the C104, which has token flow control.
fn output_buffer() -> u32 {
    35
}

impl Switch {
    /// Most flits that can be told apart in a buffer. In the fidelities that count flits a
    /// buffer without bounds has as many, and a run in which those do not suffice ends.
    pub const MOST_FLITS: u32 = 1 << 30;

    /// Flits of an input buffer.
    pub fn input_buffer(&self) -> u32 {
        self.input_buffer_flits.unwrap_or(Self::MOST_FLITS)
    }

    /// Whether input buffers have no bounds.
    pub fn is_unbounded(&self) -> bool {
        self.input_buffer_flits.is_none()
    }
}

impl Default for Switch {
    /// The C104.
    fn default() -> Self {
        Self {
            integrated: false,
            switching: Switching::Wormhole,
            input_buffer_flits: Some(70),
            output_buffer_flits: output_buffer(),
            output_queue_packets: None,
            reserve: false,
            overtaking: false,
            delay_ps: 0,
            fall_through_ps: None,
            regrant_delay_ps: 0,
            edge_delay_ps: 0,
            virtual_channels: 1,
            node_virtual_channels: 1,
            pipeline: None,
            cells: None,
            frames: None,
            queueing: Queueing::Fifo,
            input_speedup: None,
            arbiter: Arbiter::Fifo,
            arbiter_keys: ArbiterKeys::default(),
            ack_priority: false,
        }
    }
}

/// Which packets of an input buffer may ask for outputs, and how many leave it at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Queueing {
    /// The first of all; one.
    #[default]
    Fifo,
    /// The first for each output; as many as the input's speedup says.
    Voq,
    /// The same; any number.
    Output,
}

impl Queueing {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Voq => "voq",
            Self::Output => "output",
        }
    }

    /// Whether it is the usual one.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn is_fifo(&self) -> bool {
        *self == Self::Fifo
    }
}

/// When packets go on from a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switching {
    /// Flit by flit behind the header, as there is room for flits.
    #[default]
    Wormhole,
    /// Behind the header, when there is room for the whole packet.
    CutThrough,
    /// When the whole packet has arrived.
    StoreAndForward,
    /// The header gets the channels of the way one by one; the data follow when it has them
    /// all.
    Circuit,
}

impl Switching {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wormhole => "wormhole",
            Self::CutThrough => "cut_through",
            Self::StoreAndForward => "store_and_forward",
            Self::Circuit => "circuit",
        }
    }

    /// Whether packets are kept as a whole where they wait.
    pub fn keeps_whole_packets(self) -> bool {
        matches!(self, Self::CutThrough | Self::StoreAndForward)
    }
}
