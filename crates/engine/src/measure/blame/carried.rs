//! Whose cells a port or link of a fabric of cells has carried.

use super::cause::{Cause, Charge};
use crate::ids::{ChannelId, PacketId};
use crate::time::Time;
use std::collections::VecDeque;

/// Most runs of cells that are remembered; what is longer is charged to the first of them.
const LONGEST: usize = 1 << 16;

/// Cells of one packet that followed each other without a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) packet: PacketId,
    pub(super) class: u32,
    pub(super) channel: ChannelId,
    pub(super) from: Time,
    pub(super) until: Time,
}

/// What a port or link has carried since it was idle last.
#[derive(Clone, Default)]
pub struct Carried(VecDeque<Run>);

impl Carried {
    pub(super) fn add(&mut self, run: Run, since: Time) {
        while self.0.front().is_some_and(|first| first.until < since) || self.0.len() >= LONGEST {
            self.0.pop_front();
        }
        match self.0.back_mut() {
            Some(last) if last.until < run.from => self.0.clear(),
            Some(last) if (last.packet, last.channel) == (run.packet, run.channel) => {
                last.until = run.until;
                return;
            }
            _ => {}
        }
        self.0.push_back(run);
    }

    /// Cuts the wait of a packet, latest first.
    pub(super) fn cut(
        &self,
        packet: PacketId,
        channel: ChannelId,
        (ready, start): (Time, Time),
    ) -> impl Iterator<Item = Charge> {
        let others = self.0.iter().enumerate().rev().filter(move |(_, run)| run.packet != packet);
        let first = self.0.iter().position(|run| run.packet != packet);
        let mut until = start;
        others.map_while(move |(place, run)| {
            let left = until - ready;
            let takes = run.until - run.from;
            let time = if Some(place) == first { left } else { left.min(takes) };
            until -= time;
            let is_same = run.channel == channel;
            let cause = if is_same { Cause::OutputBusy } else { Cause::SharedWire };
            let charge = Charge { channel, culprit: run.class, cause, time };
            (time > 0).then_some(charge)
        })
    }
}
