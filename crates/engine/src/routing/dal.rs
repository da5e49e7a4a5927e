//! Dimensionally adaptive, load-balanced routing on a `HyperX` (DAL [Ahn et al. 2009]).
//!
//! A packet may take the dimensions in which it is not yet right in any order, and in each go
//! directly or, once, by way of another switch of the line (a *deroute*). At every switch it compares the
//! least loaded direct link with the least loaded of all others it may take in these dimensions: with
//! H hops left and load q directly, and q' the other's load, it goes directly if
//! `H · q ≤ (H + 1) · q' + threshold`, or, by the rule `double`, if `q ≤ 2 · q' + threshold`. Load is
//! the flits in the buffers at the end of a link, or on their way there, all virtual channels together.
//!
//! Free of deadlock: each hop is in the class of its number, as in [`super::hop_classes`]; there are at
//! most two for each dimension. (As published one class is a way out by dimension order, which
//! needs buffers that a packet is alone in.)
//!
//! The route is the dimensions in which it has been derouted, and the port it has decided on.

use super::Header;
use super::algorithm::Algorithm;
use super::hyperx::{Dimension, HyperX};
use super::outputs::Slots;
use super::properties::Properties;
use crate::error::SpecError;
use crate::ids::{NodeId, SwitchId};
use crate::spec::Weighing;
use crate::topology::Topology;

/// In a route: the dimensions in which the packet has been derouted.
const DEROUTED: u32 = 0xff;
/// The port it has decided on, plus one.
const PORT: u32 = 1 << 8;

/// DAL for one `HyperX`.
pub struct Dal {
    hyperx: HyperX,
    weighing: Weighing,
    slots: Slots,
    needed: usize,
}

impl Dal {
    /// Prepares routing.
    ///
    /// # Errors
    /// Another topology; more dimensions than a packet can remember.
    pub fn new(name: &str, weighing: Weighing, topology: &Topology) -> Result<Self, SpecError> {
        let hyperx = HyperX::new(name, &[], topology)?;
        if hyperx.dimensions.len() > DEROUTED.count_ones() as usize {
            let allowed = format!("must have at most {} dimensions", DEROUTED.count_ones());
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let needed = 2 * hyperx.dimensions.len();
        Ok(Self { hyperx, weighing, slots: Slots::new(needed), needed })
    }

    /// The dimensions in which a packet is not right, with their numbers.
    fn wrong(&self, at: SwitchId, home: SwitchId) -> impl Iterator<Item = (u32, &Dimension)> {
        let lines = (0..).zip(&self.hyperx.dimensions);
        lines.filter(move |(_, line)| line.of(at) != line.of(home))
    }

    /// The class of a packet's next hop: the hops it has behind it.
    fn class(&self, switch: SwitchId, header: Header) -> usize {
        let [from, home] = [header.source, header.destination].map(|node| self.hyperx.home(node));
        let derouted = (header.route & DEROUTED).count_ones() as usize;
        derouted + self.wrong(from, home).count() - self.wrong(switch, home).count()
    }

    /// Names every port of a line that is not the way to the destination, if it may still take one.
    fn each_deroute(&self, switch: SwitchId, header: Header, mut each: impl FnMut(usize)) {
        let home = self.hyperx.home(header.destination);
        for (number, line) in self.wrong(switch, home) {
            if header.route >> number & 1 == 0 {
                let aside = |&to: &usize| to != line.of(switch) && to != line.of(home);
                (0..line.side).filter(aside).for_each(|to| each(line.port + to));
            }
        }
    }

    /// The same packet once it has decided on a port.
    fn decided(route: u32, port: usize) -> u32 {
        route & DEROUTED | (PORT * (port as u32 + 1))
    }
}

impl Algorithm for Dal {
    fn fold(&mut self) {
        self.slots.fold();
    }

    fn properties(&self) -> Properties {
        let classes = self.slots.classes();
        let is_free = classes == self.needed;
        Properties { classes, remembers: true, weighs: true, ..Properties::one_way(is_free) }
    }

    /// As long as it has not decided it goes directly.
    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let port = match (header.route / PORT) as usize {
            0 => self.hyperx.step(switch, header.destination),
            decided => Some(decided - 1),
        };
        if let Some(port) = port {
            allow(self.slots.slot(port, self.class(switch, header)), 0);
        }
    }

    fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let derouted = header.route & DEROUTED;
        let Some(port) = slot.map(|slot| slot / self.slots.classes()) else { return derouted };
        let home = self.hyperx.home(header.destination);
        let is_of = |line: &Dimension| (line.port..line.port + line.side).contains(&port);
        let wrong = self.wrong(switch, home).find(|(_, line)| is_of(line));
        wrong.map_or(derouted, |(number, _)| derouted | 1 << number)
    }

    fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        if self.hyperx.home(header.destination) == switch {
            return each(header.route & DEROUTED);
        }
        self.hyperx.each_profitable(switch, header.destination, |port| {
            each(Self::decided(header.route, port));
        });
        self.each_deroute(switch, header, |port| each(Self::decided(header.route, port)));
    }

    fn decide(
        &self,
        switch: SwitchId,
        header: Header,
        mut load: impl FnMut(SwitchId, usize) -> u32,
    ) -> u32 {
        let home: NodeId = header.destination;
        let mut least = [None::<(u64, usize)>; 2];
        let mut weigh = |place: usize, port: usize| {
            let classes = 0..self.slots.classes();
            let flits = classes.map(|class| u64::from(load(switch, self.slots.slot(port, class))));
            let loaded = (flits.sum(), port);
            let best = least[place].get_or_insert(loaded);
            *best = loaded.min(*best);
        };
        let mut hops = 0;
        self.hyperx.each_profitable(switch, home, |port| {
            hops += 1;
            weigh(0, port);
        });
        self.each_deroute(switch, header, |port| weigh(1, port));
        let [Some((own, port)), aside] = least else { return header.route & DEROUTED };
        let goes_aside = aside.filter(|&(other, _)| !self.goes_directly(hops, own, other));
        Self::decided(header.route, goes_aside.map_or(port, |(_, port)| port))
    }
}

impl Dal {
    fn goes_directly(&self, hops: u64, own: u64, other: u64) -> bool {
        let threshold = i128::from(self.weighing.threshold);
        let (own, other) =
            if self.weighing.doubles { (own, 2 * other) } else { (hops * own, (hops + 1) * other) };
        i128::from(own) <= i128::from(other) + threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::walk::{Promise, cases, check_free, check_ways, refusal, routing};
    use crate::spec::{RoutingSpec, TopologySpec};

    fn hyperx(dims: Vec<u32>) -> TopologySpec {
        TopologySpec::HyperX { dims, widths: vec![], nodes_per_switch: 1, by_distance: false }
    }

    fn dal() -> RoutingSpec {
        RoutingSpec::Dal { weighing: Weighing::default() }
    }

    #[test]
    fn random_hyperx_have_no_circle_of_channels() {
        let mut random = cases(94);
        for case in 0..60 {
            let dimensions = 1 + case % 3;
            let dims: Vec<u32> = (0..dimensions).map(|_| 2 + random.below(3) as u32).collect();
            let longest = dims.iter().map(|&side| if side > 2 { 2 } else { 1 }).sum::<u32>();
            if dims.iter().product::<u32>() > 24 {
                continue;
            }
            let topology = Topology::new(&hyperx(dims.clone())).unwrap();
            let made = routing(&hyperx(dims), &dal(), 2 * dimensions as u32);
            assert_eq!(check_ways(&topology, &made, Promise::Arrives), longest);
            check_free(&topology, &made);
        }
    }

    /// Two hops left, 9 flits on either direct link: aside as soon as 3 · q' is less than 18.
    #[test]
    fn the_less_loaded_way_is_taken() {
        let topology = Topology::new(&hyperx(vec![4, 4])).unwrap();
        let dal = Dal::new("dal", Weighing::default(), &topology).unwrap();
        let header = Header { source: NodeId(0), destination: NodeId(10), route: 0, traffic: 0 };
        let classes = dal.properties().classes;
        // Ports 0 to 3 lead along x, 4 to 7 along y; direct are 2 and 6.
        let port = |aside: u32, route: u32| {
            let load = |_: SwitchId, slot: usize| match slot / classes {
                _ if !slot.is_multiple_of(classes) => 0,
                2 | 6 => 9,
                5 => aside,
                _ => 20,
            };
            (dal.decide(SwitchId(0), Header { route, ..header }, load) / PORT) as usize - 1
        };
        assert_eq!((port(6, 0), port(5, 0)), (2, 5));
        // Derouted along y before, it may only go there.
        assert_eq!(port(5, 2), 2);
    }

    #[test]
    fn others_are_refused() {
        let mesh = TopologySpec::Mesh { dims: vec![4, 4] };
        assert_eq!(refusal(&mesh, &dal(), 4), "machine.routing = dal: needs a HyperX");
        let few = refusal(&hyperx(vec![3, 3]), &dal(), 2);
        assert!(few.contains("needs 4 virtual channels"), "{few}");
    }
}
