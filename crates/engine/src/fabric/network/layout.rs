//! The numbering of channels and hunt groups.

mod slot_leads;
mod ways_back;

use crate::error::{Place, SpecError};
use crate::event_queue::EventQueue;
use crate::fabric::network::shares::Shares;
use crate::fabric::network::timing::{self, INTERNAL, Rates};
use crate::ids::{ChannelId, GroupId, NodeId, SwitchId};
use crate::measure::ChannelKind;
use crate::routing::Routing;
use crate::spec::{Machine, Sharing};
use crate::topology::{Attachment, Topology};
use slot_leads::SlotLeads;

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
    /// The port it leaves its switch by and its class, as routing names them
    /// ([`crate::routing`]), if it leads to another switch.
    pub slot: Option<u32>,
    /// Where it lies.
    pub kind: ChannelKind,
    /// The switch or node it comes from.
    pub from: u32,
    /// Where it leads.
    pub end: End,
    /// How fast its channels are: a place in [`Rates::all`].
    pub rate: u16,
}

impl Group {
    /// Its channels, lowest number first.
    pub fn channels(self) -> impl Iterator<Item = ChannelId> + Clone {
        (self.first.0..self.first.0 + u32::from(self.width)).map(ChannelId)
    }
}

/// All channels and groups of a machine.
///
/// Groups are numbered like channels: injection groups (by node), groups
/// between switches (by source switch, port, class), ejection groups (by node).
pub struct Layout {
    /// By group number.
    pub groups: Vec<Group>,
    /// Group of each channel.
    pub group_of: Vec<GroupId>,
    /// Wire of each channel, as the lowest-numbered channel on it.
    pub wire_of: Vec<ChannelId>,
    /// Per switch and slot the lead of the group there.
    slot_leads: SlotLeads,
    /// Per switch the lead of one of the groups that lead out of it, or [`ChannelId::NONE`].
    pub allocators: Vec<ChannelId>,
    /// Lead of node 0's ejection group.
    first_ejection: u32,
    /// Channels from a node to its switch, or back.
    pub node_channels: u32,
    /// By share: where its group begins among these; they are one group where there is one.
    node_groups: Vec<u32>,
    classes: usize,
    /// Where switches are line cards: the port of the first into the fabric, else none.
    first_port: ChannelId,
}

impl Layout {
    /// Numbers the channels of a machine whose routing tells `classes` of virtual
    /// channels apart, and so many of each; where there are several shares, of each share's. Where
    /// it tells parallel links apart, each is a class.
    ///
    /// # Errors
    /// More channels than can be numbered, or links of no width, or of another than is told apart.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        rates: &Rates,
        (classes, routing, shares): (&[u16], &Routing, &Shares),
    ) -> Result<Self, SpecError> {
        let node_width = machine.node_width();
        timing::width("machine.node_link.width", node_width)?;
        let node_channels = node_width * machine.switch.node_virtual_channels;
        timing::width("machine.node_link.width times virtual channels", node_channels)?;
        let parallel = routing.parallel_links();
        let width = |at: usize| rates.width(at) / parallel as u16;
        let used = topology.neighbours.iter().enumerate().filter(|(_, n)| n.is_some());
        let wires: u64 = used.map(|(at, _)| u64::from(width(at))).sum();
        let virtual_channels: u64 = classes.iter().copied().map(u64::from).sum();
        let ports = if machine.switch.cells.is_some() { 2 * topology.switches as u64 } else { 0 };
        let channels =
            ports + wires * virtual_channels + 2 * topology.nodes as u64 * u64::from(node_channels);
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
            wire_of: Vec::new(),
            slot_leads: SlotLeads::new(&[], 0, 0),
            allocators: vec![ChannelId::NONE; topology.switches],
            first_ejection: 0,
            node_channels,
            node_groups: Vec::new(),
            classes: classes.len(),
            first_port: ChannelId::NONE,
        };
        let mut leads = vec![ChannelId::NONE; topology.neighbours.len() * classes.len()];
        let node_wires = if node_channels > node_width { node_width as u16 } else { 0 };
        let widths = layout.share_out_nodes(machine, shares);
        layout.add_injection((topology, rates), (&widths, node_wires));
        let is_shared = machine.link.sharing != Sharing::Separate;
        for (at, &neighbour) in topology.neighbours.iter().enumerate() {
            if neighbour.is_some() {
                if usize::from(rates.width(at)) != parallel && parallel > 1 {
                    let allowed = format!("must have {parallel} wires, as link.width, everywhere");
                    let given = format!("{} parallel links", rates.width(at));
                    return Err(SpecError::new("machine.topology", given, allowed));
                }
                let rate = rates.internal(at);
                let leads = &mut leads[at * classes.len()..][..classes.len()];
                layout.add_link(
                    (at, topology.ports),
                    neighbour,
                    width(at),
                    (classes, leads),
                    rate,
                )?;
                match (is_shared, parallel) {
                    (false, _) => layout.add_wires(0),
                    (true, 1) => layout.add_wires(width(at)),
                    (true, _) => layout.add_parallel_wires(parallel, leads),
                }
            }
        }
        layout.slot_leads =
            SlotLeads::new(&leads, topology.ports * classes.len(), topology.switches);
        drop(leads);
        layout.add_ejection((topology, rates), (&widths, node_wires));
        if machine.switch.cells.is_some() {
            layout.add_fabric_ports(topology.switches);
        }
        layout.set_allocators();
        layout.join_directions(machine, topology)?;
        Ok(layout)
    }

    /// The lead of the group by which a node sends, of the first share if each has one.
    #[inline]
    pub fn injection_lead(&self, node: NodeId) -> ChannelId {
        ChannelId(node.0 * self.node_channels)
    }

    /// The group by which a node sends.
    #[inline]
    pub fn injection(&self, node: NodeId) -> &Group {
        self.group(self.injection_lead(node))
    }

    /// The node that sends by the group of a lead.
    #[inline]
    pub fn sender(&self, lead: ChannelId) -> NodeId {
        NodeId(lead.0 / self.node_channels)
    }

    /// The lead of the group by which a node receives, of the first share if each has one.
    #[inline]
    pub fn ejection_lead(&self, node: NodeId) -> ChannelId {
        ChannelId(self.first_ejection + node.0 * self.node_channels)
    }

    /// The lead of the group of a share that lies beside a node's group of the first.
    #[inline]
    pub fn of_share(&self, lead: ChannelId, share: usize) -> ChannelId {
        ChannelId(lead.0 + self.node_groups.get(share).copied().unwrap_or(0))
    }

    /// Groups from a node to its switch: one, or one for each share.
    pub fn node_groups(&self) -> usize {
        self.node_groups.len()
    }

    /// The lead of the group at a slot of a switch.
    #[inline]
    pub fn slot_lead(&self, switch: SwitchId, slot: usize) -> ChannelId {
        self.slot_leads.at(switch, slot)
    }

    /// The lead at a slot, or (none) that of the group to the destination's node.
    #[inline]
    pub fn lead_at(&self, switch: SwitchId, slot: Option<usize>, destination: NodeId) -> ChannelId {
        match slot {
            Some(slot) => self.slot_lead(switch, slot),
            None => self.ejection_lead(destination),
        }
    }

    /// The port of a line card into the fabric of cells.
    #[inline]
    pub fn port_in(&self, card: SwitchId) -> ChannelId {
        ChannelId(self.first_port.0 + 2 * card.0)
    }

    /// The port of a line card out of the fabric of cells.
    #[inline]
    pub fn port_out(&self, card: SwitchId) -> ChannelId {
        ChannelId(self.first_port.0 + 2 * card.0 + 1)
    }

    /// The port and the class of a group between switches.
    pub fn port_and_class(&self, group: &Group) -> Option<(usize, usize)> {
        group.slot.map(|slot| (slot as usize / self.classes, slot as usize % self.classes))
    }

    /// By channel: the lowest-numbered of its group on its wire if it is a node's, else the channel.
    pub fn wires_of_nodes(&self) -> Vec<ChannelId> {
        let wire_of = |channel: ChannelId| self.wire_of[channel.index()];
        let wire = |channel: ChannelId| match self.group(channel) {
            group if group.kind == ChannelKind::Injection => {
                let mut same = group.channels().filter(|&c| wire_of(c) == wire_of(channel));
                same.next().unwrap_or(channel)
            }
            _ => channel,
        };
        (0..self.channels()).map(ChannelId::from_index).map(wire).collect()
    }

    /// By channel: the others that share its wire; empty where none do.
    pub fn beside(&self) -> Vec<Vec<ChannelId>> {
        if !self.has_shared_wires() {
            return Vec::new();
        }
        let mut on_wire = vec![Vec::new(); self.channels()];
        let all = || (0..self.channels()).map(ChannelId::from_index);
        all().for_each(|channel| on_wire[self.wire_of[channel.index()].index()].push(channel));
        let others = |channel: ChannelId| {
            let wire = &on_wire[self.wire_of[channel.index()].index()];
            wire.iter().copied().filter(|&other| other != channel).collect()
        };
        all().map(others).collect()
    }

    /// Whether several channels share a wire anywhere.
    pub fn has_shared_wires(&self) -> bool {
        self.wire_of.iter().enumerate().any(|(channel, wire)| wire.index() != channel)
    }

    /// The group a channel belongs to.
    #[inline]
    pub fn group(&self, channel: ChannelId) -> &Group {
        // Where each has one channel, they are numbered like these.
        if self.groups.len() == self.group_of.len() {
            return &self.groups[channel.index()];
        }
        &self.groups[self.group_of[channel.index()].index()]
    }

    /// Where a channel lies.
    pub fn place(&self, channel: ChannelId) -> Place {
        let group = self.group(channel);
        let from_switch = matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection);
        // Groups of the other classes of its link come before its own.
        let class = self.port_and_class(group).map_or(0, |(_, class)| class);
        let slot = group.slot.unwrap_or(0) as usize - class;
        let first = match group.kind {
            ChannelKind::Internal if group.slot.is_none() => self.port_in(SwitchId(group.from)),
            ChannelKind::Internal => self.slot_lead(SwitchId(group.from), slot),
            _ => group.first,
        };
        Place {
            channel: channel.0,
            from: (from_switch, group.from),
            to: match group.end {
                End::Switch(switch) => (true, switch.0),
                End::Node(node) => (false, node.0),
            },
            lane: channel.0 - first.0,
        }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.group_of.len()
    }

    /// By channel: the node at its end, or none.
    pub fn receivers(&self) -> Vec<NodeId> {
        let node = |group: &GroupId| match self.groups[group.index()].end {
            End::Node(node) => node,
            End::Switch(_) => NodeId::NONE,
        };
        self.group_of.iter().map(node).collect()
    }

    fn add(
        &mut self,
        kind: ChannelKind,
        from: u32,
        end: End,
        (slot, rate): (Option<u32>, u16),
        width: u16,
    ) -> ChannelId {
        let group = GroupId::from_index(self.groups.len());
        let first = ChannelId::from_index(self.group_of.len());
        self.groups.push(Group { first, width, slot, kind, from, end, rate });
        self.group_of.extend(std::iter::repeat_n(group, usize::from(width)));
        first
    }

    /// Which of a node's groups are whose; their widths. Each share has one where links of nodes
    /// have as many virtual channels as others.
    fn share_out_nodes(&mut self, machine: &Machine, shares: &Shares) -> Vec<u16> {
        let width = machine.node_width();
        let is_whole = shares.is_one()
            || machine.switch.node_virtual_channels != machine.switch.virtual_channels;
        let sizes =
            if is_whole { vec![self.node_channels / width] } else { shares.sizes().collect() };
        let mut first = 0;
        for size in &sizes {
            self.node_groups.push(first);
            first += width * size;
        }
        sizes.into_iter().map(|size| (width * size) as u16).collect()
    }

    fn add_injection(
        &mut self,
        (topology, rates): (&Topology, &Rates),
        (widths, wires): (&[u16], u16),
    ) {
        for (node, attachment) in topology.attachments.iter().enumerate() {
            let (kind, end) = match *attachment {
                Attachment::Switch(switch) | Attachment::Ends { enters: switch, .. } => {
                    (ChannelKind::Injection, End::Switch(switch))
                }
                Attachment::Node(peer) => (ChannelKind::Direct, End::Node(peer)),
            };
            for &width in widths {
                self.add(kind, node as u32, end, (None, rates.external(node)), width);
            }
            self.add_wires(wires);
        }
    }

    /// Adds the groups of a link, one per class: within a group all wires with their
    /// first channels of that class, then all with their second, and so on.
    fn add_link(
        &mut self,
        (at, ports): (usize, usize),
        neighbour: SwitchId,
        width: u16,
        (classes, leads): (&[u16], &mut [ChannelId]),
        rate: u16,
    ) -> Result<(), SpecError> {
        let (switch, port) = ((at / ports) as u32, at % ports);
        for (class, &channels) in classes.iter().enumerate() {
            let channels = u32::from(width) * u32::from(channels);
            timing::width("machine.link.width times virtual channels", channels)?;
            let slot = port * self.classes + class;
            let leaves_by = (Some(slot as u32), rate);
            let (kind, end) = (ChannelKind::Internal, End::Switch(neighbour));
            leads[class] = self.add(kind, switch, end, leaves_by, channels as u16);
        }
        Ok(())
    }

    /// Adds the ports of line cards: of each the one into the fabric, then the one out of it. They
    /// lead from the card to itself.
    fn add_fabric_ports(&mut self, cards: usize) {
        self.first_port = ChannelId::from_index(self.group_of.len());
        for card in 0..cards as u32 {
            for _ in 0..2 {
                let end = End::Switch(SwitchId(card));
                self.add(ChannelKind::Internal, card, end, (None, INTERNAL), 1);
            }
        }
        self.add_wires(0);
    }

    /// Gives channels that have none a wire: in turn one of the next `width`, or (0) one each.
    fn add_wires(&mut self, width: u16) {
        let first = self.wire_of.len();
        let wires = if width == 0 { usize::MAX } else { usize::from(width) };
        let wire = |channel| ChannelId::from_index(first + (channel - first) % wires);
        self.wire_of.extend((first..self.group_of.len()).map(wire));
    }

    /// Gives channels that have none one of as many wires as there are parallel links: that of their
    /// class, of which these are the leads.
    fn add_parallel_wires(&mut self, links: usize, leads: &[ChannelId]) {
        let groups = self.group_of[self.wire_of.len()..].iter().map(|g| &self.groups[g.index()]);
        let wire = |group: &Group| leads[group.slot.unwrap_or(0) as usize % self.classes % links];
        let wires: Vec<ChannelId> = groups.map(wire).collect();
        self.wire_of.extend(wires);
    }

    /// The switch that is one with a node.
    pub fn home(&self, node: NodeId) -> SwitchId {
        match self.injection(node).end {
            End::Switch(switch) => switch,
            End::Node(_) => SwitchId::NONE,
        }
    }

    fn set_allocators(&mut self) {
        for group in self.groups.iter().rev() {
            if matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
                self.allocators[group.from as usize] = group.first;
            }
        }
    }

    fn add_ejection(
        &mut self,
        (topology, rates): (&Topology, &Rates),
        (widths, wires): (&[u16], u16),
    ) {
        self.first_ejection = self.group_of.len() as u32;
        for (node, attachment) in topology.attachments.iter().enumerate() {
            if let Some(switch) = attachment.leaves() {
                let end = End::Node(NodeId::from_index(node));
                for &width in widths {
                    let rate = (None, rates.external(node));
                    self.add(ChannelKind::Ejection, switch.0, end, rate, width);
                }
                self.add_wires(wires);
            }
        }
    }
}
