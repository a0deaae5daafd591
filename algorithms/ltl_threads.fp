//! Does every run of some threads satisfy a formula of linear temporal logic? For any schedule, on the product of all
//! threads: the verdict is safe or unsafe. The formula is given with the run, `--ltl 'G (lock -> F unlock)'`, and
//! comes as a Büchi automaton that accepts what violates it; the threads and the automaton run together. The trace is a
//! run, and the part that repeats. Vardi and Wolper, An automata-theoretic approach to automatic program verification.
//! Single threads only; calls must be inlined.
//!
//! Each step of a thread is a step of the run. With `fair` = 1 only weakly fair schedules count: a thread that never moves again
//! must be unable to move again and again, at places where it may be scheduled. With `ends` = 1 a run that cannot go on,
//! because all threads have ended or wait for each other, stays where it is; with `ends` = 0 only infinite runs count.
//! A run that is stuck inside an atomic section is no run: the thread could as well have waited before it.
use program;
use ltl;
use "lib/product.fp";
require program.cuts = 0 "formulas about whole runs: not for C programs yet";

require ltl.given = 1 "no formula is given: --ltl 'G (p -> F q)'";

param fair in 0..1 = 0;
param ends in 0..1 = 1;
const conditions = fair * n;

// The automaton reads the letter of the state that a step leaves.
let Read(q: State[1..n], s: Shared, x, y: Place) =
    exists l. ltl_next(x, l, y) & each i in 1..n: ltl_letter[i](q[i], s, l);

// Thread t can be running while the threads are in q, and the automaton is in x.
mu Run[t in 1..n](q: State[1..n], s: Shared, x: Place) =
    turn: May[t](q, s, x)
  | step: exists p, r, y. Run[t](q[t := p], r, y) & Read(q[t := p], r, y, x) & step(p, r, q[t], s) by t
  | stay: ends = 1 & exists y. Run[t](q, s, y) & Ended[t](q, s) & Read(q, s, y, x);

// Thread t may go on now: the threads take turns, as in lib/product.fp.
mu May[t in 1..n](q: State[1..n], s: Shared, x: Place) =
    start:  t = 1 & Init(s) & (each i in 1..n: start[i](q[i])) & ltl_initial(x)
  | switch: some o in 1..n: (t = o + 1 | t = 1 & o = n) & Run[o](q, s, x) & yield(q[o], s)
  | pass:   some o in 1..n: (t = o + 1 | t = 1 & o = n) & May[o](q, s, x);

// No thread can move on.
let Ended[t in 1..n](q: State[1..n], s: Shared) = yield(q[t], s) & each i in 1..n: !Passes(q[i], s);

// Thread r ran last. νZ ⋀c μY: the automaton accepts, and fairness for each thread c is met, again and again.
nu Again[r in 1..n](q: State[1..n], s: Shared, x: Place) =
    given Run[r](q, s, x) & each c in 0..conditions: Soon[r, c](q, s, x);

mu Soon[r in 1..n, c in 0..conditions](q: State[1..n], s: Shared, x: Place) =
    accepts: c = 0 & ltl_accepting(x)
             & some o in 1..n: (o = r | yield(q[r], s))
                               & exists p, z, y. step(q[o], s, p, z) by o & Read(q, s, x, y)
                                                 & Again[o](q[o := p], z, y)
  | moves:   c > 0 & (c = r | yield(q[r], s))
             & exists p, z, y. step(q[c], s, p, z) by c & Read(q, s, x, y) & Again[c](q[c := p], z, y)
  | waits:   c > 0 & yield(q[r], s) & !Passes(q[c], s)
             & some o in 1..n: exists p, z, y. step(q[o], s, p, z) by o & Read(q, s, x, y)
                                               & Again[o](q[o := p], z, y)
  | later:   some o in 1..n: (o = r | yield(q[r], s))
                             & exists p, z, y. step(q[o], s, p, z) by o & Read(q, s, x, y)
                                               & Soon[o, c](q[o := p], z, y)
  | ended:   ends = 1 & Ended[r](q, s) & (c > 0 | ltl_accepting(x))
             & exists y. Read(q, s, x, y) & Again[r](q, s, y)
  | stays:   ends = 1 & Ended[r](q, s) & exists y. Read(q, s, x, y) & Soon[r, c](q, s, y);

query Violated = some r in 1..n: exists q, s, x. Run[r](q, s, x) & Again[r](q, s, x);

verdict unsafe "some run violates the formula" if Violated;
verdict safe "every run satisfies the formula";

hint symbolic Pc;
