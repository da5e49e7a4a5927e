//! Slices of time of equal length, which doubles when more are needed than there may be.

use crate::time::Time;

/// The first slices are this long: slices have doubled before anything is seen of them.
const FIRST: Time = 1 << 10;

/// Slices are not made longer for want of memory once there are as few.
const FEW: u32 = 16;

/// Which slice an instant lies in.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begin: Time,
    width: Time,
    most: u64,
    /// Until when anything has happened.
    latest: Time,
}

impl Clock {
    /// At most so many slices, from an instant on.
    pub fn new(begin: Time, most: u32) -> Self {
        Self { begin, width: FIRST, most: most.into(), latest: begin }
    }

    /// When the first begins.
    pub fn begin(&self) -> Time {
        self.begin
    }

    /// How long each is.
    pub fn width(&self) -> Time {
        self.width
    }

    /// Most slices that were asked for.
    pub fn most(&self) -> u32 {
        self.most as u32
    }

    /// The slice an instant lies in.
    #[inline]
    pub fn at(&self, now: Time) -> u32 {
        ((now - self.begin) / self.width) as u32
    }

    /// Something happens until an instant; whether there are slices up to that.
    #[inline]
    pub fn reaches(&mut self, to: Time) -> bool {
        self.latest = self.latest.max(to);
        (to - self.begin).div_ceil(self.width) <= self.most
    }

    /// When a slice begins.
    #[inline]
    pub fn starts(&self, slice: u32) -> Time {
        self.begin + Time::from(slice) * self.width
    }

    /// How many slices there are, up to the last in which anything happened.
    pub fn count(&self) -> u32 {
        (self.latest - self.begin).div_ceil(self.width) as u32
    }

    /// Whether slices may become longer for want of memory.
    pub fn can_double(&self) -> bool {
        self.count() > FEW
    }

    /// Slices become twice as long.
    pub fn double(&mut self) {
        self.width *= 2;
    }

    /// A span cut into slices: which, and how much of it lies in each.
    pub fn cut(&self, (from, to): (Time, Time)) -> impl Iterator<Item = (u32, Time)> + use<> {
        let clock = *self;
        let mut at = from;
        std::iter::from_fn(move || {
            (at < to).then(|| {
                let slice = clock.at(at);
                let end = to.min(clock.starts(slice + 1));
                let time = end - at;
                at = end;
                (slice, time)
            })
        })
    }
}
