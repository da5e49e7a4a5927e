//! Flits of one packet that start one behind the other.

use super::buffers::{Buffers, Run};
use super::deferring::tells_end;
use super::lane::Lane;
use super::{FlitsKernel, Pace};
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::switch::switchboard::first_flit;
use crate::ids::ChannelId;
use crate::time::{NEVER, Time};

impl FlitsKernel {
    /// A channel sends flits of its packet as far as it is known when they can start, if nobody
    /// else sends on its wire: those that start up to an instant, and at most so many; and if it
    /// starts, those that follow so much later without a break.
    pub(super) fn send_run(
        &mut self,
        channel: ChannelId,
        (until, ahead): (Time, Time),
        most: u32,
        act: &mut Act,
    ) {
        let lane = &self.board.channels[channel.index()];
        let (wire, input, is_awaited) = (lane.wire, lane.input, lane.is_awaited());
        let mut most = most.min(lane.unsent);
        let (free_at, is_of_one) = (self.wires.free_at(wire), self.wires.is_of_one(wire));
        let Some((lane, from)) = with_input(self.board.channels.as_mut_slice(), channel, input)
        else {
            return;
        };
        let pace = &self.paces[usize::from(lane.rate)];
        let (buffers, credit_ps) = (&mut self.buffers, self.credit_ps);
        let (header_at, tail_at) = (NEVER, NEVER);
        let mut sender = Sender {
            channel,
            lane,
            input,
            from,
            pace,
            buffers,
            credit_ps,
            free_at,
            is_of_one,
            header_at,
            tail_at,
        };
        let mut latest = None;
        while most > 0
            && let Some(starts) = sender.next_starts((until, ahead), most, act)
        {
            sender.start(starts, act);
            most -= starts.count;
            latest = Some(starts);
        }
        let Some(latest) = latest else { return };
        let Sender { lane, header_at, tail_at, .. } = sender;
        let (turn, id, free_at) = (lane.turn, lane.packet, lane.free_at);
        let not_started = if latest.last() > until { latest.count - 1 } else { 0 };
        let (is_internal, is_ending) = (lane.port.switch.is_some(), lane.is_ending());
        self.wires.sends(wire, turn, free_at, not_started);
        if header_at != NEVER {
            if is_internal && !is_ending {
                let asks_at = header_at + act.wiring.arbitration_ps;
                act.events.post(asks_at, Event::Request(channel.into()));
            } else if !is_internal {
                self.board.post_header(channel, id, header_at, act);
            }
        }
        if tail_at != NEVER {
            if !is_internal {
                self.board.post_tail(channel, id, tail_at, act);
            }
            self.wires.has_sent_all(wire, turn);
            self.board.leaves(channel, id, free_at, act);
            if act.is_observed() {
                self.observe_end(channel, act);
            }
        }
        if is_awaited {
            self.tell_waiting(channel, act.now);
        }
    }

    /// Somebody waited for a flit.
    #[inline(never)]
    fn tell_waiting(&mut self, channel: ChannelId, now: Time) {
        let lane = self.board.at_mut(channel);
        lane.set_awaited(false);
        for other in [lane.input, lane.output] {
            if other.is_some() {
                let wire = self.board.at(other).wire;
                self.wires.wake_anew(wire, now);
            }
        }
    }

    /// Somebody else begins to send on a wire: flits that would start from now on have not.
    pub(super) fn take_back(&mut self, wire: u32, act: &mut Act) {
        let (channel, free_at) = (self.wires.last(wire), self.wires.free_at(wire));
        let lane = &mut self.board.channels[channel.index()];
        let flit_ps = self.paces[usize::from(lane.rate)].flit_ps;
        let count = self.wires.ahead(wire).min(((free_at - act.now) / flit_ps) as u32);
        if count == 0 {
            return;
        }
        let time = Time::from(count) * flit_ps;
        let starts = Run { first: free_at - time, count, step: flit_ps as u32 };
        lane.unsent += count;
        lane.free_at = starts.first;
        lane.busy -= time;
        act.measures.takes_back(lane.port.kind, time);
        self.buffers.do_not_come(channel, lane, count);
        let (input, turn) = (lane.input, lane.turn);
        if input.is_some() {
            let from = &mut self.board.channels[input.index()];
            self.buffers.do_not_leave(input, from, starts);
        }
        self.wires.sends(wire, turn, starts.first, 0);
        self.wires.sends_again(wire, turn);
    }
}

/// A channel and, if its packet leaves a buffer, the one before that.
#[inline]
fn with_input(
    lanes: &mut [Lane],
    channel: ChannelId,
    input: ChannelId,
) -> Option<(&mut Lane, Option<&mut Lane>)> {
    if !input.is_some() {
        return lanes.get_mut(channel.index()).map(|lane| (lane, None));
    }
    let [lane, from] = lanes.get_disjoint_mut([channel.index(), input.index()]).ok()?;
    Some((lane, Some(from)))
}

/// A channel that sends flits of a packet, and what that changes.
struct Sender<'a> {
    channel: ChannelId,
    lane: &'a mut Lane,
    /// The buffer the packet leaves, if not that of its node.
    input: ChannelId,
    from: Option<&'a mut Lane>,
    pace: &'a Pace,
    buffers: &'a mut Buffers,
    credit_ps: Time,
    /// When its wire is free.
    free_at: Time,
    /// Whether nobody shares its wire.
    is_of_one: bool,
    /// When the header is at the end, and when the tail, if they have started now.
    header_at: Time,
    tail_at: Time,
}

impl Sender<'_> {
    /// When the next flits start, as many as are at equal distances and of the same kind, if it
    /// is known and not after an instant.
    #[inline]
    fn next_starts(&mut self, (until, ahead): (Time, Time), most: u32, act: &Act) -> Option<Run> {
        let lane = &mut *self.lane;
        let idle_at = self.free_at.max(lane.free_at).max(lane.starts_from);
        let past = idle_at.min(until);
        let mut free = Run::ANY;
        if lane.port.switch.is_some() {
            if lane.used == self.buffers.flits() {
                return None;
            }
            free = self.buffers.gather_places(self.channel, lane, past);
        }
        let mut there = Run::ANY;
        if let Some(from) = &mut self.from {
            if from.used == 0 {
                return None;
            }
            there = self.buffers.gather_flits(self.input, from, past);
        }
        let first = idle_at.max(free.first).max(there.first);
        if first > until {
            return None;
        }
        let pace = self.pace;
        let count = free.count.min(there.count).min(most);
        let run = Run { first, count, step: pace.flit_ps as u32 };
        if !lane.has_started() {
            let goes_on = ahead > 0 && pace.is_even && lane.header_unsent == 1 && count > 1;
            let count =
                if goes_on { self.ahead(run, (free, there), (until, ahead), act) } else { 1 };
            return Some(Run { count, ..run });
        }
        let alike = if lane.header_unsent > 0 {
            lane.header_unsent
        } else if pace.last_ps != pace.flit_ps && lane.unsent > 1 {
            lane.unsent - 1
        } else {
            count
        };
        let run = Run { count: count.min(alike), ..run };
        Some(if run.count == 1 { run } else { run.along(free, there, until) })
    }

    /// How many flits of a packet that starts follow each other without a break within so much
    /// time, whatever else happens but that somebody else begins to send on the wire
    /// ([`FlitsKernel::take_back`]): credits are there already, and that flits come is certain.
    #[inline]
    fn ahead(
        &self,
        run: Run,
        (free, there): (Run, Run),
        (until, ahead): (Time, Time),
        act: &Act,
    ) -> u32 {
        let is_told = tells_end(self.lane, act);
        if there.step > run.step || is_told && !self.is_of_one {
            return 1;
        }
        let step = Time::from(run.step);
        let is_certain = self.is_of_one && (self.from.is_none() || ahead == NEVER);
        let within = if is_certain { run.count } else { ((ahead - 1) / step + 1) as u32 };
        let count = run.count.min(within);
        let end = run.first + Time::from(count) * step;
        let has_credits = free.first + Time::from(count - 1) * Time::from(free.step) <= until;
        let goes_on = has_credits && act.measures.is_in_interval(self.lane.port.kind, end);
        if goes_on { count } else { 1 }
    }

    /// Flits start.
    #[inline]
    fn start(&mut self, starts: Run, act: &mut Act) {
        let (lane, pace, channel) = (&mut *self.lane, self.pace, self.channel);
        let kind = lane.port.kind;
        lane.unsent -= starts.count;
        let is_last = lane.unsent == 0;
        let mut time = if is_last { pace.last_ps } else { pace.flit_ps };
        if !lane.has_started() {
            lane.set_started(true);
            time = pace.first_ps;
            first_flit(channel, lane.packet, kind, starts.first, pace.hop_ps, act);
        }
        let mut kept = starts.first - lane.free_at;
        let mut busy = time;
        let end;
        if starts.count == 1 {
            end = starts.first + time;
            act.measures.transmits(kind, starts.first, end);
        } else {
            let others = Time::from(starts.count - 1);
            let between = Time::from(starts.step) - pace.flit_ps;
            kept += others * between;
            busy += others * pace.flit_ps;
            end = starts.last() + time;
            let each = (pace.flit_ps, starts.step.into());
            act.measures.transmits_in_turn(kind, (starts.first, end), each, busy);
        }
        (lane.free_at, self.free_at) = (end, end);
        lane.busy += busy;
        if kept > 0 {
            act.measures.kept(channel, kind, kept);
        }
        let is_internal = lane.port.switch.is_some();
        let after_ps = if is_internal { pace.delay_ps } else { pace.wire_ps };
        if lane.header_unsent > 0 {
            if lane.header_unsent <= starts.count {
                let behind = Time::from(starts.count - lane.header_unsent);
                self.header_at = end - behind * pace.flit_ps + after_ps;
            }
            lane.header_unsent = lane.header_unsent.saturating_sub(starts.count);
        }
        if is_last {
            self.tail_at = end + after_ps;
        }
        if is_internal {
            self.buffers.come(channel, lane, starts.after(time + pace.delay_ps));
        }
        if let Some(from) = &mut self.from {
            self.buffers.leave(self.input, from, starts.after(self.credit_ps));
        }
    }
}

impl Run {
    /// As many of these instants as none is before those of two others or after a last one; at
    /// the distances of those others, as long as they make up for no delay. The first must not be
    /// before theirs.
    #[inline]
    fn along(mut self, one: Self, other: Self, until: Time) -> Self {
        for limit in [one, other] {
            if limit.first == self.first {
                self.step = self.step.max(limit.step);
            }
        }
        for limit in [one, other] {
            if limit.step > self.step {
                let ahead = (self.first - limit.first) / Time::from(limit.step - self.step);
                self.count = self.count.min(ahead.min(Time::from(u32::MAX - 1)) as u32 + 1);
            }
        }
        if self.last() > until {
            self.count = ((until - self.first) / Time::from(self.step) + 1) as u32;
        }
        self
    }
}
