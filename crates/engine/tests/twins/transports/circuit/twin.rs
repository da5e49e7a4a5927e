//! Circuits, slow and obvious: at every instant at which anything can happen, all messages are
//! looked at again and again until nobody who asks can have a channel.

use super::Row;

/// A machine.
#[allow(clippy::struct_excessive_bools, reason = "independent")]
#[derive(Clone, Debug)]
pub struct Machine {
    /// Nodes in every dimension, x first.
    pub sides: Vec<u32>,
    pub adaptive: bool,
    pub half_duplex: bool,
    /// Wires of a link.
    pub lanes: u32,
    pub arbitration: u64,
    pub header: u64,
    pub byte: u64,
    pub delay: u64,
    /// Those created first come first, not those that asked first.
    pub oldest_first: bool,
    /// Channels are taken from younger messages that do not transmit.
    pub takes: bool,
}

/// From node, to node, which of the parallel wires.
pub type Channel = (u32, u32, u32);

/// A channel that a message held: since and until when.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub message: usize,
    pub channel: Channel,
    pub from: u64,
    pub to: u64,
}

/// A channel that a message got, having asked for it; if it had lost channels before that: since
/// when what it had done was in vain, and because of whom.
#[derive(Clone, Copy, Debug)]
pub struct Grant {
    pub message: usize,
    pub channel: Channel,
    pub asked: u64,
    pub at: u64,
    pub vain: Option<(u64, usize)>,
}

/// What became of a message.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub first: Option<u64>,
    pub delivered: Option<u64>,
    pub hops: u64,
    /// The channels it holds, with since when.
    way: Vec<(Channel, u64)>,
    at: u32,
    asks_from: Option<u64>,
    sends_until: Option<u64>,
    vain: Option<(u64, usize)>,
}

pub struct Twin<'a> {
    machine: &'a Machine,
    rows: &'a [Row],
    pub messages: Vec<Message>,
    pub holds: Vec<Hold>,
    pub grants: Vec<Grant>,
    /// How often a channel was taken from a message.
    pub taken: usize,
    now: u64,
}

impl<'a> Twin<'a> {
    /// Runs messages to the end.
    pub fn run(machine: &'a Machine, rows: &'a [Row]) -> Self {
        let messages = rows.iter().map(|row| Message { at: row.1, ..Message::default() });
        let messages = messages.collect();
        let (holds, grants) = (Vec::new(), Vec::new());
        let mut twin = Self { machine, rows, messages, holds, grants, taken: 0, now: 0 };
        twin.instant();
        while let Some(next) = twin.next_instant() {
            twin.now = next;
            twin.instant();
        }
        twin
    }

    fn next_instant(&self) -> Option<u64> {
        let times = self.messages.iter().zip(self.rows).flat_map(|(message, row)| {
            [Some(row.0), message.asks_from, message.sends_until].into_iter().flatten()
        });
        times.filter(|&time| time > self.now).min()
    }

    fn instant(&mut self) {
        for place in 0..self.messages.len() {
            if self.messages[place].sends_until == Some(self.now) {
                self.messages[place].delivered = Some(self.now);
                self.messages[place].hops = self.messages[place].way.len() as u64;
                self.gives_up(place, 0);
            }
        }
        loop {
            self.heads_ask();
            let mut asking: Vec<usize> =
                (0..self.messages.len()).filter(|&place| self.asks(place)).collect();
            asking.sort_by_key(|&place| {
                let asked = self.messages[place].asks_from;
                (if self.machine.oldest_first { None } else { asked }, place)
            });
            let found = asking.iter().find_map(|&p| self.finds(p).map(|found| (p, found)));
            let Some((place, (channel, from))) = found else { return };
            if let Some((other, hop)) = from {
                self.taken += 1;
                self.in_vain(other, hop, place);
                self.messages[other].at = self.messages[other].way[hop].0.0;
                self.gives_up(other, hop);
                self.messages[other].asks_from = Some(self.now + self.machine.arbitration);
            }
            self.takes(place, channel);
        }
    }

    /// The first message of every node that has not set out asks, when it has been there for
    /// as long as arbitration takes.
    fn heads_ask(&mut self) {
        let nodes: u32 = self.machine.sides.iter().product();
        for node in 0..nodes {
            let waits = |&place: &usize| {
                let row = self.rows[place];
                row.1 == node && row.0 <= self.now && self.messages[place].first.is_none()
            };
            let Some(head) = (0..self.rows.len()).find(waits) else { continue };
            let there = self.rows[head].0 + self.machine.arbitration;
            self.messages[head].asks_from.get_or_insert(there.max(self.now));
        }
    }

    fn asks(&self, place: usize) -> bool {
        let message = &self.messages[place];
        message.sends_until.is_none() && message.asks_from.is_some_and(|from| from <= self.now)
    }

    /// The channel it can have, and the message whose it is with its place in that one's way.
    fn finds(&self, place: usize) -> Option<(Channel, Option<(usize, usize)>)> {
        let channels = self.wanted(place);
        if let Some(&free) = channels.iter().find(|&&channel| self.holder(channel).is_none()) {
            return Some((free, None));
        }
        let yields = |&channel: &Channel| {
            let (other, hop) = self.holder(channel)?;
            let is_young = other > place && self.messages[other].sends_until.is_none();
            is_young.then_some((channel, Some((other, hop))))
        };
        if self.machine.takes { channels.iter().find_map(yields) } else { None }
    }

    /// Who holds the wire of a channel.
    fn holder(&self, channel: Channel) -> Option<(usize, usize)> {
        let back = (channel.1, channel.0, channel.2);
        let is_it = |held: Channel| held == channel || self.machine.half_duplex && held == back;
        self.messages.iter().enumerate().find_map(|(place, message)| {
            message.way.iter().position(|&(held, _)| is_it(held)).map(|hop| (place, hop))
        })
    }

    /// The channels a message would go on by, the best first.
    fn wanted(&self, place: usize) -> Vec<Channel> {
        let (here, there) = (self.messages[place].at, self.rows[place].2);
        let mut stride = 1;
        let mut channels = Vec::new();
        for &side in &self.machine.sides {
            let (x, y) = (here / stride % side, there / stride % side);
            if x != y && (channels.is_empty() || self.machine.adaptive) {
                let to = if y > x { here + stride } else { here - stride };
                channels.extend((0..self.machine.lanes).map(|lane| (here, to, lane)));
            }
            stride *= side;
        }
        channels
    }

    fn takes(&mut self, place: usize, channel: Channel) {
        let (machine, row) = (self.machine, self.rows[place]);
        let message = &mut self.messages[place];
        let (asked, vain) = (message.asks_from.unwrap(), message.vain.take());
        self.grants.push(Grant { message: place, channel, asked, at: self.now, vain });
        message.first.get_or_insert(self.now);
        message.way.push((channel, self.now));
        message.at = channel.1;
        let header = machine.header + machine.delay;
        if message.at == row.2 {
            let data = u64::from(row.3) * machine.byte + message.way.len() as u64 * machine.delay;
            message.sends_until = Some(self.now + header + data);
        } else {
            message.asks_from = Some(self.now + header + machine.arbitration);
        }
    }

    /// A message is about to lose its way from a place on: when it would be as far as there now,
    /// had it set out with all its waits behind it.
    fn in_vain(&mut self, place: usize, from: usize, by: usize) {
        let machine = self.machine;
        let step = machine.header + machine.delay + machine.arbitration;
        let message = &mut self.messages[place];
        let (latest, lost) = (message.way.last().unwrap().1, message.way.len() - from);
        let before = message.vain.map_or(latest + step, |(since, _)| since);
        message.vain = Some((before - step * lost as u64, by));
    }

    /// A message gives up the channels of its way from a place on.
    fn gives_up(&mut self, place: usize, from: usize) {
        let lost = self.messages[place].way.split_off(from);
        let to = self.now;
        let hold = |(channel, from)| Hold { message: place, channel, from, to };
        self.holds.extend(lost.into_iter().map(hold));
    }
}
