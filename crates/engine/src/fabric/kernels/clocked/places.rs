//! The inputs and outputs of every switch, numbered as its allocators see them.
//!
//! A *port* is a wire. Wires into a switch are numbered in the order of its links to other
//! switches, then those from nodes, unless the machine has another order ([`PortOrder`]); wires
//! out of it likewise. The virtual channels of a wire follow each other.

use crate::fabric::network::layout::{End, Group, Layout};
use crate::ids::{ChannelId, SwitchId};
use crate::measure::ChannelKind;
use crate::spec::PortOrder;

/// Where a channel is among those of the switch it leads to, or comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The wire.
    pub port: u16,
    /// The virtual channel on it.
    pub lane: u16,
}

/// One side of all switches: their inputs, or their outputs.
#[derive(Clone)]
pub struct Side {
    /// By channel: where it is; nowhere in particular if it has no switch there.
    pub of: Vec<Place>,
    /// Virtual channels of a wire, at most.
    pub lanes: u32,
    /// By switch: its wires.
    pub ports: Vec<u16>,
    /// By switch: where its channels begin in `channels`.
    begins: Vec<u32>,
    /// By switch, port and virtual channel.
    channels: Vec<ChannelId>,
}

impl Side {
    /// The inputs of all switches, which have so many ports for links.
    pub fn inputs(layout: &Layout, switches: usize, (order, links): (PortOrder, usize)) -> Self {
        Self::new(layout, switches, (order, links, 0), |group| match group.end {
            End::Switch(switch) => Some(switch),
            End::Node(_) => None,
        })
    }

    /// The outputs of all switches.
    pub fn outputs(layout: &Layout, switches: usize, (order, links): (PortOrder, usize)) -> Self {
        // A port is named by where it leads: to the larger coordinate by an odd one.
        Self::new(layout, switches, (order, links, 1), |group| match group.kind {
            ChannelKind::Internal | ChannelKind::Ejection => Some(SwitchId(group.from)),
            ChannelKind::Injection | ChannelKind::Direct => None,
        })
    }

    fn new(
        layout: &Layout,
        switches: usize,
        (order, links, turned): (PortOrder, usize, usize),
        of: impl Fn(&Group) -> Option<SwitchId>,
    ) -> Self {
        let mut places = vec![Place::default(); layout.channels()];
        let mut ports = vec![0_u16; switches];
        let mut port_of_wire = vec![u16::MAX; layout.channels()];
        let mut on_wire = vec![0_u16; layout.channels()];
        let is_of_node = |kind| matches!(kind, ChannelKind::Injection | ChannelKind::Ejection);
        for of_nodes in [order.nodes_first(), !order.nodes_first()] {
            let begins = ports.clone();
            let by_dimension = order.by_dimension() && !of_nodes;
            if by_dimension {
                ports.iter_mut().for_each(|count| *count += links as u16);
            }
            for group in layout.groups.iter().filter(|g| is_of_node(g.kind) == of_nodes) {
                let Some(switch) = of(group) else { continue };
                let port = layout.port_and_class(group).map_or(0, |(port, _)| port ^ turned);
                for channel in group.channels() {
                    let wire = layout.wire_of[channel.index()].index();
                    if port_of_wire[wire] == u16::MAX && by_dimension {
                        port_of_wire[wire] = begins[switch.index()] + port as u16;
                    } else if port_of_wire[wire] == u16::MAX {
                        port_of_wire[wire] = ports[switch.index()];
                        ports[switch.index()] += 1;
                    }
                    places[channel.index()] =
                        Place { port: port_of_wire[wire], lane: on_wire[wire] };
                    on_wire[wire] += 1;
                }
            }
        }
        let lanes = u32::from(on_wire.iter().copied().max().unwrap_or(1).max(1));
        let mut side = Self { of: places, lanes, ports, begins: Vec::new(), channels: Vec::new() };
        side.fill(layout, of);
        side
    }

    fn fill(&mut self, layout: &Layout, of: impl Fn(&Group) -> Option<SwitchId>) {
        let mut begin = 0;
        for &ports in &self.ports {
            self.begins.push(begin);
            begin += u32::from(ports) * self.lanes;
        }
        self.channels = vec![ChannelId::NONE; begin as usize];
        for group in &layout.groups {
            let Some(switch) = of(group) else { continue };
            for channel in group.channels() {
                let place = self.begins[switch.index()] + self.number(channel);
                self.channels[place as usize] = channel;
            }
        }
    }

    /// The number of a channel at its switch.
    #[inline]
    pub fn number(&self, channel: ChannelId) -> u32 {
        let place = self.of[channel.index()];
        u32::from(place.port) * self.lanes + u32::from(place.lane)
    }

    /// The channel of a number at a switch.
    #[inline]
    pub fn channel(&self, switch: u32, number: u32) -> ChannelId {
        self.channels[(self.begins[switch as usize] + number) as usize]
    }

    /// Those that a switch has as bits by number, of which there are at most 128.
    pub fn all(&self, switch: usize) -> u128 {
        let numbers = 0..self.count(switch) as u32;
        let is_there = |number: &u32| self.channel(switch as u32, *number).is_some();
        numbers.filter(is_there).fold(0, |all, number| all | 1 << number)
    }

    /// How many numbers a switch has.
    pub fn count(&self, switch: usize) -> usize {
        usize::from(self.ports[switch]) * self.lanes as usize
    }
}
