//! Any kernel as a kernel: what is asked of it goes to the one that it is.

use super::{AnyKernel, Kind, dispatch};
use crate::error::Blocked;
use crate::event_queue::Subject;
use crate::fabric::act::Act;
use crate::fabric::kernel::{AtGate, Kernel, Queues, Traits};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::{Asker, Gate};
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Use;
use crate::time::Time;

impl Queues for AnyKernel {
    fn queue(&mut self, id: PacketId, act: &mut Act) {
        dispatch!(self, kernel => Queues::queue(kernel, id, act));
    }

    fn retry(&mut self, of: Subject, act: &mut Act) {
        dispatch!(self, kernel => Queues::retry(kernel, of, act));
    }

    fn is_settled(&self) -> bool {
        dispatch!(self, kernel => Queues::is_settled(kernel))
    }

    fn take_head(
        &mut self,
        of: Subject,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId {
        dispatch!(self, kernel => Queues::take_head(kernel, of, now, wiring, packets))
    }

    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId {
        dispatch!(self, kernel => Queues::take_tail(kernel, of, act))
    }

    fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        dispatch!(self, kernel => Queues::waiting_data(kernel, node, now))
    }

    fn used(&self, now: Time) -> Vec<Use> {
        dispatch!(self, kernel => Queues::used(kernel, now))
    }

    fn add_used(&self, now: Time, sums: &mut [Use]) {
        dispatch!(self, kernel => Queues::add_used(kernel, now, sums));
    }

    fn begin_window(&mut self, now: Time) {
        dispatch!(self, kernel => Queues::begin_window(kernel, now));
    }

    fn limit_replies(&mut self, limit: u32, answered_by: &[Option<u32>]) {
        dispatch!(self, kernel => Queues::limit_replies(kernel, limit, answered_by));
    }

    fn set_gate(&mut self, lead: ChannelId, gate: Gate) {
        dispatch!(self, kernel => Queues::set_gate(kernel, lead, gate));
    }

    fn standing_of_receiver(&self, node: NodeId) -> Option<(u32, u32, Time)> {
        dispatch!(self, kernel => Queues::standing_of_receiver(kernel, node))
    }

    fn drains_until(&mut self, node: NodeId, at: Time) {
        dispatch!(self, kernel => Queues::drains_until(kernel, node, at));
    }

    fn askers(
        &self,
        lead: ChannelId,
        wiring: &Wiring,
        packets: &PacketPool,
        askers: &mut Vec<Asker>,
    ) {
        dispatch!(self, kernel => Queues::askers(kernel, lead, wiring, packets, askers));
    }

    fn received(&mut self, message: MessageId, node: NodeId) {
        dispatch!(self, kernel => Queues::received(kernel, message, node));
    }
}

impl Kernel for AnyKernel {
    const HAS_CLOCK: bool = true;

    fn request(&mut self, from: Subject, act: &mut Act) {
        dispatch!(self, kernel => kernel.request(from, act));
    }

    fn arbitrate(&mut self, act: &mut Act) {
        dispatch!(self, kernel => kernel.arbitrate(act));
    }

    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = (usize, Time)>> {
        let ahead: Option<Vec<(usize, Time)>> =
            dispatch!(self, kernel => kernel.overhang(now).map(Iterator::collect));
        ahead.map(Vec::into_iter)
    }

    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked> {
        dispatch!(self, kernel => kernel.deadlock(now, wiring, packets))
    }

    fn traits(&self, wiring: &Wiring) -> Traits {
        dispatch!(self, kernel => kernel.traits(wiring))
    }

    fn engines(&self, wiring: &Wiring) -> Vec<ChannelId> {
        dispatch!(self, kernel => kernel.engines(wiring))
    }

    fn take_delivered(&mut self, of: Subject, act: &mut Act) -> (PacketId, Option<ChannelId>) {
        dispatch!(self, kernel => kernel.take_delivered(of, act))
    }

    fn last_channel(&self, of: Subject) -> Option<ChannelId> {
        dispatch!(self, kernel => kernel.last_channel(of))
    }

    fn next_time(&self) -> Time {
        dispatch!(self, kernel => kernel.next_time())
    }

    fn step(&mut self, act: &mut Act) -> u64 {
        dispatch!(self, kernel => kernel.step(act))
    }

    fn share(&mut self) -> bool {
        dispatch!(self, kernel => kernel.share())
    }

    fn renew(
        &mut self,
        like: &Self,
        crossed: &[ChannelId],
        past: &mut [Use],
        act: &mut Act,
    ) -> bool {
        dispatch!(self, kernel => kernel.renew(Kind::of(like), crossed, past, act))
    }

    fn has_gates(&self) -> bool {
        dispatch!(self, kernel => kernel.has_gates())
    }

    fn gate_cycle(&self) -> Time {
        dispatch!(self, kernel => kernel.gate_cycle())
    }

    fn changes_at_gates(&self) -> u64 {
        dispatch!(self, kernel => kernel.changes_at_gates())
    }

    fn at_gate(&self, lead: ChannelId, wiring: &Wiring) -> AtGate {
        dispatch!(self, kernel => kernel.at_gate(lead, wiring))
    }

    fn lets_cross(&mut self, lead: ChannelId, free_from: u64, wiring: &Wiring) {
        dispatch!(self, kernel => kernel.lets_cross(lead, free_from, wiring));
    }

    fn taken_until(&self, channel: ChannelId, now: Time) -> Time {
        dispatch!(self, kernel => kernel.taken_until(channel, now))
    }

    fn at_rest(&self, now: Time) -> Time {
        dispatch!(self, kernel => kernel.at_rest(now))
    }

    fn catch_up(&mut self, act: &mut Act) {
        dispatch!(self, kernel => kernel.catch_up(act));
    }
}
