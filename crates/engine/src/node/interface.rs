//! What a node's interface does for a process that is written outside: operations and their
//! completion flags, receives and the messages they take, comparators, system buffers.
//!
//! [Buzzard & Mudge 1988], sections 2 and 4. Times of packets are the node's business, in
//! `commands.rs`; here nothing takes time.

mod arrival;
mod station;
mod words;

pub use arrival::{Heard, Told, Transfer};
pub use station::Buffers;

use super::message::Message;
use crate::ids::{ArrivalId, MessageId, NodeId, PacketId, ProcessId};
use crate::pool::Pool;
use crate::rare::rarely;
use crate::topology::{Topology, Tree};
use crate::workload::{Filter, Until, Wait, Workload};
use arrival::Arrival;
use station::{Operation, Site, Station};

/// The interfaces of all nodes; none where no process comes from outside.
#[derive(Default)]
pub struct Interface {
    /// By process.
    pub(super) stations: Vec<Station>,
    /// By place of a message: what its way needs to be known of it.
    pub(super) transfers: Vec<Transfer>,
    arrivals: Pool<ArrivalId, Arrival>,
    /// Whether every node has such a process, of its own number: then broadcasts are passed on
    /// along trees of the network.
    pub(super) is_everywhere: bool,
    /// Per root, once it has broadcast.
    trees: Vec<Option<Box<Tree>>>,
    /// Who waits for the start of a packet that has not been granted a channel.
    pub(super) watched: Vec<ProcessId>,
}

impl Interface {
    /// Idle interfaces of processes on these nodes.
    pub fn new(workload: &Workload, placement: &[NodeId], topology: &Topology) -> Self {
        if !workload.has_external() {
            return Self::default();
        }
        let mut stations: Vec<_> = placement.iter().map(|_| Station::default()).collect();
        for (first, external) in workload.externals() {
            let comparators = external.comparators.unwrap_or(topology.degree() as u32);
            for place in first as usize..first as usize + external.count() {
                stations[place].site = Some(Site { node: placement[place], first, comparators });
            }
        }
        let is_at = |(number, node): (usize, &NodeId)| {
            node.index() == number && stations[number].site.is_some()
        };
        let is_everywhere = placement.len() == topology.nodes
            && placement.iter().enumerate().all(is_at)
            && workload.externals().count() == 1;
        Self {
            stations,
            transfers: Vec::new(),
            arrivals: Pool::default(),
            is_everywhere,
            trees: vec![None; topology.nodes],
            watched: Vec::new(),
        }
    }

    /// Whether there are any.
    #[inline]
    pub fn serves(&self) -> bool {
        rarely(!self.stations.is_empty())
    }

    /// Whether a process comes from outside.
    #[inline]
    pub fn is_for(&self, process: ProcessId) -> bool {
        self.stations.get(process.index()).is_some_and(|station| station.site.is_some())
    }

    /// The system buffers of so many nodes; none where no process comes from outside.
    pub fn buffers(&self, nodes: usize) -> Vec<Buffers> {
        let mut buffers = vec![Buffers::default(); if self.serves() { nodes } else { 0 }];
        for station in &self.stations {
            if let Some(site) = station.site {
                buffers[site.node.index()] = station.buffers;
            }
        }
        buffers
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self) {
        for station in &mut self.stations {
            station.buffers.most = station.buffers.used;
        }
    }

    /// The tree along which a root's broadcasts are passed on.
    pub fn tree(&mut self, root: NodeId, topology: &Topology) -> &Tree {
        let make = || Box::new(Tree::new(topology, root));
        self.trees[root.index()].get_or_insert_with(make)
    }

    /// Notes what has to be known of a message.
    pub fn note(&mut self, id: MessageId, transfer: Transfer) {
        if id.index() >= self.transfers.len() {
            self.transfers.resize(id.index() + 1, transfer);
        }
        self.transfers[id.index()] = transfer;
    }

    /// A process sends so many copies; the number of the operation.
    pub fn send(&mut self, process: ProcessId, copies: u32) -> u32 {
        let operation = Operation::Send { open: copies, has_begun: false, first: MessageId::NONE };
        self.stations[process.index()].begin(operation)
    }

    /// The first copy of a process' latest operation is this message.
    pub fn first_copy(&mut self, process: ProcessId, id: MessageId) {
        let latest = self.stations[process.index()].operations.back_mut();
        if let Some(Operation::Send { first, .. }) = latest {
            *first = id;
        }
    }

    /// The first packet of a message has been queued.
    pub fn queued(&mut self, id: MessageId, packet: PacketId) {
        self.transfers[id.index()].first_packet = packet;
    }

    /// The packet whose start a process waits for, if it is not known to have started.
    pub fn awaited_packet(&self, process: ProcessId) -> Option<PacketId> {
        let station = &self.stations[process.index()];
        let wait = station.wait.filter(|wait| wait.until == Until::InProgress)?;
        match station.operation(wait.operation) {
            Operation::Send { has_begun: false, first, .. } if first.is_some() => {
                Some(self.transfers[first.index()].first_packet).filter(|packet| packet.is_some())
            }
            _ => None,
        }
    }

    /// The first packet of the send that a process waits for has begun its way.
    pub fn sets_out(&mut self, process: ProcessId) {
        let station = &mut self.stations[process.index()];
        if let Some(wait) = station.wait {
            station.sets_out(wait.operation);
        }
    }

    /// The first packet of a copy that its source sent has left it, without a network; the
    /// source, if it can go on.
    pub fn departs(&mut self, id: MessageId, message: &Message) -> Option<ProcessId> {
        let operation = self.transfers[id.index()].operation;
        self.stations[message.from.index()].sets_out(operation);
        self.settle(message.from)
    }

    /// The first packet of a message of a process has been queued: its start may be waited for.
    pub fn watch_again(&mut self, process: ProcessId) {
        let waits = self.stations[process.index()].wait;
        if waits.is_some_and(|wait| wait.until == Until::InProgress)
            && !self.watched.contains(&process)
        {
            self.watched.push(process);
        }
    }

    /// A copy that its source sent itself has been acknowledged; the source, if it can go on.
    pub fn acknowledged(&mut self, id: MessageId, message: &Message) -> Option<ProcessId> {
        let station = &mut self.stations[message.from.index()];
        if message.from_node != station.site().node {
            return None;
        }
        let number = self.transfers[id.index()].operation;
        if let Some(Operation::Send { open, .. }) = station.operation_mut(number) {
            *open -= 1;
            if *open == 0 {
                station.ends(number);
            }
        }
        self.settle(message.from)
    }

    /// A process is ready for a message: it takes the oldest there is.
    pub fn receive(&mut self, process: ProcessId, filter: Filter) {
        let station = &mut self.stations[process.index()];
        let number = station.begin(Operation::Receive { filter, arrival: ArrivalId::NONE });
        let arrivals = &mut self.arrivals;
        let fits =
            |&id: &ArrivalId| filter.takes(arrivals[id].heard.source, arrivals[id].heard.tag);
        let Some(place) = station.arrivals.iter().position(fits) else {
            station.receives.push_back(number);
            return;
        };
        if let Some(id) = station.arrivals.remove(place) {
            if filter.has_buffer {
                // What is there is moved, the rest goes to the process' buffer at once.
                station.buffers.free(arrivals[id].heard.bytes);
            }
            station.takes(number, id);
            arrivals[id].receive = Some(number);
        }
    }

    /// A message begins to arrive: a comparator follows it, if one is free, and the oldest
    /// receive that can takes it. Its process, if it can go on.
    pub fn arrives(&mut self, id: MessageId, message: &Message) -> Option<ProcessId> {
        let site = self.stations[message.to.index()].site();
        let heard = Heard {
            source: NodeId(message.from.0 - site.first),
            tag: message.tag,
            bytes: message.bytes,
            arrived: 0,
            operation: self.transfers[id.index()].operation,
        };
        let station = &mut self.stations[message.to.index()];
        let is_followed = station.following < site.comparators;
        station.following += u32::from(is_followed);
        let receive = station.take_receive(heard.source, heard.tag);
        let arrival = Arrival {
            heard,
            is_followed,
            is_complete: false,
            receive: receive.map(|(number, _)| number),
        };
        let place = self.arrivals.insert(|_| arrival);
        self.transfers[id.index()].arrival = place;
        match receive {
            Some((number, _)) => station.takes(number, place),
            None => station.arrivals.push_back(place),
        }
        if !receive.is_some_and(|(_, filter)| filter.has_buffer) {
            station.buffers.take(message.bytes);
        }
        self.settle(message.to)
    }

    /// A packet has been delivered; the process that receives it, if it can go on.
    pub fn delivered(&mut self, id: MessageId, message: &Message, bytes: u32) -> Option<ProcessId> {
        let transfer = &mut self.transfers[id.index()];
        self.arrivals[transfer.arrival].heard.arrived += u64::from(bytes);
        if transfer.first_packet.is_some() {
            // With several links it need not have been the first that was delivered.
            transfer.first_packet = PacketId::NONE;
            let station = &mut self.stations[message.from.index()];
            if message.from_node == station.site().node {
                station.sets_out(transfer.operation);
            }
        }
        self.settle(message.to)
    }

    /// A message is there completely; its process, if it can go on.
    pub fn complete(&mut self, id: MessageId, message: &Message) -> Option<ProcessId> {
        let arrival = &mut self.arrivals[self.transfers[id.index()].arrival];
        arrival.heard.arrived = arrival.heard.bytes;
        arrival.is_complete = true;
        self.stations[message.to.index()].following -= u32::from(arrival.is_followed);
        self.settle(message.to)
    }

    /// If what a process waits for has been reached, it waits no more; the process then.
    pub fn settle(&mut self, process: ProcessId) -> Option<ProcessId> {
        let wait = self.stations[process.index()].wait?;
        self.is_reached(process, wait).then(|| {
            let station = &mut self.stations[process.index()];
            station.wait = None;
            station.waited = Some(wait.operation);
            process
        })
    }

    fn is_reached(&self, process: ProcessId, wait: Wait) -> bool {
        match self.stations[process.index()].operation(wait.operation) {
            _ if wait.until == Until::Now => true,
            Operation::Over => true,
            Operation::Send { has_begun, .. } => wait.until == Until::InProgress && has_begun,
            Operation::Receive { arrival, .. } if !arrival.is_some() => false,
            Operation::Receive { arrival, .. } => {
                let Arrival { heard, is_followed, is_complete, .. } = self.arrivals[arrival];
                is_complete
                    || is_followed
                        && match wait.until {
                            Until::Now | Until::InProgress => true,
                            Until::Bytes(bytes) => heard.arrived >= bytes,
                            Until::Complete => false,
                        }
            }
        }
    }

    /// How far the operation has come that a process waited for before it asked.
    pub fn told(&self, process: ProcessId) -> Option<Told> {
        let station = &self.stations[process.index()];
        let operation = station.waited?;
        let (flag, message) = match station.operation(operation) {
            Operation::Over => (3, None),
            Operation::Send { has_begun, .. } => (u8::from(has_begun), None),
            Operation::Receive { arrival, .. } if !arrival.is_some() => (0, None),
            Operation::Receive { arrival, .. } => {
                let arrival = &self.arrivals[arrival];
                let flag = if arrival.is_complete { 3 } else { u8::from(arrival.is_followed) };
                (flag, Some(arrival.heard))
            }
        };
        Some(Told { operation, flag, message })
    }

    /// A process was told: a complete receive is over but for its system buffer.
    pub fn was_told(&mut self, process: ProcessId) {
        let station = &mut self.stations[process.index()];
        let Some(number) = station.waited.take() else { return };
        let Operation::Receive { filter, arrival } = station.operation(number) else { return };
        if arrival.is_some() && self.arrivals[arrival].is_complete {
            let bytes = self.arrivals.remove(arrival).heard.bytes;
            if !filter.has_buffer {
                station.held.insert(number, bytes);
            }
            station.ends(number);
        }
    }

    /// Takes the system buffer of a receive from the process: its bytes, if it had it.
    pub fn take_buffer(&mut self, process: ProcessId, operation: u32) -> Option<u64> {
        self.stations[process.index()].held.remove(&operation)
    }

    /// So many bytes of system buffers are given back.
    pub fn release(&mut self, process: ProcessId, bytes: u64) {
        self.stations[process.index()].buffers.free(bytes);
    }
}
