//! Lines: the packets of one input that wait for one output, in the order in which they became ready.

use crate::fabric::transit::{PacketFifo, PacketPool};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;

/// The number of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineId(u32);

impl LineId {
    /// No line.
    pub const NONE: Self = Self(u32::MAX);

    /// Whether it is one.
    #[inline]
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The packets of one input that wait for one output.
#[derive(Clone, Copy)]
pub struct Line {
    /// The channel by which they came.
    pub input: ChannelId,
    /// The lead of the group they wait for.
    pub lead: ChannelId,
    /// The packets.
    pub packets: PacketFifo,
    /// The line behind it at its place.
    pub next: LineId,
    /// The line before it at its place.
    before: LineId,
    /// The next of its input's lines; or of those that are not used.
    pub next_of_input: LineId,
}

/// All lines.
#[derive(Clone)]
pub struct Lines {
    all: Vec<Line>,
    /// The first of those that are not used.
    free: LineId,
}

impl Lines {
    /// None yet.
    pub fn new() -> Self {
        Self { all: Vec::new(), free: LineId::NONE }
    }

    /// A line.
    #[inline]
    pub fn at(&self, line: LineId) -> &Line {
        &self.all[line.index()]
    }

    /// The packet at the front of a line.
    #[inline]
    pub fn front(&self, line: LineId) -> PacketId {
        self.at(line).packets.first
    }

    /// An input's line for an output, if it has one; `first`: the first of its lines.
    #[inline]
    pub fn find(&self, first: LineId, lead: ChannelId) -> Option<LineId> {
        self.of_input(first).find(|&line| self.at(line).lead == lead)
    }

    /// The lines of an input, of which that is the first.
    pub fn of_input(&self, first: LineId) -> impl Iterator<Item = LineId> {
        let some = |line: LineId| line.is_some().then_some(line);
        std::iter::successors(some(first), move |&line| some(self.at(line).next_of_input))
    }

    /// The lines at a place, of which that is the first.
    pub fn at_place(&self, first: LineId) -> impl Iterator<Item = LineId> {
        let some = |line: LineId| line.is_some().then_some(line);
        std::iter::successors(some(first), move |&line| some(self.at(line).next))
    }

    /// A line that is at no place, with one packet; the first of its input's lines, before what was.
    pub fn begin(
        &mut self,
        (input, lead): (ChannelId, ChannelId),
        first_of_input: &mut LineId,
        id: PacketId,
        packets: &mut PacketPool,
    ) -> LineId {
        let mut fifo = PacketFifo::EMPTY;
        fifo.push(id, packets);
        let (next, before) = (LineId::NONE, LineId::NONE);
        let made =
            Line { input, lead, packets: fifo, next, before, next_of_input: *first_of_input };
        let line = self.free;
        let line = if line.is_some() {
            self.free = self.at(line).next_of_input;
            self.all[line.index()] = made;
            line
        } else {
            self.all.push(made);
            LineId(self.all.len() as u32 - 1)
        };
        *first_of_input = line;
        line
    }

    /// A packet joins a line.
    #[inline]
    pub fn push(&mut self, line: LineId, id: PacketId, packets: &mut PacketPool) {
        self.all[line.index()].packets.push(id, packets);
    }

    /// Takes the packet at the front out of a line.
    #[inline]
    pub fn pop(&mut self, line: LineId, packets: &PacketPool) -> PacketId {
        self.all[line.index()].packets.pop(packets)
    }

    /// A line that is empty and at no place is its input's no more.
    pub fn end(&mut self, line: LineId, first_of_input: &mut LineId) {
        let next = self.at(line).next_of_input;
        if *first_of_input == line {
            *first_of_input = next;
        } else {
            let before = self.of_input(*first_of_input).find(|&l| self.at(l).next_of_input == line);
            if let Some(before) = before {
                self.all[before.index()].next_of_input = next;
            }
        }
        self.all[line.index()].next_of_input = self.free;
        self.free = line;
    }

    /// A line stands at a place, whose first and last are these, behind another or, none, before all.
    pub fn insert(&mut self, line: LineId, behind: LineId, ends: &mut [LineId; 2]) {
        let next = if behind.is_some() { self.at(behind).next } else { ends[0] };
        let own = &mut self.all[line.index()];
        (own.before, own.next) = (behind, next);
        if behind.is_some() {
            self.all[behind.index()].next = line;
        } else {
            ends[0] = line;
        }
        if next.is_some() {
            self.all[next.index()].before = line;
        } else {
            ends[1] = line;
        }
    }

    /// A line is at its place no more.
    pub fn remove(&mut self, line: LineId, ends: &mut [LineId; 2]) {
        let Line { before, next, .. } = *self.at(line);
        if before.is_some() {
            self.all[before.index()].next = next;
        } else {
            ends[0] = next;
        }
        if next.is_some() {
            self.all[next.index()].before = before;
        } else {
            ends[1] = before;
        }
    }

    /// The last line of a place whose first packet's turn is not after another; none: there is none.
    pub fn last_until(
        &self,
        ends: [LineId; 2],
        until: (Time, bool, ChannelId),
        packets: &PacketPool,
    ) -> LineId {
        let mut line = ends[1];
        while line.is_some() {
            let at = self.at(line);
            if packets.turn(at.packets.first, at.input) <= until {
                break;
            }
            line = at.before;
        }
        line
    }
}
