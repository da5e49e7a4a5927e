//! What is meant by a key that is absent.

/// One, of whatever there is one of.
pub(super) fn one<T: From<u8>>() -> T {
    T::from(1)
}

/// Whether it is the one that is meant.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn is_one(value: &u32) -> bool {
    *value == 1
}

/// Whether it is not said, where that means no.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn is_false(value: &bool) -> bool {
    !*value
}
