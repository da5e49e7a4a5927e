//! STOP and GO: the buffer at the end of a channel tells the sender to stop when it holds as many
//! flits as its high mark says, and to go on when it has come down to its low one.
//!
//! A flit counts from when it begins to arrive until it begins to leave. What arrives at an
//! instant counts before what leaves. Signals take as long as flits take on the wire; a sender
//! that has been told to stop starts no flit. Credits are not counted: those of a channel are
//! none while it is stopped, and else more than there will ever be flits.
//!
//! Flits of a channel are numbered, so that what the buffer holds when one begins to arrive is its
//! number less those that have left. That is an event only if it may matter: if more flits are under way
//! and in the buffer together, as the flit starts, than the high mark says, or if the sender has been
//! told to stop. A flit that starts with fewer cannot be the one that fills the buffer to the mark;
//! and if one before it were to be, that would have had fewer still.

use super::{Control, TokensKernel};
use crate::fabric::kernels::lines::{LineId, Lines, Mark, What};
use crate::fabric::network::wiring::Wiring;
use crate::ids::ChannelId;
use crate::spec::{Marks, Switch};
use crate::time::Time;

/// Credits of a channel that is not stopped.
pub(super) const GO: u32 = Switch::MOST_FLITS;

/// What the receiving ends of all channels need.
#[derive(Clone)]
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

/// The receiving end of a channel. Numbers of flits begin again at 0 after 2^32.
#[derive(Clone, Copy, Default)]
struct Gate {
    /// Flits that have started on the channel.
    started: u32,
    /// Flits that have left the buffer.
    left: u32,
    /// While it is shut: flits that have begun to arrive.
    entered: u32,
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
        let signals = |timing: &crate::fabric::network::timing::Timing| {
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

    /// A flit starts on a channel of a rate. If it matters when it begins to arrive: the line of that,
    /// and its number.
    #[inline]
    pub(super) fn starts(&mut self, channel: ChannelId, rate: usize) -> Option<(LineId, u32)> {
        let gate = &mut self.gates[channel.index()];
        gate.started = gate.started.wrapping_add(1);
        let ahead = gate.started.wrapping_sub(gate.left);
        let matters = ahead >= self.marks.stop_flits || gate.is_shut;
        matters.then(|| (self.signals[rate].enters, gate.started))
    }

    /// By channel: how much can be sent before something has to leave the buffer at its end, at
    /// most.
    pub(super) fn rooms(&self) -> Vec<u32> {
        let room = |gate: &Gate| {
            let ahead = gate.started.wrapping_sub(gate.left);
            if gate.is_shut { 0 } else { self.capacity.saturating_sub(ahead) }
        };
        self.gates.iter().map(room).collect()
    }

    #[inline]
    fn signals(&self, channel: ChannelId) -> &Signals {
        &self.signals[usize::from(self.rate_of[channel.index()])]
    }
}

impl TokensKernel {
    /// The flit of a number begins to arrive at a channel's end.
    #[inline]
    pub(super) fn enters(&mut self, channel: ChannelId, number: u32, now: Time) {
        let Control::StopGo(gates) = &mut self.control else { return };
        let gate = &mut gates.gates[channel.index()];
        gate.entered = number;
        let held = number.wrapping_sub(gate.left);
        debug_assert!(held <= gates.capacity, "the slack was checked");
        if held >= gates.marks.stop_flits && !gate.is_shut {
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
        gate.left = gate.left.wrapping_add(1);
        if gate.is_shut && gate.entered.wrapping_sub(gate.left) <= gates.marks.go_flits {
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
