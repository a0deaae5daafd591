//! What does this algorithm decide, for which programs? Is it sound, is it complete, which paper is it from?
//!
//! This one decides whether a sequential program without calls can reach an error. `fpsolve model PROG.bp` shows
//! what a program offers; docs/programs.md explains it.
use program;

require program.threads = 1 & program.replicated = 0 "this program is not sequential";
require program.calls = 0 "{program.calls} calls are left: inline them with --inline always";
require program.init = 0 "this program has an init block: use \"lib/init.fp\" for Init(s)";

// The program can be in state q with the shared values s.
mu Reach(q: State, s: Shared) =
    start: start[1](q) & initial(s)
  | step:  exists p, r. Reach(p, r) & step(p, r, q, s);

query Hit = exists q, s. Reach(q, s) & target(q);
query Where(q: State) = exists s. Reach(q, s) & target(q);

verdict unsafe if Hit;
verdict safe;
