//! What is known of messages under way, and what becomes of them.

use super::hand::Measured;
use super::state::{Causes, Hand};
use super::way::{Opened, Standing, Way};
use crate::ids::{InstantId, MessageId, PacketId};
use crate::measure::blame::{Labels, Sender};
use crate::time::Time;

impl Causes {
    /// A message is sent; what packets of it are called where messages are charged.
    pub fn opens(
        &mut self,
        id: MessageId,
        message: &Opened,
        now: Time,
        labels: Option<&mut Labels>,
    ) -> u32 {
        let base = self.leaf(message.from);
        let base = self.forest.share(base);
        let &Opened { class, from: process, to, call, .. } = message;
        let sender = Sender { class, process, to, call };
        let label = labels.map_or(self.opened, |labels| labels.opens(sender));
        self.opened = self.opened.wrapping_add(1);
        if self.ways.len() <= id.index() {
            self.ways.resize_with(id.index() + 1, Way::default);
        }
        let row = self.rows.as_mut().and_then(|rows| rows.sends(message, now));
        let &Opened { number, from, to, call, .. } = message;
        self.ways[id.index()] = Way { number, label, from, to, call, base, row, ..Way::default() };
        label
    }

    /// A message passes on what has come of another.
    pub fn passes_on(&mut self, id: MessageId, of: MessageId) {
        let stand = self.stand(of);
        self.forest.replace(&mut self.ways[id.index()].base, stand);
    }

    /// What has been held up goes on because of what is in hand of it.
    pub fn resumes(&mut self, id: MessageId) {
        let stand = self.stand(id);
        let way = &mut self.ways[id.index()];
        way.prepared = None;
        self.forest.replace(&mut way.base, stand);
    }

    /// A packet of a message is queued.
    #[inline]
    pub fn queued(&mut self, packet: PacketId, id: MessageId) {
        let base = self.forest.share(self.ways[id.index()].base);
        self.stands(packet, Standing { base, prepared: None });
    }

    /// An acknowledgement of what is in hand is queued.
    pub fn acknowledges(&mut self, packet: PacketId, id: MessageId) {
        let base = self.stand(id);
        self.stands(packet, Standing { base, prepared: None });
    }

    /// All of a message is there, and its process is not ready for it; only where slack is asked for.
    pub fn waits(&mut self, id: MessageId) {
        let stand = self.stand(id);
        self.forest.replace(&mut self.ways[id.index()].offered, stand);
    }

    /// A process accepts a message that has waited: what follows stands on that.
    pub fn accepts(&mut self, id: MessageId, now: Time) {
        let leaf = self.leaf(self.ways[id.index()].to);
        let leaf = self.forest.share(leaf);
        self.takes(id, leaf, now);
        // The process was here already.
        let Hand { parent, .. } = self.hand;
        self.hand.made = self.forest.share(parent);
    }

    /// A message has been received; whether its process can go on.
    pub fn received(
        &mut self,
        id: MessageId,
        goes_on: bool,
        now: Time,
        (mut late, labels): Measured,
    ) {
        let to = self.ways[id.index()].to;
        if let (Some(rows), Some(row)) = (&mut self.rows, self.ways[id.index()].row) {
            rows.transfers[row].received = now;
        }
        let is_last = self.is_latest(now);
        let is_asked = goes_on || self.edges.is_some();
        if is_last && !is_asked && self.is_set_aside(id, (to, now), late.as_deref_mut()) {
            return;
        }
        if is_last || is_asked {
            self.tells(id, (late, labels));
        }
        if goes_on {
            self.goes_on(to, id, now);
        }
        if is_last || self.edges.is_some() {
            let end = self.stand_of(id, to, now);
            self.ends(end);
            if !goes_on {
                self.comes_early(to, end, now);
            }
            self.forest.release(end);
        }
    }

    /// A message is over.
    pub fn closes(&mut self, id: MessageId) {
        if self.hand.message == id {
            self.lets_go();
        }
        let none = InstantId::NONE;
        let way = &mut self.ways[id.index()];
        // Thousands of pieces may be here: kept for each message there ever was, they would fill memory.
        way.before = Vec::new();
        for place in [&mut way.base, &mut way.taken, &mut way.offered] {
            self.forest.replace(place, none);
        }
    }
}
