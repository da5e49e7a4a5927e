//! When faults begin and end: one outage for each failure, also of faults that come again, whether
//! after the same time or after times that are drawn. All are known before a run.

use super::base::Topology;
use crate::error::SpecError;
use crate::rng::{Key, Purpose, Stream};
use crate::spec::{FailedLink, Fault, FaultAt, Places};
use crate::time::Time;
use std::collections::BTreeMap;

/// Most outages of all faults together.
const MOST: usize = 1_000_000;

/// One failure, until its repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Which of the faults it is one of.
    pub table: usize,
    /// Where it is: at one place.
    pub at: FaultAt,
    /// When it begins.
    pub from: Time,
    /// When it is repaired.
    pub until: Time,
}

/// A time in which something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<T> {
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
    /// What is so.
    pub what: T,
}

impl Topology {
    /// All outages, in the order in which they begin.
    ///
    /// # Errors
    /// A fault that ends before it begins; more outages than there may be.
    pub fn outages(&self, faults: &[Fault]) -> Result<Vec<Outage>, SpecError> {
        let mut found = Vec::new();
        for (table, fault) in faults.iter().enumerate() {
            if fault.until_ps <= fault.from_ps {
                let allowed = "must be above 0: when it is repaired is after it begins";
                return Err(SpecError::new(format!("fault[{table}].duration"), 0, allowed));
            }
            for (place, at) in self.places_of(fault.at).into_iter().enumerate() {
                let begun = |(from, until)| Outage { table, at, from, until };
                let left = (MOST + 1).saturating_sub(found.len());
                found.extend(times(fault, (table, place)).take(left).map(begun));
            }
            if found.len() > MOST {
                let allowed = format!("must be earlier: more than {MOST} faults begin before");
                return Err(SpecError::new(format!("fault[{table}].until"), "", allowed));
            }
        }
        found.sort_by_key(|outage| outage.from);
        Ok(found)
    }

    /// The places of a fault, each by itself.
    fn places_of(&self, at: FaultAt) -> Vec<FaultAt> {
        let FaultAt::Each(places) = at else { return vec![at] };
        match places {
            Places::Link => {
                let at = |(switch, port, _)| FailedLink::At { switch, port: port as u32 };
                self.cables().into_iter().map(|cable| FaultAt::Link(at(cable))).collect()
            }
            Places::Switch => (0..self.switches as u32).map(FaultAt::Switch).collect(),
            Places::Node => (0..self.nodes as u32).map(FaultAt::Node).collect(),
        }
    }
}

/// When the failures of a fault begin and end at one of its places, one after the other.
fn times(fault: &Fault, (table, place): (usize, usize)) -> Box<dyn Iterator<Item = (Time, Time)>> {
    let (start, length) = (fault.from_ps, fault.until_ps - fault.from_ps);
    let Some(again) = fault.again else {
        return Box::new(std::iter::once((start, fault.until_ps)));
    };
    let most = again.count.map_or(usize::MAX, |count| count as usize);
    let mut times: Box<dyn FnMut() -> (Time, Time)> = match again.seed {
        None => Box::new(move || (again.up_ps, length)),
        Some(seed) => {
            let key = Key::of(seed).and(table as u64).and(place as u64);
            let mut stream = Stream::keyed(Purpose::Outage, key);
            let mut drawn = move |mean: Time| {
                let time = (stream.exponential() * mean as f64).round();
                (time as Time).max(1)
            };
            Box::new(move || (drawn(again.up_ps), drawn(length)))
        }
    };
    // A fault whose times are not drawn begins at once.
    let mut repaired = if again.seed.is_some() { Some(start) } else { None };
    let outages = std::iter::from_fn(move || {
        let (up, down) = times();
        let from = repaired.map_or(start, |repaired: Time| repaired.saturating_add(up));
        let until = from.saturating_add(down);
        repaired = Some(until);
        (from < again.until_ps).then_some((from, until))
    });
    Box::new(outages.take(most))
}

/// What spans that may lie over each other come to: where several do, the greatest counts.
pub fn greatest<T: Copy + Ord>(all: &[Span<T>]) -> Vec<Span<T>> {
    let mut ends: Vec<(Time, bool, T)> = all
        .iter()
        .flat_map(|span| [(span.from, true, span.what), (span.until, false, span.what)])
        .collect();
    ends.sort_unstable();
    let mut there: BTreeMap<T, usize> = BTreeMap::new();
    let mut merged: Vec<Span<T>> = Vec::new();
    let mut from = 0;
    for (at, begins, what) in ends {
        if let Some((&what, _)) = there.last_key_value()
            && from < at
        {
            match merged.last_mut() {
                Some(last) if last.until == from && last.what == what => last.until = at,
                _ => merged.push(Span { from, until: at, what }),
            }
        }
        from = at;
        let count = there.entry(what).or_default();
        if begins {
            *count += 1;
        } else if *count > 1 {
            *count -= 1;
        } else {
            there.remove(&what);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Again, TopologySpec};

    fn fault(at: FaultAt, (from_ps, until_ps): (Time, Time), again: Option<Again>) -> Fault {
        Fault {
            at,
            from_ps,
            until_ps,
            share: 0,
            bit_errors: None,
            time_factor: None,
            reroute_ps: None,
            again,
        }
    }

    fn found(faults: &[Fault]) -> Vec<(Time, Time)> {
        let topology = Topology::new(&TopologySpec::Mesh { dims: vec![3, 2] }).unwrap();
        let outages = topology.outages(faults).unwrap();
        outages.iter().map(|outage| (outage.from, outage.until)).collect()
    }

    #[test]
    fn of_spans_that_lie_over_each_other_the_greatest_counts() {
        let one = |from, until, what| Span { from, until, what };
        let all = [one(10, 50, 1), one(20, 30, 2), one(30, 40, 2), one(60, 70, 0), one(15, 45, 1)];
        let expected = [one(10, 20, 1), one(20, 40, 2), one(40, 50, 1), one(60, 70, 0)];
        assert_eq!(greatest(&all), expected);
        assert_eq!(greatest::<u32>(&[]), []);
    }

    #[test]
    fn a_fault_that_flaps_is_down_and_up_in_turn_until_a_time_or_a_count() {
        let flaps = |until_ps, count| Again { up_ps: 30, until_ps, count, seed: None };
        let with = |again| found(&[fault(FaultAt::Switch(1), (5, 15), Some(again))]);
        assert_eq!(with(flaps(86, None)), [(5, 15), (45, 55), (85, 95)]);
        assert_eq!(with(flaps(85, None)), [(5, 15), (45, 55)]);
        assert_eq!(with(flaps(Time::MAX, Some(3))), [(5, 15), (45, 55), (85, 95)]);
    }

    #[test]
    fn drawn_times_have_their_means_and_each_place_its_own() {
        let until_ps = 1_000_000_000;
        let drawn = |seed, at| {
            let again = Again { up_ps: 900_000, until_ps, count: None, seed: Some(seed) };
            fault(at, (1_000_000, 1_100_000), Some(again))
        };
        let all = found(&[drawn(1, FaultAt::Each(Places::Link))]);
        // Seven links, about a thousand failures each.
        assert!((6_700..7_300).contains(&all.len()), "{}", all.len());
        let down: Time = all.iter().map(|(from, until)| until - from).sum();
        let mean = down / all.len() as Time;
        assert!((97_000..103_000).contains(&mean), "{mean}");
        assert!(all.is_sorted_by_key(|outage| outage.0) && all[0].0 > 1_000_000);
        let one = |seed| found(&[drawn(seed, FaultAt::Node(0))]);
        assert_eq!(one(1), one(1));
        assert_ne!(one(1), one(2));
        // A second table of the same draws others.
        let both = found(&[drawn(1, FaultAt::Node(0)), drawn(1, FaultAt::Node(0))]);
        assert!(both.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn more_faults_than_can_be_kept_are_refused() {
        let again = Again { up_ps: 1, until_ps: Time::MAX, count: None, seed: None };
        let topology = Topology::new(&TopologySpec::Mesh { dims: vec![3, 2] }).unwrap();
        let error = topology.outages(&[fault(FaultAt::Node(0), (0, 1), Some(again))]).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("fault[0].until") && told.contains("must be earlier"), "{told}");
    }
}
