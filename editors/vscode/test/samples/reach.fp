//! What a thread reaches, as a sample of the language.
use program;
use "lib/product.fp" as product with State = Own;

param k in 1.. = 2;
range Node = 0..k + 1;
keyed enum Kind { left, right }
rel edge(x, y: Node) = { (0, 1), (1, 2) };

mu Reach[i in 1..k](q: State, s: Shared) =
    start: q.pc = 1 & init(s)
  | step:  exists p, r. Reach[i](p, r) & step(p, r, q, s) & !(q' != p);  // a step

mu if i % 2 = 1 else nu W[i in 1..3](x: Node) = each j in 1..i: edge(x, j) -> W[i](x);

query Hit = exists q, s. given Reach[1](q, s) by 1 & target(q);
verdict unsafe "reached with k = {k}" if Hit;
verdict bounded;
require k > 0 "k is positive";
hint keyed Pc;
//@ k=2 Hit: true
