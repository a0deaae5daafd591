//! Can two threads access the same shared variable at the same time, one of them writing, outside atomic sections? Reachability in
//! the product of all threads, for any schedule: both threads stand at statements that access the variable, and either may
//! go first. `Races` names the variable, the place that writes it and the other place. The trace ends where both are about
//! to access it. Single threads only; calls must be inlined.
use program;
use "interleaving.fp";

// Mutexes, semaphores and atomic variables of C are there for threads to meet at.
let Accesses(pc: Pc, v: Var) = shared(v) & !synchronises(v) & (reads(pc, v) | writes(pc, v));

// Thread i is about to write v in `w`, and thread j to access it in `a`. If both write, the pair is told once.
let Race[i in 1..n, j in 1..n](q: State[1..n], v: Var, w: Pc, a: Pc) =
    q[i].pc = w & q[j].pc = a & writes(w, v) & Accesses(a, v) & (i < j | !writes(a, v));

query Races(v: Var, written: Pc, accessed: Pc) =
    exists q, s. Stand(q, s) & some i in 1..n, j in 1..n: i != j & Race[i, j](q, v, written, accessed);
trace Run =
    exists q, s. Stand(q, s)
                 & some i in 1..n, j in 1..n: i != j & exists v, w, a. given Race[i, j](q, v, w, a);

// A run of a C program ends where a value leaves its word, so what comes later is not known.
let Cut = some t in 1..n: exists q, s. Reach[t](q, s) & target_class(q[t], "width");

verdict unsafe "two threads access a variable at the same time" if exists v, w, a. Races(v, w, a);
verdict unsafe "a value leaves its word" if Cut;
verdict safe;
