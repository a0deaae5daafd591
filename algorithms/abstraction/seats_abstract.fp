//! Some threads out of any number, whose numbers have many values: the product of k + 1 threads (lib/seats.fp), blurred by
//! predicates (lib/blur.fp). It proves nothing about more threads; views_abstract.fp does. Where that finds an error of the
//! abstraction, this file finds the run to it, from which `fpsolve abstract` learns predicates.
//!
//! States are blurred where a thread can be left, and where a loop begins, as in views_abstract.fp. So if k + 1 threads have no
//! abstract run to an error, larger k can still prove the program, with the same predicates.
use program;
use "../lib/seats.fp" with m = k + 1;
use "../lib/blur.fp" with seats = k + 1, Mark = Turn, there = Sits;

require program.broadcasts = 0 "threads change variables of others: use views.fp";
require program.cover = 0 "the target is about several threads: use views.fp";

param k in 1.. = 2;

// Who sits where, and whose turn it is.
range Runner = 1..m;
record Turn { who: Who[1..m], runner: Runner }
let Sits[j in 1..m](x: Turn) = x.who[j] > 0;

let Blurs(q: State, s: Shared) =
    stop: Stop[1](q, s)
  | loop: loop_head(q.pc);

// Who begins on which seat is settled, so that no state is there in several orders: the single threads first, then copies, or
// nobody yet. An empty seat says nothing about its state, so it has one of few.
let Takes[i in 1..m](x: Seat) =
    single: i <= program.singles & x.who = i & Begin[i](x)
  | copy:   i > program.singles & program.replicated = 1 & x.who = many & Begin[i](x)
  | empty:  i > program.singles & program.replicated = 0 & x.who = 0 & given Nobody(x.at);

// The threads can be in v while the one on seat j is running.
mu Blurred[j in 1..m](v: Seat[1..m], s: Shared) =
    start:  Init(s) & v[j].who > 0 & each i in 1..m: Takes[i](v[i])
  | switch: v[j].who > 0 & some o in 1..m: o != j & Blurred[o](v, s) & Stop[o](v[o].at, s)
  | exact:  Next[j](v, s) & !Blurs(v[j].at, s)
  | blur:   exists x, q. Blur[Open](x, q, s) & x.runner = j
                         & each i in 1..m: v[i].who = x.who[i] & v[i].at = q[i];

mu Next[j in 1..m](v: Seat[1..m], s: Shared) =
    step:   exists p, r. Blurred[j](v[j := { v[j] with at = p }], r) & step(p, r, v[j].at, s) by j
  | spawn:  program.spawns = 1
            & some l in 1..m: l != j & v[l].who = many & (each i in 1..l-1: v[i].who > 0)
                              & exists p, r, y. Blurred[j](v[j := { v[j] with at = p }][l := y], r)
                                                & y.who = 0 & spawn(p, r, v[j].at, s, v[l].at) by j
  | unseen: program.spawns = 1
            & exists p, r, n. Blurred[j](v[j := { v[j] with at = p }], r) & spawn(p, r, v[j].at, s, n) by j;

// The states that are blurred, in the form of lib/blur.fp.
let Open(x: Turn, q: State[1..m], s: Shared) =
    some j in 1..m: x.runner = j & Blurs(q[j], s)
                    & exists v. Next[j](v, s) & each i in 1..m: v[i].who = x.who[i] & v[i].at = q[i];

// A value that leaves its word ends a run, and the verdict says so. One that leaves its range is an error as any other.
let Leaves(q: State) = target_class(q, "width");

query Seen =
    (some j in 1..m: exists v, s. Blurred[j](v, s) & target(v[j].at) & !Leaves(v[j].at))
  | InitFails;

verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two, {m} threads have an abstract error" if Seen;
verdict bounded "{m} threads have no error, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
