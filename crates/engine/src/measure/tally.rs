//! What is kept for every channel and every node.

use crate::time::Time;

/// What one channel carried in the current window; the channel itself counts this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Time it transmitted.
    pub busy_ps: Time,
    /// Packets that started on it.
    pub packets: u32,
}

impl Use {
    /// It has carried more.
    pub fn add(&mut self, more: Self) {
        self.busy_ps += more.busy_ps;
        self.packets += more.packets;
    }
}

/// Who waited for one channel in the current window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelTally {
    /// Time it was kept idle by a granted packet that waited for room.
    pub kept_ps: Time,
    /// Waits for it before a packet's first channel or first internal channel.
    pub wait_throttling_ps: Time,
    /// Later waits for it.
    pub wait_internal_ps: Time,
    /// Packets that waited for it.
    pub waits: u64,
}

/// What one node did in the current window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeTally {
    /// Messages whose last packet has started.
    pub messages_sent: u64,
    /// Messages received.
    pub messages_delivered: u64,
    /// Messages of this node that were acknowledged.
    pub messages_acknowledged: u64,
    /// Packets that started here, by class.
    pub packets_sent: [u64; 2],
    /// Packets that arrived here, by class.
    pub packets_delivered: [u64; 2],
    /// The output queues, by class.
    pub queues: [QueueTally; 2],
}

impl NodeTally {
    /// Forgets everything but the present queue lengths.
    pub fn begin_window(&mut self, now: Time) {
        let queues = self.queues.map(|queue| QueueTally {
            length: queue.length,
            max: queue.length,
            since: now,
            area_ps: 0,
        });
        *self = Self { queues, ..Self::default() };
    }
}

/// The length of a queue over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueTally {
    /// Present length.
    pub length: u32,
    /// Greatest length.
    pub max: u32,
    /// When the length last changed.
    pub since: Time,
    /// Integral of the length over time, up to `since`.
    pub area_ps: u64,
}

impl QueueTally {
    /// One more.
    #[inline]
    pub fn enter(&mut self, now: Time) {
        self.settle(now);
        self.length += 1;
        self.max = self.max.max(self.length);
    }

    /// One less.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        self.settle(now);
        self.length -= 1;
    }

    /// Brings the integral up to `now`.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        self.area_ps += u64::from(self.length) * (now - self.since);
        self.since = now;
    }
}
