//! Which group leaves a switch by which slot.

use crate::ids::{ChannelId, SwitchId};
use std::collections::HashMap;

/// The leads of the groups by slot of a switch.
///
/// Groups of a switch are numbered in the order of its slots, and most switches of a machine use the same slots:
/// so of a switch only its first lead is kept and which row of distances from that is its own. A hop then reads
/// eight bytes of a switch, however many ports it has.
pub struct SlotLeads {
    /// By switch: its first lead, and where its row begins among `rows`.
    switches: Vec<(u32, u32)>,
    /// How far behind the first lead that of each slot is, or [`ABSENT`].
    rows: Vec<u32>,
}

/// There is no group at the slot.
const ABSENT: u32 = u32::MAX;

impl SlotLeads {
    /// From the leads of all slots, `slots` for each of so many switches; none where there is no group.
    pub fn new(leads: &[ChannelId], slots: usize, switches: usize) -> Self {
        let mut made = Self { switches: Vec::with_capacity(switches), rows: Vec::new() };
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        for switch in 0..switches {
            let own = &leads[switch * slots..][..slots];
            let first = own.iter().copied().find(|lead| lead.is_some()).map_or(0, |lead| lead.0);
            let behind = |lead: &ChannelId| if lead.is_some() { lead.0 - first } else { ABSENT };
            let row: Vec<u32> = own.iter().map(behind).collect();
            let next = made.rows.len() as u32;
            let place = *known.entry(row).or_insert_with_key(|row| {
                made.rows.extend(row);
                next
            });
            made.switches.push((first, place));
        }
        made
    }

    /// The lead at a slot, or none.
    #[inline]
    pub fn at(&self, switch: SwitchId, slot: usize) -> ChannelId {
        let (first, row) = self.switches[switch.index()];
        match self.rows[row as usize + slot] {
            ABSENT => ChannelId::NONE,
            behind => ChannelId(first + behind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_with_the_same_slots_share_a_row() {
        let lead =
            |number: i64| if number < 0 { ChannelId::NONE } else { ChannelId(number as u32) };
        let leads: Vec<ChannelId> = [5, -1, 6, 8, -1, 9, -1, 12, 14, -1, -1, -1].map(lead).to_vec();
        let made = SlotLeads::new(&leads, 3, 4);
        let at = |place: usize| made.at(SwitchId((place / 3) as u32), place % 3);
        assert_eq!((0..leads.len()).map(at).collect::<Vec<_>>(), leads);
        assert_eq!(made.rows.len(), 9);
    }
}
