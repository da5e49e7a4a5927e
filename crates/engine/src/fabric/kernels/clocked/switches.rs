//! What switches keep: who asks, who is ready, the allocators, and when stages fall free.

use super::places::Side;
use super::stages::Bid;
use crate::fabric::network::layout::Layout;
use crate::fabric::switch::allocate::Allocator;
use crate::fabric::switch::allocate::turns::Turns;
use crate::fabric::switch::records::Records;
use crate::ids::{ChannelId, SwitchId};
use crate::measure::ChannelKind;
use crate::spec::{self, Arbiter, Pipeline};

/// Bits of a word: a switch has fewer virtual channels out of it.
const WORD: usize = 128;

/// All switches.
#[derive(Clone)]
pub struct Switches {
    /// By switch, as bits by number: inputs whose front header asks for a virtual channel.
    asking: Records<u64>,
    /// Likewise: inputs whose front packet has a virtual channel, a flit and a credit.
    ready: Records<u64>,
    /// Words of each switch in these.
    pub words: usize,
    /// By switch, as bits by number: virtual channels out of it that can be granted. Empty where headers do
    /// not ask for whole groups of them by words.
    free: Records<u128>,
    allocators: Records<Allocators>,
    is_awake: Vec<bool>,
    /// Those that may have something to decide in the next step.
    awake: Vec<u32>,
    /// Room for them, while those of this step decide.
    spare: Vec<u32>,
}

/// Those of one switch, and who keeps its crossbar.
#[derive(Clone)]
pub struct Allocators {
    pub of_channels: Allocator,
    pub of_crossbar: Allocator,
    /// By input slot: turns of its virtual channels.
    pub slot_turns: Turns,
    /// Inputs that keep the crossbar.
    pub holding: Vec<Bid>,
}

impl Switches {
    /// Idle ones.
    pub fn new(
        pipeline: &Pipeline,
        arbiter: Arbiter,
        (inputs, outputs): (&Side, &Side),
        has_words: bool,
    ) -> Self {
        let is_recent = arbiter == Arbiter::LeastRecentlyGranted;
        let count = inputs.ports.len();
        let words = (0..count).map(|at| inputs.count(at).div_ceil(64)).max().unwrap_or(0);
        let allocators = |at: usize| {
            let slots = usize::from(inputs.ports[at]) * pipeline.input_speedup as usize;
            let out_slots = usize::from(outputs.ports[at]) * pipeline.output_speedup as usize;
            let (ins, outs) = (inputs.count(at), outputs.count(at));
            let Pipeline { vc_allocator, vc_iterations, allocator, iterations, .. } = *pipeline;
            Allocators {
                of_channels: Allocator::new(vc_allocator, is_recent, vc_iterations, ins, outs),
                of_crossbar: Allocator::new(allocator, is_recent, iterations, slots, out_slots),
                slot_turns: Turns::new(is_recent, slots, inputs.lanes as usize),
                holding: Vec::new(),
            }
        };
        Self {
            asking: Records::of(0, count * words),
            ready: Records::of(0, count * words),
            words,
            free: (0..if has_words { count } else { 0 }).map(|at| outputs.all(at)).collect(),
            allocators: (0..count).map(allocators).collect(),
            is_awake: vec![false; count],
            awake: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Copies have in common what they do not change.
    pub fn share(&mut self) {
        self.asking.share();
        self.ready.share();
        self.free.share();
        self.allocators.share();
    }

    /// Where they have: switches in which nothing is under way are as they were when that began.
    pub fn start_over(&mut self) {
        self.asking.start_over();
        self.ready.start_over();
        self.free.start_over();
        self.allocators.start_over();
    }

    /// The allocators of a switch.
    #[inline]
    pub fn allocators(&mut self, switch: u32) -> &mut Allocators {
        &mut self.allocators[switch as usize]
    }

    /// Whether any may have something to decide in the next step.
    #[inline]
    pub fn are_awake(&self) -> bool {
        !self.awake.is_empty()
    }

    /// A switch may have something to decide.
    #[inline]
    pub fn wake(&mut self, switch: u32) {
        let is_awake = &mut self.is_awake[switch as usize];
        if !*is_awake {
            *is_awake = true;
            self.awake.push(switch);
        }
    }

    /// Takes those that may have something to decide; to be given back by [`Self::done`].
    #[inline]
    pub fn take_awake(&mut self) -> Vec<u32> {
        let spare = std::mem::take(&mut self.spare);
        let awake = std::mem::replace(&mut self.awake, spare);
        for &switch in &awake {
            self.is_awake[switch as usize] = false;
        }
        awake
    }

    /// Those that were taken have decided.
    #[inline]
    pub fn done(&mut self, mut taken: Vec<u32>) {
        taken.clear();
        self.spare = taken;
    }

    #[inline]
    fn place(&self, switch: u32, number: u16) -> (usize, u64) {
        let word = switch as usize * self.words + usize::from(number / 64);
        (word, 1 << (number % 64))
    }

    /// The front header of an input asks for a virtual channel.
    #[inline]
    pub fn asks(&mut self, switch: u32, number: u16) {
        let (word, bit) = self.place(switch, number);
        self.asking[word] |= bit;
        self.wake(switch);
    }

    /// Numbers of the inputs that ask.
    pub fn askers(&self, switch: u32) -> impl Iterator<Item = u32> {
        (0..self.words).flat_map(move |word| {
            let asking = self.asking_in(switch, word);
            let left = std::iter::successors(Some(asking), |left| Some(left & (left - 1)));
            let left = left.take(asking.count_ones() as usize);
            left.map(move |left| word as u32 * 64 + left.trailing_zeros())
        })
    }

    /// Whether an input is ready.
    pub fn is_ready(&self, switch: u32, number: u16) -> bool {
        let (word, bit) = self.place(switch, number);
        self.ready[word] & bit != 0
    }

    /// It has been granted one.
    #[inline]
    pub fn asks_no_more(&mut self, switch: u32, number: u16) {
        let (word, bit) = self.place(switch, number);
        self.asking[word] &= !bit;
    }

    /// The front packet of an input has a virtual channel, a flit and a credit.
    #[inline]
    pub fn ready(&mut self, switch: u32, number: u16) {
        let (word, bit) = self.place(switch, number);
        self.ready[word] |= bit;
        self.wake(switch);
    }

    /// It lacks one of them.
    #[inline]
    pub fn is_ready_no_more(&mut self, switch: u32, number: u16) {
        let (word, bit) = self.place(switch, number);
        self.ready[word] &= !bit;
    }

    /// A virtual channel out of a switch has changed for those who ask there.
    #[inline]
    pub fn frees(&mut self, switch: u32) {
        if self.somebody_asks(switch) {
            self.wake(switch);
        }
    }

    /// Whether a header asks for a virtual channel.
    #[inline]
    pub fn somebody_asks(&self, switch: u32) -> bool {
        (0..self.words).any(|word| self.asking_in(switch, word) != 0)
    }

    /// Whether a flit is ready.
    #[inline]
    pub fn somebody_is_ready(&self, switch: u32) -> bool {
        (0..self.words).any(|word| self.ready_in(switch, word) != 0)
    }

    /// Whether headers ask for whole groups of virtual channels by words.
    #[inline]
    pub fn has_words(&self) -> bool {
        self.free.len() > 0
    }

    /// The virtual channels out of a switch that can be granted, where they are kept in words.
    #[inline]
    pub fn free(&self, switch: u32) -> u128 {
        self.free[switch as usize]
    }

    /// A virtual channel out of a switch can be granted from now on, or cannot.
    #[inline]
    pub fn set_free(&mut self, switch: u32, number: u16, is_free: bool) {
        if self.has_words() {
            let word = &mut self.free[switch as usize];
            *word = *word & !(1 << number) | u128::from(is_free) << number;
        }
    }

    /// The inputs that ask, 64 at a time.
    #[inline]
    pub fn asking_in(&self, switch: u32, word: usize) -> u64 {
        self.asking[switch as usize * self.words + word]
    }

    /// The inputs that are ready, 64 at a time.
    #[inline]
    pub fn ready_in(&self, switch: u32, word: usize) -> u64 {
        self.ready[switch as usize * self.words + word]
    }
}

/// Whether headers may ask for whole groups of virtual channels by words: they have one group each, whose
/// channels follow each other at their switch, and the allocator looks neither at priorities nor at who bids for
/// the crossbar.
pub fn has_words(pipeline: &Pipeline, layout: &Layout, outputs: &Side, chooses: bool) -> bool {
    let follow = |first: ChannelId, channel: ChannelId| {
        outputs.number(channel).wrapping_sub(outputs.number(first)) == channel.0 - first.0
    };
    let leaves = |kind| matches!(kind, ChannelKind::Internal | ChannelKind::Ejection);
    let mut groups = layout.groups.iter().filter(|group| leaves(group.kind));
    !chooses
        && !pipeline.speculative
        && pipeline.vc_allocator == spec::Allocator::Islip
        && (0..outputs.ports.len()).all(|at| outputs.count(at) < WORD)
        && groups.all(|group| group.channels().all(|channel| follow(group.first, channel)))
}

/// When the latest batch of each stage of every switch has left it, or will have.
#[derive(Clone)]
pub struct Batches {
    /// By switch; empty where a stage takes something in at every step.
    routing: Vec<u64>,
    crossing: Vec<u64>,
    route_steps: u64,
    traversal_steps: u64,
}

impl Batches {
    /// Empty stages.
    pub fn new(pipeline: &Pipeline, switches: usize) -> Self {
        let of = |steps: u32| vec![0; if pipeline.in_batches && steps > 1 { switches } else { 0 }];
        Self {
            routing: of(pipeline.route_cycles),
            crossing: of(pipeline.traversal_cycles),
            route_steps: pipeline.route_cycles.into(),
            traversal_steps: pipeline.traversal_cycles.into(),
        }
    }

    /// The step in which a header begins to be routed that could in a given one.
    #[inline]
    pub fn routed(&mut self, switch: SwitchId, step: u64) -> u64 {
        match self.routing.get_mut(switch.index()) {
            None => step,
            Some(free_from) => joins(free_from, step, self.route_steps),
        }
    }

    /// The step in which a flit begins to cross a switch that could in a given one.
    #[inline]
    pub fn crosses(&mut self, switch: SwitchId, step: u64) -> u64 {
        match self.crossing.get_mut(switch.index()) {
            None => step,
            Some(free_from) => joins(free_from, step, self.traversal_steps),
        }
    }
}

/// The step in which something begins that could in a given step, of steps that never decrease:
/// with the latest batch if that begins then or later, or else when it has left the stage.
fn joins(free_from: &mut u64, step: u64, length: u64) -> u64 {
    if step + length > *free_from {
        *free_from = step.max(*free_from) + length;
    }
    *free_from - length
}

#[cfg(test)]
mod tests {
    use super::joins;

    #[test]
    fn what_comes_late_waits_for_the_next_batch() {
        let mut free_from = 0;
        let begun = |step| joins(&mut free_from, step, 3);
        let steps = [0, 0, 1, 2, 3, 4, 6, 9, 20, 21];
        assert_eq!(steps.map(begun), [0, 0, 3, 3, 3, 6, 6, 9, 20, 23]);
    }
}
