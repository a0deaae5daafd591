//! The product of all threads, round by round: in each round every thread runs once, for as long as it
//! likes, in the order of the file. Single threads only; calls must be inlined. The user says how many
//! rounds there are, and where a thread is left: `use "lib/rounds.fp" with rounds = …, left = yield;`.
//! `pause` is enough for targets and shared states, not for asking where two threads are at the same time.
use program;
use "init.fp";
use "singles.fp";

param rounds in 1.. = 2;
rel left(q: State, s: Shared);

// In the k-th round thread t can be running while the threads are in q.
mu Reach[k in 1..rounds, t in 1..n](q: State[1..n], s: Shared) =
    start:  k = 1 & t = 1 & Init(s) & each i in 1..n: start[i](q[i])
  | switch: t > 1 & Reach[k, t-1](q, s) & left(q[t-1], s)
  | round:  t = 1 & k > 1 & Reach[k-1, n](q, s) & left(q[n], s)
  | step:   exists p, r. Reach[k, t](q[t := p], r) & step(p, r, q[t], s) by t at k;
