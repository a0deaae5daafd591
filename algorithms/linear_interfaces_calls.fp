//! Errors of parameterized programs with recursive procedures within `rounds` rounds of any number of threads:
//! linear_interfaces.fp with local reachability through procedure summaries. The answers are the same where
//! both apply. La Torre, Madhusudan and Parlato, Model-checking parameterized concurrent programs using linear
//! interfaces, section 4; the summaries are those of Lal and Reps, figure 5, kept apart by the inputs of the
//! thread they belong to and by the round of their call (see lazy_cba.fp for why).
use program;
use "lib/init.fp";

param rounds in 1.. = 2;
const n = program.threads;
const last = program.singles + 1;      // position p is followed by min(p + 1, last)

// A thread at position p, over its first i rounds, was entered with u and left with v. The current procedure was
// entered in round j, in e with ve; now the thread is in q.
mu Path[p in 1..n, i in 1..rounds, j in 1..i](u: Shared[1..i], e: State, ve: Shared[1..j], q: State, v: Shared[1..i]) =
    S1_1: i = 1 & outside start[p](q) & u = v & e = q & ve = v & given Entered[p](u)
  | S1_2: i > j & Path[p, i - 1, j](u[..i - 1], e, ve, q, v[..i - 1]) & pause(q, v[i - 1]) & u[i] = v[i]
        & exists w. given RLI[min(p + 1, last), i - 1](v[..i - 1], w) & given Wanted[p, i](u, w)
  | R1':  exists q', r. Path[p, i, j](u, e, ve, q', v[i := r]) & step(q', r, q, v[i]) by p at i
  | R7':  j = i & e = q & ve = v & some h in 1..i:
          exists d, vd, c. outside Path[p, i, h](u, d, vd, c, v) & outside call(c, v[i], q) by p at i
  | R2':  some h in j..i: exists c, vc, b, x, vx. Path[p, h, j](u[..h], e, ve, c, vc) & call(c, vc[h], b) by p at h
        & within Summary[p, i, h](u, b, vc, x, vx) & ret(c, x, vx[i], q, v[i]) by p at i & v[..i - 1] = vx[..i - 1];

// A procedure entered in round j, in e with ve, can leave in round i, in x with vx.
mu Summary[p in 1..n, i in 1..rounds, j in 1..i](u: Shared[1..i], e: State, ve: Shared[1..j], x: State, vx: Shared[1..i]) =
    R3':  Path[p, i, j](u, e, ve, x, vx) & exit(x);

// The thread can be left with v, whatever is on its stack.
let Leaves[p in 1..n, i in 1..rounds](u, v: Shared[1..i]) =
    some j in 1..i: exists e, ve, q. Path[p, i, j](u, e, ve, q, v) & pause(q, v[i]);

// The first round of position p begins with u: it is the first position, or the thread before it left u.
mu Entered[p in 1..n](u: Shared[1..1]) =
    first:  p = 1 & Init(u[1])
  | behind: some o in 1..n: min(o + 1, last) = p & exists w. Leaves[o, 1](w, u);

// Wanted: the block from position p on took u[..i - 1] to w, and is entered in round i with u[i]. For the first
// position the block is the whole run: each round begins where the one before ended.
let Wrap[i in 2..rounds](u: Shared[1..i], w: Shared[1..i - 1]) = each j in 1..i - 1: w[j] = u[j + 1];
let Wanted[p in 1..n, i in 2..rounds](u: Shared[1..i], w: Shared[1..i - 1]) =
    first:  p = 1 & Init(u[1]) & Wrap[i](u, w)
  | behind: WRLI[p, i](u, w);
mu WRLI[p in 1..n, i in 2..rounds](u: Shared[1..i], w: Shared[1..i - 1]) =
    S2:   given RLI[p, i - 1](u[..i - 1], w) & some o in 1..n: min(o + 1, last) = p
        & exists t. Wanted[o, i](t, w) & Leaves[o, i](t, u);

// The block of threads from position p to the end of the round takes u to v, over i rounds.
mu RLI[p in 1..last, i in 1..rounds](u, v: Shared[1..i]) =
    idle: p > n & u = v
  | S3_1: p <= n & p = last & (i = 1 | given Wanted[p, i](u, v[..i - 1])) & Leaves[p, i](u, v)
  | S3_2: p <= n & (i = 1 | given Wanted[p, i](u, v[..i - 1])) & exists t. Leaves[p, i](u, t) & RLI[min(p + 1, last), i](t, v);

// Some thread can be in q.
query Hit = (exists q. Where(q)) | InitFails;
query Where(q: State) = some p in 1..n, i in 1..rounds, j in 1..i: exists u, e, ve, v. Path[p, i, j](u, e, ve, q, v) & target(q);

// A run to the error: the threads before the one that fails, that thread, and those behind it, which have one round
// less.
trace Run = (some p in 1..n: exists u, e, ve, q, v. Begun[p](u) & Path[p, 1, 1](u, e, ve, q, v) & target(q))
          | (some p in 1..n, i in 2..rounds, j in 1..i: exists u, e, ve, q, v, w. Wanted[p, i](u, w)
               & Path[p, i, j](u, e, ve, q, v) & target(q) & RLI[min(p + 1, last), i - 1](v[..i - 1], w))
          | InitFails;
mu Begun[p in 1..n](u: Shared[1..1]) =
    first:  p = 1 & Init(u[1])
  | behind: some o in 1..n: min(o + 1, last) = p & exists w. Begun[o](w) & Leaves[o, 1](w, u);

verdict unsafe if Hit;
verdict bounded "no error with rounds = {rounds}, for any number of threads";
