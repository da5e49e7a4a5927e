//! Links that are down, or slower, for a time: which channels, and when.
//!
//! Everything is known before the run, so nothing has to happen when a fault begins or ends: whoever
//! is about to use a channel asks. A packet that would still be on its way onto a link when that
//! fails holds the channel until then, stays where it is, and is sent again.

use crate::error::SpecError;
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::network::timing::Timing;
use crate::ids::{ChannelId, NodeId, SwitchId};
use crate::spec::{Fault, FaultAt};
use crate::time::Time;
use crate::topology::Topology;

/// All of a rate, in the unit of shares.
const MILLION: u32 = 1_000_000;

/// A time in which a link is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    from: Time,
    until: Time,
    /// What is left of the rate, in millionths.
    share: u32,
}

/// The faults of all links.
pub struct Faults {
    /// By channel: its place among `stretches`; none where nothing is wrong.
    places: Vec<Option<u32>>,
    /// Of links with the same faults: in order, none beside another.
    stretches: Vec<Vec<Stretch>>,
}

impl Faults {
    /// The faults of a network.
    ///
    /// # Errors
    /// A link, switch or node that is not there; a time that ends before it begins.
    pub fn new(faults: &[Fault], layout: &Layout, topology: &Topology) -> Result<Self, SpecError> {
        let mut of_group: Vec<Vec<Stretch>> = vec![Vec::new(); layout.groups.len()];
        for (number, fault) in faults.iter().enumerate() {
            let field = |key: &str| format!("fault[{number}].{key}");
            if fault.until_ps <= fault.from_ps {
                let allowed = "must be above 0: when it is repaired is after it begins";
                return Err(SpecError::new(field("duration"), 0, allowed));
            }
            if fault.share > MILLION {
                return Err(SpecError::new(field("rate"), fault.share, "must be at most all"));
            }
            let is_meant = meant(&fault.at, &field, layout, topology)?;
            for (group, stretches) in layout.groups.iter().zip(&mut of_group) {
                if is_meant(group) {
                    let &Fault { from_ps: from, until_ps: until, share, .. } = fault;
                    stretches.push(Stretch { from, until, share });
                }
            }
        }
        let mut stretches = Vec::new();
        let places: Vec<Option<u32>> = of_group
            .iter()
            .map(|all| {
                let merged = merged(all);
                (!merged.is_empty()).then(|| {
                    stretches.push(merged);
                    stretches.len() as u32 - 1
                })
            })
            .collect();
        Ok(Self {
            places: layout.group_of.iter().map(|group| places[group.index()]).collect(),
            stretches,
        })
    }

    fn of(&self, channel: ChannelId) -> &[Stretch] {
        self.places[channel.index()].map_or(&[], |place| &self.stretches[place as usize])
    }

    fn at(&self, channel: ChannelId, now: Time) -> Option<&Stretch> {
        let all = self.of(channel);
        let stretch = all.get(all.partition_point(|stretch| stretch.until <= now))?;
        (stretch.from <= now).then_some(stretch)
    }

    /// Since when a channel is down, if it is, and until when.
    pub fn down(&self, channel: ChannelId, now: Time) -> Option<(Time, Time)> {
        let stretch = self.at(channel, now)?;
        (stretch.share == 0).then_some((stretch.from, stretch.until))
    }

    /// When a channel that is up at `start` fails next before `end`, and is repaired.
    pub fn fails(&self, channel: ChannelId, (start, end): (Time, Time)) -> Option<(Time, Time)> {
        let is_next = |one: &&Stretch| one.share == 0 && one.from > start;
        let stretch = self.of(channel).iter().find(is_next)?;
        (stretch.from < end).then_some((stretch.from, stretch.until))
    }

    /// The times of a packet that starts on a channel now, if that is slower.
    pub fn slowed(&self, channel: ChannelId, now: Time, usual: &Timing) -> Option<Timing> {
        let stretch = self.at(channel, now)?;
        (stretch.share > 0).then(|| usual.slowed(stretch.share, MILLION))
    }
}

/// Whether a fault concerns a group of channels.
type IsMeant<'a> = Box<dyn Fn(&Group) -> bool + 'a>;

/// Which groups of channels a fault concerns.
fn meant<'a>(
    at: &FaultAt,
    field: &impl Fn(&str) -> String,
    layout: &'a Layout,
    topology: &Topology,
) -> Result<IsMeant<'a>, SpecError> {
    let exists = |key: &str, number: u32, count: usize| {
        let last = count - 1;
        let is_there = (number as usize) < count;
        let allowed = format!("must be a {key} from 0 to {last}");
        if is_there { Ok(()) } else { Err(SpecError::new(field(key), number, allowed)) }
    };
    match *at {
        FaultAt::Link(link) => {
            let ends = topology.ends_of(&link, &field("link"))?;
            Ok(Box::new(move |group: &Group| {
                let port = layout.port_and_class(group).map(|(port, _)| port);
                port.is_some_and(|port| ends.contains(&(SwitchId(group.from), port)))
            }))
        }
        FaultAt::Switch(switch) => {
            exists("switch", switch, topology.switches)?;
            Ok(Box::new(move |group: &Group| {
                let leaves = !starts_at_node(group) && group.from == switch;
                leaves || group.end == End::Switch(SwitchId(switch))
            }))
        }
        FaultAt::Node(node) => {
            exists("node", node, topology.nodes)?;
            Ok(Box::new(move |group: &Group| {
                let leaves = starts_at_node(group) && group.from == node;
                leaves || group.end == End::Node(NodeId(node))
            }))
        }
    }
}

fn starts_at_node(group: &Group) -> bool {
    use crate::measure::ChannelKind;
    matches!(group.kind, ChannelKind::Injection | ChannelKind::Direct)
}

/// What faults that may lie over each other come to: where several do, the worst.
fn merged(all: &[Stretch]) -> Vec<Stretch> {
    let mut ends: Vec<Time> = all.iter().flat_map(|one| [one.from, one.until]).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut merged: Vec<Stretch> = Vec::new();
    for pair in ends.windows(2) {
        let (from, until) = (pair[0], pair[1]);
        let there = all.iter().filter(|one| one.from <= from && until <= one.until);
        let share = there.map(|one| one.share).min().unwrap_or(MILLION);
        match merged.last_mut() {
            _ if share == MILLION => {}
            Some(last) if last.until == from && last.share == share => last.until = until,
            _ => merged.push(Stretch { from, until, share }),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_faults_that_lie_over_each_other_the_worst_counts() {
        let one = |from, until, share| Stretch { from, until, share };
        let all = [one(10, 50, 500_000), one(20, 30, 0), one(30, 40, 0), one(60, 70, MILLION)];
        let expected = [one(10, 20, 500_000), one(20, 40, 0), one(40, 50, 500_000)];
        assert_eq!(merged(&all), expected);
        assert_eq!(merged(&[]), []);
    }
}
