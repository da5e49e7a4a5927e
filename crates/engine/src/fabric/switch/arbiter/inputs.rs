//! In which order the inputs of a switch take turns.

use crate::fabric::network::layout::{End, Layout};
use crate::ids::ChannelId;
use crate::measure::ChannelKind;
use crate::spec::Ports;

/// By channel that ends at a switch: its place among all of them in the order of ports, those of one
/// port in the order of their numbers. What others have means nothing.
pub fn by_port(ports: &Ports, layout: &Layout) -> Vec<u32> {
    let back = layout.ports_back();
    let is_listed = !ports.nodes.is_empty();
    let mut keys = Vec::with_capacity(layout.channels());
    let mut links = ports.links.iter();
    let mut latest = (None, None);
    for (group, back) in layout.groups.iter().zip(back) {
        if !matches!(group.end, End::Switch(_)) {
            continue;
        }
        // Nodes before links, unless their ports are known.
        let key = if group.kind == ChannelKind::Injection {
            let port = ports.nodes.get(group.from as usize);
            (false, port.copied().unwrap_or_default())
        } else {
            let port = layout.port_and_class(group).map(|(port, _)| (group.from, port));
            if latest.0 != port {
                latest = (port, links.next().copied());
            }
            let port = latest.1.or(back.map(|port| port as u32)).unwrap_or(u32::MAX);
            (!is_listed, port)
        };
        keys.extend(group.channels().map(|channel| (key, channel)));
    }
    keys.sort_unstable();
    let mut order = vec![0; layout.channels()];
    for (place, (_, channel)) in (0..).zip(keys) {
        order[ChannelId::index(channel)] = place;
    }
    order
}
