//! The lengths of SimGrid's datatypes, by their numbers in traces.

/// How many bytes an element has; none for numbers without a type.
pub fn length(number: u64) -> Option<u64> {
    const LENGTHS: [u8; 55] = [
        8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, // double … bool
        1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, // int8_t … MPI_Offset
        8, 16, 16, 8, 8, 8, 16, 16, // pairs of a value and a place
        4, 4, 4, 8, 0, 0, 0, 4, 2, 4, 8, 16, 32, 0, 0, 1, 8, // those of Fortran
    ];
    LENGTHS.get(number as usize).map(|&length| u64::from(length))
}

/// `MPI_DOUBLE`, which is meant where `init` says so.
pub const DOUBLE: u64 = 0;
/// `MPI_BYTE`, which is meant otherwise.
pub const BYTE: u64 = 6;
