//! Errors of parameterized programs within `rounds` rounds of any number of threads, by linear interfaces: what
//! a thread, or the block of all threads from some position on, makes of the shared states in which it is
//! entered, one per round. Only interfaces that some run has are computed. Finds every error within the bound,
//! for any number of copies of the replicated threads; never a wrong one. La Torre, Madhusudan and Parlato,
//! Model-checking parameterized concurrent programs using linear interfaces, section 4, system S: clause S1_2
//! is (1.2) of the paper.
//!
//! Beyond the paper: single threads. They stand first in every round, in the order of the file; position
//! `last` is that of all replicated threads, and is its own successor. A thread is left at `pause` only. No
//! block is empty: an idle copy of a replicated thread always stands at the end. Without replicated threads
//! the block at `last` is one idle thread.
use program;
use "lib/init.fp";

require program.recursive = 0 "the program is recursive: use linear_interfaces_calls.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use linear_interfaces_calls.fp";

param rounds in 1.. = 2;
const most = rounds + 1;               // adequacy.fp looks one round further
const n = program.threads;
const last = program.singles + 1;      // position p is followed by min(p + 1, last)

// A thread at position p, over its first i rounds, was entered with u and left with v; now it is in q.
mu TLI[p in 1..n, i in 1..most](q: State, u, v: Shared[1..i]) =
    S1_1: i = 1 & start[p](q) & u = v & given Entered[p](u)
  | S1_2: i > 1 & TLI[p, i - 1](q, u[..i - 1], v[..i - 1]) & pause(q, v[i - 1]) & u[i] = v[i]
        & exists w. given RLI[min(p + 1, last), i - 1](v[..i - 1], w) & given Wanted[p, i](u, w)
  | S1_3: exists q', r. TLI[p, i](q', u, v[i := r]) & step(q', r, q, v[i]) by p at i;

// The thread can be left with v.
let Leaves[p in 1..n, i in 1..most](u, v: Shared[1..i]) = exists q. TLI[p, i](q, u, v) & pause(q, v[i]);

// The first round of position p begins with u: it is the first position, or the thread before it left u.
mu Entered[p in 1..n](u: Shared[1..1]) =
    first:  p = 1 & Init(u[1])
  | behind: some o in 1..n: min(o + 1, last) = p & exists q, w. TLI[o, 1](q, w, u) & pause(q, u[1]);

// Wanted: the block from position p on took u[..i - 1] to w, and is entered in round i with u[i]. For the first
// position the block is the whole run: each round begins where the one before ended.
let Wrap[i in 2..most](u: Shared[1..i], w: Shared[1..i - 1]) = each j in 1..i - 1: w[j] = u[j + 1];
let Wanted[p in 1..n, i in 2..most](u: Shared[1..i], w: Shared[1..i - 1]) =
    first:  p = 1 & Init(u[1]) & Wrap[i](u, w)
  | behind: WRLI[p, i](u, w);
mu WRLI[p in 1..n, i in 2..most](u: Shared[1..i], w: Shared[1..i - 1]) =
    S2:   given RLI[p, i - 1](u[..i - 1], w) & some o in 1..n: min(o + 1, last) = p
        & exists t. Wanted[o, i](t, w) & Leaves[o, i](t, u);

// The block of threads from position p to the end of the round takes u to v, over i rounds.
mu RLI[p in 1..last, i in 1..most](u, v: Shared[1..i]) =
    idle: p > n & u = v
  | S3_1: p <= n & p = last & (i = 1 | given Wanted[p, i](u, v[..i - 1])) & Leaves[p, i](u, v)
  | S3_2: p <= n & (i = 1 | given Wanted[p, i](u, v[..i - 1]))
        & exists t. Leaves[p, i](u, t) & RLI[min(p + 1, last), i](t, v);

query Hit = (some p in 1..n, i in 1..rounds: exists q, u, v. TLI[p, i](q, u, v) & target(q)) | InitFails;
query Where(q: State) = some p in 1..n, i in 1..rounds: exists u, v. TLI[p, i](q, u, v) & target(q);

// A run to the error: the threads before the one that fails, that thread, and those behind it, which have one round
// less. `given` above leaves out what only says that there is such a run.
trace Run = (some p in 1..n: exists q, u, v. Begun[p](u) & TLI[p, 1](q, u, v) & target(q))
          | (some p in 1..n, i in 2..rounds: exists q, u, v, w. Wanted[p, i](u, w) & TLI[p, i](q, u, v) & target(q)
               & RLI[min(p + 1, last), i - 1](v[..i - 1], w))
          | InitFails;
mu Begun[p in 1..n](u: Shared[1..1]) =
    first:  p = 1 & Init(u[1])
  | behind: some o in 1..n: min(o + 1, last) = p & exists w. Begun[o](w) & Leaves[o, 1](w, u);

verdict unsafe if Hit;
verdict bounded "no error with rounds = {rounds}, for any number of threads";
