//! The physical links and the flits on them.

use super::absent::one;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A physical link (one per direction).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Bytes of a flit: what moves in one step, and what buffers count.
    #[serde(default = "one")]
    pub flit_bytes: u32,
    /// Time of a data or header flit.
    pub flit_ps: Time,
    /// Time of a control token: of the end of a packet and of a flow-control token.
    pub control_ps: Time,
    /// Time a flit is on the wire.
    pub delay_ps: Time,
    /// Parallel wires.
    #[serde(default = "one")]
    pub width: u32,
    /// Whether a packet ends with a control token of its own; else its last flit ends it.
    pub end_token: bool,
    /// How much longer the first flit of every packet takes, on every channel.
    #[serde(default)]
    pub packet_gap_ps: Time,
    /// How the receiving end tells the sending end that there is room.
    pub flow_control: FlowControl,
    /// Time from a flit's departure from a buffer until the sender may use its place.
    #[serde(default)]
    pub credit_delay_ps: Time,
    /// How virtual channels share the wires.
    #[serde(default)]
    pub sharing: Sharing,
    /// Whether and how the two directions share one wire.
    #[serde(default)]
    pub half_duplex: HalfDuplex,
    /// How frames lie on it.
    #[serde(default)]
    pub framing: Framing,
}

/// How frames lie on a link where switches forward them, or cut them into cells; packets of nodes that
/// store them have a least length, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// Least bytes of a frame, header included: shorter ones are filled up.
    #[serde(default)]
    pub minimum_bytes: u32,
    /// Bytes before every frame.
    #[serde(default)]
    pub preamble_bytes: u32,
    /// Bytes between two frames: for so long no frame starts.
    #[serde(default)]
    pub gap_bytes: u32,
}

impl Framing {
    /// Most bytes before a frame, and behind it.
    pub const MOST_BYTES: u32 = 10_000;

    /// Bytes of a frame with so many bytes of header and data.
    #[inline]
    pub fn frame_bytes(&self, bytes: u32) -> u32 {
        bytes.max(self.minimum_bytes)
    }
}

/// What differs from [`Link`] on some links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkClass {
    /// Time of a data or header flit.
    #[serde(default)]
    pub flit_ps: Option<Time>,
    /// Time of a control token.
    #[serde(default)]
    pub control_ps: Option<Time>,
    /// Time a flit is on the wire.
    #[serde(default)]
    pub delay_ps: Option<Time>,
    /// Parallel wires.
    #[serde(default)]
    pub width: Option<u32>,
    /// Whether and how the two directions share one wire.
    #[serde(default)]
    pub half_duplex: Option<HalfDuplex>,
}

impl LinkClass {
    /// The shortest and the longest time of a flit: sums cannot overflow.
    pub const FLIT_PS: (Time, Time) = (1, 1_000_000_000_000_000);

    /// The shortest and the longest delay.
    pub const DELAY_PS: (Time, Time) = (0, 1_000_000_000_000);

    /// A link of this class, where all others are as given.
    #[must_use]
    pub fn of(&self, link: &Link) -> Link {
        Link {
            flit_ps: self.flit_ps.unwrap_or(link.flit_ps),
            control_ps: self.control_ps.unwrap_or(link.control_ps),
            delay_ps: self.delay_ps.unwrap_or(link.delay_ps),
            width: self.width.unwrap_or(link.width),
            half_duplex: self.half_duplex.unwrap_or(link.half_duplex),
            ..*link
        }
    }
}

/// How a receiver tells the sender that its buffer has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// Flow-control tokens take time on the channel of the other direction.
    InBand,
    /// Signals of their own.
    OutOfBand,
    /// Signals of their own that stop the sender, and let it go on.
    StopGo(Marks),
}

impl FlowControl {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::InBand => "in_band",
            Self::OutOfBand => "out_of_band",
            Self::StopGo(_) => "stop_go",
        }
    }
}

/// How full the buffer at the end of a link is when its sender is told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// Flits with which it is told to stop.
    pub stop_flits: u32,
    /// Flits with which, having been told to stop, it is told to go on.
    pub go_flits: u32,
}

/// How the virtual channels of a link share its wires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// Flit by flit, those with something to send in turn.
    #[default]
    RoundRobin,
    /// A packet keeps the wire until it has nothing to send or no credit.
    UntilStall,
    /// Not at all: every virtual channel has a wire of its own.
    Separate,
}

impl Sharing {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round_robin",
            Self::UntilStall => "until_stall",
            Self::Separate => "separate",
        }
    }
}

/// Whether and how the two directions of a link share one wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Half", into = "Half")]
pub enum HalfDuplex {
    /// Each direction has a wire of its own. In words: `false`.
    #[default]
    No,
    /// A packet (a message, a circuit) at a time: `true` or `packet`.
    Packet,
    /// Flit by flit, in turn while both directions can send: `flit`.
    Flit,
}

impl HalfDuplex {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "full",
            Self::Packet => "half",
            Self::Flit => "half_by_flit",
        }
    }
}

/// As it is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Half {
    Either(bool),
    Which(Which),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Which {
    Packet,
    Flit,
}

impl From<Half> for HalfDuplex {
    fn from(written: Half) -> Self {
        match written {
            Half::Either(false) => Self::No,
            Half::Either(true) | Half::Which(Which::Packet) => Self::Packet,
            Half::Which(Which::Flit) => Self::Flit,
        }
    }
}

impl From<HalfDuplex> for Half {
    fn from(half: HalfDuplex) -> Self {
        match half {
            HalfDuplex::Flit => Self::Which(Which::Flit),
            other => Self::Either(other == HalfDuplex::Packet),
        }
    }
}
