//! The wires of a block, each of which has so many places next to each other: all of them together, as digits of
//! words.

use super::bits::{Bits, WORD};

/// Of every wire the first of some flows behind the one that sent last; all wires together, as numbers
/// of so many binary digits in a word, of which none carries into the next.
#[inline]
pub fn first_behind(flows: Bits, turns: Bits, stride: u8) -> Bits {
    let lowest = lowest_of(stride);
    let highest = lowest << u32::from(stride - 1);
    let below = ((turns | highest) - lowest) ^ (!turns & highest);
    let behind = flows & !(turns | below);
    let candidates = behind | flows & !wires_of(behind, stride);
    let others = !candidates;
    candidates & (((others & !highest) + lowest) ^ (others & highest))
}

/// Exchanges the flows of every pair.
#[inline]
pub fn swap_pairs(flows: Bits) -> Bits {
    let even = Bits::of_each_word(0x5555_5555_5555_5555);
    (flows & even) << 1 | flows >> 1 & even
}

/// All places of the wires of some flows, each of which has so many.
#[inline]
pub fn wires_of(flows: Bits, stride: u8) -> Bits {
    // Those of most networks by themselves: their loops are unrolled.
    match stride {
        1 => flows,
        2 => flows | swap_pairs(flows),
        3 => wires_of_any(flows, 3),
        4 => wires_of_any(flows, 4),
        stride => wires_of_any(flows, stride),
    }
}

/// The same.
#[inline]
fn wires_of_any(flows: Bits, stride: u8) -> Bits {
    // The lowest places of wires stand for all of them.
    let any = over_places(flows, stride, |flows, by| flows >> by) & lowest_of(stride);
    over_places(any, stride, |flows, by| flows << by)
}

/// Some flows, and those that are up to so many places but one away from them by a shift.
#[inline]
fn over_places(flows: Bits, places: u8, shift: impl Fn(Bits, u32) -> Bits) -> Bits {
    let (mut all, mut reached, places) = (flows, 1, u32::from(places));
    while reached < places {
        let by = reached.min(places - reached);
        all |= shift(all, by);
        reached += by;
    }
    all
}

/// The lowest place of every wire, each of which has so many.
#[inline]
pub fn lowest_of(stride: u8) -> Bits {
    const LOWEST: [u64; WORD + 1] = {
        let mut lowest = [0; WORD + 1];
        let mut stride = 1;
        while stride <= WORD {
            let mut wire = 0;
            while wire < WORD / stride {
                lowest[stride] |= 1 << (wire * stride);
                wire += 1;
            }
            stride += 1;
        }
        lowest
    };
    Bits::of_each_word(LOWEST[usize::from(stride)])
}
