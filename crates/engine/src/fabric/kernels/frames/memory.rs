//! What frames take in the memories of switches, and who is told to pause because of that.
//!
//! A frame is in memory from when all of it has come until all of it has been sent. What leaves at
//! an instant makes room for what comes at it. Above the high mark all neighbours, nodes too, are
//! told to pause, at the low mark or below it to go on: each learns of it as much later as the
//! frame that tells it takes on its link, which is not simulated itself, and a frame that it has
//! started it sends to the end. A frame for which there is no room is lost.

use super::FramesKernel;
use crate::event_queue::Event;
use crate::fabric::act::Act;
use crate::fabric::network::layout::End;
use crate::fabric::network::wiring::Wiring;
use crate::ids::{ChannelId, PacketId, SwitchId};
use crate::spec::{Frames, Framing, Machine, Pause};
use crate::time::Time;
use crate::topology::Topology;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What is in the memories of switches.
#[derive(Clone)]
pub struct Memory {
    header_bytes: u32,
    framing: Framing,
    /// Bytes there is room for.
    limit: u64,
    pause: Pause,
    high: u64,
    low: u64,
    /// Priorities that are paused one by one.
    groups: usize,
    /// By switch, then by priority: bytes of frames.
    used: Vec<u64>,
    /// The same: whether neighbours have been told to pause.
    told: Vec<bool>,
    /// By switch: when frames that are being sent will have been, with their bytes and priority.
    leaving: Vec<BinaryHeap<Reverse<(Time, u64, u8)>>>,
    /// By switch: the channels into it, and those out of it.
    pub(super) incoming: Vec<Vec<ChannelId>>,
    pub(super) outgoing: Vec<Vec<ChannelId>>,
    /// By channel: what its sender will be told.
    words: Vec<VecDeque<Word>>,
    /// By channel: the priorities that it does not send, as bits.
    paused: Vec<u8>,
    /// By channel: how long it takes to be told.
    word_ps: Vec<Time>,
}

/// A sender is to pause, or to go on, with a priority.
#[derive(Clone, Copy)]
struct Word {
    at: Time,
    group: u8,
    pauses: bool,
}

impl Memory {
    /// Empty memories, if what is in them matters.
    pub fn new(
        machine: &Machine,
        frames: &Frames,
        topology: &Topology,
        wiring: &Wiring,
    ) -> Option<Self> {
        if frames.memory_bytes.is_none() && frames.pause == Pause::Off {
            return None;
        }
        let layout = &wiring.layout;
        let known = machine.routing.traffic_classes.len().max(1);
        let groups = if frames.pause == Pause::PerPriority { known } else { 1 };
        let mut incoming = vec![Vec::new(); topology.switches];
        let mut outgoing = vec![Vec::new(); topology.switches];
        let mut word_ps = vec![0; layout.channels()];
        for group in &layout.groups {
            let timing = &wiring.timings[usize::from(group.rate)];
            let takes = timing.flit_ps * u64::from(timing.data_flits(Frames::PAUSE_BYTES));
            word_ps[group.first.index()] = takes + timing.wire_ps;
            if let End::Switch(switch) = group.end {
                incoming[switch.index()].push(group.first);
            }
            if group.slot.is_some() || matches!(group.end, End::Node(_)) {
                outgoing.get_mut(group.from as usize).into_iter().for_each(|channels| {
                    channels.push(group.first);
                });
            }
        }
        Some(Self {
            header_bytes: machine.interface.header_bytes,
            framing: machine.link.framing,
            limit: frames.memory_bytes.unwrap_or(u64::MAX),
            pause: frames.pause,
            high: frames.pause_high_bytes,
            low: frames.pause_low_bytes,
            groups,
            used: vec![0; topology.switches * groups],
            told: vec![false; topology.switches * groups],
            leaving: vec![BinaryHeap::new(); topology.switches],
            incoming,
            outgoing,
            words: vec![VecDeque::new(); layout.channels()],
            paused: vec![0; layout.channels()],
            word_ps,
        })
    }

    /// Bytes of a frame with so many data bytes.
    fn bytes(&self, data: u32) -> u64 {
        self.framing.frame_bytes(self.header_bytes + data).into()
    }

    /// The priority of a traffic class.
    fn group(&self, traffic: u8) -> usize {
        if self.groups == 1 { 0 } else { traffic.into() }
    }

    /// Takes up what a channel's sender has been told by `now`.
    fn learn(&mut self, at: ChannelId, act: &mut Act) {
        let now = act.now;
        let words = &mut self.words[at.index()];
        while let Some(word) = words.front().copied().filter(|word| word.at <= now) {
            words.pop_front();
            let bit = 1 << word.group;
            let paused = &mut self.paused[at.index()];
            *paused = if word.pauses { *paused | bit } else { *paused & !bit };
            if let Some(forwarding) = &mut act.measures.forwarding {
                forwarding.pauses(at, *paused != 0, word.at);
            }
        }
    }

    /// Whether a channel does not send a class, as far as has been taken up.
    fn pauses(&self, at: ChannelId, class: usize) -> bool {
        let group = if self.groups == 1 { 0 } else { class };
        self.paused[at.index()] & 1 << group != 0
    }

    /// Whether a channel's sender will be told anything.
    pub(super) fn has_words(&self, at: ChannelId) -> bool {
        !self.words[at.index()].is_empty()
    }

    /// Whether a frame is being sent out of a switch.
    pub(super) fn is_sending(&self, switch: SwitchId, now: Time) -> bool {
        self.leaving[switch.index()].iter().any(|Reverse((end, ..))| *end > now)
    }

    /// The neighbours of a switch are to pause, or to go on.
    fn tell(&mut self, switch: SwitchId, group: usize, pauses: bool, act: &mut Act) {
        self.told[switch.index() * self.groups + group] = pauses;
        act.measures.counters.pauses += u64::from(pauses);
        for &channel in &self.incoming[switch.index()] {
            let at = act.now + self.word_ps[channel.index()];
            let word = Word { at, group: group as u8, pauses };
            self.words[channel.index()].push_back(word);
            act.events.post(at, Event::Retry(channel.into()));
            if let Some(forwarding) = act.measures.forwarding.as_mut().filter(|_| pauses) {
                forwarding.tells(channel);
            }
        }
    }

    /// Frames that have left a switch by now are in its memory no more.
    fn settle(&mut self, switch: SwitchId, act: &mut Act) {
        let place = switch.index();
        while let Some(&Reverse((end, bytes, group))) = self.leaving[place].peek() {
            if end > act.now {
                return;
            }
            self.leaving[place].pop();
            let at = place * self.groups + usize::from(group);
            self.used[at] -= bytes;
            if self.told[at] && self.used[at] <= self.low {
                self.tell(switch, group.into(), false, act);
            }
        }
    }

    /// Whether there is room for a frame, which is in memory then.
    fn keep(&mut self, switch: SwitchId, (data, traffic): (u32, u8), act: &mut Act) -> bool {
        self.settle(switch, act);
        let bytes = self.bytes(data);
        let first = switch.index() * self.groups;
        let used: u64 = self.used[first..][..self.groups].iter().sum();
        if used + bytes > self.limit {
            return false;
        }
        let group = self.group(traffic);
        let at = first + group;
        self.used[at] += bytes;
        if self.pause != Pause::Off && !self.told[at] && self.used[at] > self.high {
            self.tell(switch, group, true, act);
        }
        true
    }
}

impl FramesKernel {
    /// Whether there is room for a frame that has come to a switch: it is in memory then.
    pub(super) fn keep(&mut self, switch: SwitchId, id: PacketId, act: &mut Act) -> bool {
        let packet = &act.packets[id];
        let of = (packet.bytes, packet.traffic());
        self.memory.as_mut().is_none_or(|memory| memory.keep(switch, of, act))
    }

    /// A frame that a switch has started to send is out of its memory at `end`.
    pub(super) fn leave(
        &mut self,
        switch: SwitchId,
        at: ChannelId,
        id: PacketId,
        end: Time,
        act: &mut Act,
    ) {
        let Some(memory) = &mut self.memory else { return };
        let packet = &act.packets[id];
        let (bytes, group) = (memory.bytes(packet.bytes), memory.group(packet.traffic()) as u8);
        memory.leaving[switch.index()].push(Reverse((end, bytes, group)));
        if memory.pause != Pause::Off {
            // Its neighbours may have to be told, whoever else waits for this channel.
            act.events.post(end, Event::Retry(at.into()));
        }
    }

    /// A frame for which there is no room is lost, with its riders.
    #[cold]
    pub(super) fn lose(at: (ChannelId, SwitchId), id: PacketId, act: &mut Act) {
        while let Some(rider) = act.packets.take_rider(id) {
            Self::lose(at, rider, act);
        }
        let (channel, switch) = at;
        act.measures.counters.packets_lost += 1;
        if let Some(forwarding) = &mut act.measures.forwarding {
            forwarding.loses(channel);
        }
        if let Some(blame) = &mut act.measures.blame {
            blame.lost(id);
        }
        if let Some(late) = &mut act.measures.late {
            let bytes = act.packets[id].bytes;
            let takes = |channel, at| act.wiring.timing_at(channel, at).packet_ps(bytes);
            late.lost(act.measures.slices.as_deref_mut(), id, act.now, takes);
        }
        act.packets.lose(id, switch, act.now);
    }

    /// A channel looks again: what has been sent is out of memory, and what its sender has been
    /// told counts.
    pub(super) fn settle(&mut self, at: ChannelId, act: &mut Act) {
        let from = self.board.at(at).from;
        let Some(memory) = &mut self.memory else { return };
        memory.learn(at, act);
        if from.is_some() {
            memory.settle(from, act);
        }
    }

    /// Whether a channel does not send a class now.
    pub(super) fn is_paused(&mut self, at: ChannelId, class: usize, act: &mut Act) -> bool {
        let Some(memory) = &mut self.memory else { return false };
        memory.learn(at, act);
        memory.pauses(at, class)
    }

    /// The same, as it was when it was last asked for.
    #[inline]
    pub(super) fn pauses(&self, at: ChannelId, class: usize) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.pauses(at, class))
    }
}
