//! Which virtual channels of a link are whose, where traffic has classes.
//!
//! Classes with the same virtual channels have one *share*; the shares of others have no channel in
//! common, and together they are all of a link. Within its share a packet goes as if the link had no
//! other channels: routing's classes are told apart in each share by itself.

use crate::error::SpecError;
use crate::spec::{Machine, TrafficClass};

/// Most traffic classes: packets say in 7 bits of which they are.
pub const MOST_CLASSES: usize = 128;

/// The shares of all traffic classes.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// By traffic class: the number of its share. Empty where there is one.
    of_class: Vec<u8>,
    /// By share: its first virtual channel and its last, ascending.
    ranges: Vec<(u32, u32)>,
}

impl Shares {
    /// Those of a machine.
    ///
    /// # Errors
    /// Virtual channels that links do not have, that nobody may use, or that are those of several
    /// classes in part.
    pub fn new(machine: &Machine) -> Result<Self, SpecError> {
        let (classes, count) = (&machine.routing.traffic_classes, machine.switch.virtual_channels);
        if classes.len() > MOST_CLASSES {
            let allowed = format!("must be at most {MOST_CLASSES}");
            return Err(SpecError::new("workload.traffic_class", classes.len(), allowed));
        }
        let of =
            |class: &TrafficClass| class.virtual_channels.unwrap_or((0, count.saturating_sub(1)));
        let mut ranges: Vec<(u32, u32)> = classes.iter().map(of).collect();
        if ranges.is_empty() {
            ranges.push((0, count.saturating_sub(1)));
        }
        for (number, class) in classes.iter().enumerate() {
            check(number, class, classes, count)?;
        }
        ranges.sort_unstable();
        ranges.dedup();
        let nobodys = |pair: &[(u32, u32)]| pair[0].1 + 1 < pair[1].0;
        let gap = ranges.windows(2).find(|pair| nobodys(pair)).map(|pair| pair[0].1 + 1);
        let gap = gap.or((ranges[0].0 > 0).then_some(0));
        let last = ranges[ranges.len() - 1].1;
        if let Some(unused) = gap.or((last + 1 < count).then_some(last + 1)) {
            let allowed = format!("must name every one: virtual channel {unused} is nobody's");
            return Err(SpecError::new("workload.traffic_class.virtual_channels", "", allowed));
        }
        let place = |class| ranges.iter().position(|range| *range == of(class)).unwrap_or(0) as u8;
        let of_class =
            if ranges.len() > 1 { classes.iter().map(place).collect() } else { Vec::new() };
        Ok(Self { of_class, ranges })
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Whether all packets may use all virtual channels.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.of_class.is_empty()
    }

    /// That of a traffic class.
    #[inline]
    pub fn of(&self, class: u8) -> usize {
        // With one share nothing is kept.
        self.of_class.get(usize::from(class)).copied().unwrap_or(0).into()
    }

    /// How many virtual channels each has.
    pub fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().map(|(first, last)| last - first + 1)
    }
}

/// Refuses virtual channels that a link does not have, or that another class has in part.
fn check(
    number: usize,
    class: &TrafficClass,
    classes: &[TrafficClass],
    count: u32,
) -> Result<(), SpecError> {
    let Some((first, last)) = class.virtual_channels else { return Ok(()) };
    let field = || format!("workload.traffic_class[{number}].virtual_channels");
    let given = || format!("{first} to {last}");
    if first > last || last >= count {
        let allowed = format!(
            "must be the first and the last of some of the {count} of a link, 0 to {}",
            count - 1
        );
        return Err(SpecError::new(field(), given(), allowed));
    }
    let is_partly = |other: &&TrafficClass| {
        let (from, to) = other.virtual_channels.unwrap_or((0, count - 1));
        (from, to) != (first, last) && from <= last && first <= to
    };
    if let Some(other) = classes.iter().find(is_partly) {
        let (from, to) = other.virtual_channels.unwrap_or((0, count - 1));
        let allowed =
            format!("must be those of class \"{}\", {from} to {to}, or none of them", other.name);
        return Err(SpecError::new(field(), given(), allowed));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TopologySpec;

    fn shares(count: u32, ranges: &[Option<(u32, u32)>]) -> Result<Shares, String> {
        let mut machine = Machine::t9000(TopologySpec::Star { nodes: 2 });
        machine.switch.virtual_channels = count;
        let class = |(number, range): (usize, &Option<(u32, u32)>)| TrafficClass {
            name: format!("c{number}"),
            virtual_channels: *range,
            priority: 0,
        };
        machine.routing.traffic_classes = ranges.iter().enumerate().map(class).collect();
        Shares::new(&machine).map_err(|error| error.to_string())
    }

    #[test]
    fn classes_have_shares_or_one_together() {
        assert!(shares(4, &[]).unwrap().is_one());
        assert!(shares(4, &[None, None]).unwrap().is_one());
        assert!(shares(4, &[None, Some((0, 3))]).unwrap().is_one());
        let three = shares(4, &[Some((2, 3)), Some((0, 0)), Some((1, 1)), Some((0, 0))]).unwrap();
        assert_eq!((three.count(), [0, 1, 2, 3].map(|class| three.of(class))), (3, [2, 0, 1, 0]));
        assert_eq!(three.sizes().collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn what_links_do_not_have_is_refused() {
        let refused = |count, ranges: &[Option<(u32, u32)>]| shares(count, ranges).unwrap_err();
        assert_eq!(
            refused(2, &[Some((0, 0)), Some((1, 2))]),
            "workload.traffic_class[1].virtual_channels = 1 to 2: must be the first and the last \
             of some of the 2 of a link, 0 to 1"
        );
        assert_eq!(
            refused(3, &[Some((0, 1)), Some((1, 2))]),
            "workload.traffic_class[0].virtual_channels = 0 to 1: must be those of class \"c1\", \
             1 to 2, or none of them"
        );
        assert!(refused(2, &[Some((0, 0)), None]).contains("class \"c1\", 0 to 1, or none"));
        for (count, ranges, unused) in
            [(3, [(0, 0), (2, 2)], 1), (3, [(1, 1), (2, 2)], 0), (3, [(0, 0), (1, 1)], 2)]
        {
            let text = refused(count, &ranges.map(Some));
            assert!(text.ends_with(&format!("virtual channel {unused} is nobody's")), "{text}");
        }
    }
}
