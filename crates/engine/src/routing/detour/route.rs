//! What a packet remembers.

/// The middle; none for a packet that goes directly.
pub const MIDDLE: u32 = (1 << 20) - 1;
pub const NO_MIDDLE: u32 = MIDDLE;
/// The hops so far, where they are counted.
pub const HOP: u32 = 1 << 20;
pub const HOPS: u32 = 0xff << 20;
/// It has turned away from the direct way behind its first switch.
pub const TURNED: u32 = 1 << 29;
/// It is not decided yet.
pub const OPEN: u32 = 1 << 30;
/// It is on its way to its destination.
pub const SECOND: u32 = 1 << 31;
