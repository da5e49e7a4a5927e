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
    per_node: u32,
}

impl Matrix {
    /// A matrix for a machine of so many nodes.
    ///
    /// # Errors
    /// A row for each node is missing, or names nobody, the node itself, no node or one twice; a
    /// weight that is not above zero.
    pub fn new(
        rows: &[Vec<Share>],
        nodes: usize,
        per_node: u32,
        own: Own,
    ) -> Result<Self, SpecError> {
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
        Ok(Self { rows, per_node })
    }

    /// How many nodes a node sends to.
    pub fn size(&self, node: usize) -> usize {
        self.rows[node].len()
    }

    /// Draws the process a process sends to, that of its own place on a node.
    pub fn draw(&self, process: usize, stream: &mut Stream) -> u32 {
        let row = &self.rows[process / self.per_node as usize];
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
    if row.is_empty() {
        let allowed = "must name a node to send to";
        return Err(SpecError::new(format!("workload.pattern.rows[{node}]"), "[]", allowed));
    }
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
        let matrix = Matrix::new(&rows, 4, 2, Own::Excluded).unwrap();
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
    fn what_cannot_be_is_named() {
        let mesh = Topology::new(&TopologySpec::Mesh { dims: vec![4, 4] }).unwrap();
        assert_eq!(
            NextGroup::new(&mesh, 1).err().unwrap().to_string(),
            "workload.pattern = next_group: needs a machine with groups, such as a dragonfly"
        );
        let refusal = |row: &[(u32, f64)]| {
            let row = row.iter().map(|&(to, weight)| Share { to, weight }).collect();
            let rows = [row, vec![Share { to: 0, weight: 1.0 }]];
            Matrix::new(&rows, 2, 1, Own::Excluded).err().unwrap().to_string()
        };
        let place = "workload.pattern.rows[0]";
        assert_eq!(refusal(&[]), format!("{place} = []: must name a node to send to"));
        assert_eq!(refusal(&[(0, 1.0)]), format!("{place}[0] = 0: must be another node"));
        let own = [vec![Share { to: 0, weight: 1.0 }]];
        assert!(Matrix::new(&own, 1, 1, Own::Included).is_ok(), "where nodes send to themselves");
        assert!(refusal(&[(2, 1.0)]).contains("[0] = 2: must be at most 1"));
        assert!(refusal(&[(1, 1.0), (1, 1.0)]).contains("is there twice"));
        assert!(refusal(&[(1, 0.0)]).contains("weight = 0: must be above zero"));
        assert!(Matrix::new(&[], 2, 1, Own::Excluded).is_err());
    }
}
