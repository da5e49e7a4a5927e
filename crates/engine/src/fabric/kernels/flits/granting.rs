//! Who asks for channels and is granted them; in switches that take time to grant an output again, a
//! packet that had to wait for its output starts on it only a while after it was granted it.

use super::FlitsKernel;
use super::lane::Lane;
use crate::fabric::act::Act;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::Grants;
use crate::fabric::switch::weighing;
use crate::ids::{ChannelId, PacketId};
use crate::measure::blame::Observation;
use crate::rare::{rare, rarely};
use crate::spec::Machine;
use crate::time::Time;

/// What is kept of packets that wait for outputs.
#[derive(Clone)]
pub struct Regrant {
    delay_ps: Time,
    /// By channel: when the front packet of the buffer at its end asked last.
    asked: Vec<Time>,
}

impl Regrant {
    /// That of a machine, if it takes any time.
    pub fn new(machine: &Machine, wiring: &Wiring) -> Option<Self> {
        let delay_ps = machine.switch.regrant_delay_ps;
        (delay_ps > 0).then(|| Self { delay_ps, asked: vec![0; wiring.layout.channels()] })
    }

    /// Packets at the fronts of buffers ask now.
    pub fn ask(&mut self, inputs: &[ChannelId], now: Time) {
        for &input in inputs {
            self.asked[input.index()] = now;
        }
    }
}

impl FlitsKernel {
    /// Those that ask at this instant join the queues, in order of channel number.
    pub(super) fn note_requests(&mut self, act: &mut Act) {
        self.asking.sort_unstable();
        if act.wiring.routing.weighs() {
            for place in 0..self.asking.len() {
                let port = self.board.at(self.asking[place]).port;
                let waiting = |of: &Self, lead, act: &Act| of.board.waiting_flits(lead, act);
                let front = (port.switch, port.buffer.first);
                weighing::decide(self, front, act, Self::held, waiting);
            }
            for &channel in &self.asking {
                self.board.redirect(channel, act);
            }
        }
        if act.is_observed() {
            self.observe_requests(act);
        }
        if self.board.has_reply_places() {
            self.only_with_places(act);
        }
        if let Some(regrant) = rare(&mut self.regrant) {
            regrant.ask(&self.asking, act.now);
        }
        self.board.join(&mut self.asking, act.packets);
    }

    /// Of those that ask at this instant those stand back whose nodes have no places for replies; those
    /// for which there are some now ask behind the others.
    #[cold]
    #[inline(never)]
    fn only_with_places(&mut self, act: &mut Act) {
        let (board, asking) = (&mut self.board, &mut self.asking);
        asking.retain(|&channel| !board.lacks_reply_place(channel, act.now, act));
        board.give_places((act.now, act.now), act, |_, channel| asking.push(channel));
    }

    /// The front packet of `input` (none: the node's packet at hand) is to be granted a channel:
    /// before when it does not start.
    #[inline]
    fn starts_from(
        &self,
        channel: ChannelId,
        packet: PacketId,
        input: ChannelId,
        act: &mut Act,
    ) -> Time {
        let Some(regrant) = &self.regrant else { return act.now };
        let asked = if input.is_some() { regrant.asked[input.index()] } else { act.now };
        if asked == act.now {
            return act.now;
        }
        act.observe(Observation::Regranted { packet, channel, asked });
        act.now + regrant.delay_ps
    }
}

impl Grants for FlitsKernel {
    #[inline]
    fn is_idle(channel: &Lane, _: Time) -> bool {
        !channel.packet.is_some()
    }

    #[inline]
    fn room_for_all(&self) -> Option<u32> {
        self.room_for_all
    }

    fn idle_channel(&mut self, lead: ChannelId, act: &mut Act) -> Option<ChannelId> {
        let width = self.board.open_channels(lead).len() as u32;
        if self.is_deferring && width > 0 && !self.find_idle(lead, width, act) {
            return None;
        }
        self.lowest_idle(lead, act)
    }

    fn room(&self, channel: ChannelId, now: Time) -> u32 {
        let lane = self.board.at(channel);
        if !lane.port.switch.is_some() {
            return u32::MAX;
        }
        // What leaves at this instant does so after all grants.
        let is_after = self.is_deferring && self.credit_ps == 0;
        let now = if is_after { now.saturating_sub(1) } else { now };
        if lane.is_stopped() { 0 } else { self.buffers.room(channel, lane, now) }
    }

    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        let starts_from = self.starts_from(channel, id, input, act);
        let mut input = input;
        if self.board.lists.has(input) {
            self.leave_list(input, act);
            input = ChannelId::NONE;
        } else if input.is_some() {
            self.board.leave(input, act);
            let from = self.board.at_mut(input);
            from.headers -= 1;
            from.output = channel;
        }
        let is_full = input.is_some() && self.is_full(input);
        self.quiet.ends(channel);
        self.board.enter(channel, id, act);
        let link = &act.wiring.link;
        let (flits, header) = (link.packet_flits(act.packets[id].bytes), link.header_flits);
        let lane = self.board.at_mut(channel);
        lane.input = input;
        lane.rest.own[0] += 1;
        lane.packet = id;
        lane.unsent = flits;
        lane.header_unsent = header;
        (lane.free_at, lane.starts_from) = (act.now, starts_from);
        lane.set_started(false);
        // Somebody may have waited since there was no packet that could leave the buffer.
        lane.set_awaited(is_full && self.is_deferring);
        let wire = lane.wire;
        if rarely(self.integrated.is_some()) {
            self.may_come_home(channel, id, act);
        }
        let lane = self.board.at(channel);
        self.wires.begins(lane, act.now);
        if self.is_deferring && self.wires.free_at(wire) > act.now {
            self.take_back(wire, act);
        }
        self.wires.wake(wire);
        if self.is_unbounded {
            self.has_room_for(channel, id, flits, act);
        }
        if !self.is_deferring {
            if act.is_observed() {
                self.observe_grant(channel, id, input, act);
            }
            self.may_send(channel, act);
        } else if input.is_some() && self.board.at(input).headers > 0 {
            self.want(channel);
        }
    }
}
