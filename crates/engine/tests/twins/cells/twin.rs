//! The same machine, slow and obvious: every tick, everybody looks.

use std::collections::VecDeque;
use tailback_engine::spec::{Cells, Framing, Mode, Spec, TopologySpec, Workload};
use tailback_engine::time::Time;

/// What the twin knows of a run: times are ticks.
pub struct Twin {
    sides: [u32; 2],
    nodes_per_card: u32,
    /// Ticks of a byte on a line.
    byte: u64,
    header: u32,
    packet: u32,
    cells: Cells,
    framing: Framing,
    line_delay: u64,
    link_delay: u64,
    mode: Mode,
    /// Tick, source, destination, bytes, in order of time.
    rows: Vec<(u64, u32, u32, u32)>,
}

/// A packet.
struct Packet {
    from: u32,
    to: u32,
    bytes: u32,
    message: usize,
    /// Cells that have come out of the fabric.
    out: u32,
    delivered: Option<u64>,
}

/// A cell on its way to, or waiting for, a port or link.
#[derive(Clone, Copy)]
struct Cell {
    at: u64,
    packet: usize,
    place: usize,
}

/// A line: frames that wait for it, and until when it is busy.
#[derive(Clone, Default)]
struct Line {
    queue: VecDeque<usize>,
    busy: u64,
}

/// A port or link.
#[derive(Clone, Default)]
struct Port {
    queue: VecDeque<Cell>,
    busy: u64,
}

impl Twin {
    /// That of a run whose times are ticks of so many picoseconds.
    pub fn of(spec: &Spec, tick: Time) -> Self {
        let (machine, cells) = (&spec.machine, spec.machine.switch.cells.unwrap());
        let (sides, nodes_per_card) = match &machine.topology {
            TopologySpec::ConcentratedTorus { dims, nodes_per_switch } => {
                ([dims[0], dims[1]], *nodes_per_switch)
            }
            TopologySpec::Star { nodes } => ([1, 1], *nodes),
            other => panic!("{other:?}"),
        };
        let Workload::Messages(list) = &spec.workload else { panic!("a list of messages") };
        let row = |at: usize| {
            (list.time_ps[at] / tick, list.source[at], list.destination[at], list.bytes[at] as u32)
        };
        Self {
            sides,
            nodes_per_card,
            byte: machine.link.flit_ps / tick,
            header: machine.interface.header_bytes,
            packet: machine.interface.packet_bytes,
            framing: machine.link.framing,
            cells: Cells {
                cell_ps: cells.cell_ps / tick,
                card_ps: cells.card_ps / tick,
                leave_ps: cells.leave_ps / tick,
                hop_ps: cells.hop_ps / tick,
                ..cells
            },
            line_delay: machine.node_link().delay_ps.unwrap_or(machine.link.delay_ps) / tick,
            link_delay: machine.link.delay_ps / tick,
            mode: spec.mode,
            rows: (0..list.time_ps.len()).map(row).collect(),
        }
    }

    fn card(&self, node: u32) -> u32 {
        node / self.nodes_per_card
    }

    /// The card that is next on the way: x first, the shorter way, at equal length up.
    fn next(&self, card: u32, to: u32) -> u32 {
        let [x, y] = self.sides;
        let (here, there) = ([card % x, card / x], [to % x, to / x]);
        let axis = usize::from(here[0] == there[0]);
        let side = self.sides[axis];
        let up = (there[axis] + side - here[axis]) % side;
        let step = if 2 * up <= side { 1 } else { side - 1 };
        let mut next = here;
        next[axis] = (here[axis] + step) % side;
        debug_assert!(next[1] < y);
        next[0] + next[1] * x
    }

    /// Ports and links by which a packet goes: (card, card) is the port in, then links, then the
    /// port out.
    fn way(&self, packet: &Packet) -> Vec<(u32, u32)> {
        let (mut card, to) = (self.card(packet.from), self.card(packet.to));
        let mut way = vec![(card, card)];
        while card != to {
            let next = self.next(card, to);
            way.push((card, next));
            card = next;
        }
        way.push((to, u32::MAX));
        way
    }

    fn frame(&self, packet: &Packet) -> u64 {
        u64::from((packet.bytes + self.header).max(self.framing.minimum_bytes))
    }

    /// Ticks of a packet on a line, in whole cell times.
    fn on_line(&self, packet: &Packet) -> u64 {
        let ticks = (self.frame(packet) + u64::from(self.framing.preamble_bytes)) * self.byte;
        ticks.div_ceil(self.cells.cell_ps) * self.cells.cell_ps
    }

    fn gap(&self) -> u64 {
        let ticks = u64::from(self.framing.gap_bytes) * self.byte;
        ticks / self.cells.cell_ps * self.cells.cell_ps
    }

    fn count(&self, packet: &Packet) -> u64 {
        self.frame(packet).div_ceil(self.cells.cell_bytes.into())
    }

    /// From a cell's start at a place of its way until it is at the next.
    fn after(&self, way: &[(u32, u32)], place: usize) -> u64 {
        let across = self.cells.card_ps - self.cells.cell_ps;
        let is_first = place == 0;
        let leaves_next = place + 2 == way.len();
        match (is_first, leaves_next) {
            (true, true) => across,
            (true, false) => self.cells.leave_ps,
            (false, last) => self.cells.hop_ps + self.link_delay + if last { across } else { 0 },
        }
    }

    /// When every packet was delivered, by message in order of time.
    #[allow(clippy::too_many_lines, reason = "a tick from its beginning to its end")]
    pub fn run(&self) -> Vec<Vec<u64>> {
        let rows = &self.rows;
        let mut packets: Vec<Packet> = Vec::new();
        let mut left: VecDeque<(u64, usize)> = VecDeque::new();
        for (message, &(at, from, to, bytes)) in rows.iter().enumerate() {
            let mut rest = bytes;
            loop {
                let bytes = rest.min(self.packet);
                left.push_back((at, packets.len()));
                packets.push(Packet { from, to, bytes, message, out: 0, delivered: None });
                rest -= bytes;
                if rest == 0 {
                    break;
                }
            }
        }
        let ways: Vec<_> = packets.iter().map(|packet| self.way(packet)).collect();
        let cards = self.sides[0] * self.sides[1];
        let nodes = (cards * self.nodes_per_card) as usize;
        let mut lines = [vec![Line::default(); nodes], vec![Line::default(); nodes]];
        let mut messages = vec![Line::default(); rows.len()];
        // Lines back of messages that have them for themselves.
        let mut own_lines = vec![Line::default(); rows.len()];
        // By card and what it leads to: itself (in), another card, nowhere (out); and by the message
        // that has it for itself, if it does.
        let mut ports = std::collections::BTreeMap::<(u32, u32, Option<usize>), Port>::new();
        let mut coming: Vec<Cell> = Vec::new();
        let mut ready: Vec<(u64, usize)> = Vec::new();
        let mut now = 0;
        while packets.iter().any(|packet| packet.delivered.is_none()) {
            // Frames that are queued, and those that start on lines of nodes.
            while left.front().is_some_and(|&(at, _)| at == now) {
                let packet = left.pop_front().unwrap().1;
                if matches!(self.mode, Mode::Full | Mode::Endpoints) {
                    lines[0][packets[packet].from as usize].queue.push_back(packet);
                } else {
                    messages[packets[packet].message].queue.push_back(packet);
                }
            }
            for line in lines[0].iter_mut().chain(&mut messages) {
                if line.busy <= now
                    && let Some(packet) = line.queue.pop_front()
                {
                    let entry = now + self.on_line(&packets[packet]) + self.line_delay;
                    line.busy = now + self.on_line(&packets[packet]) + self.gap();
                    for cell in 0..self.count(&packets[packet]) {
                        let pauses = self.cells.pacing.map_or(0, |p| (cell + 1) / u64::from(p));
                        let at = entry + (cell + pauses) * self.cells.cell_ps;
                        coming.push(Cell { at, packet, place: 0 });
                    }
                }
            }
            // Ports in, then links, then ports out: a cell may cross two in one tick.
            for kind in 0..3 {
                let of_kind = |cell: &Cell| {
                    let last = ways[cell.packet].len() - 1;
                    let place = cell.place;
                    kind == if place == 0 { 0 } else { 1 + usize::from(place == last) }
                };
                let mut here: Vec<Cell> =
                    coming.iter().filter(|cell| cell.at == now && of_kind(cell)).copied().collect();
                coming.retain(|cell| cell.at != now || !of_kind(cell));
                here.sort_by_key(|cell| cell.packet);
                let mut starts = Vec::new();
                for cell in here {
                    if self.mode != Mode::Throttled || cell.place == 0 {
                        let (from, to) = ways[cell.packet][cell.place];
                        let is_own = matches!(self.mode, Mode::Endpoints | Mode::Free);
                        let owner = is_own.then_some(packets[cell.packet].message);
                        ports.entry((from, to, owner)).or_default().queue.push_back(cell);
                    } else {
                        starts.push(cell);
                    }
                }
                for (&(from, to, _), port) in &mut ports {
                    let is_kind = match kind {
                        0 => from == to,
                        1 => from != to && to != u32::MAX,
                        _ => to == u32::MAX,
                    };
                    if is_kind
                        && port.busy <= now
                        && let Some(cell) = port.queue.pop_front()
                    {
                        port.busy = now + self.cells.cell_ps;
                        starts.push(cell);
                    }
                }
                for cell in starts {
                    let way = &ways[cell.packet];
                    if cell.place + 1 < way.len() {
                        let at = now + self.after(way, cell.place);
                        coming.push(Cell { at, place: cell.place + 1, ..cell });
                    } else {
                        packets[cell.packet].out += 1;
                        if u64::from(packets[cell.packet].out) == self.count(&packets[cell.packet])
                        {
                            ready.push((now + self.cells.cell_ps, cell.packet));
                        }
                    }
                }
            }
            // Frames that are out of the fabric.
            let mut out: Vec<usize> =
                ready.iter().filter(|&&(at, _)| at == now).map(|&(_, packet)| packet).collect();
            out.sort_unstable();
            for packet in out {
                let at = now + self.on_line(&packets[packet]) + self.line_delay;
                if matches!(self.mode, Mode::Full | Mode::Endpoints) {
                    lines[1][packets[packet].to as usize].queue.push_back(packet);
                } else if self.mode == Mode::Free {
                    own_lines[packets[packet].message].queue.push_back(packet);
                } else {
                    packets[packet].delivered = Some(at);
                }
            }
            for line in lines[1].iter_mut().chain(&mut own_lines) {
                if line.busy <= now
                    && let Some(packet) = line.queue.pop_front()
                {
                    let takes = self.on_line(&packets[packet]);
                    packets[packet].delivered = Some(now + takes + self.line_delay);
                    line.busy = now + takes + self.gap();
                }
            }
            now += 1;
        }
        let mut delivered = vec![Vec::new(); rows.len()];
        for packet in &packets {
            delivered[packet.message].push(packet.delivered.unwrap());
        }
        delivered.iter_mut().for_each(|times| times.sort_unstable());
        delivered
    }
}
