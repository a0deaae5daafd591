//! Envelopes: sets of states of all threads that contain every state in which a run can switch threads, and are
//! found thread by thread, never on the product. They are closed: a thread that runs from a state of the envelope
//! and is left at a `yield` leaves a state of the envelope. The parameter `envelope` chooses how much is looked at.
//!
//! 1. Control flow: the locations that a thread can come to if every branch is taken, with any data. What a step
//!    does to locations is a part of what it does.
//! 2. Each thread alone, with data: at every `yield` the shared variables become arbitrary, so whatever the other
//!    threads do there is included. Inside an atomic section nobody else runs, and nothing changes.
//! 3. Each thread with the others: the shared variables change at a `yield` only as some section of another thread, from
//!    one yield to the next, changes them, begun in a state in which that thread is believed to be. If the pairs
//!    (local state, shared state) of all threads are in the sets before a section, they are in them behind it:
//!    clause `own` for the thread that ran, `others` for those that stood still. What is lost is only
//!    which local states of *different* threads go together.
use program;
use "init.fp";
use "singles.fp";

param envelope in 1..3 = 1;

// Thread i can be in q with s when threads are switched.
mu Stand[i in 1..n](q: State, s: Shared) =
    control: envelope = 1 & reach_cfg[i](q) & exists r. yield(q, r)
  | start:   envelope > 1 & start[i](q) & (envelope = 3 -> Init(s))
  | own:     envelope > 1 & yield(q, s) & exists r. Section[i](r, q, s)
  | any:     envelope = 2 & exists r. Stand[i](q, r)
  | others:  envelope = 3 & some o in 1..n: o != i & exists r. Stand[i](q, r) & Change[o](r, s);

// Thread i began a section with r, and is now in q with s. It ends at the first `yield`.
mu Section[i in 1..n](r: Shared, q: State, s: Shared) =
    enter:  exists p. Stand[i](p, r) & step(p, r, q, s)
  | inside: exists p, x. Section[i](r, p, x) & !yield(p, x) & step(p, x, q, s);
let Change[i in 1..n](r, s: Shared) = exists q. Section[i](r, q, s) & yield(q, s);

// Thread i can be in q, running or not.
let Home[i in 1..n](q: State) =
    control: envelope = 1 & reach_cfg[i](q)
  | data:    envelope > 1 & ((exists s. Stand[i](q, s)) | exists r, s. Section[i](r, q, s));

// The threads can be in q when an epoch begins: at the beginning of the run, or where the last thread was left.
let Envelope(q: State[1..n], s: Shared) =
    first: (each i in 1..n: start[i](q[i])) & Init(s)
  | later: (each i in 1..n: Stand[i](q[i], s)) & yield(q[n], s);
