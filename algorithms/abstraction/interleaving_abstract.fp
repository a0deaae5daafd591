//! Proofs for some threads whose numbers have many values: the product of all threads (interleaving.fp), blurred by
//! predicates (lib/blur.fp), also by those about two threads.
//!
//! States are blurred where a thread can be left, and where a loop begins. What lies between is one step.
//!
//! An error of the abstraction may be none of the program. So it is asked what the threads really do within `depth` steps. If
//! that is no error either, the verdict is unknown, and `--explain Seen` shows the abstract run.
use program;
use "../lib/init.fp";
use "../lib/singles.fp";
use "../lib/blur.fp" with seats = n, Mark = Runner, there = All;

param depth in 1.. = 40;
range Runner = 1..n;
keyed range Depth = 0..depth;

let All[j in 1..n](t: Runner) = t >= 1;
let Blurs(q: State, s: Shared) =
    left: pause(q, s)
  | loop: loop_head(q.pc);

// Thread t can be running while the threads are in q.
mu Reach[t in 1..n](q: State[1..n], s: Shared) =
    start:  Init(s) & each i in 1..n: start[i](q[i])
  | switch: some o in 1..n: o != t & Reach[o](q, s) & pause(q[o], s)
  | exact:  Next[t](q, s) & !Blurs(q[t], s)
  | blur:   exists x. Blur[Open](x, q, s) & x = t;

mu Next[t in 1..n](q: State[1..n], s: Shared) = exists p, r. Reach[t](q[t := p], r) & step(p, r, q[t], s) by t;

// The states that are blurred, in the form of lib/blur.fp.
let Open(x: Runner, q: State[1..n], s: Shared) = some t in 1..n: x = t & Next[t](q, s) & Blurs(q[t], s);

// After so many steps the threads can really be in q, and thread t is running.
mu Real[t in 1..n](d: Depth, q: State[1..n], s: Shared) =
    start:  d = 0 & given Seen & Init(s) & each i in 1..n: start[i](q[i])
  | switch: some o in 1..n: o != t & Real[o](d, q, s) & pause(q[o], s)
  | step:   exists e, p, r. e + 1 = d & Real[t](e, q[t := p], r) & step(p, r, q[t], s) by t;

// A value that leaves its word ends a run, and the verdict says so. One that leaves its range is an error as any other.
let Leaves(q: State) = target_class(q, "width");

query Seen = (some t in 1..n: exists q, s. Reach[t](q, s) & target(q[t]) & !Leaves(q[t])) | InitFails;
query Left = some t in 1..n: exists q, s. Reach[t](q, s) & target(q[t]) & Leaves(q[t]);
query Met = (some t in 1..n: exists d, q, s. Real[t](d, q, s) & target(q[t])) | InitFails;

verdict unsafe if Met;
verdict unknown "with {program.predicates} predicates about one thread and {program.predicates2} about two there is an abstract error, and the program has none within {depth} steps" if Seen;
verdict bounded "as long as no value leaves its word, with {program.predicates} predicates about one thread and {program.predicates2} about two" if Left;
verdict safe "with {program.predicates} predicates about one thread and {program.predicates2} about two";
hint symbolic Pc;
