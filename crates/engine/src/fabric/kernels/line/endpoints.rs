//! Mode `endpoints`: packets leave their nodes and come to others when it is their turn. What lies between
//! is worked out ahead.

use super::LineKernel;
use super::gates::Turn;
use super::lanes::{Lane, LaneId, Lanes};
use crate::fabric::act::Act;
use crate::ids::{ChannelId, PacketId};
use crate::measure::Class;
use crate::measure::blame::Observation;
use crate::time::Time;

impl LineKernel {
    /// A packet is the first of its lane that waits in its node.
    pub(super) fn comes_first(&mut self, lane: LaneId, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        let packet = &act.packets[self.lanes[lane].waiting.first];
        gates.turns += 1;
        self.lanes[lane].turn = Turn {
            is_behind: self.acks_first[0] && packet.class == Class::Data,
            since: if self.takes_turns { gates.turns } else { packet.queued },
            by: ChannelId::NONE,
            serial: packet.serial,
            who: lane.0,
        };
        self.lanes[lane].is_stuck = true;
        self.may_leave(lane, act);
    }

    /// The first packet of a lane that waits in its node stands at the gate from when it has room on, if
    /// that is known.
    fn may_leave(&mut self, lane: LaneId, act: &mut Act) {
        let Some((id, Some(from))) = self.next_of(lane, act) else { return };
        let Some(gates) = &mut self.gates else { return };
        let packet = &act.packets[id];
        let channel = act.wiring.injection_lead(packet.source, packet.traffic());
        let lane = &mut self.lanes[lane];
        lane.is_stuck = false;
        gates.comes(channel, lane.turn, from, act);
    }

    /// A gate serves who stands there first, if it is free.
    pub(super) fn serve_gate(&mut self, channel: ChannelId, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        let gate = gates.at(channel);
        if let Some(turn) = gate.serve(act.now) {
            if turn.by.is_some() {
                self.is_delivered(PacketId(turn.who), act);
            } else {
                self.leaves_node(LaneId(turn.who), act);
            }
        }
        let Some(gates) = &mut self.gates else { return };
        gates.at(channel).look_then(channel, act.now, act.events);
    }

    /// A packet leaves its node.
    fn leaves_node(&mut self, lane: LaneId, act: &mut Act) {
        let (id, ask) = self.sets_out(lane, act);
        let way = self.lanes[lane].way;
        let hop = &self.ways[way.hop(0)];
        let (channel, free_at) = (hop.channel, hop.free_at);
        if let Some(gates) = &mut self.gates {
            gates.at(channel).free_at = free_at;
        }
        self.drifts(lane, id, 1, ask, act);
        if self.lanes[lane].waiting.first.is_some() {
            self.comes_first(lane, act);
        }
    }

    /// A packet starts on the channel to its destination.
    fn is_delivered(&mut self, id: PacketId, act: &mut Act) {
        let lane = Lanes::of(id, act.packets);
        let way = self.lanes[lane].way;
        let place = way.len() - 1;
        let channel = self.ways[way.hop(place)].channel;
        act.observe(Observation::LinedUp { packet: id, channel, from: act.now });
        self.starts(way, place, id, act.now, act);
        let hop = &self.ways[way.hop(place)];
        let (free_at, sent_at) = (hop.free_at, hop.sent_at);
        if let Some(gates) = &mut self.gates {
            gates.at(channel).free_at = free_at;
        }
        if self.engine.is_some() {
            return;
        }
        if !self.asks_when_ready {
            let state = &mut self.lanes[lane];
            state.asking.pop(act.packets);
            state.left_at = sent_at;
            if state.asking.first.is_some() {
                self.asks(lane, act);
            }
        }
        if self.capacity.is_some() {
            self.advance(lane, act);
            if self.lanes[lane].is_stuck {
                self.may_leave(lane, act);
            }
        }
    }

    /// A packet of a lane goes on from a place of its way as far as that is known; it asks there at `ask`.
    fn drifts(
        &mut self,
        lane: LaneId,
        id: PacketId,
        mut place: usize,
        mut ask: Time,
        act: &mut Act,
    ) {
        let way = self.lanes[lane].way;
        while place + 1 < way.len() {
            let is_behind = self.ways[way.hop(place)].stuck.first.is_some();
            let start = if is_behind { None } else { self.start_from(way, place, id, ask, act) };
            let Some(start) = start else {
                return self.ways[way.hop(place)].stuck.push(id, act.packets);
            };
            ask = self.starts(way, place, id, start, act);
            place += 1;
        }
        if place < way.len() {
            self.is_at_last_switch(lane, id, ask, act);
        }
    }

    /// It is known when a packet leaves the buffer at the last switch: those behind it go on as far as
    /// that follows, whoever is furthest first.
    fn advance(&mut self, lane: LaneId, act: &mut Act) {
        let way = self.lanes[lane].way;
        for place in (1..way.len() - 1).rev() {
            let mut has_moved = false;
            loop {
                let id = self.ways[way.hop(place)].stuck.first;
                if !id.is_some() {
                    break;
                }
                let ask = act.packets[id].ready;
                let Some(start) = self.start_from(way, place, id, ask, act) else { break };
                self.ways[way.hop(place)].stuck.pop(act.packets);
                let ask = self.starts(way, place, id, start, act);
                self.drifts(lane, id, place + 1, ask, act);
                has_moved = true;
            }
            if !has_moved {
                return;
            }
        }
    }

    /// It is known when a packet asks at its last switch, as soon as those before it have left; or at once.
    #[inline]
    fn is_at_last_switch(&mut self, lane: LaneId, id: PacketId, ask: Time, act: &mut Act) {
        if self.asks_when_ready {
            return self.asks_at(lane, id, ask, act);
        }
        let asking = &mut self.lanes[lane].asking;
        let is_first = !asking.first.is_some();
        asking.push(id, act.packets);
        if is_first {
            self.asks(lane, act);
        }
    }

    /// The first packet of a lane in the buffer at its last switch asks for the channel to its node.
    #[inline]
    fn asks(&mut self, lane: LaneId, act: &mut Act) {
        let Lane { asking, left_at, .. } = self.lanes[lane];
        let ask = act.packets[asking.first].ready.max(left_at);
        self.asks_at(lane, asking.first, ask, act);
    }

    #[inline]
    fn asks_at(&mut self, lane: LaneId, id: PacketId, ask: Time, act: &mut Act) {
        let way = self.lanes[lane].way;
        let [by, to] = [2, 1].map(|back| self.ways[way.hop(way.len() - back)].channel);
        let packet = &act.packets[id];
        let turn = Turn {
            is_behind: self.acks_first[1] && packet.class == Class::Data,
            since: ask,
            by,
            serial: packet.serial,
            who: id.0,
        };
        if let Some(gates) = &mut self.gates {
            gates.comes(to, turn, ask, act);
        }
    }
}
