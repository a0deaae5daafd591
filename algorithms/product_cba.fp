//! Context-bounded analysis on the product of all threads: the states of all threads together, for `contexts`
//! execution contexts per thread in round-robin order. Calls must be inlined. Cheap where threads are small;
//! the answers are those of lazy_cba.fp.
use program;
use "lib/rounds.fp" with rounds = contexts, left = pause;

param contexts in 1.. = 2;

query Hit = (some k in 1..contexts, t in 1..n: exists q, s. Reach[k, t](q, s) & target(q[t])) | InitFails;

// The shared states in which all contexts can have ended.
query Reachable(s: Shared) = exists q. Reach[contexts, n](q, s) & pause(q[n], s);

verdict unsafe if Hit;
verdict bounded "no error with contexts = {contexts}";
