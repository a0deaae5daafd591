//! views_abstract.fp with Cartesian abstraction, to compare with: what a section makes of each predicate is computed by itself, from
//! one abstract state. Then all combinations of these values are taken, also those that no section leads to. This is how
//! monabs computes abstract steps (Kaiser, Monotonicity in multi-threaded programs, section 5.1; there, with cubes of up to
//! three predicates). It is cheaper for a tool that asks a solver for each step, and not for diagrams.
//!
//! Weaker than views_abstract.fp: what that file reaches, this one reaches too. So it never proves what the other does not, for
//! programs without loops inside atomic sections (there the other file forgets numbers, and this one does not).
//!
//! There are no errors here: ask views_abstract.fp for those. Threads that are made are not supported.
use program;
use "../lib/seats.fp" with m = k + 1;
use "../lib/blur.fp" as few with seats = k, Mark = Few, there = Sits;
use "../lib/blur.fp" as all with seats = k + 1, Mark = All, there = Stays;

require program.predicates + program.predicates2 > 0 "the program has no predicates: give some with --predicate 's == l'";
require program.spawns = 0 & program.broadcasts = 0 & program.cover = 0 "threads are made, or move each other: use views_abstract.fp";

param k in 1.. = 2;

sort Few = Who[1..k];
sort All = Who[1..m];
let Sits[j in 1..k](w: Few) = w[j] > 0;
let Stays[j in 1..m](w: All) = w[j] > 0;

let Leave(q: State, s: Shared) =
    stop: Stop[m](q, s)
  | loop: loop_head(q.pc) & yield(q, s);

let Bare(x: Seat, s: Shared) =
    empty:  x.who = 0 & few.Nobody(x.at)
  | thread: x.who > 0 & mentioned(x.at, s, x.at, s);
let Forgets(x: Seat, r: Shared, y: Seat, s: Shared) =
    empty:  x.who = 0 & y.who = 0 & few.Nobody(y.at)
  | thread: x.who > 0 & y.who = x.who & mentioned(x.at, r, y.at, s);

// k threads can be in w, all of them where they can be left.
mu View(w: Seat[1..k], s: Shared) =
    start: Start(w, s)
  | moved: some i in 1..k: exists v: Seat[1..k]. Mine(v, s) & w = v[i := v[k]][k := v[i]]
  | other: Other(w, s);
mu Start(w: Seat[1..k], s: Shared) =
    exists v: Seat[1..k], r. Init(r) & (each i in 1..k: Begin[i](v[i]) & Forgets(v[i], r, w[i], s))
                             & (exists p, q. mentioned(p, r, q, s))
                             & each i in 1..k, j in 1..i-1: Apart[i, j](w[i].who, w[j].who);
let Mine(v: Seat[1..k], s: Shared) =
    (exists x, q. few.Cartesian[few.Abstract, Visible](x, q, s)
                  & each i in 1..k: v[i].who = x[i] & v[i].at = q[i]) & each i in 1..k: Bare(v[i], s);
let Other(v: Seat[1..k], s: Shared) =
    (exists x, q. few.Cartesian[all.Abstract, Hidden](x, q, s)
                  & each i in 1..k: v[i].who = x[i] & v[i].at = q[i]) & each i in 1..k: Bare(v[i], s);

// A section of a thread.
mu Section(p: State, r: Shared, q: State, s: Shared) =
    begin: (exists w. View(w, r) & w[1].who > 0 & w[1].at = p)
           & exists x, y. mentioned(x, y, p, r) & step(x, y, q, s)
  | on:    exists x, y. Section(p, r, x, y) & !Leave(x, y) & step(x, y, q, s);
mu Walk(p: State, r: Shared, q: State, s: Shared) =
    exists x, y. Section(p, r, x, y) & Leave(x, y) & mentioned(x, y, q, s);

// The k threads of a view, and k + 1 that may be together, with the abstract state that they are in.
let Here(x: Few, q: State[1..k], s: Shared) =
    exists w. View(w, s) & each i in 1..k: x[i] = w[i].who & q[i] = w[i].at;
let Meet(x: All, q: State[1..m], s: Shared) =
    (each l in 1..m: exists w: Seat[1..k]. (each i in 1..l-1: w[i].who = x[i] & w[i].at = q[i])
                                           & (each i in l+1..m: w[i-1].who = x[i] & w[i-1].at = q[i])
                                           & View(w, s))
    & each i in 1..m, j in 1..i-1: Apart[i, j](x[i], x[j]);

// From an abstract state, the last thread goes on; k of k + 1 threads see what the last one does.
let Visible(b: few.Abstract, x: Few, q: State[1..k], s: Shared) =
    x[k] > 0 & exists p, r. few.Named[Here](x, q[k := p], r, b) & Walk(p, r, q[k], s);
let Hidden(b: all.Abstract, x: Few, q: State[1..k], s: Shared) =
    exists y, z, r, p. y[..k] = x & z[..k] = q & y[m] > 0 & r != s & all.Named[Meet](y, z, r, b)
                       & Walk(z[m], r, p, s);

// A value that leaves its word ends a run, and the verdict says so.
let Leaves(q: State) = target_class(q, "width");

query Seen = (exists p, r, q, s. Section(p, r, q, s) & target(q) & !Leaves(q)) | InitFails;
query Left = exists p, r, q, s. Section(p, r, q, s) & target(q) & Leaves(q);

verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two and views of k = {k} threads there is an abstract error" if Seen;
verdict bounded "for any number of threads, as long as no value leaves its word, with {program.predicates} predicates about one thread and {program.predicates2} about two" if Left;
verdict safe "for any number of threads, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
