//! A chain of 2^20 nodes, and all that its first node reaches: 1,048,576 nodes in twenty steps.
//!
//! The graph is not listed: the nodes are a range, and the successor of x is x + 1, which the last node
//! does not have. Following the edges one by one would take a million rounds. Iterative squaring takes
//! twenty: `Within[i]` are the ways of at most 2^i edges, and a way of twice the length is two ways one
//! after the other. Each `Within[i]` is a `let`: the family rests on smaller indices only, so nothing is
//! recursive.

const bits = 20;
range Node = 0..1_048_575;

let Within[i in 0..bits](x, y: Node) =
    none:  i = 0 & x = y
  | edge:  i = 0 & y = x + 1
  | twice: i > 0 & exists z. Within[i-1](x, z) & Within[i-1](z, y);

query Reachable(y: Node) = Within[bits](0, y);
query ToTheEnd = Within[bits](0, 1_048_575);
query Back = Within[bits](1, 0);

//@ Reachable: 1048576 tuples
//@ ToTheEnd: true
//@ Back: false
