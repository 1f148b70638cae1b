//! An order of modules in which few uses lead back.

/// Passes over all modules at most, if each still finds a better order.
const PASSES_MAX: usize = 50;

/// Returns the position of each of `count` nodes, such that edges that lead to an earlier position weigh little in
/// sum. Each edge is from, to, weight.
pub(crate) fn positions(count: usize, edges: Vec<(usize, usize, usize)>) -> Vec<usize> {
    let mut weight = vec![vec![0isize; count]; count];
    for (from, to, uses) in edges {
        weight[from][to] += isize::try_from(uses).unwrap_or(isize::MAX);
    }
    let mut order = first_order(&weight);
    for _ in 0..PASSES_MAX {
        let moves = (0..count).filter(|&node| improve(&mut order, node, &weight)).count();
        if moves == 0 {
            break;
        }
    }
    let mut positions = vec![0; count];
    for (position, node) in order.into_iter().enumerate() {
        positions[node] = position;
    }
    positions
}

/// Takes, again and again, the node that uses most and is used least of those that are left.
fn first_order(weight: &[Vec<isize>]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..weight.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let score =
            |node: usize| left.iter().map(|&other| weight[node][other] - weight[other][node]).sum::<isize>();
        let best = (0..left.len()).max_by_key(|&place| score(left[place])).unwrap_or_default();
        order.push(left.swap_remove(best));
    }
    order
}

/// Moves one node to where the fewest of its edges lead back, and returns whether that is better than before.
fn improve(order: &mut Vec<usize>, node: usize, weight: &[Vec<isize>]) -> bool {
    let Some(current) = order.iter().position(|&each| each == node) else { return false };
    order.remove(current);
    // Before all others, each edge to the node leads back. Behind another node, its edge does not, but an edge to it does.
    let mut costs = vec![0isize];
    for &other in order.iter() {
        costs.push(costs[costs.len() - 1] + weight[node][other] - weight[other][node]);
    }
    let best = (0..costs.len()).min_by_key(|&place| costs[place]).unwrap_or(current);
    let is_better = costs[best] < costs[current];
    order.insert(if is_better { best } else { current }, node);
    is_better
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backward(count: usize, edges: &[(usize, usize, usize)]) -> Vec<(usize, usize, usize)> {
        let positions = positions(count, edges.to_vec());
        edges.iter().copied().filter(|&(from, to, _)| positions[from] > positions[to]).collect()
    }

    #[test]
    fn no_edge_leads_back_if_there_is_no_cycle() {
        assert_eq!(backward(4, &[(3, 0, 1), (0, 1, 1), (3, 2, 1), (2, 1, 1)]), []);
    }

    #[test]
    fn the_lightest_edge_of_a_cycle_leads_back() {
        assert_eq!(backward(3, &[(0, 1, 5), (1, 2, 1), (2, 0, 3)]), [(1, 2, 1)]);
    }
}
