//! Which channels the packets of each class crossed, and how long they kept each busy.

use crate::ids::ChannelId;
use crate::mixed::Mixed;
use crate::time::Time;

/// Most pairs of a class and a channel.
const MOST: usize = 1 << 20;

/// The channels that the packets of a class crossed in the window.
#[derive(Clone)]
pub struct Ways {
    /// None: there were too many pairs, so that nothing is told.
    busy: Option<Mixed<(u32, ChannelId), Time>>,
    most: usize,
}

impl Default for Ways {
    fn default() -> Self {
        Self::of_at_most(MOST)
    }
}

impl Ways {
    /// So many pairs at most.
    pub fn of_at_most(most: usize) -> Self {
        Self { busy: Some(Mixed::default()), most }
    }

    /// A packet of a class keeps a channel busy for so long.
    #[inline]
    pub fn add(&mut self, class: u32, channel: ChannelId, time: Time) {
        let Some(busy) = &mut self.busy else { return };
        *busy.entry((class, channel)).or_default() += time;
        if busy.len() > self.most {
            self.busy = None;
        }
    }

    /// All of them, in order of classes and channels.
    pub fn rows(&self) -> Vec<(u32, ChannelId, Time)> {
        let all = self.busy.iter().flatten();
        let mut rows: Vec<_> =
            all.map(|(&(class, channel), &time)| (class, channel, time)).collect();
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_are_not_told_apart() {
        let mut ways = Ways::of_at_most(2);
        for (class, channel, time) in [(1, 7, 10), (0, 3, 5), (1, 7, 20)] {
            ways.add(class, ChannelId(channel), time);
        }
        assert_eq!(ways.rows(), [(0, ChannelId(3), 5), (1, ChannelId(7), 30)]);
        ways.add(2, ChannelId(7), 1);
        assert_eq!(ways.rows(), []);
        ways.add(1, ChannelId(7), 1);
        assert_eq!(ways.rows(), []);
    }
}
