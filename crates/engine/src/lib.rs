//! Simulation engine of Tailback: interconnection networks, flit by flit or packet by
//! packet, with contention and without.
//!
//! A [`Spec`] describes one run: machine, workload, contention [`spec::Mode`],
//! [`spec::Fidelity`] and seed.
//! [`Simulation::new`] checks it and builds the run, [`Simulation::advance`]
//! lets simulated time pass, and counters, distributions and tallies can be
//! read at any time. What exactly is simulated is in `docs/model.md`.
//!
//! ```
//! use tailback_engine::{Class, Progress, Simulation, spec::*};
//!
//! let spec = Spec {
//!     machine: Machine::t9000(TopologySpec::Mesh { dims: vec![4, 4] }),
//!     workload: Workload::Messages(Messages {
//!         time_ps: vec![0],
//!         source: vec![0],
//!         destination: vec![15],
//!         bytes: vec![32],
//!     }),
//!     mode: Mode::Full,
//!     fidelity: Fidelity::Packet,
//!     seed: 1,
//!     sample_interval_ps: 1_000_000,
//!     sparse_samples: false,
//!     record_packets: true,
//!     lateness: false,
//!     blame: None,
//!     causes: None,
//!     faults: Vec::new(),
//! };
//! let mut simulation = Simulation::new(&spec)?;
//! assert_eq!(simulation.advance(u64::MAX, u64::MAX)?, Progress::Finished);
//! let packets = simulation.take_packets();
//! let data = packets.iter().find(|packet| packet.class == Class::Data).unwrap();
//! // Injection, six internal channels, ejection: seven headers of 100 ns, then 3340 ns.
//! assert_eq!((data.hops, data.delivered), (8, 4_040_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules form layers; a module uses only those before it: `time`, `ids`,
//! `error`, `rng`, `pool`, `event_queue`; `spec`, `measure`; `topology`; `routing`;
//! `fabric`; `workload`; `node`; `assembly`, `simulation`, `prediction`, `survey`, `facts`.

pub mod assembly;
pub mod error;
pub mod event_queue;
pub mod fabric;
pub mod facts;
pub mod ids;
pub mod measure;
mod mixed;
pub mod node;
pub mod pool;
pub mod prediction;
mod rare;
pub mod rng;
pub mod routing;
pub mod simulation;
pub mod spec;
pub mod survey;
pub mod time;
pub mod topology;
pub mod workload;

pub use error::{RunError, SpecError};
pub use measure::{Class, Counters, PacketRow};
pub use simulation::{Ask, Progress, Sample, Simulation};
pub use spec::Spec;

/// Raised whenever the same [`Spec`] may give other numbers than before.
pub const RESULTS_VERSION: u32 = 26;
