//! The order in which the classic simulator takes up what may begin at one time.
//!
//! It sorts by class with a sort that is not stable: more than 16 operations of one class that are
//! released together do not keep their order. That shows in when each rank ends, so this is that
//! sort, the introspective sort of the GNU C++ library [Musser 1997].

/// Shorter stretches are left to the final insertion sort.
const SHORT: usize = 16;

/// Sorts by a class, as the classic simulator does.
pub fn sort_by_class<T: Copy>(items: &mut [T], class: impl Fn(&T) -> u8 + Copy) {
    if items.len() > SHORT {
        partition_all(items, 2 * items.len().ilog2(), class);
    }
    // The insertion sort that ends it is stable, and so is this.
    items.sort_by_key(class);
}

/// Brings every item near its place.
fn partition_all<T: Copy>(items: &mut [T], depth: u32, class: impl Fn(&T) -> u8 + Copy) {
    let mut items = items;
    for left in (0..depth).rev() {
        if items.len() <= SHORT {
            return;
        }
        let cut = partition(items, class);
        let (head, tail) = items.split_at_mut(cut);
        partition_all(tail, left, class);
        items = head;
    }
}

/// Parts items at the class of the middle one of three, which comes first; where the second part
/// begins.
fn partition<T: Copy>(items: &mut [T], class: impl Fn(&T) -> u8) -> usize {
    let (mut low, mut high) = (1, items.len());
    let places = [low, items.len() / 2, high - 1];
    items.swap(0, median(places.map(|place| (class(&items[place]), place))));
    let pivot = class(&items[0]);
    loop {
        while class(&items[low]) < pivot {
            low += 1;
        }
        high -= 1;
        while pivot < class(&items[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        items.swap(low, high);
        low += 1;
    }
}

/// The place of the middle one of three classes.
fn median([a, b, c]: [(u8, usize); 3]) -> usize {
    let less = |x: (u8, usize), y: (u8, usize)| x.0 < y.0;
    let chosen = if less(a, b) {
        if less(b, c) {
            b
        } else if less(a, c) {
            c
        } else {
            a
        }
    } else if less(a, c) {
        a
    } else if less(b, c) {
        c
    } else {
        b
    };
    chosen.1
}

#[cfg(test)]
mod tests {
    use super::sort_by_class;

    fn sorted(items: u32, classes: u32) -> Vec<u32> {
        let mut items: Vec<u32> = (0..items).collect();
        sort_by_class(&mut items, |item| (item * 7 % 3 % classes) as u8);
        items
    }

    /// What the library makes of these (GCC 12).
    #[test]
    fn more_than_sixteen_do_not_keep_their_order() {
        assert!(sorted(16, 1).is_sorted());
        assert_eq!(sorted(17, 1), [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(sorted(17, 3), [0, 3, 15, 6, 12, 9, 1, 16, 13, 10, 7, 4, 8, 11, 5, 14, 2]);
        let forty = [
            0, 21, 18, 24, 15, 27, 12, 30, 9, 33, 6, 36, 3, 39, 31, 34, 28, 37, 25, 22, 1, 19, 16,
            4, 13, 7, 10, 2, 20, 38, 5, 35, 8, 32, 11, 29, 14, 26, 17, 23,
        ];
        assert_eq!(sorted(40, 3), forty);
    }
}
