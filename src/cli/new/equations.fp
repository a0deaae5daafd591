//! What does this file decide? Say it here in a sentence or two.
//!
//! This one asks which nodes of a graph can be reached from the first one, and whether one of them is bad.

param nodes in 1..1000 = 6;  // a number that the command line may set: --set nodes=8
range Node = 0..nodes-1;     // a sort: the numbers from 0 to nodes - 1

// Facts. `input edge(x, y: Node);` instead would read them from the folder that --facts names.
rel edge(x, y: Node) = { (0, 1), (1, 2), (2, 0), (3, 4) };
rel bad(x: Node) = { 4 };

// `mu` is the least solution of its equation, `nu` the greatest. Clauses have names, and --stats speaks of them.
mu Reach(x: Node) =
    start: x = 0
  | step:  exists y. Reach(y) & edge(y, x);

// A query is answered with its tuples, or with true or false if it has no columns.
query Where(x: Node) = Reach(x);
query Hit = exists x. Reach(x) & bad(x);

// The first verdict whose condition holds is the answer.
verdict unsafe "a bad node is reached" if Hit;
verdict safe;

// What must come out: `fpsolve test` runs the file and compares.
//@ Where: 3 tuples
//@ verdict: safe
