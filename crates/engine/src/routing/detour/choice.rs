//! When packets go by way of a middle.

/// Which way packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By way of the middle.
    Always,
    /// By the load of the first link.
    Locally,
    /// By the loads of all links.
    Globally,
    /// By the load of the next link, again at every switch of the first group.
    Progressively,
}
