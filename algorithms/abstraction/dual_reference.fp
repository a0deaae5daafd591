//! Proofs for any number of threads by predicates, as Kaiser does it (Monotonicity in multi-threaded programs, chapter 3), to
//! compare with views_abstract.fp: a *dual-reference* program, whose steps say what becomes of the thread that moves and of
//! each passive one, made monotone by its closure.
//!
//! An abstract thread has an outline and a truth value for each predicate. One about two threads, Q, is a value of one
//! thread: Q holds with *all* others (equations 12 to 14). `Steps` and `Follows` are the template R of equation (34). It
//! is computed for all numbers of threads at once. That Q does not hold with all others, another thread bears witness; each
//! witness is asked for by itself (`Witness`), so the bound of theorem 13 on their number is not needed.
//!
//! A passive thread may block a step: for no value of its predicates can it follow. Definition 20 lets it be passed over
//! instead (lib/monotone_closure.fp), and theorem 21 says that nothing is lost, because threads do not move each other in the
//! program itself. The closed program is monotone, so views of some k settle it.
//!
//! Weaker than views_abstract.fp: which of two others a predicate holds with is forgotten, and so is what two passive threads
//! are to each other in a step. Stronger where k is small: a value here is about all other threads, not about k of them.
//! A predicate about two threads should make sense for each two of them, so all threads are copies of one kind, as there.
//!
//! What lies between two places where a thread can be left is one step. There are no errors here: ask views_abstract.fp.
use program;
use "../lib/init.fp";
use "../lib/monotone_closure.fp" as closed with State = Thread, Shared = Outline, broadcast = Steps,
                                                passive = Follows;

require program.recursive = 0 "the program is recursive: use summaries_abstract.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always";
require program.singles = 0 & program.replicated = 1 "there are other threads than copies of one: use views_abstract.fp";
require program.spawns = 0 & program.broadcasts = 0 & program.cover = 0 "threads are made, or move each other: use views_abstract.fp";
require program.predicates + program.predicates2 > 0 "the program has no predicates: give some with --predicate 's == l'";

param k in 1.. = 1;
const preds = program.predicates;
const pairs = program.predicates2;

record Thread { gone: bool, at: State, a: bool[1..preds], c: bool[1..pairs] }
sort Outline = Shared;

// From one place where the thread can be left to the next, or to an error.
mu Moves(p: State, r: Shared, q: State, s: Shared) =
    begin: pause(p, r) & step(p, r, q, s)
  | on:    exists x, y. Moves(p, r, x, y) & !pause(x, y) & step(x, y, q, s);
let Step(p: State, r: Shared, q: State, s: Shared) = Moves(p, r, q, s) & (pause(q, s) | target(q));

// A thread in q, as far as it alone is concerned.
let Drawn(x: Thread, o: Outline, q: State, s: Shared) =
    !x.gone & outline(q, s, x.at, o) & each i in 1..preds: x.a[i] <-> pred[i](q, s);

// What is said of thread a before and behind a step, and of p, holds with x too.
let Lets(f, g, h, l: bool[1..pairs], a: State, r: Shared, b: State, s: Shared, p, x: State) =
    each i in 1..pairs: (f[i] -> pred2[i](a, x, r)) & (g[i] -> pred2[i](b, x, s))
                        & (h[i] -> pred2[i](p, x, r)) & (l[i] -> pred2[i](p, x, s));

// A third thread with which a predicate does not hold: of a before the step, of a behind it, of p before it, of p behind it.
mu Witness[n in 1..4, i in 1..pairs](f, g, h, l: bool[1..pairs], a: State, r: Shared, b: State, s: Shared,
                                     p: State) =
    exists x. Step(a, r, b, s) & pause(p, r) & pause(x, r) & Lets(f, g, h, l, a, r, b, s, p, x)
              & (n = 1 & !pred2[i](a, x, r)
                 | n = 2 & !pred2[i](b, x, s)
                 | n = 3 & !pred2[i](p, x, r)
                 | n = 4 & !pred2[i](p, x, s));
let Tells[n in 1..4, i in 1..pairs](f, g, h, l: bool[1..pairs], a: State, r: Shared, b: State, s: Shared,
                                    p: State) =
    all:     n = 1 & f[i] | n = 2 & g[i] | n = 3 & h[i] | n = 4 & l[i]
  | between: n = 1 & !pred2[i](a, p, r)
             | n = 2 & !pred2[i](b, p, s)
             | n = 3 & !pred2[i](p, a, r)
             | n = 4 & !pred2[i](p, b, s)
  | third:   Witness[n, i](f, g, h, l, a, r, b, s, p);

// Equation (34): x goes to y, and with it a passive thread from u to v.
mu Follows(x: Thread, o: Outline, y: Thread, o': Outline, u, v: Thread) =
    exists a, r, b, s, p. Step(a, r, b, s) & pause(p, r) & Drawn(x, o, a, r) & Drawn(y, o', b, s)
                          & Drawn(u, o, p, r) & Drawn(v, o', p, s)
                          & (each i in 1..pairs: (x.c[i] -> pred2[i](a, p, r))
                                                 & (y.c[i] -> pred2[i](b, p, s))
                                                 & (u.c[i] -> pred2[i](p, a, r))
                                                 & (v.c[i] -> pred2[i](p, b, s)))
                          & each n in 1..4, i in 1..pairs: Tells[n, i](x.c, y.c, u.c, v.c, a, r, b, s, p);
mu Steps(x: Thread, o: Outline, y: Thread, o': Outline) = exists u, v. Follows(x, o, y, o', u, v);

// Equation (35): threads x and y can begin together.
mu Other[n in 1..2, i in 1..pairs](f, g: bool[1..pairs], a, b: State, s: Shared) =
    exists x. Init(s) & start[1](a) & start[1](b) & start[1](x)
              & (each j in 1..pairs: (f[j] -> pred2[j](a, x, s)) & (g[j] -> pred2[j](b, x, s)))
              & (n = 1 & !pred2[i](a, x, s) | n = 2 & !pred2[i](b, x, s));
mu Begin(x, y: Thread, o: Outline) =
    exists a, b, s. Init(s) & start[1](a) & start[1](b) & Drawn(x, o, a, s) & Drawn(y, o, b, s)
                    & (each i in 1..pairs: (x.c[i] -> pred2[i](a, b, s)) & (y.c[i] -> pred2[i](b, a, s)))
                    & each i in 1..pairs: (x.c[i] | !pred2[i](a, b, s) | Other[1, i](x.c, y.c, a, b, s))
                                          & (y.c[i] | !pred2[i](b, a, s) | Other[2, i](x.c, y.c, a, b, s));

// Definition 20: who blocks is gone.
let Goes(x: Thread, o: Outline, y: Thread, o': Outline, u, v: Thread) =
    follows: Follows(x, o, y, o', u, v)
  | passed:  closed.PassedOver(x, o, y, o', u) & !u.gone & v.gone & v.at = x.at
             & (each i in 1..preds: !v.a[i]) & each i in 1..pairs: !v.c[i]
  | gone:    u.gone & v = u & Steps(x, o, y, o');

// k abstract threads can be in w.
mu View(w: Thread[1..k], o: Outline) =
    start: (exists y. Begin(w[1], y, o)) & each i in 1..k, j in 1..k: i = j | Begin(w[i], w[j], o)
  | own:   some i in 1..k: exists u, r. View(u, r) & Steps(u[i], r, w[i], o)
                                        & each j in 1..k: j = i | Goes(u[i], r, w[i], o, u[j], w[j])
  | other: exists u, r, x, y. View(u, r) & Steps(x, r, y, o) & (each j in 1..k: View(u[j := x], r))
                              & each j in 1..k: Goes(x, r, y, o, u[j], w[j]);

// A value that leaves its word ends a run, and the verdict says so.
let Leaves(q: State) = target_class(q, "width");
let Met(q: State) = exists w, o. View(w, o) & !w[1].gone & w[1].at.pc = q.pc & target(q);

query Seen = (exists q. Met(q) & !Leaves(q)) | InitFails;
query Left = exists q. Met(q) & Leaves(q);

verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two and views of k = {k} threads the dual-reference program has an error" if Seen;
verdict bounded "for any number of threads, as long as no value leaves its word, with {program.predicates} predicates about one thread and {program.predicates2} about two" if Left;
verdict safe "for any number of threads, with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
