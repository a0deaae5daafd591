//! Predicate abstraction as equations. A set of states is *blurred*: with the states of some threads it has all others with the
//! same outline in which the same predicates hold. The outline has locations, truth values and names; what it leaves out are
//! numbers. Kaiser, Monotonicity in multi-threaded programs, section 3.1, with exact abstraction: no abstract program is
//! built, no part of a state is abstracted by itself, and predicates may be about two threads.
//!
//! `Held` are the abstract states: an outline, and which predicates hold. `Blur` has all states with such an abstract state. A
//! set is a part of its blur, whatever the predicates are, so what rests on blurred sets has all runs of the program.
//!
//! There are `many` threads. A state has a mark besides, which stays as it is: who the threads are, or where a call began. The
//! user says which threads are there; the state of one that is not there is of no interest, and becomes `nobody`.
use program;

sort Mark;
rel there[j](x: Mark);
param seats in 1.. = 1;
const preds = program.predicates;
const pairs = program.predicates2;

let Nobody(q: State) = start[program.threads](q);

// On seat j: the thread and its outline; whether a predicate holds.
let Drawn[j in 1..seats](x: Mark, q: State, s: Shared, k: State, o: Shared) =
    there:  there[j](x) & outline(q, s, k, o)
  | nobody: !there[j](x) & given Nobody(q) & given Nobody(k);
let Holds[j in 1..seats, i in 1..preds](x: Mark, b: bool, q: State, s: Shared) =
    yes: there[j](x) & b = true & pred[i](q, s)
  | no:  b = false & (!there[j](x) | !pred[i](q, s));
let Holds2[j in 1..seats, l in 1..seats, i in 1..pairs](x: Mark, b: bool, q, p: State, s: Shared) =
    yes: there[j](x) & there[l](x) & b = true & pred2[i](q, p, s)
  | no:  b = false & (!there[j](x) | !there[l](x) | !pred2[i](q, p, s));

// What predicates tell of a state: its outline, and for each seat which of them hold, with each other seat too.
record Abstract {
    k: State[1..seats], o: Shared, a: bool[1..preds][1..seats], c: bool[1..pairs][1..seats][1..seats],
}

mu Held[X: rel(Mark, State[1..seats], Shared)](x: Mark, b: Abstract) =
    exists q, s. X(x, q, s) & (each j in 1..seats: Drawn[j](x, q[j], s, b.k[j], b.o))
                 & (each j in 1..seats, i in 1..preds: Holds[j, i](x, b.a[j][i], q[j], s))
                 & each j in 1..seats, l in 1..seats, i in 1..pairs:
                     j = l & b.c[j][l][i] = false | j != l & Holds2[j, l, i](x, b.c[j][l][i], q[j], q[l], s);

mu Blur[X: rel(Mark, State[1..seats], Shared)](x: Mark, q: State[1..seats], s: Shared) =
    exists b. Held[X](x, b) & (each j in 1..seats: Drawn[j](x, q[j], s, b.k[j], b.o))
              & (each j in 1..seats, i in 1..preds: Holds[j, i](x, b.a[j][i], q[j], s))
              & each j in 1..seats, l in 1..seats, i in 1..pairs:
                  j = l & b.c[j][l][i] = false | j != l & Holds2[j, l, i](x, b.c[j][l][i], q[j], q[l], s);

// Cartesian abstraction, to compare with: a step from l leads to the states of X, and the value of each predicate behind it is
// computed by itself. So of two predicates each combination of their values is taken.
mu Named[X: rel(Mark, State[1..seats], Shared)](x: Mark, q: State[1..seats], s: Shared, b: Abstract) =
    X(x, q, s) & (each j in 1..seats: Drawn[j](x, q[j], s, b.k[j], b.o))
    & (each j in 1..seats, i in 1..preds: Holds[j, i](x, b.a[j][i], q[j], s))
    & each j in 1..seats, l in 1..seats, i in 1..pairs: j = l & b.c[j][l][i] = false
                                                        | j != l
                                                          & Holds2[j, l, i](x, b.c[j][l][i], q[j], q[l], s);
mu Shape[L: sort, X: rel(L, Mark, State[1..seats], Shared)](l: L, x: Mark, k: State[1..seats], o: Shared) =
    exists q, s. X(l, x, q, s) & each j in 1..seats: Drawn[j](x, q[j], s, k[j], o);
mu One[L: sort, X: rel(L, Mark, State[1..seats], Shared), j in 1..seats, i in 1..preds](l: L, x: Mark,
                                                                                        k: State[1..seats],
                                                                                        o: Shared, b: bool) =
    exists q, s. X(l, x, q, s) & Holds[j, i](x, b, q[j], s)
                 & each n in 1..seats: Drawn[n](x, q[n], s, k[n], o);
mu Two[L: sort, X: rel(L, Mark, State[1..seats], Shared), j in 1..seats, n in 1..seats, i in 1..pairs](l: L,
                                                                                                       x: Mark,
                                                                                                       k: State[1..seats],
                                                                                                       o: Shared,
                                                                                                       b: bool) =
    exists q, s. X(l, x, q, s) & Holds2[j, n, i](x, b, q[j], q[n], s)
                 & each h in 1..seats: Drawn[h](x, q[h], s, k[h], o);
mu Product[L: sort, X: rel(L, Mark, State[1..seats], Shared)](x: Mark, b: Abstract) =
    exists l. Shape[L, X](l, x, b.k, b.o)
              & (each j in 1..seats, i in 1..preds: One[L, X, j, i](l, x, b.k, b.o, b.a[j][i]))
              & each j in 1..seats, n in 1..seats, i in 1..pairs:
                  j = n & b.c[j][n][i] = false | j != n & Two[L, X, j, n, i](l, x, b.k, b.o, b.c[j][n][i]);
mu Cartesian[L: sort, X: rel(L, Mark, State[1..seats], Shared)](x: Mark, q: State[1..seats], s: Shared) =
    exists b. Product[L, X](x, b) & (each j in 1..seats: Drawn[j](x, q[j], s, b.k[j], b.o))
              & (each j in 1..seats, i in 1..preds: Holds[j, i](x, b.a[j][i], q[j], s))
              & each j in 1..seats, n in 1..seats, i in 1..pairs:
                  j = n & b.c[j][n][i] = false | j != n & Holds2[j, n, i](x, b.c[j][n][i], q[j], q[n], s);
