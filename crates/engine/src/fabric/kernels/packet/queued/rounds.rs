//! Rounds, where an input sends only so many packets at a time: outputs name inputs, and inputs take outputs.

use super::QueuedKernel;
use super::lines::LineId;
use crate::fabric::act::Act;
use crate::ids::ChannelId;
use crate::measure::ChannelKind;

/// A place names an input, for the first packet of one of its lines.
#[derive(Clone, Copy)]
pub struct Named {
    input: ChannelId,
    /// How far behind the channel that the input sent to last this one is.
    behind: u32,
    channel: ChannelId,
    line: LineId,
}

impl QueuedKernel {
    /// Nodes send what they can; marked places name inputs, each takes as many as it may send, in order behind
    /// the one it sent to last, and those left over look again, until nobody is named.
    pub(super) fn act_in_rounds(&mut self, act: &mut Act) {
        loop {
            while let Some((lead, kind)) = self.board.next_marked() {
                match kind {
                    ChannelKind::Injection | ChannelKind::Direct => self.serve_source(lead, act),
                    ChannelKind::Internal | ChannelKind::Ejection => self.name(lead, act),
                }
            }
            if self.named.is_empty() {
                return;
            }
            self.named.sort_unstable_by_key(|named| (named.input, named.behind));
            for place in 0..self.named.len() {
                let Named { input, channel, line, .. } = self.named[place];
                let lead = self.lines.at(line).lead;
                if self.may_send(input, act.now) {
                    self.sends(line, channel, act);
                    if !self.may_send(input, act.now) {
                        self.wakes_blocked(input);
                    }
                }
                // It may have another channel, or another best.
                let place = self.board.at(lead).rest.lead;
                self.board.mark(place);
            }
            self.named.clear();
        }
    }

    /// A place names the best input for which there is a channel.
    fn name(&mut self, place: ChannelId, act: &mut Act) {
        if let Some((line, channel)) = self.look(place, act) {
            let input = self.lines.at(line).input;
            let last = self.board.at(input).last;
            let behind = channel.0.wrapping_sub(last.0).wrapping_sub(1);
            self.named.push(Named { input, behind, channel, line });
        }
    }

    /// An input sends as many packets as it may: where it was best and lacked room others are now.
    fn wakes_blocked(&mut self, input: ChannelId) {
        let mut line = self.board.at(input).lines;
        while line.is_some() {
            let &super::lines::Line { lead, next_of_input, .. } = self.lines.at(line);
            let place = self.board.at(lead).rest.lead;
            if self.board.at(place).is_blocked() {
                self.board.mark(place);
            }
            line = next_of_input;
        }
    }
}
