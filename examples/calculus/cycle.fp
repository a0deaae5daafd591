//! The transitive closure of a cycle of 2^16 nodes: all 2^32 pairs.
//!
//! `Path` is recursive on both sides, so every round doubles the length of the ways found: iterative
//! squaring again, this time as a least fixed point that notices by itself when it is done. No pair is ever
//! listed; the pairs are counted on their diagram.

range Node = 0..65_535;

let Edge(x, y: Node) =
    next:  y = x + 1
  | close: x = 65_535 & y = 0;

mu Path(x, y: Node) =
    edge: Edge(x, y)
  | join: exists z. Path(x, z) & Path(z, y);

query Closure(x, y: Node) = Path(x, y);
query Strong = forall x, y. Path(x, y);

//@ Closure: 4294967296 tuples
//@ Strong: true
