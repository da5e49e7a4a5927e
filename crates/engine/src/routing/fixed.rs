//! Algorithms that give one answer and remember nothing.

use super::Header;
use super::algorithm::Algorithm;
use super::base::Base;
use super::outputs::Slots;
use crate::ids::SwitchId;

/// The way a [`Base`] says, and no other.
pub struct Fixed {
    base: Base,
    slots: Slots,
}

impl Fixed {
    /// An algorithm of its own.
    pub fn new(base: Base) -> Self {
        let slots = Slots::new(base.classes());
        Self { base, slots }
    }
}

impl Algorithm for Fixed {
    fn slots(&self) -> Slots {
        self.slots
    }

    fn fold(&mut self) {
        self.slots.fold();
    }

    fn is_known_free(&self) -> bool {
        self.base.is_known_free() && self.slots.classes() == self.base.classes()
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        if let Some((port, class)) = self.base.step(switch, header) {
            allow(self.slots.slot(port, class), 0);
        }
    }
}
