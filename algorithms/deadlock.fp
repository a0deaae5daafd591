//! Can the threads come to a state in which some thread waits and no thread can move? Reachability in the product
//! of all threads, for any schedule. A thread that has ended or failed does not wait; one that is never started does.
//! The trace ends in the deadlock. Single threads only; calls must be inlined.
use program;
use "interleaving.fp";

// A thread can make a step, as far as it is up to itself.
let Able(q: State, s: Shared) = exists p, r. step(q, s, p, r);

// Thread t ran last. Inside an atomic section only it may go on.
let Halted[t in 1..n](q: State[1..n], s: Shared) =
    !Able(q[t], s) & (yield(q[t], s) -> each i in 1..n: !Able(q[i], s))
    & some i in 1..n: !exit(q[i]) & !target(q[i]);

query Deadlock = some t in 1..n: exists q, s. Reach[t](q, s) & Halted[t](q, s);
trace Run = some t in 1..n: exists q, s. Reach[t](q, s) & given Halted[t](q, s);

verdict unsafe "no thread can move, and one waits" if Deadlock;
verdict safe;
