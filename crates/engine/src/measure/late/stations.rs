//! What packets take turns at besides channels: engines of switches, and receive FIFOs that are drained.
//!
//! A station is numbered like a channel, above all of these, and is named by one of the channels that lead to it.
//! Where nodes are their own switches, a number above stands for a channel as the first of a packet that begins
//! there.

use super::charges::Site;
use crate::ids::{ChannelId, NodeId};
use crate::time::Time;

/// A packet's turn at the station at the end of the channel that it has crossed.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// When it could have begun, had no other packet been there.
    pub ready: Time,
    /// When it began.
    pub start: Time,
    /// When the turn of the next could begin.
    pub end: Time,
    /// When the packet can go on.
    pub done: Time,
}

/// Which channels lead to which station.
#[derive(Clone, Debug, Default)]
pub struct Stations {
    /// By channel: the one by which the station at its end is named. Empty: there are none.
    named: Vec<ChannelId>,
    /// By channel: what the station of its name belongs to.
    sites: Vec<Site>,
    /// Whether the numbers stand for first channels of packets.
    are_first: bool,
}

impl Stations {
    /// The stations at the ends of channels: by channel the one by which it is named, and what a station of its
    /// name belongs to.
    pub fn new(named: Vec<ChannelId>, sites: Vec<Site>) -> Self {
        Self { named, sites, are_first: false }
    }

    /// Where nodes are their own switches: each channel once more, as the first of a packet; by channel the node
    /// it comes from.
    pub fn first(nodes: &[NodeId]) -> Self {
        Self {
            named: (0..nodes.len()).map(ChannelId::from_index).collect(),
            sites: nodes.iter().map(|&node| Site::From(node)).collect(),
            are_first: true,
        }
    }

    /// The number of a channel on which the packet that is sent there begins, or does not.
    pub fn as_root(&self, channel: ChannelId, is_first: bool) -> ChannelId {
        if self.are_first && is_first && !self.has(channel) {
            ChannelId::from_index(self.named.len() + channel.index())
        } else {
            channel
        }
    }

    /// How many numbers follow those of channels.
    pub fn numbers(&self) -> usize {
        self.named.len()
    }

    /// The number of the station at the end of a channel; none if there is none.
    pub fn behind(&self, channel: ChannelId) -> Option<ChannelId> {
        if self.are_first {
            return None;
        }
        let named = self.named.get(channel.index())?;
        Some(ChannelId::from_index(self.named.len() + named.index()))
    }

    /// Whether a number is that of a station.
    #[inline]
    pub fn has(&self, number: ChannelId) -> bool {
        !self.named.is_empty() && number.index() >= self.named.len()
    }

    /// The channel by which a station is named; a channel as it is.
    pub fn name(&self, number: ChannelId) -> ChannelId {
        if self.has(number) {
            ChannelId::from_index(number.index() - self.named.len())
        } else {
            number
        }
    }

    /// By channel: what the station of its name belongs to.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }
}

#[cfg(test)]
mod tests {
    use super::{ChannelId, NodeId, Site, Stations};

    #[test]
    fn a_station_goes_by_the_name_of_a_channel_that_leads_to_it() {
        let names = vec![ChannelId(0), ChannelId(0), ChannelId(2)];
        let stations = Stations::new(names, vec![Site::Between; 3]);
        let station = stations.behind(ChannelId(1)).unwrap();
        assert_eq!(station, ChannelId(3));
        assert!(stations.has(station) && !stations.has(ChannelId(2)));
        assert_eq!(stations.name(station), ChannelId(0));
        assert_eq!(stations.name(ChannelId(1)), ChannelId(1));
        assert_eq!(Stations::default().behind(ChannelId(1)), None);
        assert!(!Stations::default().has(ChannelId(1)));
    }

    #[test]
    fn a_first_channel_has_a_number_of_its_own() {
        let stations = Stations::first(&[NodeId(0), NodeId(1)]);
        let number = stations.as_root(ChannelId(1), true);
        assert_eq!((number, stations.name(number)), (ChannelId(3), ChannelId(1)));
        assert_eq!(stations.sites()[1], Site::From(NodeId(1)));
        assert_eq!(stations.as_root(ChannelId(1), false), ChannelId(1));
        assert_eq!(stations.behind(ChannelId(1)), None);
    }
}
