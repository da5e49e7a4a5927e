//! Switches that forward frames: they take each in as a whole, look up its output, and queue it
//! there.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A switch that keeps frames in queues at its outputs, all in one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Who looks up the outputs of frames, one frame after the other.
    #[serde(default)]
    pub engine: Engine,
    /// How long that takes, whatever the length of the frame.
    #[serde(default)]
    pub forwarding_ps: Time,
    /// Bytes of frames that a switch has room for; absent: for any number.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// Who is told to pause when that gets full.
    #[serde(default)]
    pub pause: Pause,
    /// Above how many bytes of frames the neighbours are told to pause.
    #[serde(default)]
    pub pause_high_bytes: u64,
    /// At how many of them, or fewer, they are told to go on.
    #[serde(default)]
    pub pause_low_bytes: u64,
}

impl Frames {
    /// Most bytes of a memory, or of a mark.
    pub const MOST_BYTES: u64 = 1 << 40;

    /// The frame by which a neighbour is told to pause, with its preamble: as long as that takes
    /// on a link, it is not known there.
    pub const PAUSE_BYTES: u32 = 72;

    /// Priorities that can be told to pause one by one.
    pub const PRIORITIES: usize = 8;
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            engine: Engine::PerSwitch,
            forwarding_ps: 0,
            memory_bytes: None,
            pause: Pause::Off,
            pause_high_bytes: 0,
            pause_low_bytes: 0,
        }
    }
}

/// Who looks up the outputs of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// One engine for all inputs of a switch.
    #[default]
    PerSwitch,
    /// One for each.
    PerPort,
}

/// Who is told to pause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// Nobody: frames for which there is no room are lost.
    #[default]
    Off,
    /// All neighbours, with all they send [IEEE 802.3x].
    All,
    /// All neighbours, with what they send of one traffic class [IEEE 802.1Qbb].
    PerPriority,
}

impl Pause {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::All => "all",
            Self::PerPriority => "per_priority",
        }
    }
}
