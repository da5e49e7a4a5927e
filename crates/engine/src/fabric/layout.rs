//! The numbering of channels and hunt groups.

use super::timing::{EXTERNAL, internal_rate};
use crate::error::SpecError;
use crate::event_queue::EventQueue;
use crate::ids::{ChannelId, GroupId, NodeId, SwitchId};
use crate::measure::ChannelKind;
use crate::routing::Routing;
use crate::spec::Machine;
use crate::topology::{Attachment, Topology};
use std::collections::HashMap;

/// Where a channel ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// At a switch, in an input buffer of its own.
    Switch(SwitchId),
    /// At a node, which always accepts.
    Node(NodeId),
}

/// A hunt group: parallel channels from one place to another.
///
/// Its lowest-numbered channel, the *lead*, stands for it wherever speed counts.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its lowest-numbered channel; the others follow.
    pub first: ChannelId,
    /// How many channels it has.
    pub width: u16,
    /// The port it leaves its switch by, if it leads to another switch.
    pub port: Option<u8>,
    /// Where it lies.
    pub kind: ChannelKind,
    /// The switch or node it comes from.
    pub from: u32,
    /// Where it leads.
    pub end: End,
    /// How fast its channels are: a place in [`Timing::all`](super::Timing::all).
    pub rate: u8,
}

impl Group {
    /// Its channels, lowest number first.
    pub fn channels(self) -> impl Iterator<Item = ChannelId> {
        (self.first.0..self.first.0 + u32::from(self.width)).map(ChannelId)
    }
}

/// All channels and groups of a machine.
///
/// Groups are numbered like channels: injection groups (by node), groups
/// between switches (by source switch, then port), ejection groups (by node).
pub struct Layout {
    /// By group number.
    pub groups: Vec<Group>,
    /// Group of each channel.
    pub group_of: Vec<GroupId>,
    /// Per switch and port the lead of the group there, or [`ChannelId::NONE`].
    port_lead: Vec<ChannelId>,
    /// Lead of node 0's ejection group.
    first_ejection: u32,
    /// Channels in an injection or ejection group.
    node_width: u32,
    ports: usize,
}

impl Layout {
    /// Numbers the channels of a machine.
    ///
    /// # Errors
    /// More channels than can be numbered, or links of no width.
    pub fn new(machine: &Machine, topology: &Topology) -> Result<Self, SpecError> {
        let (node_width, switch_width) = (machine.node.link_width, machine.switch.link_width);
        check_width("machine.node.link_width", node_width)?;
        check_width("machine.switch.link_width", switch_width)?;
        let links = topology.neighbours.iter().filter(|n| n.is_some()).count() as u64;
        let channels =
            links * u64::from(switch_width) + 2 * topology.nodes as u64 * u64::from(node_width);
        if channels > u64::from(EventQueue::MAX_NUMBER) {
            return Err(SpecError::new(
                "machine.topology",
                format!("{channels} channels"),
                format!("must have at most {} channels", EventQueue::MAX_NUMBER),
            ));
        }
        let mut layout = Self {
            groups: Vec::new(),
            group_of: Vec::new(),
            port_lead: vec![ChannelId::NONE; topology.neighbours.len()],
            first_ejection: 0,
            node_width,
            ports: topology.ports,
        };
        layout.add_injection(topology, node_width as u16);
        layout.add_internal(topology, switch_width as u16, |port| internal_rate(machine, port / 2));
        layout.add_ejection(topology, node_width as u16);
        Ok(layout)
    }

    /// The lead of the group by which a node sends.
    #[inline]
    pub fn injection_lead(&self, node: NodeId) -> ChannelId {
        ChannelId(node.0 * self.node_width)
    }

    /// The lead of the group by which a packet for `destination` leaves a switch.
    #[inline]
    pub fn output_lead(
        &self,
        routing: &Routing,
        switch: SwitchId,
        destination: NodeId,
    ) -> ChannelId {
        match routing.next_port(switch, destination) {
            Some(port) => self.port_lead[switch.index() * self.ports + port],
            None => ChannelId(self.first_ejection + destination.0 * self.node_width),
        }
    }

    /// The group a channel belongs to.
    #[inline]
    pub fn group(&self, channel: ChannelId) -> &Group {
        &self.groups[self.group_of[channel.index()].index()]
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.group_of.len()
    }

    /// Per channel the one of the other direction: at the same place of the group
    /// that leads back (where several do, of the group of the same rank).
    pub fn opposite(&self) -> Vec<ChannelId> {
        let place = |kind: ChannelKind, from: u32, end: End| {
            let from_switch = matches!(kind, ChannelKind::Internal | ChannelKind::Ejection);
            let start =
                if from_switch { End::Switch(SwitchId(from)) } else { End::Node(NodeId(from)) };
            (start, end)
        };
        let mut between: HashMap<(End, End), Vec<ChannelId>> = HashMap::new();
        for group in &self.groups {
            between.entry(place(group.kind, group.from, group.end)).or_default().push(group.first);
        }
        let back = |(channel, &group): (usize, &GroupId)| {
            let group = &self.groups[group.index()];
            let (start, end) = place(group.kind, group.from, group.end);
            let rank = between[&(start, end)].iter().position(|&first| first == group.first);
            let back = between[&(end, start)][rank.unwrap_or(0)];
            ChannelId(back.0 + channel as u32 - group.first.0)
        };
        self.group_of.iter().enumerate().map(back).collect()
    }

    fn add(
        &mut self,
        kind: ChannelKind,
        from: u32,
        end: End,
        (port, rate): (Option<u8>, u8),
        width: u16,
    ) -> ChannelId {
        let group = GroupId::from_index(self.groups.len());
        let first = ChannelId::from_index(self.group_of.len());
        self.groups.push(Group { first, width, port, kind, from, end, rate });
        self.group_of.extend(std::iter::repeat_n(group, usize::from(width)));
        first
    }

    fn add_injection(&mut self, topology: &Topology, width: u16) {
        for (node, attachment) in topology.attachments.iter().enumerate() {
            let (kind, end) = match *attachment {
                Attachment::Switch(switch) | Attachment::Ends { enters: switch, .. } => {
                    (ChannelKind::Injection, End::Switch(switch))
                }
                Attachment::Node(peer) => (ChannelKind::Direct, End::Node(peer)),
            };
            self.add(kind, node as u32, end, (None, EXTERNAL), width);
        }
    }

    fn add_internal(&mut self, topology: &Topology, width: u16, rate: impl Fn(usize) -> u8) {
        for (at, &neighbour) in topology.neighbours.iter().enumerate() {
            if neighbour.is_some() {
                let (switch, port) = ((at / self.ports) as u32, at % self.ports);
                let (end, leaves_by) = (End::Switch(neighbour), (Some(port as u8), rate(port)));
                self.port_lead[at] = self.add(ChannelKind::Internal, switch, end, leaves_by, width);
            }
        }
    }

    fn add_ejection(&mut self, topology: &Topology, width: u16) {
        self.first_ejection = self.group_of.len() as u32;
        for (node, attachment) in topology.attachments.iter().enumerate() {
            if let Some(switch) = attachment.leaves() {
                let end = End::Node(NodeId::from_index(node));
                self.add(ChannelKind::Ejection, switch.0, end, (None, EXTERNAL), width);
            }
        }
    }
}

fn check_width(field: &'static str, width: u32) -> Result<(), SpecError> {
    if (1..=255).contains(&width) {
        return Ok(());
    }
    Err(SpecError::new(field, width, "must be 1 to 255"))
}
