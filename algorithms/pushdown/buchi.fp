//! Can a pushdown system with one stack run for ever and meet targets again and again? Sound and complete: the verdict
//! is safe or unsafe. A target is met where a rule is applied to its head. The trace is a run, and the part that
//! repeats: it comes back to the same head, and leaves what is below alone. Esparza, Hansel, Rossmanith and Schwoon,
//! Efficient algorithms for model checking pushdown systems.
use pushdown;

require pushdown.threads = 1 "{pushdown.threads} threads: only one stack has an answer";

use "lib/heads.fp" with Control = Shared,
                        first = initial,
                        swap = { (s, a, r, b) | overwrite[1](s, a, r, b) by 1 },
                        call = { (s, a, r, b, c) | push[1](s, a, r, b, c) by 1 },
                        back = { (s, a, r, y) | pop[1](s, a, r, y) by 1 },
                        join = { (s, y, c, r, a) | merge[1](s, y, c, r, a) by 1 },
                        accepting = Target;

let Target(s: Shared, a: Symbol) = exists i. target(i, s) & target_top[1](i, a);

query Where(s: Shared, a: Symbol) = Repeats(s, a);
query Hit = exists s, a. Repeats(s, a);

verdict unsafe "targets can be met again and again" if Hit;
verdict safe "no run meets targets again and again";
