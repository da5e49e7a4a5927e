//! What is known of messages under way, and what becomes of them.

use super::hand::Hand;
use super::piece::Piece;
use super::{Causes, Prepared, Standing};
use crate::ids::{InstantId, MessageId, PacketId, ProcessId};
use crate::measure::Blame;
use crate::measure::blame::Sender;
use crate::time::Time;

/// A message that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its number.
    pub number: u64,
    /// Who sends it.
    pub from: ProcessId,
    /// Who receives it.
    pub to: ProcessId,
    /// Its length.
    pub bytes: u32,
    /// What the receiver knows it by.
    pub tag: u32,
    /// Its traffic class.
    pub class: u32,
    /// Where in the program it is sent.
    pub call: u32,
}

/// A message under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub number: u64,
    /// The number, as blame knows it.
    pub label: u32,
    pub from: ProcessId,
    pub to: ProcessId,
    pub call: u32,
    /// What packets stand on that are queued now.
    pub base: InstantId,
    /// Whether a packet of it has been delivered, and what that waited for.
    pub is_behind: bool,
    pub before: Vec<Piece>,
    /// What software has done for it since `base`.
    pub prepared: Prepared,
    /// The latest packet that a CPU took in.
    pub taken: InstantId,
    /// What was there before the receiver accepted it, if slack is asked for.
    pub offered: InstantId,
    /// Its place in the rows of timelines, if it is shown.
    pub row: Option<usize>,
}

impl Default for Way {
    fn default() -> Self {
        let (nobody, none) = (ProcessId::NONE, InstantId::NONE);
        Self {
            number: 0,
            label: 0,
            from: nobody,
            to: nobody,
            call: u32::MAX,
            base: none,
            is_behind: false,
            before: Vec::new(),
            prepared: Prepared::default(),
            taken: none,
            offered: none,
            row: None,
        }
    }
}

impl Causes {
    /// A message is sent; what packets of it are called where blame is asked for.
    pub fn opens(
        &mut self,
        id: MessageId,
        message: &Opened,
        now: Time,
        blame: Option<&mut Blame>,
    ) -> u32 {
        let base = self.leaf(message.from);
        let base = self.forest.share(base);
        let &Opened { class, from: process, to, call, .. } = message;
        let sender = Sender { class, process, to, call };
        let labels = blame.and_then(|blame| blame.labels.as_deref_mut());
        let label = labels.map_or(self.opened, |labels| labels.opens(sender));
        self.opened = self.opened.wrapping_add(1);
        if self.ways.len() <= id.index() {
            self.ways.resize_with(id.index() + 1, Way::default);
        }
        let row = self.rows.as_mut().and_then(|rows| rows.sends(message, now));
        let before = std::mem::take(&mut self.ways[id.index()].before);
        let &Opened { number, from, to, call, .. } = message;
        self.ways[id.index()] =
            Way { number, label, from, to, call, base, before, row, ..Way::default() };
        self.ways[id.index()].before.clear();
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
        way.prepared = Prepared::default();
        self.forest.replace(&mut way.base, stand);
    }

    /// A packet of a message is queued.
    #[inline]
    pub fn queued(&mut self, packet: PacketId, id: MessageId) {
        let base = self.forest.share(self.ways[id.index()].base);
        self.stands(packet, Standing { base, prepared: Prepared::default() });
    }

    /// An acknowledgement of what is in hand is queued.
    pub fn acknowledges(&mut self, packet: PacketId, id: MessageId) {
        let base = self.stand(id);
        self.stands(packet, Standing { base, prepared: Prepared::default() });
    }

    /// All of a message is there, and its process is not ready for it.
    pub fn waits(&mut self, id: MessageId) {
        if self.edges.is_some() {
            let stand = self.stand(id);
            self.forest.replace(&mut self.ways[id.index()].offered, stand);
        }
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
    pub fn received(&mut self, id: MessageId, goes_on: bool, now: Time) {
        let to = self.ways[id.index()].to;
        if let (Some(rows), Some(row)) = (&mut self.rows, self.ways[id.index()].row) {
            rows.transfers[row].received = now;
        }
        if goes_on {
            self.goes_on(to, id, now);
        }
        let is_last = !self.last.is_some() || now > self.makespan();
        if is_last || self.edges.is_some() {
            let end = self.stand_of(id, to, now);
            self.ends(end);
            if !goes_on {
                self.comes_early(to, end, now);
            }
            self.forest.release(end);
        }
    }

    /// A data packet of a message is there, that set out at `first_sent`.
    pub(super) fn arrives(&mut self, id: MessageId, first_sent: Time, now: Time) {
        if let (Some(rows), Some(row)) = (&mut self.rows, self.ways[id.index()].row) {
            let transfer = &mut rows.transfers[row];
            transfer.left = transfer.left.min(first_sent);
            transfer.arrived = now;
        }
    }

    /// A message is over.
    pub fn closes(&mut self, id: MessageId) {
        if self.hand.message == id {
            self.lets_go();
        }
        let none = InstantId::NONE;
        let way = &mut self.ways[id.index()];
        for place in [&mut way.base, &mut way.taken, &mut way.offered] {
            self.forest.replace(place, none);
        }
    }
}
