//! A copy of the network, with what happens in it.

use super::guests::Guest;
use crate::event_queue::{Event, EventQueue};
use crate::fabric::act::Act;
use crate::fabric::kernel::Kernel;
use crate::fabric::packet::Packet;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, MessageId, PacketId};
use crate::measure::{Class, Use};
use crate::time::{NEVER, Time};

/// From so many channels on it is looked whether some have been told before.
const MOST_CROSSED: usize = 256;

/// A copy of the network, which one message has at a time, or several that meet nowhere in it.
#[derive(Clone)]
pub struct OwnCopy<K> {
    /// The network.
    pub kernel: K,
    events: EventQueue,
    /// As the how-manieth it was given out; 0: no message has it.
    pub given: u64,
    /// The messages that have it.
    guests: Vec<Guest>,
    /// The parts of the network that they have had, if there may be several.
    pub taken: Vec<u64>,
    /// Their packets, those acknowledging included, that have not been delivered.
    live: u32,
    /// When it acts next, as has been told last.
    next: Time,
    /// Whether it acts at this instant.
    pub is_awake: bool,
    /// The instant at which it has chosen last, or [`NEVER`].
    pub chose: Time,
    /// How many packets have been queued in it, ever.
    queued: u64,
    /// How often something had happened at gates when it was looked at last.
    seen: u64,
    /// The channels that its packets have crossed, some several times.
    crossed: Vec<ChannelId>,
    /// So many of them may be told several times.
    most_crossed: usize,
    /// The gates by which its packets come.
    pub gates: Vec<u32>,
    /// Events of this instant that have not been handled, latest first.
    instant: Vec<Event>,
    /// Whether its packets may wait for others of other messages, at gates that copies share.
    has_gates: bool,
}

/// A packet has been delivered: by which channel, if it may be drawn out on it. The answer is which of
/// the messages that have the copy its is.
pub struct Arrived {
    pub id: PacketId,
    pub channel: Option<ChannelId>,
}

impl<K: Kernel + Clone> OwnCopy<K> {
    /// A copy that no message has; how far ahead its events mostly lie, and how seldom less.
    pub fn new(template: &K, (reach, step): (Time, Time), has_gates: bool) -> Self {
        Self {
            kernel: template.clone(),
            events: EventQueue::for_few(reach, step),
            given: 0,
            guests: Vec::new(),
            taken: Vec::new(),
            live: 0,
            next: NEVER,
            is_awake: false,
            chose: NEVER,
            queued: 0,
            seen: 0,
            crossed: Vec::new(),
            most_crossed: MOST_CROSSED,
            gates: Vec::new(),
            instant: Vec::new(),
            has_gates,
        }
    }

    /// Does something in it. Packets wait there for others of their own message only, or at gates: whoever
    /// keeps account of turns is told where there are gates.
    pub fn apart<T>(
        &mut self,
        act: &mut Act,
        something: impl FnOnce(&mut Self, &mut Act) -> T,
    ) -> T {
        let was = act.measures.is_observed;
        let is_told = was && self.has_gates;
        act.measures.is_observed = is_told;
        let blame = act.measures.blame.take();
        let enters = |act: &mut Act, copy| {
            if let Some(late) = act.measures.late.as_mut().filter(|_| is_told) {
                late.enter_copy(copy);
            }
        };
        enters(act, self.given);
        let done = something(self, act);
        enters(act, 0);
        (act.measures.blame, act.measures.is_observed) = (blame, was);
        done
    }

    /// It is given out, as the how-manieth.
    pub fn is_given(&mut self, given: u64) {
        (self.given, self.live, self.next, self.chose) = (given, 0, NEVER, NEVER);
    }

    /// A message gets it; as the how-manieth of those who have it.
    pub fn takes_in(&mut self, message: MessageId) -> u32 {
        self.guests.push(Guest::new(message));
        self.guests.len() as u32 - 1
    }

    /// Whether it was given out as the how-manieth, and this message has it and queues more packets.
    pub fn is_of(&self, given: u64, guest: u32) -> bool {
        self.given == given && !self.has_all(&self.guests[guest as usize])
    }

    /// Whether all packets of a message have been queued, and delivered.
    fn has_all(&self, guest: &Guest) -> bool {
        // What has been lost on the way is known of all together.
        let live = if self.guests.len() == 1 { self.live } else { guest.live };
        guest.has_last && live == 0 && guest.unanswered == 0
    }

    /// Whether a message has it.
    pub fn is_busy(&self) -> bool {
        self.given > 0
    }

    /// Whether this is when it acts next.
    pub fn acts_at(&self, time: Time, given: u64) -> bool {
        self.given == given && self.next == time
    }

    /// The same, where that instant has come.
    pub fn acts_now(&mut self, time: Time, given: u64) -> bool {
        let acts = self.acts_at(time, given);
        if acts {
            self.next = NEVER;
        }
        acts
    }

    /// A packet of a message that has it is about to be queued in it.
    pub fn takes_up(&mut self, packet: &Packet, guest: u32, acknowledges: bool) {
        self.live += 1;
        let guest = &mut self.guests[guest as usize];
        guest.live += 1;
        match packet.class {
            Class::Data => {
                guest.has_last |= packet.is_last();
                guest.unanswered += i32::from(acknowledges);
            }
            Class::Ack => guest.unanswered -= 1,
        }
    }

    /// A packet enters its node's output queue.
    pub fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.queued += 1;
        self.with(act, |kernel, act| kernel.queue(id, act));
    }

    /// Does something with the kernel and its own events. What it loses has been delivered nowhere.
    fn with<T>(&mut self, act: &mut Act, something: impl FnOnce(&mut K, &mut Act) -> T) -> T {
        let before = act.packets.len();
        let (wiring, events) = (act.wiring, &mut self.events);
        let (packets, measures) = (&mut *act.packets, &mut *act.measures);
        if let Some(crossed) = &mut packets.crossed {
            std::mem::swap(crossed, &mut self.crossed);
        }
        let mut own = Act { now: act.now, wiring, packets, events, measures };
        let done = something(&mut self.kernel, &mut own);
        if let Some(crossed) = &mut own.packets.crossed {
            std::mem::swap(crossed, &mut self.crossed);
            if self.crossed.len() > self.most_crossed {
                self.tell_once();
            }
        }
        self.live -= (before - act.packets.len()) as u32;
        done
    }

    /// Takes up the events of this instant, in their order; the run is told at once of those of
    /// nodes.
    fn take_events(&mut self, act: &mut Act) {
        let waiting = self.instant.len();
        while self.events.next_time(act.now) == Some(act.now)
            && let Some(event) = self.events.take_at(act.now)
        {
            match event {
                Event::Interface(_) => act.events.post_now(act.now, event),
                _ => self.instant.push(event),
            }
        }
        if self.instant.len() > waiting {
            self.instant.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// Handles what arrives at this instant, before nodes do anything; how many events it was.
    pub fn begins(&mut self, act: &mut Act, arrived: &mut impl FnMut(Arrived) -> u32) -> u64 {
        let mut count = self.with(act, K::step);
        loop {
            self.take_events(act);
            let Some(&event) = self.instant.last() else { break };
            if !matches!(event, Event::Tail(_) | Event::Head(_)) {
                break;
            }
            self.instant.pop();
            self.arrives(event, act, arrived);
            count += 1;
        }
        count
    }

    /// Handles the rest, after nodes have acted, and chooses.
    pub fn goes_on(&mut self, act: &mut Act, arrived: &mut impl FnMut(Arrived) -> u32) {
        loop {
            self.take_events(act);
            let Some(event) = self.instant.pop() else { break };
            match event {
                Event::Request(of) => self.with(act, |kernel, act| kernel.request(of, act)),
                Event::Retry(of) => self.with(act, |kernel, act| kernel.retry(of, act)),
                _ => self.arrives(event, act, arrived),
            }
        }
        self.chose = act.now;
        self.chooses(act);
    }

    /// Chooses what it can.
    pub fn chooses(&mut self, act: &mut Act) {
        if !self.kernel.is_settled() {
            self.with(act, K::arbitrate);
        }
    }

    /// The header of a packet, or all of it, is at its node: the run is told.
    fn arrives(&mut self, event: Event, act: &mut Act, arrived: &mut impl FnMut(Arrived) -> u32) {
        match event {
            Event::Tail(of) => {
                let (id, channel) = self.with(act, |kernel, act| kernel.take_delivered(of, act));
                self.live -= 1;
                let guest = arrived(Arrived { id, channel });
                self.guests[guest as usize].live -= 1;
                act.events.post_now(act.now, Event::Tail(id.into()));
            }
            Event::Head(of) => {
                let (wiring, packets) = (act.wiring, &*act.packets);
                let id = self.kernel.take_head(of, act.now, wiring, packets);
                if id.is_some() {
                    act.events.post_now(act.now, Event::Head(id.into()));
                }
            }
            _ => debug_assert!(false, "an event that no network posts"),
        }
    }

    /// Whether something has happened at gates since this was asked last.
    pub fn has_changed(&mut self) -> bool {
        let changes = self.changes();
        std::mem::replace(&mut self.seen, changes) != changes
    }

    /// How often something has happened that may change how things stand at gates.
    pub fn changes(&self) -> u64 {
        self.queued + self.kernel.changes_at_gates()
    }

    /// When it acts next, if that is not what has been told last.
    pub fn look_ahead(&mut self) -> Option<Time> {
        let next = self.events.earliest().min(self.kernel.next_time());
        (std::mem::replace(&mut self.next, next) != next && next != NEVER).then_some(next)
    }

    /// Works out all that has happened.
    pub fn catch_up(&mut self, act: &mut Act) {
        self.with(act, K::catch_up);
    }

    /// Whether nothing more will happen in it.
    pub fn is_done(&self, packets: &PacketPool) -> bool {
        let has_lost =
            |guest: &Guest| self.live == 0 && packets.lost().messages.contains(&guest.message);
        self.next == NEVER && self.guests.iter().all(|guest| self.has_all(guest) || has_lost(guest))
    }

    /// Channels that are told several times are told once.
    fn tell_once(&mut self) {
        self.crossed.sort_unstable();
        self.crossed.dedup();
        self.most_crossed = MOST_CROSSED.max(2 * self.crossed.len());
    }

    /// No message has it any more; `like` is a network at the start of a run.
    pub fn is_given_back(&mut self, like: &K, past: &mut [Use], act: &mut Act) {
        self.given = 0;
        self.guests.clear();
        self.taken.fill(0);
        self.tell_once();
        let crossed = std::mem::take(&mut self.crossed);
        if !self.with(act, |kernel, act| kernel.renew(like, &crossed, past, act)) {
            self.catch_up(act);
            self.kernel.add_used(act.now, past);
            self.kernel.clone_from(like);
        }
        self.crossed = crossed;
        self.crossed.clear();
    }
}
