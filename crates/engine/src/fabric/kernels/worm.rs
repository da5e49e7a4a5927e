//! Fidelity `worm`: the times of `flit`, packet by packet.
//!
//! The time of a flit on a channel depends on three earlier ones: the flit before
//! it, its own on the channel before, and that of the flit whose place in the next
//! buffer it takes. A packet's times on a channel are worked out as far as those
//! are known ([`WormKernel::advance`]), and further whenever one of them becomes known;
//! most packets take one step per channel. A time once known never changes.
//!
//! `grant.rs`: a packet gets a channel; `advance.rs`: what becomes known and what follows;
//! `straight.rs` and `recurrence.rs`: the times themselves, the easy ones and all others;
//! `known.rs` and `stretches.rs`: where they are kept; `delivery.rs`: packets that end in a
//! buffer, where nodes and switches are one. The rules are in `docs/model.md`.

mod accepts;
mod advance;
mod channel;
mod delivery;
mod grant;
mod known;
mod recurrence;
mod straight;
mod stretches;

pub use accepts::{accepts, accepts_network};

use crate::error::{Blocked, SpecError};
use crate::event_queue::{Event, Subject};
use crate::fabric::act::Act;
use crate::fabric::deadlock::{self, Needs, Standing};
use crate::fabric::kernel::{Kernel, Switched, Traits};
use crate::fabric::network::timing::Timing;
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Grants, Switchboard, has_board};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, PacketId};
use crate::measure::Use;
use crate::spec::Machine;
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use channel::Channel;
use stretches::{Ring, Stretches, is_reached};

/// The real network, worm by worm.
#[derive(Clone)]
pub struct WormKernel {
    pub board: Switchboard<Channel>,
    stretches: Stretches,
    /// By channel: times of flits that do not follow from its record.
    rings: Vec<Rings>,
    /// The times at the link's own rate.
    main: Timing,
    /// The times at all rates.
    rates: Vec<Timing>,
    /// By channel: its place in `rates`; empty where there is only one, and the last
    /// flit of a packet is not longer than others.
    rate_of: Vec<u16>,
    /// Flits an input buffer holds.
    buffer: u32,
    /// Whether it has no bounds.
    is_unbounded: bool,
    credit_delay: Time,
    /// Channels whose owner may know more.
    stale: Vec<ChannelId>,
    /// Nodes' lists whose next packets may ask when all outputs have chosen.
    heads: Vec<ChannelId>,
    /// Whether credits may come back less than a flit apart.
    credits_crowd: bool,
    /// Whether routing asks how many flits channels hold.
    weighs: bool,
}

/// Times of flits that are not those of a packet that goes straight.
///
/// Of packets before the latest, only times that may still lie ahead are kept.
#[derive(Clone, Copy, Default)]
struct Rings {
    /// When flits start on the channel.
    starts: Ring,
    /// When the places of flits in the buffer at its end may be used again.
    credits: Ring,
}

impl WormKernel {
    /// An empty network.
    ///
    /// # Errors
    /// Flits too long for the way times are kept.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let buffer = machine.switch.input_buffer();
        let rates = wiring.timings.clone();
        check(&rates)?;
        let layout = &wiring.layout;
        let board = Switchboard::new(machine, topology, wiring, seed, |_, port, rest| {
            Channel::idle(port, rest, buffer)
        });
        let rate_of = layout.group_of.iter().map(|group| layout.groups[group.index()].rate);
        let is_simple = wiring.is_uniform() && rates[0].last_ps <= rates[0].flit_ps;
        Ok(Self {
            rings: vec![Rings::default(); board.channels.len()],
            credits_crowd: rates[0].last_ps < rates[0].flit_ps || board.lists.are_used(),
            weighs: wiring.routing.weighs(),
            board,
            stretches: Stretches::default(),
            main: rates[0],
            rates,
            rate_of: if is_simple { Vec::new() } else { rate_of.collect() },
            buffer,
            is_unbounded: machine.switch.is_unbounded(),
            credit_delay: machine.link.credit_delay_ps,
            stale: Vec::new(),
            heads: Vec::new(),
        })
    }

    #[inline]
    fn rate(&self, channel: ChannelId) -> &Timing {
        match self.rate_of.get(channel.index()) {
            Some(&rate) => &self.rates[usize::from(rate)],
            None => &self.main,
        }
    }

    /// The front packet of a channel's buffer asks for its output.
    // Inlined into its callers, of which one is called with every hop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    pub(in crate::fabric) fn asks(&mut self, channel: ChannelId, act: &mut Act) {
        if act.wiring.routing.weighs() {
            let now = act.now;
            self.board.decide(channel, act, |channel| self.held(channel, now));
            self.board.redirect(channel, act);
        }
        let lead = self.board.at(channel).port.front_output;
        let output = self.board.at(lead);
        let (is_alone, is_idle) = (output.port.width == 1, output.is_idle(act.now));
        let is_closed = output.port.is_closed();
        if is_alone
            && is_idle
            && !output.port.first_waiting.is_some()
            && !is_closed
            && self.board.arbiter.takes_first()
        {
            // Requests of one instant come in order of channel number: this is the best.
            let id = self.board.at(channel).port.buffer.first;
            return self.grant(lead, id, channel, act);
        }
        let (is_released, at) = (!output.owner.is_some(), output.since);
        if act.is_observed() {
            self.board.observe_request(channel, act);
        }
        if self.board.has_reply_places() && self.board.lacks_reply_place(channel, act.now, act) {
            return self.board.mark(lead);
        }
        self.board.wait(channel, act.packets);
        if !is_alone || is_idle || self.board.choices.is_some() {
            self.board.mark(lead);
        } else if is_released {
            self.board.post_retry(lead, at, act.events);
        }
    }

    /// Whether a credit for the next flit was made before this instant and is there.
    fn has_credit(&self, id: ChannelId, now: Time) -> bool {
        let channel = self.board.at(id);
        if !channel.port.switch.is_some() {
            return true;
        }
        self.credit_counts(id, channel.next_flit().wrapping_sub(self.buffer), now)
    }

    /// Whether the credit of a place was made before this instant and is there.
    #[inline]
    fn credit_counts(&self, id: ChannelId, place: u32, now: Time) -> bool {
        if is_reached(self.board.at(id).departed, place) {
            return false;
        }
        let back = self.credit_back(id, place);
        back < now || back == now && self.credit_delay > 0
    }

    /// How things stand at every channel, as far as times are known: what is known to
    /// happen later counts as done.
    fn standings(&self) -> Vec<Standing> {
        let standing = |channel: &Channel| {
            let sent = channel.base.wrapping_add(channel.known);
            Standing {
                owner: channel.owner,
                unsent: (channel.flits - channel.known).into(),
                room: channel.departed.wrapping_add(self.buffer).wrapping_sub(sent).into(),
                shut: false,
                output: channel.output,
                front: channel.port.buffer.first,
            }
        };
        self.board.channels.iter().map(standing).collect()
    }

    fn ahead(&self, id: ChannelId, now: Time) -> Time {
        let (channel, rate) = (self.board.at(id), self.rate(id));
        let flits = (0..channel.known).rev();
        let ahead = flits.map(|flit| {
            let start = self.start(id, channel.base.wrapping_add(flit));
            let takes = if flit + 1 == channel.flits { rate.last_ps } else { rate.flit_ps };
            (start + takes).saturating_sub(now).min(takes)
        });
        ahead.take_while(|&time| time > 0).sum()
    }
}

has_board!(WormKernel, Channel in board);

impl Switched for WormKernel {
    /// A packet enters its node's output queue; the first of a list asks when it may.
    #[inline]
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        self.board.queue(id, act.wiring, act.packets, act.now, act.measures);
        if self.board.lists.are_used() {
            let list = act.wiring.layout.injection_lead(act.packets[id].source);
            if self.board.at(list).port.buffer.first == id {
                act.events.post(act.packets[id].ready, Event::Request(list.into()));
            }
        }
    }

    /// A group that had to wait looks again: every request of this instant is known.
    #[inline]
    fn retry(&mut self, of: Subject, act: &mut Act) {
        let lead = of.channel();
        self.board.forget_retry(lead, act.now);
        if self.board.has_reply_places() {
            // Not every one is: some may get places for replies now.
            return self.board.mark(lead);
        }
        let kind = self.board.at(lead).port.kind;
        self.serve(lead, kind, act);
    }

    #[inline]
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        let channel = of.channel();
        if self.board.lists.are_used() {
            self.take_out(channel, act)
        } else {
            self.board.take_tail(channel, act)
        }
    }
}

impl Kernel for WormKernel {
    #[inline]
    fn prefetch(
        &self,
        events: impl Iterator<Item = Event> + Clone,
        packets: &PacketPool,
        _: &Wiring,
    ) {
        self.board.prefetch(events, packets);
    }

    #[inline]
    fn request(&mut self, of: Subject, act: &mut Act) {
        self.asks(of.channel(), act);
    }

    /// Every group marked at this instant grants what it can. Then those ask that have come
    /// to the front of a list by this: no two of the same switch.
    #[inline]
    fn arbitrate(&mut self, act: &mut Act) {
        if self.board.has_reply_places() {
            self.board.ask_with_places(act);
        }
        loop {
            while let Some((lead, kind)) = self.board.next_marked() {
                self.serve(lead, kind, act);
            }
            let Some(list) = self.heads.pop() else { return };
            self.list_asks(list, act);
        }
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        self.board.renew(&like.board, crossed, past, act.wiring)
    }

    fn has_gates(&self) -> bool {
        true
    }

    fn taken_until(&self, channel: ChannelId, _: Time) -> Time {
        let channel = self.board.at(channel);
        if channel.owner.is_some() { NEVER } else { channel.since }
    }

    /// For every channel, transmission already counted that lies after `now`: of its
    /// latest packet, as no other is granted before that has been sent.
    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let numbers = 0..self.board.channels.len();
        Some(numbers.map(move |number| (number, self.ahead(ChannelId::from_index(number), now))))
    }

    fn deadlock(&self, _: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        let nodes = self.board.nodes_with_groups(wiring);
        deadlock::find_with_nodes(wiring, packets, (&self.standings(), &nodes), Needs::Flit)
    }

    fn traits(&self, _: &Wiring) -> Traits {
        let (lists, receives) = (self.board.lists.end(), self.board.has_receivers());
        let in_order = lists == 0;
        Traits { stretches: true, lists, receives, in_order, ..Traits::default() }
    }
}

/// Refuses what does not fit the way times are kept.
fn check(rates: &[Timing]) -> Result<(), SpecError> {
    for rate in rates {
        if u32::try_from(rate.flit_ps).is_err() {
            let allowed = "must give flits of at most 4 ms with fidelity worm; use flit";
            return Err(SpecError::new("machine.link.flit_ps", rate.flit_ps, allowed));
        }
    }
    Ok(())
}
