//! Parts of machines that several tests put together.

use tailback_engine::spec::{GraphLink, LinkClass, Machine, Switching, Unit};

/// How messages cross a machine whose nodes are their own switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As one packet that is stored at every node, in queues without bounds.
    StoreAndForward,
    /// The same, but packets go on when their headers are there.
    CutThrough,
    /// The header gets the channels one by one; the data follow.
    Circuit,
    /// As one packet, flit by flit.
    Wormhole,
    /// As packets that are stored in queues with so many places.
    Packets { places: u32, reserve: bool, overtaking: bool },
}

impl Scheme {
    /// That of a machine.
    pub fn of(machine: &Machine) -> Self {
        let switch = &machine.switch;
        assert!(switch.integrated);
        match (machine.interface.unit, switch.switching) {
            (Unit::Packet, _) => {
                let places = switch.output_queue_packets.unwrap();
                Self::Packets { places, reserve: switch.reserve, overtaking: switch.overtaking }
            }
            (_, Switching::StoreAndForward) => Self::StoreAndForward,
            (_, Switching::CutThrough) => Self::CutThrough,
            (_, Switching::Circuit) => Self::Circuit,
            (_, Switching::Wormhole) => Self::Wormhole,
        }
    }

    pub fn has_packets(self) -> bool {
        matches!(self, Self::Packets { .. })
    }

    /// Joins nodes and switches of a machine.
    pub fn join(self, machine: &mut Machine) {
        let switch = &mut machine.switch;
        switch.integrated = true;
        switch.switching = match self {
            Self::StoreAndForward | Self::Packets { .. } => Switching::StoreAndForward,
            Self::CutThrough => Switching::CutThrough,
            Self::Circuit => Switching::Circuit,
            Self::Wormhole => Switching::Wormhole,
        };
        if let Self::Packets { places, reserve, overtaking } = self {
            switch.output_queue_packets = Some(places);
            (switch.reserve, switch.overtaking) = (reserve, overtaking);
        }
        machine.interface.acknowledges = false;
        machine.interface.window = None;
        machine.interface.unit = if self.has_packets() { Unit::Packet } else { Unit::Message };
    }
}

/// A link whose flits take so long, and its control tokens.
pub fn rate(flit_ps: u64, control_ps: u64) -> LinkClass {
    let (flit_ps, control_ps) = (Some(flit_ps), Some(control_ps));
    LinkClass { flit_ps, control_ps, ..LinkClass::default() }
}

/// Gives links between nodes and switches a rate.
pub fn set_node_rate(machine: &mut Machine, rate: LinkClass) {
    machine.set_node_link(|own| *own = LinkClass { width: own.width, ..rate });
}

/// Gives links between switches rates by dimension.
pub fn set_rates(machine: &mut Machine, rates: impl IntoIterator<Item = LinkClass>) {
    let names = ["x", "y", "z", "x3", "x4"];
    machine.link_classes = names.map(String::from).into_iter().zip(rates).collect();
}

/// Makes all links alike, but for their widths.
pub fn clear_rates(machine: &mut Machine) {
    machine.set_node_link(|own| *own = LinkClass { width: own.width, ..LinkClass::default() });
    machine.link_classes.clear();
}

/// Whether all links are alike, but for their widths.
pub fn are_alike(machine: &Machine) -> bool {
    let node_link = LinkClass { width: None, ..machine.node_link() };
    node_link == LinkClass::default() && machine.link_classes.is_empty()
}

/// A link of a graph with a delay.
pub fn delayed(from: u32, to: u32, width: u16, delay_ps: u64) -> GraphLink {
    GraphLink { delay_ps: Some(delay_ps), ..GraphLink::new(from, to, width) }
}
