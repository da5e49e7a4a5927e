//! What switches that forward frames do to those that send to them: frames lost, and pauses.

use crate::ids::ChannelId;
use crate::time::Time;

/// What happened at the ends of one channel in the current window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfFrames {
    /// Frames that had crossed it and were lost at its end.
    pub lost: u64,
    /// How often its sender was told to pause.
    pub pauses: u64,
    /// For how long its sender paused, with one priority or more, up to now.
    pub paused_ps: Time,
}

/// The same of all channels; what counts for the lead of a group counts for all of it.
#[derive(Clone)]
pub struct Forwarding {
    channels: Vec<OfFrames>,
    /// By channel: since when its sender has paused, if it does.
    since: Vec<Option<Time>>,
}

impl Forwarding {
    /// Nothing has happened.
    pub fn new(channels: usize) -> Self {
        Self { channels: vec![OfFrames::default(); channels], since: vec![None; channels] }
    }

    /// A new measurement window begins.
    pub fn begin_window(&mut self, now: Time) {
        self.channels.fill(OfFrames::default());
        self.since.iter_mut().flatten().for_each(|since| *since = now);
    }

    /// A frame is lost at the end of a channel.
    pub fn loses(&mut self, channel: ChannelId) {
        self.channels[channel.index()].lost += 1;
    }

    /// The sender of a channel is told to pause.
    pub fn tells(&mut self, channel: ChannelId) {
        self.channels[channel.index()].pauses += 1;
    }

    /// The sender of a channel pauses from an instant on, or does not.
    pub fn pauses(&mut self, channel: ChannelId, is_paused: bool, at: Time) {
        let since = &mut self.since[channel.index()];
        match (*since, is_paused) {
            (None, true) => *since = Some(at),
            (Some(begun), false) => {
                *since = None;
                self.channels[channel.index()].paused_ps += at.saturating_sub(begun);
            }
            _ => {}
        }
    }

    /// What happened up to now, by channel.
    pub fn until(&self, now: Time) -> impl Iterator<Item = OfFrames> {
        self.channels.iter().zip(&self.since).map(move |(&found, since)| OfFrames {
            paused_ps: found.paused_ps + since.map_or(0, |since| now.saturating_sub(since)),
            ..found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_counts_in_the_window_only_and_up_to_now() {
        let mut found = Forwarding::new(1);
        let channel = ChannelId(0);
        found.pauses(channel, true, 10);
        found.pauses(channel, true, 12);
        found.begin_window(15);
        assert_eq!(found.until(21).next().unwrap().paused_ps, 6);
        found.pauses(channel, false, 20);
        found.pauses(channel, false, 23);
        found.tells(channel);
        found.loses(channel);
        let right = OfFrames { lost: 1, pauses: 1, paused_ps: 5 };
        assert_eq!(found.until(30).next(), Some(right));
    }
}
