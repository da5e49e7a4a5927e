//! Counts by value with bounded relative error.

/// Log2 of the number of bins per power of two: values in one bin differ by
/// less than 1/64 of their size.
const BITS: u32 = 6;
const PER_OCTAVE: u64 = 1 << BITS;

/// A histogram of whole numbers with bins of at most 1.6 % relative width.
///
/// Values below 128 have a bin each; above, every power of two is divided into
/// 64 equal bins [as in `HdrHistogram`]. Histograms with equal layout add.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    /// Adds one value.
    pub fn add(&mut self, value: u64) {
        let bin = bin_of(value);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    /// The occupied bins: lowest value, highest value, count.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.counts.iter().enumerate().filter(|&(_, &count)| count > 0).map(|(bin, &count)| {
            let (low, high) = bounds(bin);
            (low, high, count)
        })
    }
}

fn bin_of(value: u64) -> usize {
    if value < 2 * PER_OCTAVE {
        return value as usize;
    }
    let shift = value.ilog2() - BITS;
    (u64::from(shift) * PER_OCTAVE + (value >> shift)) as usize
}

fn bounds(bin: usize) -> (u64, u64) {
    let bin = bin as u64;
    if bin < 2 * PER_OCTAVE {
        return (bin, bin);
    }
    let shift = bin / PER_OCTAVE - 1;
    let low = (bin - shift * PER_OCTAVE) << shift;
    (low, low + ((1 << shift) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_narrow_and_cover_everything() {
        let mut expected_low = 0;
        for bin in 0..3_000 {
            let (low, high) = bounds(bin);
            assert_eq!(low, expected_low);
            assert_eq!((bin_of(low), bin_of(high)), (bin, bin));
            assert!((high - low) as f64 <= low as f64 / 64.0);
            expected_low = high + 1;
        }
        assert!(bin_of(u64::MAX) < 4_000);
    }

    #[test]
    fn counts_are_kept() {
        let mut histogram = Histogram::default();
        [5, 5, 1_000_000].iter().for_each(|&v| histogram.add(v));
        let bins: Vec<_> = histogram.bins().collect();
        assert_eq!(bins[0], (5, 5, 2));
        assert!(bins[1].0 <= 1_000_000 && 1_000_000 <= bins[1].1);
        assert_eq!(bins.len(), 2);
    }
}
