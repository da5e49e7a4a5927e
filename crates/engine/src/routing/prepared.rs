//! An algorithm with the virtual channels of a machine.

use super::algorithm::Algorithm;
use super::dimension_order::DimensionOrder;
use super::header::Header;
use super::loads::Loads;
use super::outputs::Outputs;
use super::parallel::Parallel;
use super::properties::Properties;
use super::registry::{Chosen, match_algorithm};
use super::table::Table;
use crate::error::SpecError;
use crate::ids::{NodeId, ProcessId, SwitchId};
use crate::rng::{Key, Purpose, Stream};
use crate::spec::Machine;
use crate::topology::Topology;
use std::ops::Range;

/// A routing algorithm, ready for one topology.
pub struct Routing {
    algorithm: Chosen,
    properties: Properties,
    /// Virtual channels of a link that each class has; of each of parallel links that are told
    /// apart.
    classes: Vec<u16>,
    /// Which of parallel links packets take, unless it is any.
    parallel: Option<Parallel>,
    /// What all ways are drawn with.
    seed: Key,
    /// Whether pairs of nodes may have no route.
    has_gaps: bool,
}

/// Loads of slots as an algorithm names them, on those of parallel links that packets to a destination take.
struct OnParallel<'a, L> {
    loads: L,
    routing: &'a Routing,
    destination: NodeId,
}

impl<L: Loads> Loads for OnParallel<'_, L> {
    fn load(&mut self, switch: SwitchId, slot: usize) -> u64 {
        self.loads.load(switch, self.routing.slot(slot, self.destination))
    }

    fn flit(&self, switch: SwitchId, slot: usize) -> u64 {
        self.loads.flit(switch, self.routing.slot(slot, self.destination))
    }

    fn usual_flit(&self) -> u64 {
        self.loads.usual_flit()
    }
}

/// Nothing is known that keeps packets from waiting for each other in a circle.
pub(super) struct Doubt {
    /// What would do for certain, if anything.
    pub remedy: Option<String>,
}

impl Routing {
    /// Prepares the algorithm of a machine; and why it is not known that it cannot deadlock, if it is not.
    ///
    /// With fewer virtual channels than the algorithm has classes, all packets are in one
    /// class.
    ///
    /// # Errors
    /// An algorithm the topology cannot have, too few or too many virtual channels.
    pub(super) fn prepare(
        machine: &Machine,
        topology: &Topology,
        seed: u64,
    ) -> Result<(Self, Option<Doubt>), SpecError> {
        let channels = smallest_share(machine);
        let mut algorithm = Chosen::new(&machine.routing.algorithm, topology)?;
        let whole = match_algorithm!(&algorithm, routing => routing.properties());
        if channels < whole.classes as u32 {
            match_algorithm!(&mut algorithm, routing => routing.fold());
        }
        let mut properties = match_algorithm!(&algorithm, routing => routing.properties());
        let parallel = Parallel::new(machine, topology, &properties)?;
        if properties.escapes > 0 && machine.joins_queues() {
            (properties.escapes, properties.is_known_free) = (0, false);
        }
        let classes = shared_by(channels, &properties, parallel.as_ref())?;
        let seed = Key::of(seed);
        let has_gaps = algorithm.table().is_some_and(Table::has_gaps);
        let routing = Self { algorithm, properties, classes, parallel, seed, has_gaps };
        // Frames stand in queues of outputs, and keep no channel while they wait for another.
        let is_safe = properties.is_known_free
            || machine.forwards_frames()
            || !routing.depends_on_order(machine);
        let doubt = (!is_safe).then(|| Doubt { remedy: remedy(machine, &properties, &whole) });
        Ok((routing, doubt))
    }

    /// Virtual channels of a link that each class has; where traffic classes have their own, of
    /// the fewest that any has.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The same of so many virtual channels.
    ///
    /// # Errors
    /// Too many of them.
    pub fn classes_of(&self, channels: u32) -> Result<Vec<u16>, SpecError> {
        shared_by(channels, &self.properties, self.parallel.as_ref())
    }

    /// How many parallel links are told apart; their slots are next to each other.
    pub fn parallel_links(&self) -> usize {
        self.parallel.as_ref().map_or(1, Parallel::links)
    }

    /// What the algorithm is like on this topology, with the virtual channels there are.
    #[inline]
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Whether packets may have a choice of several outputs: then it is asked for
    /// [`Self::outputs`], else for [`Self::next`].
    #[inline]
    pub fn chooses(&self) -> bool {
        self.properties.chooses
    }

    /// Whether a packet's route changes on its way ([`Self::passed`]).
    #[inline]
    pub fn remembers(&self) -> bool {
        self.properties.remembers
    }

    /// Whether packets of a pair may go several ways: by choice, or because each has its own.
    pub fn has_several_ways(&self) -> bool {
        self.properties.chooses || self.properties.varies
    }

    /// Whether a packet's route depends on how loaded outputs are when it asks for one
    /// ([`Self::decide`]).
    #[inline]
    pub fn weighs(&self) -> bool {
        self.properties.weighs
    }

    /// Whether packets of a pair have several ways, though each has one.
    #[inline]
    pub fn varies(&self) -> bool {
        self.properties.varies
    }

    /// The route of a packet that asks for its output at a switch, by how loaded outputs are.
    pub fn decide(&self, switch: SwitchId, header: Header, loads: impl Loads) -> u32 {
        let loads = OnParallel { loads, routing: self, destination: header.destination };
        match_algorithm!(&self.algorithm, routing => routing.decide(switch, header, loads))
    }

    /// All routes that this may be.
    pub fn alternatives(&self, switch: SwitchId, header: Header, mut each: impl FnMut(u32)) {
        match_algorithm!(&self.algorithm, routing => {
            routing.alternatives(switch, header, &mut each);
        });
    }

    /// Whether nothing but an order of channels keeps packets from waiting for each other in a
    /// circle. Nodes that are switches may have something else against that.
    fn depends_on_order(&self, machine: &Machine) -> bool {
        match machine.switch.output_queue_packets {
            _ if !machine.switch.integrated => true,
            Some(_) => self.properties.depends_on_order,
            None => false,
        }
    }

    /// What a packet's flow is known by, beside its nodes, if routing asks: by the processes at its
    /// ends, and how many messages the sender of its own sent before that; or, where packets take turns,
    /// how many packets there were before it.
    #[inline]
    pub fn flow(&self, ends: (ProcessId, ProcessId), before: (u32, u32)) -> u32 {
        match_algorithm!(&self.algorithm, routing => routing.flow(ends, before))
    }

    /// The route of a new packet of a flow; `drawn_by`: what tells the packet from all others.
    #[inline]
    pub fn begin(&self, source: NodeId, destination: NodeId, (flow, drawn_by): (u32, u32)) -> u32 {
        let key = self.seed.and(drawn_by.into());
        let mut stream = self.properties.draws.then(|| Stream::keyed(Purpose::Way, key));
        let way = stream.as_mut();
        let ends = (source, destination);
        match_algorithm!(&self.algorithm, routing => routing.begin_flow(ends, flow, way))
    }

    /// All routes a new packet may begin with.
    pub fn beginnings(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        match_algorithm!(&self.algorithm, routing => routing.beginnings(source, destination))
    }

    /// The slot by which a packet leaves `switch`, or `None` where its destination is
    /// attached; the first, where it has a choice.
    #[inline]
    pub fn next(&self, switch: SwitchId, header: Header) -> Option<usize> {
        // What most machines have stands in line, all else behind a call.
        match &self.algorithm {
            Chosen::DimensionOrder(routing) if self.parallel.is_none() => {
                routing.next(switch, header)
            }
            Chosen::Fixed(routing) if self.parallel.is_none() => routing.next(switch, header),
            _ => self.next_of_others(switch, header),
        }
    }

    /// Whether there is no route from a switch to a node ([`Self::gap`]).
    #[inline]
    pub fn misses(&self, switch: SwitchId, destination: NodeId) -> bool {
        self.has_gaps
            && self.algorithm.table().is_some_and(|table| table.misses(switch, destination))
    }

    /// Whether it is a table, and packets cannot wait for each other in a circle even if all are in
    /// one class.
    pub(super) fn is_free_table(&self, topology: &Topology) -> bool {
        let network = topology.hosts.as_ref().map_or(topology, |hosts| &hosts.network);
        self.algorithm.table().is_some_and(|table| !table.closes_circle(network))
    }

    /// Why there is no route from a node to another, if there is none.
    #[cold]
    #[inline(never)]
    pub fn gap(&self, pair: (NodeId, NodeId), topology: &Topology) -> Option<SpecError> {
        self.algorithm.table()?.gap(pair, topology)
    }

    /// Whether packets to a destination may leave a switch by the same slot whatever their sources
    /// and routes, and that takes longer to work out than to look up.
    pub fn has_known_ways(&self) -> bool {
        match &self.algorithm {
            Chosen::Fixed(routing) => self.parallel.is_none() && routing.base().has_known_ways(),
            _ => false,
        }
    }

    /// Where that is so at all ([`Self::has_known_ways`]): whether it is at a switch.
    pub fn is_known(&self, switch: SwitchId, destination: NodeId) -> bool {
        match &self.algorithm {
            Chosen::Fixed(routing) => routing.base().is_known(switch, destination),
            _ => false,
        }
    }

    /// Whether packets to a destination may leave a switch by the same slots whatever their sources and
    /// routes, and that takes longer to work out than to look up.
    pub fn has_known_choices(&self) -> bool {
        matches!(self.algorithm, Chosen::Adaptive(_)) && self.parallel.is_none()
    }

    /// Where that is so at all ([`Self::has_known_choices`]): whether it is at a switch.
    pub fn is_known_choice(&self, switch: SwitchId, destination: NodeId) -> bool {
        match &self.algorithm {
            Chosen::Adaptive(routing) => routing.is_known(switch, destination),
            _ => false,
        }
    }

    /// The algorithm, if it is dimension order on an open grid: what must be fast.
    #[inline]
    pub(crate) fn in_order(&self) -> Option<&DimensionOrder> {
        match &self.algorithm {
            Chosen::DimensionOrder(routing) if self.parallel.is_none() => Some(routing),
            _ => None,
        }
    }

    #[inline(never)]
    fn next_of_others(&self, switch: SwitchId, header: Header) -> Option<usize> {
        let slot = match_algorithm!(&self.algorithm, routing => routing.next(switch, header))?;
        Some(self.slot(slot, header.destination))
    }

    /// The slot by which packets to a destination go, for one that the algorithm names.
    #[inline]
    fn slot(&self, slot: usize, destination: NodeId) -> usize {
        self.parallel.as_ref().map_or(slot, |parallel| parallel.slot(slot, destination))
    }

    /// Adds all slots by which a packet may leave `switch`; none where its destination
    /// is attached.
    #[inline]
    pub fn outputs(&self, switch: SwitchId, header: Header, outputs: &mut Outputs) {
        match_algorithm!(&self.algorithm, routing => routing.outputs(switch, header, outputs));
        if let Some(parallel) = &self.parallel {
            outputs.rename(|slot| parallel.slot(slot, header.destination));
        }
    }

    /// Adds those of them that bring the packet nearer: all but deflections.
    #[inline]
    pub fn profitable(&self, switch: SwitchId, header: Header, outputs: &mut Outputs) {
        let mut add = |slot, tier| outputs.add(self.slot(slot, header.destination), tier);
        match_algorithm!(&self.algorithm, routing => routing.nearer(switch, header, &mut add));
    }

    /// The route of a packet that has taken `slot` (none: has left its node) and is on its
    /// way to `switch`.
    #[inline]
    pub fn passed(&self, switch: SwitchId, header: Header, slot: Option<usize>) -> u32 {
        let named = |slot| self.parallel.as_ref().map_or(slot, |parallel| parallel.named(slot));
        let slot = slot.map(named);
        match_algorithm!(&self.algorithm, routing => routing.passed(switch, header, slot))
    }
}

/// Gives each class some of a link's virtual channels, on each of parallel links that are told
/// apart.
fn shared_by(
    channels: u32,
    properties: &Properties,
    parallel: Option<&Parallel>,
) -> Result<Vec<u16>, SpecError> {
    let classes = share(channels, properties.classes as u32, properties.prefers_last)?;
    let links = parallel.map_or(1, Parallel::links);
    Ok(classes.into_iter().flat_map(|class| std::iter::repeat_n(class, links)).collect())
}

/// The virtual channels of a link that packets of any traffic class have at least.
fn smallest_share(machine: &Machine) -> u32 {
    let classes = machine.routing.traffic_classes.iter();
    let own = classes.filter_map(|class| class.virtual_channels);
    let sizes = own.map(|(first, last)| (last + 1).saturating_sub(first));
    sizes.min().unwrap_or(u32::MAX).min(machine.switch.virtual_channels)
}

/// What a machine needs for the argument of an algorithm; `whole`: what this is like with all its
/// classes. Nothing if it has no such argument, or what it needs is there.
fn remedy(machine: &Machine, properties: &Properties, whole: &Properties) -> Option<String> {
    let mut parts = Vec::new();
    if properties.classes < whole.classes {
        let is_shared_out = smallest_share(machine) < machine.switch.virtual_channels;
        let each = if is_shared_out { " for each traffic class" } else { "" };
        parts.push(format!("{} virtual channels{each}", whole.classes));
    }
    if whole.escapes > 0 && machine.joins_queues() {
        // Then every packet has a buffer to itself, and its header may take the way out.
        parts.push("switch.pipeline.atomic = true".to_string());
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// Gives each of `needed` classes some of a link's virtual channels.
fn share(channels: u32, needed: u32, prefers_last: bool) -> Result<Vec<u16>, SpecError> {
    if channels < needed || channels > 255 {
        let allowed = format!("must be {needed} to 255 with this routing and topology");
        return Err(SpecError::new("machine.switch.virtual_channels", channels, allowed));
    }
    let mut classes = vec![1; needed as usize];
    for further in 0..channels - needed {
        let class = if prefers_last { needed - 1 } else { further % needed };
        classes[class as usize] += 1;
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_channels() {
        assert_eq!(share(1, 1, false).unwrap(), [1]);
        assert_eq!(share(5, 2, false).unwrap(), [3, 2]);
        assert_eq!(share(5, 2, true).unwrap(), [1, 4]);
        assert_eq!(
            share(1, 2, false).unwrap_err().to_string(),
            "machine.switch.virtual_channels = 1: must be 2 to 255 with this routing and topology"
        );
    }
}
