//! The way of a packet through the fabric: found when it sets out, the same for all its cells.

use super::CellsKernel;
use crate::fabric::act::Act;
use crate::fabric::network::cells::CellTiming;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::{Wiring, ZeroLoad};
use crate::ids::{ChannelId, MessageId, PacketId};
use crate::measure::ChannelKind;
use crate::time::Time;

/// What is known of a packet on its way.
#[derive(Clone, Debug)]
pub struct OnWay {
    /// The message whose packets it meets in mode `endpoints`.
    pub owner: MessageId,
    /// The port into the fabric, links, and the port out of it.
    pub channels: Vec<ChannelId>,
    /// Its cells.
    pub cells: u32,
    /// When its card has all of it.
    pub entry: Time,
    /// When its last cell asked last.
    pub asked: Time,
}

impl OnWay {
    /// From a cell's start at a place of the way until it asks at the next.
    #[inline]
    pub fn after(&self, place: u16, timing: &CellTiming, wiring: &Wiring) -> Time {
        let (place, last) = (usize::from(place), self.channels.len() - 1);
        let stays = last == 1;
        let mut after = match place {
            0 if stays => 0,
            0 => timing.leave_ps,
            _ if place < last => timing.hop_ps + wiring.timing(self.channels[place]).wire_ps,
            _ => 0,
        };
        if place + 1 == last {
            after += timing.across_ps;
        }
        after
    }
}

impl CellsKernel {
    /// Finds the way of a packet that sets out, over all of whose channels it then counts as going.
    pub(super) fn find_way(&mut self, id: PacketId, act: &mut Act) {
        if self.packets.len() <= id.index() {
            let (owner, channels) = (act.packets[id].message, Vec::new());
            let nothing = OnWay { owner, channels, cells: 0, entry: 0, asked: 0 };
            self.packets.resize(id.index() + 1, nothing);
        }
        let (wiring, layout) = (act.wiring, &act.wiring.layout);
        let channels = &mut self.packets[id.index()].channels;
        channels.clear();
        let mut links = None;
        let mut lead = wiring.injection_lead(act.packets[id].source, act.packets[id].traffic());
        let first = wiring.timing(lead);
        loop {
            act.packets.crosses(id, lead, wiring);
            let group = layout.group(lead);
            let End::Switch(card) = group.end else { break };
            match group.kind {
                ChannelKind::Internal => {
                    channels.push(lead);
                    let delay = self.timing.hop_ps + wiring.timing(lead).wire_ps;
                    links = Some(links.unwrap_or(0) + delay);
                }
                _ => channels.push(layout.port_in(card)),
            }
            lead = wiring.first_lead(card, act.packets[id].header());
            if layout.group(lead).kind != ChannelKind::Internal {
                channels.push(layout.port_out(card));
                // The ports at both ends.
                act.packets[id].hops += 2;
            }
            if act.packets.strayed().is_some() {
                break;
            }
        }
        let (last, bytes) = (wiring.timing(lead), act.packets[id].bytes);
        let first_hop = self.timing.line_ps(first, bytes) + first.wire_ps;
        let last_hop = self.timing.line_ps(last, bytes) + last.wire_ps;
        let last_start = first_hop + self.timing.through_ps(bytes, links);
        let zero_load =
            ZeroLoad { lifetime: last_start + last_hop, first_hop, last_start, last_hop };
        act.packets.fares_alone(id, zero_load.into());
    }
}
