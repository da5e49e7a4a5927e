//! The outputs a packet may take, and how they are numbered.

use crate::error::SpecError;

/// How outputs are numbered: `port · classes + class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    classes: usize,
    is_folded: bool,
}

/// The most classes: virtual channels of a link are counted in 8 bits.
pub const MOST_CLASSES: usize = 255;

impl Slots {
    /// Slots of so many classes.
    pub fn new(classes: usize) -> Self {
        Self { classes, is_folded: false }
    }

    /// Slots of a class for every hop of ways of at most so many: a packet takes class i with its
    /// hop number i, so that who holds a channel of a class waits for one of the next only.
    ///
    /// # Errors
    /// More hops than a link may have virtual channels.
    pub fn by_hop(name: &str, hops: usize) -> Result<Self, SpecError> {
        if hops > MOST_CLASSES {
            let allowed = format!(
                "needs a virtual channel for each of the {hops} hops of the longest way, and a \
                 link has {MOST_CLASSES} at most"
            );
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        Ok(Self::new(hops.max(1)))
    }

    /// How many classes there are.
    pub fn classes(self) -> usize {
        self.classes
    }

    /// Makes one class of all.
    pub fn fold(&mut self) {
        self.is_folded |= self.classes > 1;
        self.classes = 1;
    }

    /// Whether classes that were told apart are one.
    pub fn is_folded(self) -> bool {
        self.is_folded
    }

    /// The slot of a class at a port; where classes have been folded, the port.
    #[inline]
    pub fn slot(self, port: usize, class: usize) -> usize {
        port * self.classes + class.min(self.classes - 1)
    }
}

/// Bits of a number that is at most this.
pub fn bits_of(most: usize) -> u32 {
    usize::BITS - most.leading_zeros()
}

/// Slots that routing allows, in order of preference.
///
/// An output of a lower *tier* is taken only if none of a higher one (of a smaller
/// number) is free: adaptive channels before the escape channel, for example. Made
/// once and used again for every packet.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    slots: Vec<(u32, u8)>,
}

impl Outputs {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.slots.clear();
    }

    /// Adds a slot; tiers must not decrease.
    #[inline]
    pub fn add(&mut self, slot: usize, tier: u8) {
        debug_assert!(self.slots.last().is_none_or(|&(_, last)| last <= tier));
        self.slots.push((slot as u32, tier));
    }

    /// Renames all slots.
    #[inline]
    pub fn rename(&mut self, name: impl Fn(usize) -> usize) {
        for (slot, _) in &mut self.slots {
            *slot = name(*slot as usize) as u32;
        }
    }

    /// Whether there is none: the packet has reached its destination's switch.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Slots with their tiers.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, u8)> + Clone + '_ {
        self.slots.iter().map(|&(slot, tier)| (slot as usize, tier))
    }
}
