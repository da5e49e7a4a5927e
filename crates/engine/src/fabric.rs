//! The network: channels, buffers, arbitration, packets in flight.
//!
//! The node hands packets over with [`Fabric::queue`]; the fabric posts `HEAD`
//! and `TAIL` events when they arrive. What lies between depends on fidelity
//! and contention mode, one file each. The fabric knows packets, never what
//! their messages mean.

mod act;
mod check;
mod deadlock;
mod delivery;
mod historic;
mod kernel;
mod kernels;
mod network;
mod packet;
mod registry;
mod sites;
mod switch;
mod transit;

pub use kernel::{Accounts, Instants};
pub use kernels::line::never_wait_inside;
pub use network::cells::CellTiming;
pub use network::layout::{End, Group, Layout};
pub use network::line::Line;
pub use network::timing::{Rates, Running, Timing};
pub use network::wiring::Wiring;
pub use packet::Packet;
pub use registry::{ByKind, KernelKind, Kind};
pub use transit::{LostPacket, PacketPool, Part};

use crate::error::{Blocked, SpecError};
use crate::event_queue::{Event, EventQueue, Subject};
use crate::ids::{ChannelId, MessageId, NodeId, PacketId, ProcessId};
use crate::measure::blame::Queues;
use crate::measure::late::{Queued, Sites};
use crate::measure::stored::Owner;
use crate::measure::{Class, Measures, Use};
use crate::rare::{rare, rarely};
use crate::routing::Otherwise;
use crate::spec::{Costs, Fault, Fidelity, Machine, Mode};
use crate::time::{NEVER, Time};
use crate::topology::{Outage, Topology};
use act::Act;
use delivery::Delivery;
use kernel::{Kernel, Queues as _, Traits};
use network::faults::Faults;
use registry::{AnyKernel, dispatch};

/// The network of one run.
pub struct Fabric {
    wiring: Wiring,
    packets: PacketPool,
    kernel: AnyKernel,
    traits: Traits,
    /// Whether nodes have places for so many replies.
    limits_replies: bool,
    /// When tables of routing change next.
    next_change: Time,
    /// Events of the present instant, where they must be put in order first.
    instant: Vec<(u32, u32, Event)>,
}

impl Fabric {
    /// The network of a machine in one contention mode.
    ///
    /// # Errors
    /// Links or buffers that cannot carry a packet.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        (mode, fidelity): (Mode, Fidelity),
        known: (Accounts, Instants),
        seed: u64,
    ) -> Result<Self, SpecError> {
        let wiring = Self::wired(machine, topology, fidelity, seed)?;
        let kernel = AnyKernel::new(machine, topology, &wiring, (mode, fidelity), known, seed)?;
        let mut packets = PacketPool::new(machine.routing.hop_limit);
        if machine.draws_at_switches() {
            packets.keep_keys();
        }
        if machine.interface.costs().is_some_and(Costs::follows_packets) {
            packets.tell_departures(topology.nodes);
        }
        let traits = dispatch!(&kernel, kernel => kernel.traits(&wiring));
        let (limits_replies, next_change, instant) = (false, NEVER, Vec::new());
        Ok(Self { wiring, packets, kernel, traits, limits_replies, next_change, instant })
    }

    /// The wiring of a machine that can be simulated at a fidelity.
    ///
    /// # Errors
    /// What it cannot be simulated for.
    pub fn wired(
        machine: &Machine,
        topology: &Topology,
        fidelity: Fidelity,
        seed: u64,
    ) -> Result<Wiring, SpecError> {
        registry::accepts(machine, topology, fidelity)?;
        let wiring = Wiring::new(machine, topology, fidelity, seed)?;
        registry::accepts_network(machine, &wiring, fidelity)?;
        Ok(wiring)
    }

    /// Links are down, or slower, for a time.
    ///
    /// # Errors
    /// A kernel that cannot simulate that; links that are not there.
    pub fn set_faults(
        &mut self,
        faults: &[Fault],
        outages: &[Outage],
        (machine, topology, seed): (&Machine, &Topology, u64),
    ) -> Result<(), SpecError> {
        let kind = self.kernel.kind();
        let moves = self.wiring.routing.properties().otherwise != Otherwise::Wait;
        let without = match kind {
            KernelKind::Packet | KernelKind::Queued if !moves => {
                let known = Faults::new(faults, outages, &self.wiring.layout, (topology, seed))?;
                if faults.iter().any(|fault| fault.bit_errors.is_some()) {
                    self.packets.keep_keys();
                }
                self.wiring.faults = Some(Box::new(known));
                self.wiring.reroute((machine, topology, seed), (faults, outages))?;
                self.next_change = self.wiring.next_change();
                return Ok(());
            }
            KernelKind::Packet | KernelKind::Queued => "routing that deflects packets".into(),
            KernelKind::Private | KernelKind::Line => "modes other than full".into(),
            KernelKind::Circuit => "machine.switch.switching = circuit".into(),
            KernelKind::Stored => "machine.switch.integrated".into(),
            KernelKind::Cells => "machine.switch.segmentation".into(),
            KernelKind::Frames => "machine.switch.forwarding".into(),
            other => format!("kernel {}", other.name()),
        };
        let allowed =
            format!("must be left out with {without}: faults are simulated packet by packet");
        Err(SpecError::new("fault", faults.len(), allowed))
    }

    /// Channels, routes and times.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Whether nodes store packets on their way, and it is to be measured how much.
    pub fn stores(&self) -> bool {
        self.traits.stores
    }

    /// Nodes have places for so many replies to requests; by traffic class the one that answers it.
    /// In the modes without contention nothing waits for places.
    pub fn limit_replies(&mut self, limit: u32, answered_by: &[Option<u32>]) {
        self.limits_replies = true;
        self.packets.tell_network_departures();
        dispatch!(&mut self.kernel, kernel => kernel.limit_replies(limit, answered_by));
    }

    /// A node has received all of a message.
    #[inline]
    pub fn received(&mut self, message: MessageId, node: NodeId) {
        if self.limits_replies {
            dispatch!(&mut self.kernel, kernel => kernel.received(message, node));
        }
    }

    /// What the flow of a message's packets is known by, which their routes are until they are
    /// queued: the processes at its ends, or how many messages or packets of its process come before.
    #[inline]
    pub fn flow(&self, ends: (ProcessId, ProcessId), before: (u32, u32)) -> u32 {
        self.wiring.routing.flow(ends, before)
    }

    /// A node puts a packet of a traffic class into its output queue: its place, until it
    /// has been delivered.
    #[inline]
    pub fn queue(
        &mut self,
        packet: Packet,
        class: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) -> PacketId {
        let id = self.admit(packet, class, now, measures);
        self.enter(id, now, events, measures);
        id
    }

    /// The same without its standing in that queue yet: until [`Self::enter`] others can join it
    /// ([`Self::ride`]).
    #[inline]
    pub fn admit(
        &mut self,
        packet: Packet,
        class: u32,
        now: Time,
        measures: &mut Measures,
    ) -> PacketId {
        measures.counters.class_mut(packet.class).queued += 1;
        let id = self.insert(packet);
        if let Some(blame) = rare(&mut measures.blame) {
            let is_victim = blame.has_victim(packet.source, packet.class);
            let lead = || self.wiring.injection_lead(packet.source, packet.traffic());
            blame.queued(id, (class, is_victim), lead, now);
        }
        if let Some(late) = rare(&mut measures.late) {
            let queued = Queued {
                message: packet.message,
                is_ack: packet.class == Class::Ack,
                label: class,
                is_last: packet.is_last(),
                size: self.wiring.link.packet_flits(packet.bytes),
                ends: (packet.source, packet.destination),
            };
            late.queued(id, &queued, now);
        }
        if let Some(stored) = rare(&mut measures.stored) {
            stored.comes(packet.source, Owner::Local, self.wiring.bytes_in_node(&packet));
        }
        id
    }

    /// A packet of a multicast goes along with another as far as their ways are the same, behind
    /// `last`, who has joined that one last.
    pub fn ride(
        &mut self,
        packet: Packet,
        class: u32,
        (carrier, last): (PacketId, PacketId),
        now: Time,
        measures: &mut Measures,
    ) -> PacketId {
        measures.counters.class_mut(packet.class).queued += 1;
        let id = self.insert(packet);
        if let Some(blame) = rare(&mut measures.blame) {
            blame.rides(id, carrier, class, now);
        }
        self.packets.rides(last, id);
        id
    }

    /// A new packet with its route.
    #[inline]
    fn insert(&mut self, packet: Packet) -> PacketId {
        let Packet { source, destination, route: flow, serial: drawn_by, .. } = packet;
        let route = self.wiring.routing.begin(source, destination, (flow, drawn_by));
        let id = self.packets.insert(packet.begins_with(route));
        if self.wiring.routing.misses(self.wiring.layout.home(source), destination) {
            self.packets.strays(id);
        }
        id
    }

    /// A packet enters its node's output queue, with its riders.
    #[inline]
    pub fn enter(
        &mut self,
        id: PacketId,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        dispatch!(
            &mut self.kernel,
            kernel => kernel.queue(id, &mut Act { now, wiring, packets, events, measures })
        );
    }

    /// Whether it makes copies of packets, so that those of a multicast can ride with one of them.
    #[inline]
    pub fn replicates(&self) -> bool {
        self.traits.replicates
    }

    /// Which kernel simulates this run.
    pub fn kernel(&self) -> KernelKind {
        self.kernel.kind()
    }

    /// What does something with the kernel of this run, by its kind.
    pub fn by_kind<T: ByKind>(&self) -> fn(T) -> T::Output {
        self.kernel.by_kind::<T>()
    }

    /// `REQUEST`: the packet at the front of a channel's buffer asks for its output.
    #[inline]
    pub fn request<M: Kind>(
        &mut self,
        of: Subject,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        M::of_mut(&mut self.kernel)
            .request(of, &mut Act { now, wiring, packets, events, measures });
    }

    /// `RETRY`: a group that had to wait looks again.
    #[inline]
    pub fn retry<M: Kind>(
        &mut self,
        of: Subject,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        M::of_mut(&mut self.kernel).retry(of, &mut Act { now, wiring, packets, events, measures });
    }

    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    pub fn prefetch<M: Kind>(&self, events: impl Iterator<Item = Event> + Clone) {
        M::of(&self.kernel).prefetch(events, &self.packets, &self.wiring);
    }

    /// The packet that an event delivers to its node, or lets leave it, as far as that is known.
    #[inline]
    pub fn at_node<M: Kind>(&self, event: Event) -> Option<&Packet> {
        let id = M::of(&self.kernel).at_node(event, &self.wiring);
        id.is_some().then(|| &self.packets[id])
    }

    /// Every output and node with something to send chooses; after all events of an instant.
    #[inline]
    pub fn arbitrate<M: Kind>(
        &mut self,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let kernel = M::of_mut(&mut self.kernel);
        if !kernel.is_settled() {
            let (wiring, packets) = (&self.wiring, &mut self.packets);
            kernel.arbitrate(&mut Act { now, wiring, packets, events, measures });
        }
    }

    /// Whether it has taken much memory since this was asked last.
    #[inline]
    pub fn has_grown<M: Kind>(&mut self) -> bool {
        M::of_mut(&mut self.kernel).has_grown()
    }

    /// When something next happens that is not in the list of events, or [`NEVER`].
    #[inline]
    pub fn next_time<M: Kind>(&self) -> Time {
        let own = if M::HAS_CLOCK { M::of(&self.kernel).next_time() } else { NEVER };
        if rarely(self.next_change != NEVER) && !self.packets.is_empty() {
            return own.min(self.next_change);
        }
        own
    }

    /// Handles that; how many events it was.
    #[inline]
    pub fn step<M: Kind>(
        &mut self,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) -> u64 {
        if rarely(now >= self.next_change) {
            self.change_tables::<M>(now, events, measures);
        }
        if !M::HAS_CLOCK {
            return 0;
        }
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        M::of_mut(&mut self.kernel).step(&mut Act { now, wiring, packets, events, measures })
    }

    /// Other tables of routing come into force.
    #[cold]
    fn change_tables<M: Kind>(
        &mut self,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let are_new = self.wiring.change_tables(now);
        self.next_change = self.wiring.next_change();
        if are_new {
            let (wiring, packets) = (&self.wiring, &mut self.packets);
            let act = &mut Act { now, wiring, packets, events, measures };
            M::of_mut(&mut self.kernel).rerouted(act);
        }
    }

    /// Works out all that has happened up to `now`, at the end of that instant.
    pub fn catch_up(&mut self, now: Time, events: &mut EventQueue, measures: &mut Measures) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        dispatch!(
            &mut self.kernel,
            kernel => kernel.catch_up(&mut Act { now, wiring, packets, events, measures })
        );
    }

    /// No event is left, and the last was at `now`: since when nothing moves.
    pub fn at_rest(&self, now: Time) -> Time {
        if self.packets.is_empty() {
            return now;
        }
        dispatch!(&self.kernel, kernel => kernel.at_rest(now))
    }

    /// The packet a `HEAD` event is about; none if all of it has been there before.
    #[inline]
    pub fn arrived_head(&mut self, of: Subject, now: Time) -> Option<(PacketId, &Packet)> {
        let (wiring, packets) = (&self.wiring, &self.packets);
        let id = dispatch!(&mut self.kernel, kernel => kernel.take_head(of, now, wiring, packets));
        id.is_some().then(|| (id, &self.packets[id]))
    }

    /// Takes the packet a `TAIL` event is about out of the network.
    #[inline]
    pub fn take_delivered(
        &mut self,
        of: Subject,
        now: Time,
        message: impl Fn(&Packet) -> u64,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) -> Packet {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        let (id, channel) = dispatch!(
            &mut self.kernel,
            kernel => kernel.take_delivered(of, &mut Act { now, wiring, packets, events, measures })
        );
        let is_stretched = self.traits.stretches;
        let delivery = Delivery { id, channel, at: now, is_stretched };
        delivery.record(message, &self.wiring, &mut self.packets, measures)
    }

    /// The next event of instant `time`, if one is left; they come by kind, then by number, and
    /// those about packets in order of the packets' serial numbers.
    #[inline]
    pub fn next_event<M: Kind>(&mut self, time: Time, events: &mut EventQueue) -> Option<Event> {
        if M::NUMBERS_PACKETS {
            self.next_in_order::<M>(time, events)
        } else {
            events.take_at(time)
        }
    }

    /// The same where numbers of packets are no order.
    fn next_in_order<M: Kind>(&mut self, time: Time, events: &mut EventQueue) -> Option<Event> {
        let waiting = self.instant.len();
        while let Some(event) = events.take_at(time) {
            let (kind, number) = event.order();
            let serial = |of: Subject| self.packets[of.packet()].serial;
            let packet = match event {
                Event::Retry(_) if M::RETRIES_ARE_OF_CHANNELS => None,
                _ => event.subject(),
            };
            self.instant.push((kind, packet.map_or(number, serial), event));
        }
        if self.instant.len() > waiting {
            // Latest first: the next one is taken from the end, and events created meanwhile
            // join those still to come.
            self.instant.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.instant.pop().map(|(_, _, event)| event)
    }

    /// Data packets waiting in a node's output queue.
    #[inline]
    pub fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        dispatch!(&self.kernel, kernel => kernel.waiting_data(node, now))
    }

    /// The packets that wait for each other in a circle and will never move again; empty
    /// if every packet can move, or where that is not known (fidelities `token` and `stream`).
    pub fn deadlock(&self, now: Time) -> Vec<Blocked> {
        dispatch!(&self.kernel, kernel => kernel.deadlock(now, &self.wiring, &self.packets))
    }

    /// A packet that has crossed more channels than it may, or with which the run cannot go on
    /// for want of room: see [`PacketPool::overfull`].
    #[inline]
    pub fn strayed(&self) -> Option<&Packet> {
        self.packets.strayed()
    }

    /// Where packets wait for what.
    pub(crate) fn queues(&self, mode: Mode, fidelity: Fidelity) -> Queues {
        let wiring = &self.wiring;
        let (is_full, is_integrated) = (mode == Mode::Full, wiring.integrated_timing.is_some());
        let are_whole = fidelity == Fidelity::Packet && (is_full || is_integrated);
        let shares_ends =
            matches!(mode, Mode::Endpoints | Mode::Throttled) && wiring.layout.has_shared_wires();
        let have_heads = wiring
            .integrated_timing
            .is_some_and(|integrated_timing| !integrated_timing.is_wormhole());
        Queues {
            of: wiring.queues(),
            fronts: dispatch!(&self.kernel, kernel => kernel.engines(wiring)),
            wires: if self.traits.node_wires {
                wiring.layout.wires_of_nodes()
            } else if are_whole || shares_ends {
                wiring.layout.wire_of.clone()
            } else {
                Vec::new()
            },
            nodes: wiring.layout.receivers(),
            have_receivers: self.traits.receives,
            lists: self.traits.lists,
            have_buffers: is_full && !have_heads && !self.traits.has_no_buffers,
            have_heads,
            are_in_order: self.traits.in_order
                && is_full
                && !self.traits.receives
                && !wiring.replicates
                && !(are_whole && wiring.layout.has_shared_wires()),
        }
    }

    /// What channels are to messages, and how packets stand and are served.
    pub(crate) fn sites(&self, machine: &Machine, kind: (Mode, Fidelity)) -> Sites {
        let engines = dispatch!(&self.kernel, kernel => kernel.engines(&self.wiring));
        sites::sites(&self.wiring, &self.traits, &engines, (machine, kind.0, kind.1))
    }

    /// Packets in flight or queued.
    pub fn packets(&self) -> &PacketPool {
        &self.packets
    }

    /// What every channel has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Vec<Use> {
        dispatch!(&self.kernel, kernel => kernel.used(now))
    }

    /// The channel that a packet waits for that crossed another last, or none, and since when, if it waits at an
    /// instant; where it has a choice, the first that routing names.
    pub fn stands(
        &self,
        packet: PacketId,
        crossed: Option<ChannelId>,
        now: Time,
    ) -> Option<(ChannelId, Time)> {
        let packet = &self.packets[packet];
        let since = if packet.hops == 0 { packet.queued } else { packet.ready };
        let channel = match crossed.map(|channel| self.wiring.layout.group(channel).end) {
            Some(End::Node(_)) => return None,
            Some(End::Switch(switch)) => self.wiring.first_lead(switch, packet.header()),
            None => self.wiring.injection_lead(packet.source, packet.traffic()),
        };
        (since < now).then_some((channel, since))
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        dispatch!(&mut self.kernel, kernel => kernel.begin_window(now));
    }

    /// The same at the end of a sample interval, if it has been counted there already: else
    /// it is in the interval it falls into.
    pub fn overhang_of_sample(&self, now: Time) -> Option<[Time; 3]> {
        if self.traits.books { self.overhang_by_kind(now) } else { None }
    }

    /// Transmission time already counted that lies after `now`, on injection,
    /// internal and ejection channels; unknown in the modes without contention.
    pub fn overhang_by_kind(&self, now: Time) -> Option<[Time; 3]> {
        let mut sums = [0; 3];
        let mut add = |(channel, ahead): (usize, Time)| {
            let kind = self.wiring.layout.group(ChannelId::from_index(channel)).kind;
            sums[kind.in_sums()] += ahead;
        };
        dispatch!(&self.kernel, kernel => kernel.overhang(now)?.for_each(&mut add));
        Some(sums)
    }
}
