//! The Slim Fly of [Besta & Hoefler 2014]: the MMS graphs, in which every switch
//! is at most two links from every other, for every power of a prime q = 4w + δ with δ -1, 0 or 1: all
//! of them but 2.
//!
//! There are 2q² switches (s, x, y), with s 0 or 1, and x and y elements of GF(q), which has a primitive
//! element ξ ([`field`]). X has the 2w elements
//!
//! * δ = 1: ξ^0, ξ^2, ..., ξ^(q-3), the squares;
//! * δ = 0: ξ^0, ξ^2, ..., ξ^(q-2);
//! * δ = -1: ξ^0, ξ^2, ..., ξ^(2w-2) and ξ^(2w-1), ξ^(2w+1), ..., ξ^(4w-3), the same with the other sign;
//!
//! and X' is ξ·X. With each element both have its negative. Links:
//!
//! * (0, x, y) is joined to (0, x, y') if y - y' is in X;
//! * (1, m, c) is joined to (1, m, c') if c - c' is in X';
//! * (0, x, y) is joined to (1, m, c) if y = m·x + c.
//!
//! Each switch has (3q - δ) / 2. Switch `(s · q + x) · q + y`; with p nodes on a switch node i is on
//! switch `i / p`. Port t < (q - δ) / 2 leads to the same s and x and to y plus the t-th smallest
//! element of X (of X' where s is 1), port (q - δ) / 2 + k to the other s and to x (or m) = k.

mod field;

use super::base::{Attachment, Topology};
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;
use field::Field;

/// The orders it can have.
const ORDERS: std::ops::RangeInclusive<u32> = 3..=1 << 10;

/// The Slim Fly of an order q, a power of a prime, with p nodes on a switch.
pub(super) fn build(q: u32, p: u32) -> Result<Topology, SpecError> {
    check_range("q", q, ORDERS)?;
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    let field = Field::new(q).ok_or_else(|| no_order(q))?;
    let steps = steps(q, &field);
    let switches = 2 * u64::from(q * q);
    let (nodes, ports) = (switches * u64::from(p), steps[0].len() as u64 + u64::from(q));
    check_size("nodes_per_switch", p, Some(nodes), Some(switches * ports))?;
    let number = |s, x, y| SwitchId((s * q + x) * q + y);
    let mut neighbours = Vec::with_capacity((switches * ports) as usize);
    for (s, x, y) in all(q) {
        let along = steps[s as usize].iter();
        neighbours.extend(along.map(|&step| number(s, x, field.add(y, step))));
        // y = m·x + c, solved for c or for y.
        let across = |k| {
            let product = field.multiply(k, x);
            if s == 0 { field.subtract(y, product) } else { field.add(product, y) }
        };
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

/// X and X', each in ascending order.
fn steps(q: u32, field: &Field) -> [Vec<u32>; 2] {
    let exponents: Vec<u32> = if q % 4 == 3 {
        let w = q.div_ceil(4);
        (0..w).flat_map(|i| [2 * i, 2 * w - 1 + 2 * i]).collect()
    } else {
        (0..q / 2).map(|i| 2 * i).collect()
    };
    [0, 1].map(|further| {
        let mut steps: Vec<u32> =
            exponents.iter().map(|exponent| field.power(exponent + further)).collect();
        steps.sort_unstable();
        steps
    })
}

/// Refuses an order, and names the nearest that there are.
fn no_order(q: u32) -> SpecError {
    let mut nearest: Vec<u32> = ORDERS.filter(|&order| Field::new(order).is_some()).collect();
    nearest.sort_by_key(|&order| order.abs_diff(q));
    let [one, other] = [nearest[0], nearest[1]];
    let (low, high) = (one.min(other), one.max(other));
    let allowed = format!("must be a power of a prime, such as {low} or {high}");
    SpecError::new("machine.topology.q", q, allowed)
}

/// All switches, in the order of their numbers.
fn all(q: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..2 * q * q).map(move |switch| (switch / (q * q), switch / q % q, switch % q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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

    /// Every order up to 29, q = 4w + δ: 2q² switches of (3q - δ) / 2 links, and two links at most between
    /// any two.
    #[test]
    fn any_two_switches_are_at_most_two_links_apart() {
        for q in [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29] {
            let fly = build(q, 1).unwrap();
            // Twice the links of a switch are 3q less δ, which is 0, 1 or, for a remainder of 3, -1.
            let twice = 3 * q + 1 - [1, 2, 1, 0][q as usize % 4];
            assert_eq!(fly.switches as u32, 2 * q * q);
            assert_eq!(2 * fly.degree() as u32, twice);
            assert!(fly.is_symmetric(), "q = {q}");
            for one in switches(&fly) {
                let mut is_near = vec![false; fly.switches];
                let own: Vec<SwitchId> = fly.links(one).map(|(_, to)| to).collect();
                for &next in &own {
                    assert!(next != one && !is_near[next.index()], "q = {q}: a link twice");
                    is_near[next.index()] = true;
                }
                assert_eq!(own.len(), fly.degree());
                for (_, to) in own.iter().flat_map(|&next| fly.links(next)) {
                    is_near[to.index()] = true;
                }
                assert!(is_near.into_iter().all(|is_near| is_near), "q = {q}");
            }
        }
    }

    /// The sizes of table 2 of [Besta & Hoefler 2014]: with 15 nodes on a switch 10 830 of them.
    #[test]
    fn with_q_19_it_is_that_of_the_paper() {
        let fly = build(19, 15).unwrap();
        assert_eq!((fly.nodes, fly.switches, fly.degree()), (10_830, 722, 29));
    }

    /// For a prime q = 4w + 1 ports are those of squares, then of other residues.
    #[test]
    fn ports_are_numbered_by_ascending_elements() {
        let fly = build(13, 1).unwrap();
        let of = |switch| fly.links(SwitchId(switch)).map(|(_, to)| to.0).collect::<Vec<_>>();
        // (0, 2, 5): squares are 1, 3, 4, 9, 10 and 12; c = 5 - 2m.
        let along = [6, 8, 9, 14 - 13, 15 - 13, 17 - 13].map(|y| 2 * 13 + y);
        let across = (0..13).map(|m| (13 + m) * 13 + (5 + 26 - 2 * m) % 13);
        assert_eq!(of(2 * 13 + 5), along.into_iter().chain(across).collect::<Vec<_>>());
        // (1, 2, 5): the others are 2, 5, 6, 7, 8 and 11; y = 2x + 5.
        let along = [7, 10, 11, 12, 13 - 13, 16 - 13].map(|c| (13 + 2) * 13 + c);
        let across = (0..13).map(|x| x * 13 + (2 * x + 5) % 13);
        assert_eq!(of((13 + 2) * 13 + 5), along.into_iter().chain(across).collect::<Vec<_>>());
    }

    #[test]
    fn impossible_sizes_are_named() {
        for (q, nearest) in [(6, "5 or 7"), (10, "9 or 11"), (12, "11 or 13"), (15, "13 or 16")] {
            assert_eq!(
                build(q, 1).unwrap_err().to_string(),
                format!("machine.topology.q = {q}: must be a power of a prime, such as {nearest}")
            );
        }
        let error = build(2, 1).unwrap_err().to_string();
        assert_eq!(error, "machine.topology.q = 2: must be 3 to 1024");
        assert!(build(5, 0).is_err());
        assert!(build(13, 10_000).unwrap_err().allowed.contains("at most 1048576 nodes"));
        assert!(build(512, 1).unwrap_err().allowed.contains("ports"));
    }
}
