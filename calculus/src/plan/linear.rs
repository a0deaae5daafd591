//! Linear arrangements: units on a line, such that little has to be remembered from one to the next.
//!
//! A diagram has to remember, between two levels, what is above and belongs together with something below. The frontier
//! between two units are the units above that have an edge to one below, and the cost of an order is the sum of all
//! frontiers. A lock of all threads is in every frontier, but counts only once there. (The sum of the lengths of all edges,
//! which FORCE makes small, counts it for each thread.)
//!
//! An order grows from one end, as Sloan's (1986) does: next is always the unit that the placed ones attract most, the last
//! ones counting most.

use std::collections::BTreeMap;

/// Sets of units with weights.
pub type Edges = BTreeMap<Vec<usize>, f64>;

/// What a placed unit attracts is halved with each one that is placed after it.
const FADING: f64 = 0.5;

/// The sum of all frontiers: units above that have an edge to one below.
pub fn cost(edges: &Edges, order: &[usize]) -> usize {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &unit)| places[unit] = place);
    let mut last = places.clone();
    for units in edges.keys() {
        let lowest = units.iter().map(|&unit| places[unit]).max().unwrap_or(0);
        units.iter().for_each(|&unit| last[unit] = last[unit].max(lowest));
    }
    last.iter().zip(&places).map(|(last, place)| last - place).sum()
}

/// An order that grows from one end. It begins with the unit that is placed last if the first one begins: an end of a long
/// chain.
pub fn grown(edges: &Edges, known: &[usize]) -> Vec<usize> {
    let Some(&first) = known.first() else { return Vec::new() };
    let last = grown_from(edges, first, known).last().copied().unwrap_or(first);
    grown_from(edges, last, known)
}

fn grown_from(edges: &Edges, first: usize, known: &[usize]) -> Vec<usize> {
    let mut touching: Vec<Vec<(&Vec<usize>, f64)>> = vec![Vec::new(); known.len()];
    for (units, weight) in edges {
        let each = weight / (units.len() - 1) as f64;
        units.iter().for_each(|&unit| touching[unit].push((units, each)));
    }
    // The part of its edges that leads to placed units is what attracts a unit.
    let totals = touching.iter().map(|edges| edges.iter().map(|(_, weight)| weight).sum::<f64>());
    let totals = totals.collect::<Vec<_>>();
    let mut attracted = vec![0.0f64; known.len()];
    let mut left = known.to_vec();
    let mut order = Vec::new();
    let mut next = Some(first);
    while let Some(unit) = next {
        left.retain(|other| *other != unit);
        order.push(unit);
        attracted.iter_mut().for_each(|score| *score *= FADING);
        for (units, weight) in &touching[unit] {
            units.iter().for_each(|&other| attracted[other] += weight / totals[other]);
        }
        let better =
            |best: usize, other: usize| if attracted[other] > attracted[best] { other } else { best };
        next = left.iter().copied().reduce(better);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(units: &[usize]) -> (Vec<usize>, f64) {
        let mut units = units.to_vec();
        units.sort_unstable();
        (units, 1.0)
    }

    #[test]
    fn a_scattered_chain_is_put_in_order() {
        for count in [2, 3, 10, 40, 101] {
            let scattered = (0..count).map(|at| at * 7 % count).collect::<Vec<_>>();
            let edges = scattered.windows(2).map(edge).collect();
            let known = (0..count).collect::<Vec<_>>();
            let order = grown(&edges, &known);
            assert_eq!(cost(&edges, &order), count - 1, "{order:?}");
            let mut all = order;
            all.sort_unstable();
            assert_eq!(all, known);
        }
    }

    /// Threads in a ring, a token between each two, and a lock of all: apart at first, then each thread beside its tokens.
    #[test]
    fn a_ring_has_its_tokens_beside_the_threads() {
        let count = 16;
        let mut edges = Edges::new();
        for thread in 0..count {
            edges.extend([edge(&[thread, count + thread]), edge(&[thread, 2 * count])]);
            edges.extend([edge(&[thread, count + thread, count + (thread + 1) % count])]);
        }
        let known = (0..=2 * count).collect::<Vec<_>>();
        assert_eq!(cost(&edges, &known), 421);
        assert!(cost(&edges, &grown(&edges, &known)) < 120);
    }

    /// Literally what the head of this file says.
    fn slowly(edges: &Edges, order: &[usize]) -> usize {
        let is_needed = |unit: usize, below: &[usize]| {
            edges.keys().any(|units| units.contains(&unit) && units.iter().any(|other| below.contains(other)))
        };
        let frontier = |at: usize| order[..at].iter().filter(|unit| is_needed(**unit, &order[at..])).count();
        (1..order.len()).map(frontier).sum()
    }

    #[test]
    fn the_cost_is_the_sum_of_the_frontiers_and_every_unit_is_placed_once() {
        let mut state = 1u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..50 {
            let count = 1 + random(30);
            let mut edges = Edges::new();
            for _ in 0..random(60) {
                let mut units = (0..2 + random(4)).map(|_| random(count)).collect::<Vec<_>>();
                units.sort_unstable();
                units.dedup();
                if units.len() > 1 {
                    edges.insert(units, 1.0);
                }
            }
            let known = (0..count).collect::<Vec<_>>();
            let order = grown(&edges, &known);
            assert_eq!(cost(&edges, &order), slowly(&edges, &order));
            let mut all = order;
            all.sort_unstable();
            assert_eq!(all, known);
        }
        assert_eq!(grown(&Edges::new(), &[]), Vec::<usize>::new());
        assert_eq!(cost(&Edges::new(), &[]), 0);
    }
}
