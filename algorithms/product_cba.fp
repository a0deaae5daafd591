//! Context-bounded analysis on the product of all threads: the states of all threads together, for `contexts`
//! execution contexts per thread in round-robin order. Calls must be inlined. Cheap where threads are small;
//! the answers are those of lazy_cba.fp.
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use linear_interfaces.fp";
require program.recursive = 0 "the program is recursive: use lazy_cba.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use lazy_cba.fp";

param contexts in 1.. = 2;
const n = program.threads;

// In the k-th round thread t can be running while the threads are in q. A thread is left at `pause` only: enough for
// targets and shared states, not for asking where two threads are at the same time (use `yield` for that).
mu Reach[k in 1..contexts, t in 1..n](q: State[1..n], s: Shared) =
    start:  k = 1 & t = 1 & Init(s) & each i in 1..n: start[i](q[i])
  | switch: t > 1 & Reach[k, t - 1](q, s) & pause(q[t - 1], s)
  | round:  t = 1 & k > 1 & Reach[k - 1, n](q, s) & pause(q[n], s)
  | step:   exists p, r. Reach[k, t](q[t := p], r) & step(p, r, q[t], s) by t at k;

query Hit = (some k in 1..contexts, t in 1..n: exists q, s. Reach[k, t](q, s) & target(q[t])) | InitFails;

// The shared states in which all contexts can have ended.
query Reachable(s: Shared) = exists q. Reach[contexts, n](q, s) & pause(q[n], s);

verdict unsafe if Hit;
verdict bounded "no error with contexts = {contexts}";
