//! Destinations drawn from some nodes only: those of the next group, or a row of a matrix.

use super::pattern::Own;
use crate::error::SpecError;
use crate::rng::Stream;
use crate::spec::Share;
use crate::topology::Topology;

/// Any process of the next group, all equally likely; after the last group comes the first. On a
/// dragonfly all traffic between two groups then has to cross the few links between them, if it
/// takes no way round: the worst case of [Kim et al. 2008].
pub struct NextGroup {
    /// Nodes of a group.
    size: usize,
    nodes: usize,
    per_node: u32,
}

impl NextGroup {
    /// The pattern on a topology that has groups.
    ///
    /// # Errors
    /// One that has none.
    pub fn new(topology: &Topology, per_node: u32) -> Result<Self, SpecError> {
        let nodes = topology.nodes;
        let Some(size) = topology.group_nodes() else {
            let allowed = "needs a machine with groups, such as a dragonfly";
            return Err(SpecError::new("workload.pattern", "next_group", allowed));
        };
        Ok(Self { size, nodes, per_node })
    }

    /// The first node of the group that a node sends to.
    fn next(&self, node: usize) -> usize {
        (node / self.size + 1) * self.size % self.nodes
    }

    /// Nodes of a group.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Draws the process a process sends to.
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        let first = self.next(process / self.per_node as usize) as u32 * self.per_node;
        first + stream.below(self.size as u64 * u64::from(self.per_node)) as u32
    }

    /// See [`super::Destinations::each_share`].
    pub fn each_share(&self, node: usize, mut visit: impl FnMut(usize, f64)) {
        let first = self.next(node);
        (first..first + self.size).for_each(|to| visit(to, 1.0 / self.size as f64));
    }
}

/// Each node in proportion to its weight.
pub struct Matrix {
    /// Per node, whom it sends to and the sum of weights up to there, over that of all.
    rows: Vec<Vec<(u32, f64)>>,
    /// Empty where all have the same.
    periods: Vec<f64>,
    per_node: u32,
}

impl Matrix {
    /// A matrix for a machine of so many nodes.
    ///
    /// # Errors
    /// A row for each node is missing, all are empty, or one names the node itself, no node or one twice; a
    /// weight that is not above zero.
    pub fn new(
        (rows, periods): (&[Vec<Share>], &[f64]),
        nodes: usize,
        per_node: u32,
        own: Own,
    ) -> Result<Self, SpecError> {
        if !periods.is_empty() && periods.len() != nodes {
            let allowed = format!("must be one for each of the {nodes} nodes");
            let given = format!("{} periods", periods.len());
            return Err(SpecError::new("workload.pattern.periods", given, allowed));
        }
        if let Some(period) = periods.iter().find(|period| !(1e-9..=1e9).contains(*period)) {
            let allowed = "must be 1e-9 to 1e9";
            return Err(SpecError::new("workload.pattern.periods", period, allowed));
        }
        if rows.iter().all(Vec::is_empty) {
            return Err(SpecError::new(
                "workload.pattern.rows",
                "[]",
                "must name a node to send to",
            ));
        }
        if rows.len() != nodes {
            let allowed = format!("must have a row for each of the {nodes} nodes");
            let given = format!("{} rows", rows.len());
            return Err(SpecError::new("workload.pattern.rows", given, allowed));
        }
        let summed = |(node, row): (usize, &Vec<Share>)| {
            check(node, row, nodes, own)?;
            let all: f64 = row.iter().map(|share| share.weight).sum();
            let mut sum = 0.0;
            let up_to = row.iter().map(|share| {
                sum += share.weight;
                (share.to, sum / all)
            });
            Ok(up_to.collect())
        };
        let rows = rows.iter().enumerate().map(summed).collect::<Result<_, SpecError>>()?;
        Ok(Self { rows, periods: periods.to_vec(), per_node })
    }

    /// Whether a process has nobody to send to.
    #[inline]
    pub fn is_silent(&self, process: usize) -> bool {
        self.rows[process / self.per_node as usize].is_empty()
    }

    /// Whether any has.
    pub fn has_silent(&self) -> bool {
        self.rows.iter().any(Vec::is_empty)
    }

    /// How many times the period of all a node has between messages.
    pub fn period(&self, node: usize) -> f64 {
        self.periods.get(node).copied().unwrap_or(1.0)
    }

    /// How many nodes a node sends to.
    pub fn size(&self, node: usize) -> usize {
        self.rows[node].len()
    }

    /// Draws the process a process sends to, that of its own place on a node.
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        let row = &self.rows[process / self.per_node as usize];
        if row.is_empty() {
            return process as u32;
        }
        let drawn = stream.unit();
        let place = row.partition_point(|&(_, up_to)| up_to <= drawn).min(row.len() - 1);
        row[place].0 * self.per_node + process as u32 % self.per_node
    }

    /// See [`super::Destinations::each_share`].
    pub fn each_share(&self, node: usize, mut visit: impl FnMut(usize, f64)) {
        let mut before = 0.0;
        for &(to, up_to) in &self.rows[node] {
            visit(to as usize, up_to - before);
            before = up_to;
        }
    }
}

/// Checks a row of a matrix.
fn check(node: usize, row: &[Share], nodes: usize, own: Own) -> Result<(), SpecError> {
    let field = |place| format!("workload.pattern.rows[{node}][{place}]");
    let mut known: Vec<u32> = row.iter().map(|share| share.to).collect();
    known.sort_unstable();
    for (place, share) in row.iter().enumerate() {
        let refuse = |allowed| Err(SpecError::new(field(place), share.to, allowed));
        if share.to as usize >= nodes {
            return refuse(format!("must be at most {} (there are {nodes} nodes)", nodes - 1));
        }
        if own == Own::Excluded && share.to as usize == node {
            return refuse("must be another node".into());
        }
        if known.windows(2).any(|pair| pair == [share.to; 2]) {
            return refuse("is there twice".into());
        }
        if !(share.weight > 0.0 && share.weight.is_finite()) {
            let allowed = "must be above zero";
            return Err(SpecError::new(format!("{}.weight", field(place)), share.weight, allowed));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::spec::TopologySpec;

    /// How often nodes are drawn is what `each_share` says.
    fn check_shares(
        draw: impl Fn(&mut Stream) -> u32,
        shares: impl FnOnce(&mut dyn FnMut(usize, f64)),
    ) {
        let mut stream = Stream::new(5, Purpose::Destination, 0);
        let mut counts = [0u32; 64];
        for _ in 0..40_000 {
            counts[draw(&mut stream) as usize / 2] += 1;
        }
        let mut all = 0.0;
        shares(&mut |node, share| {
            all += share;
            let found = f64::from(std::mem::take(&mut counts[node])) / 40_000.0;
            assert!((found - share).abs() < 0.01, "{node}: {found} {share}");
        });
        assert!((all - 1.0).abs() < 1e-12 && counts.iter().all(|&count| count == 0));
    }

    #[test]
    fn shares_are_as_said() {
        let fly = TopologySpec::Dragonfly {
            nodes_per_switch: 2,
            switches_per_group: 2,
            global_links: 1,
            groups: 3,
        };
        let next = NextGroup::new(&Topology::new(&fly).unwrap(), 2).unwrap();
        check_shares(|stream| next.draw(3, stream), |visit| next.each_share(1, visit));
        let mut found = Vec::new();
        next.each_share(9, |to, _| found.push(to));
        assert_eq!(found, [0, 1, 2, 3], "after the last group comes the first");
        let share = |to, weight| Share { to, weight };
        let rows = [
            vec![share(1, 1.0), share(2, 2.0), share(3, 1.0)],
            vec![share(0, 9.0)],
            vec![share(3, 0.5), share(0, 0.1)],
            vec![share(2, 1e-3)],
        ];
        let matrix = Matrix::new((&rows, &[]), 4, 2, Own::Excluded).unwrap();
        for node in 0..4 {
            check_shares(
                |stream| matrix.draw(2 * node, stream),
                |visit| {
                    matrix.each_share(node, visit);
                },
            );
        }
    }

    #[test]
    fn sources_without_a_row_are_silent_and_others_have_their_periods() {
        let rows = [vec![Share { to: 1, weight: 1.0 }], vec![]];
        let matrix = Matrix::new((&rows, &[0.5, 1.0]), 2, 2, Own::Excluded).unwrap();
        let silent: Vec<_> = (0..4).map(|process| matrix.is_silent(process)).collect();
        assert_eq!((silent, matrix.has_silent()), (vec![false, false, true, true], true));
        assert!((matrix.period(0) - 0.5).abs() < 1e-12);
        let wrong = |periods: &[f64]| {
            Matrix::new((&rows, periods), 2, 1, Own::Excluded).err().unwrap().to_string()
        };
        let few = "workload.pattern.periods = 1 periods: must be one for each of the 2 nodes";
        assert_eq!(wrong(&[1.0]), few);
        assert_eq!(wrong(&[1.0, 0.0]), "workload.pattern.periods = 0: must be 1e-9 to 1e9");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let mesh = Topology::new(&TopologySpec::Mesh { dims: vec![4, 4] }).unwrap();
        assert_eq!(
            NextGroup::new(&mesh, 1).err().unwrap().to_string(),
            "workload.pattern = next_group: needs a machine with groups, such as a dragonfly"
        );
        let refusal = |row: &[(u32, f64)]| {
            let row = row.iter().map(|&(to, weight)| Share { to, weight }).collect();
            let rows = [row, vec![Share { to: 0, weight: 1.0 }]];
            Matrix::new((&rows, &[]), 2, 1, Own::Excluded).err().unwrap().to_string()
        };
        let place = "workload.pattern.rows[0]";
        let nobody = Matrix::new((&[vec![], vec![]], &[]), 2, 1, Own::Excluded).err().unwrap();
        assert_eq!(nobody.to_string(), "workload.pattern.rows = []: must name a node to send to");
        assert_eq!(refusal(&[(0, 1.0)]), format!("{place}[0] = 0: must be another node"));
        let own = [vec![Share { to: 0, weight: 1.0 }]];
        assert!(
            Matrix::new((&own, &[]), 1, 1, Own::Included).is_ok(),
            "where nodes send to themselves"
        );
        assert!(refusal(&[(2, 1.0)]).contains("[0] = 2: must be at most 1"));
        assert!(refusal(&[(1, 1.0), (1, 1.0)]).contains("is there twice"));
        assert!(refusal(&[(1, 0.0)]).contains("weight = 0: must be above zero"));
        assert!(Matrix::new((&[], &[]), 2, 1, Own::Excluded).is_err());
    }
}
