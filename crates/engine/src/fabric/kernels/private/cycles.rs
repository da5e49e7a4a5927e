//! Gates between nodes and switches that run by a clock.
//!
//! They are opened at the beginning of a cycle, before copies act in it, and shut at its end. A node's wires
//! have one packet each until its last flit has been sent. A channel to a node is granted to one packet after
//! the other, whoever asks first, and falls free as it does in mode `full`; the wires there carry, in each
//! cycle, a flit of the packet that was granted its channel first, of those that have one to send.

use super::PrivateKernel;
use super::gates::{Gates, Member, Waiting};
use crate::fabric::act::Act;
use crate::fabric::kernel::{AtGate, Kernel};
use crate::fabric::switch::switchboard::{Asker, Gate};
use crate::ids::PacketId;
use crate::time::Time;

impl<K: Kernel + Clone> PrivateKernel<K> {
    /// Whether gates are opened at the beginning of cycles.
    pub(super) fn opens_by_cycle(&self) -> bool {
        self.gates.as_ref().is_some_and(|gates| gates.cycle > 0)
    }

    /// Opens the gates at which something may have changed for this cycle, if one begins now.
    pub(super) fn open_gates(&mut self, act: &mut Act) {
        let Some(gates) = &mut self.gates else { return };
        if !act.now.is_multiple_of(gates.cycle) {
            return gates.put_off(act.now.next_multiple_of(gates.cycle));
        }
        while let Some(gate) = self.gates.as_mut().and_then(Gates::next_due) {
            if !self.is_left_open(gate) {
                self.open_for_cycle(gate, act);
            }
        }
    }

    /// The cycle is over; copies have changed by the next.
    pub(super) fn shut_gates(&mut self, now: Time) {
        let Some(gates) = &mut self.gates else { return };
        let next = gates.next_cycle(now);
        for (number, copy) in std::mem::take(&mut gates.opened) {
            gates.look_again(number, next);
            let gate = &mut gates.all[number as usize];
            let Some(member) = gate.member(copy).filter(|member| member.grants != Gate::Open)
            else {
                continue;
            };
            member.grants = Gate::Shut;
            for &lead in &gate.leads {
                self.copies[copy as usize].kernel.set_gate(lead, Gate::Shut);
            }
        }
        for &copy in &self.awake {
            let copy = &mut self.copies[copy as usize];
            if copy.has_changed() {
                for &gate in &copy.gates {
                    if !gates.all[gate as usize].is_private() {
                        gates.look_again(gate, next);
                    }
                }
            }
        }
    }

    /// Looks at the gates of a copy if something has happened there.
    pub(super) fn looks_if_changed(&mut self, number: u32) {
        if self.copies[number as usize].has_changed() {
            self.looks_at_gates(number, None);
        }
    }

    /// Gates that copies have left since are looked at in the next cycle.
    pub(super) fn leave_for_next_cycle(&mut self, now: Time) {
        let Some(gates) = &mut self.gates else { return };
        gates.put_off(gates.next_cycle(now));
    }

    /// Whether one message has a gate for itself: it stands open, cycle after cycle.
    fn is_left_open(&mut self, number: u32) -> bool {
        let Some(gates) = &self.gates else { return true };
        let gate = &gates.all[number as usize];
        if !gate.is_private() {
            return false;
        }
        if let Some(&Member { copy, grants, .. }) = gate.members.first()
            && grants != Gate::Open
        {
            self.set(copy, number, Gate::Open);
            self.wake(copy);
        }
        true
    }

    /// As many channels are granted as are free, to those who have asked first.
    fn open_for_cycle(&mut self, number: u32, act: &mut Act) {
        self.tried.clear();
        let mut free = self.look_around(number, act);
        while free > 0 {
            let first = self.first_of_all(number, act.now);
            if self.is_one_behind_first(number, first, act) {
                self.comes_up(number, act);
                self.look_around(number, act);
                continue;
            }
            let Some(Waiting { copy, .. }) = first else { break };
            self.tried.push(copy);
            self.open_in(copy, number, Gate::ForOne);
            let Some(gates) = &mut self.gates else { return };
            if let Some(member) = gates.all[number as usize].member(copy) {
                member.before = act.now;
            }
            free -= 1;
        }
        if self.gates.as_ref().is_some_and(|gates| gates.all[number as usize].is_home) {
            self.let_cross(number, act);
        }
    }

    /// A gate is opened in a copy, which acts in this cycle.
    fn open_in(&mut self, copy: u32, number: u32, grants: Gate) {
        self.set(copy, number, grants);
        self.wake(copy);
        let Some(gates) = &mut self.gates else { return };
        gates.opened.push((number, copy));
    }

    /// Notes how things stand at a gate in copies that have done something; how many of its channels are
    /// free.
    fn look_around(&mut self, number: u32, act: &Act) -> usize {
        let Some(gates) = &mut self.gates else { return 0 };
        let mut members = std::mem::take(&mut gates.all[number as usize].members);
        let gate = &gates.all[number as usize];
        let mut taken = 0;
        for member in &mut members {
            let copy = &self.copies[member.copy as usize];
            if member.changes != copy.changes() {
                member.changes = copy.changes();
                (member.at, member.first) = (AtGate::default(), None);
                for &lead in &gate.leads {
                    member.at.add(copy.kernel.at_gate(lead, act.wiring));
                    self.askers.clear();
                    copy.kernel.askers(lead, act.wiring, act.packets, &mut self.askers);
                    for &Asker { packet, since, by } in &self.askers {
                        let packet = &act.packets[packet];
                        let rank = gates.rank((since, by), packet, gate.is_home, member.before);
                        let first = member.first.get_or_insert((rank, since));
                        *first = (*first).min((rank, since));
                    }
                }
            }
            taken += member.at.taken as usize;
        }
        let gate = &mut gates.all[number as usize];
        gate.members = members;
        let slots = if gate.is_home { gate.slots } else { gate.wires };
        slots.saturating_sub(taken)
    }

    /// The copy whose packet comes first at a gate, of those that have not been tried.
    fn first_of_all(&self, number: u32, now: Time) -> Option<Waiting> {
        let members = &self.gates.as_ref()?.all[number as usize].members;
        let untried = members.iter().filter(|member| !self.tried.contains(&member.copy));
        let first = untried.filter_map(|member| {
            let (rank, since) = member.first.filter(|&(_, since)| since <= now)?;
            Some(Waiting { copy: member.copy, packet: PacketId::NONE, since, rank })
        });
        first.min_by_key(|first| first.rank)
    }

    /// Flits cross to the wires of a node in a cycle of the packets that were granted their channels first;
    /// if none has a flit, of those that are granted channels in it.
    fn let_cross(&mut self, number: u32, act: &Act) {
        let Some(gates) = &self.gates else { return };
        let gate = &gates.all[number as usize];
        let mut room = 0;
        let (mut flits, mut free_from) = (0, 0);
        let mut ready = Vec::new();
        for Member { copy, at, .. } in &gate.members {
            room = at.room;
            (flits, free_from) = (flits + at.flits, free_from.max(at.free_from));
            if at.ready > 0 {
                ready.push((at.since, self.copies[*copy as usize].given, *copy, at.ready as usize));
            }
        }
        if flits >= room {
            return;
        }
        ready.sort_unstable();
        ready.extend(self.tried.iter().map(|&copy| (act.now, 0, copy, 1)));
        let all = gate.wires;
        let mut left = all;
        for (_, _, copy, wires) in ready {
            let wires = wires.min(all);
            if left >= wires {
                left -= wires;
                self.lets_cross(copy, number, free_from, act);
            }
        }
    }

    /// Flits cross to the wires of a node in one copy.
    fn lets_cross(&mut self, copy: u32, number: u32, free_from: u64, act: &Act) {
        self.wake(copy);
        let Some(gates) = &mut self.gates else { return };
        gates.opened.push((number, copy));
        for &lead in &gates.all[number as usize].leads {
            self.copies[copy as usize].kernel.lets_cross(lead, free_from, act.wiring);
        }
    }
}
