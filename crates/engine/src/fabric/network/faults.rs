//! Links that are down, or slower, for a time: which channels, and when.
//!
//! Everything is known before the run, so nothing has to happen when a fault begins or ends: whoever
//! is about to use a channel asks. A packet that would still be on its way onto a link when that
//! fails holds the channel until then, stays where it is, and is sent again. So does one that will be
//! damaged, until the sender has been told.

use crate::error::SpecError;
use crate::fabric::network::layout::{End, Group, Layout};
use crate::fabric::network::timing::Timing;
use crate::ids::{ChannelId, SwitchId};
use crate::rng::{Key, Purpose, Stream};
use crate::spec::{Fault, FaultAt};
use crate::time::Time;
use crate::topology::{Links, Outage, Span, Topology, greatest};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

/// All of a rate, in the unit of shares.
const MILLION: u32 = 1_000_000;

/// The bits of which damaged ones are counted.
const BITS: f64 = 1e18;

/// A time in which a link is not as it should be: what is left of the rate, in millionths. The
/// smallest share is the greatest fault.
type Stretch = Span<Reverse<u32>>;

/// The faults of all links.
pub struct Faults {
    /// By channel: its place among `links`; none where nothing is wrong.
    places: Vec<Option<u32>>,
    links: Vec<OfLink>,
    /// What is drawn for packets is drawn for this and them.
    seed: Key,
}

/// The faults of one link: in order, none beside another.
#[derive(Default)]
struct OfLink {
    stretches: Vec<Stretch>,
    /// Bits of 10^18 that are damaged.
    errors: Vec<Span<u64>>,
}

impl Faults {
    /// The faults of the links of a network, those of nodes that are slower left out.
    ///
    /// # Errors
    /// A link, switch or node that is not there; more than all of a rate.
    pub fn new(
        faults: &[Fault],
        outages: &[Outage],
        layout: &Layout,
        (topology, seed): (&Topology, u64),
    ) -> Result<Self, SpecError> {
        if let Some(number) = faults.iter().position(|fault| fault.share > MILLION) {
            let field = format!("fault[{number}].rate");
            return Err(SpecError::new(field, faults[number].share, "must be at most all"));
        }
        let meant = Meant::new(layout, topology);
        let links = topology.every_link();
        let mut of_group: Vec<OfLink> = layout.groups.iter().map(|_| OfLink::default()).collect();
        let mut known: HashMap<FaultAt, Vec<u32>> = HashMap::new();
        for &Outage { table, at, from, until } in outages {
            let Fault { share, bit_errors, time_factor, .. } = faults[table];
            if time_factor.is_some() {
                continue;
            }
            let groups = match known.entry(at) {
                Occupied(groups) => groups.into_mut(),
                Vacant(place) => place.insert(meant.groups(at, table, &links)?),
            };
            for &group in &*groups {
                let of_group = &mut of_group[group as usize];
                if share < MILLION {
                    of_group.stretches.push(Span { from, until, what: Reverse(share) });
                }
                of_group.errors.extend(bit_errors.map(|what| Span { from, until, what }));
            }
        }
        let mut links = Vec::new();
        let places: Vec<Option<u32>> = of_group
            .iter()
            .map(|all| {
                let (stretches, errors) = (greatest(&all.stretches), greatest(&all.errors));
                (!stretches.is_empty() || !errors.is_empty()).then(|| {
                    links.push(OfLink { stretches, errors });
                    links.len() as u32 - 1
                })
            })
            .collect();
        Ok(Self {
            places: layout.group_of.iter().map(|group| places[group.index()]).collect(),
            links,
            seed: Key::of(seed),
        })
    }

    fn of(&self, channel: ChannelId) -> Option<&OfLink> {
        self.places[channel.index()].map(|place| &self.links[place as usize])
    }

    fn at(&self, channel: ChannelId, now: Time) -> Option<&Stretch> {
        there(&self.of(channel)?.stretches, now)
    }

    /// Since when a channel is down, if it is, and until when.
    pub fn down(&self, channel: ChannelId, now: Time) -> Option<(Time, Time)> {
        let stretch = self.at(channel, now)?;
        (stretch.what.0 == 0).then_some((stretch.from, stretch.until))
    }

    /// When a channel that is up at `start` fails next before `end`, and is repaired.
    pub fn fails(&self, channel: ChannelId, (start, end): (Time, Time)) -> Option<(Time, Time)> {
        let all = &self.of(channel)?.stretches;
        let later = &all[all.partition_point(|stretch| stretch.from <= start)..];
        let soon = later.iter().take_while(|stretch| stretch.from < end);
        let mut down = soon.filter(|stretch| stretch.what.0 == 0);
        down.next().map(|stretch| (stretch.from, stretch.until))
    }

    /// The times of a packet that starts on a channel now, if that is slower.
    pub fn slowed(&self, channel: ChannelId, now: Time, usual: &Timing) -> Option<Timing> {
        let share = self.at(channel, now)?.what.0;
        (share > 0).then(|| usual.slowed(share, MILLION))
    }

    /// Whether a packet of so many bits is damaged that starts on a channel now, which it is with
    /// probability 1 - (1 - rate)^bits; `drawn_by`: what tells it from all others at this place.
    pub fn damages(&self, channel: ChannelId, now: Time, bits: u64, drawn_by: u64) -> bool {
        let errors = self.of(channel).map_or(&[][..], |of| &of.errors);
        let Some(&Span { what, .. }) = there(errors, now) else { return false };
        let share = -libm::expm1(bits as f64 * libm::log1p(-(what as f64) / BITS));
        let key = self.seed.and(channel.0.into()).and(drawn_by).and(now);
        Stream::keyed(Purpose::Damage, key).unit() < share
    }
}

/// Which groups of channels are at a place.
struct Meant {
    /// By switch and port: those that leave by it.
    by_port: HashMap<(u32, usize), Vec<u32>>,
    /// By switch: those that begin or end there.
    by_switch: Vec<Vec<u32>>,
    /// By node, the same.
    by_node: Vec<Vec<u32>>,
}

impl Meant {
    fn new(layout: &Layout, topology: &Topology) -> Self {
        let mut meant = Self {
            by_port: HashMap::new(),
            by_switch: vec![Vec::new(); topology.switches],
            by_node: vec![Vec::new(); topology.nodes],
        };
        for (number, group) in (0..).zip(&layout.groups) {
            if let Some((port, _)) = layout.port_and_class(group) {
                meant.by_port.entry((group.from, port)).or_default().push(number);
            }
            let start =
                if starts_at_node(group) { &mut meant.by_node } else { &mut meant.by_switch };
            start[group.from as usize].push(number);
            match group.end {
                End::Switch(switch) => meant.by_switch[switch.index()].push(number),
                End::Node(node) => meant.by_node[node.index()].push(number),
            }
        }
        meant
    }

    /// The groups at the place of a fault, of the table with that number.
    fn groups(&self, at: FaultAt, table: usize, links: &Links<'_>) -> Result<Vec<u32>, SpecError> {
        let field = |key: &str| format!("fault[{table}].{key}");
        match at {
            FaultAt::Link(link) => Ok(self.links(&links.ends_of(&link, &field("link"))?)),
            FaultAt::Switch(switch) => of_place(&self.by_switch, "switch", switch, &field),
            FaultAt::Node(node) => of_place(&self.by_node, "node", node, &field),
            FaultAt::Each(_) => Ok(Vec::new()),
        }
    }

    /// The groups of links: switch and port that each direction leaves by.
    fn links(&self, ends: &[(SwitchId, usize)]) -> Vec<u32> {
        let of = |&(from, port): &(SwitchId, usize)| self.by_port.get(&(from.0, port));
        ends.iter().filter_map(of).flatten().copied().collect()
    }
}

/// The span in which an instant lies.
fn there<T>(all: &[Span<T>], now: Time) -> Option<&Span<T>> {
    let span = all.get(all.partition_point(|span| span.until <= now))?;
    (span.from <= now).then_some(span)
}

/// What is kept of a switch or node, if it is there.
fn of_place(
    all: &[Vec<u32>],
    key: &str,
    number: u32,
    field: &impl Fn(&str) -> String,
) -> Result<Vec<u32>, SpecError> {
    all.get(number as usize).cloned().ok_or_else(|| {
        let allowed = format!("must be a {key} from 0 to {}", all.len() - 1);
        SpecError::new(field(key), number, allowed)
    })
}

fn starts_at_node(group: &Group) -> bool {
    use crate::measure::ChannelKind;
    matches!(group.kind, ChannelKind::Injection | ChannelKind::Direct)
}
