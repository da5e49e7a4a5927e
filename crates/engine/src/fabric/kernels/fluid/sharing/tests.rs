//! Flows that come and go, against rates that are all worked out again.

use super::*;
use crate::rng::{Purpose, Stream};

struct Plain {
    limit: u64,
    way: Vec<u32>,
}

/// Water-filling as in the head of the module, all at once.
fn filled(capacities: &[u64], flows: &[Option<Plain>]) -> Vec<u64> {
    let mut rates = vec![0; flows.len()];
    let each = || flows.iter().enumerate().filter_map(|(slot, flow)| Some((slot, flow.as_ref()?)));
    let crosses = |flow: &Plain, link: usize| {
        flow.way.iter().filter(|&&other| other as usize == link).count() as u64
    };
    let mut links = Vec::new();
    for (link, &capacity) in capacities.iter().enumerate() {
        let wanted: u64 = each().map(|(_, flow)| flow.limit * crosses(flow, link)).sum();
        if wanted > capacity {
            links.push(link);
        }
    }
    loop {
        let rising: Vec<_> = each().filter(|&(slot, _)| rates[slot] == 0).collect();
        let level_of = |&link: &usize| {
            let taken: u64 = each().map(|(slot, flow)| rates[slot] * crosses(flow, link)).sum();
            let number = rising.iter().map(|(_, flow)| crosses(flow, link)).sum::<u64>();
            (capacities[link] - taken).checked_div(number)
        };
        let levels: Vec<_> = links.iter().map(level_of).collect();
        let limits = rising.iter().map(|(_, flow)| flow.limit);
        let Some(level) = limits.chain(levels.iter().flatten().copied()).min() else {
            return rates;
        };
        let mut stopped = Vec::new();
        for &(slot, flow) in &rising {
            let is_full =
                |(&link, &of): (&usize, &Option<u64>)| of == Some(level) && crosses(flow, link) > 0;
            if flow.limit == level || links.iter().zip(&levels).any(is_full) {
                stopped.push(slot);
            }
        }
        stopped.iter().for_each(|&slot| rates[slot] = level);
    }
}

/// A random way over links in a line, there and perhaps back.
fn way(random: &mut Stream, links: u64) -> Vec<u32> {
    let (first, length) = (random.below(links), 1 + random.below(8));
    let mut way: Vec<u32> = (first..links.min(first + length)).map(|link| link as u32).collect();
    if random.below(10) == 0 {
        way.push(first as u32);
    }
    way
}

#[test]
fn whoever_comes_and_goes_all_rates_are_right() {
    for number in 0..150 {
        let mut random = Stream::new(number, Purpose::Start, 0);
        let links = 3 + random.below(40);
        let unit = 1 << 46;
        let capacity = |random: &mut Stream| [unit, unit, 4 * unit][random.below(3) as usize];
        let capacities: Vec<u64> = (0..links).map(|_| capacity(&mut random)).collect();
        let limits = [[unit, unit], [unit, unit / 3]][random.below(2) as usize];
        let mut sharing = Sharing::new(capacities.iter().copied());
        let most = 1 + random.below(80) as usize;
        let mut flows: Vec<Option<Plain>> = (0..most).map(|_| None).collect();
        for _ in 0..60 {
            for _ in 0..=random.below(3) {
                let slot = random.below(flows.len() as u64) as usize;
                if flows[slot].take().is_some() {
                    sharing.leave(slot as u32);
                    if random.below(2) == 0 {
                        continue;
                    }
                }
                let limit = limits[random.below(2) as usize];
                let way = way(&mut random, links);
                sharing.join(slot as u32, limit, way.iter().copied());
                flows[slot] = Some(Plain { limit, way });
                // It does not leave before it has a rate.
                sharing.work_out(|_, _| {});
            }
            sharing.work_out(|_, _| {});
            for (slot, &rate) in filled(&capacities, &flows).iter().enumerate() {
                let is_right = flows[slot].is_none() || sharing.flows[slot].rate == rate;
                assert!(is_right, "case {number}: {} {rate}", sharing.flows[slot].rate);
            }
        }
    }
}
