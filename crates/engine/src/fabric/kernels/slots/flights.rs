//! What is under way, by the slot in which it is there.

use super::bits::Bits;

/// All that is there in a slot.
#[derive(Clone, Default)]
pub struct Due {
    /// Flows whose packets have been sent: of blocks, as bits.
    pub ended: Vec<(usize, Bits)>,
    /// Those that have sent the first flit of a packet, where it takes several slots.
    pub begun: Vec<(usize, Bits)>,
    /// Those whose flits are in the buffers at the ends of their channels.
    pub flits: Vec<(usize, Bits)>,
    /// Those by which all of a header has come.
    pub headers: Vec<(usize, Bits)>,
    /// Those to which credits come back.
    pub credits: Vec<(usize, Bits)>,
}

impl Due {
    fn is_empty(&self) -> bool {
        // With a header comes a flit.
        let Self { ended, begun, flits, credits, .. } = self;
        [ended, begun, flits, credits].iter().all(|due| due.is_empty())
    }

    /// None of it is under way any more.
    pub fn clear(&mut self) {
        self.ended.clear();
        self.begun.clear();
        self.flits.clear();
        self.headers.clear();
        self.credits.clear();
    }
}

/// All that is under way, for so many slots at most.
#[derive(Clone)]
pub struct Flights {
    /// By slot, modulo their number, which is a power of two.
    due: Box<[Due]>,
}

impl Flights {
    /// Nothing, which will take so many slots at most.
    pub fn new(most_slots: u64) -> Self {
        let count = (most_slots + 1).next_power_of_two() as usize;
        Self { due: std::iter::repeat_with(Due::default).take(count).collect() }
    }

    /// What is there in a slot.
    #[inline]
    pub fn due(&mut self, slot: u64) -> &mut Due {
        let mask = self.due.len() as u64 - 1;
        &mut self.due[(slot & mask) as usize]
    }

    /// The first slot after another in which anything is there.
    pub fn next_after(&self, slot: u64) -> Option<u64> {
        let mask = self.due.len() as u64 - 1;
        (slot + 1..=slot + mask).find(|next| !self.due[(next & mask) as usize].is_empty())
    }

    /// All that is under way.
    pub fn all(&self) -> impl Iterator<Item = &Due> {
        self.due.iter()
    }
}
