//! Reachability in the product of all threads with fewer interleavings: of two neighbouring steps of different
//! threads that commute, only the order of the threads in the file is followed. The verdicts are those of
//! interleaving.fp. Single threads only; calls must be inlined.
//!
//! Monotonic partial-order reduction: Wachter, Kroening and Ouaknine, Verifying multi-threaded software with
//! Impact, section IV. Every run can be sorted into one that is followed here by swapping neighbours that commute,
//! and both end in the same state. A state remembers who made the last step, and where.
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

// Thread t made the last step, at location a; `whole`: it was one from a `yield` to a `yield`.
mu Reach[t in 1..n](a: Pc, whole: bool, q: State[1..n], s: Shared) =
    start: t = 1 & Init(s) & (each i in 1..n: start[i](q[i])) & a = q[1].pc & !whole
  | step:  some l in 1..n: exists b, w, p, r. Reach[l](b, w, q[t := p], r) & (l = t | yield(q[l], r))
                                              & (t >= l | !w | !whole | given Dependent(b, a)) & a = p.pc
                                              & (whole <-> yield(p, r) & yield(q[t], s))
                                              & step(p, r, q[t], s) by t;

query Hit = (some t in 1..n: exists a, w, q, s. Reach[t](a, w, q, s) & target(q[t])) | InitFails;

verdict unsafe if Hit;
verdict safe;

hint symbolic Pc;
