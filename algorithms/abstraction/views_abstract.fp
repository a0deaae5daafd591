//! Proofs for any number of threads whose numbers have many values: views (views.fp), blurred by predicates (lib/blur.fp).
//! Kaiser, Monotonicity in multi-threaded programs, chapters 3 to 5, in another way: a step is taken among k + 1 threads of
//! which each k are a view. So a predicate about two threads needs no second copy of a thread in the program, and the
//! abstract program needs no monotone closure (lib/monotone_closure.fp): views do what both are for.
//!
//! States are blurred where a thread can be left, and where a loop begins. What lies between is one step, computed with all
//! its numbers; so an atomic section needs fewer predicates than its statements one by one.
//!
//! An error of the abstraction may be none of the program. So it is asked what k + 1 threads really do within `depth` steps.
//! If that is no error either, the verdict is unknown, and `--explain Seen` shows the abstract run.
//!
//! The thread that runs has the last seat. All other seats are alike: what two of them say, they say in either order.
use program;
use "../lib/seats.fp" with m = k + 1;
use "../lib/seats_steps.fp" with asked = Seen;
use "../lib/blur.fp" with seats = k + 1, Mark = Whose, there = Sits;

require program.broadcasts = 0 "threads change variables of others: use views.fp";
require program.cover = 0 "the target is about several threads: use views.fp";

param k in 1.. = 2;

sort Whose = Who[1..m];
let Sits[j in 1..m](w: Whose) = w[j] > 0;

// An empty seat says nothing about its state, so it has one of few.
let Takes[i in 1..m](x: Seat) = Begin[i](x) & (x.who = 0 -> Nobody(x.at));
let Blurs(q: State, s: Shared) =
    stop: Stop[m](q, s)
  | loop: loop_head(q.pc);

// k threads can be in w, all of them where they can be left.
mu View(w: Seat[1..k], s: Shared) =
    start:  Init(s) & (each i in 1..k: Takes[i](w[i]))
            & each i in 1..k, j in 1..i-1: Apart[i, j](w[i].who, w[j].who)
  | others: exists v: Seat[1..m]. v[..k] = w & Run(v, s) & Stop[m](v[m].at, s)
  | mover:  some i in 1..k: exists v: Seat[1..m]. v[..i-1] = w[..i-1] & v[m] = w[i]
                                                  & (each j in i+1..k: v[j-1] = w[j]) & Run(v, s)
                                                  & Stop[m](v[m].at, s);

// k + 1 threads that may be together: each k of them are a view.
mu Meet(v: Seat[1..m], s: Shared) =
    (each l in 1..m: exists w: Seat[1..k]. (each i in 1..l-1: w[i] = v[i])
                                           & (each i in l+1..m: w[i-1] = v[i]) & View(w, s))
    & each i in 1..m, j in 1..i-1: Apart[i, j](v[i].who, v[j].who);

let Acts(v: Seat[1..m], s: Shared) =
    begin: Meet(v, s) & v[m].who > 0
  | on:    Run(v, s) & !Stop[m](v[m].at, s);

// The last one has moved, the others stand. A thread that is made takes an empty seat, or is not among these.
mu Next(v: Seat[1..m], s: Shared) =
    step:   exists p, r. Acts(v[m := { v[m] with at = p }], r) & step(p, r, v[m].at, s)
  | spawn:  program.spawns = 1
            & some l in 1..k: v[l].who = many
                              & exists p, r, y. Acts(v[m := { v[m] with at = p }][l := y], r) & y.who = 0
                                                & spawn(p, r, v[m].at, s, v[l].at)
  | unseen: program.spawns = 1
            & exists p, r, n. Acts(v[m := { v[m] with at = p }], r) & spawn(p, r, v[m].at, s, n);

// The states that are blurred, in the form of lib/blur.fp.
let Open(w: Whose, q: State[1..m], s: Shared) =
    Blurs(q[m], s) & exists v. Next(v, s) & each i in 1..m: v[i].who = w[i] & v[i].at = q[i];

mu Run(v: Seat[1..m], s: Shared) =
    exact: Next(v, s) & !Blurs(v[m].at, s)
  | blur:  exists w, q. Blur[Open](w, q, s) & each i in 1..m: v[i].who = w[i] & v[i].at = q[i];

// A value that leaves its range ends a run, and the verdict says so.
let Leaves(q: State) = target_class(q, "range") | target_class(q, "width");

query Seen = (exists v, s. Run(v, s) & target(v[m].at) & !Leaves(v[m].at)) | InitFails;
query Left = exists v, s. Run(v, s) & target(v[m].at) & Leaves(v[m].at);

verdict unsafe "with at most {m} threads" if Met;
verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two and views of k = {k} threads there is an abstract error, and {m} threads have none within {depth} steps" if Seen;
verdict bounded "for any number of threads, as long as no value leaves its range, with {program.predicates} predicates about one thread and {program.predicates2} about two" if Left;
verdict safe "for any number of threads, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
