//! What is meant by a key that is absent.

/// One, of whatever there is one of.
pub(super) fn one<T: From<u8>>() -> T {
    T::from(1)
}
