//! The load of frames on lines and of their cells on a fabric.

use super::{Sums, Walk};
use crate::fabric::{CellTiming, End, Wiring};
use crate::ids::NodeId;
use crate::measure::ChannelKind;
use crate::routing::Header;
use crate::time::Time;

impl Walk<'_> {
    /// Spreads a load over lines, ports and links of a way: see `occupy_way`.
    pub(super) fn occupy_cells(
        &self,
        mut header: Header,
        bytes: u32,
        cells: &CellTiming,
        load: impl Fn(&dyn Fn(u32) -> Time) -> f64,
        sums: &mut Sums,
    ) -> (u16, Time) {
        let layout = &self.wiring.layout;
        let mut lead = self.wiring.injection_lead(header.source, header.traffic);
        let (mut hops, mut links, mut lines) = (0, None, 0);
        let on_port = load(&|bytes| cells.port_ps(bytes));
        loop {
            let group = layout.group(lead);
            let timing = self.wiring.timing(lead);
            hops += 1;
            if group.kind == ChannelKind::Internal {
                sums.load_ps[lead.index()] += on_port;
                links = Some(links.unwrap_or(0) + cells.hop_ps + timing.wire_ps);
            } else {
                sums.load_ps[lead.index()] += load(&|bytes| cells.busy_ps(timing, bytes));
                lines += cells.line_ps(timing, bytes) + timing.wire_ps;
            }
            let End::Switch(card) = group.end else {
                return (hops + 2, lines + cells.through_ps(bytes, links));
            };
            if group.kind != ChannelKind::Internal {
                sums.load_ps[layout.port_in(card).index()] += on_port;
            }
            header.route = self.wiring.passed(group, header);
            lead = self.wiring.first_lead(card, header);
            if layout.group(lead).kind != ChannelKind::Internal {
                sums.load_ps[layout.port_out(card).index()] += on_port;
            }
        }
    }
}

/// Lifetime of a full packet that is alone on its way to a neighbour.
pub(super) fn neighbour_ps(wiring: &Wiring, cells: &CellTiming, bytes: u32) -> Time {
    let layout = &wiring.layout;
    let link = layout.groups.iter().find(|group| group.slot.is_some());
    let links = link.map(|group| cells.hop_ps + wiring.timing(group.first).wire_ps);
    let line = wiring.timing(layout.injection_lead(NodeId(0)));
    2 * (cells.line_ps(line, bytes) + line.wire_ps) + cells.through_ps(bytes, links)
}
