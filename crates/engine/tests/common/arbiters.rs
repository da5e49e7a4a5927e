//! The arbiters as the slow twins have them, from the table in `docs/model.md`, and what random
//! cases draw.

use tailback_engine::spec::Arbiter;
use tailback_engine::time::{NEVER, Time};

/// What random cases draw: all arbiters, the usual one twice.
pub fn drawn() -> Vec<Arbiter> {
    [Arbiter::default()].into_iter().chain(Arbiter::ALL.iter().copied()).collect()
}

/// A request, as an arbiter sees it.
pub struct Request {
    /// Number of the channel in whose buffer the packet is.
    pub input: usize,
    /// Whether that comes from a node.
    pub is_from_node: bool,
    /// When the packet was queued at its source.
    pub queued: Time,
    /// Channels it has crossed.
    pub hops: u64,
    /// The priority of its traffic class; 0 where there are none.
    pub urgency: u16,
}

/// Where the smallest is the best; `granted`: the inputs granted before at the same place, the
/// latest last.
pub fn rank(arbiter: Arbiter, request: &Request, granted: &[usize]) -> Time {
    match arbiter {
        Arbiter::Fifo | Arbiter::Random => 0,
        Arbiter::Priority => NEVER - Time::from(request.urgency),
        Arbiter::NetFirst => Time::from(request.is_from_node),
        Arbiter::OldestFirst => request.queued,
        Arbiter::HopsFirst => NEVER - request.hops,
        Arbiter::RoundRobin => match granted.last() {
            // From the next number up, then from the lowest.
            Some(&last) if request.input <= last => NEVER / 2 + request.input as Time,
            _ => request.input as Time,
        },
        Arbiter::LeastRecentlyGranted => {
            let latest = granted.iter().rposition(|&input| input == request.input);
            latest.map_or(0, |number| number as Time + 1)
        }
    }
}

/// By hand, of packets that wait for one channel: in which order they are delivered, if the
/// oldest asks last, or first (`policies_choose_among_those_who_wait` of the cycles).
pub const BY_HAND: [(Arbiter, [usize; 3], [usize; 3]); 7] = [
    (Arbiter::Fifo, [0, 2, 1], [0, 1, 2]),
    (Arbiter::Priority, [0, 2, 1], [0, 1, 2]),
    (Arbiter::OldestFirst, [0, 1, 2], [0, 1, 2]),
    (Arbiter::NetFirst, [0, 1, 2], [0, 2, 1]),
    (Arbiter::HopsFirst, [0, 1, 2], [0, 2, 1]),
    // The other input from node 1 has the next number.
    (Arbiter::RoundRobin, [0, 2, 1], [0, 1, 2]),
    // Neither input has been granted anything: who asks first is first.
    (Arbiter::LeastRecentlyGranted, [0, 2, 1], [0, 1, 2]),
];

/// The same of two packets whose place among those queued at the source is 1 or 2: who is first,
/// and who if the node has two channels (`policies_choose_among_those_who_wait` of the reference).
pub const FIRST_BY_HAND: [(Arbiter, usize, usize); 7] = [
    (Arbiter::Fifo, 2, 1),
    (Arbiter::Priority, 2, 1),
    (Arbiter::NetFirst, 2, 2),
    (Arbiter::OldestFirst, 1, 1),
    (Arbiter::HopsFirst, 2, 2),
    (Arbiter::RoundRobin, 2, 1),
    (Arbiter::LeastRecentlyGranted, 2, 1),
];
