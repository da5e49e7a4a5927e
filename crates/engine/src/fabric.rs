//! The network: channels, buffers, arbitration, packets in flight.
//!
//! The node hands packets over with [`Fabric::queue`]; the fabric posts `HEAD`
//! and `TAIL` events when they arrive. What lies between depends on fidelity
//! and contention mode, one file each. The fabric knows packets, never what
//! their messages mean.

mod blame;
mod check;
mod circuit;
mod contention_free;
mod deadlock;
mod flit;
mod flits;
mod layout;
mod packet;
mod passage;
mod policy;
mod selection;
mod stored;
mod stream;
mod switchboard;
mod timing;
mod transit;
mod wires;
mod wiring;
mod worm;

pub use layout::{End, Group, Layout};
pub use timing::{Rates, Running, Timing};
pub use transit::{Packet, PacketPool};
pub use wiring::Wiring;

use crate::error::{Blocked, SpecError};
use crate::event_queue::{EventQueue, Kind};
use crate::ids::{ChannelId, NodeId, PacketId};
use crate::measure::stored::Owner;
use crate::measure::{Measures, PacketRow, Undisturbed, Use};
use crate::spec::{Fidelity, Machine, Mode};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use circuit::CircuitFabric;
use contention_free::ContentionFree;
use flit::FlitFabric;
use packet::PacketFabric;
use stored::{StoredFabric, bytes_of};
use stream::StreamFabric;
use switchboard::Act;
use worm::WormFabric;

/// The network of one run.
pub struct Fabric {
    wiring: Wiring,
    packets: PacketPool,
    model: Model,
}

/// How packets move.
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
enum Model {
    /// Mode `full`, fidelity `packet`.
    Packet(PacketFabric),
    /// Mode `full`, fidelities `flit` and `token`.
    Flit(FlitFabric),
    /// Mode `full`, fidelity `worm`.
    Worm(WormFabric),
    /// Mode `full`, fidelity `stream`.
    Stream(StreamFabric),
    /// Mode `full`, switching `circuit`.
    Circuit(CircuitFabric),
    /// Mode `full`, integrated nodes with queues at outgoing channels.
    Stored(StoredFabric),
    /// Modes `endpoints`, `throttled` and `free`. Mode `ideal` has no packets at all.
    ContentionFree(ContentionFree),
}

/// The same for every fidelity, and something else for the modes without contention.
macro_rules! match_model {
    ($model:expr, $fabric:ident => $do:expr, free $free:pat => $other:expr) => {
        match $model {
            Model::Packet($fabric) => $do,
            Model::Flit($fabric) => $do,
            Model::Worm($fabric) => $do,
            Model::Stream($fabric) => $do,
            Model::Circuit($fabric) => $do,
            Model::Stored($fabric) => $do,
            Model::ContentionFree($free) => $other,
        }
    };
}

impl Model {
    /// Mode `full`: by the switching of integrated nodes, or where flits are simulated by the fidelity.
    fn full(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        fidelity: Fidelity,
        seed: u64,
    ) -> Result<Self, SpecError> {
        let passage = wiring.passage.filter(|passage| !passage.is_wormhole());
        Ok(match (passage, fidelity) {
            (Some(passage), _) if passage.has_queues() => {
                Self::Stored(StoredFabric::new(machine, topology, wiring, seed))
            }
            (Some(passage), _) => {
                Self::Circuit(CircuitFabric::new(machine, topology, wiring, passage, seed))
            }
            (None, Fidelity::Packet) => {
                Self::Packet(PacketFabric::new(machine, topology, wiring, seed))
            }
            (None, Fidelity::Flit | Fidelity::Token) => {
                Self::Flit(FlitFabric::new(machine, topology, wiring, fidelity, seed))
            }
            (None, Fidelity::Worm) => Self::Worm(WormFabric::new(machine, topology, wiring, seed)?),
            (None, Fidelity::Stream) => {
                Self::Stream(StreamFabric::new(machine, topology, wiring, seed))
            }
        })
    }

    /// Whether nothing has to choose at this instant.
    #[inline]
    fn is_settled(&self) -> bool {
        match self {
            Self::Packet(fabric) => fabric.board.is_settled(),
            Self::Worm(fabric) => fabric.board.is_settled(),
            Self::Stream(fabric) => fabric.board.is_settled(),
            Self::Circuit(fabric) => fabric.is_settled(),
            Self::Stored(fabric) => fabric.is_settled(),
            Self::Flit(_) => false,
            Self::ContentionFree(_) => true,
        }
    }

    /// Whether a packet's end can follow its start on the last channel sooner or later than
    /// it would alone: it is drawn out, stopped between its header and its end, or while its
    /// header waited, even in mode `throttled`, the rest has caught up.
    fn stretches(&self, wiring: &Wiring) -> bool {
        match self {
            Self::Flit(_) | Self::Worm(_) | Self::Stream(_) => true,
            Self::ContentionFree(_) => !wiring.is_even(),
            Self::Packet(_) | Self::Circuit(_) | Self::Stored(_) => false,
        }
    }
}

impl Fabric {
    /// The network of a machine in one contention mode.
    ///
    /// # Errors
    /// Links or buffers that cannot carry a packet.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        mode: Mode,
        fidelity: Fidelity,
        seed: u64,
    ) -> Result<Self, SpecError> {
        check::machine(machine, topology, fidelity)?;
        let wiring = Wiring::new(machine, topology, fidelity, seed)?;
        check::network(machine, &wiring, fidelity)?;
        let layout = &wiring.layout;
        let model = match mode {
            Mode::Full => Model::full(machine, topology, &wiring, fidelity, seed)?,
            // Nodes that are their own switches have no channels to switches of others.
            Mode::Endpoints if wiring.passage.is_none() => {
                let nodes = topology.nodes;
                Model::ContentionFree(ContentionFree::endpoints(machine, layout, nodes))
            }
            Mode::Throttled => Model::ContentionFree(ContentionFree::throttled(machine, layout)),
            Mode::Endpoints | Mode::Free | Mode::Ideal => {
                Model::ContentionFree(ContentionFree::free(machine, layout))
            }
        };
        let packets = PacketPool::new(machine.routing.hop_limit);
        Ok(Self { wiring, packets, model })
    }

    /// Channels, routes and times.
    pub fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Whether nodes store packets on their way, and it is to be measured how much.
    pub fn stores(&self) -> bool {
        matches!(self.model, Model::Stored(_))
    }

    /// A node puts a packet of a traffic class into its output queue: its place, until it
    /// has been delivered.
    #[inline]
    pub fn queue(
        &mut self,
        packet: Packet,
        class: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) -> PacketId {
        measures.counters.class_mut(packet.class).queued += 1;
        let route = self.wiring.routing.begin(packet.source, packet.destination);
        let id = self.packets.insert(Packet { route, ..packet });
        if let Some(blame) = &mut measures.blame {
            blame.queued(id, class, now);
        }
        if let Some(stored) = &mut measures.stored {
            stored.comes(packet.source, Owner::Own, bytes_of(&packet, &self.wiring));
        }
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Worm(fabric) => {
                fabric.queue(id, &mut Act { now, wiring, packets, events, measures });
            }
            Model::Flit(fabric) => {
                fabric.queue(id, &mut Act { now, wiring, packets, events, measures });
            }
            model => match_model!(
                model,
                fabric => fabric.board.queue(id, wiring, packets, now, measures),
                free fabric => fabric.queue(id, &mut Act { now, wiring, packets, events, measures })
            ),
        }
        id
    }

    /// The packet at the front of a channel's buffer asks for its output.
    #[inline]
    pub fn request(
        &mut self,
        channel: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Packet(fabric) => {
                if fabric.request(ChannelId(channel), now)
                    && let Some(blame) = &mut measures.blame
                {
                    fabric.board.blame_request(ChannelId(channel), now, wiring, packets, blame);
                }
            }
            Model::Worm(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.request(ChannelId(channel), act);
            }
            Model::Stored(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.request(ChannelId(channel), act);
            }
            Model::Stream(fabric) => {
                if let Some(blame) = &mut measures.blame {
                    fabric.board.blame_request(ChannelId(channel), now, wiring, packets, blame);
                }
                fabric.request(ChannelId(channel));
            }
            Model::Circuit(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.request(PacketId(channel), act);
            }
            Model::ContentionFree(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.request(PacketId(channel), act);
            }
            Model::Flit(_) => {}
        }
    }

    /// A group that had to wait looks again.
    #[inline]
    pub fn retry(
        &mut self,
        lead: u32,
        now: Time,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Packet(fabric) => fabric.board.retry(ChannelId(lead), now),
            Model::Worm(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.retry(ChannelId(lead), act);
            }
            Model::Stream(fabric) => fabric.board.retry(ChannelId(lead), now),
            Model::Stored(fabric) => fabric.board.retry(ChannelId(lead), now),
            Model::ContentionFree(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.starts(PacketId(lead), act);
            }
            Model::Flit(_) | Model::Circuit(_) => {}
        }
    }

    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    pub fn touch(&self, events: impl Iterator<Item = (Kind, u32)> + Clone) {
        match &self.model {
            Model::Packet(fabric) => fabric.board.touch(events, &self.packets),
            Model::Worm(fabric) => fabric.board.touch(events, &self.packets),
            _ => {}
        }
    }

    /// Every output and node with something to send chooses; after all events of an instant.
    #[inline]
    pub fn arbitrate(&mut self, now: Time, events: &mut EventQueue, measures: &mut Measures) {
        if self.model.is_settled() {
            return;
        }
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match_model!(
            &mut self.model,
            fabric => fabric.arbitrate(&mut Act { now, wiring, packets, events, measures }),
            free _ => {}
        );
    }

    /// When something next happens that is not in the list of events, or [`NEVER`].
    #[inline]
    pub fn next_time(&self) -> Time {
        match &self.model {
            Model::Flit(fabric) => fabric.next_time(),
            _ => NEVER,
        }
    }

    /// Lets that happen; how many events it was.
    #[inline]
    pub fn happen(&mut self, now: Time, events: &mut EventQueue, measures: &mut Measures) -> u64 {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        match &mut self.model {
            Model::Flit(fabric) => {
                fabric.happen(&mut Act { now, wiring, packets, events, measures })
            }
            _ => 0,
        }
    }

    /// The packet a `HEAD` event is about; none if all of it has been there before.
    #[inline]
    pub fn arrived_head(&mut self, number: u32, now: Time) -> Option<&Packet> {
        let (wiring, packets) = (&self.wiring, &self.packets);
        let id = match_model!(
            &mut self.model,
            fabric => fabric.board.take_head(ChannelId(number), wiring, packets, now),
            free _ => PacketId(number)
        );
        id.is_some().then(|| &self.packets[id])
    }

    /// Takes the packet a `TAIL` event is about out of the network.
    #[inline]
    pub fn take_delivered(
        &mut self,
        number: u32,
        now: Time,
        message: impl Fn(&Packet) -> u64,
        events: &mut EventQueue,
        measures: &mut Measures,
    ) -> Packet {
        let (wiring, packets) = (&self.wiring, &mut self.packets);
        let id = match &mut self.model {
            Model::Worm(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.take_tail(ChannelId(number), act)
            }
            Model::Flit(fabric) => {
                let act = &mut Act { now, wiring, packets, events, measures };
                fabric.take_tail(ChannelId(number), act)
            }
            model => match_model!(
                model,
                fabric => fabric.board.take_tail(ChannelId(number), packets),
                free _ => PacketId(number)
            ),
        };
        if let Model::Circuit(fabric) = &mut self.model {
            fabric.deliver(ChannelId(number), now, &self.packets, measures);
        }
        let alone = self.packets.alone(id);
        let packet = self.packets.remove(id);
        let row = PacketRow {
            class: packet.class,
            message: message(&packet),
            source: packet.source.0,
            destination: packet.destination.0,
            bytes: packet.bytes,
            hops: packet.hops,
            queued: packet.queued,
            first_sent: packet.first_sent,
            first_internal: packet.first_internal,
            delivered: now,
        };
        let zero_load = self.wiring.zero_load(&packet, &alone);
        let (mut drawn_out, mut caught_up) = (0, 0);
        if self.model.stretches(&self.wiring) {
            // Its first flit started on this channel a hop before it was last ready.
            let took = now - (packet.ready - zero_load.last_hop);
            let takes = zero_load.lifetime - zero_load.last_start;
            (drawn_out, caught_up) = (took.saturating_sub(takes), takes.saturating_sub(took));
        }
        let (lifetime, first_hop) = (zero_load.lifetime, zero_load.first_hop);
        measures.packet_delivered(&row, Undisturbed { lifetime, first_hop, caught_up });
        if let Some(blame) = &mut measures.blame {
            blame.delivered(id, &row, packet.last, lifetime);
        }
        measures.drawn_out(ChannelId(number), drawn_out);
        packet
    }

    /// Serial number of the packet an event with this number is about, where such events are
    /// ordered by it; else the number itself.
    pub fn order_of(&self, number: u32) -> u64 {
        match &self.model {
            Model::ContentionFree(_) => self.packets[PacketId(number)].serial.into(),
            _ => u64::from(number),
        }
    }

    /// Whether events of packets at one instant must be put in order of
    /// [`Self::order_of`], because their numbers are not in that order.
    pub fn orders_by_serial(&self) -> bool {
        matches!(self.model, Model::ContentionFree(_))
    }

    /// Data packets waiting in a node's output queue.
    #[inline]
    pub fn waiting_data(&self, node: NodeId, now: Time) -> u32 {
        match_model!(
            &self.model,
            fabric => fabric.board.waiting_data(node),
            free fabric => fabric.waiting_data(node, now)
        )
    }

    /// The packets that wait for each other in a circle and will never move again; empty
    /// if every packet can move, or where that is not known (fidelities `token` and `stream`).
    pub fn deadlock(&self, now: Time) -> Vec<Blocked> {
        let (standings, whole) = match &self.model {
            Model::Stored(fabric) => return fabric.deadlock(now, &self.wiring, &self.packets),
            Model::Packet(fabric) => (Some(fabric.standings(now)), true),
            Model::Worm(fabric) => (Some(fabric.standings()), false),
            Model::Flit(fabric) => (fabric.standings(), false),
            Model::Circuit(fabric) => (Some(fabric.standings()), false),
            Model::Stream(_) | Model::ContentionFree(_) => (None, false),
        };
        let find =
            |standings: Vec<_>| deadlock::find(&self.wiring, &self.packets, &standings, whole);
        standings.map(find).unwrap_or_default()
    }

    /// A packet that has crossed more channels than it may.
    #[inline]
    pub fn strayed(&self) -> Option<&Packet> {
        self.packets.strayed()
    }

    /// Below which number channels stand for the lists of nodes that are one with their
    /// switches; 0: there are none.
    pub fn lists(&self) -> u32 {
        match &self.model {
            Model::Worm(fabric) => fabric.board.lists.end(),
            Model::Flit(fabric) => fabric.board.lists.end(),
            _ => 0,
        }
    }

    /// Packets in flight or queued.
    pub fn packets(&self) -> &PacketPool {
        &self.packets
    }

    /// What every channel has done in the current window, up to `now`.
    pub fn used(&self, now: Time) -> Vec<Use> {
        if let Model::Circuit(fabric) = &self.model {
            return fabric.used(now);
        }
        match_model!(
            &self.model,
            fabric => fabric.board.used(fabric.overhang(now)),
            free fabric => fabric.used().to_vec()
        )
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        if let Model::Circuit(fabric) = &mut self.model {
            return fabric.begin_window(now);
        }
        match_model!(
            &mut self.model,
            fabric => {
                let overhang: Vec<Time> = fabric.overhang(now).collect();
                fabric.board.begin_window(&overhang);
            },
            free fabric => fabric.begin_window()
        );
    }

    /// Transmission time already counted that lies after `now`, on injection,
    /// internal and ejection channels; unknown in the modes without contention.
    pub fn overhang_by_kind(&self, now: Time) -> Option<[Time; 3]> {
        let mut sums = [0; 3];
        let mut add = |(channel, ahead): (usize, Time)| {
            let kind = self.wiring.layout.group(ChannelId::from_index(channel)).kind;
            sums[kind.in_sums()] += ahead;
        };
        match_model!(
            &self.model,
            fabric => fabric.overhang(now).enumerate().for_each(&mut add),
            free _ => return None
        );
        Some(sums)
    }
}
