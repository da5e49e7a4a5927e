//! A directed graph, and its shortest cycle.

use std::collections::VecDeque;

/// Which vertices lead to which.
pub struct Graph {
    /// By vertex: where its edges lead, in rising order.
    edges: Vec<Vec<u32>>,
}

impl Graph {
    /// So many vertices, no edges.
    pub fn new(vertices: usize) -> Self {
        Self { edges: vec![Vec::new(); vertices] }
    }

    /// Adds an edge, if it is not there.
    pub fn add(&mut self, from: u32, to: u32) {
        let edges = &mut self.edges[from as usize];
        if let Err(place) = edges.binary_search(&to) {
            edges.insert(place, to);
        }
    }

    /// Whether there is a cycle.
    pub fn has_cycle(&self) -> bool {
        self.between_cycles().contains(&true)
    }

    /// The vertices of a shortest cycle in order, the lowest first; of several, the one
    /// whose lowest vertex is lowest.
    pub fn shortest_cycle(&self) -> Option<Vec<u32>> {
        let on_cycles = self.between_cycles();
        let mut best: Option<Vec<u32>> = None;
        let mut before = vec![u32::MAX; self.edges.len()];
        for start in (0..self.edges.len()).filter(|&vertex| on_cycles[vertex]) {
            let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
            let found = self.cycle_through(start as u32, shorter_than, &on_cycles, &mut before);
            best = found.or(best);
        }
        best.map(|mut cycle| {
            let lowest = (0..cycle.len()).min_by_key(|&place| cycle[place]).unwrap_or(0);
            cycle.rotate_left(lowest);
            cycle
        })
    }

    /// Which vertices lie on a cycle or between two: what is left when those without edges
    /// to or from the rest have been taken away.
    fn between_cycles(&self) -> Vec<bool> {
        let mut backwards = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|&to| backwards[to as usize].push(from as u32));
        }
        let mut left = vec![true; self.edges.len()];
        peel(&backwards, &self.edges, &mut left);
        peel(&self.edges, &backwards, &mut left);
        left
    }

    /// The shortest cycle through a vertex, if it is shorter than others.
    fn cycle_through(
        &self,
        start: u32,
        shorter_than: usize,
        allowed: &[bool],
        before: &mut [u32],
    ) -> Option<Vec<u32>> {
        let mut reached = vec![start];
        let mut queue = VecDeque::from([(start, 1)]);
        let mut last = None;
        'search: while let Some((vertex, length)) = queue.pop_front() {
            if length >= shorter_than {
                break;
            }
            for &to in &self.edges[vertex as usize] {
                if to == start {
                    last = Some(vertex);
                    break 'search;
                }
                if allowed[to as usize] && before[to as usize] == u32::MAX {
                    before[to as usize] = vertex;
                    reached.push(to);
                    queue.push_back((to, length + 1));
                }
            }
        }
        let cycle = last.map(|mut vertex| {
            let mut cycle = vec![vertex];
            while vertex != start {
                vertex = before[vertex as usize];
                cycle.push(vertex);
            }
            cycle.reverse();
            cycle
        });
        reached.into_iter().for_each(|vertex| before[vertex as usize] = u32::MAX);
        cycle
    }
}

/// Takes away, again and again, vertices to which nothing leads that is left.
fn peel(to: &[Vec<u32>], from: &[Vec<u32>], left: &mut [bool]) {
    let degree = |edges: &[u32]| edges.iter().filter(|&&v| left[v as usize]).count();
    let mut degrees: Vec<usize> = to.iter().map(|edges| degree(edges)).collect();
    let mut open: Vec<u32> = (0..to.len() as u32)
        .filter(|&vertex| left[vertex as usize] && degrees[vertex as usize] == 0)
        .collect();
    while let Some(vertex) = open.pop() {
        left[vertex as usize] = false;
        for &next in &from[vertex as usize] {
            let degree = &mut degrees[next as usize];
            *degree = degree.saturating_sub(1);
            if *degree == 0 && left[next as usize] {
                left[next as usize] = false;
                open.push(next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(vertices: usize, edges: &[(u32, u32)]) -> Option<Vec<u32>> {
        let mut graph = Graph::new(vertices);
        edges.iter().for_each(|&(from, to)| graph.add(from, to));
        graph.shortest_cycle()
    }

    #[test]
    fn the_shortest_cycle_is_found() {
        assert_eq!(cycle(3, &[(0, 1), (1, 2), (0, 2)]), None);
        assert_eq!(cycle(3, &[(2, 1), (1, 0), (0, 2)]), Some(vec![0, 2, 1]));
        let two = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0), (4, 6)];
        assert_eq!(cycle(7, &two), Some(vec![3, 4]));
        assert_eq!(cycle(2, &[(1, 1)]), Some(vec![1]));
    }
}
