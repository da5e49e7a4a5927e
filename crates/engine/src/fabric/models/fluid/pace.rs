//! How far a packet's end is behind that of its bytes on the slowest wires of its way, alone.

use super::ways::Way;
use crate::fabric::network::wiring::Wiring;
use crate::time::Time;

/// That of the packets of one flow, one behind the other.
#[derive(Clone, Default)]
pub struct Pace {
    /// The same for all of them, where they go on behind their headers at the same rate.
    constant: Option<Time>,
    /// Else: when, nobody else being there, each channel of the way is free of those before, and
    /// all bytes of theirs are through the slowest; from the start of the first.
    free_at: Vec<Time>,
    through: Time,
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
        self.free_at.resize(way.leads.len(), 0);
        self.through = 0;
    }

    /// How far behind the next packet is, of which alone it is so much.
    pub fn next(&mut self, bytes: u32, alone: Time, way: &Way, wiring: &Wiring) -> Time {
        if let Some(constant) = self.constant {
            return constant;
        }
        let mut ready = 0;
        for (place, &lead) in way.leads.iter().enumerate() {
            let timing = wiring.timing(lead);
            let start = self.free_at[place].max(ready);
            self.free_at[place] = start + timing.packet_ps(bytes);
            ready = match way.leads.get(place + 1) {
                Some(&next) => start + wiring.onward_ps(timing, wiring.timing(next), bytes),
                None => self.free_at[place] + timing.wire_ps,
            };
        }
        self.through += wiring.timings[usize::from(way.slowest)].packet_ps(bytes);
        (ready - self.through).max(alone)
    }
}
