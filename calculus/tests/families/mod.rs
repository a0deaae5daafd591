//! A family means what its instances mean, written out one by one.

mod abstracted;
mod library;
mod uses;

use crate::treatments::agree;
pub use abstracted::abstracted;
pub use library::with_library;

/// Both files have the same queries with the same answers.
fn same(family: &str, unrolled: &str) {
    let (family, unrolled) = (agree(family), agree(unrolled));
    assert_eq!(family.queries, unrolled.queries);
    assert_eq!(family.verdict, unrolled.verdict);
    assert!(family.queries.iter().any(|tuples| !tuples.is_empty()), "a pair of empty answers shows nothing");
}

#[test]
fn a_recursion_over_the_index_is_a_chain_of_relations() {
    same(
        "range N = 0..5;
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 3), (3, 3), (4, 0) };
         let Within[i in 0..3](x, y: N) =
             i = 0 & x = y
           | i > 0 & (Within[i-1](x, y) | exists z. Within[i-1](x, z) & edge(z, y));
         query Q(x, y: N) = Within[3](x, y);
         query Exactly(y: N) = Within[2](0, y) & !Within[1](0, y);",
        "range N = 0..5;
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 3), (3, 3), (4, 0) };
         let Within0(x, y: N) = x = y;
         let Within1(x, y: N) = Within0(x, y) | exists z. Within0(x, z) & edge(z, y);
         let Within2(x, y: N) = Within1(x, y) | exists z. Within1(x, z) & edge(z, y);
         let Within3(x, y: N) = Within2(x, y) | exists z. Within2(x, z) & edge(z, y);
         query Q(x, y: N) = Within3(x, y);
         query Exactly(y: N) = Within2(0, y) & !Within1(0, y);",
    );
}

#[test]
fn columns_may_depend_on_the_index() {
    same(
        "enum C { Red, Green, Blue }
         let Next(a, b: C) = a = Red & b = Green | a = Green & b = Blue | a = Blue & b = Red;
         mu Path[i in 1..3](v: C[1..i]) =
             i = 1 & v[1] != Blue
           | i > 1 & Path[i-1](v[..i-1]) & Next(v[i-1], v[i]);
         let Wrap[i in 2..3](u: C[1..i], w: C[1..i-1]) = each j in 1..i-1: w[j] = u[j+1];
         query Q(v: C[1..3]) = Path[3](v);
         query W(w: C[1..2]) = exists u. Path[3](u) & Wrap[3](u, w);",
        "enum C { Red, Green, Blue }
         let Next(a, b: C) = a = Red & b = Green | a = Green & b = Blue | a = Blue & b = Red;
         mu Path1(v: C[1..1]) = v[1] != Blue;
         mu Path2(v: C[1..2]) = Path1([v[1]]) & Next(v[1], v[2]);
         mu Path3(v: C[1..3]) = Path2([v[1], v[2]]) & Next(v[2], v[3]);
         let Wrap3(u: C[1..3], w: C[1..2]) = w[1] = u[2] & w[2] = u[3];
         query Q(v: C[1..3]) = Path3(v);
         query W(w: C[1..2]) = exists u. Path3(u) & Wrap3(u, w);",
    );
}

#[test]
fn instances_of_one_family_may_depend_on_each_other() {
    same(
        "range N = 0..6;
         param threads = 3;
         rel step(x, y: N) = { (0, 1), (1, 3), (2, 4), (3, 5), (4, 2), (5, 6) };
         mu At[t in 1..threads](x: N) =
             start: x = t - 1
           | move:  exists y. At[t](y) & step(y, x)
           | swap:  some o in 1..threads: o != t & At[o](x + 1) & !step(x, x + 1);
         query Q(x: N) = some t in 1..threads: At[t](x);
         query First(x: N) = At[1](x) & each t in 2..threads: At[t](x);
         verdict unsafe if At[2](6);
         verdict bounded \"{threads} threads\";",
        "range N = 0..6;
         rel step(x, y: N) = { (0, 1), (1, 3), (2, 4), (3, 5), (4, 2), (5, 6) };
         mu At1(x: N) = x = 0 | (exists y. At1(y) & step(y, x))
                      | At2(x + 1) & !step(x, x + 1) | At3(x + 1) & !step(x, x + 1);
         mu At2(x: N) = x = 1 | (exists y. At2(y) & step(y, x))
                      | At1(x + 1) & !step(x, x + 1) | At3(x + 1) & !step(x, x + 1);
         mu At3(x: N) = x = 2 | (exists y. At3(y) & step(y, x))
                      | At1(x + 1) & !step(x, x + 1) | At2(x + 1) & !step(x, x + 1);
         query Q(x: N) = At1(x) | At2(x) | At3(x);
         query First(x: N) = At1(x) & At2(x) & At3(x);
         verdict unsafe if At2(6);
         verdict bounded;",
    );
}

#[test]
fn two_indices_and_greatest_fixed_points() {
    same(
        "keyed range N = 1..4;
         rel edge(x, y: N) = { (1, 2), (2, 1), (2, 3), (3, 3), (4, 1) };
         nu Safe[i in 1..2, j in i..2](x: N) =
             (i = j | x != i) & (forall y. edge(x, y) -> Safe[i, j](y)) & (j > i -> Safe[j, j](x) | x = j);
         query Q(x: N) = Safe[1, 2](x);
         query D(x: N) = Safe[1, 1](x) <-> Safe[2, 2](x);",
        "keyed range N = 1..4;
         rel edge(x, y: N) = { (1, 2), (2, 1), (2, 3), (3, 3), (4, 1) };
         nu Safe11(x: N) = forall y. edge(x, y) -> Safe11(y);
         nu Safe22(x: N) = forall y. edge(x, y) -> Safe22(y);
         nu Safe12(x: N) = x != 1 & (forall y. edge(x, y) -> Safe12(y)) & (Safe22(x) | x = 2);
         query Q(x: N) = Safe12(x);
         query D(x: N) = Safe11(x) <-> Safe22(x);",
    );
}

#[test]
fn mixed_fixed_points_of_a_family_form_one_block_per_definition() {
    same(
        "range N = 0..3;
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 0), (3, 3), (2, 3) };
         rel good(x: N) = { 0, 3 };
         nu Often[i in 1..2](x: N) = Soon[i](x);
         mu Soon[i in 1..2](x: N) =
             good(x) & (i = 1 | x != 3) & (exists y. edge(x, y) & Often[i](y))
           | exists y. edge(x, y) & Soon[i](y) & (i = 2 -> Often[1](y));
         query One(x: N) = Often[1](x);
         query Two(x: N) = Often[2](x);",
        "range N = 0..3;
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 0), (3, 3), (2, 3) };
         rel good(x: N) = { 0, 3 };
         nu Often1(x: N) = Soon1(x);
         nu Often2(x: N) = Soon2(x);
         mu Soon1(x: N) = good(x) & (exists y. edge(x, y) & Often1(y)) | exists y. edge(x, y) & Soon1(y);
         mu Soon2(x: N) = good(x) & x != 3 & (exists y. edge(x, y) & Often2(y))
                        | exists y. edge(x, y) & Soon2(y) & Often1(y);
         query One(x: N) = Often1(x);
         query Two(x: N) = Often2(x);",
    );
}

#[test]
fn kinds_follow_the_index_and_the_smaller_one_is_outside() {
    // Even wins from 0, 1 and 2, where the largest priority of the cycle is 2, and not from 3, where it is 1.
    let facts = "range N = 0..4;
         rel priority(x: N, p: 0..2) = { (0, 0), (1, 1), (2, 2), (3, 1), (4, 0) };
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 0), (3, 3), (4, 3), (4, 0) };";
    same(
        &format!(
            "{facts}
         nu if i % 2 = 0 else mu W[i in 0..2](x: N) =
             i < 2 & W[i+1](x)
           | i = 2 & some p in 0..2: priority(x, p) & forall y. edge(x, y) -> W[2 - p](y);
         query Q(x: N) = W[0](x);"
        ),
        &format!(
            "{facts}
         nu W0(x: N) = W1(x);
         mu W1(x: N) = W2(x);
         nu W2(x: N) =
             priority(x, 0) & (forall y. edge(x, y) -> W2(y))
           | priority(x, 1) & (forall y. edge(x, y) -> W1(y))
           | priority(x, 2) & (forall y. edge(x, y) -> W0(y));
         query Q(x: N) = W0(x);"
        ),
    );
}

#[test]
fn static_conditions_hide_what_is_behind_them() {
    same(
        "range N = 1..3;
         let R[i in 1..3](x: N) = (i < 3 -> R[i+1](x)) & x >= i - 0 & !(i = 3 & false) | i = 1 & x = 1;
         query Q(x: N) = R[1](x);
         query P(x: N) = each i in 2..3: R[i](x) -> some j in 1..i-1: R[j](x) & x > j;",
        "range N = 1..3;
         let R3(x: N) = x >= 3;
         let R2(x: N) = R3(x) & x >= 2;
         let R1(x: N) = R2(x) & x >= 1 | x = 1;
         query Q(x: N) = R1(x);
         query P(x: N) = (R2(x) -> R1(x) & x > 1) & (R3(x) -> R1(x) & x > 1 | R2(x) & x > 2);",
    );
}

#[test]
fn an_instance_for_a_relation_is_the_definition_with_that_relation() {
    same(
        "range N = 0..5;
         enum C { Red, Green, Blue }
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 1), (3, 4) };
         rel mix(a, b: C) = { (Red, Green), (Green, Blue) };
         mu Closure[T: sort, next: rel(T, T)](x, y: T) =
             next(x, y) | exists z. Closure[T, next](x, z) & next(z, y);
         query Forth(x, y: N) = Closure[edge](x, y);
         query Back(x, y: N) = Closure[N, { (x, y) | edge(y, x) }](x, y);
         query Mixed(a, b: C) = Closure[mix](a, b);
         query Twice(x, y: N) = Closure[{ (x: N, y: N) | exists z. edge(x, z) & edge(z, y) }](x, y);",
        "range N = 0..5;
         enum C { Red, Green, Blue }
         rel edge(x, y: N) = { (0, 1), (1, 2), (2, 1), (3, 4) };
         rel mix(a, b: C) = { (Red, Green), (Green, Blue) };
         let back(x, y: N) = edge(y, x);
         let twice(x, y: N) = exists z. edge(x, z) & edge(z, y);
         mu F(x, y: N) = edge(x, y) | exists z. F(x, z) & edge(z, y);
         mu B(x, y: N) = back(x, y) | exists z. B(x, z) & back(z, y);
         mu M(x, y: C) = mix(x, y) | exists z. M(x, z) & mix(z, y);
         mu T(x, y: N) = twice(x, y) | exists z. T(x, z) & twice(z, y);
         query Forth(x, y: N) = F(x, y);
         query Back(x, y: N) = B(x, y);
         query Mixed(a, b: C) = M(a, b);
         query Twice(x, y: N) = T(x, y);",
    );
}

/// A family, some of whose indices are open, is an argument too; and numbers, sorts and relations mix.
#[test]
fn a_family_is_an_argument() {
    same(
        "range N = 0..5;
         let Step[t in 1..2, d in 1..3](x, y: N) = y = x + t * d;
         let Both[s: rel[d](N, N), k in 1..2](x, y: N) =
             k = 1 & s[1](x, y) | k = 2 & exists z. s[1](x, z) & s[2](z, y);
         let Some[s: rel[t, d](N, N)](x, y: N) = s[2, 1](x, y) | s[1, 3](x, y) | Both[s[2], 2](x, y);
         query Q(x, y: N) = Both[Step[1], 2](x, y);
         query R(x, y: N) = Some[Step](x, y);",
        "range N = 0..5;
         let Step[t in 1..2, d in 1..3](x, y: N) = y = x + t * d;
         query Q(x, y: N) = exists z. Step[1, 1](x, z) & Step[1, 2](z, y);
         query R(x, y: N) =
             Step[2, 1](x, y) | Step[1, 3](x, y) | exists z. Step[2, 1](x, z) & Step[2, 2](z, y);",
    );
}

/// The attractor is defined before the fixed point that it is used in, as in a library, and is inside of it all the same.
#[test]
fn an_instance_is_inside_the_fixed_points_of_its_arguments() {
    let game = "range N = 0..5;
         rel edge(x, y: N) = { (0, 1), (1, 0), (1, 2), (2, 2), (3, 2), (4, 5), (5, 4) };
         rel good(x: N) = { 0, 3, 5 };";
    same(
        &format!(
            "{game}
             let Pre[X: rel(N)](x: N) = exists y. edge(x, y) & X(y);
             mu Reach[X: rel(N)](x: N) = X(x) | Pre[Reach[X]](x);
             nu Again(x: N) = Reach[{{ y | good(y) & Pre[Again](y) }}](x);
             query Q(x: N) = Again(x);"
        ),
        &format!(
            "{game}
             nu Again(x: N) = Meet(x);
             mu Meet(x: N) = good(x) & (exists y. edge(x, y) & Again(y)) | exists y. edge(x, y) & Meet(y);
             query Q(x: N) = Again(x);"
        ),
    );
}

/// Kinds that follow an index, in a family that takes relations: smaller indices are further out.
#[test]
fn kinds_by_index_of_families_for_relations() {
    let game = "range N = 0..4;
         rel edge(x, y: N) = { (0, 1), (1, 0), (1, 2), (2, 2), (3, 3), (4, 3) };
         rel good(x: N) = { 0, 3 };";
    same(
        &format!(
            "{game}
             nu if i = 1 else mu W[X: rel(N), i in 1..2](x: N) =
                 i = 1 & W[X, 2](x)
               | i = 2 & (X(x) & (exists y. edge(x, y) & W[X, 1](y)) | exists y. edge(x, y) & W[X, 2](y));
             query Q(x: N) = W[good, 2](x);"
        ),
        &format!(
            "{game}
             nu Again(x: N) = Meet(x);
             mu Meet(x: N) = good(x) & (exists y. edge(x, y) & Again(y)) | exists y. edge(x, y) & Meet(y);
             query Q(x: N) = Meet(x);"
        ),
    );
}
