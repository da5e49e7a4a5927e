//! Which nodes jobs have, and what machine they see.

use crate::error::SpecError;
use crate::ids::SwitchId;
use crate::spec::{Job, Workload};
use crate::topology::{Attachment, Family, Topology};
use std::collections::HashSet;

/// Refuses jobs that cannot stand side by side on so many nodes.
pub fn check(jobs: &[Job], nodes: usize) -> Result<(), SpecError> {
    if jobs.is_empty() {
        return Err(SpecError::new("job", "none", "must be at least one"));
    }
    let mut names = HashSet::new();
    let mut taken: Vec<Option<&str>> = vec![None; nodes];
    for job in jobs {
        let field = |key: &str| format!("job.{}.{key}", job.name);
        if !names.insert(job.name.as_str()) {
            return Err(SpecError::new(
                field("name"),
                &job.name,
                "is the name of another job, too",
            ));
        }
        if job.nodes.is_empty() {
            return Err(SpecError::new(field("nodes"), "none", "must be at least one"));
        }
        if let (1, Workload::Synthetic(_)) = (job.nodes.len(), &job.workload) {
            let allowed = "leaves nobody to send to: must be at least two";
            return Err(SpecError::new(field("nodes"), "one", allowed));
        }
        for &node in &job.nodes {
            let Some(taken) = taken.get_mut(node as usize) else {
                let allowed = format!("must be nodes of the machine, 0 to {}", nodes - 1);
                return Err(SpecError::new(field("nodes"), node, allowed));
            };
            if let Some(other) = taken.replace(&job.name) {
                let allowed = if other == job.name {
                    "is given twice".to_owned()
                } else {
                    format!("must not be a node of job {other}, too: a node is in one job")
                };
                return Err(SpecError::new(field("nodes"), node, allowed));
            }
        }
    }
    Ok(())
}

/// The machine that a job on some nodes sees: the whole, or these nodes on one switch.
pub fn job_machine(nodes: &[u32], topology: &Topology) -> Topology {
    let is_whole =
        nodes.len() == topology.nodes && nodes.iter().zip(0..).all(|(&node, place)| node == place);
    if is_whole {
        return topology.clone();
    }
    Topology {
        family: Family::Star,
        nodes: nodes.len(),
        switches: 1,
        attachments: vec![Attachment::Switch(SwitchId(0)); nodes.len()],
        ..Topology::default()
    }
}
