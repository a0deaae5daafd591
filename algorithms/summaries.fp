//! Reachability in sequential programs with recursive procedures, by procedure summaries, computed lazily:
//! only for the states in which a procedure is really called. Sound and complete: the verdict is safe or
//! unsafe. Lal and Reps, Reducing concurrent analysis under a context bound to sequential analysis, figure 3,
//! rules R0', R1, R2, R3, R7 and R8.
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use views.fp or adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving.fp, or lazy_cba.fp within some contexts";

// A procedure was entered in (e, se) and can now be in (q, s). The paper's H.
mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0': outside Init(s) & outside start[1](q) & e = q & se = s
  | R1:  exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R7:  e = q & se = s & exists d, sd, p. outside Path(d, sd, p, s) & outside call(p, s, q)
  | R2:  exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & within Summary(c, r, x, sx)
             & ret(p, x, sx, q, s);

// What a whole call does. The paper's S.
mu Summary(e: State, se: Shared, x: State, sx: Shared) = R3: Path(e, se, x, sx) & exit(x);

// The errors that some run reaches. The paper's R, which is asked at targets only.
query Hit = exists q. Where(q) | InitFails;
query Where(q: State) = R8: exists e, se, s. Path(e, se, q, s) & target(q);

verdict unsafe if Hit;
verdict safe;
