//! A fragment of CTL over a small Kripke structure: two processes that take turns in a critical section.
//!
//! The operators are those of lib/ctl.fp: families that are indexed by the formula they are applied to.
//! Formulas nest: `AG[{ t | EF[Inside](t) }]` says that P can always come to enter later.

enum Phase { Rest, Try, Critical }
enum Process { P, Q }
record State { p, q: Phase, turn: Process }

rel start(s: State) = { State { p = Rest, q = Rest, turn = P } };

let Step(s, t: State) =
    try_p:   s.p = Rest & t = { s with p = Try }
  | enter_p: s.p = Try & (s.q = Rest | s.turn = P) & t = { s with p = Critical, turn = P }
  | leave_p: s.p = Critical & t = { s with p = Rest, turn = Q }
  | try_q:   s.q = Rest & t = { s with q = Try }
  | enter_q: s.q = Try & (s.p = Rest | s.turn = Q) & t = { s with q = Critical, turn = Q }
  | leave_q: s.q = Critical & t = { s with q = Rest, turn = P };

use "lib/ctl.fp" with step = Step;
use "lib/closure.fp";

let Reach(s: State) = From[start, Step](s);
let Inside(s: State) = s.p = Critical;
let Waiting(s: State) = s.p = Try;

query States(s: State) = Reach(s);
query Exclusive = forall s. start(s) -> AG[{ t | !(t.p = Critical & t.q = Critical) }](s);
query AlwaysOpen = forall s. start(s) -> AG[{ t | EF[Inside](t) }](s);
// Nobody waits for ever, but P may stay outside for ever without waiting.
query Starves(s: State) = Reach(s) & EG[Waiting](s);
query StaysOutside(s: State) = Reach(s) & EG[{ t | t.p != Critical }](s);

//@ States: 12 tuples
//@ Exclusive: true
//@ AlwaysOpen: true
//@ Starves: 0 tuples
//@ StaysOutside: 5 tuples
