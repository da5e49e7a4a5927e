//! Bytes in whole flits.

/// Most bytes of a flit: with more, the reciprocal would not be exact.
pub const MOST_FLIT_BYTES: u32 = 1 << 14;

/// Most bytes that are counted in flits.
pub const MOST_BYTES: u32 = 1 << 24;

/// Bits after the point of the reciprocal.
const SHIFT: u32 = 39;

/// Rounds bytes up to whole flits without a division: every hop of every packet asks.
///
/// With `m = ⌈2^39 / f⌉`, `⌊n·m / 2^39⌋ = ⌊n / f⌋` for all `n < 2^25` and `f ≤ 2^14`
/// [Granlund & Montgomery 1994, theorem 4.2 with N = 25, l = 14]: so many are bytes,
/// rounding included, and bytes of a flit. Nor does the product overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlitSize {
    /// Bytes of a flit but one.
    but_one: u32,
    reciprocal: u64,
}

impl FlitSize {
    /// Flits of so many bytes.
    pub fn new(bytes: u32) -> Self {
        let bytes = bytes.clamp(1, MOST_FLIT_BYTES);
        Self { but_one: bytes - 1, reciprocal: (1_u64 << SHIFT).div_ceil(u64::from(bytes)) }
    }

    /// How many flits so many bytes are.
    #[inline]
    pub fn flits(self, bytes: u32) -> u32 {
        debug_assert!(bytes <= MOST_BYTES);
        ((u64::from(bytes + self.but_one) * self.reciprocal) >> SHIFT) as u32
    }

    /// Bytes of a flit.
    pub fn bytes(self) -> u32 {
        self.but_one + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_division_would() {
        let near = |at: u32| at.saturating_sub(2)..=(at + 2).min(MOST_BYTES);
        for flit in (1..=300).chain([511, 512, 1_000, 4_095, 16_383, MOST_FLIT_BYTES]) {
            let size = FlitSize::new(flit);
            assert_eq!(size.bytes(), flit);
            let last = MOST_BYTES / flit * flit;
            let multiples = (0..=MOST_BYTES / flit).step_by(997).map(|n| n * flit);
            for bytes in (0..=2_000).chain(near(last)).chain(near(MOST_BYTES)) {
                assert_eq!(size.flits(bytes), bytes.div_ceil(flit), "{bytes} / {flit}");
            }
            for bytes in multiples.flat_map(near) {
                assert_eq!(size.flits(bytes), bytes.div_ceil(flit), "{bytes} / {flit}");
            }
        }
    }
}
