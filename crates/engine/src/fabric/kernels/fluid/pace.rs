//! How far a packet's end is behind that of its bytes on the slowest wires of its way, alone.

use super::passage::Passage;
use super::ways::Way;
use crate::fabric::network::wiring::Wiring;
use crate::time::Time;

/// That of the packets of one flow, one behind the other.
#[derive(Clone, Default)]
pub struct Pace {
    /// The same for all of them, where they go on behind their headers at the same rate.
    constant: Option<Time>,
    /// Else: when, nobody else being there, each channel of the way is free of those before, and at
    /// last its node has drained them, and all bytes of theirs are through the slowest; from the
    /// start of the first.
    free_at: Vec<Time>,
    through: Time,
    /// Data bytes of the first packets, how far behind those are, and how many of them but the
    /// first have not been reckoned in: each of the same length comes a time of the slowest
    /// channel after the one before.
    first: Option<(u32, Time)>,
    more: Time,
}

impl Pace {
    /// That of a flow whose first packet sets out.
    pub fn begin(&mut self, way: &Way, wiring: &Wiring) {
        self.constant = wiring.goes_on_behind_header().then(|| {
            let hops = way.leads.iter().map(|&lead| wiring.timing(lead).hop_ps).sum::<Time>();
            let last = wiring.timing(way.leads[way.leads.len() - 1]);
            hops - last.hop_ps + last.wire_ps
        });
        self.free_at.clear();
        self.free_at.resize(way.leads.len() + 1, 0);
        (self.through, self.first, self.more) = (0, None, 0);
    }

    /// How far behind the next packet is.
    pub fn next(&mut self, bytes: u32, passage: &Passage, way: &Way, wiring: &Wiring) -> Time {
        if let Some(constant) = self.constant {
            let drains = wiring.drain_ps(bytes) > 0;
            return if drains { passage.lifetime - passage.takes } else { constant };
        }
        if let Some((first, behind)) = self.first
            && first == bytes
        {
            self.more += 1;
            return behind;
        }
        let is_first = self.through == 0;
        self.catch_up(way, wiring);
        let mut ready = 0;
        for (place, &lead) in way.leads.iter().enumerate() {
            let timing = wiring.timing(lead);
            let start = self.free_at[place].max(ready);
            self.free_at[place] = start + timing.packet_ps(bytes);
            ready = if let Some(&next) = way.leads.get(place + 1) {
                start + wiring.onward_ps(timing, wiring.timing(next), bytes)
            } else {
                let drained = start.max(self.free_at[place + 1]) + wiring.drain_ps(bytes);
                drained.max(self.free_at[place] + timing.wire_ps)
            };
        }
        self.free_at[way.leads.len()] = ready;
        self.through += passage.takes;
        let behind = ready.saturating_sub(self.through).max(passage.lifetime - passage.takes);
        self.first = is_first.then_some((bytes, behind));
        behind
    }

    /// Reckons in the packets that are as long as the first: after it each channel sends one in
    /// the time of the slowest so far.
    fn catch_up(&mut self, way: &Way, wiring: &Wiring) {
        let Some((bytes, _)) = self.first else { return };
        let mut slowest = 0;
        for (free_at, &lead) in self.free_at.iter_mut().zip(&way.leads) {
            slowest = wiring.timing(lead).packet_ps(bytes).max(slowest);
            *free_at += slowest * self.more;
        }
        slowest = slowest.max(wiring.drain_ps(bytes));
        self.free_at[way.leads.len()] += slowest * self.more;
        self.through += slowest * self.more;
        self.more = 0;
    }
}
