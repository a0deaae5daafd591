//! Backward coverability, to compare with views.fp: the states of k threads from which a target can be met, whatever other
//! threads there are. If the beginning is among them, the program is unsafe. If one more thread does not help, that is, a step
//! of it leads to no state that these k threads alone do not have, they are all, and the program is safe. Otherwise more
//! threads are needed. Algorithm 1 of Kaiser, Monotonicity in multi-threaded programs (Abdulla, Cerans, Jonsson and Tsay), with
//! one number of threads after the other: line 4 is `Back`, a cover predecessor that is larger is `Help`.
//!
//! Where views.fp looks at what is reached, this file looks at what leads to the target, also where no run comes to. So it
//! often needs more threads for a proof; an error needs as many as the run has. A thread that is not needed may stand on any
//! seat, so the sets are closed upwards by themselves. There are at least as many seats as the target has threads. It needs monotone programs: where a passive thread blocks, it is
//! passed over (lib/monotone_closure.fp), and then an error may be one of the closure only, and the verdict is unknown.
use program;
use "lib/seats.fp" with m = max(k, program.cover);

param k in 1.. = 2;

// A thread that there can be: it is where its position can come to.
let Home(x: Seat) =
    none:   x.who = 0
  | single: some t in 1..program.singles: x.who = t & reach_cfg[t](x.at)
  | copy:   x.who = many & program.replicated = 1 & reach_cfg[program.threads](x.at)
  | made:   x.who = many & program.spawns = 1;
let Homes(v: Seat[1..m]) =
    (each i in 1..m: Home(v[i])) & each i in 1..m, l in 1..i-1: Apart[i, l](v[i].who, v[l].who);

// The thread on seat j is running, and these threads can meet a target.
mu Back[j in 1..m](v: Seat[1..m], s: Shared) =
    target: v[j].who > 0 & target(v[j].at) & Homes(v)
  | cover:  v[j].who > 0 & cover_shared(s) & Homes(v)
            & each i in 1..program.cover: v[i].who > 0 & cover[i](v[i].at)
  | switch: v[j].who > 0 & Stop[j](v[j].at, s) & some o in 1..m: o != j & Back[o](v, s)
  | step:   exists p, r. step(v[j].at, s, p, r) & Back[j](v[j := { v[j] with at = p }], r)
  | made:   program.spawns = 1
            & some l in 1..m: l != j & Home(v[l])
                              & exists p, r, x. spawn(v[j].at, s, p, r, x.at) & x.who = many
                                                & Back[j](v[j := { v[j] with at = p }][l := x], r)
  | unseen: program.spawns = 1
            & exists p, r, n. spawn(v[j].at, s, p, r, n) & Back[j](v[j := { v[j] with at = p }], r)
  | moved:  program.broadcasts = 1
            & exists u, r. broadcast(v[j].at, s, u[j].at, r) & Back[j](u, r) & Homes(v)
                           & u[j].who = v[j].who
                           & each i in 1..m: i = j | Goes(v[j].at, s, u[j].at, r, v[i], u[i])
  | all:    program.broadcasts = 1 & exists u, r. Back[j](u, r) & Together(v, s, u, r) & Homes(v);
let Together(v: Seat[1..m], s: Shared, u: Seat[1..m], r: Shared) =
    (exists p, q. move_all(s, r, p, q))
    & each i in 1..m: u[i].who = v[i].who & (v[i].who = 0 | move_all(s, r, v[i].at, u[i].at));

// A passive thread goes from x to y, or is passed over.
let Goes(q: State, s: Shared, q': State, s': Shared, x, y: Seat) =
    stays:  x.who = 0 & y.who = 0
  | moves:  x.who > 0 & y.who = x.who & passive(q, s, q', s', x.at, y.at)
  | passed: x.who > 0 & y.who = 0 & PassedOver(q, s, q', s', x.at);

// One more thread x runs, and then these threads can meet a target.
let Covers(v: Seat[1..m], s: Shared) = some j in 1..m: Back[j](v, s) & Stop[j](v[j].at, s);
mu Help(v: Seat[1..m], x: Seat, s: Shared) =
    step:  x.who > 0 & Home(x) & exists p, r. step(x.at, s, p, r) & Helped(v, { x with at = p }, r)
  | made:  program.spawns = 1 & x.who > 0 & Home(x)
           & exists p, r, n. spawn(x.at, s, p, r, n) & Helped(v, { x with at = p }, r)
  | sits:  program.spawns = 1 & x.who > 0 & Home(x)
           & some l in 1..m: Home(v[l])
                             & exists p, r, y. spawn(x.at, s, p, r, y.at) & y.who = many
                                               & Helped(v[l := y], { x with at = p }, r)
  | moved: program.broadcasts = 1 & x.who > 0 & Home(x) & Homes(v)
           & exists p, u, r. broadcast(x.at, s, p, r) & Helped(u, { x with at = p }, r)
                             & each i in 1..m: Goes(x.at, s, p, r, v[i], u[i]);
let Helped(v: Seat[1..m], x: Seat, s: Shared) =
    done: Covers(v, s) & yield(x.at, s)
  | on:   Help(v, x, s) & !yield(x.at, s);

// What helps: k + 1 threads of which no k can do it alone.
query Helpful =
    exists v, x, s. Help(v, x, s) & yield(x.at, s)
                    & (each i in 1..m: (v[i].who = 0 | yield(v[i].at, s)) & Apart[i, i](v[i].who, x.who))
                    & !Covers(v, s) & each i in 1..m: !Covers(v[i := x], s);

query Beginning = exists v, s. Init(s) & (each i in 1..m: Begin[i](v[i])) & Homes(v) & Covers(v, s);

verdict unsafe "with at most {m} threads" if Beginning & Monotone | InitFails;
verdict unknown "the closure of the program has an error with {m} threads: see lib/monotone_closure.fp" if Beginning;
verdict safe "backward from the target, one thread more than k = {m} does not help" if !Helpful;
verdict unknown "one thread more than k = {m} helps: try more";
hint symbolic Pc;
