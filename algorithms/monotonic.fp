//! Reachability in the product of all threads with fewer interleavings: of two neighbouring steps of different
//! threads that commute, only the order of the threads in the file is followed. The verdicts are those of
//! interleaving.fp. Single threads only; calls must be inlined. There are fewer tuples, but mostly larger diagrams: try
//! interleaving.fp first.
//!
//! Monotonic partial-order reduction: Wachter, Kroening and Ouaknine, Verifying multi-threaded software with
//! Impact, section IV. Every run can be sorted into one that is followed here by swapping neighbours that commute,
//! and both end in the same state. The paper remembers the last step of a run. Here it is enough to know who made it: the
//! thread still is where the step led.
//!
//! Only whole steps are held back, those from a `yield` to a `yield`: a step inside an atomic section cannot
//! change places with another thread's step alone. Which steps commute is computed from their meaning
//! (`sets` = 0), or from the variables that they read and write, as in the paper (`sets` = 1): then fewer do.
use program;
use "lib/init.fp";
use "lib/singles.fp";

param sets in 0..1 = 0;

// A step of one thread, and behind it a step of another one.
let Both(q, p: State, s: Shared, q', p': State, s': Shared) =
    exists r. step(q, s, q', r) & step(p, r, p', s');

// The step at pc changes something shared that is not in the text, such as a request for a new thread.
let Hidden(pc: Pc) =
    (exists q, s, q', s'. step(q, s, q', s') & q.pc = pc & s != s') & !exists v. shared(v) & writes(pc, v);

// Somewhere it matters in which order the steps at these locations are made.
let Dependent(a, b: Pc) =
    order:  sets = 0
            & exists q, p, s, q', p', s'. q.pc = a & p.pc = b
                                          & (Both(q, p, s, q', p', s') & !Both(p, q, s, p', q', s')
                                             | Both(p, q, s, p', q', s') & !Both(q, p, s, q', p', s'))
  | hidden: sets = 1 & (Hidden(a) | Hidden(b))
  | access: sets = 1
            & exists v. shared(v)
                        & (writes(a, v) & (reads(b, v) | writes(b, v)) | reads(a, v) & writes(b, v));

// The step at b depends on one that leads to pc.
let Follows(pc, b: Pc) = exists q, s, q', s'. step(q, s, q', s') & pc = q'.pc & Dependent(q.pc, b);

// Thread t made the last step; w = 1: it was one from a `yield` to a `yield`.
mu Reach[t in 1..n, w in 0..1](q: State[1..n], s: Shared) =
    start:  t = 1 & w = 0 & Init(s) & each i in 1..n: start[i](q[i])
  | inside: w = 0
            & some l in 1..n, v in 0..1: exists p, r. Reach[l, v](q[t := p], r) & (l = t | yield(q[l], r))
                                                      & !(yield(p, r) & yield(q[t], s))
                                                      & step(p, r, q[t], s) by t
  | whole:  w = 1
            & some l in 1..n, v in 0..1: exists p, r. Reach[l, v](q[t := p], r) & (l = t | yield(q[l], r))
                                                      & (t >= l | v = 0 | given Follows(q[l].pc, p.pc))
                                                      & yield(p, r) & yield(q[t], s)
                                                      & step(p, r, q[t], s) by t;

query Hit = (some t in 1..n, w in 0..1: exists q, s. Reach[t, w](q, s) & target(q[t])) | InitFails;

verdict unsafe if Hit;
verdict safe;

hint symbolic Pc;
