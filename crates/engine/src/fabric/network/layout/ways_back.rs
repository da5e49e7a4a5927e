//! Which links have a link back, and where both directions use the same wires.

use super::{End, Group, Layout};
use crate::error::SpecError;
use crate::ids::{ChannelId, GroupId, NodeId, SwitchId};
use crate::measure::ChannelKind;
use crate::spec::{HalfDuplex, Machine};
use crate::topology::Topology;
use std::collections::HashMap;

impl Layout {
    /// Per channel the one of the other direction: at the same place of the group
    /// that leads back. All groups must have one: [`Self::one_way`].
    pub fn opposite(&self) -> Vec<ChannelId> {
        let back = self.groups_back();
        let opposite = |(channel, group): (usize, &GroupId)| {
            let first = self.groups[group.index()].first;
            let back = back[group.index()].unwrap_or(ChannelId::NONE);
            ChannelId(back.0 + channel as u32 - first.0)
        };
        self.group_of.iter().enumerate().map(opposite).collect()
    }

    /// Per group the port of the one that leads back, if that leads to another switch.
    pub fn ports_back(&self) -> Vec<Option<usize>> {
        let port = |back: ChannelId| Some(self.port_and_class(self.group(back))?.0);
        self.groups_back().into_iter().map(|back| back.and_then(port)).collect()
    }

    /// The first group of some without one of as many channels that leads back.
    pub fn one_way(&self, is_one: impl Fn(&Group) -> bool) -> Option<&Group> {
        let mut groups = self.groups.iter().zip(self.groups_back());
        groups.find(|(group, back)| back.is_none() && is_one(group)).map(|(group, _)| group)
    }

    /// Refuses links of some without one of as many wires back.
    ///
    /// # Errors
    /// The first link without one.
    pub fn check_ways_back(
        &self,
        with: &str,
        is_one: impl Fn(&Group) -> bool,
    ) -> Result<(), SpecError> {
        let Some(group) = self.one_way(is_one) else { return Ok(()) };
        let link = match (group.kind, group.end) {
            (ChannelKind::Injection, End::Switch(to)) => {
                format!("link from node {} to switch {}", group.from, to.0)
            }
            (_, End::Switch(to)) => format!("link from switch {} to switch {}", group.from, to.0),
            (_, End::Node(node)) => format!("link from switch {} to node {}", group.from, node.0),
        };
        let allowed = format!("needs one of as many wires back with {with}");
        Err(SpecError::new("machine.topology", link, allowed))
    }

    /// By channel: whether it sends against the direction of its wire's first channel; empty
    /// where no wire is shared by both directions.
    pub fn against(&self) -> Vec<bool> {
        let direction = |channel: ChannelId| {
            let group = self.group(channel);
            (group.kind, group.from, group.end)
        };
        let wires = self.wire_of.iter().enumerate();
        let against = wires.map(|(channel, &wire)| {
            wire.index() != channel && direction(ChannelId::from_index(channel)) != direction(wire)
        });
        let against: Vec<bool> = against.collect();
        if against.contains(&true) { against } else { Vec::new() }
    }

    /// Per group the first channel of the one that leads back (where several do, of the one
    /// of the same rank), if it has as many channels.
    fn groups_back(&self) -> Vec<Option<ChannelId>> {
        let place = |kind: ChannelKind, from: u32, end: End| {
            let from_switch = matches!(kind, ChannelKind::Internal | ChannelKind::Ejection);
            let start =
                if from_switch { End::Switch(SwitchId(from)) } else { End::Node(NodeId(from)) };
            (start, end)
        };
        let ends = |group: &Group| place(group.kind, group.from, group.end);
        let mut between: HashMap<(End, End), Vec<&Group>> = HashMap::new();
        for group in &self.groups {
            between.entry(ends(group)).or_default().push(group);
        }
        let back = |group: &Group| {
            let (start, end) = ends(group);
            let rank = between[&(start, end)].iter().position(|other| other.first == group.first);
            let back = between.get(&(end, start))?.get(rank?)?;
            (back.width == group.width).then_some(back.first)
        };
        self.groups.iter().map(back).collect()
    }

    /// The two directions of every link that is half duplex share its wires.
    pub(super) fn join_directions(
        &mut self,
        machine: &Machine,
        topology: &Topology,
    ) -> Result<(), SpecError> {
        let names = topology.link_classes();
        let own = |name: &String| machine.link_classes.get(name)?.half_duplex;
        let own: Vec<Option<HalfDuplex>> = names.iter().map(own).collect();
        let of_nodes = machine.node_link().of(&machine.link).half_duplex;
        let is_half = |group: &Group| {
            let half = match group.slot {
                Some(slot) => {
                    let port = slot as usize / self.classes;
                    let place = group.from as usize * topology.ports + port;
                    let own = own.get(topology.link_class(place)).copied().flatten();
                    own.unwrap_or(machine.link.half_duplex)
                }
                // Nodes that are their own switches have no links to them.
                None if machine.switch.integrated => HalfDuplex::No,
                None => of_nodes,
            };
            half != HalfDuplex::No
        };
        if !self.groups.iter().any(is_half) {
            return Ok(());
        }
        let with = "half_duplex, where both use one wire";
        self.check_ways_back(with, is_half)?;
        let own_wires = self.wire_of.clone();
        for (group, back) in self.groups.iter().zip(self.groups_back()) {
            let Some(back) = back.filter(|_| is_half(group)) else { continue };
            for (channel, opposite) in group.channels().zip((back.0..).map(ChannelId)) {
                let wire = own_wires[channel.index()].min(own_wires[opposite.index()]);
                self.wire_of[channel.index()] = wire;
                self.wire_of[opposite.index()] = wire;
            }
        }
        Ok(())
    }
}
