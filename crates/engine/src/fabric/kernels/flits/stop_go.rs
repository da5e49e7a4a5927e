//! STOP and GO: the buffer at the end of a channel tells the sender to stop when it holds as many
//! flits as its high mark says, and to go on when it has come down to its low one.
//!
//! A flit counts from when it begins to arrive until it begins to leave. What arrives at an
//! instant counts before what leaves. Signals take as long as flits take on the wire; a sender
//! that has been told to stop starts no flit.
//!
//! Flits of a channel are numbered, so that what the buffer holds when one begins to arrive is its
//! number less those that have left. That is an event only if it may matter: if more flits are under way
//! and in the buffer together, as the flit starts, than the high mark says, or if the sender has been
//! told to stop. A flit that starts with fewer cannot be the one that fills the buffer to the mark;
//! and if one before it were to be, that would have had fewer still.

use super::{FlitsKernel, What};
use crate::fabric::act::Act;
use crate::fabric::kernels::lines::{LineId, Lines, Mark};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::ids::ChannelId;
use crate::spec::{FlowControl, Machine, Marks};
use crate::time::{NEVER, Time};

/// What the receiving ends of all channels need.
#[derive(Clone)]
pub struct Gates {
    marks: Marks,
    /// Flits a buffer holds.
    capacity: u32,
    /// By channel.
    gates: Vec<Gate>,
    /// By rate.
    signals: Vec<Signals>,
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
    /// Those of a machine, if it has any.
    pub fn new(machine: &Machine, wiring: &Wiring, lines: &mut Lines<What>) -> Option<Self> {
        let FlowControl::StopGo(marks) = machine.link.flow_control else { return None };
        let signals = |timing: &Timing| {
            // Without a delay there are nodes at the ends, if it is any channel's at all.
            let delay = timing.wire_ps.max(1);
            let [enters, stop, go] =
                [What::Enters, What::Stop, What::Go].map(|what| lines.line(delay, what));
            Signals { enters, stop, go }
        };
        Some(Self {
            marks,
            capacity: machine.switch.input_buffer(),
            gates: vec![Gate::default(); wiring.layout.channels()],
            signals: wiring.timings.iter().map(signals).collect(),
        })
    }

    /// More flits than can have started on a channel and not left the buffer at its end: what that
    /// holds, and what is on the wire.
    pub fn most_flits(&self, wiring: &Wiring) -> u32 {
        let on_wire = |timing: &Timing| {
            let flit = timing.first_ps.min(timing.flit_ps).min(timing.last_ps);
            timing.wire_ps.div_ceil(flit.max(1)) + 1
        };
        let most: Time = wiring.timings.iter().map(on_wire).max().unwrap_or(0);
        self.capacity.saturating_add(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// How much can be sent on a channel before something has to leave the buffer at its end, at
    /// most.
    pub fn room(&self, channel: ChannelId) -> u32 {
        let gate = &self.gates[channel.index()];
        let ahead = gate.started.wrapping_sub(gate.left);
        if gate.is_shut { 0 } else { self.capacity.saturating_sub(ahead) }
    }
}

impl FlitsKernel {
    /// A flit starts on a channel and leaves the buffer it was in, if any.
    #[inline(never)]
    pub(super) fn counts(&mut self, channel: ChannelId, input: ChannelId, act: &Act) {
        let Some(gates) = &mut self.gates else { return };
        let lane = self.board.at(channel);
        if lane.port.switch.is_some() {
            let gate = &mut gates.gates[channel.index()];
            gate.started = gate.started.wrapping_add(1);
            let ahead = gate.started.wrapping_sub(gate.left);
            if ahead >= gates.marks.stop_flits || gate.is_shut {
                let line = gates.signals[usize::from(lane.rate)].enters;
                let mark = Mark { number: gate.started, ..Mark::default() };
                self.lines.post(line, act.now, channel, mark);
            }
        }
        if input.is_some() {
            let gate = &mut gates.gates[input.index()];
            gate.left = gate.left.wrapping_add(1);
            if gate.is_shut && gate.entered.wrapping_sub(gate.left) <= gates.marks.go_flits {
                gate.is_shut = false;
                let line = gates.signals[usize::from(self.board.at(input).rate)].go;
                self.lines.post(line, act.now, input, Mark::default());
            }
        }
    }

    /// The flit of a number begins to arrive at a channel's end.
    #[inline]
    pub(super) fn enters(&mut self, channel: ChannelId, number: u32, now: Time) {
        let Some(gates) = &mut self.gates else { return };
        let gate = &mut gates.gates[channel.index()];
        gate.entered = number;
        let held = number.wrapping_sub(gate.left);
        debug_assert!(held <= gates.capacity, "the slack was checked");
        if held >= gates.marks.stop_flits && !gate.is_shut {
            gate.is_shut = true;
            let line = gates.signals[usize::from(self.board.at(channel).rate)].stop;
            self.lines.post(line, now, channel, Mark::default());
        }
    }

    /// A channel has been told to stop.
    #[inline]
    pub(super) fn stops(&mut self, channel: ChannelId) {
        let lane = self.board.at_mut(channel);
        lane.set_stopped(true);
        let turn = lane.turn as usize;
        self.wires.set_ready(turn, NEVER);
        if self.observing.is_some() {
            self.wires.set_told(turn, NEVER);
        }
    }

    /// A channel has been told to go on.
    #[inline]
    pub(super) fn goes(&mut self, channel: ChannelId, act: &mut Act) {
        let lane = self.board.at_mut(channel);
        lane.set_stopped(false);
        lane.starts_from = lane.starts_from.max(act.now);
        self.may_send(channel, act);
    }
}
