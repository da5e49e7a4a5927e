//! The outputs a packet may take, and how they are numbered.

/// How outputs are numbered: `port · classes + class`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    classes: usize,
}

impl Slots {
    /// Slots of so many classes.
    pub fn new(classes: usize) -> Self {
        Self { classes }
    }

    /// How many classes there are.
    pub fn classes(self) -> usize {
        self.classes
    }

    /// Makes one class of all.
    pub fn fold(&mut self) {
        self.classes = 1;
    }

    /// The slot of a class at a port; where classes have been folded, the port.
    #[inline]
    pub fn slot(self, port: usize, class: usize) -> usize {
        port * self.classes + class.min(self.classes - 1)
    }
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
