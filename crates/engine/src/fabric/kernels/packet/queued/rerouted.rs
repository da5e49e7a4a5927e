//! Tables of routing have changed: packets that wait for a link that is down go by the new ones.

use super::QueuedKernel;
use super::lines::LineId;
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::ChannelKind;

/// A packet that is to ask anew, and by which channel it came.
type Moved = (ChannelId, PacketId);

impl QueuedKernel {
    /// Packets on their way to a switch will join the queues of outputs by the new tables, and those that wait
    /// for a link that is down do so now.
    #[cold]
    pub(super) fn goes_by_new_tables(&mut self, act: &mut Act) {
        for number in 0..self.board.channels.len() {
            let input = ChannelId::from_index(number);
            let port = &self.board.at(input).port;
            if port.switch.is_some() && port.buffer.first.is_some() {
                self.notes_output(input, port.buffer.first, act);
            }
        }
        let mut moved = Vec::new();
        for number in 0..act.wiring.layout.groups.len() {
            let group = act.wiring.layout.groups[number];
            if group.kind == ChannelKind::Internal && act.down_until(group.first).is_some() {
                let switch = SwitchId(group.from);
                if self.in_queues {
                    self.leave_queue(group.first, switch, &mut moved, act);
                } else {
                    self.leave_lines(group.first, switch, &mut moved, act);
                }
            }
        }
        // They ask in the order of the channels they came by, and of one channel in that in which they came.
        moved.sort_by_key(|&(input, id)| (input, act.packets.waits_since(id)));
        for (input, id) in moved {
            act.packets.asks_anew(id, act.now);
            let lead = self.output_now(input, id, act);
            self.joins(input, id, lead, act);
        }
    }

    /// The output that a packet goes by that is ready.
    fn output_now(&mut self, input: ChannelId, id: PacketId, act: &mut Act) -> ChannelId {
        let first = self.board.at(input).port.front_output;
        self.notes_output(input, id, act);
        let lead = self.output_of(input, id, act);
        self.board.at_mut(input).port.front_output = first;
        lead
    }

    /// Whether a packet at a switch is not to leave it by a group of channels any more: then it asks anew.
    fn moves(
        &mut self,
        (input, id): Moved,
        (lead, switch): (ChannelId, SwitchId),
        moved: &mut Vec<Moved>,
        act: &mut Act,
    ) -> bool {
        let mut outputs = self.board.take_outputs();
        let header = act.packets[id].header();
        let is_turned =
            act.wiring.leads(switch, header, &mut outputs).all(|(other, _)| other != lead);
        self.board.put_outputs(outputs);
        if is_turned {
            act.leaves_link(id, lead);
            moved.push((input, id));
        }
        is_turned
    }

    /// Those that are not to leave by an output any more leave its queue.
    fn leave_queue(
        &mut self,
        lead: ChannelId,
        switch: SwitchId,
        moved: &mut Vec<Moved>,
        act: &mut Act,
    ) {
        let place = self.board.at(lead).rest.lead;
        if self.wires.is_some() && self.board.at(lead).queue.first.is_some() {
            let before = self.board.waiting(place).take_while(|&other| other != lead).last();
            self.board.unlink(place, before.unwrap_or(ChannelId::NONE));
        }
        let mut stay = Vec::new();
        while self.board.at(lead).queue.first.is_some() {
            let id = self.board.at_mut(lead).queue.pop(act.packets);
            let input = act.packets.came_by(id);
            if self.wires.is_some() {
                let mut latest = self.board.at(input).latest();
                self.latest.leave(&mut latest, id);
                self.board.at_mut(input).set_latest(latest);
            }
            if !self.moves((input, id), (lead, switch), moved, act) {
                stay.push((input, id));
            }
        }
        for &(input, id) in &stay {
            self.board.at_mut(lead).queue.push(id, act.packets);
            if self.wires.is_some() {
                let mut latest = self.board.at(input).latest();
                self.latest.join(&mut latest, id, lead);
                self.board.at_mut(input).set_latest(latest);
            }
        }
        if self.wires.is_some() && !stay.is_empty() {
            self.waits_in_turn(place, lead, act.packets);
        }
        self.board.mark(place);
    }

    /// The same where they stand in lines.
    fn leave_lines(
        &mut self,
        lead: ChannelId,
        switch: SwitchId,
        moved: &mut Vec<Moved>,
        act: &mut Act,
    ) {
        let place = self.board.at(lead).rest.lead;
        let lines = self.lines.at_place(self.board.at(place).ends[0]);
        let lines: Vec<LineId> = lines.filter(|&line| self.lines.at(line).lead == lead).collect();
        for line in lines {
            let (input, front) = (self.lines.at(line).input, self.lines.front(line));
            let mut stay = Vec::new();
            while self.lines.front(line).is_some() {
                let id = self.lines.pop(line, act.packets);
                if !self.moves((input, id), (lead, switch), moved, act) {
                    stay.push(id);
                }
            }
            for &id in &stay {
                self.lines.push(line, id, act.packets);
            }
            if stay.first() == Some(&front) {
                continue;
            }
            self.lines.remove(line, &mut self.board.at_mut(place).ends);
            if stay.is_empty() {
                let mut first = self.board.at(input).lines;
                self.lines.end(line, &mut first);
                self.board.at_mut(input).lines = first;
            } else {
                self.begins_to_ask(line, act);
            }
        }
        self.board.mark(place);
    }
}
