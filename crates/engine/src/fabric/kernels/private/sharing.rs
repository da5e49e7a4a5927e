//! How copies share channels between nodes and switches.

use super::gates::{Gates, Waiting};
use super::own_copy::Pass;
use super::{PrivateKernel, unobserved};
use crate::fabric::act::Act;
use crate::fabric::kernel::Kernel;
use crate::fabric::switch::switchboard::{Asker, Gate};
use crate::ids::PacketId;
use crate::measure::ChannelKind;
use crate::time::{NEVER, Time};

impl<K: Kernel + Clone> PrivateKernel<K> {
    /// A packet of a copy is about to be queued: its copy has its part of the gates by which it
    /// comes.
    pub(super) fn comes_by(&mut self, id: PacketId, number: u32, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        // So that kernels say at once when channels out of nodes fall free.
        act.packets.tell_network_departures();
        let copy = &mut self.copies[number as usize];
        for gate in gates.of(&act.packets[id], act.wiring) {
            if gate == u32::MAX || copy.gates.iter().any(|pass| pass.gate == gate) {
                continue;
            }
            let (receiver, drained) =
                (gates.all[gate as usize].receiver, gates.all[gate as usize].drained);
            if let Some(node) = receiver {
                copy.kernel.drains_until(node, drained);
            }
            copy.gates.push(Pass { gate, grants: Gate::Open, before: 0 });
            gates.all[gate as usize].members.push(number);
            if !gates.all[gate as usize].is_private() {
                self.shut(gate);
                return self.comes_by(id, number, act);
            }
        }
    }

    /// A copy is given back: it has no part of any gate.
    pub(super) fn comes_by_no_more(&mut self, number: u32, now: Time) {
        let Some(gates) = &mut self.gates else { return };
        let copy = &mut self.copies[number as usize];
        for pass in copy.gates.drain(..) {
            let gate = &mut gates.all[pass.gate as usize];
            for &lead in gate.leads.iter().filter(|_| pass.grants != Gate::Open) {
                copy.kernel.set_gate(lead, Gate::Open);
            }
            let taken = gate.channels.iter().map(|&channel| copy.kernel.taken_until(channel, now));
            gate.past.extend(taken.filter(|&until| until > now && until != NEVER));
            gate.members.retain(|&member| member != number);
            let receiver = gate.receiver.and_then(|node| copy.kernel.standing_of_receiver(node));
            gate.drained = receiver.map_or(gate.drained, |(_, _, until)| gate.drained.max(until));
            if !gate.members.is_empty() {
                gates.look_at(pass.gate);
            }
        }
    }

    /// A copy has done something: the gates by which its packets come are looked at.
    pub(super) fn looks_at_gates(&mut self, number: u32) {
        let Some(gates) = &mut self.gates else { return };
        let copy = &self.copies[number as usize];
        copy.gates.iter().for_each(|pass| gates.look_at(pass.gate));
    }

    /// Looks at all gates at which something may have changed.
    pub(super) fn serve_gates(&mut self, act: &mut Act) {
        while let Some(gate) = self.gates.as_mut().and_then(Gates::next_due) {
            self.serve_gate(gate, act);
        }
    }

    /// A gate lets packets through as long as a wire is free.
    fn serve_gate(&mut self, number: u32, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        let gate = &mut gates.all[number as usize];
        gate.past.retain(|&until| until > act.now);
        if gate.is_private() {
            gate.waiting.clear();
            if let Some(&copy) = gate.members.first()
                && !self.is_open(copy, number)
            {
                self.takes_turns_in_draining(number, copy);
                self.set(copy, number, Gate::Open);
                self.chooses(copy, act);
            }
            return;
        }
        self.shut(number);
        self.tried.clear();
        loop {
            let (taken, free_at) = self.taken(number, act.now);
            self.note_askers(number, act);
            let Some(copy) = self.first_asker(number, act.now) else { return };
            let is_full = self.takes_turns_in_draining(number, copy);
            let Some(gates) = &mut self.gates else { return };
            if is_full {
                // Whoever has a place acts when it falls free.
                return;
            }
            if taken >= gates.all[number as usize].wires {
                if free_at < NEVER {
                    gates.look_again(number, free_at);
                }
                return;
            }
            self.set(copy, number, Gate::ForOne);
            self.chooses(copy, act);
            self.set(copy, number, Gate::Shut);
            if self.taken(number, act.now).0 > taken {
                let passes = &mut self.copies[copy as usize].gates;
                let pass = passes.iter_mut().find(|pass| pass.gate == number);
                pass.into_iter().for_each(|pass| pass.before = act.now);
            } else {
                self.tried.push(copy);
            }
        }
    }

    /// If the node behind a gate has a receive FIFO: a copy is told what that has to drain before what
    /// it is sent now; whether there is no place.
    fn takes_turns_in_draining(&mut self, number: u32, copy: u32) -> bool {
        let Some(gates) = &self.gates else { return false };
        let gate = &gates.all[number as usize];
        let Some(node) = gate.receiver else { return false };
        let (mut held, mut drained) = (0, gate.drained);
        let mut most = u32::MAX;
        for &member in &gate.members {
            let standing = self.copies[member as usize].kernel.standing_of_receiver(node);
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
        unobserved(act, |act| copy.chooses(act));
    }

    /// On how many channels of a gate packets are being sent, and when the first of them is free, or
    /// [`NEVER`] if that is not known of any.
    fn taken(&self, number: u32, now: Time) -> (usize, Time) {
        let Some(gates) = &self.gates else { return (0, NEVER) };
        let gate = &gates.all[number as usize];
        let of = |&copy: &u32| {
            let kernel = &self.copies[copy as usize].kernel;
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
        for &copy in &gate.members {
            let of = &self.copies[copy as usize];
            let passes = of.gates.iter().find(|pass| pass.gate == number);
            let before = passes.map_or(0, |pass| pass.before);
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

    /// The copy whose packet comes first at a gate, of those that have not been tried.
    fn first_asker(&self, number: u32, now: Time) -> Option<u32> {
        let waiting = &self.gates.as_ref()?.all[number as usize].waiting;
        let asking = waiting.iter().filter(|one| one.since <= now);
        let untried = asking.filter(|one| !self.tried.contains(&one.copy));
        untried.min_by_key(|one| one.rank).map(|one| one.copy)
    }

    fn is_open(&self, copy: u32, gate: u32) -> bool {
        let passes = &self.copies[copy as usize].gates;
        passes.iter().any(|pass| pass.gate == gate && pass.grants == Gate::Open)
    }

    /// A gate is shut in all copies.
    fn shut(&mut self, gate: u32) {
        let Some(gates) = &self.gates else { return };
        for place in 0..gates.all[gate as usize].members.len() {
            let Some(gates) = &self.gates else { return };
            self.set(gates.all[gate as usize].members[place], gate, Gate::Shut);
        }
    }

    /// What the channels of a gate grant in a copy from now on.
    fn set(&mut self, copy: u32, gate: u32, grants: Gate) {
        let Some(gates) = &self.gates else { return };
        let copy = &mut self.copies[copy as usize];
        let Some(pass) = copy.gates.iter_mut().find(|pass| pass.gate == gate) else { return };
        if std::mem::replace(&mut pass.grants, grants) != grants {
            for &lead in &gates.all[gate as usize].leads {
                copy.kernel.set_gate(lead, grants);
            }
        }
    }
}
