//! The monotone closure of programs in which a thread moves others with it: a passive thread that would block a step is
//! passed over instead, and never comes back. Kaiser, Monotonicity in multi-threaded programs, definitions 18 and 20.
//!
//! A program is monotone if more threads can do more. Steps are; making threads is; moving all other threads is, as long as
//! each of them can move. A passive thread that cannot move blocks the step, and then fewer threads can do more: for such
//! programs the question is undecidable, and backward search (coverability.fp) is wrong. The closure is monotone (lemma 19).
//! It has all runs of the program, so what is safe for the closure is safe.
//!
//! Theorem 21 says that the closure is safe exactly if the program is, if the program is an abstraction of one in which
//! threads do not move each other. There, leaving a thread out was always possible, and only the abstraction lost it. The
//! theorem does not apply to a program that blocks on purpose: `if all others are idle, go on` is such a step, and the
//! closure goes on whatever they do. Then the closure may have errors that the program does not have.
//!
//! views.fp does not need the closure for proofs: its views are sound for programs that block, and never larger than those
//! of the closure. So whatever the closure proves, views without it prove with the same k. For errors it asks whether the
//! program is monotone: if not, some threads alone may do what all of them cannot (lib/seats.fp).
//!
//! The threads and steps are those of the program, or what the user gives: abstraction/dual_reference.fp has its own.
sort State;
sort Shared;
rel broadcast(q: State, s: Shared, q': State, s': Shared);
rel passive(q: State, s: Shared, q': State, s': Shared, p, p': State);

// Definition 18, equation (44): the step is possible beside some thread, or alone, and a thread in p blocks it.
let Blocked(q: State, s: Shared, q': State, s': Shared, p: State) =
    broadcast(q, s, q', s') & !exists p'. passive(q, s, q', s', p, p');

// A thread at p may be passed over: the sink of definition 20, which is an empty seat in lib/seats.fp.
let PassedOver(q: State, s: Shared, q': State, s': Shared, p: State) = Blocked(q, s, q', s', p);

// Theorem 17: nobody blocks, and the program is monotone as it is.
query Monotone = !exists q, s, q', s', p. Blocked(q, s, q', s', p);
