//! Is every request served? A thread that stands at the label `request` must come to the label `served`, under
//! every weakly fair schedule: no thread that can go on from some time on is passed over forever. (A thread that
//! would block inside an atomic section cannot go on.) A waiting thread may move, as in a loop that looks at a lock:
//! starvation.fp asks only for threads that stand still, and needs no labels.
//!
//! The trace is a run and the part that repeats, in which fairness is met for each thread; or a run to a state in
//! which no thread can go on. Emerson and Lei, Modalities for model checking. Single threads only; calls must be
//! inlined.
use program;
use "deadlock.fp";

let Served(q: State) = label(q.pc, "served");

// Thread r ran last, and t is not served from here on. νZ ⋀c μY: fairness for each thread c is met again and again.
nu Unserved[t in 1..n, r in 1..n](q: State[1..n], s: Shared) =
    given Reach[r](q, s) & each c in 1..n: Fair[t, r, c](q, s);

// c moves, or cannot go on although it may be scheduled.
mu Fair[t in 1..n, r in 1..n, c in 1..n](q: State[1..n], s: Shared) =
    moves: !Served(q[t]) & (c = r | yield(q[r], s))
           & exists p, x. step(q[c], s, p, x) by c & Unserved[t, c](q[c := p], x)
  | waits: !Served(q[t]) & yield(q[r], s) & !Passes(q[c], s)
           & some o in 1..n: exists p, x. step(q[o], s, p, x) by o & Unserved[t, o](q[o := p], x)
  | later: !Served(q[t]) & given Reach[r](q, s)
           & some o in 1..n: (o = r | yield(q[r], s))
                             & exists p, x. step(q[o], s, p, x) by o & Fair[t, o, c](q[o := p], x);

// The threads come to a state in which none can go on, and t is not served.
mu Stuck[t in 1..n, r in 1..n](q: State[1..n], s: Shared) =
    end:   given Reach[r](q, s) & !Served(q[t]) & !exit(q[t]) & !target(q[t]) & given Halted[r](q, s)
  | later: !Served(q[t]) & given Reach[r](q, s)
           & some o in 1..n: (o = r | yield(q[r], s))
                             & exists p, x. step(q[o], s, p, x) by o & Stuck[t, o](q[o := p], x);

let Asked[t in 1..n, r in 1..n](q: State[1..n], s: Shared) = Reach[r](q, s) & label(q[t].pc, "request");

query Waits =
    some t in 1..n, r in 1..n: exists q, s. Asked[t, r](q, s) & (Unserved[t, r](q, s) | Stuck[t, r](q, s));
trace Wait = Waits;

verdict unsafe "a request is not served" if Waits;
verdict safe;
