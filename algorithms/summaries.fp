//! Reachability in sequential programs with recursive procedures, by procedure summaries, computed lazily: for the
//! procedures and arguments with which a call is really made. Sound and complete: the verdict is safe or
//! unsafe. Lal and Reps, Reducing concurrent analysis under a context bound to sequential analysis, figure 3,
//! rules R1, R2, R3 and R7, then R4 to R6.
//!
//! One change. The paper's R0' and R7 enter a procedure only with the shared states of its calls. Such sets are
//! irregular, and each diagram of `Path` has a copy of the set of its procedure. Here a procedure is entered with all
//! shared states; which of them a run comes to is found in a second phase, as in summaries_eager.fp. `exact` = 1 is
//! the paper's: it is the better one where few shared states lead to a call and what the procedure does to the others is hard
//! to represent.
use program;
use "lib/init.fp";
use "lib/entered.fp" with path = Path;

require program.replicated = 0 "a replicated thread has any number of copies: use views.fp or adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving.fp, or lazy_cba.fp within some contexts";

param exact in 0..1 = 0;

// First phase. A procedure entered in (e, se) can be in (q, s). The paper's H.
mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0': given start[1](q) & (exact = 1 -> given Init(s)) & e = q & se = s
  | R1:  exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R7:  e = q & se = s
         & exists d, sd, p, r. given Path(d, sd, p, r) & given call(p, r, q) & (exact = 1 -> r = s)
  | R2:  exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Summary(c, r, x, sx)
                                & ret(p, x, sx, q, s);

// What a whole call does. The paper's S.
mu Summary(e: State, se: Shared, x: State, sx: Shared) = R3: Path(e, se, x, sx) & exit(x);

query Hit = (exists q. Where(q)) | InitFails;
query Where(q: State) = Met(q);

verdict unsafe if Hit;
verdict safe;
