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

mu Held[X: rel(Mark, State[1..seats], Shared)](x: Mark, k: State[1..seats], o: Shared,
                                               a: bool[1..seats*preds], c: bool[1..seats*seats*pairs]) =
    exists q, s. X(x, q, s) & (each j in 1..seats: Drawn[j](x, q[j], s, k[j], o))
                 & (each j in 1..seats, i in 1..preds: Holds[j, i](x, a[(j - 1)*preds+i], q[j], s))
                 & each j in 1..seats, l in 1..seats, i in 1..pairs:
                     j = l & c[((j - 1) * seats + l - 1)*pairs+i] = false
                     | j != l & Holds2[j, l, i](x, c[((j - 1) * seats + l - 1)*pairs+i], q[j], q[l], s);

mu Blur[X: rel(Mark, State[1..seats], Shared)](x: Mark, q: State[1..seats], s: Shared) =
    exists k, o, a, c. Held[X](x, k, o, a, c) & (each j in 1..seats: Drawn[j](x, q[j], s, k[j], o))
                       & (each j in 1..seats, i in 1..preds: Holds[j, i](x, a[(j - 1)*preds+i], q[j], s))
                       & each j in 1..seats, l in 1..seats, i in 1..pairs:
                           j = l & c[((j - 1) * seats + l - 1)*pairs+i] = false
                           | j != l
                             & Holds2[j, l, i](x, c[((j - 1) * seats + l - 1)*pairs+i], q[j], q[l], s);
