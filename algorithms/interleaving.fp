//! Reachability in the product of all threads, for any schedule: no bound, and the verdict is safe or unsafe.
//! Single threads only; calls must be inlined. Cheap where threads are small.
use program;
use "lib/product.fp";

query Hit = (some t in 1..n: exists q, s. Reach[t](q, s) & target(q[t])) | InitFails;
query Reachable(s: Shared) = some t in 1..n: exists q. Reach[t](q, s);

verdict unsafe if Hit;
verdict safe;

hint symbolic Pc;
