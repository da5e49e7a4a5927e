//! Modes `free` and `endpoints` of any machine: every message has the network for itself, in
//! `endpoints` but for the channels between nodes and switches ([`gates`]).
//!
//! A message that is on its way has a *copy* of the kernel that simulates mode `full` ([`own_copy`]), as
//! that is at the start of a run, for itself or with messages that it meets nowhere ([`guests`]). Its
//! packets, and those that acknowledge them, meet nobody else there, so what happens to them is what
//! would happen if no other message existed.
//! A copy acts at the instants of its own list of events and of its kernel's clock. It does so in
//! the order in which a run does: its clock and what arrives, before nodes are told; requests, and
//! what is chosen, after nodes have acted. Copies act in the order in which they were given out.

mod cycles;
mod gates;
mod guests;
mod own_copy;
mod sharing;

use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Queues, Traits};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::Asker;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Use;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use gates::{Gates, Waiting};
use guests::Ways;
use own_copy::{Arrived, OwnCopy};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// No copy.
const NOBODY: u32 = u32::MAX;
/// No copy yet: a message that waits behind others in its node.
const BEHIND: u32 = u32::MAX - 1;

/// About so many bytes a copy takes that shares what it has in common with others.
const BYTES_OF_SHARING_COPY: usize = 1 << 13;
/// Any other at most about so many for each channel, and for each place in the buffer at its end where
/// that is not too large for a ring of places; if all buffers take more, copies have them in common.
const BYTES_OF_CHANNEL: usize = 256;
const BYTES_OF_PLACE: usize = 16;
const MOST_PLACES: u32 = 1 << 12;
const MOST_OF_BUFFERS: usize = 1 << 16;
/// Of so many that copies have taken it is told.
const MUCH: usize = 64 << 20;

/// A network of which every message has a copy for itself, or with messages that it meets nowhere.
#[derive(Clone)]
pub struct PrivateKernel<K> {
    /// The network at the start of a run.
    template: Box<K>,
    copies: Vec<Box<OwnCopy<K>>>,
    /// About so much memory each takes, and of how many it has been told.
    copy_bytes: usize,
    told: usize,
    /// Copies that no message has, and from when on another can have them.
    spare: VecDeque<(u32, Time)>,
    /// After so long credits and gaps of packets that have been delivered are no matter any more.
    rest_ps: Time,
    /// How many have been given out.
    given: u64,
    /// By place of a message: where it is.
    of_message: Vec<Place>,
    /// By packet: where it is.
    of_packet: Vec<Passing>,
    /// Where messages can have a copy together.
    ways: Option<Ways>,
    /// When copies act next, as the how-manieth each was given out. What does not agree with the copy
    /// is out of date.
    clock: BinaryHeap<Reverse<(Time, u64, u32)>>,
    /// Copies that act at this instant.
    awake: Vec<u32>,
    /// What channels have done in the window in copies that have been given back.
    past: Vec<Use>,
    /// In `endpoints`: what copies share.
    gates: Option<Gates>,
    /// Whether messages may wait in their nodes without a copy; by node: their packets.
    may_wait: bool,
    behind: Vec<u32>,
    /// Copies that have been tried at a gate; room for those who wait there.
    tried: Vec<u32>,
    waiting: Vec<Waiting>,
    askers: Vec<Asker>,
    /// Whether every data packet is acknowledged.
    acknowledges: bool,
    /// How far ahead events of a copy mostly lie, and how seldom less.
    reach: (Time, Time),
}

/// Where a message is.
#[derive(Clone, Copy)]
struct Place {
    copy: u32,
    /// As the how-manieth that was given out.
    given: u64,
    /// The how-manieth it is of those who have it.
    guest: u32,
}

/// A packet in a copy.
#[derive(Clone, Copy, Default)]
struct Passing {
    /// The how-manieth its message is of those who have the copy.
    guest: u32,
    /// The channel by which it has been delivered, if it may be drawn out on it.
    channel: Option<ChannelId>,
}

impl Place {
    /// There is none.
    const NONE: Self = Self { copy: NOBODY, given: 0, guest: 0 };
}

impl<K: Kernel + Clone> PrivateKernel<K> {
    /// Messages that meet nowhere have copies together, if they can be told from each other.
    /// `by_switch`: if they have no switch in common either.
    pub fn together(self, machine: &Machine, wiring: &Wiring, of: (usize, bool)) -> Self {
        Self { ways: Ways::new(machine, wiring, of), ..self }
    }

    /// Mode `endpoints`, where `shares_wires` if a wire that both directions share has one packet at a
    /// time. The kernel must have gates.
    pub fn endpoints(machine: &Machine, wiring: &Wiring, template: K, shares_wires: bool) -> Self {
        let cycle = template.gate_cycle();
        let gates = Some(Gates::new(machine, &wiring.layout, (shares_wires, cycle)));
        Self { gates, ..Self::free(machine, wiring, template) }
    }

    /// Mode `free`: copies of the kernel of a machine in mode `full`.
    pub fn free(machine: &Machine, wiring: &Wiring, mut template: K) -> Self {
        let copy_bytes = if template.share() {
            BYTES_OF_SHARING_COPY
        } else {
            let places = machine.switch.input_buffer_flits.filter(|&flits| flits <= MOST_PLACES);
            let channels = wiring.layout.channels();
            let buffers = BYTES_OF_PLACE * places.unwrap_or(0) as usize * channels;
            BYTES_OF_CHANNEL * channels + if buffers > MOST_OF_BUFFERS { 0 } else { buffers }
        };
        let longest = machine.interface.packet_bytes;
        let takes = |timing: &Timing| timing.packet_ps(longest) + timing.hop_ps + timing.gap_ps;
        let slowest = wiring.timings.iter().map(takes).max().unwrap_or(0);
        let reach = wiring.link.packet_ps(longest).max(wiring.drain_ps(longest));
        Self {
            template: Box::new(template),
            copies: Vec::new(),
            copy_bytes,
            told: 0,
            spare: VecDeque::new(),
            rest_ps: 2 * (machine.link.credit_delay_ps + machine.switch.regrant_delay_ps + slowest),
            given: 0,
            of_message: Vec::new(),
            of_packet: Vec::new(),
            ways: None,
            gates: None,
            may_wait: !machine.interface.acknowledges && !wiring.replicates,
            behind: Vec::new(),
            tried: Vec::new(),
            waiting: Vec::new(),
            askers: Vec::new(),
            clock: BinaryHeap::new(),
            awake: Vec::new(),
            past: vec![Use::default(); wiring.layout.channels()],
            acknowledges: machine.interface.acknowledges,
            reach: (reach, wiring.link.hop_ps),
        }
    }

    /// Where a packet's message is, which is given a copy if it has none.
    fn place_of(&mut self, id: PacketId, act: &mut Act) -> Place {
        if self.given == 0 {
            act.packets.note_crossed();
        }
        let message = act.packets[id].message;
        let place = self.of_message.get(message.index()).copied().unwrap_or(Place::NONE);
        if self.has_copy(place) {
            return place;
        }
        let copy = self.copy_for(id, act);
        let of = &mut self.copies[copy as usize];
        let place = Place { copy, given: of.given, guest: of.takes_in(message) };
        self.note_place(message, place);
        place
    }

    /// Whether a message that is noted somewhere has a copy.
    fn has_copy(&self, place: Place) -> bool {
        place.copy < BEHIND && self.copies[place.copy as usize].is_of(place.given, place.guest)
    }

    /// A copy for the message of a packet, which has none.
    fn copy_for(&mut self, id: PacketId, act: &Act) -> u32 {
        if let Some(ways) = &mut self.ways {
            ways.find(id, act);
            // One that has chosen would go on with the packet in its next cycle only.
            let has_chosen = |copy: u32| self.copies[copy as usize].chose == act.now;
            let taken = |copy: u32| &self.copies[copy as usize].taken[..];
            if let Some(copy) = ways.first_free(has_chosen, taken) {
                ways.take(&mut self.copies[copy as usize].taken);
                return copy;
            }
        }
        self.given += 1;
        let copy = match self.spare.front() {
            Some(&(copy, from)) if from <= act.now => {
                self.spare.pop_front();
                copy
            }
            _ => {
                let new = OwnCopy::new(&*self.template, self.reach, self.gates.is_some());
                self.copies.push(Box::new(new));
                self.copies.len() as u32 - 1
            }
        };
        self.copies[copy as usize].is_given(self.given);
        if let Some(ways) = &mut self.ways {
            ways.open.push(copy);
            ways.take(&mut self.copies[copy as usize].taken);
        }
        copy
    }

    /// A message is somewhere.
    fn note_place(&mut self, message: MessageId, place: Place) {
        if self.of_message.len() <= message.index() {
            self.of_message.resize(message.index() + 1, Place::NONE);
        }
        self.of_message[message.index()] = place;
    }

    /// A packet of a message is in a copy, before it is queued there.
    fn put(&mut self, id: PacketId, Place { copy, guest, .. }: Place, act: &mut Act) {
        if self.of_packet.len() <= id.index() {
            self.of_packet.resize(id.index() + 1, Passing::default());
        }
        self.of_packet[id.index()] = Passing { guest, channel: None };
        self.copies[copy as usize].takes_up(&act.packets[id], guest, self.acknowledges);
        self.comes_by(id, copy, act);
    }

    /// A copy acts at this instant.
    fn wake(&mut self, copy: u32) {
        let at = &mut self.copies[copy as usize].is_awake;
        if !std::mem::replace(at, true) {
            self.awake.push(copy);
        }
    }

    /// Forgets what is out of date in front of the others.
    fn look_ahead(&mut self) {
        while let Some(&Reverse((time, given, copy))) = self.clock.peek()
            && !self.copies[copy as usize].acts_at(time, given)
        {
            self.clock.pop();
        }
    }

    /// The copies that messages have.
    fn busy(&self) -> impl Iterator<Item = &OwnCopy<K>> {
        self.copies.iter().map(AsRef::as_ref).filter(|copy| copy.is_busy())
    }

    /// A copy that has acted waits for its next instant, or is given back.
    fn rest(&mut self, number: u32, act: &mut Act) {
        let copy = &mut self.copies[number as usize];
        copy.is_awake = false;
        if let Some(next) = copy.look_ahead() {
            self.clock.push(Reverse((next, copy.given, number)));
        }
        if copy.is_done(act.packets) {
            self.comes_by_no_more(number, act.now);
            let copy = &mut self.copies[number as usize];
            let (template, past) = (&self.template, &mut self.past);
            copy.apart(act, |copy, act| {
                copy.is_given_back(template, past, act);
                if let Some(late) = act.measures.late.as_mut().filter(|_| act.measures.is_observed)
                {
                    late.close_copy(act.now);
                }
            });
            if let Some(ways) = &mut self.ways {
                ways.open.retain(|&open| open != number);
            }
            self.spare.push_back((number, act.now + self.rest_ps));
        }
    }
}

impl<K: Kernel + Clone> Queues for PrivateKernel<K> {
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        if self.waits_behind(id, act) {
            return;
        }
        let place = self.place_of(id, act);
        self.put(id, place, act);
        let mut next = act.packets.riders(id).next();
        while let Some(rider) = next {
            self.put(rider, place, act);
            let message = act.packets[rider].message;
            self.note_place(message, place);
            next = act.packets.riders(rider).next();
        }
        self.wake(place.copy);
        let copy = &mut self.copies[place.copy as usize];
        copy.apart(act, |copy, act| copy.queue(id, act));
        if self.opens_by_cycle() {
            self.looks_at_gates(place.copy, None);
        }
    }

    /// Copies have their own events.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn is_settled(&self) -> bool {
        self.awake.is_empty() && !self.gates.as_ref().is_some_and(Gates::are_due)
    }

    #[inline]
    fn take_head(&mut self, of: Subject, _: Time, _: &Wiring, _: &PacketPool) -> PacketId {
        of.packet()
    }

    #[inline]
    fn take_tail(&mut self, of: Subject, _: &mut Act) -> PacketId {
        of.packet()
    }

    fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        let waiting: u32 = self.busy().map(|copy| copy.kernel.waiting_data(node, now)).sum();
        waiting + self.waiting_behind(node)
    }

    fn used(&self, now: Time) -> Vec<Use> {
        let mut used = self.past.clone();
        self.busy().for_each(|copy| copy.kernel.add_used(now, &mut used));
        used
    }

    fn begin_window(&mut self, now: Time) {
        self.past.fill(Use::default());
        for copy in self.copies.iter_mut().filter(|copy| copy.is_busy()) {
            copy.kernel.begin_window(now);
        }
    }
}

/// A packet has been delivered; the how-manieth its message is of those who have the copy.
fn note(Arrived { id, channel }: Arrived, of_packet: &mut [Passing]) -> u32 {
    let passing = &mut of_packet[id.index()];
    passing.channel = channel;
    passing.guest
}

impl<K: Kernel + Clone> Kernel for PrivateKernel<K> {
    const HAS_CLOCK: bool = true;
    const NUMBERS_PACKETS: bool = true;

    #[inline]
    fn has_grown(&mut self) -> bool {
        let has = (self.copies.len() - self.told) * self.copy_bytes > MUCH;
        if has {
            self.told = self.copies.len();
        }
        has
    }

    /// Copies have their own events.
    fn request(&mut self, _: Subject, _: &mut Act) {}

    #[inline]
    fn next_time(&self) -> Time {
        let next = self.clock.peek().map_or(NEVER, |&Reverse((time, ..))| time);
        self.gates.as_ref().map_or(next, |gates| next.min(gates.next_time()))
    }

    /// What arrives at this instant in copies.
    fn step(&mut self, act: &mut Act) -> u64 {
        let mut count = 0;
        while let Some(&Reverse((time, given, number))) = self.clock.peek()
            && time <= act.now
        {
            self.clock.pop();
            if !self.copies[number as usize].acts_now(time, given) {
                continue;
            }
            self.wake(number);
            let (copy, of_packet) = (&mut self.copies[number as usize], &mut self.of_packet);
            let mut arrived = |arrived| note(arrived, of_packet);
            count += copy.apart(act, |copy, act| copy.begins(act, &mut arrived));
            if self.opens_by_cycle() {
                self.looks_if_changed(number);
            }
        }
        self.look_ahead();
        if let Some(gates) = &mut self.gates {
            gates.strike(act.now);
        }
        count
    }

    /// Copies do the rest of what they do at this instant.
    fn arbitrate(&mut self, act: &mut Act) {
        let by_cycle = self.opens_by_cycle();
        if by_cycle {
            self.open_gates(act);
        }
        let mut place = 0;
        self.awake.sort_unstable_by_key(|&copy| self.copies[copy as usize].given);
        while let Some(&number) = self.awake.get(place) {
            place += 1;
            let (copy, of_packet) = (&mut self.copies[number as usize], &mut self.of_packet);
            let mut arrived = |arrived| note(arrived, of_packet);
            copy.apart(act, |copy, act| copy.goes_on(act, &mut arrived));
            if !by_cycle {
                self.looks_at_gates(number, None);
            }
        }
        if by_cycle {
            self.shut_gates(act.now);
        }
        loop {
            if !by_cycle {
                self.serve_gates(act);
            }
            let Some(number) = self.awake.pop() else { break };
            self.rest(number, act);
        }
        if by_cycle {
            self.leave_for_next_cycle(act.now);
        }
        self.look_ahead();
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let mut sums = vec![0; self.past.len()];
        for copy in self.busy() {
            let ahead = copy.kernel.overhang(now).into_iter().flatten();
            ahead.for_each(|(channel, ahead)| sums[channel] += ahead);
        }
        Some(sums.into_iter().enumerate())
    }

    /// A message whose own packets are in each other's way may stand still.
    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let circles = self.busy().map(|copy| copy.kernel.deadlock(now, wiring, packets));
        circles.into_iter().find(|circle| !circle.is_empty()).unwrap_or_default()
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        Traits {
            in_order: false,
            holds_channels: false,
            queues_by_output: false,
            node_wires: false,
            lists: 0,
            ..self.template.traits(wiring)
        }
    }

    fn last_channel(&self, of: Subject) -> Option<ChannelId> {
        self.of_packet[of.packet().index()].channel
    }

    fn at_rest(&self, now: Time) -> Time {
        self.busy().map(|copy| copy.kernel.at_rest(now)).max().unwrap_or(now)
    }

    fn catch_up(&mut self, act: &mut Act) {
        for number in 0..self.copies.len() as u32 {
            let copy = &mut self.copies[number as usize];
            if !copy.is_busy() {
                continue;
            }
            copy.apart(act, OwnCopy::catch_up);
            if let Some(next) = copy.look_ahead() {
                self.clock.push(Reverse((next, copy.given, number)));
            }
        }
        self.look_ahead();
    }
}
