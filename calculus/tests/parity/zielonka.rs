//! Zielonka's recursive algorithm over explicit sets of nodes. It shares nothing with the calculus.

use std::collections::BTreeSet;

pub type Nodes = BTreeSet<usize>;

/// Even is player 0 and Odd is player 1; all of it by node. Even wins if the largest priority that occurs infinitely often
/// is even. Who cannot move loses.
#[derive(Clone, Debug, Default)]
pub struct Game {
    pub owner: Vec<usize>,
    pub priority: Vec<usize>,
    pub edges: Vec<Vec<usize>>,
}

impl Game {
    /// The nodes from which each player wins.
    pub fn winners(&self) -> [Nodes; 2] {
        let mut left = (0..self.owner.len()).collect::<Nodes>();
        let mut won = [Nodes::new(), Nodes::new()];
        // Without the nodes from which a player is forced to a dead end, every node has a successor.
        for loser in [0, 1] {
            let ends = left.iter().copied().filter(|&x| self.owner[x] == loser && self.edges[x].is_empty());
            let lost = self.attractor(&left, 1 - loser, ends.collect());
            left.retain(|x| !lost.contains(x));
            won[1 - loser].extend(lost);
        }
        let rest = self.zielonka(&left);
        rest.into_iter().zip(&mut won).for_each(|(more, won)| won.extend(more));
        won
    }

    /// The winners of the game on some of the nodes, each of which has a successor among them.
    fn zielonka(&self, nodes: &Nodes) -> [Nodes; 2] {
        let Some(largest) = nodes.iter().map(|&x| self.priority[x]).max() else {
            return [Nodes::new(), Nodes::new()];
        };
        let player = largest % 2;
        let of_largest = nodes.iter().copied().filter(|&x| self.priority[x] == largest).collect();
        let attracted = self.attractor(nodes, player, of_largest);
        let mut inner = self.zielonka(&nodes.difference(&attracted).copied().collect());
        let mut won = [Nodes::new(), Nodes::new()];
        if inner[1 - player].is_empty() {
            won[player] = nodes.clone();
            return won;
        }
        let lost = self.attractor(nodes, 1 - player, std::mem::take(&mut inner[1 - player]));
        won = self.zielonka(&nodes.difference(&lost).copied().collect());
        won[1 - player].extend(lost);
        won
    }

    /// The nodes from which a player forces the token into the goal.
    fn attractor(&self, nodes: &Nodes, player: usize, goal: Nodes) -> Nodes {
        let mut found = goal;
        loop {
            let forced = |x: usize| {
                let mut next = self.edges[x].iter().filter(|y| nodes.contains(y)).peekable();
                next.peek().is_some()
                    && match self.owner[x] == player {
                        true => next.any(|y| found.contains(y)),
                        false => next.all(|y| found.contains(y)),
                    }
            };
            let new = nodes.iter().copied().filter(|x| !found.contains(x) && forced(*x)).collect::<Nodes>();
            if new.is_empty() {
                return found;
            }
            found.extend(new);
        }
    }
}
