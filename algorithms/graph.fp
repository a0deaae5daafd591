//! Reachability in a directed graph: what can be reached from node 0, and what lies on a cycle.
//! The edges come from a folder with edge.facts, two node numbers per line: fpsolve graph --facts DIR.
use "lib/closure.fp";

param nodes in 1..1000000 = 256;           // numbered from 0

range Node = 0..nodes - 1;

input edge(x: Node, y: Node);

let Reach(x: Node) = From[{ y | y = 0 }, edge](x);
let Path(x, y: Node) = Closure[edge](x, y);

query Reachable(x: Node) = Reach(x);
query OnCycle(x: Node) = Path(x, x);
