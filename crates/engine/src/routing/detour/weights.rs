//! How loaded two ways are.

use super::{Choice, Detour};
use crate::ids::SwitchId;
use crate::routing::algorithm::Algorithm;
use crate::routing::header::Header;
use crate::routing::loads::Loads;

/// What is known of a way where two are compared.
#[derive(Clone, Copy, Default)]
pub struct Weight {
    /// Its hops.
    pub hops: u64,
    /// The load that counts, for every hop.
    pub sum: u64,
    /// The port of its first link.
    first: usize,
    /// What a flit counts on that.
    flit: u64,
    /// What it counts on the slowest link.
    slowest: u64,
}

impl Detour {
    /// Weighs two ways of a packet at a switch.
    pub(super) fn weights(
        &self,
        switch: SwitchId,
        headers: [Header; 2],
        loads: &mut impl Loads,
    ) -> [Weight; 2] {
        let mut weights = headers.map(|header| self.weigh(switch, header, loads));
        if self.choice != Choice::Globally && !self.weighing.doubles {
            self.foresee(switch, &mut weights, loads);
        }
        weights
    }

    /// Weighs a way.
    pub(super) fn weigh(&self, switch: SwitchId, header: Header, loads: &mut impl Loads) -> Weight {
        let (mut at, mut header, mut sum) = (switch, header, 0);
        let mut weight = Weight::default();
        let (is_global, groups) = (self.choice == Choice::Globally, self.legs.groups());
        // The load of the link that counts for all, and whether it is one between groups.
        let mut counts = None;
        while let Some((port, class)) = self.step(at, header) {
            let next = self.links.around(at)[port];
            let crosses = groups.is_some_and(|groups| groups.of(at) != groups.of(next));
            let is_first_across = is_global && crosses && !matches!(counts, Some((_, true)));
            if weight.hops == 0 || is_first_across || is_global && groups.is_none() {
                let of_port = self.load(at, port, loads);
                counts = Some((of_port, crosses));
                sum += of_port;
            }
            let flit = loads.flit(at, self.slots.slot(port, 0));
            if weight.hops == 0 {
                (weight.first, weight.flit) = (port, flit);
            }
            weight.slowest = weight.slowest.max(flit);
            weight.hops += 1;
            at = next;
            header.route = self.passed(at, header, Some(self.slots.slot(port, class)));
        }
        let is_mean = is_global && groups.is_none();
        let load = counts.map_or(0, |(load, _)| load);
        weight.sum = if is_mean { sum } else { load * weight.hops };
        weight
    }

    /// How loaded a link is, all classes together.
    fn load(&self, switch: SwitchId, port: usize, loads: &mut impl Loads) -> u64 {
        let classes = 0..self.slots.classes();
        classes.map(|class| loads.load(switch, self.slots.slot(port, class))).sum()
    }

    /// Where one way begins with a faster link than the other, and has a slower one behind it, the load
    /// of the first says nothing about the slower one: it counts as loaded as those seen here.
    fn foresee(&self, switch: SwitchId, weights: &mut [Weight; 2], loads: &mut impl Loads) {
        let faster = usize::from(weights[1].flit < weights[0].flit);
        let [fast, slow] = [weights[faster], weights[1 - faster]];
        if fast.flit < slow.flit && fast.flit < fast.slowest {
            let expected = self.load_of_alike(switch, fast.slowest, slow.first, loads);
            weights[faster].sum = fast.sum.max(expected * fast.hops);
        }
    }

    /// The mean load of the links of a switch on which a flit counts as much, but for one; if there is
    /// no other, of that one.
    fn load_of_alike(
        &self,
        switch: SwitchId,
        flit: u64,
        but: usize,
        loads: &mut impl Loads,
    ) -> u64 {
        let (mut sum, mut count) = (0, 0);
        for (port, _) in self.links.each(switch).filter(|&(port, _)| port != but) {
            if loads.flit(switch, self.slots.slot(port, 0)) == flit {
                sum += self.load(switch, port, loads);
                count += 1;
            }
        }
        u64::checked_div(sum, count).unwrap_or_else(|| self.load(switch, but, loads))
    }
}
