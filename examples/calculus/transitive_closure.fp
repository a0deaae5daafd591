//! Transitive closure: which node reaches which, along one edge or more.
//!
//! The first least fixed point of every textbook. `Path` grows at its right end by one edge at a time, so
//! each round only extends the paths that the round before has found. The clauses have names, and `--stats`
//! speaks of them.

range Node = 0..5;

// A cycle with a way out of it, and an edge apart.
rel edge(x, y: Node) = { (0, 1), (1, 2), (2, 0), (2, 3), (4, 5) };

mu Path(x, y: Node) =
    edge:   edge(x, y)
  | longer: exists z. Path(x, z) & edge(z, y);

query Closure(x, y: Node) = Path(x, y);
query Cyclic(x: Node) = Path(x, x);
query Connected = forall x, y. x = y | Path(x, y) | Path(y, x);

// From 0, 1 and 2 one gets to 0, 1, 2 and 3; from 4 to 5.
//@ Closure: 13 tuples
//@ Cyclic: 3 tuples
//@ Connected: false
