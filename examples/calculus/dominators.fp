//! Dominators of a flow graph: which node every way from the entry to another must pass.
//!
//! The equation of compilers, a greatest fixed point: a node is dominated by itself, and by what dominates
//! all its predecessors. It has to be the greatest one, because of the loop; and only predecessors that the
//! entry reaches count, because of node 6. The definition in words needs a least fixed point for each node
//! that is left out; the query `Agree` compares the two.

range Node = 0..6;
const entry = 0;

rel edge(x, y: Node) = { (0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (4, 5), (6, 4) };

mu Reach(n: Node) =
    entry: n = entry
  | step:  exists m. Reach(m) & edge(m, n);

nu Dominates(d, n: Node) =
    self:  d = n & Reach(n)
  | later: n != entry & Reach(n) & forall m. Reach(m) & edge(m, n) -> Dominates(d, m);

// The way that leaves d out.
mu Around(d, n: Node) =
    entry: n = entry & d != entry
  | step:  exists m. Around(d, m) & edge(m, n) & n != d;

let Strictly(d, n: Node) = Dominates(d, n) & d != n;

query Dominators(d, n: Node) = Dominates(d, n);
query Immediate(d, n: Node) = Strictly(d, n) & forall e. Strictly(e, n) -> Dominates(e, d);
query Agree = forall d, n. Dominates(d, n) <-> Reach(n) & !Around(d, n);

// 0 has itself, 1 two, 2 to 4 three each and 5 four.
//@ Dominators: 16 tuples
//@ Immediate: 5 tuples
//@ Agree: true
