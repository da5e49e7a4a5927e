//! A circle of channels that wait for each other, and who makes them.

use super::walker::{Link, Walker};
use crate::error::Held;
use crate::routing::header::Header;
use std::collections::BTreeMap;
use std::fmt;

/// Channels each of which a packet may hold while it asks for the next, the last
/// for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The channels in order.
    pub channels: Vec<Link>,
    /// Packets, with the routes they begin with, that together do all this: few, chosen
    /// one after the other so that each adds most.
    pub packets: Vec<Header>,
    /// By channel: which of the packets holds it and asks for the next.
    pub holders: Vec<usize>,
}

impl Cycle {
    /// Finds packets that make the dependencies between `channels`.
    pub(super) fn explain(walker: &mut Walker, channels: &[u32]) -> Self {
        let mut place_of = BTreeMap::new();
        for (place, &channel) in channels.iter().enumerate() {
            place_of.insert(channel, place);
        }
        // For every set of dependencies the first packet that makes it.
        let mut makers: BTreeMap<Vec<usize>, Header> = BTreeMap::new();
        let mut current: Option<(Header, Vec<usize>)> = None;
        let mut finish = |current: Option<(Header, Vec<usize>)>| {
            if let Some((header, mut places)) = current {
                places.sort_unstable();
                places.dedup();
                makers.entry(places).or_insert(header);
            }
        };
        walker.walk(|header, from, to| {
            let Some(&place) = place_of.get(&from) else { return };
            if channels[(place + 1) % channels.len()] != to {
                return;
            }
            match &mut current {
                Some((of, places)) if *of == header => places.push(place),
                _ => finish(current.replace((header, vec![place]))),
            }
        });
        finish(current);
        let (packets, holders) = cover(&makers, channels.len());
        let channels = channels.iter().map(|&channel| walker.link(channel)).collect();
        Self { channels, packets, holders }
    }

    /// Its channels, each with the packet that holds it.
    pub fn held(&self) -> Vec<Held> {
        let pairs = self.channels.iter().zip(&self.holders);
        let held = pairs.map(|(link, &holder)| {
            let Header { source, destination, .. } = self.packets[holder];
            let class = link.class as u32;
            let (source, destination) = (source.0, destination.0);
            Held { from: link.switch.0, to: link.to.0, class, source, destination }
        });
        held.collect()
    }
}

/// Packets that together make all of so many dependencies, and which makes which.
fn cover(makers: &BTreeMap<Vec<usize>, Header>, size: usize) -> (Vec<Header>, Vec<usize>) {
    let mut packets = Vec::new();
    let mut holders = vec![usize::MAX; size];
    loop {
        let missing =
            |places: &[usize]| places.iter().filter(|&&p| holders[p] == usize::MAX).count();
        // The first of those that add most.
        let best = makers.iter().rev().max_by_key(|(places, _)| missing(places));
        let Some((places, header)) = best.filter(|(places, _)| missing(places) > 0) else {
            return (packets, holders);
        };
        for &place in places {
            if holders[place] == usize::MAX {
                holders[place] = packets.len();
            }
        }
        packets.push(*header);
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Channels and packets named; all are in the fields.
        const SHOWN: usize = 8;
        for link in self.channels.iter().take(SHOWN) {
            write!(f, "{link} waits for ")?;
        }
        match self.channels.len().saturating_sub(SHOWN) {
            0 => write!(f, "the first; routes ")?,
            more => write!(f, "{more} more and the first; routes ")?,
        }
        for (place, packet) in self.packets.iter().take(SHOWN).enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            write!(f, "{separator}{}->{}", packet.source.0, packet.destination.0)?;
        }
        match self.packets.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
