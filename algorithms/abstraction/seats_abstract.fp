//! Some threads out of any number, whose numbers have many values: the product of k + 1 threads (lib/seats.fp), blurred by
//! predicates (lib/blur.fp). It proves nothing about more threads; views_abstract.fp does. Where that finds an error of the
//! abstraction, this file finds the run to it, from which `fpsolve abstract` learns predicates.
//!
//! States are blurred where a thread can be left, and where a loop begins, as in views_abstract.fp. So if k + 1 threads have no
//! abstract run to an error, larger k can still prove the program, with the same predicates.
//!
//! The threads take turns in the order of their seats, as in lib/product.fp: each goes on from all that those before it have
//! found. Most errors need each thread only a few times, so runs of some rounds are looked at first (`Early`), and those of
//! any number of rounds, round 0, only if none of these leads to an error.
use program;
use "../lib/seats.fp" with m = k + 1;
use "../lib/blur.fp" with seats = k + 1, Mark = Those, there = Sits;

require program.broadcasts = 0 "threads change variables of others: use views.fp";
require program.cover = 0 "the target is about several threads: use views.fp";

param k in 1.. = 2;
param rounds in 1.. = 2;

// Who sits where.
sort Those = Who[1..m];
let Sits[j in 1..m](x: Those) = x[j] > 0;

let Blurs(q: State, s: Shared) =
    stop: Stop[1](q, s)
  | loop: loop_head(q.pc);

// Who begins on which seat is settled, so that no state is there in several orders: the single threads first, then copies, or
// nobody yet. An empty seat says nothing about its state, so it has one of few.
let Takes[i in 1..m](x: Seat) =
    single: i <= program.singles & x.who = i & Begin[i](x)
  | copy:   i > program.singles & program.replicated = 1 & x.who = many & Begin[i](x)
  | empty:  i > program.singles & program.replicated = 0 & x.who = 0 & given Nobody(x.at);

// It is the turn of the thread on seat j, in the r-th round; round 0 is each.
mu Turn[r in 0..rounds, j in 1..m](v: Seat[1..m], s: Shared) =
    start: j = 1 & (r = 1 | r = 0 & !Early) & Init(s) & each i in 1..m: Takes[i](v[i])
  | pass:  some l in 1..m: (j = l + 1 | j = 1 & l = m & r = 0) & (Turn[r, l](v, s) | Left[r, l](v, s))
  | round: j = 1 & r > 1 & (Turn[r-1, m](v, s) | Left[r-1, m](v, s));
let Left[r in 0..rounds, j in 1..m](v: Seat[1..m], s: Shared) = Blurred[r, j](v, s) & Stop[j](v[j].at, s);

// The threads can be in v while the one on seat j is running.
mu Blurred[r in 0..rounds, j in 1..m](v: Seat[1..m], s: Shared) =
    turn:  Turn[r, j](v, s) & v[j].who > 0
  | exact: Next[r, j](v, s) & !Blurs(v[j].at, s)
  | blur:  exists x, q. Blur[Open[r, j]](x, q, s) & each i in 1..m: v[i].who = x[i] & v[i].at = q[i];

mu Next[r in 0..rounds, j in 1..m](v: Seat[1..m], s: Shared) =
    step:   exists p, o. Blurred[r, j](v[j := { v[j] with at = p }], o) & step(p, o, v[j].at, s) by j
  | spawn:  program.spawns = 1
            & some l in 1..m: l != j & v[l].who = many & (each i in 1..l-1: v[i].who > 0)
                              & exists p, o, y. Blurred[r, j](v[j := { v[j] with at = p }][l := y], o)
                                                & y.who = 0 & spawn(p, o, v[j].at, s, v[l].at) by j
  | unseen: program.spawns = 1
            & exists p, o, n. Blurred[r, j](v[j := { v[j] with at = p }], o)
                              & spawn(p, o, v[j].at, s, n) by j;

// The states that are blurred, in the form of lib/blur.fp.
let Open[r in 0..rounds, j in 1..m](x: Those, q: State[1..m], s: Shared) =
    Blurs(q[j], s) & exists v. Next[r, j](v, s) & each i in 1..m: v[i].who = x[i] & v[i].at = q[i];

// A value that leaves its word ends a run, and the verdict says so. One that leaves its range is an error as any other.
let Leaves(q: State) = target_class(q, "width");
let Fails[r in 0..rounds] =
    some j in 1..m: exists v, s. Blurred[r, j](v, s) & target(v[j].at) & !Leaves(v[j].at);
mu Early = some r in 1..rounds: Fails[r]();

query Seen = Early | Fails[0]() | InitFails;

verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two, {m} threads have an abstract error" if Seen;
verdict bounded "{m} threads have no error, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
