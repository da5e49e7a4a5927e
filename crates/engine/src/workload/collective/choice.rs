//! Which algorithm a table chooses, by the number of members and the lengths.

use super::open_mpi;
use super::plan::Amount;
use crate::spec::{Algorithm, Operation, Table};

/// Bytes of one element: the tables know of numbers of them, and we of bytes.
const ELEMENT_BYTES: u64 = 8;

/// The algorithm for an operation of `n` members.
pub fn algorithm(table: Table, operation: Operation, n: u32, amount: Amount) -> Algorithm {
    let (block, all) = match amount {
        Amount::Equal(bytes) if operation.has_blocks() => (bytes, bytes.saturating_mul(n.into())),
        Amount::Equal(bytes) => (bytes, bytes),
        Amount::Each(sizes) => {
            let all = sizes.iter().sum::<u64>();
            (all / u64::from(n), all)
        }
        Amount::Pairs => (0, 0),
    };
    let differ = !matches!(amount, Amount::Equal(_));
    match (operation, table) {
        // Neither has anything else for blocks of several lengths.
        (Operation::Gather | Operation::Scatter, _) if differ => Algorithm::Linear,
        (_, Table::Mpich) => mpich(operation, n, (block, all), differ),
        (_, Table::OpenMpi) => open_mpi(operation, n, (block, all), differ),
    }
}

/// The rules of MPICH without the level of shared memory: `maint/tuning/coll/mpir/generic.json`
/// of <https://github.com/pmodels/mpich> at 6a79bf6575, and [Thakur et al. 2005].
fn mpich(operation: Operation, n: u32, (block, all): (u64, u64), differ: bool) -> Algorithm {
    let is_power = n.is_power_of_two();
    let is_small = |most: u64| all <= most || all / ELEMENT_BYTES < 1 << n.ilog2();
    match operation {
        Operation::Barrier => Algorithm::Dissemination,
        Operation::Broadcast if n < 8 || all <= 12_288 => Algorithm::Binomial,
        Operation::Broadcast if is_power && all <= 524_288 => Algorithm::ScatterDoubling,
        Operation::Broadcast => Algorithm::ScatterRing,
        Operation::Reduce if is_small(2048) => Algorithm::Binomial,
        Operation::AllReduce if is_small(8) => Algorithm::RecursiveDoubling,
        Operation::Reduce | Operation::AllReduce => Algorithm::Rabenseifner,
        Operation::Gather | Operation::Scatter => Algorithm::Binomial,
        Operation::AllGather if is_power && all < 524_288 => Algorithm::RecursiveDoubling,
        Operation::AllGather if !is_power && all < 81_920 => Algorithm::Bruck,
        Operation::AllGather => Algorithm::Ring,
        Operation::ReduceScatter if all < 524_288 => Algorithm::RecursiveHalving,
        Operation::AllToAll if differ => Algorithm::Linear,
        Operation::AllToAll if n >= 8 && block <= 256 => Algorithm::Bruck,
        Operation::AllToAll if block <= 32_768 => Algorithm::Linear,
        Operation::AllToAll | Operation::ReduceScatter => Algorithm::Pairwise,
    }
}

fn open_mpi(operation: Operation, n: u32, (block, all): (u64, u64), differ: bool) -> Algorithm {
    let chosen = match operation {
        Operation::Barrier => open_mpi::BARRIER.of(n, 0),
        Operation::Broadcast => open_mpi::BROADCAST.of(n, all),
        Operation::Reduce => open_mpi::REDUCE.of(n, all),
        Operation::AllReduce => open_mpi::ALL_REDUCE.of(n, all),
        Operation::Gather => open_mpi::GATHER.of(n, block),
        Operation::Scatter => open_mpi::SCATTER.of(n, block),
        Operation::AllGather if differ => open_mpi::ALL_GATHER_V.of(n, block),
        Operation::AllGather => open_mpi::ALL_GATHER.of(n, block),
        Operation::ReduceScatter => open_mpi::REDUCE_SCATTER.of(n, all),
        Operation::AllToAll if differ => open_mpi::ALL_TO_ALL_V.of(n, 0),
        Operation::AllToAll => open_mpi::ALL_TO_ALL.of(n, block),
    };
    match (operation, chosen) {
        // What it falls back on.
        (_, Algorithm::NeighbourExchange) if n % 2 == 1 => Algorithm::Ring,
        (Operation::AllGather, Algorithm::RecursiveDoubling) if !n.is_power_of_two() => {
            Algorithm::Bruck
        }
        _ => chosen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::collective::Plan;

    fn chosen(table: Table, operation: Operation, n: u32, bytes: u64) -> Algorithm {
        algorithm(table, operation, n, Amount::Equal(bytes))
    }

    /// The thresholds of MPICH, from either side.
    #[test]
    fn mpich_changes_where_its_table_says() {
        use Algorithm::*;
        use Operation::*;
        for (operation, n, bytes, expected) in [
            (Broadcast, 16, 12_288, Binomial),
            (Broadcast, 16, 12_289, ScatterDoubling),
            (Broadcast, 16, 524_289, ScatterRing),
            (Broadcast, 12, 12_289, ScatterRing),
            (Broadcast, 7, 1_000_000, Binomial),
            (AllReduce, 8, 8, RecursiveDoubling),
            (AllReduce, 8, 63, RecursiveDoubling),
            (AllReduce, 8, 64, Rabenseifner),
            (Reduce, 8, 2048, Binomial),
            (Reduce, 8, 2049, Rabenseifner),
            (AllGather, 8, 65_535, RecursiveDoubling),
            (AllGather, 8, 65_536, Ring),
            (AllGather, 10, 8_191, Bruck),
            (AllGather, 10, 8_192, Ring),
            (ReduceScatter, 8, 65_536, Pairwise),
            (AllToAll, 8, 256, Bruck),
            (AllToAll, 8, 257, Linear),
            (AllToAll, 7, 256, Linear),
            (AllToAll, 7, 32_769, Pairwise),
        ] {
            assert_eq!(chosen(Table::Mpich, operation, n, bytes), expected, "{operation:?} {n}");
        }
    }

    /// Commutative all-reduces as Open MPI's source has them.
    #[test]
    fn open_mpi_changes_where_its_table_says() {
        let all_reduce = |n, bytes| chosen(Table::OpenMpi, Operation::AllReduce, n, bytes);
        assert_eq!(all_reduce(8, 8191), Algorithm::RecursiveDoubling);
        assert_eq!(all_reduce(15, 8192), Algorithm::Rabenseifner);
        assert_eq!(all_reduce(16, 63), Algorithm::SegmentedRing);
        assert_eq!(all_reduce(31, 4095), Algorithm::RecursiveDoubling);
        assert_eq!(all_reduce(64, 262_143), Algorithm::RecursiveDoubling);
        assert_eq!(all_reduce(100_000, 32_767), Algorithm::RecursiveDoubling);
        assert_eq!(chosen(Table::OpenMpi, Operation::Barrier, 7, 0), Algorithm::Linear);
        assert_eq!(chosen(Table::OpenMpi, Operation::AllGather, 31, 8), Algorithm::Bruck);
    }

    #[test]
    fn every_choice_can_be_made() {
        for table in [Table::Mpich, Table::OpenMpi] {
            for operation in Operation::ALL {
                for n in 1..130 {
                    for bytes in (0..24).map(|bit| 1 << bit) {
                        let one = chosen(table, operation, n, bytes);
                        let plan = Plan::new(operation, one, (n, 0), Amount::Equal(bytes), None);
                        assert!(plan.is_ok(), "{table:?} {operation:?} {n} {bytes}: {one:?}");
                    }
                }
            }
        }
    }
}
