//! A few nodes that a share of all messages goes to.

use crate::error::SpecError;
use crate::rng::Stream;

/// Uniform traffic, of which a share is turned to hot spots.
///
/// Of the hot spots a process sends to those that are not its own node, all equally
/// likely; if there is none, it only sends as others send the rest.
pub struct HotSpots {
    hot: Vec<u32>,
    /// Per node its place in `hot`, or the number of hot spots.
    place_of: Vec<u32>,
    share: f64,
    per_node: u32,
}

impl HotSpots {
    /// Hot spots on a machine of `nodes` nodes.
    ///
    /// # Errors
    /// No hot spot, one that is no node or is there twice; a share that is none.
    pub fn new(hot: &[u32], share: f64, nodes: usize, per_node: u32) -> Result<Self, SpecError> {
        if hot.is_empty() {
            let allowed = "must have at least one node";
            return Err(SpecError::new("workload.pattern.nodes", "[]", allowed));
        }
        if !(0.0..=1.0).contains(&share) {
            return Err(SpecError::new("workload.pattern.share", share, "must be 0 to 1"));
        }
        let mut place_of = vec![hot.len() as u32; nodes];
        for (place, &node) in hot.iter().enumerate() {
            let field = format!("workload.pattern.nodes[{place}]");
            let Some(place_of) = place_of.get_mut(node as usize) else {
                let allowed = format!("must be at most {} (there are {nodes} nodes)", nodes - 1);
                return Err(SpecError::new(field, node, allowed));
            };
            if *place_of < hot.len() as u32 {
                return Err(SpecError::new(field, node, "is there twice"));
            }
            *place_of = place as u32;
        }
        Ok(Self { hot: hot.to_vec(), place_of, share, per_node })
    }

    /// Number of nodes of the machine.
    pub fn nodes(&self) -> usize {
        self.place_of.len()
    }

    /// Hot spots that a node sends to.
    fn others(&self, node: usize) -> u32 {
        self.hot.len() as u32 - u32::from(self.place_of[node] < self.hot.len() as u32)
    }

    /// Draws the process a process sends to: first whether it is at a hot spot, if there is
    /// a choice, then which it is.
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        let process = process as u32;
        let node = (process / self.per_node) as usize;
        let others = self.others(node);
        if others > 0 && stream.unit() < self.share {
            let drawn = stream.below(u64::from(others)) as u32;
            let place = drawn + u32::from(drawn >= self.place_of[node]);
            return self.hot[place as usize] * self.per_node + process % self.per_node;
        }
        let processes = self.place_of.len() as u64 * u64::from(self.per_node);
        let drawn = stream.below(processes - 1) as u32;
        drawn + u32::from(drawn >= process)
    }

    /// See [`super::Destinations::each_share`].
    pub fn each_share(&self, node: usize, mut visit: impl FnMut(usize, f64)) {
        let others = self.others(node);
        let share = if others > 0 { self.share } else { 0.0 };
        let processes = (self.nodes() * self.per_node as usize - 1) as f64;
        for to in 0..self.nodes() {
            let is_hot = to != node && self.place_of[to] < self.hot.len() as u32;
            let turned = if is_hot { share / f64::from(others) } else { 0.0 };
            let candidates = f64::from(self.per_node - u32::from(to == node));
            visit(to, turned + (1.0 - share) * candidates / processes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    /// How often nodes are drawn is what `each_share` says, and no process sends to itself.
    #[test]
    fn shares_are_what_is_drawn() {
        const DRAWS: u32 = 60_000;
        for (hot, per_node) in [(&[3][..], 1), (&[3, 0], 2), (&[2, 4, 1], 3)] {
            let spots = HotSpots::new(hot, 0.3, 5, per_node).unwrap();
            for process in 0..5 * per_node as usize {
                let mut stream = Stream::new(7, Purpose::Destination, process as u32);
                let mut drawn = [0u32; 5];
                for _ in 0..DRAWS {
                    let to = spots.draw(process, &mut stream) as usize;
                    assert_ne!(to, process);
                    drawn[to / per_node as usize] += 1;
                }
                let mut sum = 0.0;
                spots.each_share(process / per_node as usize, |to, share| {
                    let found = f64::from(drawn[to]) / f64::from(DRAWS);
                    // Five standard deviations.
                    let most = 5.0 * (share * (1.0 - share) / f64::from(DRAWS)).sqrt();
                    assert!((found - share).abs() <= most, "{process} to {to}: {found}, {share}");
                    sum += share;
                });
                assert!((sum - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_hot_spot_gets_its_share_and_what_comes_by_chance() {
        let spots = HotSpots::new(&[2], 0.1, 11, 1).unwrap();
        spots.each_share(0, |to, share| {
            let expected = [0.0, 0.09, 0.19][usize::from(to > 0) + usize::from(to == 2)];
            assert!((share - expected).abs() < 1e-12);
        });
        // It has no other hot spot to send to.
        spots.each_share(2, |to, share| {
            assert!((share - if to == 2 { 0.0 } else { 0.1 }).abs() < 1e-12);
        });
    }

    #[test]
    fn impossible_hot_spots_are_named() {
        let refusal = |hot: &[u32], share| {
            HotSpots::new(hot, share, 4, 1).err().map(|error| error.to_string()).unwrap()
        };
        assert_eq!(refusal(&[], 0.5), "workload.pattern.nodes = []: must have at least one node");
        assert_eq!(
            refusal(&[1, 4], 0.5),
            "workload.pattern.nodes[1] = 4: must be at most 3 (there are 4 nodes)"
        );
        assert_eq!(refusal(&[1, 0, 1], 0.5), "workload.pattern.nodes[2] = 1: is there twice");
        assert_eq!(refusal(&[1], 1.5), "workload.pattern.share = 1.5: must be 0 to 1");
        assert_eq!(refusal(&[1], f64::NAN), "workload.pattern.share = NaN: must be 0 to 1");
    }
}
