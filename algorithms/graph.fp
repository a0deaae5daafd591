//! Reachability in a directed graph: what can be reached from node 0, and what lies on a cycle.
//! The edges come from a folder with edge.facts, two node numbers per line: fpsolve graph --facts DIR.

param nodes in 1..1000000 = 256;           // numbered from 0

range Node = 0..nodes - 1;

input edge(x: Node, y: Node);

mu Reach(x: Node) =
    start: x = 0
  | step:  exists w. Reach(w) & edge(w, x);

mu Path(x: Node, y: Node) =
    edge: edge(x, y)
  | path: exists z. Path(x, z) & edge(z, y);

query Reachable(x: Node) = Reach(x);
query OnCycle(x: Node) = Path(x, x);
