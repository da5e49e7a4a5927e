//! What of a message's waits made it late, and who is charged for it.

use crate::ids::{ChannelId, NodeId};
use crate::mixed::Mixed;
use crate::time::Time;

/// Where the root of a wait was, as the message sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// At the channel out of its own node.
    Source,
    /// At the channel into its own destination.
    Destination,
    /// Between switches, or in one.
    Network,
    /// At a channel out of, or into, another node: a queue that grew backwards from there.
    Spread,
    /// Nowhere: because of what others did it took another way, and that was longer.
    Detour,
    /// Where a link was down, or slower, for a time.
    Fault,
}

impl Kind {
    /// All of them, as they are numbered, with their names.
    pub const ALL: [(Self, &str); 6] = [
        (Self::Source, "source"),
        (Self::Destination, "destination"),
        (Self::Network, "network"),
        (Self::Spread, "spread"),
        (Self::Detour, "detour"),
        (Self::Fault, "fault"),
    ];
}

/// What a channel connects, as far as kinds go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A node to its switch.
    From(NodeId),
    /// A switch to a node.
    To(NodeId),
    /// Two switches.
    Between,
    /// Nodes that are their own switches, for packets that did not begin at the first: the second.
    Into(NodeId),
}

impl Site {
    /// The kind of a root there for a message from one node to another.
    pub fn kind(self, (source, destination): (NodeId, NodeId)) -> Kind {
        match self {
            Self::From(node) if node == source => Kind::Source,
            Self::To(node) | Self::Into(node) if node == destination => Kind::Destination,
            Self::Between | Self::Into(_) => Kind::Network,
            Self::From(_) | Self::To(_) => Kind::Spread,
        }
    }
}

/// What one culprit costs a message at one root channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// What the culprit is charged as; [`crate::measure::blame::REST`]: nobody is.
    pub culprit: u32,
    /// The root channel.
    pub channel: ChannelId,
    /// What that is to the message.
    pub kind: Kind,
    /// How long the message's chain waited for it.
    pub waited: Time,
    /// How much later it came for that.
    pub late: Time,
}

/// Why a message took as long as it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// How many were sent before it.
    pub number: u64,
    /// What it is charged as itself.
    pub label: u32,
    /// When its first packet was queued, and when the last was there.
    pub span: (Time, Time),
    /// How long it takes alone.
    pub alone: Time,
    /// What of its latency was its own.
    pub own: Time,
    /// What it waited for, in the order in which waits began.
    pub charges: Vec<Charge>,
}

/// Of so many charges it is looked at each whether it is the same as another.
const FEW: usize = 16;

/// Waits of a message, added up by culprit and root channel.
#[derive(Default)]
pub struct Adder {
    /// Charges of a message that is done with, to be used again.
    unused: Vec<Charge>,
    /// By culprit, root channel and kind: the place among the charges of a message; scratch.
    places: Mixed<(u32, ChannelId, Kind), usize>,
}

impl Adder {
    /// Waits with their roots, each as kind, culprit and channel: charges, in the order in which they first come.
    pub fn add(
        &mut self,
        waits: impl Iterator<Item = ((Kind, u32, ChannelId), Time)>,
    ) -> Vec<Charge> {
        let mut charges = std::mem::take(&mut self.unused);
        charges.clear();
        let places = &mut self.places;
        places.clear();
        for ((kind, culprit, channel), time) in waits {
            let key = (culprit, channel, kind);
            let key_of = |charge: &Charge| (charge.culprit, charge.channel, charge.kind);
            let is_same = |charge: &Charge| key_of(charge) == key;
            let place = if charges.len() <= FEW {
                charges.iter().position(is_same)
            } else {
                if places.is_empty() {
                    let known = charges.iter().enumerate();
                    places.extend(known.map(|(n, charge)| (key_of(charge), n)));
                }
                places.get(&key).copied()
            };
            if let Some(place) = place {
                charges[place].waited += time;
                continue;
            }
            if !places.is_empty() {
                places.insert(key, charges.len());
            }
            charges.push(Charge { culprit, channel, kind, waited: time, late: 0 });
        }
        charges
    }

    /// Nobody looks any more at charges.
    pub fn reuse(&mut self, charges: Vec<Charge>) {
        self.unused = charges;
    }
}

/// What waits cost a message that was late by so much: as they stand, or, where part of the waiting ran
/// beside what the message would have taken anyway, in proportion, in whole picoseconds (largest
/// remainder; of equal ones the earlier).
pub fn shares(waits: &[Time], late: Time) -> Vec<Time> {
    let waited: Time = waits.iter().sum();
    if waited <= late {
        return waits.to_vec();
    }
    let (all, late) = (u128::from(waited), u128::from(late));
    let of = |wait: Time| u128::from(wait) * late;
    let mut shares: Vec<Time> = waits.iter().map(|&wait| (of(wait) / all) as Time).collect();
    // Fewer are left than there are waits.
    let left = late as Time - shares.iter().sum::<Time>();
    let mut order: Vec<usize> = (0..waits.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(of(waits[place]) % all));
    for &place in order.iter().take(left as usize) {
        shares[place] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_add_up_to_how_late_it_was() {
        assert_eq!(shares(&[100, 100, 100], 100), [34, 33, 33]);
        assert_eq!(shares(&[1, 2, 1], 3), [1, 1, 1]);
        assert_eq!(shares(&[5, 7], 12), [5, 7]);
        assert_eq!(shares(&[5, 7], 20), [5, 7]);
        assert_eq!(shares(&[5, 7], 0), [0, 0]);
        assert_eq!(shares(&[], 0), [0; 0]);
    }
}
