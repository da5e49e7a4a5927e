//! What is drawn for packets at switches, as `docs/model.md` says.

use tailback_engine::rng::{Key, Purpose, Stream};

/// What tells a packet from all others: its process, how many messages that sent before, and how many
/// packets, or acknowledgements, of its message there were before.
pub fn by(seed: u64, (process, message): (usize, u64), (is_ack, number): (bool, u64)) -> u64 {
    let key = Key::of(seed).and(process as u64).and(message).and(2 * number + u64::from(is_ack));
    u64::from(key.short())
}

fn below(purpose: Purpose, at: (u64, usize), (packet, hops): (u64, u64), bound: usize) -> usize {
    let key = Key::of(at.0).and(at.1 as u64).and(packet << 16 | hops);
    Stream::keyed(purpose, key).below(bound as u64) as usize
}

/// Behind how many of those that wait at a place a packet stands, with arbiter `random`; `at`: the seed
/// of the run and the place, `packet`: what it draws by, and the channels it has crossed.
pub fn place(at: (u64, usize), packet: (u64, u64), others: usize) -> usize {
    below(Purpose::Arbitration, at, packet, others + 1)
}

/// Which of so many free outputs of a switch it takes, with selection `random`.
pub fn output(at: (u64, usize), packet: (u64, u64), free: usize) -> usize {
    below(Purpose::Selection, at, packet, free)
}

/// What decides whether a packet is damaged on a channel on which it starts now.
pub fn unit(at: (u64, usize), (packet, hops): (u64, u64), now: u64) -> f64 {
    let key = Key::of(at.0).and(at.1 as u64).and(packet << 16 | hops).and(now);
    Stream::keyed(Purpose::Damage, key).unit()
}
