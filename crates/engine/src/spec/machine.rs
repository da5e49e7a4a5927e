//! A machine in five parts, and what the engine asks of them together.

use super::arbiter::Arbiter;
use super::collective::Collectives;
use super::interface::{Interface, Local, MessageOrder, Multicast, Unit};
use super::link::{FlowControl, Framing, HalfDuplex, Link, LinkClass, Sharing};
use super::loggops::LogGops;
use super::ports::Ports;
use super::routing::{Routing, RoutingSpec, Selection};
use super::switch::{Switch, Switching};
use super::topology::TopologySpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A machine: who is wired to whom, by what, and how packets find their way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Switches, nodes and the links between them.
    pub topology: TopologySpec,
    /// The physical links.
    pub link: Link,
    /// What differs between nodes and switches.
    #[serde(default)]
    pub node_link: Option<LinkClass>,
    /// What differs on a class of links, by the name the topology gives to it.
    #[serde(default)]
    pub link_classes: BTreeMap<String, LinkClass>,
    /// Links, by the switches at their ends, where nobody has to wait for another: of as many
    /// parallel ones, both ways, as there can be packets that want one.
    #[serde(default)]
    pub uncontended: Vec<(u32, u32)>,
    /// The switches.
    pub switch: Switch,
    /// The ports of switches, if arbiters go round them; absent: they go round channels, by number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<Ports>,
    /// Which way packets go.
    #[serde(default)]
    pub routing: Routing,
    /// The nodes' network interfaces.
    pub interface: Interface,
    /// What messages take where there is no network at all; for traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loggops: Option<LogGops>,
}

impl Machine {
    /// The T9000/C104 machine with default constants on a topology; the width of
    /// the node's link is the degree of the network.
    pub fn t9000(topology: TopologySpec) -> Self {
        let degree = match &topology {
            TopologySpec::Mesh { dims } | TopologySpec::Torus { dims } => 2 * dims.len() as u32,
            TopologySpec::Hypercube { dimensions } => *dimensions,
            TopologySpec::FatTree { arity, .. } | TopologySpec::Butterfly { arity, .. } => *arity,
            _ => 1,
        };
        Self {
            topology,
            link: Link {
                flit_bytes: 1,
                flit_ps: 100_000,
                control_ps: 40_000,
                delay_ps: 0,
                width: 1,
                end_token: true,
                packet_gap_ps: 0,
                flow_control: FlowControl::InBand,
                credit_delay_ps: 0,
                sharing: Sharing::RoundRobin,
                half_duplex: HalfDuplex::No,
                framing: Framing::default(),
            },
            node_link: Some(LinkClass { width: Some(degree), ..LinkClass::default() }),
            link_classes: BTreeMap::new(),
            uncontended: Vec::new(),
            ports: None,
            switch: Switch::default(),
            routing: Routing::default(),
            loggops: None,
            interface: Interface {
                unit: Unit::Packet,
                packet_bytes: 32,
                first_packet_bytes: None,
                header_bytes: 1,
                acknowledges: true,
                ack_priority: true,
                window: Some(1),
                message_order: MessageOrder::Fifo,
                time_slice_ps: None,
                early_bytes: 0,
                costs: None,
                collectives: Collectives::default(),
                receive_fifo: None,
                drain_byte_ps: None,
                reply_queue: None,
                local: Local::Memory,
                multicast: Multicast::Unicast,
            },
        }
    }

    /// What differs between nodes and switches.
    pub fn node_link(&self) -> LinkClass {
        self.node_link.unwrap_or_default()
    }

    /// Wires between a node and its switch.
    pub fn node_width(&self) -> u32 {
        self.node_link().width.unwrap_or(self.link.width)
    }

    /// From the arrival of a header (of a frame: of all of it) by a link until it asks for an output or, if switches have a
    /// pipeline, until it starts on it at the soonest.
    pub fn switch_delay_ps(&self, link: &Link) -> u64 {
        match (self.switch.pipeline, self.switch.fall_through_ps) {
            (Some(pipeline), _) => u64::from(pipeline.cycles() - 1) * self.link.flit_ps,
            // That counts from when a flit begins to arrive.
            (None, Some(through)) => through.saturating_sub(link.flit_ps),
            (None, None) => {
                let forwarding = self.switch.frames.map_or(0, |frames| frames.forwarding_ps);
                self.switch.delay_ps + forwarding
            }
        }
    }

    /// Changes what differs between nodes and switches.
    pub fn set_node_link(&mut self, change: impl FnOnce(&mut LinkClass)) {
        change(self.node_link.get_or_insert_default());
    }

    /// Data bytes of a message's first packet, at most.
    pub fn first_packet_bytes(&self) -> u32 {
        self.interface.first_packet_bytes.unwrap_or(self.interface.packet_bytes)
    }

    /// Whether packets stand in queues at the outgoing channels of nodes that are switches.
    pub fn has_output_queues(&self) -> bool {
        self.switch.integrated && self.switch.switching.keeps_whole_packets()
    }

    /// Whether switches forward frames.
    pub fn forwards_frames(&self) -> bool {
        self.switch.frames.is_some()
    }

    /// Whether switches draw something at random for packets.
    pub fn draws_at_switches(&self) -> bool {
        self.switch.arbiter == Arbiter::Random
            || self.routing.selection == Selection::Random
            || self.routing.algorithm == RoutingSpec::Chaos
    }

    /// Whether a header may come to stand in a buffer behind another packet, or be bound to a
    /// channel whose buffer others have filled: then it cannot take the way out of a routing that
    /// has one [Duato 1993]. Elsewhere a channel is granted to such packets only if its buffer is
    /// empty or has room for all of them; a clock gives it away whatever its credits.
    pub fn joins_queues(&self) -> bool {
        self.switch.pipeline.is_some_and(|pipeline| !pipeline.atomic)
    }

    /// Whether circuits are made of the channels of a way.
    pub fn makes_circuits(&self) -> bool {
        self.switch.switching == Switching::Circuit
    }

    /// Whether every message is one packet.
    pub fn sends_whole_messages(&self) -> bool {
        self.interface.unit == Unit::Message
    }
}
