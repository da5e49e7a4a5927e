//! Requests and replies: random classes of them, and what the slow twins know.

use super::random::Dice;
use tailback_engine::PacketRow;
use tailback_engine::error::{Blocked, Lack, RunError};
use tailback_engine::spec::{
    Distribution, Pattern, Source, Start, Sync, Synthetic, Throttle, Traffic,
};
use tailback_engine::time::Time;

/// What the message of a packet is to its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Nothing,
    /// A reply of so many bytes, of a class.
    Reply(u32, usize),
    /// It is one; whether the packet is its last.
    Answers(bool),
}

/// A message: when, from where to where, how long, of which class and what it asks for.
pub type Sent = (Time, (u32, u32), u32, (usize, Asks));

/// Requests in the order in which they are sent: constant lengths, one after every period, to the
/// nodes of a permutation.
pub fn requests(traffic: &Traffic, nodes: usize) -> Vec<Sent> {
    let mut list = Vec::new();
    for (number, class) in traffic.classes.iter().enumerate() {
        let Some(reply) = class.reply else { continue };
        let Pattern::Permutation { to } = &class.messages.pattern else {
            panic!("only permutations")
        };
        let bytes = traffic.classes[reply as usize].messages.bytes.mean as u32;
        for count in 1..=u64::from(class.messages.repeat.unwrap()) {
            for source in 0..nodes as u32 {
                let ends = (source, to[source as usize]);
                if ends.0 == ends.1 {
                    // Nodes do not ask themselves.
                    continue;
                }
                let at = count * class.messages.compute.mean;
                let sent = class.messages.bytes.mean as u32;
                list.push((at, ends, sent, (number, Asks::Reply(bytes, reply as usize))));
            }
        }
    }
    list.sort_by_key(|&(at, (source, _), _, (number, _))| (at, number, source));
    list
}

/// One or two classes that ask nodes of a permutation each, and one or two that answer them, where a
/// flit takes so long.
pub fn classes(dice: &mut Dice, nodes: usize, flit_ps: Time) -> Vec<Source> {
    let asking = dice.number(1, 2) as usize;
    let answering = dice.number(1, asking as u64) as usize;
    let mut classes = Vec::new();
    for class in 0..asking + answering {
        let is_asking = class < asking;
        let messages = Synthetic {
            processes_per_node: 1,
            pattern: Pattern::Permutation { to: permutation(dice, nodes) },
            radius: 0,
            compute: Distribution::constant(dice.number(1, 12 * flit_ps)),
            messages: 1,
            bytes: Distribution::constant(dice.number(0, 12)),
            mix: Vec::new(),
            includes_self: false,
            sync: Sync::Asynchronous,
            throttle: Throttle::Outstanding { limit: 1_000 },
            start: Start::Together,
            repeat: is_asking.then(|| dice.number(1, 8) as u32),
        };
        let reply = is_asking.then(|| (asking + class.min(answering - 1)) as u32);
        classes.push(Source { messages, reply, reply_bytes: Vec::new() });
    }
    classes
}

/// Nodes in another order.
pub fn permutation(dice: &mut Dice, nodes: usize) -> Vec<u32> {
    let mut to: Vec<u32> = (0..nodes as u32).collect();
    for place in (1..nodes).rev() {
        to.swap(place, dice.number(0, place as u64) as usize);
    }
    if to.iter().enumerate().all(|(node, &to)| node as u32 == to) {
        to.rotate_left(1);
    }
    to
}

/// What was delivered, whatever messages are called.
pub fn delivered(rows: Vec<PacketRow>) -> Vec<PacketRow> {
    let rows = rows.into_iter().filter(|row| row.delivered != Time::MAX);
    let ends = |row: &PacketRow| u64::from(row.source) << 32 | u64::from(row.destination);
    rows.map(|row| PacketRow { message: ends(&row), ..row }).collect()
}

/// Each waits for what the next has.
pub fn is_closed(circle: &[Blocked], error: &RunError) {
    assert!(circle.len() > 1, "{error}");
    for (place, blocked) in circle.iter().enumerate() {
        let next = &circle[(place + 1) % circle.len()];
        use Lack::{
            FirstInQueue, ReplyIsSent, ReplyLeaves, ReplyPlace, RestComes, RestIsQueued, RestLeaves,
        };
        let has_it = match blocked.lack {
            ReplyPlace => match next.lack {
                RestComes | RestIsQueued => next.destination == blocked.destination,
                ReplyLeaves | ReplyIsSent | RestLeaves | FirstInQueue => {
                    next.source == blocked.destination
                }
                _ => false,
            },
            ReplyLeaves | RestIsQueued => {
                next.lack == FirstInQueue && next.source == blocked.source
            }
            _ => {
                let wanted = blocked.waits_for.channel;
                let stands_there = next.holds.iter().any(|held| held.channel == wanted);
                stands_there || blocked.held_by == Some(next.packet)
            }
        };
        assert!(has_it, "{place} of {error}");
    }
}
