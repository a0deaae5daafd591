//! Proofs for sequential programs, recursive or not, whose numbers have many values: procedure summaries (summaries.fp), with
//! both ends blurred by the predicates about one thread (lib/blur.fp).
//!
//! States are blurred where a procedure is entered, where it ends, and where a loop begins. What lies between is one step. A
//! summary knows which predicates hold before a call and which hold after it.
//!
//! There are no errors here: an abstract one may be none of the program. Ask summaries.fp for those.
use program;
use "../lib/init.fp";
use "../lib/blur.fp" with seats = 1, Mark = bool, there = Always;

require program.replicated = 0 "a replicated thread has any number of copies: use views_abstract.fp";
require program.threads = 1 "this program has {program.threads} threads: use interleaving_abstract.fp";

let Always[j in 1..1](x: bool) = x;

// A procedure is entered in (q, s).
mu Enter(q: State, s: Shared) =
    start: start[1](q) & Init(s)
  | call:  exists v. Blur[Called](true, v, s) & v[1] = q;
let Called(x: bool, q: State[1..1], s: Shared) =
    x = true & exists e, se, p. Path(e, se, p, s) & call(p, s, q[1]);

let Blurs(q: State) =
    exit: exit(q)
  | loop: loop_head(q.pc);

// Entered in (e, se), it can be in (q, s): without the last blur, and with it.
mu Next(e: State, se: Shared, q: State, s: Shared) =
    begin:  Enter(e, se) & e = q & se = s
  | step:   exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | return: exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Summary(c, r, x, sx)
                                   & ret(p, x, sx, q, s);
mu Path(e: State, se: Shared, q: State, s: Shared) =
    exact: Next(e, se, q, s) & !Blurs(q)
  | blur:  exists i, j, a, k, o, b. Ends(i, j, a, k, o, b) & Drawn[1](true, e, se, i, j)
                                    & Drawn[1](true, q, s, k, o)
                                    & each l in 1..preds: Holds[1, l](true, a[l], e, se)
                                                          & Holds[1, l](true, b[l], q, s);

// The outlines of both ends, and the predicates that hold there.
mu Ends(i: State, j: Shared, a: bool[1..preds], k: State, o: Shared, b: bool[1..preds]) =
    exists e, se, q, s. Next(e, se, q, s) & Blurs(q) & Drawn[1](true, e, se, i, j)
                        & Drawn[1](true, q, s, k, o)
                        & each l in 1..preds: Holds[1, l](true, a[l], e, se) & Holds[1, l](true, b[l], q, s);

mu Summary(e: State, se: Shared, x: State, sx: Shared) = Path(e, se, x, sx) & exit(x);

// A value that leaves its word ends a run, and the verdict says so. One that leaves its range is an error as any other.
let Leaves(q: State) = target_class(q, "width");

query Seen = (exists e, se, q, s. Path(e, se, q, s) & target(q) & !Leaves(q)) | InitFails;
query Left = exists e, se, q, s. Path(e, se, q, s) & target(q) & Leaves(q);

verdict unknown "with {program.predicates} predicates there is an abstract error" if Seen;
verdict bounded "as long as no value leaves its word, with {program.predicates} predicates" if Left;
verdict safe "with {program.predicates} predicates";
hint symbolic Pc;
