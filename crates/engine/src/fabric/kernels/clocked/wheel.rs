//! What happens in cycles to come: flits that arrive, credits, headers that have been routed.

use crate::ids::ChannelId;

/// What happens at the beginning of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A flit is in the buffer at a channel's end.
    Flit(ChannelId),
    /// The same, the first of its packet.
    Header(ChannelId),
    /// A channel may send one more.
    Credit(ChannelId),
    /// The header at the front of the buffer at a channel's end has been routed.
    Routed(ChannelId),
}

/// A ring of cycles: nothing lies further ahead than its length.
#[derive(Clone)]
pub struct Wheel {
    /// By cycle modulo their number, which is a power of two.
    slots: Vec<Vec<What>>,
    /// How many things lie ahead.
    ahead: usize,
    /// Of a cycle, while it is handled.
    present: Vec<What>,
}

impl Wheel {
    /// One on which something can lie so many cycles ahead.
    pub fn new(most: u64) -> Self {
        let slots = (most + 1).next_power_of_two() as usize;
        Self { slots: vec![Vec::new(); slots], ahead: 0, present: Vec::new() }
    }

    #[inline]
    fn place(&self, cycle: u64) -> usize {
        cycle as usize & (self.slots.len() - 1)
    }

    /// Something happens in a cycle.
    #[inline]
    pub fn post(&mut self, cycle: u64, what: What) {
        let place = self.place(cycle);
        self.slots[place].push(what);
        self.ahead += 1;
    }

    /// Takes what happens in a cycle; to be given back by [`Self::done`].
    #[inline]
    pub fn take(&mut self, cycle: u64) -> Vec<What> {
        let place = self.place(cycle);
        let taken = std::mem::replace(&mut self.slots[place], std::mem::take(&mut self.present));
        self.ahead -= taken.len();
        taken
    }

    /// What was taken has been handled.
    #[inline]
    pub fn done(&mut self, mut taken: Vec<What>) {
        taken.clear();
        self.present = taken;
    }

    /// The first cycle from `cycle` on in which something happens.
    pub fn next(&self, cycle: u64) -> Option<u64> {
        if self.ahead == 0 {
            return None;
        }
        let cycles = cycle..cycle + self.slots.len() as u64;
        cycles.into_iter().find(|&cycle| !self.slots[self.place(cycle)].is_empty())
    }

    /// All that lies ahead of `cycle`, with how many cycles.
    pub fn ahead(&self, cycle: u64) -> impl Iterator<Item = (u64, What)> + '_ {
        let cycles = 0..self.slots.len() as u64;
        cycles.flat_map(move |ahead| {
            self.slots[self.place(cycle + ahead)].iter().map(move |&what| (ahead, what))
        })
    }
}
