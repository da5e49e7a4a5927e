//! The Slim Fly of [Besta & Hoefler 2014]: the MMS graphs, in which every switch is at most two
//! links from every other, for a prime q = 4w + 1.
//!
//! There are 2q² switches (s, x, y), with s 0 or 1, and x and y residues modulo q; X is the set
//! of the even powers of a primitive element (the squares), X' that of the odd powers:
//!
//! * (0, x, y) is joined to (0, x, y') if y - y' is in X;
//! * (1, m, c) is joined to (1, m, c') if c - c' is in X';
//! * (0, x, y) is joined to (1, m, c) if y = m·x + c.
//!
//! Each has (3q - 1) / 2 links. Switch `(s · q + x) · q + y`; with p nodes on a switch node i is on
//! switch `i / p`. Port t < (q - 1) / 2 leads to the same s and x and to y plus the t-th smallest
//! element of X (of X' where s is 1), port (q - 1) / 2 + k to the other s and to x (or m) = k.

use super::base::{Attachment, Topology};
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;
use std::collections::BTreeSet;

/// The Slim Fly of a prime q with p nodes on a switch.
pub(super) fn build(q: u32, p: u32) -> Result<Topology, SpecError> {
    check_range("q", q, 5..=1 << 10)?;
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    if q % 4 != 1 || !is_prime(q) {
        let allowed = "must be a prime of the form 4w + 1, such as 5, 13, 17, 29, 37";
        return Err(SpecError::new("machine.topology.q", q, allowed));
    }
    let switches = 2 * u64::from(q * q);
    let (nodes, ports) = (switches * u64::from(p), u64::from((3 * q - 1) / 2));
    check_size("nodes_per_switch", p, Some(nodes), Some(switches * ports))?;
    let number = |s, x, y| SwitchId((s * q + x) * q + y % q);
    let squares: BTreeSet<u32> = (1..q).map(|root| root * root % q).collect();
    let mut neighbours = Vec::with_capacity((switches * ports) as usize);
    for (s, x, y) in all(q) {
        let steps = (1..q).filter(|step| squares.contains(step) == (s == 0));
        neighbours.extend(steps.map(|step| number(s, x, y + step)));
        // y = m·x + c, solved for c or for y.
        let across = |k| if s == 0 { y + q * q - k * x } else { x * k + y };
        neighbours.extend((0..q).map(|k| number(1 - s, k, across(k))));
    }
    Ok(Topology {
        nodes: nodes as usize,
        switches: switches as usize,
        ports: ports as usize,
        neighbours,
        attachments: (0..nodes as u32).map(|node| Attachment::Switch(SwitchId(node / p))).collect(),
        ..Topology::default()
    })
}

/// All switches, in the order of their numbers.
fn all(q: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..2 * q * q).map(move |switch| (switch / (q * q), switch / q % q, switch % q))
}

fn is_prime(number: u32) -> bool {
    (2..number)
        .take_while(|factor| factor * factor <= number)
        .all(|factor| !number.is_multiple_of(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of all links that leave a switch.
    fn around(fly: &Topology, switch: SwitchId) -> BTreeSet<SwitchId> {
        fly.links(switch).map(|(_, to)| to).collect()
    }

    fn switches(fly: &Topology) -> impl Iterator<Item = SwitchId> + use<> {
        (0..fly.switches).map(SwitchId::from_index)
    }

    /// The Hoffman-Singleton graph: 50 switches with 7 links each, and exactly one way of at most
    /// two links between any two. No larger graph of that degree and diameter is possible.
    #[test]
    fn with_q_5_it_is_the_hoffman_singleton_graph() {
        let fly = build(5, 4).unwrap();
        assert_eq!((fly.nodes, fly.switches, fly.degree()), (200, 50, 7));
        assert!(fly.is_symmetric());
        for one in switches(&fly) {
            let own = around(&fly, one);
            assert!(own.len() == 7 && !own.contains(&one));
            for other in switches(&fly).filter(|&other| other != one) {
                let shared = own.intersection(&around(&fly, other)).count();
                assert_eq!(shared + usize::from(own.contains(&other)), 1, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn any_two_switches_are_at_most_two_links_apart() {
        for q in [5, 13, 17] {
            let fly = build(q, 1).unwrap();
            assert_eq!(fly.switches as u32, 2 * q * q);
            assert_eq!(fly.degree() as u32, (3 * q - 1) / 2);
            for one in switches(&fly) {
                let own = around(&fly, one);
                assert_eq!(own.len(), fly.degree(), "no two links lead to the same switch");
                assert!(own.iter().all(|&next| around(&fly, next).contains(&one)));
                let mut near: BTreeSet<_> =
                    own.iter().flat_map(|&next| around(&fly, next)).collect();
                near.extend(own);
                assert_eq!(near.len(), fly.switches, "q = {q}");
            }
        }
    }

    #[test]
    fn impossible_sizes_are_named() {
        for q in [6, 7, 9, 21, 25] {
            assert_eq!(
                build(q, 1).unwrap_err().to_string(),
                format!(
                    "machine.topology.q = {q}: must be a prime of the form 4w + 1, such as 5, 13, \
                     17, 29, 37"
                )
            );
        }
        let error = build(4, 1).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.q = 4: must be 5 to 1024");
        assert!(build(5, 0).is_err());
        assert!(build(13, 10_000).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
