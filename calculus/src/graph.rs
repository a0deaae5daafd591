//! Small integer graphs: strongly connected components, without recursion, and classes of what is joined.

/// The components of the graph `0..n`, each sorted, every component after those its members point to.
pub fn components(n: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let (mut stack, mut out, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..n {
        if number[root] != UNSEEN {
            continue;
        }
        let mut calls: Vec<(usize, std::vec::IntoIter<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                (number[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
                calls.push((node, successors(node).into_iter()));
            }
            let Some((node, rest)) = calls.last_mut() else { break };
            let node = *node;
            match rest.next() {
                Some(child) if number[child] == UNSEEN => enter = Some(child),
                Some(child) => {
                    if on_stack[child] {
                        low[node] = low[node].min(number[child]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some(&(parent, _)) = calls.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                    if low[node] == number[node] {
                        let at =
                            stack.iter().rposition(|&x| x == node).expect("an open node is on the stack");
                        let mut component = stack.split_off(at);
                        component.iter().for_each(|&x| on_stack[x] = false);
                        component.sort_unstable();
                        out.push(component);
                    }
                }
            }
        }
    }
    out
}

/// Classes of the numbers below a bound, which grow as members are joined. The smallest member stands for its class.
pub struct Classes {
    parent: Vec<usize>,
}

impl Classes {
    /// Everyone alone.
    pub fn new(count: usize) -> Classes {
        Classes { parent: (0..count).collect() }
    }

    /// The member that stands for the class of a node.
    pub fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Those that stand for a class, in ascending order.
    pub fn roots(&self) -> Vec<usize> {
        (0..self.parent.len()).filter(|&node| self.parent[node] == node).collect()
    }

    /// Makes one class of two.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::{Classes, components};

    #[test]
    fn the_smallest_member_stands_for_its_class() {
        let mut classes = Classes::new(6);
        for (a, b) in [(4, 2), (5, 1), (2, 5)] {
            classes.join(a, b);
        }
        assert_eq!((0..6).map(|node| classes.root(node)).collect::<Vec<_>>(), [0, 1, 1, 3, 1, 1]);
        assert_eq!(classes.roots(), [0, 1, 3]);
    }

    #[test]
    fn components_come_after_what_they_point_to() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![], vec![0, 4]];
        assert_eq!(components(5, |n| edges[n].clone()), [vec![3], vec![1, 2], vec![0], vec![4]]);
    }
}
