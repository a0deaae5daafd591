//! Reachability in sequential programs with recursive procedures, by procedure summaries, computed eagerly:
//! for every state in which a procedure could be called, reachable or not; then the reachable states in a
//! second phase. Sound and complete: the verdict is safe or unsafe. Lal and Reps, Reducing concurrent analysis
//! under a context bound to sequential analysis, figure 3, rules R0 to R6.
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use views.fp or adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving.fp, or lazy_cba.fp within some contexts";

// States in which a procedure begins: the main one, or one that some statement calls in some state.
let Entry(e: State) = main: start[1](e) | called: exists q, s. call(q, s, e);

// First phase. A procedure entered in (e, se) can be in (q, s). The paper's H.
mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0: given Entry(q) & e = q & se = s
  | R1: exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R2: exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Summary(c, r, x, sx) & ret(p, x, sx, q, s);

// What a whole call does. The paper's S.
mu Summary(e: State, se: Shared, x: State, sx: Shared) = R3: Path(e, se, x, sx) & exit(x);

// Second phase. States in which a procedure is entered in some run, and states that some run reaches.
mu Entered(e: State, se: Shared) =
    R4: Init(se) & start[1](e)
  | R6: exists q. Reach(q, se) & call(q, se, e);

mu Reach(q: State, s: Shared) = R5: exists e, se. Entered(e, se) & Path(e, se, q, s);

query Hit = exists q, s. Reach(q, s) & target(q) | InitFails;
query Where(q: State) = exists s. Reach(q, s) & target(q);

verdict unsafe if Hit;
verdict safe;
