//! How long a message takes alone: what a run gives in which there is no other.
//!
//! A second network of the same machine, in mode `free`, carries one message at a time, from the instant
//! at which it was queued, with a window and acknowledgements of its own. Processes, software and
//! receivers have no part in it: where software prepares packets, they are queued at the same distances in
//! time as in the run.

use super::message::{Life, Message};
use super::packetisation::Packetisation;
use super::protocol::Protocol;
use crate::error::SpecError;
use crate::event_queue::{Event, EventQueue};
use crate::fabric::{Accounts, ByKind, Fabric, Instants, Kind, Packet, Wiring, never_wait_inside};
use crate::ids::{MessageId, NodeId};
use crate::measure::{Class, Measures};
use crate::mixed::Mixed;
use crate::spec::{Fidelity, Mode, Spec};
use crate::time::{NEVER, Time};
use crate::topology::Topology;

/// How long messages take alone.
pub struct Alone {
    fabric: Fabric,
    measures: Measures,
    packetisation: Packetisation,
    protocol: Protocol,
    /// Times that were found before, of messages that take the same whenever they are sent.
    known: Mixed<Likeness, Time>,
    /// The longest message that does, in bytes; none if none does.
    longest_known: Option<u64>,
    /// What happens does so whenever, as far as clocks go, in multiples of this time: switches may take other
    /// steps in one cycle than in the next.
    period: Time,
    /// Whether it matters when in a period a message is queued: switches have a clock.
    has_phases: bool,
    /// When the message before was through: time does not go back.
    free_at: Time,
    /// Of messages alone, one after the other.
    events: EventQueue,
}

/// What messages have in common that take the same: source, destination, length, traffic class, and
/// when in a period of the clock of switches they are queued, if these have one.
type Likeness = (NodeId, NodeId, u64, u8, Time);

/// A long interval between samples: none is taken.
const LONG: Time = 1 << 50;

/// The only message.
const ONLY: MessageId = MessageId(0);

impl Alone {
    /// On the machine of a run.
    ///
    /// # Errors
    /// A machine that cannot be simulated.
    pub fn new(spec: &Spec, topology: &Topology, instants: Instants) -> Result<Self, SpecError> {
        let kind = (Mode::Free, spec.fidelity);
        let known = (Accounts::None, instants);
        let fabric = Fabric::new(&spec.machine, topology, kind, known, spec.seed)?;
        let wiring = fabric.wiring();
        let channels = wiring.layout.channels();
        let longest = spec.machine.interface.packet_bytes;
        let link = wiring.link;
        let reach = link.packet_ps(longest).max(wiring.drain_ps(longest));
        let packetisation = Packetisation::new(&spec.machine);
        let pipeline = spec.machine.switch.pipeline.as_ref();
        let longest_known = longest_known(spec, wiring, topology, &packetisation);
        Ok(Self {
            measures: Measures::new(channels, topology.nodes, LONG, false),
            packetisation,
            protocol: Protocol::new(&spec.machine, Mode::Free),
            known: Mixed::default(),
            longest_known,
            period: link.flit_ps.max(1) * u64::from(pipeline.map_or(1, |of| of.speedup_cycles)),
            has_phases: pipeline.is_some(),
            free_at: 0,
            events: EventQueue::new(reach, link.hop_ps),
            fabric,
        })
    }

    /// How long a message takes whose first packet is queued at an instant; its packets are queued at
    /// the given ones, or if there are none as soon as they may.
    pub fn of(&mut self, message: &Message, queued: Time, packets: &[Time]) -> Time {
        let &Message { from_node, to_node, bytes, traffic, .. } = message;
        let phase = if self.has_phases { queued % self.period } else { 0 };
        let likeness = (from_node, to_node, bytes, traffic, phase);
        let is_alike = packets.len() < 2 && self.longest_known.is_some_and(|most| bytes <= most);
        if is_alike && let Some(&known) = self.known.get(&likeness) {
            debug_assert_eq!(self.passes(message, queued, packets), known, "{message:?}");
            return known;
        }
        let took = self.passes(message, queued, packets);
        if is_alike {
            self.known.insert(likeness, took);
        }
        took
    }

    /// The same, by sending it.
    fn passes(&mut self, message: &Message, queued: Time, packets: &[Time]) -> Time {
        let later = self.free_at.saturating_sub(queued).next_multiple_of(self.period);
        let begins = queued + later;
        let passage = self.fabric.by_kind::<Passage>();
        let last = passage(Passage {
            message: message.anew(),
            last: begins,
            now: begins,
            packets,
            later,
            sent: 0,
            alone: self,
        });
        last - begins
    }
}

/// The longest message that takes the same whenever it is sent, in bytes: any where each pair has one
/// route, and one packet where all routes of a pair take the same; or any if packets of one message then never wait
/// for each other.
fn longest_known(
    Spec { machine, fidelity, .. }: &Spec,
    wiring: &Wiring,
    topology: &Topology,
    of: &Packetisation,
) -> Option<u64> {
    let properties = wiring.routing.properties();
    if !properties.draws && !properties.chooses && !properties.varies {
        return Some(u64::MAX);
    }
    let take_the_same = properties.are_equally_long && wiring.is_even_inside();
    let are_apart = *fidelity == Fidelity::Packet && never_wait_inside(machine, wiring);
    let most = || if are_apart { u64::MAX } else { of.most_of_one_packet().into() };
    (take_the_same && topology.failed.is_empty()).then(most)
}

/// A message on its way alone.
struct Passage<'a> {
    alone: &'a mut Alone,
    message: Message,
    now: Time,
    /// When its latest data packet was there.
    last: Time,
    /// When its packets were queued in the run, if that is to be the same; how much later it is here.
    packets: &'a [Time],
    later: Time,
    /// Those that have been queued.
    sent: usize,
}

impl ByKind for Passage<'_> {
    type Output = Time;

    fn act<M: Kind>(mut self) -> Time {
        self.instant::<M>(true);
        loop {
            let (clock, due) = (self.alone.fabric.next_time::<M>(), self.next_due());
            let queued = self.alone.events.next_time(clock.min(due));
            let is_over = clock == NEVER || self.alone.fabric.packets().is_empty();
            if queued.is_none() && is_over && due == NEVER {
                self.alone.free_at = self.now;
                return self.last;
            }
            self.now = queued.unwrap_or(NEVER).min(clock).min(due);
            self.instant::<M>(false);
        }
    }
}

impl Passage<'_> {
    /// All that happens at an instant; at the first the message is sent.
    fn instant<M: Kind>(&mut self, is_first: bool) {
        let Alone { fabric, measures, events, .. } = &mut *self.alone;
        fabric.step::<M>(self.now, events, measures);
        if is_first || self.next_due() <= self.now {
            self.send();
        }
        while let Some(event) = self.next_event::<M>() {
            self.handle::<M>(event);
        }
        let Alone { fabric, measures, events, .. } = &mut *self.alone;
        fabric.arbitrate::<M>(self.now, events, measures);
    }

    fn next_event<M: Kind>(&mut self) -> Option<Event> {
        let Alone { fabric, events, .. } = &mut *self.alone;
        fabric.next_event::<M>(self.now, events)
    }

    fn handle<M: Kind>(&mut self, event: Event) {
        let Alone { fabric, measures, events, .. } = &mut *self.alone;
        let now = self.now;
        match event {
            Event::Request(of) => fabric.request::<M>(of, now, events, measures),
            Event::Retry(of) => fabric.retry::<M>(of, now, events, measures),
            Event::Head(of) => {
                let is_there = fabric.arrived_head(of, now).is_some();
                if is_there && self.alone.protocol == Protocol::Acknowledged {
                    self.acknowledge();
                }
            }
            Event::Tail(of) => {
                let packet = fabric.take_delivered(of, now, |_| 0, events, measures);
                self.arrives(&packet);
            }
            Event::Cpu(_) | Event::Start(_) | Event::Row(_) | Event::Interface(_) => {}
        }
    }

    /// A packet has been delivered.
    fn arrives(&mut self, packet: &Packet) {
        let is_acknowledged = self.alone.protocol == Protocol::Acknowledged;
        if packet.class == Class::Data {
            self.last = self.now;
            if is_acknowledged && !self.alone.fabric.wiring().reports_header(packet) {
                self.acknowledge();
            }
        }
        if (packet.class == Class::Ack) == is_acknowledged {
            self.message.in_flight -= 1;
            self.send();
        }
    }

    /// When its next packet is queued, if that is as in the run.
    fn next_due(&self) -> Time {
        self.packets.get(self.sent).map_or(NEVER, |&queued| queued + self.later)
    }

    /// Queues what its window has room for, or what is due.
    fn send(&mut self) {
        let window = self.alone.packetisation.window;
        let mut is_first = self.message.life == Life::Pending;
        let may_go = |of: &Self| {
            let has_room = of.message.unsent > 0 && of.message.in_flight < window;
            if of.packets.is_empty() { has_room } else { of.next_due() <= of.now }
        };
        while is_first || may_go(self) {
            is_first = false;
            self.sent += 1;
            let bytes = self.alone.packetisation.next(&self.message);
            let packet = self.message.next_packet(ONLY, bytes, &self.alone.fabric);
            self.queue(packet);
        }
    }

    fn acknowledge(&mut self) {
        let packet = self.message.next_acknowledgement(ONLY, &self.alone.fabric);
        self.queue(packet);
    }

    fn queue(&mut self, packet: Packet) {
        let Alone { fabric, measures, events, .. } = &mut *self.alone;
        fabric.queue(packet, 0, self.now, events, measures);
    }
}
