//! STOP and GO: the buffer at the end of a channel tells the sender to stop when it holds as many
//! flits as its high mark says, and to go on when it has come down to its low one.
//!
//! A flit counts from when it begins to arrive until it begins to leave. What arrives at an
//! instant counts before what leaves. Signals take as long as flits take on the wire; a sender
//! that has been told to stop starts no flit. Credits are not counted: those of a channel are
//! none while it is stopped, and else more than there will ever be flits.

use super::lines::{LineId, Lines, Mark, What};
use super::{Control, FlitFabric};
use crate::fabric::Wiring;
use crate::ids::ChannelId;
use crate::spec::{Marks, Switch};
use crate::time::Time;

/// Credits of a channel that is not stopped.
pub(super) const GO: u32 = Switch::MOST_FLITS;

/// What the receiving ends of all channels need.
pub(super) struct Gates {
    marks: Marks,
    /// Flits a buffer holds.
    capacity: u32,
    /// By channel.
    gates: Vec<Gate>,
    /// By rate.
    signals: Vec<Signals>,
    /// By channel: its place in `signals`.
    rate_of: Vec<u16>,
}

/// The receiving end of a channel.
#[derive(Clone, Copy, Default)]
struct Gate {
    /// Flits in the buffer, those that arrive just now included.
    held: u32,
    /// Whether the last it said was STOP.
    is_shut: bool,
}

/// Where it is noted what happens at the ends of channels of one rate.
#[derive(Clone, Copy)]
struct Signals {
    /// Flits begin to arrive.
    enters: LineId,
    stop: LineId,
    go: LineId,
}

impl Gates {
    /// Empty buffers that hold so many flits.
    pub(super) fn new(marks: Marks, capacity: u32, wiring: &Wiring, lines: &mut Lines) -> Self {
        let layout = &wiring.layout;
        let signals = |timing: &crate::fabric::Timing| {
            // Without a delay there are nodes at the ends, if it is any channel's at all.
            let delay = timing.wire_ps.max(1);
            let [enters, stop, go] =
                [What::Enters, What::Stop, What::Go].map(|what| lines.line(delay, what));
            Signals { enters, stop, go }
        };
        Self {
            marks,
            capacity,
            gates: vec![Gate::default(); layout.channels()],
            signals: wiring.timings.iter().map(signals).collect(),
            rate_of: layout.group_of.iter().map(|g| layout.groups[g.index()].rate).collect(),
        }
    }

    /// The line on which flits begin to arrive that are sent at a rate.
    #[inline]
    pub(super) fn enter_line(&self, rate: usize) -> LineId {
        self.signals[rate].enters
    }

    /// By channel: how much can be sent before something has to leave the buffer at its end, at
    /// most.
    pub(super) fn rooms(&self) -> Vec<u32> {
        let room = |gate: &Gate| if gate.is_shut { 0 } else { self.capacity - gate.held };
        self.gates.iter().map(room).collect()
    }

    #[inline]
    fn signals(&self, channel: ChannelId) -> &Signals {
        &self.signals[usize::from(self.rate_of[channel.index()])]
    }
}

impl FlitFabric {
    /// A flit begins to arrive at a channel's end.
    #[inline]
    pub(super) fn enters(&mut self, channel: ChannelId, now: Time) {
        let Control::StopGo(gates) = &mut self.control else { return };
        let gate = &mut gates.gates[channel.index()];
        gate.held += 1;
        debug_assert!(gate.held <= gates.capacity, "the slack was checked");
        if gate.held >= gates.marks.stop_flits && !gate.is_shut {
            gate.is_shut = true;
            let line = gates.signals(channel).stop;
            self.lines.post(line, now, channel, Mark::default());
        }
    }

    /// A flit begins to leave the buffer at a channel's end.
    #[inline]
    pub(super) fn leaves(&mut self, channel: ChannelId, now: Time) {
        let Control::StopGo(gates) = &mut self.control else { return };
        let gate = &mut gates.gates[channel.index()];
        gate.held -= 1;
        if gate.is_shut && gate.held <= gates.marks.go_flits {
            gate.is_shut = false;
            let line = gates.signals(channel).go;
            self.lines.post(line, now, channel, Mark::default());
        }
    }

    /// A channel has been told to stop.
    #[inline]
    pub(super) fn stops(&mut self, channel: ChannelId) {
        self.board.at_mut(channel).credits = 0;
    }

    /// A channel has been told to go on.
    #[inline]
    pub(super) fn goes(&mut self, channel: ChannelId) {
        self.board.at_mut(channel).credits = GO;
        self.wake(channel);
    }
}
