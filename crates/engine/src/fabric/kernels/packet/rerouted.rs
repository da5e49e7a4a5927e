//! Tables of routing have changed: packets at the front of buffers go by the new ones.

use super::PacketKernel;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::ChannelKind;

impl PacketKernel {
    /// Where packets ask at allocators these look again; elsewhere those that ask for another output by the new
    /// tables leave the one they have asked for, or have been granted.
    #[cold]
    pub(super) fn goes_by_new_tables(&mut self, act: &mut Act) {
        for number in 0..self.board.channels.len() {
            let input = ChannelId::from_index(number);
            let port = self.board.at(input).port;
            let id = port.buffer.first;
            if !port.switch.is_some() || !id.is_some() {
                continue;
            }
            if self.board.choices.is_some() {
                self.looks_again(input, id, act);
                continue;
            }
            let (old, new) = (port.front_output, act.wiring.asks_at(port.switch, &act.packets[id]));
            if old == new {
                continue;
            }
            let has_asked = self.gives_up(input, old, act);
            self.board.at_mut(input).port.front_output = new;
            if has_asked {
                act.leaves_link(id, old);
                act.packets.asks_anew(id, act.now);
                self.board.wait(input, act.packets);
                self.board.mark(new);
            }
        }
    }

    /// A packet that asks at an allocator does so by the new tables, which need not allow the output whose
    /// link is down.
    fn looks_again(&mut self, input: ChannelId, id: PacketId, act: &mut Act) {
        let (switch, allocator) = {
            let port = &self.board.at(input).port;
            (port.switch, port.front_output)
        };
        if !self.board.waiting(allocator).any(|other| other == input) {
            return;
        }
        self.board.mark(allocator);
        let header = act.packets[id].header();
        let Some(old) = act.wiring.lead_before(switch, header) else { return };
        let mut outputs = self.board.take_outputs();
        let is_left = act.wiring.leads(switch, header, &mut outputs).all(|(lead, _)| lead != old);
        self.board.put_outputs(outputs);
        if is_left {
            act.leaves_link(id, old);
        }
    }

    /// The packet at the front of a buffer asks for an output no more; whether it has.
    fn gives_up(&mut self, input: ChannelId, lead: ChannelId, act: &mut Act) -> bool {
        let output = self.board.at_mut(lead);
        if output.port.kind == ChannelKind::Ejection {
            return false;
        }
        if output.granted == input {
            output.granted = ChannelId::NONE;
            if output.keeps() {
                output.set_keeps(false);
                let (kept, since) = (output.kept, output.kept_from);
                act.measures.kept(kept, output.port.kind, act.now - since);
            }
        } else {
            let waiting = self.board.waiting(lead);
            let others: Vec<ChannelId> = waiting.take_while(|&other| other != input).collect();
            if others.len() == self.board.waiting(lead).count() {
                return false;
            }
            self.board.unlink(lead, others.last().copied().unwrap_or(ChannelId::NONE));
            self.board.arbiter.withdrawn(lead, input);
        }
        self.board.mark(lead);
        true
    }
}
