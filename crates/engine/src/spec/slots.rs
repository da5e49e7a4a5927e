//! Whether everything that a workload asks for happens at multiples of the time of a flit.

use super::workload::{Distribution, Shape, Source, Start, Synthetic, Workload};
use crate::time::Time;

/// Whether a workload asks for nothing at other times than multiples of a slot.
pub(super) fn is_in_slots(workload: &Workload, slot: Time) -> bool {
    match workload {
        Workload::Messages(list) => list.time_ps.iter().all(|time| time.is_multiple_of(slot)),
        Workload::Synthetic(synthetic) => sends_in_slots(synthetic, slot),
        Workload::Traffic(traffic) => {
            let sends = |source: &Source| sends_in_slots(&source.messages, slot);
            traffic.classes.iter().all(sends)
        }
        Workload::Jobs(jobs) => jobs
            .jobs
            .iter()
            .all(|job| job.start_ps.is_multiple_of(slot) && is_in_slots(&job.workload, slot)),
        // Collectives and programs may cost any time.
        Workload::Program(_) | Workload::External(_) | Workload::Trace(_) => false,
    }
}

fn sends_in_slots(synthetic: &Synthetic, slot: Time) -> bool {
    synthetic.start == Start::Together && is_of_slots(&synthetic.compute, slot)
}

/// Whether a distribution has multiples of a slot only.
fn is_of_slots(times: &Distribution, slot: Time) -> bool {
    match times.shape {
        Shape::Constant => times.mean.is_multiple_of(slot),
        Shape::Geometric { slot: own } | Shape::Modulated { slot: own, .. } => {
            own.is_multiple_of(slot)
        }
        Shape::Normal | Shape::Exponential | Shape::OnOff { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Messages, Pattern, Sync, Throttle};

    const SLOT: Time = 1_000;

    fn sends(shape: Shape, mean: Time, start: Start) -> Workload {
        Workload::Synthetic(Synthetic {
            processes_per_node: 1,
            pattern: Pattern::Uniform,
            radius: 0,
            compute: Distribution { shape, mean, relative_sigma: 0.0 },
            messages: 1,
            bytes: Distribution::constant(4),
            mix: Vec::new(),
            includes_self: false,
            sync: Sync::Asynchronous,
            throttle: Throttle::Outstanding { limit: 8 },
            start,
            repeat: None,
        })
    }

    fn list(times: &[Time]) -> Workload {
        let ends = vec![0; times.len()];
        let (source, destination) = (ends.clone(), ends.clone());
        Workload::Messages(Messages {
            time_ps: times.to_vec(),
            source,
            destination,
            bytes: vec![0; times.len()],
        })
    }

    #[test]
    fn what_is_sent_at_multiples_of_a_slot_is_in_slots() {
        let geometric = Shape::Geometric { slot: 2 * SLOT };
        assert!(is_in_slots(&sends(geometric, 6_500, Start::Together), SLOT));
        assert!(is_in_slots(&sends(Shape::Constant, 3 * SLOT, Start::Together), SLOT));
        assert!(is_in_slots(&list(&[0, 3 * SLOT, 3 * SLOT]), SLOT));
    }

    #[test]
    fn all_else_is_not() {
        let odd = Shape::Geometric { slot: SLOT + 1 };
        let others = [
            sends(odd, 6_500, Start::Together),
            sends(Shape::Constant, SLOT / 2, Start::Together),
            sends(Shape::Constant, SLOT, Start::Random),
            sends(Shape::Exponential, SLOT, Start::Together),
            list(&[0, SLOT + 1]),
        ];
        for other in others {
            assert!(!is_in_slots(&other, SLOT), "{other:?}");
        }
    }
}
