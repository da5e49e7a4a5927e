//! Logarithms that are nearly right, in a third of the time, for whole numbers that do not depend on
//! the last digits.

use std::f64::consts::LN_2;

/// Bits of a number's fraction.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;

/// Log2 of the parts into which the numbers from one to two are divided.
const PART_BITS: u32 = 5;
const PARTS: usize = 1 << PART_BITS;

/// The middle of a part: one over it, and its logarithm.
#[derive(Clone, Copy)]
struct Middle {
    inverse: f64,
    log: f64,
}

const MIDDLES: [Middle; PARTS] = {
    let mut middles = [Middle { inverse: 0.0, log: 0.0 }; PARTS];
    let mut part = 0;
    while part < PARTS {
        let middle = 1.0 + (part as f64 + 0.5) / PARTS as f64;
        middles[part] = Middle { inverse: 1.0 / middle, log: log_of(middle) };
        part += 1;
    }
    middles
};

/// The logarithm of a number from one to two: 2 (z + z³/3 + z⁵/5 + …), z = (x - 1) / (x + 1).
const fn log_of(number: f64) -> f64 {
    let z = (number - 1.0) / (number + 1.0);
    let (mut power, mut sum, mut odd) = (z, 0.0, 1);
    while odd < 40 {
        sum += power / odd as f64;
        power *= z * z;
        odd += 2;
    }
    2.0 * sum
}

/// Most by which [`log`] may be wrong, twenty times what it is.
pub const MARGIN: f64 = 1.0 / (1_u64 << 40) as f64;

/// The natural logarithm of a number that is above 2^-1000, to within [`MARGIN`].
#[inline]
pub fn log(number: f64) -> f64 {
    let bits = number.to_bits();
    let exponent = (bits >> FRACTION) as i32 - (f64::MAX_EXP - 1);
    let Middle { inverse, log } = MIDDLES[(bits >> (FRACTION - PART_BITS)) as usize % PARTS];
    let scaled = f64::from_bits(bits & ((1 << FRACTION) - 1) | 1.0_f64.to_bits());
    // Not above 1/64: what the series leaves out is below 2^-44.
    let r = scaled * inverse - 1.0;
    const OVER: [f64; 7] = [0.0, 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 5.0, 1.0 / 6.0];
    let square = r * r;
    let high = OVER[4] - r * OVER[5] + square * OVER[6];
    let series = r - square * (OVER[2] - r * OVER[3] + square * high);
    f64::from(exponent) * LN_2 + (log + series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn logarithms_are_nearly_right() {
        let mut random = Stream::new(13, Purpose::Compute, 0);
        let mut worst: f64 = 0.0;
        let mut try_one = |number: f64| {
            worst = worst.max((log(number) - libm::log(number)).abs());
        };
        let ends = [1.0, 0.5, 0.25, 1.0 - f64::EPSILON / 2.0, 1.0 / (1_u64 << 53) as f64];
        ends.into_iter().for_each(&mut try_one);
        for _ in 0..200_000 {
            let number = 1.0 - random.unit();
            try_one(number);
            try_one(number * number * number);
        }
        for part in 0..=PARTS {
            let border = 0.5 + part as f64 / (2 * PARTS) as f64;
            let below = border.next_down();
            [border, below, below / 1024.0].into_iter().for_each(&mut try_one);
        }
        assert!(worst < MARGIN / 20.0, "{worst:e}");
    }
}
