//! Fidelity `flit`: a channel sends straight from the input buffer that its packet
//! leaves; every flit that leaves a buffer is a credit for the channel into it.

use super::lane::Lane;
use super::{Control, TokensKernel};
use crate::fabric::act::Act;
use crate::fabric::deadlock::Standing;
use crate::fabric::kernels::lines::Mark;
use crate::fabric::switch::switchboard::Grants;
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

impl TokensKernel {
    /// Requests, grants, and every channel that can send starts to.
    pub(super) fn choose_direct(&mut self, act: &mut Act) {
        self.note_requests(act);
        loop {
            while let Some((lead, kind)) = self.board.next_marked() {
                self.serve(lead, kind, act);
            }
            if !self.asking.is_empty() {
                // They have come to the front of their nodes' lists by this.
                self.note_requests(act);
                continue;
            }
            while let Some(channel) = self.awake.pop() {
                self.board.at_mut(channel).sleeps();
                self.send_on(channel, act);
            }
            if !self.contend(act) {
                return;
            }
        }
    }

    /// How things stand at every channel; unknown where flow control is in band.
    pub fn standings(&self) -> Option<Vec<Standing>> {
        let rooms: Vec<u32> = match &self.control {
            Control::InBand { .. } => return None,
            Control::StopGo(gates) => gates.rooms(),
            Control::OutOfBand { credit } => {
                let credits = self.board.channels.iter().map(|lane| lane.credits);
                let mut rooms: Vec<u32> = credits.collect();
                for channel in credit.iter().flat_map(|&line| self.lines.on(line)) {
                    rooms[channel.index()] += 1;
                }
                rooms
            }
        };
        let standing = |(lane, room): (&Lane, u32)| Standing {
            owner: lane.packet,
            unsent: lane.unsent.into(),
            room: room.into(),
            shut: false,
            output: lane.output,
            front: lane.port.buffer.first,
        };
        Some(self.board.channels.iter().zip(rooms).map(standing).collect())
    }

    /// The last flit of a packet has been sent: the channel is free, and so is the
    /// front of the buffer the packet came from.
    pub(super) fn release(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        lane.packet = PacketId::NONE;
        let (input, lead) = (lane.input, lane.rest.lead);
        if self.integrated.is_some() {
            self.next_leaves(input, act);
        } else {
            self.front_falls_free(input);
        }
        self.board.mark(lead);
    }

    /// A channel starts its packet's next flit, if flit, channel and credit are there.
    #[inline]
    fn send_on(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at(channel);
        if !lane.packet.is_some() || lane.free_at > act.now || lane.unsent == 0 || lane.is_held() {
            return;
        }
        let input = lane.input;
        let has_credit = lane.credits > 0 || !lane.port.switch.is_some();
        if !has_credit || input.is_some() && self.board.at(input).held == 0 {
            if act.is_observed() && !has_credit && !self.board.at(channel).has_started() {
                let packet = self.board.at(channel).packet;
                self.board.observe_room(packet, || Some(channel), act);
            }
            self.stalls(channel, act.now);
            return;
        }
        if let Some(shared) = &mut self.shared {
            shared.contending.push(channel);
            return;
        }
        self.send_flit(channel, input, act);
    }

    /// A channel starts its packet's next flit, which leaves `input`.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(super) fn send_flit(&mut self, channel: ChannelId, input: ChannelId, act: &mut Act) {
        self.start(channel, act);
        if input.is_some() {
            self.board.at_mut(input).held -= 1;
            match self.control {
                Control::OutOfBand { credit: Some(line) } => {
                    self.lines.post(line, act.now, input, Mark::default());
                }
                Control::StopGo(_) => self.leaves(input, act.now),
                _ => self.credit(input, 1),
            }
        }
    }

    #[inline]
    pub(super) fn stalls(&mut self, channel: ChannelId, now: Time) {
        let lane = self.board.at_mut(channel);
        lane.stalled_from = lane.stalled_from.min(now);
    }
}

impl Grants for TokensKernel {
    #[inline]
    fn is_idle(channel: &Lane, _: Time) -> bool {
        !channel.packet.is_some()
    }

    #[inline]
    fn room_for_all(&self) -> Option<u32> {
        self.room_for_all
    }

    #[inline]
    fn room(&self, channel: ChannelId, _: Time) -> u32 {
        let lane = self.board.at(channel);
        if lane.port.switch.is_some() { lane.credits } else { u32::MAX }
    }

    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        if self.regrant.is_some() {
            self.grant_again(channel, id, input, act);
        }
        self.assign(channel, id, input, act);
        self.begin(channel, id, act);
        self.board.at_mut(channel).stalled_from = act.now;
        self.wake(channel);
    }
}
