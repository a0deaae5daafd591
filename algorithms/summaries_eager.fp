//! Reachability in sequential programs with recursive procedures, by procedure summaries, computed eagerly:
//! for every state in which a procedure could be called, reachable or not; then the entries that runs come to in a
//! second phase. Sound and complete: the verdict is safe or unsafe. Lal and Reps, Reducing concurrent analysis
//! under a context bound to sequential analysis, figure 3, rules R0 to R6.
use program;
use "lib/init.fp";
use "lib/entered.fp" with path = Path;

require program.replicated = 0 "a replicated thread has any number of copies: use views.fp or adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving.fp, or lazy_cba.fp within some contexts";

// States in which a procedure begins: the main one, or one that some statement calls in some state.
let Entry(e: State) =
    main:   start[1](e)
  | called: exists q, s. call(q, s, e);

// First phase. A procedure entered in (e, se) can be in (q, s). The paper's H.
mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0: given Entry(q) & e = q & se = s
  | R1: exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R2: exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Summary(c, r, x, sx)
                               & ret(p, x, sx, q, s);

// What a whole call does. The paper's S.
mu Summary(e: State, se: Shared, x: State, sx: Shared) = R3: Path(e, se, x, sx) & exit(x);

query Hit = (exists q. Where(q)) | InitFails;
query Where(q: State) = Met(q);

verdict unsafe if Hit;
verdict safe;
