//! The times of packets on a channel, worked out once.

use crate::error::SpecError;
use crate::fabric::network::flits::FlitSize;
use crate::ids::SwitchId;
use crate::spec::{Fidelity, Framing, Link, LinkClass, Machine};
use crate::time::Time;
use crate::topology::Topology;
use std::collections::HashMap;

/// What follows from a link's description, at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timing {
    /// Time from the start of a packet until its header has been sent.
    pub header_ps: Time,
    /// Time from the start of a packet on a channel until the switch at its end
    /// asks for an output.
    pub hop_ps: Time,
    /// Time a token is on the wire.
    pub wire_ps: Time,
    /// Time of a packet's first flit.
    pub first_ps: Time,
    /// Time of a flit: of a header or data token.
    pub flit_ps: Time,
    /// Time of a packet's last flit.
    pub last_ps: Time,
    /// Time of a control token: of a flow-control token.
    pub control_ps: Time,
    /// Header tokens of a packet.
    pub header_flits: u32,
    /// Time of header and end token.
    empty_ps: Time,
    /// Header and end token.
    empty_flits: u32,
    /// From when a flit has been sent until it is at the switch at the end.
    delay_ps: Time,
    /// Time of the shortest packet.
    least_ps: Time,
    /// Time after a packet in which no other starts.
    pub gap_ps: Time,
    /// Bytes in flits.
    size: FlitSize,
}

impl Timing {
    /// The times of a machine's links.
    pub fn of(machine: &Machine) -> Self {
        Self::new(&machine.link, machine)
    }

    /// The times of one link of a machine.
    pub fn new(link: &Link, machine: &Machine) -> Self {
        let Link { flit_ps, control_ps, delay_ps: wire_ps, .. } = *link;
        let size = FlitSize::new(link.flit_bytes);
        // Fabrics of cells count whole cell times of their frames: `network/cells.rs`.
        let framing =
            if machine.switch.cells.is_some() { Framing::default() } else { link.framing };
        let header_flits = size.flits(machine.interface.header_bytes);
        let delay_ps = wire_ps + machine.switch_delay_ps(link);
        let ps_of = |bytes: u32| flit_ps * u64::from(size.flits(bytes));
        let before_ps = link.packet_gap_ps + ps_of(framing.preamble_bytes);
        let header_ps = flit_ps * u64::from(header_flits) + before_ps;
        let end_ps = if link.end_token { control_ps } else { 0 };
        Self {
            header_ps,
            hop_ps: header_ps + delay_ps,
            wire_ps,
            first_ps: flit_ps + before_ps,
            flit_ps,
            last_ps: if link.end_token { control_ps } else { flit_ps },
            control_ps,
            header_flits,
            empty_ps: header_ps + end_ps,
            empty_flits: header_flits + u32::from(link.end_token),
            delay_ps,
            least_ps: before_ps + ps_of(framing.minimum_bytes),
            gap_ps: ps_of(framing.gap_bytes),
            size,
        }
    }

    /// The same at a share of the rate. The time of a flit is a whole number of picoseconds, rounded up,
    /// and so is that of what stands before and behind packets.
    #[must_use]
    pub fn slowed(self, share: u32, all: u32) -> Self {
        let slow = |time: Time| (time * u64::from(all)).div_ceil(u64::from(share));
        let (flit_ps, control_ps) = (slow(self.flit_ps), slow(self.control_ps));
        let flits_ps = u64::from(self.header_flits);
        let before_ps = slow(self.header_ps - self.flit_ps * flits_ps);
        let header_ps = flit_ps * flits_ps + before_ps;
        let last_ps = if self.end_ps() > 0 { control_ps } else { flit_ps };
        let end_ps = if self.end_ps() > 0 { control_ps } else { 0 };
        let is_whole = self.hop_ps == self.header_ps.max(self.last_ps) + self.delay_ps;
        let asks_ps = if is_whole { header_ps.max(last_ps) } else { header_ps };
        Self {
            header_ps,
            hop_ps: asks_ps + self.delay_ps,
            first_ps: flit_ps + before_ps,
            flit_ps,
            last_ps,
            control_ps,
            empty_ps: header_ps + end_ps,
            least_ps: slow(self.least_ps),
            gap_ps: slow(self.gap_ps),
            ..self
        }
    }

    /// The same with switches that take so much longer.
    #[must_use]
    fn later(self, by_ps: Time) -> Self {
        Self { delay_ps: self.delay_ps + by_ps, hop_ps: self.hop_ps + by_ps, ..self }
    }

    /// The same with a switch at the end that takes so long, of a machine whose others take `usual_ps`.
    #[must_use]
    fn at_host(self, ps: Time, usual_ps: Time) -> Self {
        let at_host = |at_usual: Time| at_usual - usual_ps + ps;
        Self { hop_ps: at_host(self.hop_ps), delay_ps: at_host(self.delay_ps), ..self }
    }

    /// The same where only headers wait for the switch, which arbitrates, and no flit passes
    /// through it: nodes and switches are one.
    #[must_use]
    pub fn arbitrated(self) -> Self {
        Self { delay_ps: self.wire_ps, ..self }
    }

    /// From a packet's start on a channel until it may start on the next, if it goes on behind
    /// its header and then without a gap: its header must be at the switch, and every later
    /// flit there before its turn. Of these the last two decide: all others are equally long on
    /// each of the channels, and the last may be shorter. A packet of one flit has no other.
    pub fn behind_header_ps(&self, next: &Self, bytes: u32) -> Time {
        let header = self.header_ps + self.delay_ps;
        if self.empty_flits + self.size.flits(bytes) == 1 {
            return header;
        }
        let there = self.packet_ps(bytes) + self.delay_ps;
        let last_follows = there + next.last_ps;
        let body_follows = (there + next.last_ps + next.flit_ps).saturating_sub(self.last_ps);
        let sent = next.packet_ps(bytes);
        header.max(last_follows.max(body_follows).saturating_sub(sent))
    }

    /// Lifetime of a packet that never waits and goes on behind its header, all channels being
    /// as fast as this: header time per switch, then the whole packet.
    #[inline]
    pub fn zero_load_lifetime(&self, hops: u16, bytes: u32) -> Time {
        self.hop_ps * u64::from(hops - 1) + self.packet_ps(bytes) + self.wire_ps
    }

    /// Whether packets take as long on both channels.
    pub fn has_rate_of(&self, other: &Self) -> bool {
        (self.flit_ps, self.last_ps) == (other.flit_ps, other.last_ps)
    }

    /// The same if all of it must be there first.
    pub fn stored_ps(&self, bytes: u32) -> Time {
        self.packet_ps(bytes) + self.delay_ps
    }

    /// The same times where packets cross channels as a whole: all channels being as fast as
    /// this, they may go on when header and end token are there one behind the other.
    #[must_use]
    pub fn of_whole_packets(self) -> Self {
        Self { hop_ps: self.header_ps.max(self.last_ps) + self.delay_ps, ..self }
    }

    /// From when a flit has been sent until it is at the switch at the end.
    #[inline]
    pub fn delay_ps(&self) -> Time {
        self.delay_ps
    }

    /// From when its header has been sent until a packet may ask the switch at the end.
    #[inline]
    pub fn asks_after_ps(&self) -> Time {
        self.hop_ps - self.header_ps
    }

    /// Time a packet with `bytes` data bytes occupies a channel.
    #[inline]
    pub fn packet_ps(&self, bytes: u32) -> Time {
        (self.empty_ps + self.flit_ps * u64::from(self.size.flits(bytes))).max(self.least_ps)
    }

    /// Time for which it keeps others from starting there: the gap behind it too.
    #[inline]
    pub fn occupied_ps(&self, bytes: u32) -> Time {
        self.packet_ps(bytes) + self.gap_ps
    }

    /// Flits of a packet with `bytes` data bytes: header, data and end token.
    #[inline]
    pub fn packet_flits(&self, bytes: u32) -> u32 {
        self.empty_flits + self.size.flits(bytes)
    }

    /// Bits of a packet with `bytes` data bytes: those of its flits.
    pub fn packet_bits(&self, bytes: u32) -> u64 {
        8 * u64::from(self.packet_flits(bytes)) * u64::from(self.size.bytes())
    }

    /// Flits of so many data bytes.
    #[inline]
    pub fn data_flits(&self, bytes: u32) -> u32 {
        self.size.flits(bytes)
    }

    /// Bytes of a flit.
    pub fn flit_bytes(&self) -> u32 {
        self.size.bytes()
    }

    /// Time of an end token; 0 if packets end with their last flit.
    pub fn end_ps(&self) -> Time {
        self.empty_ps - self.header_ps
    }

    /// Whether packets end with a token of their own.
    #[inline]
    pub fn ends_with_token(&self) -> bool {
        self.empty_flits > self.header_flits
    }
}

/// The last two flits of a packet that runs through channels of any rates without
/// being stopped: they decide when it leaves each.
///
/// A flit starts when the one before has been sent and it has itself arrived; of
/// all the ways that leads to, the slowest channel so far counts for all flits but
/// the last, which may be shorter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    body: Time,
    last: Time,
}

impl Running {
    /// The packet, of `tokens` flits, starts on a channel at `start`; when it has been sent.
    #[inline]
    pub fn cross(&mut self, start: Time, timing: &Timing, tokens: u32) -> Time {
        let delay = timing.delay_ps();
        if tokens == 1 {
            return start + timing.first_ps;
        }
        let gap = timing.first_ps - timing.flit_ps;
        let own = start + gap + timing.flit_ps * u64::from(tokens - 2);
        let body = self.body.max(own);
        // Of two flits the first is the body, and slow to follow.
        let followed = if tokens == 2 { start + timing.first_ps } else { body + timing.flit_ps };
        let last = self.last.max(followed);
        // What the next channel sees: each flit sent and delayed.
        self.body = body + timing.flit_ps + delay;
        self.last = last + timing.last_ps + delay;
        last + timing.last_ps
    }

    /// When the last flit but one is at the end of the channel it crossed last.
    pub fn body_is_there(&self) -> Time {
        self.body
    }
}

/// The rate of channels between switches that do not differ, in [`Rates::all`].
pub const INTERNAL: u16 = 0;

/// The rate of channels between nodes and switches, in [`Rates::all`].
pub const EXTERNAL: u16 = 1;

/// Most different rates and delays: they are numbered in 16 bits.
const MOST_RATES: usize = 1 << 16;

/// The times of all channels of a machine.
pub struct Rates {
    /// That of the link description, that of channels between node and switch, and
    /// those of links that differ.
    pub all: Vec<Timing>,
    /// By switch and port: a place in `all`; empty where links do not differ.
    internal: Vec<u16>,
    /// By node: a place in `all`; empty where links of nodes do not differ.
    external: Vec<u16>,
    /// By switch and port: wires; empty where links do not differ.
    widths: Vec<u16>,
    /// Wires of links that do not differ.
    width: u16,
}

/// What packets from nodes wait at their first switch, besides.
fn edge_delay(machine: &Machine, fidelity: Fidelity) -> Result<Time, SpecError> {
    let (switch, field) = (&machine.switch, "machine.switch.edge_delay_ps");
    let most = LinkClass::DELAY_PS.1;
    let allowed = match switch.edge_delay_ps {
        0 => return Ok(0),
        given if given > most => format!("must be 0 to {most}"),
        _ if switch.integrated || machine.makes_circuits() => {
            "must be 0 where packets do not enter a switch".into()
        }
        _ if switch.frames.is_some() || switch.cells.is_some() || switch.pipeline.is_some() => {
            "must be 0 with switch.frames, switch.cells and switch.pipeline".into()
        }
        _ if fidelity == Fidelity::Stream => "must be 0 with fidelity stream; use another".into(),
        given => return Ok(given),
    };
    Err(SpecError::new(field, switch.edge_delay_ps, allowed))
}

impl Rates {
    /// The times of a machine's channels.
    ///
    /// # Errors
    /// Rates that do not fit the topology, or too many that differ.
    pub fn new(
        machine: &Machine,
        topology: &Topology,
        fidelity: Fidelity,
    ) -> Result<Self, SpecError> {
        let (link, external) = (&machine.link, machine.node_link().of(&machine.link));
        let at_edge_ps = edge_delay(machine, fidelity)?;
        let at_edge = Timing::new(&external, machine).later(at_edge_ps);
        let all = vec![Timing::new(link, machine), at_edge];
        let width = width("machine.link.width", link.width)?;
        let classes = classes(machine, topology)?;
        let mut rates =
            Self { all, internal: Vec::new(), external: Vec::new(), widths: Vec::new(), width };
        // The second is what nodes have, whatever it is.
        let mut known = HashMap::from([(rates.all[0], INTERNAL)]);
        // What takes a time of its own: the switches of hosts.
        let hosts = topology.hosts.as_deref();
        let is_host =
            |switch: SwitchId| hosts.is_some_and(|hosts| switch.index() >= hosts.network.switches);
        let at_host = |timing: Timing, link: &Link| {
            let own_ps = hosts.map_or(0, |hosts| hosts.delay_ps);
            timing.at_host(own_ps, machine.switch_delay_ps(link))
        };
        for (own, at) in topology.node_links.iter().zip(&topology.attachments) {
            let link = own.of(&external);
            let timing = if at.enters().is_some_and(is_host) {
                at_host(Timing::new(&link, machine), &link)
            } else {
                Timing::new(&link, machine).later(at_edge_ps)
            };
            let is_usual = timing == rates.all[usize::from(EXTERNAL)];
            let rate = if is_usual { EXTERNAL } else { rates.number(&mut known, timing)? };
            rates.external.push(rate);
        }
        let are_alike = classes.is_empty()
            && topology.differing_links.is_empty()
            && topology.widths.is_empty()
            && hosts.is_none();
        if are_alike && machine.uncontended.is_empty() {
            return Ok(rates);
        }
        for place in 0..topology.neighbours.len() {
            let class = classes.get(topology.link_class(place)).unwrap_or(link);
            let own = topology.differing_links.get(place).copied().unwrap_or_default().of(class);
            let timing = Timing::new(&own, machine);
            let to_host =
                topology.neighbours[place].is_some() && is_host(topology.neighbours[place]);
            let timing = if to_host { at_host(timing, &own) } else { timing };
            let rate = rates.number(&mut known, timing)?;
            rates.internal.push(rate);
            let listed = topology.widths.get(place).copied().filter(|&width| width > 0);
            rates.widths.push(listed.unwrap_or(own.width as u16));
        }
        rates.widen(machine, topology)?;
        Ok(rates)
    }

    /// The place of times in `all`, where they are put if they are new; `known`: those of before.
    fn number(
        &mut self,
        known: &mut HashMap<Timing, u16>,
        timing: Timing,
    ) -> Result<u16, SpecError> {
        if let Some(&place) = known.get(&timing) {
            return Ok(place);
        }
        if self.all.len() >= MOST_RATES {
            let (given, allowed) = (self.all.len() - 1, MOST_RATES - 2);
            let allowed = format!("must be at most {allowed}");
            return Err(SpecError::new("different rates and delays", given, allowed));
        }
        let place = self.all.len() as u16;
        known.insert(timing, place);
        self.all.push(timing);
        Ok(place)
    }

    /// Gives links at which nobody is to wait as many wires as lead to the switches at their ends.
    fn widen(&mut self, machine: &Machine, topology: &Topology) -> Result<(), SpecError> {
        let mut wires = vec![0; topology.switches];
        let places = || topology.neighbours.iter().enumerate().filter(|at| at.1.is_some());
        for (place, to) in places() {
            wires[to.index()] += u32::from(self.widths[place]);
        }
        for enters in topology.attachments.iter().filter_map(|at| at.enters()) {
            wires[enters.index()] += machine.node_width();
        }
        for &(from, to) in &machine.uncontended {
            let ends = [(from, to), (to, from)];
            let most = ends.iter().filter_map(|end| wires.get(end.0 as usize)).max();
            let mut is_there = false;
            for (place, neighbour) in places() {
                let here = ((place / topology.ports) as u32, neighbour.0);
                if ends.contains(&here) {
                    is_there = true;
                    self.widths[place] = width("machine.uncontended", *most.unwrap_or(&0))?;
                }
            }
            if !is_there {
                let allowed = "must be two switches with a link";
                return Err(SpecError::new(
                    "machine.uncontended",
                    format!("{from}, {to}"),
                    allowed,
                ));
            }
        }
        Ok(())
    }

    /// Wires of the link at a switch and port.
    pub fn width(&self, at: usize) -> u16 {
        self.widths.get(at).copied().unwrap_or(self.width)
    }

    /// The rate of the links of a node: a place in `all`.
    pub fn external(&self, node: usize) -> u16 {
        self.external.get(node).copied().unwrap_or(EXTERNAL)
    }

    /// The rate of the link at a switch and port: a place in `all`.
    pub fn internal(&self, at: usize) -> u16 {
        self.internal.get(at).copied().unwrap_or(0)
    }
}

/// The links of every class a topology has names for; none where none differs.
fn classes(machine: &Machine, topology: &Topology) -> Result<Vec<Link>, SpecError> {
    let names = topology.link_classes();
    for (name, class) in &machine.link_classes {
        if !names.contains(name) {
            let allowed = match names.as_slice() {
                [] => "must be left out: this topology has no classes of links".into(),
                names => format!("must be one of {}", names.join(", ")),
            };
            return Err(SpecError::new(format!("machine.link_classes.{name}"), name, allowed));
        }
        if let Some(given) = class.width {
            width(&format!("machine.link_classes.{name}.width"), given)?;
        }
    }
    if machine.link_classes.is_empty() {
        return Ok(Vec::new());
    }
    let class = |name| machine.link_classes.get(name).copied().unwrap_or_default();
    Ok(names.iter().map(|name| class(name).of(&machine.link)).collect())
}

/// A number of wires.
pub fn width(field: &str, given: u32) -> Result<u16, SpecError> {
    if (1..=255).contains(&given) {
        return Ok(given as u16);
    }
    Err(SpecError::new(field, given, "must be 1 to 255"))
}
