//! A twin of the fidelity `fluid`, from `docs/model.md`: at every event all rates are worked out
//! again, and everybody's next.
//!
//! It takes wires, ways and times of packets from the engine, and nothing else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tailback_engine::fabric::{End, Timing, Wiring};
use tailback_engine::ids::{ChannelId, NodeId};
use tailback_engine::measure::ChannelKind;
use tailback_engine::routing::Header;
use tailback_engine::spec::{MessageOrder, Mode, Spec, Workload};
use tailback_engine::time::Time;

type Packet = (usize, u32);

struct Flow {
    message: usize,
    node: usize,
    bytes: u32,
    since: Time,
    limit: i128,
    lanes: usize,
    /// The most it can have beside others of its message.
    most: i128,
    way: Vec<ChannelId>,
    links: Vec<ChannelId>,
    rate: i128,
    left: i128,
    free_at: Vec<Time>,
    through: Time,
}

struct Twin<'a> {
    wiring: &'a Wiring,
    mode: Mode,
    capacities: BTreeMap<ChannelId, i128>,
    flows: Vec<Flow>,
}

impl Twin<'_> {
    fn rate(&self, timing: &Timing) -> i128 {
        let fastest = self.wiring.timings.iter().map(|timing| timing.flit_ps).min().unwrap();
        ((i128::from(fastest) << 46) / i128::from(timing.flit_ps)).max(1)
    }

    /// What stands for the wires of a channel's group: the first of the first group on them.
    fn link(&self, channel: ChannelId) -> ChannelId {
        let layout = &self.wiring.layout;
        layout.group(layout.wire_of[layout.group(channel).first.index()]).first
    }

    fn add_capacities(&mut self) {
        let layout = &self.wiring.layout;
        for channel in (0..layout.channels()).map(ChannelId::from_index) {
            if layout.wire_of[channel.index()] == channel {
                let rate = self.rate(self.wiring.timing(channel));
                *self.capacities.entry(self.link(channel)).or_default() += rate;
            }
        }
        for node in 0..layout.receivers().len() as u32 {
            if let Some(rate) = self.drain_rate() {
                self.capacities.insert(drain(node), rate);
            }
        }
    }

    /// The rate at which nodes drain what comes, where they take time.
    fn drain_rate(&self) -> Option<i128> {
        let fastest = self.wiring.timings.iter().map(|timing| timing.flit_ps).min().unwrap();
        let takes = self.wiring.drain_ps(self.wiring.timings[0].flit_bytes());
        (takes > 0).then(|| ((i128::from(fastest) << 46) / i128::from(takes)).max(1))
    }

    fn begin(&mut self, (message, bytes): Packet, (node, to): (usize, u32), now: Time) {
        let (source, destination) = (NodeId::from_index(node), NodeId(to));
        let layout = &self.wiring.layout;
        let mut way = vec![layout.injection_lead(source)];
        while let End::Switch(switch) = layout.group(way[way.len() - 1]).end {
            let header = Header { source, destination, route: 0, traffic: 0 };
            way.push(self.wiring.first_lead(switch, header));
        }
        let limits = way.iter().map(|&c| self.rate(self.wiring.timing(c)));
        let limit = limits.chain(self.drain_rate()).min().unwrap();
        let internal = |c: &ChannelId| layout.group(*c).kind == ChannelKind::Internal;
        let shared: Vec<ChannelId> = match self.mode {
            Mode::Full => way.clone(),
            Mode::Endpoints => way.iter().copied().filter(|c| !internal(c)).collect(),
            Mode::Throttled => way.iter().copied().filter(internal).take(1).collect(),
            Mode::Free | Mode::Ideal => Vec::new(),
        };
        let widths = way.iter().map(|&c| self.capacities[&self.link(c)]).chain(self.drain_rate());
        let narrowest = widths.min().unwrap();
        let lanes = ((narrowest + limit - 1) / limit) as usize;
        let most = limit.min(narrowest / lanes as i128);
        let mut links: Vec<_> = shared.into_iter().map(|c| self.link(c)).collect();
        if matches!(self.mode, Mode::Full | Mode::Endpoints) && self.drain_rate().is_some() {
            links.push(drain(to));
        }
        let free_at = vec![0; way.len() + 1];
        let mut flow = Flow {
            message,
            node,
            bytes,
            since: now,
            limit,
            lanes,
            most,
            way,
            links,
            rate: 0,
            left: 0,
            free_at,
            through: 0,
        };
        flow.left = self.work(&flow);
        self.flows.push(flow);
    }

    /// How long a flow's packet takes on the slowest of its channels, or to be drained.
    fn slowest(&self, flow: &Flow) -> Time {
        let takes = flow.way.iter().map(|&c| self.wiring.timing(c).packet_ps(flow.bytes));
        takes.max().unwrap().max(self.wiring.drain_ps(flow.bytes))
    }

    fn work(&self, flow: &Flow) -> i128 {
        i128::from(self.slowest(flow)) * flow.limit
    }

    /// When a packet is delivered that starts at 0, and the first channels of which are free at
    /// these times.
    fn alone(&self, flow: &Flow, free_at: &mut [Time]) -> Time {
        let mut ready = 0;
        for (place, &channel) in flow.way.iter().enumerate() {
            let timing = self.wiring.timing(channel);
            let start = free_at[place].max(ready);
            free_at[place] = start + timing.packet_ps(flow.bytes);
            ready = if let Some(&next) = flow.way.get(place + 1) {
                start + self.wiring.onward_ps(timing, self.wiring.timing(next), flow.bytes)
            } else {
                let drained = start.max(free_at[place + 1]) + self.wiring.drain_ps(flow.bytes);
                drained.max(free_at[place] + timing.wire_ps)
            };
        }
        free_at[flow.way.len()] = ready;
        ready
    }

    /// Water-filling: all rates rise together.
    fn share(&mut self) {
        let mut links: BTreeMap<ChannelId, (i128, i128)> = BTreeMap::new();
        for (link, &capacity) in &self.capacities {
            let on = self.flows.iter().flat_map(|flow| flow.links.iter().map(move |c| (c, flow)));
            let wanted: i128 = on.filter(|(c, _)| *c == link).map(|(_, flow)| flow.most).sum();
            if wanted > capacity {
                links.insert(*link, (capacity, 0));
            }
        }
        for flow in &self.flows {
            for link in &flow.links {
                links.entry(*link).and_modify(|(_, flows)| *flows += 1);
            }
        }
        let mut rising: BTreeSet<usize> = (0..self.flows.len()).collect();
        while !rising.is_empty() {
            let rises = links.iter().filter(|(_, (_, flows))| *flows > 0);
            let levels = rises.map(|(link, (rest, flows))| (rest / flows, *link));
            let levels: Vec<_> = levels.collect();
            let limits = rising.iter().map(|&flow| self.flows[flow].most);
            let level = levels.iter().map(|(level, _)| *level).chain(limits).min().unwrap();
            let full: Vec<_> =
                levels.iter().filter(|(l, _)| *l == level).map(|(_, c)| *c).collect();
            let stops = |flow: &usize| {
                let flow = &self.flows[*flow];
                flow.most == level || flow.links.iter().any(|link| full.contains(link))
            };
            let stopped: Vec<usize> = rising.iter().copied().filter(stops).collect();
            for place in stopped {
                rising.remove(&place);
                self.flows[place].rate = level;
                for link in &self.flows[place].links {
                    links.entry(*link).and_modify(|(rest, flows)| {
                        *rest -= level;
                        *flows -= 1;
                    });
                }
            }
        }
    }
}

/// What stands for draining at a node.
fn drain(node: u32) -> ChannelId {
    ChannelId(u32::MAX - 1 - node)
}

fn through_at(flow: &Flow, now: Time) -> Time {
    let nearest = (flow.left.max(0) + flow.rate / 2) / flow.rate;
    now + nearest as Time
}

/// Message, start and end of every packet, in order.
pub fn deliveries(spec: &Spec, wiring: &Wiring) -> Vec<(u64, Time, Time)> {
    let Workload::Messages(list) = &spec.workload else { unreachable!() };
    let mut twin = Twin { wiring, mode: spec.mode, capacities: BTreeMap::new(), flows: Vec::new() };
    twin.add_capacities();
    let waits = matches!(spec.mode, Mode::Full | Mode::Endpoints);
    let in_order = waits && spec.machine.interface.message_order == MessageOrder::Fifo;
    // The queues of nodes, or of messages.
    let mut queues: Vec<VecDeque<Packet>> = vec![VecDeque::new(); 64];
    let queue_of = |message: usize| {
        if in_order { list.source[message] as usize } else { message }
    };
    let (mut row, mut now, mut rows) = (0, 0, Vec::new());
    loop {
        let due = list.time_ps.get(row).copied();
        let through = twin.flows.iter().map(|flow| through_at(flow, now)).min();
        let Some(next) = due.into_iter().chain(through).min() else { break };
        let ends: Vec<bool> = twin.flows.iter().map(|flow| through_at(flow, now) == next).collect();
        for flow in &mut twin.flows {
            flow.left -= flow.rate * i128::from(next - now);
        }
        now = next;
        let flows = std::mem::take(&mut twin.flows);
        let mut kept = Vec::new();
        for (mut flow, ends) in flows.into_iter().zip(ends) {
            if !ends {
                kept.push(flow);
                continue;
            }
            let slowest = twin.slowest(&flow);
            let alone = twin.alone(&flow, &mut vec![0; flow.way.len() + 1]) - slowest;
            let mut free_at = std::mem::take(&mut flow.free_at);
            let end = twin.alone(&flow, &mut free_at);
            flow.free_at = free_at;
            flow.through += slowest;
            let behind = (end - flow.through).max(alone);
            rows.push((flow.message as u64, flow.since, now + behind));
            let queue = &mut queues[queue_of(flow.message)];
            if let Some(&(message, bytes)) = queue.front()
                && message == flow.message
            {
                queue.pop_front();
                (flow.bytes, flow.since) = (bytes, now);
                flow.left += twin.work(&flow);
                kept.push(flow);
            }
        }
        twin.flows = kept;
        while list.time_ps.get(row) == Some(&now) {
            let mut left = list.bytes[row] as u32;
            loop {
                let bytes = left.min(spec.machine.interface.packet_bytes);
                queues[queue_of(row)].push_back((row, bytes));
                left -= bytes;
                if left == 0 {
                    break;
                }
            }
            row += 1;
        }
        for queue in &mut queues {
            while let Some(&(message, bytes)) = queue.front() {
                let (node, to) = (list.source[message] as usize, list.destination[message]);
                let own: Vec<&Flow> =
                    twin.flows.iter().filter(|flow| flow.message == message).collect();
                let most = own.first().map_or(1, |flow| flow.lanes);
                let of_node = twin.flows.iter().filter(|flow| flow.node == node).count();
                let width = wiring.layout.injection(NodeId::from_index(node)).width;
                let is_full = of_node >= usize::from(width) && own.is_empty();
                if own.len() >= most || in_order && is_full {
                    break;
                }
                queue.pop_front();
                twin.begin((message, bytes), (node, to), now);
            }
        }
        twin.share();
    }
    rows.sort_unstable();
    rows
}
