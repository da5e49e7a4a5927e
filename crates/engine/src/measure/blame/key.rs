//! By what charges are summed up.

/// Stands for all keys that came when a table was full.
pub const REST: u32 = u32::MAX;

/// What is summed up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The channel, where the table has one.
    pub channel: u32,
    /// The class of those that waited.
    pub victim: u32,
    /// The class of those that were in their way.
    pub culprit: u32,
    /// How: the number of a cause, or of a kind.
    pub cause: u8,
}

/// A key in as few words as can be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// Victim and culprit.
    pub classes: u64,
    /// Channel and cause.
    pub place: u32,
}

impl Packed {
    /// Bits of a cause.
    pub const CAUSE: u32 = 4;

    #[inline]
    fn new(Key { channel, victim, culprit, cause }: Key) -> Self {
        Self {
            classes: u64::from(victim) << 32 | u64::from(culprit),
            place: channel << Self::CAUSE | u32::from(cause),
        }
    }

    /// The key.
    pub fn key(self) -> Key {
        let channel = self.place >> Self::CAUSE;
        let cause = (self.place & ((1 << Self::CAUSE) - 1)) as u8;
        let is_rest = channel == REST >> Self::CAUSE;
        let (victim, culprit) = ((self.classes >> 32) as u32, self.classes as u32);
        Key { channel: if is_rest { REST } else { channel }, victim, culprit, cause }
    }

    /// Stands for all others of its cause.
    pub fn rest(self) -> Self {
        Self { classes: u64::MAX, place: self.place | REST << Self::CAUSE }
    }

    /// Stands for all others of its cause at its channel.
    pub fn rest_there(self) -> Self {
        Self { classes: u64::MAX, ..self }
    }

    /// Whether it stands for others.
    pub fn is_rest(self) -> bool {
        self.classes == u64::MAX
    }

    /// The same for all channels.
    #[inline]
    pub fn anywhere(self) -> Self {
        Self { place: self.place & ((1 << Self::CAUSE) - 1), ..self }
    }

    /// A number whose low bits depend on all of it: by multiplications with 2^64 over the
    /// golden ratio. No result depends on where keys lie.
    #[inline]
    pub fn mixed(self) -> u64 {
        const RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
        let classes = self.classes.wrapping_mul(RATIO).rotate_left(32);
        let both = (classes ^ u64::from(self.place)).wrapping_mul(RATIO);
        both ^ both >> 32
    }
}

impl From<Key> for Packed {
    #[inline]
    fn from(key: Key) -> Self {
        Self::new(key)
    }
}
