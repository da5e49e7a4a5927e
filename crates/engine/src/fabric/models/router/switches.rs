//! What switches keep: who asks, who is ready, and the allocators.

use super::places::Side;
use super::stages::Bid;
use crate::fabric::switch::allocate::Allocator;
use crate::spec::Pipeline;

/// All switches.
pub struct Switches {
    all: Vec<Switch>,
    /// Those that may have something to decide in the next cycle.
    awake: Vec<u32>,
    /// Room for them, while those of this cycle decide.
    spare: Vec<u32>,
}

/// One of them.
pub struct Switch {
    /// Inputs whose front header asks for a virtual channel, as bits by number.
    pub asking: Box<[u64]>,
    /// Inputs whose front packet has a virtual channel, a flit and a credit.
    pub ready: Box<[u64]>,
    is_awake: bool,
    /// Inputs that keep the crossbar.
    pub holding: Vec<Bid>,
    pub vc_allocator: Allocator,
    pub allocator: Allocator,
    /// By input slot: the virtual channel that comes first.
    pub slot_from: Box<[u32]>,
}

impl Switches {
    /// Idle ones.
    pub fn new(pipeline: &Pipeline, inputs: &Side, outputs: &Side) -> Self {
        let switch = |at: usize| {
            let (ins, outs) = (inputs.count(at), outputs.count(at));
            let words = ins.div_ceil(64);
            let slots = usize::from(inputs.ports[at]) * pipeline.input_speedup as usize;
            let out_slots = usize::from(outputs.ports[at]) * pipeline.output_speedup as usize;
            Switch {
                asking: vec![0; words].into(),
                ready: vec![0; words].into(),
                is_awake: false,
                holding: Vec::new(),
                vc_allocator: Allocator::new(
                    pipeline.vc_allocator,
                    pipeline.vc_iterations,
                    ins,
                    outs,
                ),
                allocator: Allocator::new(
                    pipeline.allocator,
                    pipeline.iterations,
                    slots,
                    out_slots,
                ),
                slot_from: vec![0; slots].into(),
            }
        };
        Self {
            all: (0..inputs.ports.len()).map(switch).collect(),
            awake: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// One of them.
    #[inline]
    pub fn at(&mut self, switch: u32) -> &mut Switch {
        &mut self.all[switch as usize]
    }

    /// Whether any may have something to decide in the next cycle.
    #[inline]
    pub fn are_awake(&self) -> bool {
        !self.awake.is_empty()
    }

    /// A switch may have something to decide.
    #[inline]
    pub fn wake(&mut self, switch: u32) {
        if !std::mem::replace(&mut self.all[switch as usize].is_awake, true) {
            self.awake.push(switch);
        }
    }

    /// Takes those that may have something to decide; to be given back by [`Self::again`].
    #[inline]
    pub fn take_awake(&mut self) -> Vec<u32> {
        let spare = std::mem::take(&mut self.spare);
        let awake = std::mem::replace(&mut self.awake, spare);
        for &switch in &awake {
            self.all[switch as usize].is_awake = false;
        }
        awake
    }

    /// What was taken has decided.
    #[inline]
    pub fn again(&mut self, mut taken: Vec<u32>) {
        taken.clear();
        self.spare = taken;
    }

    /// The front header of an input asks for a virtual channel.
    #[inline]
    pub fn asks(&mut self, switch: u32, number: u32) {
        let (word, bit) = place(number);
        self.all[switch as usize].asking[word] |= bit;
        self.wake(switch);
    }

    /// The front packet of an input has a virtual channel, a flit and a credit.
    #[inline]
    pub fn ready(&mut self, switch: u32, number: u32) {
        let (word, bit) = place(number);
        self.all[switch as usize].ready[word] |= bit;
        self.wake(switch);
    }

    /// A virtual channel out of a switch has changed for those who ask there.
    #[inline]
    pub fn frees(&mut self, switch: u32) {
        if self.all[switch as usize].somebody_asks() {
            self.wake(switch);
        }
    }
}

impl Switch {
    /// Whether a header asks for a virtual channel.
    #[inline]
    pub fn somebody_asks(&self) -> bool {
        self.asking.iter().any(|&word| word != 0)
    }

    /// Whether a flit is ready.
    #[inline]
    pub fn somebody_is_ready(&self) -> bool {
        self.ready.iter().any(|&word| word != 0)
    }

    /// An input has been granted a virtual channel.
    #[inline]
    pub fn asks_no_more(&mut self, number: u32) {
        let (word, bit) = place(number);
        self.asking[word] &= !bit;
    }

    /// An input has no flit, credit or virtual channel any more.
    #[inline]
    pub fn is_ready_no_more(&mut self, number: u32) {
        let (word, bit) = place(number);
        self.ready[word] &= !bit;
    }
}

#[inline]
fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}

/// The numbers whose bits are set, lowest first.
#[inline]
pub fn numbers(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let number = (left != 0).then(|| place as u32 * 64 + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            number
        })
    })
}
