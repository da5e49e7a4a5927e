//! Packets of messages, as the slow twins have them.

use tailback_engine::spec::Interface;

/// Data bytes of the packets of a message, and whether each is in flight from the beginning.
pub fn packets(interface: &Interface, bytes: u32) -> Vec<(u32, bool)> {
    let count = bytes.div_ceil(interface.packet_bytes).max(1);
    let size = |place: u32| (bytes - place * interface.packet_bytes).min(interface.packet_bytes);
    let window = interface.window.unwrap_or(u32::MAX);
    (0..count).map(|place| (size(place), place < window)).collect()
}
