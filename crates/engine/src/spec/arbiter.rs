//! Arbiters: all there are, and their keys.

use super::traffic_class::TrafficClass;
use crate::error::SpecError;
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
            /// The packets of traffic classes in turn, by shares in bytes.
            deficit_round_robin DeficitRoundRobin,
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

/// What arbiters have to know besides the machine. A key of an arbiter that is not asked for means
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ArbiterKeys {
    /// Of [`Arbiter::DeficitRoundRobin`]: how many bytes a traffic class may send in its turn, by class;
    /// empty: as many as the longest packet has, whatever the class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares_bytes: Vec<u32>,
}

impl ArbiterKeys {
    /// Whether there are none.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    /// Refuses what cannot be, where there are these traffic classes.
    ///
    /// # Errors
    /// A number of shares that is not that of classes; a share of nothing.
    pub fn check(&self, classes: &[TrafficClass]) -> Result<(), SpecError> {
        let field = "machine.switch.arbiter_keys.shares_bytes";
        // Without classes there is nothing to share.
        let is_given = !self.shares_bytes.is_empty() && !classes.is_empty();
        if is_given && self.shares_bytes.len() != classes.len() {
            let allowed = format!("must be one for each traffic class: {}", classes.len());
            return Err(SpecError::new(field, self.shares_bytes.len(), allowed));
        }
        match self.shares_bytes.iter().find(|&&share| !(1..=MOST_BYTES).contains(&share)) {
            Some(share) => {
                Err(SpecError::new(field, share, format!("must be 1 to {MOST_BYTES} bytes each")))
            }
            None => Ok(()),
        }
    }
}

/// The largest share.
const MOST_BYTES: u32 = 1 << 30;

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
