//! What channels are to messages, for the account of who makes whom late.

use super::kernel::Traits;
use super::kernels::packet::speedups;
use super::network::layout::{End, Layout};
use super::network::wiring::Wiring;
use crate::ids::{ChannelId, NodeId};
use crate::measure::ChannelKind;
use crate::measure::late::{Places, Rules, Site, Sites, Stations};
use crate::spec::{Arbiter, Fidelity, Machine, Mode, Pause};

/// What channels are to messages, and how packets stand and are served; `engines` as
/// [`Kernel::engines`](super::kernel::Kernel::engines) has them.
pub fn sites(
    wiring: &Wiring,
    traits: &Traits,
    engines: &[ChannelId],
    (machine, mode, fidelity): (&Machine, Mode, Fidelity),
) -> Sites {
    let (layout, is_full) = (&wiring.layout, mode == Mode::Full);
    let by_output = traits.queues_by_output && is_full;
    let site_of = if wiring.integrated_timing.is_some() { integrated_site } else { site };
    let pauses = machine.switch.frames.as_ref().is_some_and(|frames| frames.pause != Pause::Off);
    let of: Vec<Site> = all(layout).map(|channel| site_of(layout, channel)).collect();
    let rules = rules(wiring, traits, (machine, mode, fidelity));
    let is_inner = |site: &Site| matches!(site, Site::Between | Site::Into(_));
    // Messages share what is at nodes, receive FIFOs as well.
    let has_stations = is_full || traits.receives && wiring.integrated_timing.is_none();
    let stations =
        if has_stations { stations(wiring, traits, engines) } else { Stations::default() };
    let places = Places {
        is_private: of
            .iter()
            .chain(stations.sites())
            .map(|site| rules.is_private && is_inner(site))
            .collect(),
        alike: if is_full { Vec::new() } else { alike(layout) },
        beside: layout.beside(),
        speedups: by_output.then(|| speedups(machine, wiring)),
        stations,
        lists: if is_full { lists(wiring, traits) } else { Vec::new() },
        outgoing: if is_full && pauses { beyond(layout) } else { Vec::new() },
    };
    Sites { of, places, rules }
}

fn all(layout: &Layout) -> impl Iterator<Item = ChannelId> {
    (0..layout.channels()).map(ChannelId::from_index)
}

fn site(layout: &Layout, channel: ChannelId) -> Site {
    let group = layout.group(channel);
    match (group.kind, group.end) {
        (ChannelKind::Injection | ChannelKind::Direct, _) => Site::From(NodeId(group.from)),
        (_, End::Node(node)) => Site::To(node),
        _ => Site::Between,
    }
}

/// The same where nodes are their own switches: node i is at switch i.
fn integrated_site(layout: &Layout, channel: ChannelId) -> Site {
    match layout.group(channel).end {
        End::Node(node) => Site::To(node),
        End::Switch(switch) => Site::Into(NodeId(switch.0)),
    }
}

fn rules(
    wiring: &Wiring,
    traits: &Traits,
    (machine, mode, fidelity): (&Machine, Mode, Fidelity),
) -> Rules {
    // Whole packets are not stopped between their headers and their ends.
    let are_stopped = traits.stretches && fidelity != Fidelity::Packet;
    let by_output = traits.queues_by_output && mode == Mode::Full;
    let chooses = wiring.routing.chooses() || wiring.routing.weighs();
    let is_wide = wiring.layout.groups.iter().any(|group| group.width > 1);
    // Where switches keep a queue for each output a packet chooses when it is ready, and stands in that queue
    // from then on unless links fail.
    let chooses_waiting = chooses && !(by_output && wiring.faults.is_none());
    // A circuit has no buffers: its channels are held.
    let holds = traits.holds_channels;
    let has_no_buffers = traits.has_no_buffers || holds;
    Rules {
        are_in_order: !has_no_buffers && !by_output,
        come_in_order: machine.switch.arbiter == Arbiter::Fifo && !machine.switch.ack_priority,
        is_private: mode != Mode::Full,
        are_stopped: are_stopped || holds,
        are_held: holds,
        regrant_ps: machine.switch.regrant_delay_ps,
        credit_ps: if are_stopped { machine.link.credit_delay_ps } else { 0 },
        have_choice: is_wide || chooses || wiring.routing.varies(),
        choose_outputs: is_wide || chooses_waiting,
        has_acks: machine.interface.acknowledges,
        asks_of_all: machine.interface.window.is_some()
            || machine.interface.acknowledges
            || machine.interface.costs().is_some(),
        capacity: if has_no_buffers {
            u32::MAX
        } else {
            machine.switch.input_buffer_flits.unwrap_or(u32::MAX)
        },
    }
}

/// Engines of switches, each named by a channel into its switch, and receive FIFOs, named by the first channel
/// into their nodes.
fn stations(wiring: &Wiring, traits: &Traits, engines: &[ChannelId]) -> Stations {
    let layout = &wiring.layout;
    if wiring.integrated_timing.is_some() {
        let from = |channel| NodeId(layout.group(channel).from);
        return Stations::first(&all(layout).map(from).collect::<Vec<_>>());
    }
    if engines.is_empty() && !traits.receives {
        return Stations::default();
    }
    let mut first: Vec<Option<ChannelId>> = Vec::new();
    let named = |channel: ChannelId| match layout.group(channel).end {
        End::Node(node) => {
            first.resize(first.len().max(node.index() + 1), None);
            *first[node.index()].get_or_insert(channel)
        }
        End::Switch(_) => engines.get(channel.index()).copied().unwrap_or(channel),
    };
    let site = |channel: ChannelId| match layout.group(channel).end {
        End::Node(node) => Site::To(node),
        End::Switch(_) => Site::Between,
    };
    Stations::new(all(layout).map(named).collect(), all(layout).map(site).collect())
}

/// By channel: the first of those of its group, and how many these are, where they begin or end at a node. Of
/// others nobody asks.
fn alike(layout: &Layout) -> Vec<(ChannelId, u16)> {
    let group = |channel| {
        let group = layout.group(channel);
        let is_inner = group.kind == ChannelKind::Internal;
        (if is_inner { channel } else { group.first }, if is_inner { 1 } else { group.width })
    };
    all(layout).map(group).collect()
}

/// By channel, where nodes are one with their switches, and packets leave them out of one list each: the node
/// it comes from.
fn lists(wiring: &Wiring, traits: &Traits) -> Vec<NodeId> {
    let have_lists = traits.lists > 0 || traits.holds_channels;
    if wiring.integrated_timing.is_none() || !have_lists {
        return Vec::new();
    }
    all(&wiring.layout).map(|channel| NodeId(wiring.layout.group(channel).from)).collect()
}

/// By channel: the channels out of the switch at its end.
fn beyond(layout: &Layout) -> Vec<Vec<ChannelId>> {
    let mut out: Vec<Vec<ChannelId>> = vec![Vec::new(); layout.allocators.len()];
    for channel in all(layout) {
        let group = layout.group(channel);
        if matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
            out[group.from as usize].push(channel);
        }
    }
    let behind = |channel| match layout.group(channel).end {
        End::Switch(switch) => out[switch.index()].clone(),
        End::Node(_) => Vec::new(),
    };
    all(layout).map(behind).collect()
}
