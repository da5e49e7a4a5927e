//! Links shared max-min fairly: who gets how much of what.
//!
//! The allocation is that of *water-filling* [Bertsekas & Gallager 1992, section 6.5.2], in whole
//! units: the rates of all flows rise together; the level at which the first link is full is the
//! rate of its flows, and the others rise on. Every level is the smallest of ⌊what is left of a
//! link / flows on it that still rise⌋ and of the own limits of flows, and everybody whom it
//! stops is stopped at once, so that no order decides. Links that cannot be full because the
//! limits of their flows add up to no more take no part.
//!
//! When flows come and go only those are worked out again whom that can reach: from the links
//! of those flows over links that can be full, and only where rates are not below the level from
//! which on anything differs. What is below is filled before, and as before.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// No link.
pub const NONE: u32 = u32::MAX;

/// Part of a mark.
const CANNOT_BE_FULL: u64 = 1;

/// Links with capacities, and the flows that share them, by *slot*: a number that is theirs until
/// they leave.
#[derive(Clone)]
pub struct Sharing {
    links: Vec<Link>,
    /// By link: twice the number of the work in which it was visited last, and 1 more if it cannot
    /// be full. Most links are only asked for this.
    marks: Vec<u64>,
    flows: Vec<Flow>,
    /// Flows that have joined, and links that those who left might have filled, since the rates
    /// were worked out.
    joined: Vec<u32>,
    left: Vec<u32>,
    /// Rates below this are not changed by those who left.
    least_left: u64,
    /// Distinguishes what has been visited this time.
    epoch: u64,
    /// Room for the work, kept between times.
    visited: Vec<u32>,
    to_visit: Vec<u32>,
    filling: BinaryHeap<Reverse<(u64, u32)>>,
    full: Vec<u32>,
    limited: Vec<u32>,
}

#[derive(Clone)]
struct Link {
    capacity: u64,
    /// What its flows would take if they had all they can.
    wanted: u128,
    /// Those who cross it, once for each time.
    flows: Vec<u32>,
    /// The work in which it was last one of those to fill.
    filled_in: u64,
    /// What is left of it.
    rest: u64,
    /// Its flows that still rise.
    rising: u64,
}

#[derive(Clone, Default)]
struct Flow {
    way: Vec<u32>,
    /// The most it can take.
    limit: u64,
    rate: u64,
    /// Its rate before the rates are worked out.
    before: u64,
    /// The link that stopped it, the last time that one did.
    stopped_by: u32,
    epoch: u64,
    is_rising: bool,
}

impl Link {
    fn new(capacity: u64) -> Self {
        Self { capacity, wanted: 0, flows: Vec::new(), filled_in: 0, rest: 0, rising: 0 }
    }

    fn can_be_full(&self) -> bool {
        self.wanted > u128::from(self.capacity)
    }

    /// How far its flows can rise; none if none of them still does.
    fn level(&self) -> Option<u64> {
        self.rest.checked_div(self.rising)
    }
}

impl Sharing {
    /// Links of these capacities, which nobody uses.
    pub fn new(capacities: impl Iterator<Item = u64>) -> Self {
        let links: Vec<Link> = capacities.map(Link::new).collect();
        Self {
            marks: vec![CANNOT_BE_FULL; links.len()],
            links,
            flows: Vec::new(),
            joined: Vec::new(),
            left: Vec::new(),
            least_left: u64::MAX,
            epoch: 0,
            visited: Vec::new(),
            to_visit: Vec::new(),
            filling: BinaryHeap::new(),
            full: Vec::new(),
            limited: Vec::new(),
        }
    }

    /// The link that stopped a flow from rising, the last time that one did, or [`NONE`].
    #[inline]
    pub fn stopped_by(&self, slot: u32) -> u32 {
        self.flows[slot as usize].stopped_by
    }

    /// Flows on a link.
    pub fn flows_on(&self, link: u32) -> usize {
        self.links[link as usize].flows.len()
    }

    /// What a link can carry.
    pub fn capacity(&self, link: u32) -> u64 {
        self.links[link as usize].capacity
    }

    /// One link more, which can carry nothing yet; its number.
    pub fn add(&mut self) -> u32 {
        self.links.push(Link::new(0));
        self.marks.push(CANNOT_BE_FULL);
        self.links.len() as u32 - 1
    }

    /// A link that nobody uses can carry so much from now on.
    pub fn set_capacity(&mut self, link: u32, capacity: u64) {
        let link = &mut self.links[link as usize];
        debug_assert!(link.flows.is_empty(), "nobody uses it");
        link.capacity = capacity;
    }

    /// Whether all rates have been worked out.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.joined.is_empty() && self.left.is_empty()
    }

    /// A flow with a limit of its own joins, over these links.
    pub fn join(&mut self, slot: u32, limit: u64, way: impl Iterator<Item = u32>) {
        let place = slot as usize;
        if self.flows.len() <= place {
            self.flows.resize_with(place + 1, Flow::default);
        }
        let flow = &mut self.flows[place];
        (flow.limit, flow.rate, flow.stopped_by, flow.epoch) = (limit, 0, NONE, 0);
        flow.way.clear();
        for link in way {
            flow.way.push(link);
            let (mark, link) = (&mut self.marks[link as usize], &mut self.links[link as usize]);
            link.flows.push(slot);
            link.wanted += u128::from(limit);
            if link.can_be_full() {
                *mark &= !CANNOT_BE_FULL;
            }
        }
        self.joined.push(slot);
    }

    /// A flow whose rate has been worked out leaves.
    pub fn leave(&mut self, slot: u32) {
        let Flow { rate, limit, ref way, .. } = self.flows[slot as usize];
        for &number in way {
            let link = &mut self.links[number as usize];
            if link.can_be_full() {
                self.left.push(number);
                self.least_left = self.least_left.min(rate);
            }
            link.wanted -= u128::from(limit);
            if !link.can_be_full() {
                self.marks[number as usize] |= CANNOT_BE_FULL;
            }
            if let Some(place) = link.flows.iter().position(|&flow| flow == slot) {
                link.flows.swap_remove(place);
            }
        }
    }

    /// Works out the rates of all whom those that joined and left can have reached; tells of each
    /// whose rate is another now than before.
    pub fn work_out(&mut self, mut changed: impl FnMut(u32, u64)) {
        self.epoch += 1;
        let least = self.least();
        self.reach(least);
        self.fill();
        for &slot in &self.visited {
            let flow = &self.flows[slot as usize];
            if flow.rate != flow.before {
                changed(slot, flow.rate);
            }
        }
        self.visited.clear();
    }

    /// The level from which on rates may differ: that at which the first link is full that flows
    /// have joined, the others on it being as they were; less a few units, so that roundings make
    /// no difference.
    fn least(&mut self) -> u64 {
        let mut least = std::mem::replace(&mut self.least_left, u64::MAX);
        for &slot in &self.joined {
            for &link in &self.flows[slot as usize].way {
                let link = &self.links[link as usize];
                if link.can_be_full() {
                    let level = self.level_of(link, least);
                    least = least.min(level.saturating_sub(link.flows.len() as u64));
                }
            }
        }
        least
    }

    /// The level at which a link is full whose flows do not rise beyond their rates, except those
    /// that have none yet; or one that is at least `enough`.
    fn level_of(&self, link: &Link, enough: u64) -> u64 {
        let mut level = link.capacity / link.flows.len() as u64;
        loop {
            let (mut rest, mut rising) = (link.capacity, 0);
            for &slot in &link.flows {
                match self.flows[slot as usize].rate {
                    rate if rate > 0 && rate < level => rest -= rate,
                    _ => rising += 1,
                }
            }
            let higher = rest / rising;
            if higher == level || level >= enough {
                return level;
            }
            level = higher;
        }
    }

    /// Finds whom that can concern, and prepares links that can be full: the flows that rise
    /// there, and what the others leave of it.
    fn reach(&mut self, least: u64) {
        // Links that flows have left come first: the others on them may rise, also if these
        // links can no longer be full.
        let mut left = std::mem::take(&mut self.left);
        left.retain(|&number| {
            let mark = &mut self.marks[number as usize];
            let is_new = *mark < 2 * self.epoch;
            *mark = (2 * self.epoch) | (*mark & CANNOT_BE_FULL);
            is_new
        });
        left.drain(..).for_each(|number| self.visit(number, least, true));
        self.left = left;
        let mut joined = std::mem::take(&mut self.joined);
        joined.drain(..).for_each(|slot| self.reach_flow(slot));
        self.joined = joined;
        while let Some(number) = self.to_visit.pop() {
            self.visit(number, least, false);
        }
    }

    /// Finds who rises on a link. Where that cannot fill it, nobody there is concerned unless a
    /// flow has left it: neither did it before.
    fn visit(&mut self, number: u32, least: u64, was_left: bool) {
        let flows = std::mem::take(&mut self.links[number as usize].flows);
        let (mut rising, mut kept, mut wanted) = (0, 0, 0_u64);
        for &slot in &flows {
            let flow = &self.flows[slot as usize];
            if flow.rate < least && flow.rate > 0 {
                kept += flow.rate;
            } else {
                rising += 1;
                wanted = wanted.saturating_add(flow.limit);
            }
        }
        let link = &mut self.links[number as usize];
        let rest = link.capacity - kept;
        let fills = wanted > rest;
        if fills {
            (link.rest, link.rising, link.filled_in) = (rest, rising, self.epoch);
            self.filling.push(Reverse((rest / rising, number)));
        }
        if fills || was_left {
            for &slot in &flows {
                let flow = &self.flows[slot as usize];
                if flow.epoch != self.epoch && flow.rate >= least {
                    self.reach_flow(slot);
                }
            }
        }
        self.links[number as usize].flows = flows;
    }

    /// A flow's rate may be another: so may be what is left of the links it crosses.
    fn reach_flow(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        (flow.epoch, flow.before, flow.is_rising) = (self.epoch, flow.rate, true);
        self.visited.push(slot);
        for &number in &flow.way {
            let mark = &mut self.marks[number as usize];
            if *mark < 2 * self.epoch && *mark & CANNOT_BE_FULL == 0 {
                *mark = 2 * self.epoch;
                self.to_visit.push(number);
            }
        }
    }

    /// Fills the links that have been prepared, level by level.
    fn fill(&mut self) {
        let flows = &self.flows;
        let mut limited = std::mem::take(&mut self.limited);
        limited.extend_from_slice(&self.visited);
        limited.sort_unstable_by_key(|&slot| flows[slot as usize].limit);
        let mut next = 0;
        loop {
            while next < limited.len() && !self.flows[limited[next] as usize].is_rising {
                next += 1;
            }
            let Some(&first) = limited.get(next) else { break };
            let level = self.flows[first as usize].limit;
            let level = level.min(self.level().unwrap_or(level));
            self.find_full(level);
            for place in 0..self.full.len() {
                self.stop_all(self.full[place], level);
            }
            self.full.clear();
            while let Some(&slot) = limited.get(next)
                && self.flows[slot as usize].limit == level
            {
                self.stop(slot, level, None);
                next += 1;
            }
        }
        limited.clear();
        self.limited = limited;
        self.filling.clear();
    }

    /// The level at which the next link is full.
    fn level(&mut self) -> Option<u64> {
        // Levels of links do but rise: what stands in the list is no more than what is so.
        while let Some(mut first) = self.filling.peek_mut() {
            let Reverse((before, number)) = *first;
            match self.links[number as usize].level() {
                None => _ = PeekMut::pop(first),
                Some(level) if level == before => return Some(level),
                Some(level) => *first = Reverse((level, number)),
            }
        }
        None
    }

    /// Finds all links that are full at a level, none being full below it; lowest number first.
    fn find_full(&mut self, level: u64) {
        while self.level() == Some(level) {
            self.full.extend(self.filling.pop().map(|Reverse((_, number))| number));
        }
    }

    /// The flows on a link that still rise have reached the level at which it is full.
    fn stop_all(&mut self, number: u32, level: u64) {
        let flows = std::mem::take(&mut self.links[number as usize].flows);
        flows.iter().for_each(|&slot| self.stop(slot, level, Some(number)));
        self.links[number as usize].flows = flows;
    }

    /// A flow does not rise beyond a level, because of a link or on its own account.
    fn stop(&mut self, slot: u32, level: u64, by: Option<u32>) {
        let flow = &mut self.flows[slot as usize];
        if flow.epoch != self.epoch || !flow.is_rising {
            return;
        }
        (flow.is_rising, flow.rate) = (false, level.max(1));
        flow.stopped_by = by.unwrap_or(flow.stopped_by);
        for &number in &flow.way {
            let link = &mut self.links[number as usize];
            if link.filled_in == self.epoch {
                link.rest -= level;
                link.rising -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
