//! The numbers of Open MPI's decision functions (`coll_tuned_decision_fixed.c` of
//! <https://github.com/open-mpi/ompi> at 8efebee745, BSD 3-clause): which algorithm is taken below
//! so many processes and bytes. The algorithms have Open MPI's numbers; operations commute.

use crate::spec::Algorithm;

/// Below so many processes: below so many bytes, the number of an algorithm.
type Rules = &'static [(u32, &'static [(u64, usize)])];

/// An operation: the algorithms by number, from 1 on, and the rules.
pub struct Decision(&'static [Algorithm], Rules);

impl Decision {
    /// The algorithm for `n` processes and so many bytes.
    pub fn of(&self, n: u32, bytes: u64) -> Algorithm {
        let row = self.1.iter().find(|(below, _)| n < *below).or(self.1.last());
        let rule = row.and_then(|(_, row)| row.iter().find(|(below, _)| bytes < *below));
        self.0[rule.map_or(0, |(_, number)| number - 1)]
    }
}

const REST: u64 = u64::MAX;
const ALL: u32 = u32::MAX;

/// The length of what each has.
#[rustfmt::skip]
pub const ALL_REDUCE: Decision = Decision(&[Algorithm::Linear, Algorithm::ByRoot, Algorithm::RecursiveDoubling, Algorithm::Ring, Algorithm::SegmentedRing, Algorithm::Rabenseifner], &[
    (4, &[(8, 4), (4096, 3), (8192, 4), (16_384, 3), (65_536, 4), (262_144, 5), (REST, 6)]),
    (8, &[(16, 4), (8192, 3), (REST, 6)]),
    (16, &[(8192, 3), (REST, 6)]),
    (32, &[(64, 5), (4096, 3), (REST, 6)]),
    (64, &[(128, 5), (REST, 6)]),
    (128, &[(262_144, 3), (REST, 6)]),
    (256, &[(131_072, 2), (262_144, 3), (REST, 6)]),
    (512, &[(4096, 2), (REST, 6)]),
    (2048, &[(2048, 2), (16_384, 3), (REST, 6)]),
    (4096, &[(2048, 2), (4096, 5), (16_384, 3), (REST, 6)]),
    (ALL, &[(2048, 2), (16_384, 5), (32_768, 3), (REST, 6)]),
]);

/// The length of a block.
#[rustfmt::skip]
pub const ALL_TO_ALL: Decision = Decision(&[Algorithm::Linear, Algorithm::Pairwise, Algorithm::Bruck, Algorithm::Linear, Algorithm::Pairwise], &[
    (3, &[(2, 2), (4, 5), (16, 2), (64, 5), (256, 2), (4096, 5), (32_768, 2), (262_144, 4), (1_048_576, 5), (REST, 2)]),
    (8, &[(8192, 4), (16_384, 1), (65_536, 4), (524_288, 1), (1_048_576, 2), (REST, 1)]),
    (16, &[(262_144, 4), (REST, 1)]),
    (32, &[(4, 4), (512, 3), (8192, 4), (32_768, 1), (262_144, 4), (524_288, 1), (REST, 4)]),
    (64, &[(512, 3), (524_288, 1), (REST, 4)]),
    (128, &[(1024, 3), (2048, 1), (4096, 4), (262_144, 1), (REST, 2)]),
    (256, &[(1024, 3), (2048, 4), (262_144, 1), (REST, 2)]),
    (512, &[(1024, 3), (8192, 4), (32_768, 1), (REST, 2)]),
    (1024, &[(512, 3), (8192, 4), (16_384, 1), (131_072, 4), (262_144, 1), (REST, 2)]),
    (2048, &[(512, 3), (1024, 4), (2048, 1), (16_384, 4), (262_144, 1), (REST, 4)]),
    (4096, &[(1024, 3), (4096, 4), (8192, 1), (131_072, 4), (REST, 1)]),
    (ALL, &[(2048, 3), (8192, 4), (16_384, 1), (32_768, 4), (65_536, 1), (REST, 4)]),
]);

/// No length.
#[rustfmt::skip]
pub const ALL_TO_ALL_V: Decision = Decision(&[Algorithm::Linear, Algorithm::Pairwise], &[
    (4, &[(REST, 2)]),
    (64, &[(REST, 1)]),
    (128, &[(REST, 2)]),
    (256, &[(REST, 1)]),
    (1024, &[(REST, 2)]),
    (ALL, &[(REST, 1)]),
]);

/// No length.
#[rustfmt::skip]
pub const BARRIER: Decision = Decision(&[Algorithm::Linear, Algorithm::DoubleRing, Algorithm::RecursiveDoubling, Algorithm::Dissemination, Algorithm::RecursiveDoubling, Algorithm::Binomial], &[
    (4, &[(REST, 3)]),
    (8, &[(REST, 1)]),
    (64, &[(REST, 3)]),
    (256, &[(REST, 4)]),
    (512, &[(REST, 6)]),
    (1024, &[(REST, 4)]),
    (4096, &[(REST, 6)]),
    (ALL, &[(REST, 4)]),
]);

/// The length of it; a split binary tree is taken for a binary one.
#[rustfmt::skip]
pub const BROADCAST: Decision = Decision(&[Algorithm::Linear, Algorithm::Chain, Algorithm::Chain, Algorithm::BinaryTree, Algorithm::BinaryTree, Algorithm::Binomial, Algorithm::Knomial, Algorithm::ScatterDoubling, Algorithm::ScatterRing], &[
    (4, &[(32, 3), (256, 5), (512, 3), (1024, 7), (32_768, 1), (131_072, 5), (262_144, 2), (524_288, 1), (1_048_576, 6), (REST, 5)]),
    (8, &[(64, 5), (128, 6), (2048, 5), (8192, 6), (1_048_576, 1), (REST, 2)]),
    (16, &[(8, 7), (64, 5), (4096, 7), (16_384, 5), (32_768, 6), (REST, 1)]),
    (32, &[(4096, 7), (1_048_576, 6), (REST, 8)]),
    (64, &[(2048, 6), (REST, 7)]),
    (128, &[(REST, 7)]),
    (256, &[(2, 6), (16_384, 5), (32_768, 1), (65_536, 5), (REST, 7)]),
    (1024, &[(16_384, 7), (32_768, 4), (REST, 7)]),
    (2048, &[(524_288, 7), (REST, 8)]),
    (4096, &[(262_144, 7), (REST, 8)]),
    (ALL, &[(8192, 7), (16_384, 5), (262_144, 7), (REST, 8)]),
]);

/// The length of what each has; an in-order binary tree is taken for a binary one.
#[rustfmt::skip]
pub const REDUCE: Decision = Decision(&[Algorithm::Linear, Algorithm::Chain, Algorithm::Chain, Algorithm::BinaryTree, Algorithm::Binomial, Algorithm::BinaryTree, Algorithm::Rabenseifner], &[
    (4, &[(8, 7), (16, 4), (32, 3), (262_144, 1), (524_288, 3), (1_048_576, 2), (REST, 3)]),
    (8, &[(4096, 4), (65_536, 2), (262_144, 5), (524_288, 1), (1_048_576, 5), (REST, 1)]),
    (16, &[(8192, 4), (REST, 5)]),
    (32, &[(4096, 4), (REST, 5)]),
    (256, &[(REST, 5)]),
    (512, &[(8192, 5), (16_384, 6), (REST, 5)]),
    (2048, &[(REST, 5)]),
    (4096, &[(512, 5), (1024, 6), (8192, 5), (16_384, 6), (REST, 5)]),
    (ALL, &[(16, 5), (32, 6), (1024, 5), (2048, 6), (8192, 5), (16_384, 6), (REST, 5)]),
]);

/// The length of all blocks; a butterfly is taken for recursive halving.
#[rustfmt::skip]
pub const REDUCE_SCATTER: Decision = Decision(&[Algorithm::ByRoot, Algorithm::RecursiveHalving, Algorithm::Ring, Algorithm::RecursiveHalving], &[
    (4, &[(65_536, 3), (131_072, 4), (REST, 3)]),
    (8, &[(8, 1), (262_144, 2), (REST, 3)]),
    (32, &[(262_144, 2), (REST, 3)]),
    (64, &[(64, 1), (2048, 2), (524_288, 4), (REST, 3)]),
    (128, &[(256, 1), (512, 2), (2048, 4), (4096, 2), (REST, 4)]),
    (256, &[(256, 1), (512, 2), (REST, 4)]),
    (512, &[(256, 1), (1024, 2), (REST, 4)]),
    (1024, &[(512, 1), (2048, 2), (8192, 4), (16_384, 2), (REST, 4)]),
    (2048, &[(512, 1), (4096, 2), (16_384, 4), (32_768, 2), (REST, 4)]),
    (4096, &[(512, 1), (4096, 2), (REST, 4)]),
    (ALL, &[(1024, 1), (8192, 2), (REST, 4)]),
]);

/// The length of a block.
#[rustfmt::skip]
pub const ALL_GATHER: Decision = Decision(&[Algorithm::Linear, Algorithm::Bruck, Algorithm::RecursiveDoubling, Algorithm::Ring, Algorithm::NeighbourExchange, Algorithm::RecursiveDoubling], &[
    (3, &[(REST, 6)]),
    (32, &[(REST, 3)]),
    (64, &[(1024, 3), (65_536, 5), (REST, 4)]),
    (128, &[(512, 3), (65_536, 5), (REST, 4)]),
    (256, &[(512, 3), (131_072, 5), (524_288, 4), (1_048_576, 5), (REST, 4)]),
    (512, &[(32, 3), (128, 2), (1024, 3), (131_072, 5), (524_288, 4), (1_048_576, 5), (REST, 4)]),
    (1024, &[(64, 3), (256, 2), (2048, 3), (REST, 5)]),
    (2048, &[(4, 3), (8, 2), (16, 3), (32, 2), (256, 3), (512, 2), (4096, 3), (REST, 5)]),
    (4096, &[(32, 2), (128, 3), (512, 2), (4096, 3), (REST, 5)]),
    (ALL, &[(2, 3), (8, 2), (16, 3), (512, 2), (4096, 3), (REST, 5)]),
]);

/// The mean length of a block.
#[rustfmt::skip]
pub const ALL_GATHER_V: Decision = Decision(&[Algorithm::ByRoot, Algorithm::Bruck, Algorithm::Ring, Algorithm::NeighbourExchange, Algorithm::RecursiveDoubling], &[
    (3, &[(2048, 3), (4096, 5), (8192, 3), (REST, 5)]),
    (8, &[(256, 1), (4096, 4), (8192, 3), (16_384, 4), (262_144, 2), (REST, 4)]),
    (16, &[(1024, 1), (REST, 2)]),
    (32, &[(128, 1), (262_144, 2), (REST, 3)]),
    (64, &[(256, 1), (8192, 2), (REST, 3)]),
    (128, &[(256, 1), (4096, 2), (REST, 3)]),
    (256, &[(1024, 2), (65_536, 4), (REST, 3)]),
    (512, &[(1024, 2), (REST, 3)]),
    (1024, &[(512, 2), (1024, 1), (4096, 2), (1_048_576, 4), (REST, 3)]),
    (ALL, &[(4096, 2), (REST, 4)]),
]);

/// The length of a block.
#[rustfmt::skip]
pub const GATHER: Decision = Decision(&[Algorithm::Linear, Algorithm::Binomial, Algorithm::Linear], &[
    (4, &[(2, 3), (4, 1), (32_768, 2), (65_536, 1), (131_072, 2), (REST, 3)]),
    (8, &[(1024, 2), (8192, 1), (32_768, 2), (262_144, 1), (REST, 3)]),
    (256, &[(REST, 2)]),
    (512, &[(2048, 2), (8192, 1), (REST, 2)]),
    (ALL, &[(REST, 2)]),
]);

/// The length of a block.
#[rustfmt::skip]
pub const SCATTER: Decision = Decision(&[Algorithm::Linear, Algorithm::Binomial, Algorithm::Linear], &[
    (4, &[(2, 3), (131_072, 1), (262_144, 3), (REST, 1)]),
    (8, &[(2048, 2), (4096, 1), (8192, 2), (32_768, 1), (1_048_576, 3), (REST, 1)]),
    (16, &[(16_384, 2), (1_048_576, 3), (REST, 1)]),
    (32, &[(16_384, 2), (32_768, 1), (REST, 3)]),
    (64, &[(512, 2), (8192, 3), (16_384, 2), (REST, 3)]),
    (ALL, &[(512, 2), (REST, 3)]),
]);
