//! Proofs for any number of threads whose numbers have many values: views (views.fp), blurred by predicates (lib/blur.fp).
//! Kaiser, Monotonicity in multi-threaded programs, chapters 3 to 5, in another way: a step is taken among k + 1 threads of
//! which each k are a view. So a predicate about two threads needs no second copy of a thread in the program, and the
//! abstract program needs no monotone closure (lib/monotone_closure.fp): views do what both are for.
//!
//! Views are blurred: what k threads are when one of them can be left. A thread goes from there to where it can be left
//! again, or to where a loop begins. This *section* is computed once for one thread, with all its numbers, whoever is
//! beside it; so an atomic section needs fewer predicates than its statements one by one. Numbers that no predicate
//! mentions are 0 in a view, and stand for any value.
//!
//! The others see what a section does to the shared state. The one that makes it need not be among the k threads of a view; then
//! each k of these k + 1 threads must be a view (`Other`). Such a section counts only if it changes something.
//!
//! An error of the abstraction may be none of the program. So it is asked what k + 1 threads really do within `depth` steps.
//! If that is no error either, the verdict is unknown; `fpsolve abstract` looks for predicates that are missing.
//!
//! All seats are alike: what two of them say, they say in either order. The thread that made the last section has seat k in
//! `Rest`, and any seat in a view.
use program;
use "../lib/seats.fp" with m = k + 1;
use "../lib/seats_steps.fp" with asked = Seen;
use "../lib/blur.fp" as few with seats = k, Mark = Few, there = Sits;
use "../lib/blur.fp" as all with seats = k + 1, Mark = All, there = Stays;

require program.broadcasts = 0 "threads change variables of others: use views.fp";
require program.cover = 0 "the target is about several threads: use views.fp";

param k in 1.. = 2;

sort Few = Who[1..k];
sort All = Who[1..m];
let Sits[j in 1..k](w: Few) = w[j] > 0;
let Stays[j in 1..m](w: All) = w[j] > 0;

// A thread can be left. Sections end there, and where a loop begins inside an atomic section.
let Leave(q: State, s: Shared) =
    stop: Stop[m](q, s)
  | loop: loop_head(q.pc) & yield(q, s);
let Ends(q: State, s: Shared) =
    stop: Stop[m](q, s)
  | loop: loop_head(q.pc);

// An empty seat says nothing about its state, so it has one of few.
let Bare(x: Seat, s: Shared) =
    empty:  x.who = 0 & few.Nobody(x.at)
  | thread: x.who > 0 & mentioned(x.at, s, x.at, s);
let Forgets(x: Seat, r: Shared, y: Seat, s: Shared) =
    empty:  x.who = 0 & y.who = 0 & few.Nobody(y.at)
  | thread: x.who > 0 & y.who = x.who & mentioned(x.at, r, y.at, s);

// k threads can be in w, all of them where they can be left.
mu View(w: Seat[1..k], s: Shared) =
    start: Start(w, s)
  | blur:  some i in 1..k: exists v: Seat[1..k]. Blurred(v, s) & w = v[i := v[k]][k := v[i]];
mu Start(w: Seat[1..k], s: Shared) =
    exists v: Seat[1..k], r. Init(r) & (each i in 1..k: Begin[i](v[i]) & Forgets(v[i], r, w[i], s))
                             & (exists p, q. mentioned(p, r, q, s))
                             & each i in 1..k, j in 1..i-1: Apart[i, j](w[i].who, w[j].who);
let Blurred(v: Seat[1..k], s: Shared) =
    (exists x, q. few.Blur[Rest](x, q, s) & each i in 1..k: v[i].who = x[i] & v[i].at = q[i])
    & each i in 1..k: Bare(v[i], s);

// A section can begin here. What the thread has done since, step by step.
mu From(p: State, r: Shared) =
    view:   exists w. View(w, r) & w[1].who > 0 & w[1].at = p
  | inside: exists v. Inside[k](v, r) & v[k].at = p;
mu Section(p: State, r: Shared, q: State, s: Shared) =
    begin: From(p, r) & exists x, y. mentioned(x, y, p, r) & step(x, y, q, s)
  | on:    exists x, y. Section(p, r, x, y) & !Ends(x, y) & step(x, y, q, s);

// A whole section; a thread is made, which ends a section too.
mu Walk(p: State, r: Shared, q: State, s: Shared) =
    exists x, y. Section(p, r, x, y) & Ends(x, y) & mentioned(x, y, q, s);
mu Birth(p: State, r: Shared, q: State, s: Shared, n: State) =
    begin: program.spawns = 1 & From(p, r)
           & exists x, y, z, t, u. mentioned(x, y, p, r) & spawn(x, y, z, t, u) & mentioned(z, t, q, s)
                                   & mentioned(u, t, n, s)
  | on:    program.spawns = 1
           & exists x, y, z, t, u. Section(p, r, x, y) & !Ends(x, y) & spawn(x, y, z, t, u)
                                   & mentioned(z, t, q, s) & mentioned(u, t, n, s);

// One of the k threads has moved, or one that is none of them.
let Rest(x: Few, q: State[1..k], s: Shared) =
    moved: exists w. Next[k](w, s) & Leave(w[k].at, s) & each i in 1..k: w[i].who = x[i] & w[i].at = q[i]
  | other: exists w. Other(w, s) & each i in 1..k: w[i].who = x[i] & w[i].at = q[i];

// The last of n threads has moved. Of k + 1 only what ends inside an atomic section is of interest; that is seldom.
mu Next[n in k..m](v: Seat[1..n], s: Shared) =
    walk:   v[n].who > 0
            & exists p, r. Acts[n](v[n := { v[n] with at = p }], r) & Walks[n](p, r, v[n].at, s)
  | spawn:  program.spawns = 1 & v[n].who > 0
            & some l in 1..n-1: v[l].who = many
                                & exists p, r, y. Acts[n](v[n := { v[n] with at = p }][l := y], r)
                                                  & y.who = 0 & Births[n](p, r, v[n].at, s, v[l].at)
  | unseen: program.spawns = 1 & v[n].who > 0
            & exists p, r, x. Acts[n](v[n := { v[n] with at = p }], r) & Births[n](p, r, v[n].at, s, x);
let Acts[n in k..m](v: Seat[1..n], s: Shared) =
    view:   n = k & View(v, s)
  | meet:   n = m & Stay & Meet(v, s)
  | inside: Inside[n](v, s);
mu Walks[n in k..m](p: State, r: Shared, q: State, s: Shared) = Walk(p, r, q, s) & (n = k | !Leave(q, s));
mu Births[n in k..m](p: State, r: Shared, q: State, s: Shared, x: State) =
    Birth(p, r, q, s, x) & (n = k | !Leave(q, s));
mu Stay =
    walk:  exists p, r, q, s. Walks[m](p, r, q, s)
  | birth: exists p, r, q, s, x. Births[m](p, r, q, s, x);

// k + 1 threads that may be together: each k of them are a view.
mu Meet(v: Seat[1..m], s: Shared) =
    Stay
    & (each l in 1..m: exists w: Seat[1..k]. (each i in 1..l-1: w[i] = v[i])
                                             & (each i in l+1..m: w[i-1] = v[i]) & View(w, s))
    & each i in 1..m, j in 1..i-1: Apart[i, j](v[i].who, v[j].who);

// Where the last one stays inside an atomic section, because a loop begins there or it has made a thread.
mu Inside[n in k..m](v: Seat[1..n], s: Shared) =
    few: n = k
         & (exists w, q. few.Blur[Open[k]](w, q, s) & each i in 1..n: v[i].who = w[i] & v[i].at = q[i])
         & each i in 1..n: Bare(v[i], s)
  | all: n = m
         & (exists w, q. all.Blur[Open[m]](w, q, s) & each i in 1..n: v[i].who = w[i] & v[i].at = q[i])
         & each i in 1..n: Bare(v[i], s);
let Open[n in k..m](w: Who[1..n], q: State[1..n], s: Shared) =
    exists v. Next[n](v, s) & !Leave(q[n], s) & each i in 1..n: v[i].who = w[i] & v[i].at = q[i];

// What others see of a section; of one that makes a thread, which they may be.
mu Effect(p: State, r, s: Shared) =
    walk:   r != s & exists q. Walk(p, r, q, s) & Leave(q, s)
  | unseen: r != s & exists q, n. Birth(p, r, q, s, n) & Leave(q, s);
mu Makes(p: State, r, s: Shared, n: State) = exists q. Birth(p, r, q, s, n) & Leave(q, s);

// k threads beside the one that moved. A thread that was made has seat k.
mu Other(w: Seat[1..k], s: Shared) =
    step:   exists r, x. View(w, r) & x.who > 0 & Effect(x.at, r, s)
                         & each i in 1..k: Apart[1, m](w[i].who, x.who) & View(w[i := x], r)
  | spawn:  program.spawns = 1 & w[k].who = many
            & exists r, x, y. View(w[k := y], r) & y.who = 0 & x.who > 0 & Makes(x.at, r, s, w[k].at)
                              & each i in 1..k: (i = k | Apart[1, m](w[i].who, x.who))
                                                & View(w[k := y][i := x], r)
  | inside: exists v: Seat[1..m], r. v[..k] = w & Inside[m](v, r) & Effect(v[m].at, r, s)
  | makes:  program.spawns = 1 & w[k].who = many
            & exists v: Seat[1..m], r. v[..k-1] = w[..k-1] & v[k].who = 0 & Inside[m](v, r)
                                       & Makes(v[m].at, r, s, w[k].at);

// A value that leaves its word ends a run, and the verdict says so. One that leaves its range is an error as any other.
let Leaves(q: State) = target_class(q, "width");

query Seen = (exists p, r, q, s. Section(p, r, q, s) & target(q) & !Leaves(q)) | InitFails;
query Left = exists p, r, q, s. Section(p, r, q, s) & target(q) & Leaves(q);

verdict unsafe "with at most {m} threads" if Met;
verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two and views of k = {k} threads there is an abstract error, and {m} threads have none within {depth} steps" if Seen;
verdict bounded "for any number of threads, as long as no value leaves its word, with {program.predicates} predicates about one thread and {program.predicates2} about two" if Left;
verdict safe "for any number of threads, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
