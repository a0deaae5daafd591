//! Can the threads come to a state in which some thread waits and none can go on? Reachability in the product of
//! all threads, for any schedule. A thread goes on if it comes to its next `yield`: one that would block inside an
//! atomic section waits in front of it. So `atomic_begin; assume(!lock); lock := T; atomic_end` waits for the
//! lock while the others run. With `inside` = 1 it does not wait there: who blocks inside a section stops all
//! others, and that is a deadlock. A thread that has ended or failed does not wait; one that is never started does.
//! The trace ends in the deadlock. Single threads only; calls must be inlined.
//! In C, threads wait for mutexes, joins, semaphores and barriers. If a thread cannot go on elsewhere, the run ends there (an
//! assumption does not hold, or the process ends), and if `main` has returned, nobody waits any more.
use program;
use "lib/product.fp";

param inside in 0..1 = 0;

// Thread t ran last. Inside an atomic section only it may go on.
let Halted[t in 1..n](q: State[1..n], s: Shared) =
    (each i in 1..n: waits(q[i].pc) | rests(q[i].pc)) & (some i in 1..n: waits(q[i].pc) & !rests(q[i].pc))
    & (yield(q[t], s) & (each i in 1..n: !Passes(q[i], s))
       | !yield(q[t], s) & !Enabled(q[t], s) & (exit(q[t]) | inside = 1));

query Deadlock = some t in 1..n: exists q, s. Reach[t](q, s) & Halted[t](q, s);
trace Run = some t in 1..n: exists q, s. Reach[t](q, s) & given Halted[t](q, s);

// A run of a C program ends where a value leaves its word, so what comes later is not known.
let Cut = some t in 1..n: exists q, s. Reach[t](q, s) & target_class(q[t], "width");

verdict unsafe "no thread can move, and one waits" if Deadlock;
verdict unsafe "a value leaves its word" if Cut;
verdict safe;

hint symbolic Pc;
