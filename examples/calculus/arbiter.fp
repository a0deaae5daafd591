//! Synthesis of an arbiter for `clients` clients: can it be built so that no client waits for ever? A game
//! between the clients, who ask, and the arbiter, who grants. The rules: a client that asks goes on until
//! it is granted, and one that has the grant keeps it for as long as it asks; at most one has it. The
//! clients are assumed to give the grant back again and again (no client both asks and has it for ever);
//! the arbiter must serve each of them again and again.
//!
//! That is a specification of GR(1): if every assumption holds infinitely often, every guarantee does.
//! Piterman, Pnueli and Sa'ar, Synthesis of reactive(1) designs: νZ ⋀j μY ⋁i νX. (guarantee j ∧ ◇Z) ∨ ◇Y ∨
//! (¬assumption i ∧ ◇X), where ◇ is "the arbiter forces the next state into". Z[j] has the states from
//! which guarantee j is looked for, then the next one.

param clients in 1.. = 3;
const n = clients;

record Line { asks, granted: bool }
sort Lines = Line[1..n];

// What the clients may ask next, d: a request is not taken back, and not made anew while the grant is
// there.
let Asks(c, d: Lines) = each i in 1..n: c[i].asks = c[i].granted | d[i].asks = c[i].asks;
// How the arbiter may answer: it changes a grant only where it is not as asked.
let Grants(c, d, c': Lines) =
    (each i in 1..n: c'[i].asks = d[i].asks & (d[i].asks != c[i].granted | c'[i].granted = c[i].granted))
    & each i in 1..n, j in i+1..n: !(c'[i].granted & c'[j].granted);

// Whatever the clients ask, the arbiter can answer so that X holds.
let Forces[X: rel(Lines)](c: Lines) = forall d. Asks(c, d) -> exists c'. Grants(c, d, c') & X(c');

let Served[j in 1..n](c: Lines) = c[j].asks = c[j].granted;
let Held[i in 1..n](c: Lines) = c[i].asks & c[i].granted;

nu Z[j in 1..n](c: Lines) = Y[j](c);
mu Y[j in 1..n](c: Lines) = some i in 1..n: X[j, i](c);
nu X[j in 1..n, i in 1..n](c: Lines) =
    served: Served[j](c) & Forces[Z[j%n+1]](c)
  | nearer: Forces[Y[j]](c)
  | held:   Held[i](c) & Forces[X[j, i]](c);

let Start(c: Lines) = each i in 1..n: !c[i].asks & !c[i].granted;

query Realizable = forall c. Start(c) -> Z[1](c);
query Wins(c: Lines) = Z[1](c);

//@ Realizable: true
//@ Wins: 54 tuples
//@ clients=8 Realizable: true
