//! What an algorithm is like on a topology.

use super::algorithm::{Algorithm, Chosen, match_algorithm};
use crate::error::SpecError;
use crate::spec::RoutingSpec;
use crate::topology::Topology;
use serde::Serialize;

/// What an algorithm is like on a topology, whatever the machine.
#[allow(clippy::struct_excessive_bools, reason = "each is a question of its own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// Classes of virtual channels it tells apart: it needs as many.
    pub classes: usize,
    /// How many of them, the first, are the way out of all others.
    pub escapes: usize,
    /// Whether packets may have a choice of several outputs.
    pub chooses: bool,
    /// Whether a packet's route changes on its way.
    pub remembers: bool,
    /// Whether it draws random numbers for every packet.
    pub draws: bool,
    /// Whether it is free of deadlock by its own argument, with all its classes.
    pub is_known_free: bool,
}

impl Properties {
    /// Prepares the algorithm, as for a run, and asks it.
    ///
    /// # Errors
    /// An algorithm the topology cannot have.
    pub fn of(spec: &RoutingSpec, topology: &Topology) -> Result<Self, SpecError> {
        let algorithm = Chosen::new(spec, topology)?;
        Ok(match_algorithm!(&algorithm, routing => Self {
            classes: routing.slots().classes(),
            escapes: routing.escapes(),
            chooses: routing.chooses(),
            remembers: routing.remembers(),
            draws: routing.draws(),
            is_known_free: routing.is_known_free(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TopologySpec;

    #[test]
    fn algorithms_say_what_they_need() {
        let torus = Topology::new(&TopologySpec::Torus { dims: vec![4, 4] }).unwrap();
        let of = |spec| Properties::of(&spec, &torus).unwrap();
        let ordered = of(RoutingSpec::DimensionOrder { order: Vec::new(), balanced: false });
        assert_eq!((ordered.classes, ordered.chooses, ordered.is_known_free), (2, false, true));
        let valiant = of(RoutingSpec::Valiant { order: Vec::new() });
        assert_eq!((valiant.classes, valiant.draws, valiant.remembers), (4, true, true));
        let adaptive = of(RoutingSpec::MinimalAdaptive { order: Vec::new() });
        assert_eq!((adaptive.classes, adaptive.escapes, adaptive.chooses), (3, 2, true));
    }
}
