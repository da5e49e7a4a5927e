//! A simulator of switches that forward frames, written from `docs/model.md`: it looks at every
//! frame at every instant at which anything happens, and keeps everything where it can be seen.

use std::collections::VecDeque;
use tailback_engine::fabric::{End, Layout};
use tailback_engine::measure::{ChannelKind, Use};
use tailback_engine::spec::{
    Arbiter, Engine, Frames, Framing, LinkClass, Pause, RoutingSpec, Spec,
};
use tailback_engine::{Class, PacketRow};

type Time = u64;

/// A message: when, from which node, to which, bytes, traffic class.
pub type Message = (Time, u32, u32, u32, u8);

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// Not yet sent by its process.
    Nowhere,
    /// In the queue before a channel, since when it has been, as the how many-th of all.
    Queue {
        channel: usize,
        order: u64,
    },
    /// On a channel, whose end it reaches as a whole then.
    Channel {
        channel: usize,
        there: Time,
    },
    /// Come by a channel, it waits for the engine.
    Engine {
        channel: usize,
    },
    /// The engine is done with it, or will be, and then it takes the pipeline until then.
    Served {
        channel: usize,
        done: Time,
    },
    Delivered,
    Lost,
}

#[derive(Clone, Debug)]
struct Frame {
    message: u64,
    source: u32,
    destination: u32,
    bytes: u32,
    class: u8,
    at: At,
    queued: Time,
    first_sent: Time,
    first_internal: Time,
    delivered: Time,
    hops: u16,
}

#[derive(Clone)]
struct Channel {
    kind: ChannelKind,
    /// The node or switch it comes from, and the switch at its end.
    from: usize,
    to: Option<usize>,
    byte_ps: Time,
    wire_ps: Time,
    free_at: Time,
    used: Use,
    /// What its sender will be told: when, which classes, whether to pause.
    words: Vec<(Time, u8, bool)>,
    paused: [bool; 8],
}

/// Somebody who looks up outputs.
#[derive(Clone, Default)]
struct Lookup {
    waiting: VecDeque<usize>,
    busy_until: Time,
}

#[derive(Clone, Default)]
struct Switch {
    /// By class; all in the first where they are not told apart.
    used: [u64; 8],
    told: [bool; 8],
    /// What is being sent: until when, bytes, class.
    leaving: Vec<(Time, u64, usize)>,
}

#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub rows: Vec<PacketRow>,
    pub used: Vec<Use>,
    pub lost: u64,
    pub pauses: u64,
    pub stuck: bool,
}

pub struct Twin<'a> {
    spec: &'a Spec,
    frames_are: Frames,
    framing: Framing,
    frames: Vec<Frame>,
    channels: Vec<Channel>,
    lookups: Vec<Lookup>,
    switches: Vec<Switch>,
    /// By switch, then by node: the channel to it.
    routes: Vec<Vec<usize>>,
    now: Time,
    has_begun: bool,
    order: u64,
    pauses: u64,
}

impl<'a> Twin<'a> {
    pub fn new(spec: &'a Spec, layout: &Layout, switches: usize, messages: &[Message]) -> Self {
        let machine = &spec.machine;
        let channels: Vec<Channel> = (0..layout.channels())
            .map(|number| {
                let group = layout.group(tailback_engine::ids::ChannelId(number as u32));
                let of_node = group.kind != ChannelKind::Internal;
                let class = if of_node { machine.node_link() } else { LinkClass::default() };
                let link = class.of(&machine.link);
                Channel {
                    kind: group.kind,
                    from: group.from as usize,
                    to: match group.end {
                        End::Switch(switch) => Some(switch.0 as usize),
                        End::Node(_) => None,
                    },
                    byte_ps: link.flit_ps,
                    wire_ps: link.delay_ps,
                    free_at: 0,
                    used: Use::default(),
                    words: Vec::new(),
                    paused: [false; 8],
                }
            })
            .collect();
        let routes = routes(spec, layout, &channels, switches);
        let mut frames = Vec::new();
        for (number, &(time, source, destination, bytes, class)) in messages.iter().enumerate() {
            let mut left = bytes;
            loop {
                let own = left.min(machine.interface.packet_bytes);
                frames.push(Frame {
                    message: number as u64,
                    source,
                    destination,
                    bytes: own,
                    class,
                    at: At::Nowhere,
                    queued: time,
                    first_sent: Time::MAX,
                    first_internal: Time::MAX,
                    delivered: 0,
                    hops: 0,
                });
                left -= own;
                if left == 0 {
                    break;
                }
            }
        }
        Self {
            spec,
            frames_are: machine.switch.frames.unwrap(),
            framing: machine.link.framing,
            frames,
            lookups: vec![Lookup::default(); channels.len().max(switches)],
            channels,
            switches: vec![Switch::default(); switches],
            routes,
            now: 0,
            has_begun: false,
            order: 0,
            pauses: 0,
        }
    }

    pub fn run(mut self) -> Outcome {
        while let Some(next) = self.next_time() {
            (self.now, self.has_begun) = (next, true);
            self.leave();
            self.arrive();
            self.look_up();
            self.join();
            self.learn();
            self.send();
        }
        let stuck = self.frames.iter().any(|f| !matches!(f.at, At::Delivered | At::Lost));
        let lost = self.frames.iter().filter(|frame| frame.at == At::Lost).count() as u64;
        let delivered = self.frames.iter().filter(|frame| frame.at == At::Delivered);
        let rows = delivered.map(|frame| PacketRow {
            class: Class::Data,
            message: frame.message,
            source: frame.source,
            destination: frame.destination,
            bytes: frame.bytes,
            hops: frame.hops,
            queued: frame.queued,
            first_sent: frame.first_sent,
            first_internal: frame.first_internal,
            delivered: frame.delivered,
        });
        let rows = rows.collect();
        let used = self.channels.iter().map(|channel| channel.used).collect();
        Outcome { rows, used, lost, pauses: self.pauses, stuck }
    }

    /// When anything happens next.
    fn next_time(&self) -> Option<Time> {
        let mut times = Vec::new();
        for frame in &self.frames {
            match frame.at {
                At::Nowhere => times.push(frame.queued),
                At::Channel { there, .. } => times.push(there),
                At::Served { done, .. } => times.push(done),
                _ => {}
            }
        }
        times.extend(self.channels.iter().map(|channel| channel.free_at));
        times.extend(self.channels.iter().flat_map(|c| c.words.iter().map(|word| word.0)));
        times.extend(self.lookups.iter().map(|lookup| lookup.busy_until));
        times.extend(self.switches.iter().flat_map(|s| s.leaving.iter().map(|left| left.0)));
        times.into_iter().filter(|&time| !self.has_begun || time > self.now).min()
    }

    fn frame_bytes(&self, bytes: u32) -> u64 {
        let frame = bytes + self.spec.machine.interface.header_bytes;
        u64::from(frame.max(self.framing.minimum_bytes))
    }

    /// The class by which frames are told apart for pauses.
    fn pause_class(&self, class: u8) -> usize {
        if self.frames_are.pause == Pause::PerPriority { class.into() } else { 0 }
    }

    fn tell(&mut self, switch: usize, class: usize, pause: bool) {
        self.switches[switch].told[class] = pause;
        self.pauses += u64::from(pause);
        for channel in self.channels.iter_mut().filter(|channel| channel.to == Some(switch)) {
            let at = self.now + 72 * channel.byte_ps + channel.wire_ps;
            channel.words.push((at, class as u8, pause));
        }
    }

    /// What has been sent is out of memory.
    fn leave(&mut self) {
        for switch in 0..self.switches.len() {
            let now = self.now;
            let (gone, left): (Vec<_>, Vec<_>) =
                self.switches[switch].leaving.iter().partition(|leaving| leaving.0 <= now);
            self.switches[switch].leaving = left;
            for (_, bytes, class) in gone {
                self.switches[switch].used[class] -= bytes;
                let (used, told) =
                    (self.switches[switch].used[class], self.switches[switch].told[class]);
                if told && used <= self.frames_are.pause_low_bytes {
                    self.tell(switch, class, false);
                }
            }
        }
    }

    /// What is all there at the ends of channels, lowest channel first.
    fn arrive(&mut self) {
        for number in 0..self.channels.len() {
            let is_there = |frame: &Frame| {
                matches!(frame.at, At::Channel { channel, there }
                    if channel == number && there == self.now)
            };
            let Some(id) = self.frames.iter().position(is_there) else { continue };
            let Some(switch) = self.channels[number].to else {
                self.frames[id].at = At::Delivered;
                self.frames[id].delivered = self.now;
                continue;
            };
            let bytes = self.frame_bytes(self.frames[id].bytes);
            let all: u64 = self.switches[switch].used.iter().sum();
            if self.frames_are.memory_bytes.is_some_and(|memory| all + bytes > memory) {
                self.frames[id].at = At::Lost;
                continue;
            }
            let class = self.pause_class(self.frames[id].class);
            self.switches[switch].used[class] += bytes;
            let is_high = self.switches[switch].used[class] > self.frames_are.pause_high_bytes;
            let told = self.switches[switch].told[class];
            if self.frames_are.pause != Pause::Off && is_high && !told {
                self.tell(switch, class, true);
            }
            self.frames[id].at = At::Engine { channel: number };
            let lookup = self.lookup_of(number);
            self.lookups[lookup].waiting.push_back(id);
        }
    }

    fn lookup_of(&self, channel: usize) -> usize {
        match self.frames_are.engine {
            Engine::PerSwitch => self.channels[channel].to.unwrap(),
            Engine::PerPort => channel,
        }
    }

    /// Engines that are idle take the next frame.
    fn look_up(&mut self) {
        let delay = self.spec.machine.switch.delay_ps;
        for lookup in &mut self.lookups {
            while lookup.busy_until <= self.now
                && let Some(id) = lookup.waiting.pop_front()
            {
                lookup.busy_until = self.now + self.frames_are.forwarding_ps;
                let At::Engine { channel } = self.frames[id].at else { unreachable!() };
                self.frames[id].at = At::Served { channel, done: lookup.busy_until + delay };
            }
        }
    }

    /// Frames get into queues: from engines, lowest channel first, and from processes.
    fn join(&mut self) {
        let mut joining: Vec<(usize, usize)> = Vec::new();
        for (id, frame) in self.frames.iter().enumerate() {
            if let At::Served { channel, done } = frame.at
                && done == self.now
            {
                joining.push((channel, id));
            }
        }
        joining.sort_unstable();
        for (channel, id) in joining {
            let switch = self.channels[channel].to.unwrap();
            let to = self.routes[switch][self.frames[id].destination as usize];
            self.stand(id, to);
        }
        for id in 0..self.frames.len() {
            if self.frames[id].at == At::Nowhere && self.frames[id].queued == self.now {
                self.stand(id, self.frames[id].source as usize);
            }
        }
    }

    fn stand(&mut self, id: usize, channel: usize) {
        self.order += 1;
        self.frames[id].at = At::Queue { channel, order: self.order };
    }

    fn learn(&mut self) {
        let now = self.now;
        for channel in &mut self.channels {
            let words = std::mem::take(&mut channel.words);
            for (at, class, pause) in words {
                if at <= now {
                    channel.paused[usize::from(class)] = pause;
                } else {
                    channel.words.push((at, class, pause));
                }
            }
        }
    }

    /// Who is before whom at a channel.
    fn rank(&self, channel: usize, frame: &Frame) -> Option<(u16, u64)> {
        let At::Queue { channel: at, order } = frame.at else { return None };
        let by_pause = self.frames_are.pause == Pause::PerPriority;
        let is_nodes = self.channels[channel].kind == ChannelKind::Injection;
        if at != channel || by_pause && self.is_paused(channel, frame) {
            return None;
        }
        let classes = &self.spec.machine.routing.traffic_classes;
        let told_apart =
            self.spec.machine.switch.arbiter == Arbiter::Priority && (!is_nodes || by_pause);
        let priority = classes.get(usize::from(frame.class)).map_or(0, |class| class.priority);
        Some((if told_apart { u16::MAX - priority } else { 0 }, order))
    }

    fn is_paused(&self, channel: usize, frame: &Frame) -> bool {
        self.channels[channel].paused[self.pause_class(frame.class)]
    }

    /// Every channel that is free sends what comes first.
    fn send(&mut self) {
        for number in 0..self.channels.len() {
            if self.channels[number].free_at > self.now {
                continue;
            }
            let ranked = self.frames.iter().enumerate();
            let ranked = ranked.filter_map(|(id, frame)| Some((self.rank(number, frame)?, id)));
            let Some((_, id)) = ranked.min() else { continue };
            if self.is_paused(number, &self.frames[id]) {
                continue;
            }
            let on_wire = self.frame_bytes(self.frames[id].bytes);
            let (class, now) = (self.pause_class(self.frames[id].class), self.now);
            let channel = &mut self.channels[number];
            let preamble = u64::from(self.framing.preamble_bytes);
            let end = now + (on_wire + preamble) * channel.byte_ps;
            channel.free_at = end + u64::from(self.framing.gap_bytes) * channel.byte_ps;
            channel.used.packets += 1;
            channel.used.busy_ps += end - now;
            let frame = &mut self.frames[id];
            frame.hops += 1;
            frame.at = At::Channel { channel: number, there: end + channel.wire_ps };
            match channel.kind {
                ChannelKind::Injection => frame.first_sent = now,
                ChannelKind::Internal => frame.first_internal = frame.first_internal.min(now),
                _ => {}
            }
            if channel.kind != ChannelKind::Injection {
                let from = channel.from;
                self.switches[from].leaving.push((end, on_wire, class));
            }
        }
    }
}

/// By switch and node the channel of a way: on a tree the only one, else the lowest that brings
/// nearer.
fn routes(spec: &Spec, layout: &Layout, channels: &[Channel], switches: usize) -> Vec<Vec<usize>> {
    let links: Vec<(usize, usize, usize)> = channels
        .iter()
        .enumerate()
        .filter(|(_, channel)| channel.kind == ChannelKind::Internal)
        .map(|(number, channel)| (number, channel.from, channel.to.unwrap()))
        .collect();
    let kept = match spec.machine.routing.algorithm {
        RoutingSpec::SpanningTree => tree(&links, switches),
        _ => links,
    };
    let ejections: Vec<usize> = (0..channels.len())
        .filter(|&number| channels[number].kind == ChannelKind::Ejection)
        .collect();
    let _ = layout;
    let mut routes = vec![vec![usize::MAX; ejections.len()]; switches];
    for (node, &ejection) in ejections.iter().enumerate() {
        let home = channels[ejection].from;
        let hops = hops_to(home, &kept, switches);
        for (switch, row) in routes.iter_mut().enumerate() {
            let nearer = |link: &&(usize, usize, usize)| {
                link.1 == switch && hops[link.2] + 1 == hops[switch]
            };
            row[node] = if switch == home {
                ejection
            } else {
                kept.iter().filter(nearer).map(|link| link.0).min().unwrap_or(usize::MAX)
            };
        }
    }
    routes
}

fn hops_to(home: usize, links: &[(usize, usize, usize)], switches: usize) -> Vec<usize> {
    let mut hops = vec![usize::MAX / 2; switches];
    hops[home] = 0;
    for _ in 0..switches {
        for &(_, from, to) in links {
            hops[from] = hops[from].min(hops[to] + 1);
        }
    }
    hops
}

/// The links that carry anything: from every switch but the lowest one to its parent, which is the
/// lowest of those next to it that are nearest to the root, by the lowest link; and back.
fn tree(links: &[(usize, usize, usize)], switches: usize) -> Vec<(usize, usize, usize)> {
    let hops = hops_to(0, links, switches);
    let mut kept = Vec::new();
    for switch in 1..switches {
        let up = links.iter().filter(|link| link.1 == switch && hops[link.2] + 1 == hops[switch]);
        let Some(&(number, _, parent)) = up.min_by_key(|link| (link.2, link.0)) else { continue };
        // Of parallel links the same one back: it has the same place among them.
        let rank = |from: usize, to: usize, link: usize| {
            let between = links.iter().filter(|l| (l.1, l.2) == (from, to)).map(|l| l.0);
            between.collect::<Vec<_>>().iter().position(|&other| other == link).unwrap()
        };
        let place = rank(switch, parent, number);
        let back: Vec<_> = links.iter().filter(|l| (l.1, l.2) == (parent, switch)).collect();
        kept.push((number, switch, parent));
        kept.push(*back[place]);
    }
    kept
}
