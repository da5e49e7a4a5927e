//! Fidelity `flit` where everything happens in slots, each as long as a flit.
//!
//! The rules are those of `flits.rs`, which also knows flits of other lengths, other flow control
//! and integrated nodes. Where links, switches and workload are synchronous, all
//! that happens at an instant can be worked out together: which of 128 channels have something to
//! send, and room for it, is in bits of words (`block.rs`), flits are on their way by the slot in
//! which they arrive (`flights.rs`), and none of them is an event.

mod active;
mod alike;
mod bits;
mod block;
mod counters;
mod flights;
mod flows;
mod lane;
mod observing;
mod sending;
mod told;
mod wires;

use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wires::most_on_a_wire;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Grants, HasPort, Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::Use;
use crate::spec::{FlowControl, Machine, Sharing};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use alike::Pace;
use bits::{Bits, FLOWS, WORD};
use flights::Flights;
use flows::{Flows, NOBODY};
use lane::Lane;
use told::Tale;

/// The real network, flit by flit, in slots.
#[derive(Clone)]
pub struct SlotsKernel {
    board: Switchboard<Lane>,
    flows: Flows,
    flights: Flights,
    sharing: Sharing,
    /// Time of a slot.
    slot_ps: Time,
    /// Slots from when a flit leaves a buffer until another can start for its place.
    credit_slots: u64,
    /// The last slot in which flits could start.
    sent_in: u64,
    /// When anything is there, or could start.
    next: Time,
    /// Where credits need no time: those to which they come back in this round.
    at_once: Vec<(usize, Bits)>,
    /// Channels whose front packets ask at this instant.
    asking: Vec<ChannelId>,
    /// If somebody wants to know: channels granted at this instant to packets that lack room there.
    lacking: Vec<ChannelId>,
    /// The same: what has happened to flits in the round at hand.
    tales: Vec<Tale>,
    /// Flits an input buffer holds.
    capacity: u32,
    /// Where routing has an escape: what a buffer holds. With it, a channel counts as free
    /// for a packet only if the buffer at its end is empty or has room for all of it.
    room_for_all: Option<u32>,
}

/// Flits of the longest packet.
fn most_flits(machine: &Machine, wiring: &Wiring) -> u32 {
    wiring.link.packet_flits(machine.interface.packet_bytes).max(wiring.link.header_flits)
}

/// Most slots for which anything is under way.
const MOST_SLOTS: u64 = 1 << 14;

impl SlotsKernel {
    /// Whether this is what a machine needs, at a fidelity, if its nodes do everything in slots.
    pub fn is_for(machine: &Machine, wiring: &Wiring) -> bool {
        let (layout, slot) = (&wiring.layout, machine.link.flit_ps);
        let is_of_slots = |time: Time| time.is_multiple_of(slot) && time / slot < MOST_SLOTS;
        let is_even = |timing: &Timing| {
            let Timing { first_ps, flit_ps, last_ps, hop_ps, wire_ps, .. } = *timing;
            [flit_ps, last_ps] == [slot; 2]
                && [first_ps, hop_ps, wire_ps, timing.delay_ps()].into_iter().all(is_of_slots)
        };
        machine.link.flow_control == FlowControl::OutOfBand
            && machine.switch.regrant_delay_ps == 0
            && machine.switch.input_buffer() < u32::from(u16::MAX)
            && most_flits(machine, wiring) < u32::from(u16::MAX)
            && wiring.timings.iter().all(is_even)
            && is_of_slots(machine.link.credit_delay_ps)
            && wiring.integrated_timing.is_none()
            && layout.against().is_empty()
            && most_on_a_wire(layout) <= WORD
    }

    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        let (slot_ps, capacity) = (machine.link.flit_ps, machine.switch.input_buffer());
        let escapes = wiring.routing.properties().escapes > 0;
        let mut board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| Lane {
            port,
            rest,
            packet: PacketId::NONE,
            place: NOBODY,
        });
        let pace = |timing: &Timing| Pace {
            hop_ps: timing.hop_ps,
            wire_ps: timing.flit_ps + timing.wire_ps,
            there_slots: 1 + (timing.delay_ps() / slot_ps) as u32,
            gap_slots: ((timing.first_ps - timing.flit_ps) / slot_ps) as u32,
        };
        let paces: Vec<Pace> = wiring.timings.iter().map(pace).collect();
        let credit_slots = machine.link.credit_delay_ps / slot_ps;
        let longest = paces.iter().map(|pace| pace.there_slots + pace.gap_slots).max().unwrap_or(1);
        let pace_of = |rate: u16| paces[usize::from(rate)];
        let sizes = (capacity, most_flits(machine, wiring));
        Self {
            flows: Flows::new(&wiring.layout, sizes, pace_of, slot_ps, &mut board),
            flights: Flights::new(credit_slots.max(longest.into())),
            board,
            sharing: machine.link.sharing,
            slot_ps,
            credit_slots,
            sent_in: u64::MAX,
            next: NEVER,
            at_once: Vec::new(),
            asking: Vec::new(),
            lacking: Vec::new(),
            tales: Vec::new(),
            capacity,
            room_for_all: escapes.then_some(capacity),
        }
    }

    /// Those that ask at this instant do so in order of channel number.
    fn note_requests(&mut self, act: &mut Act) {
        self.asking.sort_unstable();
        if act.wiring.routing.weighs() {
            for &channel in &self.asking {
                let held = |channel: ChannelId| self.held(channel);
                self.board.decide(channel, act, held);
            }
            for &channel in &self.asking {
                self.board.redirect(channel, act);
            }
        }
        if act.is_observed() {
            return self.ask_observed(act);
        }
        let mut asking = std::mem::take(&mut self.asking);
        self.ask(&mut asking, act);
        self.asking = asking;
    }

    /// Packets wait for any channel by which a switch is left, or none does any more: those to other
    /// switches are numbered from that of its allocator on.
    #[inline(never)]
    fn await_outputs(&mut self, allocator: ChannelId, is_asked: bool) {
        let outputs = self.board.channels.iter().skip(allocator.index());
        for lane in outputs.take_while(|lane| lane.rest.lead == allocator) {
            self.flows.put_awaited(lane.place, is_asked);
        }
    }

    /// Flits in the buffer at a channel's end, or on the way there or whose credits are.
    fn held(&self, channel: ChannelId) -> u32 {
        self.capacity - self.flows.credits(self.board.at(channel).place)
    }

    /// For how long a channel goes on with a flit that has started.
    fn ahead(&self, lane: &Lane, now: Time) -> Time {
        let end = self.sent_in.wrapping_add(1).saturating_mul(self.slot_ps);
        let until = self.flows.sends_until(lane.place, end);
        until.map_or(0, |until| until.saturating_sub(now))
    }

    /// How things stand at every channel.
    fn standings(&self) -> Vec<Standing> {
        let places = 0..(self.flows.blocks.len() * FLOWS) as u32;
        let mut room: Vec<u64> = places.map(|place| self.flows.credits(place).into()).collect();
        for &(block, flows) in self.flights.all().flat_map(|due| &due.credits) {
            flows.for_each(|flow| room[block * FLOWS + flow] += 1);
        }
        let standing = |lane: &Lane| {
            let flow = self.flows.at(lane.place);
            Standing {
                owner: lane.packet,
                unsent: self.flows.unsent(lane.place).into(),
                room: room[lane.place as usize],
                shut: false,
                output: self.flows.channel(flow.output),
                front: lane.port.buffer.first,
            }
        };
        self.board.channels.iter().map(standing).collect()
    }
}

has_board!(SlotsKernel, Lane in board);

impl Switched for SlotsKernel {
    /// Nobody waits for a time to come.
    fn retry(&mut self, _: Subject, _: &mut Act) {}

    /// Its channels know.
    #[inline]
    fn is_settled(&self) -> bool {
        false
    }

    fn add_used(&self, now: Time, sums: &mut [Use]) {
        let used = |lane: &Lane| {
            let busy = self.flows.busy(lane.place) - self.ahead(lane, now);
            Use { busy_ps: busy, ..lane.carried() }
        };
        let channels = self.board.channels.iter();
        sums.iter_mut().zip(channels).for_each(|(sum, lane)| sum.add(used(lane)));
    }

    fn begin_window(&mut self, now: Time) {
        let ahead: Vec<(usize, Time)> = self.overhang(now).into_iter().flatten().collect();
        for (lane, &(_, ahead)) in self.board.channels.iter().zip(&ahead) {
            self.flows.begin_window(lane.place, ahead);
        }
        self.board.begin_window(&ahead);
    }
}

impl Kernel for SlotsKernel {
    const HAS_CLOCK: bool = true;

    /// Headers that have come ask by themselves ([`Self::step`]).
    fn request(&mut self, _: Subject, _: &mut Act) {}

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let needs = Needs::of_flits(self.room_for_all);
        deadlock::find(wiring, packets, &self.standings(), needs)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let receives = self.board.has_receivers();
        Traits { stretches: true, receives, in_order: true, ..Traits::default() }
    }

    #[inline]
    fn next_time(&self) -> Time {
        self.next
    }

    /// Everything that is there in a slot; how much that was.
    fn step(&mut self, act: &mut Act) -> u64 {
        if self.next != act.now {
            return 0;
        }
        self.happens(act.now / self.slot_ps, act)
    }

    /// Requests, grants, and every channel that can send starts to.
    fn arbitrate(&mut self, act: &mut Act) {
        debug_assert_eq!(act.now % self.slot_ps, 0);
        let slot = act.now / self.slot_ps;
        if !self.asking.is_empty() {
            self.note_requests(act);
        }
        let mut could_start = false;
        loop {
            while let Some((lead, kind)) = self.board.next_marked() {
                self.serve(lead, kind, act);
            }
            let starts = if act.is_observed() {
                self.observe_lacks(act);
                self.send_round::<true>(slot, act)
            } else {
                self.send_round::<false>(slot, act)
            };
            if !starts {
                break;
            }
            could_start = true;
            if self.credit_slots > 0 {
                break;
            }
        }
        // A wire is free in the next slot only if it sends in this one, or nobody could.
        let goes_on = could_start || self.next == (slot + 1) * self.slot_ps;
        let next = if goes_on { Some(slot + 1) } else { self.flights.next_after(slot) };
        self.next = next.map_or(NEVER, |next| next * self.slot_ps);
    }

    fn catch_up(&mut self, act: &mut Act) {
        self.settle_all(act);
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        self.settle_all(act);
        for &channel in crossed {
            let place = self.board.at(channel).place;
            past[channel.index()].add(Use { busy_ps: self.flows.busy(place), packets: 0 });
            self.flows.renew(&like.flows, place);
        }
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        if self.board.at(channel).packet.is_some() { NEVER } else { 0 }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        Some(self.board.channels.iter().map(move |lane| self.ahead(lane, now)).enumerate())
    }
}

impl Grants for SlotsKernel {
    #[inline]
    fn is_idle(channel: &Lane, _: Time) -> bool {
        !channel.packet.is_some()
    }

    #[inline]
    fn room_for_all(&self) -> Option<u32> {
        self.room_for_all
    }

    fn note_asked(&mut self, allocator: ChannelId, is_asked: bool) {
        if self.room_for_all.is_none() {
            return;
        }
        if self.flows.is_awaited(self.board.at(allocator).place) != is_asked {
            self.await_outputs(allocator, is_asked);
        }
    }

    fn room(&self, channel: ChannelId, _: Time) -> u32 {
        let lane = self.board.at(channel);
        let credits = self.flows.credits(lane.place);
        if lane.port.switch.is_some() { credits } else { u32::MAX }
    }

    /// The front packet of `input` (none: the node's packet at hand) gets a channel.
    #[inline]
    fn grant(&mut self, channel: ChannelId, id: PacketId, input: ChannelId, act: &mut Act) {
        let mut from = NOBODY;
        if input.is_some() {
            self.board.leave(input, act);
            from = self.board.at(input).place;
            self.flows.at_mut(from).headers -= 1;
        }
        self.board.enter(channel, id, act);
        let link = &act.wiring.link;
        let flits = (link.packet_flits(act.packets[id].bytes), link.header_flits);
        let lane = self.board.at_mut(channel);
        lane.rest.own[0] += 1;
        lane.packet = id;
        self.flows.begin(lane.place, from, flits, act.now);
        if act.is_observed() {
            self.observe_grant(channel, id, act);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::spec::{Fidelity, TopologySpec};

    /// Whether machines like this are simulated in slots.
    fn is_taken(change: impl FnOnce(&mut Machine)) -> bool {
        let mut machine = Machine::t9000(TopologySpec::Mesh { dims: vec![3, 3] });
        let slot = machine.link.flit_ps;
        let link = &mut machine.link;
        (link.flow_control, link.end_token) = (FlowControl::OutOfBand, false);
        (link.delay_ps, link.credit_delay_ps) = (2 * slot, 3 * slot);
        (machine.switch.delay_ps, machine.switch.virtual_channels) = (slot, 2);
        change(&mut machine);
        let topology = Topology::new(&machine.topology).unwrap();
        let wiring = Fabric::wired(&machine, &topology, Fidelity::Flit, 0).unwrap();
        SlotsKernel::is_for(&machine, &wiring)
    }

    #[test]
    fn all_times_must_be_multiples_of_that_of_a_flit() {
        assert!(is_taken(|_| {}));
        assert!(is_taken(|machine| machine.link.credit_delay_ps = 0));
        assert!(!is_taken(|machine| machine.link.credit_delay_ps += 1));
        assert!(!is_taken(|machine| machine.link.delay_ps += 1));
        assert!(!is_taken(|machine| machine.switch.delay_ps += 1));
        assert!(!is_taken(|machine| machine.link.packet_gap_ps = 1));
        assert!(is_taken(|machine| machine.link.packet_gap_ps = 4 * machine.link.flit_ps));
        assert!(!is_taken(|machine| {
            (machine.link.end_token, machine.link.control_ps) = (true, 1);
        }));
        assert!(!is_taken(|machine| machine.switch.input_buffer_flits = None));
    }
}
