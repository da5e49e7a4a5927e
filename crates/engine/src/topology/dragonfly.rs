//! The dragonfly of [Kim et al. 2008]: groups of fully connected switches, and links
//! between every two groups.
//!
//! With p nodes on a switch, a switches in a group, h links from each switch to other
//! groups and g groups:
//!
//! * Switch `group · a + place`; node i is on switch `i / p`.
//! * Port t < a leads to the switch at place t of the same group; a switch's port of its own
//!   place leads nowhere. Port a + q is the switch's q-th link to another group, and link
//!   number `j = place · h + q` of its group.
//! * Link j of group i leads to group `i - 1 - j mod (g - 1)`, modulo g, and is there the
//!   link of the same round, `j / (g - 1)`, that leads back. If there are all `a·h + 1`
//!   groups this is the palm tree arrangement [Camarero et al. 2014], with one link between
//!   every two groups; with fewer there are several, and what is left of the last, incomplete
//!   round leads nowhere.

use super::base::{Attachment, Topology};
use super::family::Family;
use super::limits::{MOST_ON_A_SWITCH, check_range, check_size};
use crate::error::SpecError;
use crate::ids::SwitchId;

/// The dragonfly with p, a, h and g.
pub(super) fn build(p: u32, a: u32, h: u32, groups: u32) -> Result<Topology, SpecError> {
    check_range("nodes_per_switch", p, 1..=MOST_ON_A_SWITCH)?;
    check_range("switches_per_group", a, 1..=1 << 12)?;
    check_range("global_links", h, 1..=1 << 12)?;
    let most = a * h + 1;
    if !(2..=most).contains(&groups) {
        let allowed = format!("must be 2 to switches_per_group · global_links + 1, {most}");
        return Err(SpecError::new("machine.topology.groups", groups, allowed));
    }
    let switches = u64::from(groups) * u64::from(a);
    let nodes = switches * u64::from(p);
    check_size("groups", groups, Some(nodes), Some(switches * u64::from(a + h)))?;
    let links = Links { a: a as usize, h: h as usize, groups: groups as usize };
    let ports = links.a + links.h;
    let mut neighbours = Vec::with_capacity(switches as usize * ports);
    for group in 0..links.groups {
        for place in 0..links.a {
            let other = |t| if t == place { None } else { Some(group * links.a + t) };
            let local = (0..links.a).map(other);
            let behind = |q| links.behind(group, place * links.h + q);
            let global = (0..links.h).map(|q| behind(q).map(|(to, place)| to * links.a + place));
            let ids = local.chain(global).map(|to| to.map_or(SwitchId::NONE, SwitchId::from_index));
            neighbours.extend(ids);
        }
    }
    Ok(Topology {
        family: Family::Dragonfly {
            nodes_per_switch: p,
            switches_per_group: a,
            global_links: h,
            groups,
        },
        nodes: nodes as usize,
        switches: switches as usize,
        ports,
        neighbours,
        attachments: (0..nodes as u32).map(|node| Attachment::Switch(SwitchId(node / p))).collect(),
        ..Topology::default()
    })
}

/// The arrangement of the links between groups.
pub(super) struct Links {
    /// Switches of a group that have such links.
    pub a: usize,
    /// Links from each of them.
    pub h: usize,
    pub groups: usize,
}

impl Links {
    /// The group behind a link of a group, and the place there, if it leads anywhere.
    pub fn behind(&self, group: usize, link: usize) -> Option<(usize, usize)> {
        let others = self.groups - 1;
        let (round, place) = (link / others, link % others);
        if (round + 1) * others > self.a * self.h {
            return None;
        }
        let to = (group + self.groups - 1 - place) % self.groups;
        let back = round * others + others - 1 - place;
        Some((to, back / self.h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes, switches, links of one direction.
    #[test]
    fn sizes() {
        for ((p, a, h, g), expected) in [
            // The largest with h = 2, and figure 5 of the paper: p = h = 2, a = 4, N = 72.
            ((2, 4, 2, 9), (72, 36, 9 * (4 * 3 + 8))),
            ((1, 1, 3, 4), (4, 4, 12)),
            ((4, 8, 4, 33), (1056, 264, 33 * (8 * 7 + 32))),
            // Two links between every two of five groups.
            ((1, 4, 2, 5), (20, 20, 5 * (12 + 8))),
            // Two links between every two of four groups, and two that lead nowhere.
            ((1, 4, 2, 4), (16, 16, 4 * (12 + 6))),
            ((3, 2, 1, 2), (12, 4, 2 * (2 + 2))),
        ] {
            let fly = build(p, a, h, g).unwrap();
            let links = fly.neighbours.iter().filter(|n| n.is_some()).count();
            assert_eq!((fly.nodes, fly.switches, links), expected, "{p} {a} {h} {g}");
            assert!(fly.is_symmetric());
        }
    }

    /// Every two groups are joined by as many links as all others, and none to itself.
    #[test]
    fn groups_are_joined_evenly() {
        for (a, h, g) in [(4, 2, 9), (4, 2, 5), (4, 2, 4), (6, 3, 7), (2, 2, 2), (1, 5, 3)] {
            let fly = build(1, a, h, g).unwrap();
            let mut between = vec![0; (g * g) as usize];
            for switch in 0..fly.switches as u32 {
                for (port, to) in fly.links(SwitchId(switch)) {
                    if port >= a as usize {
                        between[(switch / a * g + to.0 / a) as usize] += 1;
                    }
                }
            }
            for (at, &links) in between.iter().enumerate() {
                let own = at as u32 / g == at as u32 % g;
                assert_eq!(links, if own { 0 } else { a * h / (g - 1) }, "{a} {h} {g}");
            }
        }
    }

    /// A link and the one that leads back have the ports the arrangement gives them.
    #[test]
    fn links_lead_back() {
        let fly = build(1, 4, 2, 9).unwrap();
        // Link 0 of group 3 leads to group 2, whose last link leads back.
        assert_eq!(fly.neighbour(SwitchId(12), 4), SwitchId(11));
        assert_eq!(fly.neighbour(SwitchId(11), 5), SwitchId(12));
        // Link 5 of group 3 leads to group 6, whose link 2 leads back.
        assert_eq!(fly.neighbour(SwitchId(14), 5), SwitchId(25));
        assert_eq!(fly.neighbour(SwitchId(25), 4), SwitchId(14));
    }

    #[test]
    fn impossible_sizes_are_named() {
        let error = build(2, 4, 2, 10).unwrap_err().to_string();
        assert_eq!(
            error,
            "machine.topology.groups = 10: must be 2 to switches_per_group · global_links + 1, 9"
        );
        assert!(build(0, 4, 2, 9).is_err());
        assert!(build(2, 0, 2, 9).is_err());
        assert!(build(2, 4, 0, 9).is_err());
        assert!(build(2, 4, 2, 1).is_err());
        assert!(build(65536, 16, 8, 129).unwrap_err().allowed.contains("at most 1048576 nodes"));
    }
}
