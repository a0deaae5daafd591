//! The product of all threads: their states together, for any schedule. Single threads only; calls must be
//! inlined.
use program;
use "init.fp";
use "singles.fp";

// Thread t can be running while the threads are in q.
mu Reach[t in 1..n](q: State[1..n], s: Shared) =
    turn: Turn[t](q, s)
  | step: exists p, r. Reach[t](q[t := p], r) & step(p, r, q[t], s) by t;

// Thread t may go on now, like any other thread: the relations `Turn` are equal in the end. The threads take turns, and the
// last one passes to the first. So each thread goes on from all that those before it have just found, and settles before the
// next one begins (Reach stands first in the text). To pass everything to all threads at once gives the same in far more rounds.
mu Turn[t in 1..n](q: State[1..n], s: Shared) =
    start:  t = 1 & Init(s) & each i in 1..n: start[i](q[i])
  | switch: some o in 1..n: (t = o + 1 | t = 1 & o = n) & Reach[o](q, s) & yield(q[o], s)
  | pass:   some o in 1..n: (t = o + 1 | t = 1 & o = n) & Turn[o](q, s);

// The threads can be in q, and each of them can be interrupted.
let Stand(q: State[1..n], s: Shared) = some t in 1..n: Reach[t](q, s) & yield(q[t], s);

// A thread in q with s can step; it can come to its next `yield`, or to its end, before it blocks.
let Enabled(q: State, s: Shared) = exists p, r. step(q, s, p, r);
mu Passes(q: State, s: Shared) =
    yield: exists p, r. step(q, s, p, r) & (yield(p, r) | exit(p) | target(p))
  | more:  exists p, r. step(q, s, p, r) & Passes(p, r);

// The steps from one `yield` to the next: a thread in p with r comes to q with s.
mu Inside(p: State, r: Shared, q: State, s: Shared) =
    step: step(p, r, q, s) & yield(p, r)
  | more: exists x, y. Inside(p, r, x, y) & !yield(x, y) & step(x, y, q, s);
let Section(p: State, r: Shared, q: State, s: Shared) = Inside(p, r, q, s) & yield(q, s);
