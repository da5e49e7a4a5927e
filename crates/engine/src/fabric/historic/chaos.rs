//! The chaos router: every switch has a central queue, the *multiqueue*, with room for as
//! many packets as it has links, and sends a packet of it anywhere when it is full.
//!
//! Whenever an output is free: the oldest packet of the multiqueue that profits from it
//! takes it; else an input whose front packet profits, drawn at random; else, if the
//! multiqueue is full and a packet waits at the input from the same neighbour, a packet of
//! the multiqueue drawn at random is *derouted* by it, and the waiting one takes its place.
//! What then still waits at an input moves into the multiqueue while that has places
//! [Konstantinidou & Snyder 1991; Bolding 1993; Tweedie, section 2.2.3].
//!
//! Places are counted in packets, whatever their length, and a packet from a node enters
//! only where another place stays free: so somewhere there always is one, and packets
//! can move.

use crate::error::Blocked;
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::kernels::packet::{Channel, PacketKernel};
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::has_board;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::measure::ChannelKind;
use crate::measure::blame::Observation;
use crate::rng::{Key, Purpose, Stream};
use crate::routing::Outputs;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;

/// Whole packets through switches with a multiqueue each.
#[derive(Clone)]
pub struct ChaosKernel {
    packet: PacketKernel,
    queues: Multiqueues,
}

/// The multiqueues of all switches.
#[derive(Clone)]
struct Multiqueues {
    seed: Key,
    switches: Vec<Multiqueue>,
    outputs: Outputs,
    /// Places among those that ask of those that profit from the output at hand.
    wanting: Vec<usize>,
}

/// A switch with a multiqueue.
#[derive(Clone)]
struct Multiqueue {
    /// Its packets, the oldest first.
    packets: Vec<PacketId>,
    places: usize,
    /// The channels that lead out of the switch, each with the one that leads back.
    channels: Vec<(ChannelId, ChannelId)>,
}

impl Multiqueue {
    fn is_full(&self) -> bool {
        self.packets.len() == self.places
    }
}

impl Multiqueues {
    /// Empty multiqueues: one place for every link between switches, one for injection
    /// and one for ejection.
    fn new(wiring: &Wiring, switches: usize, seed: u64) -> Self {
        let layout = &wiring.layout;
        let back = layout.opposite();
        let empty = || Multiqueue { packets: Vec::new(), places: 2, channels: Vec::new() };
        let mut all: Vec<Multiqueue> = (0..switches).map(|_| empty()).collect();
        for group in &layout.groups {
            if matches!(group.kind, ChannelKind::Internal | ChannelKind::Ejection) {
                let switch = &mut all[group.from as usize];
                switch.places += usize::from(group.kind == ChannelKind::Internal);
                switch.channels.extend(group.channels().map(|c| (c, back[c.index()])));
            }
        }
        let (seed, outputs, wanting) = (Key::of(seed), Outputs::default(), Vec::new());
        Self { seed, switches: all, outputs, wanting }
    }

    /// The place of one of several packets, all equally likely. It is drawn by all of them, in
    /// whatever order, and the channel: among others, or elsewhere, another is drawn.
    fn draw(&self, channel: ChannelId, packets: impl ExactSizeIterator<Item = u64>) -> usize {
        let count = packets.len() as u64;
        let key = Key::of_all(packets.map(|packet| self.seed.and(packet))).and(channel.0.into());
        Stream::keyed(Purpose::Selection, key).below(count) as usize
    }

    /// Whether a packet comes nearer to its destination by a channel out of its switch.
    fn profits(&mut self, id: PacketId, channel: ChannelId, act: &Act) -> bool {
        let group = act.wiring.layout.group(channel);
        let header = act.packets[id].header();
        if let End::Node(node) = group.end {
            return node == header.destination;
        }
        let mut leads = act.wiring.leads(SwitchId(group.from), header, &mut self.outputs);
        leads.any(|(lead, _)| lead == group.first)
    }
}

impl ChaosKernel {
    /// An empty network.
    pub fn new(machine: &Machine, topology: &Topology, wiring: &Wiring, seed: u64) -> Self {
        Self {
            packet: PacketKernel::new(machine, topology, wiring, seed),
            queues: Multiqueues::new(wiring, topology.switches, seed),
        }
    }

    /// Everything that can move in a switch with a multiqueue moves.
    fn serve(&mut self, allocator: ChannelId, act: &mut Act) {
        let switch = act.wiring.layout.group(allocator).from as usize;
        let mut asking = self.packet.board.take_asking(allocator, act);
        loop {
            for place in 0..self.queues.switches[switch].channels.len() {
                let (channel, back) = self.queues.switches[switch].channels[place];
                let slots = self.packet.slots_free(channel, act);
                if slots > 0 {
                    let from = (switch, back, slots);
                    self.use_output(channel, from, &mut asking, allocator, act);
                }
            }
            // What the multiqueue takes in may leave it at once by an output still free.
            if !self.store(switch, &mut asking, allocator, act) {
                break;
            }
        }
        let queue = &self.queues.switches[switch];
        let is_waiting = !queue.packets.is_empty() || self.packet.board.asks(allocator);
        self.packet.board.put_asking(asking);
        if is_waiting {
            let packet = &mut self.packet;
            let channels = queue.channels.iter();
            let again = channels.map(|&(channel, _)| packet.look_again_at(channel, act.now)).min();
            if let Some(again) = again.filter(|&again| again != NEVER) {
                packet.board.post_retry(allocator, again, act.events);
            }
        }
    }

    /// What waits at inputs moves into the multiqueue while it has places; whether any did.
    fn store(
        &mut self,
        switch: usize,
        asking: &mut Vec<ChannelId>,
        allocator: ChannelId,
        act: &mut Act,
    ) -> bool {
        let (packet, queue) = (&mut self.packet, &mut self.queues.switches[switch]);
        let before = asking.len();
        asking.retain(|&input| {
            let from_node = usize::from(packet.is_from_node(input));
            let fits = queue.packets.len() + from_node < queue.places;
            if fits {
                queue.packets.push(packet.take_in(input, allocator, act));
            }
            !fits
        });
        asking.len() < before
    }

    /// A free output is used as the rules say, if anybody wants it.
    fn use_output(
        &mut self,
        channel: ChannelId,
        (switch, back, slots): (usize, ChannelId, u32),
        asking: &mut Vec<ChannelId>,
        allocator: ChannelId,
        act: &mut Act,
    ) {
        let (packet, queues) = (&mut self.packet, &mut self.queues);
        let queued = std::mem::take(&mut queues.switches[switch].packets);
        let oldest = queued.iter().position(|&id| queues.profits(id, channel, act));
        queues.switches[switch].packets = queued;
        if let Some(place) = oldest {
            let id = queues.switches[switch].packets.remove(place);
            packet.start_stored(channel, id, act);
            return;
        }
        queues.wanting.clear();
        for (at, &input) in asking.iter().enumerate() {
            let front = packet.board.at(input).port.buffer.first;
            let may = slots > 1 || !packet.is_from_node(input);
            if may && queues.profits(front, channel, act) {
                queues.wanting.push(at);
            }
        }
        let queue = &queues.switches[switch];
        if !queues.wanting.is_empty() {
            let front = |&at: &usize| packet.board.at(asking[at]).port.buffer.first;
            let fronts = queues.wanting.iter().map(|at| act.packets.drawn_by(front(at)));
            let drawn = queues.draw(channel, fronts);
            let id = packet.take_in(asking.remove(queues.wanting[drawn]), allocator, act);
            packet.start_stored(channel, id, act);
        } else if let Some(at) = asking.iter().position(|&input| input == back)
            && queue.is_full()
            && packet.board.at(channel).port.switch.is_some()
        {
            let stored = queue.packets.iter().map(|&id| act.packets.drawn_by(id));
            let drawn = queues.draw(channel, stored);
            let queue = &mut queues.switches[switch];
            let id = queue.packets.remove(drawn);
            queue.packets.push(packet.take_in(asking.remove(at), allocator, act));
            packet.start_stored(channel, id, act);
        }
    }
}

has_board!(ChaosKernel, Channel in packet.board);

impl Switched for ChaosKernel {}

/// As for whole packets, but for what switches do.
impl Kernel for ChaosKernel {
    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        self.packet.request(of, act);
    }

    fn arbitrate(&mut self, act: &mut Act) {
        while let Some((lead, kind)) = self.packet.board.next_marked() {
            match kind {
                ChannelKind::Injection | ChannelKind::Direct => self.packet.serve_source(lead, act),
                ChannelKind::Internal | ChannelKind::Ejection => self.serve(lead, act),
            }
        }
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        self.packet.overhang(now)
    }

    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        self.packet.deadlock(now, wiring, packets)
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        Traits { in_order: false, ..self.packet.traits(wiring) }
    }

    #[inline]
    fn prefetch(
        &self,
        events: impl Iterator<Item = Event> + Clone,
        packets: &PacketPool,
        wiring: &Wiring,
    ) {
        self.packet.prefetch(events, packets, wiring);
    }
}

/// What switches with a multiqueue ask of channels for whole packets.
impl PacketKernel {
    /// The front packet of an input leaves it, as a whole or into the multiqueue.
    fn take_in(&mut self, input: ChannelId, allocator: ChannelId, act: &mut Act) -> PacketId {
        self.board.withdraw(allocator, input, act.packets);
        let id = self.board.at_mut(input).port.buffer.pop(act.packets);
        let end = act.now + act.wiring.timing(input).packet_ps(act.packets[id].bytes);
        let tokens = self.places_of(id, act);
        self.leave(input, tokens, end, act);
        act.observe(Observation::Stored { packet: id, until: end });
        id
    }

    /// A packet that has been in the multiqueue, if only for no time, starts on a channel.
    fn start_stored(&mut self, channel: ChannelId, id: PacketId, act: &mut Act) {
        self.start_on_wire(channel, id, self.slot, act);
    }

    /// Packets that may start on a channel now, as far as places go.
    fn slots_free(&self, id: ChannelId, act: &Act) -> u32 {
        let channel = self.board.at(id);
        if self.board.is_closed(act.wiring.layout.group(id).first) {
            return 0;
        }
        match (self.wire_free_at(id) > act.now, channel.port.switch.is_some()) {
            (true, _) => 0,
            (false, false) => u32::MAX,
            (false, true) => (self.capacity - channel.occupied_at(act.now)) / self.slot,
        }
    }

    /// When a channel may be of more use than now; where that is not known, sees to it that
    /// the allocator is told.
    fn look_again_at(&mut self, id: ChannelId, now: Time) -> Time {
        let free_at = self.wire_free_at(id);
        if free_at > now {
            return free_at;
        }
        let channel = self.board.at_mut(id);
        if channel.leaving_at > now {
            return channel.leaving_at;
        }
        channel.wait_for_room();
        NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of four is taken, and another comes in its place: each of the four is as likely.
    #[test]
    fn packets_are_drawn_fairly() {
        let (outputs, wanting) = (Outputs::default(), Vec::new());
        let queues = Multiqueues { seed: Key::of(2), switches: Vec::new(), outputs, wanting };
        let (mut packets, mut places) = (vec![0, 1, 2, 3], [0_u32; 4]);
        for next in 4..40_004 {
            let drawn = queues.draw(ChannelId(5), packets.iter().map(|packet| packet << 16));
            places[drawn] += 1;
            packets.remove(drawn);
            packets.push(next);
        }
        assert!(places.iter().all(|count| (9_600..10_400).contains(count)), "{places:?}");
    }
}
