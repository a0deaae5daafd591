//! Proofs for a fixed number of threads by induction over epochs: k-induction with amplification. In an epoch each
//! thread runs once, for as long as it likes, in the order of the file. If no target is met within k epochs
//! (6), and no state from which one can be met within k + 1 epochs needs all of them (7), then no target
//! is ever met. Sound; the verdict is unknown if k is too small, and for some k it is not. Single threads, calls
//! inlined. Prabhu, Reps, Lal and Kidd, Verifying concurrent programs via bounded context-switching and
//! induction: theorem 3.3, equations (8) and (9); with `--deepen k=1..` algorithm 1.
//!
//! Why: a run that is at the beginning of an epoch outside Back[k] is outside Back[k + 1] by (7), so the next
//! epoch begins outside Back[k] again and meets no target. The first one does by (6). States that no run comes to may be
//! left out of (7): an envelope (lib/envelope.fp) has all others. `envelope` = 1 is the paper's, 2 and 3 are stronger.
//!
//! Two repairs. (1) The paper looks for errors only where an epoch begins (lemma 3.2), because a thread at an error
//! can wait until then. Inside an atomic section it cannot:
//!     thread one begin atomic_begin; ERROR: assume(F); atomic_end; end
//! has an error, and no epoch begins with it. Here the running thread is looked at all the time, and its error in
//! epoch j is met within j epochs; the paper counts what the first thread does in epoch j + 1 to epoch j. (2) An
//! epoch begins only where threads can be switched. A state inside an atomic section is in no envelope, though the control
//! flow leads to it.
use program;
use "lib/envelope.fp";
use "lib/rounds.fp" with rounds = k, left = yield;

param k in 1.. = 2;

// The steps of thread t alone. Those of all threads would be as large as what they are joined with.
let Moves[t in 1..n](q: State, s: Shared, p: State, r: Shared) = Home[t](q) & step(q, s, p, r);

// Thread t is running, and the threads can meet a target within j epochs, this one included. Only local states
// that the envelope knows: no step leads out of them, and sets without the others are far smaller. Clause
// `fewer` adds nothing; it lets the search go on where the last one ended.
mu Back[j in 1..k+1, t in 1..n](q: State[1..n], s: Shared) =
    target: target(q[t]) & each i in 1..n: Home[i](q[i])
  | fewer:  j > 1 & Back[j-1, t](q, s)
  | switch: t < n & Back[j, t+1](q, s) & yield(q[t], s)
  | epoch:  t = n & j > 1 & Back[j-1, 1](q, s) & yield(q[n], s)
  | step:   exists p, r. Moves[t](q[t], s, p, r) & Back[j, t](q[t := p], r);

// (6): no target within k epochs. Where says in which states it is met.
query Hit = (some j in 1..k, t in 1..n: exists q, s. Reach[j, t](q, s) & target(q[t])) | InitFails;
query Where(q: State[1..n], s: Shared) = some j in 1..k, t in 1..n: Reach[j, t](q, s) & target(q[t]);

// (7), as (9): the states that block the induction. From each of them a target is met in epoch k + 1, not sooner.
query Blocking(q: State[1..n], s: Shared) = Envelope(q, s) & Back[k+1, 1](q, s) & !Back[k, 1](q, s);

verdict unsafe if Hit;
verdict safe "a proof by induction over k = {k} epochs" if !exists q, s. Blocking(q, s);
verdict unknown "k = {k} epochs are too few for a proof: see Blocking, or try more";

hint symbolic Pc;
