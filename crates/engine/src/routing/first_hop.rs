//! Any way that is nearer at the first step, then dimension order
//! ("quasi-adaptive" [Buzzard & Mudge 1988]).
//!
//! The first of the outputs of a first step is that of dimension order; one who takes
//! another is *contrary*. Contrary packets can close circles: that they do not stay closed is
//! the matter of the transport, which keeps a place in every buffer from them.

use super::Header;
use super::algorithm::Algorithm;
use super::base::Base;
use super::nearer::Nearer;
use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::topology::{Attachment, Topology};

/// Routing with a free first step, for one grid without rings.
pub struct FirstHop {
    nearer: Nearer,
    then: Base,
    /// Per node: the switch its packets set out from.
    homes: Vec<SwitchId>,
}

impl FirstHop {
    /// Prepares routing on a grid, which takes the dimensions in `order`.
    pub fn new(name: &str, order: &[u32], topology: &Topology) -> Result<Self, SpecError> {
        let then = Base::grid(name, order, topology)?;
        if then.classes() > 1 {
            let allowed = "needs a grid without rings: a mesh or a hypercube";
            return Err(SpecError::new("machine.routing", name, allowed));
        }
        let home = |at: &Attachment| at.enters().unwrap_or(SwitchId::NONE);
        let homes = topology.attachments.iter().map(home).collect();
        Ok(Self { nearer: Nearer::new(name, topology)?, then, homes })
    }
}

impl Algorithm for FirstHop {
    fn is_known_free(&self) -> bool {
        false
    }

    fn chooses(&self) -> bool {
        true
    }

    #[inline]
    fn allow(&self, switch: SwitchId, header: Header, mut allow: impl FnMut(usize, u8)) {
        let Some((own, _)) = self.then.step(switch, header) else { return };
        allow(own, 0);
        if self.homes[header.source.index()] == switch {
            let others = |port| {
                if port != own {
                    allow(port, 0);
                }
            };
            self.nearer.each(switch, header.destination, others);
        }
    }
}
