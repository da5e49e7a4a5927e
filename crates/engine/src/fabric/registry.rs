//! Which kernels there are, which one simulates a machine, and what they refuse: the only file that
//! names them all.
//!
//! Adding a kernel is a file with an `impl` of [`Kernel`], a line in [`kernels`] and [`dispatch`], which machines it is for
//! ([`KernelKind::of`]), how it begins ([`AnyKernel::new`]), and what it refuses ([`accepts`],
//! [`accepts_network`]).

mod any;

use crate::error::SpecError;
use crate::fabric::check;
use crate::fabric::historic::cells::{self, CellsKernel};
use crate::fabric::historic::chaos::ChaosKernel;
use crate::fabric::historic::stored::StoredKernel;
use crate::fabric::historic::stream::{self, StreamKernel};
use crate::fabric::kernel::{Accounts, Instants, Kernel};
use crate::fabric::kernels::baseline::BaselineKernel;
use crate::fabric::kernels::circuit::{self, CircuitKernel};
use crate::fabric::kernels::clocked::{self, ClockedKernel};
use crate::fabric::kernels::flits::{self, FlitsKernel};
use crate::fabric::kernels::fluid::{self, FluidKernel};
use crate::fabric::kernels::frames::{self, FramesKernel};
use crate::fabric::kernels::line::LineKernel;
use crate::fabric::kernels::packet::{self, PacketKernel, QueuedKernel};
use crate::fabric::kernels::private::PrivateKernel;
use crate::fabric::kernels::slots::SlotsKernel;
use crate::fabric::kernels::tokens::{self, TokensKernel};
use crate::fabric::kernels::worm::{self, WormKernel};
use crate::fabric::network::integrated::IntegratedTiming;
use crate::fabric::network::wiring::Wiring;
use crate::routing::Otherwise;
use crate::spec::{Fidelity, Machine, Mode};
use crate::topology::Topology;

/// Copies of any kernel.
type PrivateOfAny = PrivateKernel<AnyKernel>;

/// All kernels: `name: type, word`, where the word is what users are told.
macro_rules! kernels {
    ($($(#[$about:meta])* $name:ident: $kernel:ident, $word:literal;)+) => {
        /// A kernel, by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KernelKind {
            $($(#[$about])* $name,)+
        }

        impl KernelKind {
            /// What users are told.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }
        }

        /// The kernel of a run.
        #[allow(clippy::large_enum_variant, reason = "there are few in a run")]
        #[derive(Clone)]
        pub enum AnyKernel {
            $($(#[$about])* $name($kernel),)+
        }

        impl AnyKernel {
            /// Which one it is.
            pub fn kind(&self) -> KernelKind {
                match self {
                    $(Self::$name(_) => KernelKind::$name,)+
                }
            }

            /// What does something with a kernel of this kind.
            pub fn by_kind<T: ByKind>(&self) -> fn(T) -> T::Output {
                match self {
                    $(Self::$name(_) => T::act::<$kernel>,)+
                }
            }
        }

        $(
            impl Kind for $kernel {
                #[inline]
                fn of(kernel: &AnyKernel) -> &Self {
                    match kernel {
                        AnyKernel::$name(kernel) => kernel,
                        _ => unreachable!("a run has one kernel"),
                    }
                }

                #[inline]
                fn of_mut(kernel: &mut AnyKernel) -> &mut Self {
                    match kernel {
                        AnyKernel::$name(kernel) => kernel,
                        _ => unreachable!("a run has one kernel"),
                    }
                }
            }
        )+
    };
}

kernels! {
    /// Mode `full`, fidelity `packet`.
    Packet: PacketKernel, "packet";
    /// The same, switches with queues for each output.
    Queued: QueuedKernel, "packet";
    /// Mode `full`, fidelity `token`.
    Tokens: TokensKernel, "tokens";
    /// Mode `full`, fidelity `flit`, but for what is in slots.
    Flits: FlitsKernel, "flits";
    /// Mode `full`, fidelity `flit`, where everything happens in slots as long as a flit.
    Slots: SlotsKernel, "slots";
    /// Mode `full`, fidelity `flit`, switches with a pipeline.
    Clocked: ClockedKernel, "clocked";
    /// Mode `full`, fidelity `worm`.
    Worm: WormKernel, "worm";
    /// Mode `full`, fidelity `stream`.
    Stream: StreamKernel, "stream";
    /// Switching `circuit` in mode `full`, and in mode `endpoints` where nodes have links.
    Circuit: CircuitKernel, "circuit";
    /// Mode `full`, transports with queues at outgoing channels.
    Stored: StoredKernel, "stored";
    /// Mode `full`, fidelity `packet`, switches that store packets which cannot go on.
    Chaos: ChaosKernel, "chaos";
    /// Line cards in front of a fabric of cells, all modes with packets but `free`.
    Cells: CellsKernel, "cells";
    /// Mode `full`, switches that forward frames.
    Frames: FramesKernel, "frames";
    /// Fidelity `fluid`, all modes with packets.
    Fluid: FluidKernel, "fluid";
    /// Modes `endpoints` and `free` of whole packets on fixed ways ([`LineKernel::is_for`]).
    Line: LineKernel, "line";
    /// Modes `free` and `endpoints`: a copy of the kernel of mode `full` for each message.
    Private: PrivateOfAny, "private";
    /// Mode `throttled`, and `endpoints` where no other kernel can do it. Mode `ideal` has no packets at all.
    Baseline: BaselineKernel, "baseline";
}

/// One of the kernels, as a type.
pub trait Kind: Kernel {
    /// The kernel of a run, which is this one.
    fn of(kernel: &AnyKernel) -> &Self;
    /// The same, to be changed.
    fn of_mut(kernel: &mut AnyKernel) -> &mut Self;
}

/// What is compiled for each kernel by itself: in a loop that knows the kernel, nobody asks
/// with every event which it is, and registers hold what does not change.
pub trait ByKind {
    /// What comes of it.
    type Output;
    /// Does it with a kernel.
    fn act<K: Kind>(self) -> Self::Output;
}

/// The same for every kernel. What it acts with is put together in the arm: before it, all of
/// it would be written to memory with every event.
macro_rules! dispatch {
    ($of:expr, $kernel:ident => $do:expr) => {
        match $of {
            $crate::fabric::registry::AnyKernel::Packet($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Queued($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Tokens($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Flits($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Slots($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Clocked($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Worm($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Stream($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Circuit($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Stored($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Chaos($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Cells($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Frames($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Fluid($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Line($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Private($kernel) => $do,
            $crate::fabric::registry::AnyKernel::Baseline($kernel) => $do,
        }
    };
}
pub(super) use dispatch;

/// Refuses machines that no kernel can simulate at a fidelity. The order decides which of several
/// reasons is told.
///
/// # Errors
/// What cannot be simulated, and why.
pub fn accepts(
    machine: &Machine,
    topology: &Topology,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    check::ranges(machine)?;
    check::hosts(machine, topology, fidelity)?;
    check::framing(machine)?;
    frames::accepts(machine, fidelity)?;
    check::half_duplex(machine, fidelity)?;
    check::receivers(machine, fidelity)?;
    check::reply_queue(machine, topology, fidelity)?;
    check::multicast(machine, fidelity)?;
    if machine.switch.integrated {
        check::integrated(machine, topology, fidelity)?;
    } else {
        check::switched(machine, topology, fidelity)?;
    }
    packet::accepts(machine, fidelity)?;
    clocked::accepts(machine, fidelity)?;
    cells::accepts(machine, fidelity)?;
    check::fall_through(machine)?;
    flits::accepts_signals(machine, fidelity)?;
    check::flow_control(machine, fidelity)?;
    match fidelity {
        Fidelity::Flit => flits::accepts(machine)?,
        Fidelity::Worm => worm::accepts(machine)?,
        Fidelity::Token => tokens::accepts(machine)?,
        Fidelity::Packet | Fidelity::Stream | Fidelity::Fluid => {}
    }
    check::rates(machine, fidelity)
}

/// The same of networks.
///
/// # Errors
/// What cannot be simulated, and why.
pub fn accepts_network(
    machine: &Machine,
    wiring: &Wiring,
    fidelity: Fidelity,
) -> Result<(), SpecError> {
    clocked::accepts_network(machine, wiring)?;
    cells::accepts_network(machine, wiring)?;
    frames::accepts_network(machine, wiring)?;
    check::multicast_network(machine, wiring)?;
    flits::accepts_marks(machine, wiring)?;
    if machine.switch.integrated {
        check::joined_nodes(machine, wiring)?;
    }
    for timing in &wiring.timings {
        check::longest_packet(machine, timing)?;
    }
    check::waiting_for_nodes(machine, wiring)?;
    if machine.makes_circuits() {
        circuit::accepts_network(machine, wiring)?;
    }
    match fidelity {
        Fidelity::Packet => packet::accepts_network(machine, wiring),
        Fidelity::Flit => flits::accepts_network(machine, wiring),
        Fidelity::Worm => worm::accepts_network(machine, wiring),
        Fidelity::Token => tokens::accepts_network(machine, wiring),
        Fidelity::Stream => stream::accepts_network(machine, wiring),
        Fidelity::Fluid => fluid::accepts_network(machine, wiring),
    }
}

impl KernelKind {
    /// Whether messages can be told apart by their ways alone; if so, whether those whose ways have a switch
    /// in common, but no link, may have more of it in common: an allocator.
    fn shares_switches(self) -> Option<bool> {
        match self {
            Self::Flits | Self::Packet | Self::Slots | Self::Tokens | Self::Worm => Some(false),
            Self::Clocked => Some(true),
            _ => None,
        }
    }

    /// The kernel that simulates a machine in one contention mode at a fidelity.
    pub fn of(
        machine: &Machine,
        wiring: &Wiring,
        (mode, fidelity): (Mode, Fidelity),
        known: (Accounts, Instants),
    ) -> Self {
        if fidelity == Fidelity::Fluid {
            return Self::Fluid;
        }
        if wiring.cells.is_some() && mode != Mode::Free {
            return Self::Cells;
        }
        match mode {
            Mode::Full => Self::full(machine, wiring, fidelity, known),
            _ if LineKernel::is_for(machine, wiring, (mode, fidelity)) => Self::Line,
            Mode::Endpoints if wiring.makes_circuits_of_all() => Self::Circuit,
            Mode::Free | Mode::Endpoints => Self::Private,
            Mode::Throttled | Mode::Ideal => Self::Baseline,
        }
    }

    /// Mode `full`: by the switching, or where flits are simulated by the fidelity.
    fn full(
        machine: &Machine,
        wiring: &Wiring,
        fidelity: Fidelity,
        (accounts, instants): (Accounts, Instants),
    ) -> Self {
        if wiring.cells.is_some() {
            return Self::Cells;
        }
        if machine.switch.pipeline.is_some() {
            return Self::Clocked;
        }
        if machine.switch.frames.is_some() {
            return Self::Frames;
        }
        let stores = |timing: &IntegratedTiming| !timing.is_wormhole() && timing.has_queues();
        if wiring.integrated_timing.as_ref().is_some_and(stores) {
            return Self::Stored;
        }
        if machine.makes_circuits() {
            return Self::Circuit;
        }
        // Who has places for replies needs every flit at its time.
        let has_replies = machine.interface.reply_queue.is_some();
        // What packets wait for on wires of their own, by cause, depends on the order of channels within an
        // instant.
        let takes_turns =
            wiring.layout.has_shared_wires() || wiring.routing.properties().escapes > 0;
        let is_ordered = accounts == Accounts::OfWaits && !takes_turns;
        let is_in_slots = instants == Instants::OfSlots && !has_replies && !is_ordered;
        let stores_packets = wiring.routing.properties().otherwise == Otherwise::Store;
        match fidelity {
            Fidelity::Packet if stores_packets => Self::Chaos,
            Fidelity::Packet if !machine.switch.queueing.is_fifo() => Self::Queued,
            Fidelity::Packet | Fidelity::Fluid => Self::Packet,
            Fidelity::Worm => Self::Worm,
            Fidelity::Stream => Self::Stream,
            Fidelity::Flit if is_in_slots && SlotsKernel::is_for(machine, wiring) => Self::Slots,
            Fidelity::Flit => Self::Flits,
            Fidelity::Token => Self::Tokens,
        }
    }
}

impl AnyKernel {
    /// The kernel of a machine in one contention mode.
    ///
    /// # Errors
    /// Links that the fidelity cannot time.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        wiring: &Wiring,
        (mode, fidelity): (Mode, Fidelity),
        known: (Accounts, Instants),
        seed: u64,
    ) -> Result<Self, SpecError> {
        let layout = &wiring.layout;
        let kind = KernelKind::of(machine, wiring, (mode, fidelity), known);
        Ok(match kind {
            KernelKind::Packet => Self::Packet(PacketKernel::new(machine, topology, wiring, seed)),
            KernelKind::Queued => Self::Queued(QueuedKernel::new(machine, topology, wiring, seed)),
            KernelKind::Tokens => Self::Tokens(TokensKernel::new(machine, topology, wiring, seed)),
            KernelKind::Flits => {
                let (accounts, _) = known;
                Self::Flits(FlitsKernel::new(machine, topology, wiring, accounts, seed))
            }
            KernelKind::Slots => Self::Slots(SlotsKernel::new(machine, topology, wiring, seed)),
            KernelKind::Clocked => {
                Self::Clocked(ClockedKernel::new(machine, topology, wiring, seed))
            }
            KernelKind::Worm => Self::Worm(WormKernel::new(machine, topology, wiring, seed)?),
            KernelKind::Stream => Self::Stream(StreamKernel::new(machine, topology, wiring, seed)),
            KernelKind::Circuit if mode == Mode::Endpoints => {
                Self::Circuit(CircuitKernel::endpoints(machine, topology, wiring, seed))
            }
            KernelKind::Circuit => {
                Self::Circuit(CircuitKernel::new(machine, topology, wiring, seed))
            }
            KernelKind::Stored => Self::Stored(StoredKernel::new(machine, topology, wiring, seed)),
            KernelKind::Chaos => Self::Chaos(ChaosKernel::new(machine, topology, wiring, seed)),
            KernelKind::Cells => {
                Self::Cells(CellsKernel::new(machine, wiring, (topology.nodes, mode)))
            }
            KernelKind::Frames => Self::Frames(FramesKernel::new(machine, topology, wiring, seed)),
            KernelKind::Fluid => {
                Self::Fluid(FluidKernel::new(machine, wiring, topology.nodes, mode))
            }
            KernelKind::Line => Self::Line(LineKernel::new(machine, wiring, topology.nodes, mode)),
            KernelKind::Private => {
                let full = (Mode::Full, fidelity);
                let template = Self::new(machine, topology, wiring, full, known, seed)?;
                let is_shared = mode == Mode::Endpoints
                    && wiring.integrated_timing.is_none()
                    && template.has_gates();
                let shares_wires = fidelity == Fidelity::Packet;
                let shares_switches = template.kind().shares_switches();
                let kernel = if is_shared {
                    PrivateKernel::endpoints(machine, wiring, template, shares_wires)
                } else {
                    PrivateKernel::free(machine, wiring, template)
                };
                // Those who share links of nodes are looked at one by one.
                Self::Private(match shares_switches {
                    Some(by_switch) if !(by_switch && is_shared) => {
                        kernel.together(machine, wiring, (topology.nodes, by_switch))
                    }
                    _ => kernel,
                })
            }
            KernelKind::Baseline => Self::Baseline(match mode {
                // Nodes that are their own switches have no channels to switches of others.
                Mode::Endpoints if wiring.integrated_timing.is_none() => {
                    BaselineKernel::endpoints(machine, layout, topology.nodes)
                }
                Mode::Throttled => BaselineKernel::throttled(machine, layout),
                _ => BaselineKernel::free(machine, layout),
            }),
        })
    }
}
