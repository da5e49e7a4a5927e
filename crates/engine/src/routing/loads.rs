//! How loaded outputs are, as routing sees it.

use crate::ids::SwitchId;

/// What routing may ask where it compares loads. A flit counts as the time that it takes on a link, or
/// as 1 where it takes the same on all links.
pub trait Loads {
    /// What the flits count that wait for a slot of a switch, and are behind it.
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64;

    /// What one flit counts there.
    fn flit(&self, switch: SwitchId, slot: usize) -> u64;

    /// What one flit counts on a link of the usual rate.
    fn usual_flit(&self) -> u64;
}

impl<L: Loads + ?Sized> Loads for &mut L {
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64 {
        (**self).load(switch, slot)
    }

    fn flit(&self, switch: SwitchId, slot: usize) -> u64 {
        (**self).flit(switch, slot)
    }

    fn usual_flit(&self) -> u64 {
        (**self).usual_flit()
    }
}

/// Loads by a function on links of one rate.
#[cfg(test)]
pub(super) struct OfOneRate<L> {
    /// What a flit counts.
    pub flit: u64,
    /// The load of a slot.
    pub load: L,
}

#[cfg(test)]
impl<L: FnMut(SwitchId, usize) -> u64> Loads for OfOneRate<L> {
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64 {
        (self.load)(switch, slot)
    }

    fn flit(&self, _switch: SwitchId, _slot: usize) -> u64 {
        self.flit
    }

    fn usual_flit(&self) -> u64 {
        self.flit
    }
}
