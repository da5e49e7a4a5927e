//! How copies share channels between nodes and switches.

use super::gates::{Gates, Member, Waiting};
use super::own_copy::OwnCopy;
use super::{BEHIND, NOBODY, Place, PrivateKernel, note};
use crate::fabric::act::Act;
use crate::fabric::kernel::Kernel;
use crate::fabric::packet::Packet;
use crate::fabric::switch::switchboard::{Asker, Gate};
use crate::ids::{NodeId, PacketId};
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};

/// So many messages of a node have copies though others are before them.
const MOST_AT_HAND: usize = 2;

impl<K: Kernel + Clone> PrivateKernel<K> {
    /// A packet of a copy is about to be queued: its copy has its part of the gates by which it
    /// comes.
    pub(super) fn comes_by(&mut self, id: PacketId, number: u32, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        // So that kernels say at once when channels out of nodes fall free.
        act.packets.tell_network_departures();
        let copy = &mut self.copies[number as usize];
        for gate in gates.of(&act.packets[id], act.wiring) {
            if gate == u32::MAX || gates.all[gate as usize].member(number).is_some() {
                continue;
            }
            let of = &mut gates.all[gate as usize];
            if let Some(node) = of.receiver {
                copy.kernel.drains_until(node, of.drained);
            }
            copy.gates.push(gate);
            of.members.push(Member::new(number));
            if !of.is_private() {
                if gates.cycle > 0 {
                    gates.look_at(gate);
                }
                self.shut(gate);
                return self.comes_by(id, number, act);
            }
        }
    }

    /// A copy is given back: it has no part of any gate.
    pub(super) fn comes_by_no_more(&mut self, number: u32, now: Time) {
        let Some(gates) = &mut self.gates else { return };
        let copy = &mut self.copies[number as usize];
        for of in copy.gates.drain(..) {
            let gate = &mut gates.all[of as usize];
            let Some(place) = gate.members.iter().position(|member| member.copy == number) else {
                continue;
            };
            let member = gate.members.remove(place);
            // Where gates are opened by cycle, copies that begin anew have them open.
            let is_shut = gates.cycle == 0 && member.grants != Gate::Open;
            for &lead in gate.leads.iter().filter(|_| is_shut) {
                copy.kernel.set_gate(lead, Gate::Open);
            }
            let taken = gate.channels.iter().map(|&channel| copy.kernel.taken_until(channel, now));
            gate.past.extend(taken.filter(|&until| until > now && until != NEVER));
            let receiver = gate.receiver.and_then(|node| copy.kernel.standing_of_receiver(node));
            gate.drained = receiver.map_or(gate.drained, |(_, _, until)| gate.drained.max(until));
            if !gate.members.is_empty() || !gate.behind.is_empty() {
                gates.look_at(of);
            }
        }
    }

    /// A copy has done something, maybe at one gate (`at`): the others by which its packets come are looked
    /// at. It may be known by now when a packet will have left them.
    pub(super) fn looks_at_gates(&mut self, number: u32, at: Option<u32>) {
        let Some(gates) = &mut self.gates else { return };
        for &gate in self.copies[number as usize].gates.iter().filter(|&&gate| at != Some(gate)) {
            if !gates.all[gate as usize].is_private() {
                gates.look_at(gate);
            }
        }
    }

    /// Looks at all gates at which something may have changed.
    pub(super) fn serve_gates(&mut self, act: &mut Act) {
        while let Some(gate) = self.gates.as_mut().and_then(Gates::next_due) {
            self.serve_gate(gate, act);
        }
    }

    /// A gate lets packets through as long as a wire is free.
    fn serve_gate(&mut self, number: u32, act: &mut Act) {
        if self.stands_open(number, act) {
            return;
        }
        self.shut(number);
        self.tried.clear();
        while !self.stands_open(number, act) {
            let (taken, free_at) = self.taken(number, act.now);
            self.note_askers(number, act);
            let first = self.first_asker(number, act.now);
            let is_behind = self.is_one_behind_first(number, first, act);
            if first.is_none() && !is_behind {
                return;
            }
            let copy = first.map_or(NOBODY, |first| first.copy);
            if !is_behind && self.takes_turns_in_draining(number, copy) {
                // Whoever has a place acts when it falls free.
                return;
            }
            let Some(gates) = &mut self.gates else { return };
            if taken >= gates.all[number as usize].wires {
                if free_at < NEVER {
                    gates.look_again(number, free_at);
                }
                return;
            }
            if is_behind {
                self.comes_up(number, act);
                continue;
            }
            self.set(copy, number, Gate::ForOne);
            self.chooses(copy, act);
            self.set(copy, number, Gate::Shut);
            if self.taken(number, act.now).0 > taken {
                let Some(gates) = &mut self.gates else { return };
                let member = gates.all[number as usize].member(copy);
                member.into_iter().for_each(|member| member.before = act.now);
                self.looks_at_gates(copy, Some(number));
            } else {
                self.tried.push(copy);
            }
        }
    }

    /// Whether a gate has nobody to choose from: it stands open.
    fn stands_open(&mut self, number: u32, act: &mut Act) -> bool {
        let Some(gates) = &mut self.gates else { return true };
        let gate = &mut gates.all[number as usize];
        gate.past.retain(|&until| until > act.now);
        if !gate.is_private() {
            return false;
        }
        gate.waiting.clear();
        if let Some(&Member { copy, grants, .. }) = gate.members.first()
            && grants != Gate::Open
        {
            self.takes_turns_in_draining(number, copy);
            self.set(copy, number, Gate::Open);
            self.chooses(copy, act);
            self.looks_at_gates(copy, Some(number));
        }
        true
    }

    /// If the node behind a gate has a receive FIFO: a copy is told what that has to drain before what
    /// it is sent now; whether there is no place.
    fn takes_turns_in_draining(&mut self, number: u32, copy: u32) -> bool {
        let Some(gates) = &self.gates else { return false };
        let gate = &gates.all[number as usize];
        let Some(node) = gate.receiver else { return false };
        let (mut held, mut drained) = (0, gate.drained);
        let mut most = u32::MAX;
        for member in &gate.members {
            let standing = self.copies[member.copy as usize].kernel.standing_of_receiver(node);
            let Some((more, places, until)) = standing else { continue };
            (held, most, drained) = (held + more, places, drained.max(until));
        }
        self.copies[copy as usize].kernel.drains_until(node, drained);
        held >= most
    }

    /// A copy chooses again at this instant.
    fn chooses(&mut self, number: u32, act: &mut Act) {
        self.wake(number);
        let copy = &mut self.copies[number as usize];
        copy.apart(act, OwnCopy::chooses);
    }

    /// On how many channels of a gate packets are being sent, and when the first of them is free, or
    /// [`NEVER`] if that is not known of any.
    fn taken(&self, number: u32, now: Time) -> (usize, Time) {
        let Some(gates) = &self.gates else { return (0, NEVER) };
        let gate = &gates.all[number as usize];
        let of = |member: &Member| {
            let kernel = &self.copies[member.copy as usize].kernel;
            gate.channels.iter().map(move |&channel| kernel.taken_until(channel, now))
        };
        let taken = gate.members.iter().flat_map(of).chain(gate.past.iter().copied());
        let taken = taken.filter(|&until| until > now);
        taken.fold((0, NEVER), |(count, first), until| (count + 1, first.min(until)))
    }

    /// Notes who waits at a gate at this instant.
    fn note_askers(&mut self, number: u32, act: &Act) {
        let Some(gates) = &mut self.gates else { return };
        let gate = &gates.all[number as usize];
        self.waiting.clear();
        for &Member { copy, before, .. } in &gate.members {
            let of = &self.copies[copy as usize];
            for &lead in &gate.leads {
                self.askers.clear();
                of.kernel.askers(lead, act.wiring, act.packets, &mut self.askers);
                let is_home = act.wiring.layout.group(lead).kind == ChannelKind::Ejection;
                for &Asker { packet, since, by } in &self.askers {
                    let known = gate.waiting.iter().find(|other| other.packet == packet);
                    let since = match since {
                        NEVER => known.map_or(act.now, |known| known.since),
                        since => since,
                    };
                    let rank = gates.rank((since, by), &act.packets[packet], is_home, before);
                    self.waiting.push(Waiting { copy, packet, since, rank });
                }
            }
        }
        std::mem::swap(&mut self.waiting, &mut gates.all[number as usize].waiting);
    }

    /// The packet that comes first at a gate, of copies that have not been tried.
    fn first_asker(&self, number: u32, now: Time) -> Option<Waiting> {
        let waiting = &self.gates.as_ref()?.all[number as usize].waiting;
        let asking = waiting.iter().filter(|one| one.since <= now);
        let untried = asking.filter(|one| !self.tried.contains(&one.copy));
        untried.min_by_key(|one| one.rank).copied()
    }

    /// A packet is about to be queued: whether it waits behind messages of its node instead, as it
    /// is of one that has no copy yet.
    pub(super) fn waits_behind(&mut self, id: PacketId, act: &mut Act) -> bool {
        let Some(gates) = self.gates.as_mut().filter(|_| self.may_wait) else { return false };
        let [gate, _] = gates.of(&act.packets[id], act.wiring);
        let Some(of) = gates.all.get_mut(gate as usize) else { return false };
        let message = act.packets[id].message;
        let place = self.of_message.get(message.index()).copied().unwrap_or(Place::NONE);
        let waits = place.copy == BEHIND
            || of.members.len() + of.behind.len() >= MOST_AT_HAND && !self.has_copy(place);
        if waits {
            let packet = &mut act.packets[id];
            (packet.queued, packet.ready) = (act.now, act.now);
            let (node, class) = (packet.source.index(), packet.class);
            act.measures.nodes[node].queues[class as usize].enter(act.now);
            let Some(gates) = &mut self.gates else { return false };
            gates.all[gate as usize].waits_behind(id, act.packets);
            gates.look_at(gate);
            if self.behind.len() <= node {
                self.behind.resize(node + 1, 0);
            }
            self.behind[node] += 1;
            self.note_place(message, Place { copy: BEHIND, ..Place::NONE });
        }
        waits
    }

    /// Whether a message that has no copy comes before the first packet of those that have.
    pub(super) fn is_one_behind_first(
        &self,
        number: u32,
        first: Option<Waiting>,
        act: &Act,
    ) -> bool {
        let Some(gates) = &self.gates else { return false };
        let Some(behind) = gates.all[number as usize].behind.front() else { return false };
        let packet = &act.packets[behind.packets.first];
        let rank = gates.rank((packet.queued, packet.serial), packet, false, 0);
        first.is_none_or(|first| rank < first.rank)
    }

    /// The first message that has no copy is given one, and its packets are queued there.
    pub(super) fn comes_up(&mut self, number: u32, act: &mut Act) {
        let behind =
            self.gates.as_mut().and_then(|gates| gates.all[number as usize].behind.pop_front());
        let Some(behind) = behind else { return };
        let mut next = behind.packets.first;
        self.note_place(behind.message, Place::NONE);
        let mut copy = NOBODY;
        while next.is_some() {
            let id = next;
            next = act.packets[id].next;
            let Packet { source, class, queued, .. } = act.packets[id];
            self.behind[source.index()] -= 1;
            act.measures.nodes[source.index()].queues[class as usize].leave(act.now);
            let place = self.place_of(id, act);
            self.put(id, place, act);
            copy = place.copy;
            let of = &mut self.copies[copy as usize];
            of.apart(act, |of, act| of.queue(id, act));
            (act.packets[id].queued, act.packets[id].ready) = (queued, queued);
        }
        self.wake(copy);
        if self.opens_by_cycle() {
            return;
        }
        let of_packet = &mut self.of_packet;
        let mut arrived = |arrived| note(arrived, of_packet);
        let of = &mut self.copies[copy as usize];
        of.apart(act, |of, act| of.goes_on(act, &mut arrived));
        // Whoever waits where it will come by did so before.
        self.looks_at_gates(copy, None);
    }

    /// Packets of a node that wait behind messages of it.
    pub(super) fn waiting_behind(&self, node: NodeId) -> u32 {
        self.behind.get(node.index()).copied().unwrap_or(0)
    }

    /// A gate is shut in all copies.
    fn shut(&mut self, gate: u32) {
        let Some(gates) = &self.gates else { return };
        for place in 0..gates.all[gate as usize].members.len() {
            let Some(gates) = &self.gates else { return };
            self.set(gates.all[gate as usize].members[place].copy, gate, Gate::Shut);
        }
    }

    /// What the channels of a gate grant in a copy from now on.
    pub(super) fn set(&mut self, copy: u32, gate: u32, grants: Gate) {
        let Some(gates) = &mut self.gates else { return };
        let gate = &mut gates.all[gate as usize];
        let Some(member) = gate.member(copy) else { return };
        if std::mem::replace(&mut member.grants, grants) != grants {
            for &lead in &gate.leads {
                self.copies[copy as usize].kernel.set_gate(lead, grants);
            }
        }
    }
}
