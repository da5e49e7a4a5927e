//! How packets move: one trait, and which of its kinds a run has.
//!
//! Adding a model is a file with an `impl` of [`ChannelModel`], and an arm each in [`Model::new`],
//! [`dispatch`] and [`kinds`]: nobody else tells models apart.

pub mod cells;
pub mod circuit;
pub mod contention_free;
pub mod flit;
pub mod fluid;
pub mod frames;
pub mod packet;
pub mod router;
pub mod shared;
pub mod slotted;
pub mod stored;
pub mod stream;
pub mod worm;

use crate::error::{Blocked, SpecError};
use crate::event_queue::{Event, Subject};
use crate::fabric::network::wiring::Wiring;
use crate::fabric::switch::switchboard::Act;
use crate::fabric::transit::PacketPool;
use crate::ids::{ChannelId, MessageId, NodeId, PacketId};
use crate::measure::Use;
use crate::spec::{Fidelity, Machine, Mode};
use crate::time::{NEVER, Time};
use crate::topology::Topology;
use cells::CellFabric;
use circuit::CircuitFabric;
use contention_free::ContentionFree;
use flit::FlitFabric;
use fluid::FluidFabric;
use frames::FramesFabric;
use packet::PacketFabric;
use router::RouterFabric;
use shared::SharedFabric;
use slotted::SlottedFabric;
use stored::StoredFabric;
use stream::StreamFabric;
use worm::WormFabric;

/// Whether an account is kept of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accounts {
    /// Nobody wants to know.
    None,
    /// Blame is told what happens.
    OfWaits,
}

/// When nodes do what they do by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instants {
    /// At any time.
    Any,
    /// At multiples of the time of a flit.
    OfSlots,
}

/// What is said of a model, once and for all.
#[allow(clippy::struct_excessive_bools, reason = "each is independent of the others")]
#[derive(Clone, Copy, Default)]
pub struct Traits {
    /// Whether a packet's end can follow its start on the last channel sooner or later than
    /// it would alone: it is drawn out, stopped between its header and its end, or while its
    /// header waited, even in mode `throttled`, the rest has caught up.
    pub stretches: bool,
    /// Whether all the time for which a channel is busy with a packet is counted when it sets out.
    pub books: bool,
    /// Whether nodes have receive FIFOs.
    pub receives: bool,
    /// Whether nodes store packets on their way, and it is to be measured how much.
    pub stores: bool,
    /// Whether packets stand nowhere but in the buffers at the ends of channels, each first in, first
    /// out.
    pub in_order: bool,
    /// Whether it makes copies of packets with riders: where their ways part, it parts them
    /// ([`Act::part`]).
    pub replicates: bool,
    /// Below which number channels stand for the lists of nodes that are one with their
    /// switches; 0: there are none.
    pub lists: u32,
}

/// What channels do with packets.
///
/// What has a default is for few: a clock of its own, or what is only there for speed.
pub trait ChannelModel {
    /// Whether it may have a clock of its own: things happen that are not in the list of events.
    const HAS_CLOCK: bool = false;
    /// Whether events carry packet numbers, which are no order: those of one instant are put in
    /// order of the packets' serial numbers.
    const NUMBERS_PACKETS: bool = false;

    /// A packet enters its node's output queue.
    fn queue(&mut self, id: PacketId, act: &mut Act);
    /// `REQUEST`: a packet asks for its output, or for what else it posted the event.
    fn request(&mut self, from: Subject, act: &mut Act);
    /// `RETRY`: somebody who had to wait looks again.
    fn retry(&mut self, of: Subject, act: &mut Act);
    /// Whether nothing has to choose at this instant.
    fn is_settled(&self) -> bool;
    /// Every output and node with something to send chooses; after all events of an instant.
    fn arbitrate(&mut self, act: &mut Act);
    /// The packet a `HEAD` event is about; none if all of it has been there before.
    fn take_head(
        &mut self,
        of: Subject,
        now: Time,
        wiring: &Wiring,
        packets: &PacketPool,
    ) -> PacketId;
    /// The packet a `TAIL` event is about: it leaves the network.
    fn take_tail(&mut self, of: Subject, act: &mut Act) -> PacketId;

    /// The same with the channel by which it is delivered, if it may be drawn out on it.
    #[inline]
    fn take_delivered(&mut self, of: Subject, act: &mut Act) -> (PacketId, Option<ChannelId>) {
        let channel =
            if Self::NUMBERS_PACKETS { self.last_channel(of) } else { Some(of.channel()) };
        (self.take_tail(of, act), channel)
    }

    /// Data packets waiting in a node's output queue.
    fn waiting_data(&self, node: NodeId, now: Time) -> u32;
    /// What every channel has done in the current window, up to `now`.
    fn used(&self, now: Time) -> Vec<Use>;
    /// A new measurement window begins.
    fn begin_window(&mut self, now: Time);
    /// By channel, transmission already counted that lies after `now`, if that is known; fewer
    /// than there are channels: none for the others.
    fn overhang(&self, now: Time) -> Option<impl Iterator<Item = Time>>;
    /// The packets that wait for each other in a circle and will never move again; empty if
    /// every packet can move, or where that is not known.
    fn deadlock(&self, now: Time, wiring: &Wiring, packets: &PacketPool) -> Vec<Blocked>;
    /// What others have to know of it.
    fn traits(&self, wiring: &Wiring) -> Traits;

    /// Nodes have places for so many replies to requests; by traffic class the one that answers it.
    fn limit_replies(&mut self, _limit: u32, _answered_by: &[Option<u32>]) {}
    /// Where they have: a node has received all of a message.
    fn received(&mut self, _: MessageId, _: NodeId) {}
    /// Where events carry packet numbers: the channel by which a packet is delivered, if it may
    /// be drawn out on it.
    fn last_channel(&self, _: Subject) -> Option<ChannelId> {
        None
    }
    /// With a clock of its own: when it next strikes, or [`NEVER`].
    #[inline]
    fn next_time(&self) -> Time {
        NEVER
    }
    /// With a clock of its own: handles what it strikes for; how many events it was.
    #[inline]
    fn step(&mut self, _: &mut Act) -> u64 {
        0
    }
    /// Works out all that has happened, at the end of an instant.
    #[inline]
    fn catch_up(&mut self, _: &mut Act) {}
    /// Reads what the events of the next few nanoseconds will need; changes nothing.
    #[inline]
    fn prefetch(&self, _: impl Iterator<Item = Event> + Clone, _: &PacketPool) {}
}

/// The methods of a [`ChannelModel`] that are those of its `board`.
macro_rules! by_switchboard {
    ($($method:ident),+) => {
        $($crate::fabric::models::by_switchboard!(@ $method);)+
    };
    (@ queue) => {
        #[inline]
        fn queue(&mut self, id: $crate::ids::PacketId, act: &mut Act) {
            self.board.queue(id, act.wiring, act.packets, act.now, act.measures);
        }
    };
    (@ retry) => {
        #[inline]
        fn retry(&mut self, lead: $crate::event_queue::Subject, act: &mut Act) {
            self.board.retry(lead.channel(), act.now);
        }
    };
    (@ is_settled) => {
        #[inline]
        fn is_settled(&self) -> bool {
            self.board.is_settled()
        }
    };
    (@ take_head) => {
        #[inline]
        fn take_head(
            &mut self,
            of: $crate::event_queue::Subject,
            now: Time,
            wiring: &Wiring,
            packets: &$crate::fabric::PacketPool,
        ) -> $crate::ids::PacketId {
            self.board.take_head(of.channel(), wiring, packets, now)
        }
    };
    (@ take_tail) => {
        #[inline]
        fn take_tail(
            &mut self,
            of: $crate::event_queue::Subject,
            act: &mut Act,
        ) -> $crate::ids::PacketId {
            self.board.take_tail(of.channel(), act)
        }
    };
    (@ waiting_data) => {
        #[inline]
        fn waiting_data(&self, node: $crate::ids::NodeId, _: Time) -> u32 {
            self.board.waiting_data(node)
        }
    };
    (@ used) => {
        fn used(&self, now: Time) -> Vec<$crate::measure::Use> {
            self.board.used(self.overhang(now).into_iter().flatten())
        }
    };
    (@ begin_window) => {
        fn begin_window(&mut self, now: Time) {
            let overhang: Vec<Time> = self.overhang(now).into_iter().flatten().collect();
            self.board.begin_window(&overhang);
        }
    };
    (@ limit_replies) => {
        fn limit_replies(&mut self, limit: u32, answered_by: &[Option<u32>]) {
            self.board.limit_replies(limit, answered_by);
        }
    };
    (@ received) => {
        fn received(&mut self, message: $crate::ids::MessageId, node: $crate::ids::NodeId) {
            self.board.received(message, node);
        }
    };
    (@ prefetch) => {
        #[inline]
        fn prefetch(
            &self,
            events: impl Iterator<Item = $crate::event_queue::Event> + Clone,
            packets: &$crate::fabric::PacketPool,
        ) {
            self.board.prefetch(events, packets);
        }
    };
}
pub(super) use by_switchboard;

/// How packets move in a run.
#[allow(clippy::large_enum_variant, reason = "there is one in a run")]
pub enum Model {
    /// Mode `full`, fidelity `packet`.
    Packet(PacketFabric),
    /// Mode `full`, fidelities `flit` and `token`.
    Flit(FlitFabric),
    /// Mode `full`, fidelity `flit`, where virtual channels share wires and nobody keeps an
    /// account of waits.
    Shared(SharedFabric),
    /// Mode `full`, fidelity `flit`, where everything happens in slots as long as a flit and
    /// nobody keeps an account of waits.
    Slotted(SlottedFabric),
    /// Mode `full`, fidelity `flit`, switches with a pipeline.
    Router(RouterFabric),
    /// Mode `full`, fidelity `worm`.
    Worm(WormFabric),
    /// Mode `full`, fidelity `stream`.
    Stream(StreamFabric),
    /// Switching `circuit` in mode `full`, and in mode `endpoints` where nodes have links.
    Circuit(CircuitFabric),
    /// Mode `full`, transports with queues at outgoing channels.
    Stored(StoredFabric),
    /// Line cards in front of a fabric of cells, all modes with packets.
    Cells(CellFabric),
    /// Mode `full`, switches that forward frames.
    Frames(FramesFabric),
    /// Fidelity `fluid`, all modes with packets.
    Fluid(FluidFabric),
    /// Modes `endpoints`, `throttled` and `free`. Mode `ideal` has no packets at all.
    ContentionFree(ContentionFree),
}

/// The same for every model. What it acts with is put together in the arm: before it, all of
/// it would be written to memory with every event.
macro_rules! dispatch {
    ($of:expr, $model:ident => $do:expr) => {
        match $of {
            $crate::fabric::models::Model::Packet($model) => $do,
            $crate::fabric::models::Model::Flit($model) => $do,
            $crate::fabric::models::Model::Shared($model) => $do,
            $crate::fabric::models::Model::Slotted($model) => $do,
            $crate::fabric::models::Model::Router($model) => $do,
            $crate::fabric::models::Model::Worm($model) => $do,
            $crate::fabric::models::Model::Stream($model) => $do,
            $crate::fabric::models::Model::Circuit($model) => $do,
            $crate::fabric::models::Model::Stored($model) => $do,
            $crate::fabric::models::Model::Cells($model) => $do,
            $crate::fabric::models::Model::Frames($model) => $do,
            $crate::fabric::models::Model::Fluid($model) => $do,
            $crate::fabric::models::Model::ContentionFree($model) => $do,
        }
    };
}
pub(super) use dispatch;

/// One of the kinds of model, as a type.
pub trait Kind: ChannelModel {
    /// The model of a run, which is of this kind.
    fn of(model: &Model) -> &Self;
    /// The same, to be changed.
    fn of_mut(model: &mut Model) -> &mut Self;
}

/// What is compiled for each kind of model by itself: in a loop that knows the kind, nobody asks
/// with every event which it is, and registers hold what does not change.
pub trait ByKind {
    /// What comes of it.
    type Output;
    /// Does it with a model of a kind.
    fn act<M: Kind>(self) -> Self::Output;
}

/// All kinds, by their names in [`Model`].
macro_rules! kinds {
    ($($name:ident: $kind:ty),+ $(,)?) => {
        $(
            impl Kind for $kind {
                #[inline]
                fn of(model: &Model) -> &Self {
                    match model {
                        Model::$name(model) => model,
                        _ => unreachable!("a run has one kind of model"),
                    }
                }

                #[inline]
                fn of_mut(model: &mut Model) -> &mut Self {
                    match model {
                        Model::$name(model) => model,
                        _ => unreachable!("a run has one kind of model"),
                    }
                }
            }
        )+

        impl Model {
            /// What does something with a model of this kind.
            pub fn by_kind<T: ByKind>(&self) -> fn(T) -> T::Output {
                match self {
                    $(Self::$name(_) => T::act::<$kind>,)+
                }
            }
        }
    };
}

kinds! {
    Packet: PacketFabric,
    Flit: FlitFabric,
    Shared: SharedFabric,
    Slotted: SlottedFabric,
    Router: RouterFabric,
    Worm: WormFabric,
    Stream: StreamFabric,
    Circuit: CircuitFabric,
    Stored: StoredFabric,
    Cells: CellFabric,
    Frames: FramesFabric,
    Fluid: FluidFabric,
    ContentionFree: ContentionFree,
}

impl Model {
    /// The model of a machine in one contention mode.
    ///
    /// # Errors
    /// Links that the fidelity cannot time.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        (mode, fidelity): (Mode, Fidelity),
        (accounts, instants): (Accounts, Instants),
        seed: u64,
    ) -> Result<Self, SpecError> {
        let layout = &wiring.layout;
        if fidelity == Fidelity::Fluid {
            return Ok(Self::Fluid(FluidFabric::new(machine, wiring, topology.nodes, mode)));
        }
        if let Some(timing) = wiring.cells {
            return Ok(Self::Cells(CellFabric::new(
                machine,
                layout,
                timing,
                (topology.nodes, mode),
            )));
        }
        Ok(Self::ContentionFree(match mode {
            Mode::Full => {
                let kind = (fidelity, accounts, instants);
                return Self::full(machine, topology, wiring, kind, seed);
            }
            Mode::Endpoints if wiring.makes_circuits_of_all() => {
                let model = CircuitFabric::endpoints(machine, topology, wiring, seed);
                return Ok(Self::Circuit(model));
            }
            // Nodes that are their own switches have no channels to switches of others.
            Mode::Endpoints if wiring.integrated_timing.is_none() => {
                ContentionFree::endpoints(machine, layout, topology.nodes)
            }
            Mode::Throttled => ContentionFree::throttled(machine, layout),
            Mode::Endpoints | Mode::Free | Mode::Ideal => ContentionFree::free(machine, layout),
        }))
    }

    /// Mode `full`: by the switching, or where flits are simulated by the fidelity.
    fn full(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        (fidelity, accounts, instants): (Fidelity, Accounts, Instants),
        seed: u64,
    ) -> Result<Self, SpecError> {
        let integrated_timing =
            wiring.integrated_timing.filter(|integrated_timing| !integrated_timing.is_wormhole());
        if let Some(pipeline) = machine.switch.pipeline {
            let model = RouterFabric::new(machine, pipeline, topology, wiring, seed);
            return Ok(Self::Router(model));
        }
        if let Some(frames) = &machine.switch.frames {
            let model = FramesFabric::new(machine, frames, topology, wiring, seed);
            return Ok(Self::Frames(model));
        }
        // Who keeps an account of waits, or has places for replies, needs every flit at its time.
        let may_defer = accounts == Accounts::None && machine.interface.reply_queue.is_none();
        Ok(match (integrated_timing, fidelity) {
            (Some(integrated_timing), _) if integrated_timing.has_queues() => {
                Self::Stored(StoredFabric::new(machine, topology, wiring, seed))
            }
            _ if machine.makes_circuits() => {
                Self::Circuit(CircuitFabric::new(machine, topology, wiring, seed))
            }
            (_, Fidelity::Packet | Fidelity::Fluid) => {
                Self::Packet(PacketFabric::new(machine, topology, wiring, seed))
            }
            _ if (may_defer, instants) == (true, Instants::OfSlots)
                && SlottedFabric::is_for(machine, wiring, fidelity) =>
            {
                Self::Slotted(SlottedFabric::new(machine, topology, wiring, seed))
            }
            _ if may_defer && SharedFabric::is_for(machine, wiring, fidelity) => {
                Self::Shared(SharedFabric::new(machine, topology, wiring, seed))
            }
            (_, Fidelity::Flit | Fidelity::Token) => {
                Self::Flit(FlitFabric::new(machine, topology, wiring, fidelity, seed))
            }
            (_, Fidelity::Worm) => Self::Worm(WormFabric::new(machine, topology, wiring, seed)?),
            (_, Fidelity::Stream) => {
                Self::Stream(StreamFabric::new(machine, topology, wiring, seed))
            }
        })
    }
}
