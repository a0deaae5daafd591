//! Reachability in a sequential program without calls (or with all of them inlined), state by state. Sound and
//! complete: the verdict is safe or unsafe. `--symbolic Pc` makes it the monolithic textbook iteration.
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use views.fp or adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving.fp, or lazy_cba.fp within some contexts";
require program.recursive = 0 "the program is recursive: use summaries.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use summaries.fp";

mu Reach(q: State, s: Shared) =
    start: Init(s) & start[1](q)
  | step:  exists p, r. Reach(p, r) & step(p, r, q, s);

query Hit = exists q, s. Reach(q, s) & target(q) | InitFails;
query Where(q: State) = exists s. Reach(q, s) & target(q);

verdict unsafe if Hit;
verdict safe;
