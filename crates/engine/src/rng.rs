//! Random numbers: one named portable generator, one stream per use.
//!
//! The generator is PCG-XSH-RR 64/32 [O'Neill 2014], 32 bits of output from 64
//! bits of state. Every process has one stream for each [`Purpose`], so that
//! drawing more numbers for one purpose never shifts another: the k-th message
//! of a process is the same in every contention mode, routing and fidelity.
//!
//! What is drawn for a packet on its way, by routing or by a switch, is a function of the packet and the
//! place ([`Key`]): the generator is used without a state that lasts, as those that count are
//! [Salmon et al. 2011]. So a packet draws the same whatever is drawn for others, and in any order.
//!
//! Logarithms and cosines come from the `libm` crate, not from the system, so
//! that the same seed gives the same bytes on every platform.

mod near;

use rand_core::Rng;
use rand_pcg::Pcg32;

/// What a stream of random numbers is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The instant at which a process starts.
    Start = 1,
    /// Lengths of compute phases.
    Compute = 2,
    /// Destinations of messages.
    Destination = 3,
    /// Lengths of messages.
    Length = 4,
    /// Places among those that wait under the `random` arbiter.
    Arbitration = 5,
    /// Ways of packets, where routing draws them.
    Way = 6,
    /// Choices among free outputs, and what else a switch chooses at random.
    Selection = 7,
    /// Links of a topology that is drawn.
    Wiring = 8,
    /// Start-ups of messages: one stream per process.
    Overhead = 9,
    /// Computing times of a trace: one stream per rank.
    Noise = 10,
    /// Links that have failed.
    Failure = 11,
    /// When faults begin and end.
    Outage = 12,
    /// Whether a packet is damaged on a link.
    Damage = 13,
}

/// What something is drawn for: numbers, one behind the other.
///
/// Each is mixed with those before it by the finaliser of `SplitMix64` [Steele, Lea & Flood 2014].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// That of one number.
    #[inline]
    pub fn of(number: u64) -> Self {
        Self(number)
    }

    /// The same and a further number.
    #[inline]
    #[must_use]
    pub fn and(self, number: u64) -> Self {
        Self(mix(self.0) ^ number)
    }

    /// That of several, in whatever order they come.
    #[inline]
    pub fn of_all(keys: impl Iterator<Item = Self>) -> Self {
        Self(keys.fold(0, |sum: u64, key| sum.wrapping_add(mix(key.0))))
    }

    /// 32 bits that depend on all of them.
    #[inline]
    pub fn short(self) -> u32 {
        (mix(self.0) >> 32) as u32
    }
}

/// An independent stream of random numbers.
#[derive(Clone, Debug)]
pub struct Stream(Pcg32);

impl Stream {
    /// The stream of `index` (a process, or an output group) for one purpose.
    ///
    /// Seed, purpose and index are mixed by the finaliser of `SplitMix64`
    /// [Steele, Lea & Flood 2014] into the generator's start state; purpose and
    /// index also select its increment, so that two streams never coincide.
    pub fn new(seed: u64, purpose: Purpose, index: u32) -> Self {
        let name = ((purpose as u64) << 32) | u64::from(index);
        Self(Pcg32::new(mix(mix(seed) ^ name), name))
    }

    /// The stream of what is drawn for one purpose and key: the start state is both, mixed, the
    /// increment the purpose.
    #[inline]
    pub fn keyed(purpose: Purpose, key: Key) -> Self {
        Self(Pcg32::new(mix(key.0 ^ (purpose as u64) << 56), purpose as u64))
    }

    /// A whole number uniform in `[0, bound)`; 0 draws nothing and gives 0.
    ///
    /// Multiplication with rejection [Lemire 2019]: exactly uniform. Bounds below
    /// 2^32 take 32 random bits at a time, larger ones 64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        if let Ok(bound) = u32::try_from(bound) {
            return u64::from(self.below_32(bound));
        }
        let mut product = u128::from(self.0.next_u64()) * u128::from(bound);
        // The threshold is below the bound: the division is rarely needed.
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.0.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// The same with half as many random bits.
    #[inline]
    fn below_32(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.0.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.0.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// A number uniform in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number from the exponential distribution of mean one, by inversion.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// What a function that never falls makes of the next [`Self::exponential`]: of a number that is
    /// nearly the same, unless it matters which.
    #[inline]
    pub fn exponential_as(&mut self, whole: impl Fn(f64) -> u64) -> u64 {
        let left = 1.0 - self.unit();
        let about = -near::log(left);
        let (least, most) = (whole(about - near::MARGIN), whole(about + near::MARGIN));
        if least == most { least } else { whole(-libm::log(left)) }
    }

    /// A number from the standard normal distribution [Box & Muller 1958].
    ///
    /// Always two draws, so that a stream's position depends on nothing else.
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

/// The finaliser of `SplitMix64`: a bijection that spreads every input bit.
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_named_one() {
        // The demonstration program of the PCG distribution, seed 42, stream 54.
        let mut reference = Pcg32::new(42, 54);
        let first: Vec<u32> = (0..3).map(|_| reference.next_u32()).collect();
        assert_eq!(first, [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330]);
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| Stream::new(seed, purpose, index).0.next_u64();
        let reference = first(1, Purpose::Compute, 7);
        assert_eq!(reference, first(1, Purpose::Compute, 7));
        assert_ne!(reference, first(2, Purpose::Compute, 7));
        assert_ne!(reference, first(1, Purpose::Start, 7));
        assert_ne!(reference, first(1, Purpose::Compute, 8));
    }

    #[test]
    fn keyed_streams_differ_by_purpose_and_every_number() {
        let first = |purpose, key| Stream::keyed(purpose, key).0.next_u64();
        let key = |numbers: [u64; 3]| Key::of(numbers[0]).and(numbers[1]).and(numbers[2]);
        let reference = first(Purpose::Way, key([1, 2, 3]));
        assert_eq!(reference, first(Purpose::Way, key([1, 2, 3])));
        assert_ne!(reference, first(Purpose::Selection, key([1, 2, 3])));
        for others in [[2, 2, 3], [1, 3, 3], [1, 2, 4], [2, 1, 3], [1, 3, 2], [3, 2, 1]] {
            assert_ne!(reference, first(Purpose::Way, key(others)), "{others:?}");
        }
    }

    /// First numbers of the keys (a, b), pair by pair: 64 cells for two neighbours of each kind.
    #[test]
    fn what_neighbouring_keys_draw_is_uniform_and_independent() {
        let draw = |a, b| Stream::keyed(Purpose::Way, Key::of(a).and(b)).below(8) as usize;
        let mut cells = [[0u32; 64]; 3];
        for a in 0..256 {
            for b in 0..256 {
                let own = 8 * draw(a, b);
                let others = [draw(a + 1, b), draw(a, b + 1), draw(b, a)];
                others.iter().zip(&mut cells).filter(|_| a != b).for_each(|(other, cells)| {
                    cells[own + other] += 1;
                });
            }
        }
        let expected = 256.0 * 255.0 / 64.0;
        for cells in cells {
            // Of 63 degrees of freedom: mean 63, standard deviation 11.2; each pair (a, b) and
            // (b, a) of the last is there twice, which doubles both.
            let chi: f64 =
                cells.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
            assert!((20.0..200.0).contains(&chi), "{chi}: {cells:?}");
        }
    }

    #[test]
    fn keys_joined_in_any_order_are_one() {
        let all = |numbers: [u64; 3]| Key::of_all(numbers.into_iter().map(Key::of));
        assert_eq!(all([3, 4, 5]), all([5, 3, 4]));
        assert_ne!(all([3, 4, 5]), all([3, 4, 6]));
    }

    #[test]
    fn below_is_uniform_and_stays_below() {
        let mut stream = Stream::new(3, Purpose::Destination, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| (9_600..10_400).contains(&n)), "{counts:?}");
    }

    #[test]
    fn whole_numbers_are_those_of_exact_logarithms() {
        let mut streams = [(); 2].map(|()| Stream::new(8, Purpose::Compute, 2));
        for scale in [0.01, 1.0, 24.5, 1e6, 1e12, 1e15] {
            let whole = |value: f64| (value * scale) as u64;
            for _ in 0..20_000 {
                let [quick, exact] = &mut streams;
                assert_eq!(quick.exponential_as(whole), whole(exact.exponential()));
            }
        }
    }

    #[test]
    fn moments_of_the_distributions() {
        let mut stream = Stream::new(5, Purpose::Compute, 1);
        let n = 200_000;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let exponential: Vec<f64> = (0..n).map(|_| stream.exponential()).collect();
        let normal: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let squares: Vec<f64> = normal.iter().map(|z| z * z).collect();
        assert!((mean(&exponential) - 1.0).abs() < 0.01);
        assert!(mean(&normal).abs() < 0.01);
        assert!((mean(&squares) - 1.0).abs() < 0.02);
    }
}
