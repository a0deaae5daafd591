//! Pushdown threads with explicit stacks of at most `depth` symbols, for any schedule: reachability in the product of all
//! threads. What it finds is real. The verdict is safe if no run needs deeper stacks, as without recursion;
//! otherwise bounded. `--deepen depth=2..4` looks for a depth that is enough; for recursive threads try cuba_depth.fp.
use pushdown;
use "lib/bounded.fp" with least = depth, most = depth;

param depth in 2.. = 3;

// Some run needs deeper stacks.
query TooSmall = Deeper[depth]();

query Visible(s: Shared, v: Symbol[1..n]) = Seen[depth](s, v);
query Hit = Met[depth]();

verdict unsafe if Hit;
verdict safe "no run needs stacks of more than {depth} symbols" if !TooSmall;
verdict bounded "no target with stacks of at most {depth} symbols";

hint symbolic Pc;
