//! What packets of one length do on one way: the same for each, so it is found out once.

use super::ways::{Way, channel_of};
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Undisturbed;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;
use crate::time::Time;

/// That of the packets of a flow, as long as the latest.
#[derive(Clone, Default)]
pub struct Passage {
    /// Data bytes of the packets; none: nothing is known yet.
    bytes: Option<u32>,
    /// How long it takes on the slowest channel, or to be drained, and in all, alone.
    pub takes: Time,
    pub lifetime: Time,
    /// From when it sets out until its header could start on its first channel between switches,
    /// if it has one, and until it is at its destination.
    pub first_internal: Option<Time>,
    pub header_ps: Time,
    /// The channels it crosses.
    pub channels: Vec<ChannelId>,
    /// How long each channel of its way is busy; parallel ones equally.
    pub busy: Vec<(ChannelId, Time)>,
    /// The same in sum over injection, internal and ejection channels.
    pub busy_by_kind: [Time; 3],
    /// What routing remembers of it at its end, and how it fares alone.
    route: u32,
    undisturbed: Undisturbed,
}

impl Passage {
    /// Nothing is known, and no channel busy.
    pub fn forget(&mut self) {
        self.bytes = None;
        self.busy.clear();
    }

    /// Lets a packet that sets out cross all channels of its way.
    pub fn cross(&mut self, id: PacketId, way: &Way, turn: u32, act: &mut Act) {
        let bytes = act.packets[id].bytes;
        if self.bytes == Some(bytes) {
            let hops = self.channels.len() as u16;
            return act.packets.has_crossed(id, (hops, self.route), self.undisturbed, act.wiring);
        }
        self.forget();
        self.channels.clear();
        (self.takes, self.busy_by_kind, self.first_internal) = (0, [0; 3], None);
        let (wiring, mut at) = (act.wiring, 0);
        for (place, &lead) in way.leads.iter().enumerate() {
            let group = wiring.layout.group(lead);
            let timing = &wiring.timings[usize::from(group.rate)];
            let (channel, takes) = (channel_of(group, turn), timing.packet_ps(bytes));
            self.channels.push(channel);
            self.takes = self.takes.max(takes);
            for (place, channel) in group.channels().enumerate() {
                // Rounded so that they add up.
                let share = (takes + place as Time) / Time::from(group.width);
                self.busy.push((channel, share));
            }
            self.busy_by_kind[group.kind.in_sums()] += takes;
            act.packets.crosses(id, channel, wiring);
            if group.kind == ChannelKind::Internal && self.first_internal.is_none() {
                self.first_internal = Some(at);
            }
            self.header_ps = at + timing.header_ps + timing.wire_ps;
            if let Some(&next) = way.leads.get(place + 1) {
                let after = wiring.onward_ps(timing, wiring.timing(next), bytes);
                if !wiring.goes_on_behind_header() {
                    act.packets.goes_on_after(id, after, wiring);
                }
                at += after;
            }
        }
        self.takes = self.takes.max(wiring.drain_ps(bytes));
        let packet = &act.packets[id];
        (self.route, self.undisturbed) = (packet.route, act.packets.undisturbed(id));
        self.lifetime = wiring.zero_load(packet, &self.undisturbed).lifetime;
        self.bytes = Some(bytes);
    }
}
