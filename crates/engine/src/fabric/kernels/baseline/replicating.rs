//! Packets with riders: copies are made where their ways part.
//!
//! As far as ways are the same there is one packet, on every channel and in every queue.

use super::{BaselineKernel, Start, goes_on_after};
use crate::fabric::act::Act;
use crate::fabric::network::timing::Running;
use crate::ids::{PacketId, SwitchId};
use crate::measure::ChannelKind;

impl BaselineKernel {
    /// A packet with riders has started on the channel to a switch: those for each output run on
    /// from there, in the order of the first of each.
    pub(super) fn fans_out(
        &mut self,
        id: PacketId,
        switch: SwitchId,
        start: Start,
        running: Running,
        act: &mut Act,
    ) {
        let wiring = act.wiring;
        let base = self.parts.len();
        act.part(id, &mut self.parts, |packet| wiring.first_lead(switch, packet.header()));
        let group = wiring.layout.group(start.channel);
        let end = self.parts.len();
        for place in base..end {
            let part = self.parts[place];
            let ready = start.at + goes_on_after(part.carrier, group, part.output, act);
            let mut next = Start { channel: part.output, ready, at: ready };
            match wiring.layout.group(part.output).kind {
                ChannelKind::Internal => self.begins_internal(part.carrier, &mut next, act),
                _ if self.endpoints.is_some() => {
                    self.heads_for(part.carrier, ready, running, act);
                    continue;
                }
                _ => {}
            }
            self.runs_on(part.carrier, next, running, act);
        }
        self.parts.truncate(base);
    }
}
