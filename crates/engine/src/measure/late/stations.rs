//! What packets take turns at besides channels: engines of switches, and receive FIFOs that are drained.
//!
//! A station is numbered like a channel, above all of these, and is named by one of the channels that lead to it.

use super::charges::Site;
use crate::ids::ChannelId;
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
}

impl Stations {
    /// The stations at the ends of channels, by channel; none if nothing is said.
    pub fn new(named: Vec<ChannelId>) -> Self {
        Self { named }
    }

    /// How many numbers follow those of channels.
    pub fn numbers(&self) -> usize {
        self.named.len()
    }

    /// The number of the station at the end of a channel; none if there is none.
    pub fn behind(&self, channel: ChannelId) -> Option<ChannelId> {
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

    /// What channels connect, followed by what the stations named by them belong to: nodes or switches.
    pub fn sites(&self, mut sites: Vec<Site>) -> Vec<Site> {
        for channel in 0..self.named.len() {
            sites.push(match sites[channel] {
                Site::To(node) => Site::To(node),
                Site::From(_) | Site::Between => Site::Between,
            });
        }
        sites
    }
}

#[cfg(test)]
mod tests {
    use super::{Site, Stations};
    use crate::ids::{ChannelId, NodeId};

    #[test]
    fn a_station_goes_by_the_name_of_a_channel_that_leads_to_it() {
        let stations = Stations::new(vec![ChannelId(0), ChannelId(0), ChannelId(2)]);
        let station = stations.behind(ChannelId(1)).unwrap();
        assert_eq!(station, ChannelId(3));
        assert!(stations.has(station) && !stations.has(ChannelId(2)));
        assert_eq!(stations.name(station), ChannelId(0));
        assert_eq!(stations.name(ChannelId(1)), ChannelId(1));
        assert_eq!(Stations::default().behind(ChannelId(1)), None);
        assert!(!Stations::default().has(ChannelId(1)));
    }

    #[test]
    fn a_station_belongs_to_its_switch_or_node() {
        let stations = Stations::new(vec![ChannelId(0), ChannelId(1)]);
        let sites = stations.sites(vec![Site::From(NodeId(4)), Site::To(NodeId(5))]);
        assert_eq!(sites[2..], [Site::Between, Site::To(NodeId(5))]);
    }
}
