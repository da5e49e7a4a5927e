//! What messages cost in software: jobs of CPUs before and after they cross the network.

use super::piece::{Blamed, Part, Piece, Who, push};
use super::rows::Doing;
use super::state::Causes;
use super::way::{Prepared, Standing};
use crate::ids::{ChannelId, InstantId, MessageId, NodeId, PacketId, ProcessId};
use crate::measure::blame::Labels;
use crate::time::Time;

impl Causes {
    /// A message is prepared at a node for so long.
    pub fn prepares(&mut self, node: NodeId, id: MessageId, takes: Time) {
        let way = &mut self.ways[id.index()];
        way.prepared.get_or_insert_default().overhead += takes;
        self.desks[node.index()].prepared = Some((way.from, way.number, way.call));
    }

    /// A packet of a message has left, for which the next of it waited.
    pub fn has_left(&mut self, id: MessageId, since: Time, now: Time) {
        let prepared = self.ways[id.index()].prepared.get_or_insert_default();
        prepared.leaving += now - since;
        prepared.left = now;
    }

    /// A packet of a message is ready to be handed over.
    pub fn is_ready(&mut self, node: NodeId, id: MessageId, now: Time) {
        let way = &self.ways[id.index()];
        let base = self.forest.share(way.base);
        let prepared = Prepared { ready: Some(now), ..way.prepared() };
        self.desks[node.index()].ready.push_back((base, prepared));
    }

    /// The packet that has been ready longest is handed over; `injection`: where to.
    fn hands_over(
        &mut self,
        (node, id): (NodeId, MessageId),
        injection: ChannelId,
        now: Time,
        labels: Option<&Labels>,
    ) -> Standing {
        let label = self.ways[id.index()].label;
        let desk = &mut self.desks[node.index()];
        let (base, prepared) =
            desk.ready.pop_front().unwrap_or((InstantId::NONE, Prepared::default()));
        let other = desk.latest.replace(label).filter(|&other| other != label);
        let behind =
            other.map(|label| Blamed { channel: injection, culprit: Who::of(label, labels) });
        let prepared = Prepared { handed: now, behind, ..prepared };
        Standing { base, prepared: Some(Box::new(prepared)) }
    }

    /// That packet is in the network.
    pub fn handed(
        &mut self,
        packet: PacketId,
        by: (NodeId, MessageId),
        injection: ChannelId,
        now: Time,
        labels: Option<&Labels>,
    ) {
        let standing = self.hands_over(by, injection, now, labels);
        self.stands(packet, standing);
    }

    /// That packet needs no network: it is in hand.
    pub fn crosses(&mut self, by: (NodeId, MessageId), injection: ChannelId, now: Time) {
        let standing = self.hands_over(by, injection, now, None);
        self.takes(by.1, standing.base, now);
        let way = &self.ways[by.1.index()];
        standing.prepared().put_down(self.forest.at(standing.base), way, &mut self.hand.pieces);
    }

    /// The packet in hand waits until the CPU of its node takes it in, which takes so long.
    pub fn comes_in(&mut self, node: NodeId, takes: Time) {
        let hand = std::mem::take(&mut self.hand);
        self.desks[node.index()].arrived.push_back((hand, takes));
    }

    /// The CPU of a node has taken in the packet that had waited longest.
    pub fn taken_in(&mut self, node: NodeId, id: MessageId, now: Time) {
        let Some((hand, takes)) = self.desks[node.index()].arrived.pop_front() else { return };
        self.lets_go();
        self.hand = hand;
        let mut since = std::mem::replace(&mut self.hand.at, now);
        let taken = self.ways[id.index()].taken;
        if taken.is_some() && self.forest.at(taken) > since {
            // The CPU took in the packet before it until then.
            since = self.forest.at(taken);
            let taken = self.forest.share(taken);
            self.hand.pieces.clear();
            self.forest.replace(&mut self.hand.parent, taken);
            self.forest.replace(&mut self.hand.made, InstantId::NONE);
        }
        let begin = now - takes;
        push(&mut self.hand.pieces, Piece::own(Part::Processor, since, begin - since));
        push(&mut self.hand.pieces, Piece::own(Part::Receiving, begin, takes));
        let stand = self.stand(id);
        self.forest.replace(&mut self.ways[id.index()].taken, stand);
    }
}

impl Causes {
    /// A CPU begins with something.
    pub fn cpu_begins(&mut self, node: NodeId, now: Time) {
        if let Some(rows) = &mut self.rows {
            rows.cpu_begins(node, now);
        }
    }

    /// It has computed for a process until now.
    pub fn cpu_computed(&mut self, node: NodeId, process: ProcessId, now: Time) {
        if let Some(rows) = &mut self.rows {
            let call = self.processes[process.index()].call;
            rows.cpu_ends(node, (process, Doing::Computes), None, (now, call));
        }
    }

    /// It has prepared a message until now.
    pub fn cpu_prepared(&mut self, node: NodeId, now: Time) {
        if let Some(rows) = &mut self.rows
            && let Some((process, number, call)) = self.desks[node.index()].prepared
        {
            rows.cpu_ends(node, (process, Doing::Sends), Some(number), (now, call));
        }
    }

    /// It has taken in a packet of a message until now.
    pub fn cpu_took(&mut self, node: NodeId, id: MessageId, now: Time) {
        if let Some(rows) = &mut self.rows {
            let way = &self.ways[id.index()];
            rows.cpu_ends(node, (way.to, Doing::Receives), Some(way.number), (now, way.call));
        }
    }
}
