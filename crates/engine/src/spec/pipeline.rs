//! Switches that run by a clock: a pipeline of stages, and who is matched with whom in each.

use super::absent::{is_false, is_one, one};
use serde::{Deserialize, Serialize};

/// A switch in stages, each of whole cycles; a cycle is the time of a flit.
///
/// A header is routed, allocated a virtual channel of its output, and then competes, flit by
/// flit, for the crossbar. Allocation takes one cycle each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key that users write")]
pub struct Pipeline {
    /// Cycles in which a header is routed; 0: one switch ahead.
    pub route_cycles: u32,
    /// Cycles in which a flit crosses the crossbar.
    #[serde(default = "one")]
    pub traversal_cycles: u32,
    /// Whether a header asks for the crossbar while it asks for a virtual channel.
    #[serde(default)]
    pub speculative: bool,
    /// Who is given virtual channels.
    #[serde(default)]
    pub vc_allocator: Allocator,
    /// Iterations of that.
    #[serde(default = "one")]
    pub vc_iterations: u32,
    /// Who is given the crossbar.
    #[serde(default)]
    pub allocator: Allocator,
    /// Iterations of that.
    #[serde(default = "one")]
    pub iterations: u32,
    /// Flits that an input can send over the crossbar at once.
    #[serde(default = "one")]
    pub input_speedup: u32,
    /// Flits that an output can take from it at once.
    #[serde(default = "one")]
    pub output_speedup: u32,
    /// Steps of the stages in a cycle, or in so many cycles.
    #[serde(default = "one")]
    pub internal_speedup: u32,
    /// Cycles in which there are so many steps: as many as possible in each, none left over.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub speedup_cycles: u32,
    /// Flits that wait behind the crossbar for their channel, at most; absent: any number.
    #[serde(default)]
    pub output_buffer_flits: Option<u32>,
    /// Whether an input sees that buffer as it stands when it asks; else as it will be when its
    /// flit gets there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sees_output_buffer: bool,
    /// Whether stages of several cycles take nothing in until what is in them has left.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_batches: bool,
    /// Whether packets are delivered on the virtual channel of the number that they came on over
    /// the last link; those of a node at the same switch on the first.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_channel: bool,
    /// In which order wires have numbers at a switch.
    #[serde(default, skip_serializing_if = "PortOrder::is_usual")]
    pub port_order: PortOrder,
    /// Flits of every input buffer that all its virtual channels share, besides those of each.
    #[serde(default)]
    pub shared_buffer_flits: u32,
    /// Whether a virtual channel can be taken again only when the buffer at its end is empty.
    #[serde(default)]
    pub atomic: bool,
    /// Whether an input keeps the crossbar until its packet's tail, as long as it has flits.
    #[serde(default)]
    pub holds: bool,
}

impl Pipeline {
    /// Steps from a header's arrival in an empty switch until it is at its output's channel.
    pub fn steps(&self) -> u32 {
        let allocation = if self.speculative { 1 } else { 2 };
        self.route_cycles + allocation + self.traversal_cycles
    }

    /// The same in cycles, at the least.
    pub fn cycles(&self) -> u32 {
        // All steps but the last pass before the cycle in which it is at the channel.
        ((self.steps() - 1) * self.speedup_cycles) / self.internal_speedup + 1
    }
}

/// In which order the wires into a switch, and those out of it, have numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortOrder {
    /// Those of links by the numbers of their channels, then those of nodes.
    #[default]
    Channels,
    /// Those of nodes, then those of links by the numbers of their channels.
    NodesFirst,
    /// On grids: by dimension, those to and from the larger coordinate before the others, whether
    /// they are there or not; then those of nodes.
    Dimensions,
    /// The same behind those of nodes.
    NodesThenDimensions,
}

impl PortOrder {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_usual(&self) -> bool {
        *self == Self::Channels
    }

    /// Whether nodes come first.
    pub fn nodes_first(self) -> bool {
        matches!(self, Self::NodesFirst | Self::NodesThenDimensions)
    }

    /// Whether links go by dimension.
    pub fn by_dimension(self) -> bool {
        matches!(self, Self::Dimensions | Self::NodesThenDimensions)
    }
}

/// How inputs and outputs are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocator {
    /// Outputs grant, inputs accept, round robin [McKeown 1999].
    #[default]
    Islip,
    /// Inputs choose one output each, then outputs one input each, round robin.
    SeparableInputFirst,
    /// Outputs choose one input each, then inputs one output each, round robin.
    SeparableOutputFirst,
    /// Along diagonals, beginning with the next one each time [Tamir & Chi 1993].
    Wavefront,
    /// As many pairs as there can be: what no switch does in a cycle.
    MaximumSize,
}

impl Allocator {
    /// Its name in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Islip => "islip",
            Self::SeparableInputFirst => "separable_input_first",
            Self::SeparableOutputFirst => "separable_output_first",
            Self::Wavefront => "wavefront",
            Self::MaximumSize => "maximum_size",
        }
    }
}
