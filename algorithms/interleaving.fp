//! Reachability in the product of all threads, for any schedule: no bound, and the verdict is safe or unsafe.
//! Single threads only; calls must be inlined. Cheap where threads are small.
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use adequacy.fp";
require program.recursive = 0 "the program is recursive: use lazy_cba.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use lazy_cba.fp";

const n = program.threads;

// Thread t can be running while the threads are in q.
mu Reach[t in 1..n](q: State[1..n], s: Shared) =
    start:  Init(s) & each i in 1..n: start[i](q[i])
  | switch: some o in 1..n: o != t & Reach[o](q, s) & yield(q[o], s)
  | step:   exists p, r. Reach[t](q[t := p], r) & step(p, r, q[t], s) by t;

query Hit = (some t in 1..n: exists q, s. Reach[t](q, s) & target(q[t])) | InitFails;
query Reachable(s: Shared) = some t in 1..n: exists q. Reach[t](q, s);

verdict unsafe if Hit;
verdict safe;

hint symbolic Pc;
