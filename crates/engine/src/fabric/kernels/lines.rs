//! What will happen a fixed time after it was caused, in first-in-first-out lines.
//!
//! Flits take one of few times, so that of all flits of one duration the one that
//! started first ends first: a queue per duration needs no sorting, and the next
//! thing to happen is at the front of one of them. Within one instant there is no
//! order: the rules of the fabric do not depend on one.

use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

/// Which flit of its packet it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// It completes the header.
    pub ends_header: bool,
    /// It is the last.
    pub is_last: bool,
    /// Of flits that begin to arrive: how many have started on that channel up to it.
    pub number: u32,
}

/// A place among the lines.
pub type LineId = u32;

/// All lines of a run; `W`: what happens at the end of a line.
#[derive(Clone)]
pub struct Lines<W> {
    lines: Vec<Line<W>>,
    /// When the first thing happens on each; apart, so that looking is cheap.
    first: Vec<Time>,
    /// The earliest of these, but for those taken since [`Self::all_taken`].
    next: Time,
}

#[derive(Clone)]
struct Line<W> {
    delay: Time,
    what: W,
    queue: Ring,
}

/// A first-in-first-out queue: places are a power of two.
#[derive(Clone)]
struct Ring {
    places: Box<[Entry]>,
    /// Entries taken and added so far; places are these modulo their number.
    taken: usize,
    added: usize,
}

/// When something happens; the channel and what its mark says in bits; the number of its mark.
type Entry = (Time, u32, u32);

const ENDS_HEADER: u32 = 1 << 31;
const IS_LAST: u32 = 1 << 30;

impl Ring {
    fn new() -> Self {
        Self { places: vec![(0, 0, 0); 16].into(), taken: 0, added: 0 }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.taken == self.added
    }

    #[inline]
    fn at(&self, number: usize) -> Entry {
        self.places[number & (self.places.len() - 1)]
    }

    #[inline]
    fn push(&mut self, entry: Entry) {
        if self.added - self.taken == self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        self.places[self.added & mask] = entry;
        self.added += 1;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut places = vec![(0, 0, 0); 2 * self.places.len()];
        let mask = places.len() - 1;
        for number in self.taken..self.added {
            places[number & mask] = self.at(number);
        }
        self.places = places.into();
    }
}

impl<W: Copy + PartialEq> Lines<W> {
    /// None yet.
    pub fn new() -> Self {
        Self { lines: Vec::new(), first: Vec::new(), next: NEVER }
    }

    /// The line on which something happens after a time.
    pub fn line(&mut self, delay: Time, what: W) -> LineId {
        let known = self.lines.iter().position(|line| line.delay == delay && line.what == what);
        let place = known.unwrap_or_else(|| {
            self.lines.push(Line { delay, what, queue: Ring::new() });
            self.first.push(NEVER);
            self.lines.len() - 1
        });
        place as LineId
    }

    /// It will happen to a channel, the line's delay from now.
    #[inline]
    pub fn post(&mut self, line: LineId, now: Time, channel: ChannelId, mark: Mark) {
        let bits = u32::from(mark.ends_header) << 31 | u32::from(mark.is_last) << 30;
        let line = line as usize;
        let Line { delay, queue, .. } = &mut self.lines[line];
        let at = now + *delay;
        debug_assert!(*delay > 0 && (queue.is_empty() || queue.at(queue.added - 1).0 <= at));
        if queue.is_empty() {
            self.first[line] = at;
            self.next = self.next.min(at);
        }
        queue.push((at, channel.0 | bits, mark.number));
    }

    /// When the next thing happens, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        self.next
    }

    /// The first line from `from` on, on which something happens now; what.
    #[inline]
    pub fn due(&self, from: LineId, now: Time) -> Option<(LineId, W)> {
        let from = from as usize;
        let ahead = self.first[from..].iter().position(|&first| first == now)?;
        Some(((from + ahead) as LineId, self.lines[from + ahead].what))
    }

    /// Takes something that happens now on a line; when nothing is left on any,
    /// [`Self::all_taken`] must be told.
    #[inline]
    pub fn take(&mut self, line: LineId, now: Time) -> Option<(ChannelId, Mark)> {
        let line = line as usize;
        if self.first[line] != now {
            return None;
        }
        let queue = &mut self.lines[line].queue;
        let (_, code, number) = queue.at(queue.taken);
        queue.taken += 1;
        self.first[line] = if queue.is_empty() { NEVER } else { queue.at(queue.taken).0 };
        let (ends_header, is_last) = (code & ENDS_HEADER != 0, code & IS_LAST != 0);
        let mark = Mark { ends_header, is_last, number };
        Some((ChannelId(code & (IS_LAST - 1)), mark))
    }

    /// What happens now has been taken from all lines.
    #[inline]
    pub fn all_taken(&mut self) {
        self.next = self.first.iter().copied().min().unwrap_or(NEVER);
    }
}
