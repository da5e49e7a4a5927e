//! Arbiters: all there are.

use serde::{Deserialize, Serialize};

/// All arbiters: the word in files, the name in Rust, and whose request is granted first. Whoever
/// has something for each of them gives the macro that makes it.
macro_rules! arbiters {
    ($make:ident) => {
        $make! {
            /// In order of request.
            fifo Fifo,
            /// Any waiting input, all equally likely.
            random Random,
            /// Packets from other switches before packets from nodes.
            net_first NetFirst,
            /// The packet that was queued at its source first.
            oldest_first OldestFirst,
            /// The packet that has crossed most channels.
            hops_first HopsFirst,
            /// The input behind the one that was granted last, round and round.
            round_robin RoundRobin,
            /// The packet whose traffic class is most urgent.
            priority Priority,
            /// The input that was granted least recently.
            least_recently_granted LeastRecentlyGranted,
        }
    };
}
pub(crate) use arbiters;

macro_rules! make_names {
    ($($(#[$doc:meta])* $word:ident $name:ident,)*) => {
        /// Which of those who wait for an output is granted it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Arbiter {
            #[default]
            $($(#[$doc])* $name,)*
        }

        impl Arbiter {
            /// All of them; the usual one first.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its name in experiment files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($word),)*
                }
            }
        }
    };
}
arbiters!(make_names);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arbiter_has_one_word() {
        for arbiter in Arbiter::ALL {
            let quoted = format!("\"{}\"", arbiter.name());
            assert_eq!(serde_json::to_string(arbiter).unwrap(), quoted);
        }
        assert_eq!(Arbiter::default(), Arbiter::Fifo);
    }
}
