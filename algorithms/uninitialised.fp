//! The variables that may be read before they have a value, and the lines that do it. A variable has no value from its
//! declaration, and after `dead`, until it is written; `x := *` is a value like others. Follows the control flow from the
//! `init` block and from where each thread begins, one thread at a time. Data is not looked at, so not every path is a run; what
//! is not listed is never read too early, as long as no other thread forgets it. It has no verdict. Calls must be inlined.
use program;

require program.cuts = 0 "variables without a value: not for C programs yet";
require program.calls = 0 "{program.calls} calls are left: use --inline always";

// Control goes from one location to another.
let Flow(p, pc: Pc) = exists x, s, y, r. step(x, s, y, r) & x.pc = p & y.pc = pc;

// Shared variables that have no value when the threads begin.
let Open(v: Var) =
    declared: program.init = 0 & shared(v) & uninitialised(v)
  | left:     program.init = 1 & shared(v) & exists x. exit(x) & Unset[0](x.pc, v);

// v has no value at pc, on some path of the `init` block or of thread t.
mu Unset[t in 0..program.threads](pc: Pc, v: Var) =
    begin:   (t = 0 | !shared(v)) & uninitialised(v) & exists x. start[t](x) & x.pc = pc
  | shared:  t > 0 & Open(v) & exists x. start[t](x) & x.pc = pc
  | forgets: exists x, p. reach_cfg[t](x) & x.pc = p & forgets(p, v) & Flow(p, pc)
  | keeps:   exists p. Unset[t](p, v) & Flow(p, pc) & !writes(p, v);

query Uninitialised(v: Var, n: Line) =
    some t in 0..program.threads: exists pc. Unset[t](pc, v) & reads(pc, v) & line(pc, n);
