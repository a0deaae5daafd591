//! Can a thread that has not ended stand still forever while others run forever? With `fair` = 1 only weakly
//! fair schedules count: a thread that never moves again must be unable to move again and again, at places where it may
//! be scheduled. A thread that would block inside an atomic section cannot move in front of it. With `fair` = 0 every schedule counts, even one that never lets the thread run. The trace is a run and the part that
//! repeats. Emerson and Lei, Modalities for model checking. Single threads only; calls must be inlined.
use program;
use "lib/product.fp";
require program.cuts = 0 "threads that wait for ever: not for C programs yet";

param fair in 0..1 = 1;

// Thread r ran last and t never runs again. νZ ⋀c μY: fairness for each thread c is met again and again.
nu Starve[t in 1..n, r in 1..n](q: State[1..n], s: Shared) =
    unfair: fair = 0 & given Reach[r](q, s)
            & some o in 1..n: o != t & (o = r | yield(q[r], s))
                              & exists p, x. step(q[o], s, p, x) by o & Starve[t, o](q[o := p], x)
  | fair:   fair = 1 & given Reach[r](q, s) & each c in 1..n: Fair[t, r, c](q, s);

// c moves, or cannot move although it may be scheduled.
mu Fair[t in 1..n, r in 1..n, c in 1..n](q: State[1..n], s: Shared) =
    moves: c != t & (c = r | yield(q[r], s))
           & exists p, x. step(q[c], s, p, x) by c & Starve[t, c](q[c := p], x)
  | waits: yield(q[r], s) & !Passes(q[c], s)
           & some o in 1..n: o != t & exists p, x. step(q[o], s, p, x) by o & Starve[t, o](q[o := p], x)
  | later: given Reach[r](q, s)
           & some o in 1..n: o != t & (o = r | yield(q[r], s))
                             & exists p, x. step(q[o], s, p, x) by o & Fair[t, o, c](q[o := p], x);

query Starves =
    some t in 1..n, r in 1..n: exists q, s. Reach[r](q, s) & !exit(q[t]) & !target(q[t])
                                            & Starve[t, r](q, s);
trace Run =
    some t in 1..n, r in 1..n: exists q, s. Reach[r](q, s) & !exit(q[t]) & !target(q[t])
                                            & Starve[t, r](q, s);

verdict unsafe "a thread can starve" if Starves;
verdict safe;

hint symbolic Pc;
