//! Files behind names mean what their texts mean, written out with other names.

use super::same;
use crate::treatments::LIBRARY;

/// Both files have the same answers; the first uses `library.fp`.
fn same_with(user: &str, library: &str, plain: &str) {
    same(&format!("{user}{LIBRARY}{library}"), plain);
}

const CLOSURE: &str = "sort T;
    rel edge(x, y: T);
    param most in 1.. = 2;
    const y0 = 1;
    enum Side { Left, Right }
    mu Closure(x, y: T) = edge(x, y) | exists z. Closure(x, z) & edge(z, y);
    let Few(n: 0..9) = n < most;
    let Which(s: Side) = s = Left;
    query Loop(x: T) = Closure(x, x);";

#[test]
fn one_file_behind_two_names_is_two_files() {
    same_with(
        "range N = 0..3;
         rel arc(x, y: N) = { (0, 1), (1, 2), (2, 1) };
         use \"library.fp\" as down with T = N, edge = arc, most = 3;
         use \"library.fp\" as up with T = N, edge = { (x, y) | arc(y, x) };
         query Down(x, y: N) = down.Closure(x, y);
         query Up(x, y: N) = up.Closure(x, y);
         query Loop(x: N) = down.Loop(x) & up.Loop(x);
         query Few(n: 0..9) = down.Few(n) & !up.Few(n) & n > up.y0;
         query Sides(s: down.Side) = down.Which(s) | s = down.Right;",
        CLOSURE,
        "range N = 0..3;
         enum Side { Left, Right }
         rel arc(x, y: N) = { (0, 1), (1, 2), (2, 1) };
         mu C(x, y: N) = arc(x, y) | exists z. C(x, z) & arc(z, y);
         query Down(x, y: N) = C(x, y);
         query Up(x, y: N) = C(y, x);
         query Loop(x: N) = C(x, x);
         query Few(n: 0..9) = n = 2;
         query Sides(s: Side) = s = s;",
    );
}

#[test]
fn what_has_the_same_name_is_given() {
    same_with(
        "range T = 0..3;
         rel edge(x, y: T) = { (0, 1), (1, 2), (2, 1) };
         use \"library.fp\";
         query Q(x, y: T) = Closure(x, y) & y > y0;",
        CLOSURE,
        "range T = 0..3;
         rel edge(x, y: T) = { (0, 1), (1, 2), (2, 1) };
         mu C(x, y: T) = edge(x, y) | exists z. C(x, z) & edge(z, y);
         query Q(x, y: T) = C(x, y) & y > 1;",
    );
}

#[test]
fn a_relation_of_the_user_may_rest_on_the_library_that_it_is_given_to() {
    same_with(
        "range N = 0..5;
         use \"library.fp\" as next with T = N, edge = Safe;
         nu Safe(x, y: N) = y = x + 1 & x != 3 & (x = 5 | next.Closure(x, y) | x < 2);
         query Q(x, y: N) = Safe(x, y) & next.Closure(x, y);",
        CLOSURE,
        "range N = 0..5;
         nu Safe(x, y: N) = y = x + 1 & x != 3 & (x = 5 | C(x, y) | x < 2);
         mu C(x, y: N) = Safe(x, y) | exists z. C(x, z) & Safe(z, y);
         query Q(x, y: N) = Safe(x, y) & C(x, y);",
    );
}

#[test]
fn one_relation_of_a_family_is_given() {
    same_with(
        "range N = 0..3;
         let Jump[i in 1..2](x, y: N) = y = x + i;
         use \"library.fp\" as two with T = N, edge = Jump[2];
         query Q(x, y: N) = two.Closure(x, y);",
        CLOSURE,
        "range N = 0..3;
         query Q(x, y: N) = y = x + 2;",
    );
}

#[test]
fn a_whole_family_is_given() {
    same_with(
        "range N = 0..3;
         let Jump[i in 1..2](x, y: N) = y = x + i;
         use \"library.fp\" as jumps with jump = Jump;
         query Q(x, y: N) = jumps.Both(x, y);",
        "rel jump[i](x, y: N);
         let Both(x, y: N) = exists z. jump[1](x, z) & jump[2](z, y);",
        "range N = 0..3;
         query Q(x, y: N) = y = x + 3;",
    );
}

/// Constants, parameters and values of one file, variables, columns and indices of another.
#[test]
fn what_one_file_binds_and_another_defines_does_not_clash() {
    same_with(
        "const x = 1;
         const k = 2;
         enum E { y, z }
         range N = 0..3;
         use \"library.fp\";
         query Q(a: N) = exists most. R[k](a) & most = a & Second(a, most) & Third(most) & a > x;",
        "param most = 3;
         const a = 0;
         let R[k in 1..2](x: N) = exists y. y = x & y > a & k = 2;
         let Second(x, y: N) = x = y & forall z: N. z >= 0;
         let Third(x: N) = x <= most & some y in 2..3: x = y;",
        "range N = 0..3;
         query Q(a: N) = a = 2 | a = 3;",
    );
}

const ATTRACTOR: &str = "sort T;
    rel move(x, y: T);
    rel goal(x: T);
    mu Attractor(x: T) = goal(x) | exists y. move(x, y) & Attractor(y);";

/// Used files come first, so the attractor was solved around the relation that it is about.
#[test]
fn repro_a_library_is_inside_the_fixed_points_that_it_is_given() {
    let (facts, plain) = (
        "range N = 0..5;
         rel arc(x, y: N) = { (0, 1), (1, 2), (2, 0), (3, 4), (4, 4), (4, 5) };
         rel good(x: N) = { 0, 3 };",
        "nu V(x: N) = A(x);
         mu A(x: N) = (good(x) & exists y. arc(x, y) & V(y)) | exists y. arc(x, y) & A(y);
         nu W(x: N) = B(x);
         mu B(x: N) = (x = 4 & exists y. arc(x, y) & W(y)) | exists y. arc(x, y) & B(y);
         query Vs(x: N) = V(x);
         query Ws(x: N) = W(x);",
    );
    let queries = "query Vs(x: N) = V(x);
         query Ws(x: N) = W(x);";
    let twice =
        "use \"library.fp\" as a with T = N, move = arc, goal = { y | good(y) & exists z. arc(y, z) & V(z) };
         use \"library.fp\" as b with T = N, move = arc, goal = Goal;
         nu V(x: N) = a.Attractor(x);
         nu W(x: N) = b.Attractor(x);
         let Goal(x: N) = x = 4 & exists z. arc(x, z) & W(z);";
    same_with(&format!("{facts}{twice}{queries}"), ATTRACTOR, &format!("{facts}{plain}"));
    // The same without a name, and by the name of the relation.
    let once = "sort T = N;
         use \"library.fp\" with move = arc;
         nu W(x: N) = Attractor(x);
         let goal(x: N) = x = 4 & exists z. arc(x, z) & W(z);
         query Ws(x: N) = W(x);";
    let plain = "nu W(x: N) = B(x);
         mu B(x: N) = (x = 4 & exists y. arc(x, y) & W(y)) | exists y. arc(x, y) & B(y);
         query Ws(x: N) = W(x);";
    let facts = facts.replace("rel good(x: N) = { 0, 3 };", "");
    same_with(&format!("{facts}{once}"), ATTRACTOR, &format!("{facts}{plain}"));
}
