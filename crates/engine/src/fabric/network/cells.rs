//! The times of frames on lines and of their cells in a fabric.
//!
//! Alone a frame is on the line of its node for whole cell times, `w`; its `n` cells are offered
//! to the fabric from then on, cell `k` (from 0) after `k + ⌊(k + 1) / pacing⌋` cell times; the
//! last is out of it a time later that depends on how far it goes; then the frame is on the
//! line to its destination, `w` again.

use super::timing::Timing;
use crate::spec::{Cells, Framing, Machine};
use crate::time::Time;

/// What follows from the description of a fabric of cells.
#[derive(Clone, Copy, Debug)]
pub struct CellTiming {
    /// Time of a cell.
    pub cell_ps: Time,
    /// From a cell's start into the fabric until it asks to leave it, on one card.
    pub across_ps: Time,
    /// From there until it asks for its first link.
    pub leave_ps: Time,
    /// From a cell's start on a link until it asks for the next, or to leave, besides the delay of
    /// the link.
    pub hop_ps: Time,
    cell_bytes: u32,
    pacing: Option<u32>,
    header_bytes: u32,
    framing: Framing,
}

impl CellTiming {
    /// The times of a machine, if its switches are line cards.
    pub fn new(machine: &Machine) -> Option<Self> {
        let cells = machine.switch.cells?;
        let Cells { cell_bytes, cell_ps, pacing, card_ps, leave_ps, hop_ps, .. } = cells;
        Some(Self {
            cell_ps,
            across_ps: card_ps.saturating_sub(cell_ps),
            leave_ps,
            hop_ps,
            cell_bytes: cell_bytes.max(1),
            pacing: pacing.map(|cells| cells.max(1)),
            header_bytes: machine.interface.header_bytes,
            framing: machine.link.framing,
        })
    }

    /// Cells of a frame with so many data bytes.
    #[inline]
    pub fn cells(&self, bytes: u32) -> u32 {
        self.frame_bytes(bytes).div_ceil(self.cell_bytes)
    }

    /// For how long a line carries a frame, in whole cell times.
    #[inline]
    pub fn line_ps(&self, line: &Timing, bytes: u32) -> Time {
        let takes = line.flit_ps * u64::from(line.data_flits(self.wire_bytes(bytes)));
        takes.div_ceil(self.cell_ps) * self.cell_ps
    }

    /// For how long it is busy with it: with the gap behind it, as many whole cell times as that
    /// lasts.
    #[inline]
    pub fn busy_ps(&self, line: &Timing, bytes: u32) -> Time {
        let gap = line.flit_ps * u64::from(line.data_flits(self.framing.gap_bytes));
        self.line_ps(line, bytes) + gap / self.cell_ps * self.cell_ps
    }

    /// For how long the cells of a frame keep a port of the fabric busy.
    #[inline]
    pub fn port_ps(&self, bytes: u32) -> Time {
        self.cell_ps * Time::from(self.cells(bytes))
    }

    /// When a cell of a frame is offered, after its first.
    #[inline]
    pub fn offered_ps(&self, cell: u32) -> Time {
        let pauses = self.pacing.map_or(0, |pacing| (cell + 1) / pacing);
        self.cell_ps * Time::from(cell + pauses)
    }

    /// From when a frame has come from its line until its last cell is out of the fabric, if
    /// nobody else is there: `links` is the time from its first link to its port out of the fabric
    /// if it leaves its card.
    #[inline]
    pub fn through_ps(&self, bytes: u32, links: Option<Time>) -> Time {
        let way = links.map_or(0, |links| self.leave_ps + links);
        self.offered_ps(self.cells(bytes) - 1) + way + self.across_ps + self.cell_ps
    }

    /// Bytes of a frame that go into cells.
    #[inline]
    fn frame_bytes(&self, bytes: u32) -> u32 {
        self.framing.frame_bytes(self.header_bytes + bytes).max(1)
    }

    #[inline]
    fn wire_bytes(&self, bytes: u32) -> u32 {
        self.framing.preamble_bytes + self.frame_bytes(bytes)
    }
}
