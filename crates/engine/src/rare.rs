//! What is seldom so. What is done then lies apart from what is mostly done: a run goes through more
//! instructions than a core's cache holds, and those that it passes over take room there, too.

/// What an option has, if it has anything, which is seldom.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn rare<T>(option: &mut Option<T>) -> Option<&mut T> {
    match option {
        Some(it) => {
            seldom();
            Some(it)
        }
        None => None,
    }
}

/// Whether something is so that is seldom so.
#[allow(clippy::inline_always)]
#[inline(always)]
pub fn rarely(is: bool) -> bool {
    if is {
        seldom();
    }
    is
}

/// Whoever calls it seldom comes there, for the compiler.
#[allow(clippy::inline_always)]
#[cold]
#[inline(always)]
fn seldom() {}
