//! The targets that the runs of a sequential program come to. The user gives what its procedures do:
//! `use "lib/entered.fp" with path = Path;`, where a procedure entered in (e, se) can be in (q, s). Lal and Reps,
//! Reducing concurrent analysis under a context bound to sequential analysis, figure 3, rules R4 to R6.
//!
//! The paper computes all states that runs reach. Here only entries are followed, and of these only the ones from which a
//! target can be met: a run to a target enters nothing else. They are mostly few, and found from procedure to
//! procedure without a look at the states in which runs enter them.
use program;
use "init.fp";

rel path(e: State, se: Shared, q: State, s: Shared);

// A target can be met by a procedure entered in (e, se), or by those that it calls.
mu Doomed(e: State, se: Shared) =
    here:  exists q, s. path(e, se, q, s) & target(q)
  | below: exists q, s, c. path(e, se, q, s) & call(q, s, c) & Doomed(c, s);

// Some run enters a procedure in (e, se).
mu Entered(e: State, se: Shared) =
    R4: Init(se) & start[1](e) & given Doomed(e, se)
  | R6: exists d, sd, q. Entered(d, sd) & path(d, sd, q, se) & call(q, se, e) & given Doomed(e, se);

// Some run meets the target q.
let Met(q: State) = R5: exists e, se, s. Entered(e, se) & path(e, se, q, s) & target(q);
