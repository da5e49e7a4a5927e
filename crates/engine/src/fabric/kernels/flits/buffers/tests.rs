//! Runs of instants against lists of single ones.

use super::*;
use crate::fabric::switch::switchboard::{Port, PortRest};
use crate::fabric::transit::PacketFifo;
use crate::ids::{PacketId, SwitchId};
use crate::measure::ChannelKind;
use crate::rng::{Purpose, Stream};
use std::collections::VecDeque;

const CHANNEL: ChannelId = ChannelId(0);

fn lane() -> Lane {
    let none = ChannelId::NONE;
    let port = Port {
        buffer: PacketFifo::EMPTY,
        switch: SwitchId(0),
        front_output: none,
        first_waiting: none,
        width: 1,
        kind: ChannelKind::Internal,
        dirty: false,
        own: 0,
    };
    let rest = PortRest {
        retry_at: NEVER,
        last_waiting: none,
        next_waiting: none,
        heading: PacketId::NONE,
        lead: CHANNEL,
        own: [0; 2],
    };
    Lane::idle(port, rest, 0)
}

/// The times of a run, one by one.
fn each(run: Run, count: u32) -> Vec<Time> {
    (0..count).map(|at| run.first + Time::from(at) * Time::from(run.step)).collect()
}

/// Flits that come, leave, or have not after all, against lists of single places.
#[test]
fn runs_are_what_single_places_are() {
    for (seed, flits) in [1, 2, 5, 8, 70, MOST_PLACES + 9].into_iter().enumerate() {
        let mut random = Stream::new(seed as u64, Purpose::Start, 0);
        let (mut buffers, mut lane) = (Buffers::new(1, flits), lane());
        let (mut there, mut free) = (VecDeque::new(), VecDeque::from(vec![0; flits as usize]));
        let (mut now, mut comes, mut leaves, mut past) = (0, 1, 1, 0);
        for _ in 0..20_000 {
            now += random.below(5);
            past = past.max(now.saturating_sub(random.below(100)));
            let step = 1 + random.below(2) as u32;
            let is_coming = random.below(2) == 0;
            let list = if is_coming { &free } else { &there };
            if list.is_empty() {
                continue;
            }
            let first = if is_coming {
                buffers.gather_places(CHANNEL, &mut lane, past)
            } else {
                buffers.gather_flits(CHANNEL, &mut lane, past)
            };
            let count = 1 + random.below(first.count.into()) as u32;
            let times = each(first, count);
            assert!(times.iter().zip(list).all(|(&a, &b)| a.max(past) == b.max(past)));
            let back = random.below(count.into()) as u32 * (random.below(4) / 3) as u32;
            let last = if is_coming { &mut comes } else { &mut leaves };
            let run = Run { first: now.max(*last + 1), count, step };
            *last = run.last();
            if is_coming {
                buffers.come(CHANNEL, &mut lane, run);
                free.drain(..count as usize);
                there.extend(each(run, count));
            } else {
                buffers.leave(CHANNEL, &mut lane, run);
                there.drain(..count as usize);
                free.extend(each(run, count));
            }
            if back > 0 && is_coming {
                buffers.do_not_come(CHANNEL, &mut lane, back);
                there.truncate(there.len() - back as usize);
                (0..back).for_each(|_| free.push_front(0));
            } else if back > 0 {
                let again = Run { first: past, count: back, step: 0 };
                buffers.do_not_leave(CHANNEL, &mut lane, again);
                free.truncate(free.len() - back as usize);
                (0..back).for_each(|_| there.push_front(past));
            }
            assert_eq!(lane.used as usize, there.len());
            let at = past + random.below(90);
            let room = free.iter().take_while(|&&time| time <= at).count();
            assert_eq!(buffers.room(CHANNEL, &lane, at) as usize, room);
        }
    }
}
