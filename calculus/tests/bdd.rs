//! The BDD layer against truth tables: all functions of three variables, with and without reordering.

use calculus::bdd::{Bdd, Manager, ManagerSettings, Renaming, Reorder, Stop, Var};
use num_bigint::BigUint;
use std::cell::Cell;

/// A function of three variables: bit `a` is its value where variable `i` has bit `i` of `a`.
type Table = u8;

/// Functions built from one shuffling of the variables to the next.
const STIR: usize = 32;

/// Three variables to test with, among others that give reordering something to do.
struct Bench {
    reorder: Reorder,
    turn: Cell<usize>,
    manager: Manager,
    vars: Vec<Var>,
    /// Three more, that tables do not depend on.
    spare: Vec<Var>,
    /// Pairs of equal bits, far apart at first: larger than need be until variables are moved.
    _ballast: Bdd,
}

impl Bench {
    fn new(reorder: Reorder) -> Bench {
        let manager = Manager::new(ManagerSettings { reorder, ..ManagerSettings::default() }).unwrap();
        let variables = |count| (0..count).map(|_| manager.new_group(1).unwrap()[0]).collect::<Vec<Var>>();
        let (left, vars, right, spare) = (variables(2), variables(3), variables(2), variables(3));
        let mut ballast = manager.one();
        for (&a, &b) in left.iter().zip(&right) {
            ballast = ballast.and(&manager.var(a).iff(&manager.var(b)).unwrap()).unwrap();
        }
        Bench { reorder, turn: Cell::new(0), manager, vars, spare, _ballast: ballast }
    }

    /// With reordering, shuffles the variables now and then. CUDD forgets its dead nodes over that, so that
    /// operations have to make nodes again, whereupon it reorders in the middle of them.
    fn stir(&self) {
        let turn = self.turn.get() + 1;
        self.turn.set(turn);
        if self.reorder == Reorder::Always && turn.is_multiple_of(STIR) {
            let mut order = self.manager.order();
            let length = order.len();
            order.rotate_left(turn / STIR % length);
            order.swap(turn / 3 % length, turn / 11 % length);
            self.manager.set_order(&order).unwrap();
        }
    }

    /// Decides by the variables from the last to the first; the halves of a table are tables of fewer variables.
    fn build(&self, table: Table) -> Bdd {
        self.stir();
        let [first, second, third] = [0, 1, 2].map(|i| self.manager.var(self.vars[i]));
        let of_first = |bits: Table| match bits & 3 {
            0 => self.manager.zero(),
            1 => first.not(),
            2 => first.clone(),
            _ => self.manager.one(),
        };
        let of_two = |bits: Table| second.ite(&of_first(bits >> 2), &of_first(bits)).unwrap();
        third.ite(&of_two(table >> 4), &of_two(table)).unwrap()
    }

    fn table(&self, function: &Bdd) -> Table {
        self.table_over(function, &self.vars)
    }

    /// Panics if the function depends on other variables.
    fn table_over(&self, function: &Bdd, vars: &[Var]) -> Table {
        (0..8).fold(0, |table, a: u8| {
            let value = function.eval(|var| {
                let place = vars.iter().position(|&v| v == var).expect("depends on the variables given only");
                a >> place & 1 == 1
            });
            table | u8::from(value) << a
        })
    }

    /// The variables of a set given by bits.
    fn subset(&self, set: u8) -> Vec<Var> {
        (0..3).filter(|i| set >> i & 1 == 1).map(|i| self.vars[i]).collect()
    }

    fn finish(self) {
        assert!(self.manager.is_consistent());
        match self.reorder {
            Reorder::Always => assert!(self.manager.reorderings() > 5, "{}", self.manager.reorderings()),
            _ => assert_eq!(self.manager.reorderings(), 0),
        }
    }
}

/// Runs a test without and with reordering at every opportunity.
fn with_and_without_reordering(test: impl Fn(&Bench)) {
    for reorder in [Reorder::Off, Reorder::Always] {
        let bench = Bench::new(reorder);
        test(&bench);
        bench.finish();
    }
}

/// The value of the table with variable `i` set to `value`, as a table.
fn fix(table: Table, i: usize, value: bool) -> Table {
    (0..8).fold(0, |fixed, a: u8| {
        let b = if value { a | 1 << i } else { a & !(1 << i) };
        fixed | (table >> b & 1) << a
    })
}

#[test]
fn every_table_is_built_and_read_back() {
    with_and_without_reordering(|bench| {
        for table in 0..=255 {
            let function = bench.build(table);
            assert_eq!(bench.table(&function), table);
            assert_eq!(function, bench.build(table), "equal functions are equal handles");
            assert_eq!(function.is_zero(), table == 0);
            assert_eq!(function.is_one(), table == 255);
            let support: Vec<Var> = (0..3)
                .filter(|&i| fix(table, i, true) != fix(table, i, false))
                .map(|i| bench.vars[i])
                .collect();
            assert_eq!(function.support(), support);
        }
    });
}

/// All functions are combined with these.
fn combine(with: impl Iterator<Item = Table> + Clone) {
    with_and_without_reordering(|bench| {
        for a in 0..=255u8 {
            let f = bench.build(a);
            assert_eq!(bench.table(&f.not()), !a);
            for b in with.clone() {
                let g = bench.build(b);
                let expect = |result: Result<Bdd, Stop>, table: Table| {
                    assert_eq!(bench.table(&result.unwrap()), table, "{a:08b} {b:08b}");
                };
                expect(f.and(&g), a & b);
                expect(f.or(&g), a | b);
                expect(f.xor(&g), a ^ b);
                expect(f.iff(&g), !(a ^ b));
                expect(f.implies(&g), !a | b);
                expect(f.and_not(&g), a & !b);
                assert_eq!(f.is_subset(&g).unwrap(), a & !b == 0);
                assert_eq!(f.intersects(&g).unwrap(), a & b != 0);
                let simple = bench.table(&f.simplify_with(&g).unwrap());
                assert_eq!(simple & b, a & b);
                if a & !b == 0 {
                    let between = bench.table(&f.between(&g).unwrap());
                    assert!(a & !between == 0 && between & !b == 0);
                }
            }
        }
    });
}

#[test]
fn binary_operations_with_lower_tables_agree_with_truth_tables() {
    combine(0..=127);
}

#[test]
fn binary_operations_with_upper_tables_agree_with_truth_tables() {
    combine(128..=255);
}

#[test]
fn if_then_else_agrees_with_truth_tables() {
    with_and_without_reordering(|bench| {
        for a in (0..=255u8).step_by(5) {
            for b in (0..=255u8).step_by(7) {
                for c in (0..=255u8).step_by(11) {
                    let (f, g, h) = (bench.build(a), bench.build(b), bench.build(c));
                    assert_eq!(bench.table(&f.ite(&g, &h).unwrap()), a & b | !a & c);
                }
            }
        }
    });
}

#[test]
fn quantification_agrees_with_truth_tables() {
    with_and_without_reordering(|bench| {
        for set in 0..8u8 {
            let cube = bench.manager.cube(&bench.subset(set)).unwrap();
            let over = |table: Table, join: fn(Table, Table) -> Table| {
                (0..3)
                    .filter(|i| set >> i & 1 == 1)
                    .fold(table, |t, i| join(fix(t, i, false), fix(t, i, true)))
            };
            for a in 0..=255u8 {
                let f = bench.build(a);
                assert_eq!(bench.table(&f.exists(&cube).unwrap()), over(a, |x, y| x | y));
                assert_eq!(bench.table(&f.forall(&cube).unwrap()), over(a, |x, y| x & y));
                for b in (0..=255u8).step_by(3) {
                    let g = bench.build(b);
                    assert_eq!(bench.table(&f.and_exists(&g, &cube).unwrap()), over(a & b, |x, y| x | y));
                }
            }
        }
    });
}

#[test]
fn cofactor_and_compose_agree_with_truth_tables() {
    with_and_without_reordering(|bench| {
        for a in 0..=255u8 {
            let f = bench.build(a);
            for (i, &var) in bench.vars.iter().enumerate() {
                for value in [false, true] {
                    assert_eq!(bench.table(&f.cofactor(var, value).unwrap()), fix(a, i, value));
                }
                for b in (0..=255u8).step_by(5) {
                    let composed = f.compose(var, &bench.build(b)).unwrap();
                    assert_eq!(bench.table(&composed), b & fix(a, i, true) | !b & fix(a, i, false));
                }
            }
        }
    });
}

#[test]
fn renaming_permutes_moves_and_merges() {
    with_and_without_reordering(|bench| {
        let v = &bench.vars;
        let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let moving = Renaming::new(v.iter().copied().zip(bench.spare.iter().copied()));
        let merging = Renaming::new([(v[0], v[2]), (v[1], v[1])]);
        assert!(Renaming::new([(v[0], v[0])]).is_identity());
        for a in 0..=255u8 {
            let f = bench.build(a);
            for p in permutations {
                let renaming = Renaming::new((0..3).map(|i| (v[i], v[p[i]])));
                let renamed = f.rename(&renaming).unwrap();
                let seen_from_new_names: Vec<Var> = p.iter().map(|&i| v[i]).collect();
                assert_eq!(bench.table_over(&renamed, &seen_from_new_names), a);
            }
            assert_eq!(bench.table_over(&f.rename(&moving).unwrap(), &bench.spare), a);
            let diagonal = (0..8).fold(0, |t, x: u8| t | (a >> (x & !1 | x >> 2 & 1) & 1) << x);
            assert_eq!(bench.table(&f.rename(&merging).unwrap()), diagonal);
        }
    });
}

#[test]
fn a_renaming_outlives_the_arrival_of_variables() {
    let bench = Bench::new(Reorder::Off);
    let swap = Renaming::new([(bench.vars[0], bench.vars[1]), (bench.vars[1], bench.vars[0])]);
    let f = bench.manager.var(bench.vars[0]);
    assert_eq!(f.rename(&swap).unwrap(), bench.manager.var(bench.vars[1]));
    let late = bench.manager.new_group(1).unwrap()[0];
    let g = f.and(&bench.manager.var(late)).unwrap();
    assert_eq!(g.rename(&swap).unwrap().support(), [bench.vars[1], late]);
}

#[test]
fn counts_and_assignments_agree_with_truth_tables() {
    with_and_without_reordering(|bench| {
        for a in 0..=255u8 {
            let f = bench.build(a);
            assert_eq!(f.count(&bench.vars), BigUint::from(a.count_ones()));
            let mut more = bench.vars.clone();
            more.push(bench.spare[1]);
            assert_eq!(f.count(&more), BigUint::from(2 * a.count_ones()));
            for names in [[0, 1, 2], [2, 0, 1], [2, 1, 0]] {
                let vars = names.map(|i| bench.vars[i]);
                let found: Vec<Vec<bool>> = f.assignments(&vars).collect::<Result<_, _>>().unwrap();
                let holds = |row: &[bool]| {
                    let x = names.iter().zip(row).fold(0, |x, (&i, &value)| x | u8::from(value) << i);
                    a >> x & 1 == 1
                };
                let rows = (0..8u8).map(|n| vec![n & 4 != 0, n & 2 != 0, n & 1 != 0]);
                assert_eq!(found, rows.filter(|row| holds(row)).collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn counting_reaches_thousands_of_variables() {
    let manager = Manager::new(ManagerSettings::default()).unwrap();
    let vars: Vec<Var> = (0..5000).map(|_| manager.new_group(1).unwrap()[0]).collect();
    let mut parity = manager.zero();
    for &var in vars.iter().rev() {
        parity = parity.xor(&manager.var(var)).unwrap();
    }
    assert_eq!(parity.count(&vars), BigUint::from(1u32) << 4999);
    assert_eq!(manager.one().count(&vars), BigUint::from(1u32) << 5000);
    assert_eq!(manager.zero().count(&vars), BigUint::ZERO);
}

#[test]
fn few_of_many_assignments_are_cheap() {
    let manager = Manager::new(ManagerSettings::default()).unwrap();
    let vars = manager.new_group(60).unwrap();
    let mut backwards = vars.clone();
    backwards.reverse();
    let rows: Vec<Vec<bool>> =
        manager.one().assignments(&backwards).take(20).map(|row| row.unwrap()).collect();
    for (n, row) in rows.iter().enumerate() {
        let number = row.iter().fold(0, |number, &bit| number << 1 | usize::from(bit));
        assert_eq!(number, n);
    }
    assert_eq!(rows.len(), 20);
    assert_eq!(manager.one().assignments(&[]).count(), 1);
    assert_eq!(manager.zero().assignments(&[]).count(), 0);
}

#[test]
#[should_panic(expected = "depends on Var(1), which is not given")]
fn counting_over_too_few_variables_is_refused() {
    let manager = Manager::new(ManagerSettings::default()).unwrap();
    let vars = manager.new_group(2).unwrap();
    let both = manager.var(vars[0]).and(&manager.var(vars[1])).unwrap();
    both.count(&vars[..1]);
}

#[test]
#[should_panic(expected = "manager of another")]
fn functions_of_two_managers_do_not_mix() {
    let (one, other) = (
        Manager::new(ManagerSettings::default()).unwrap(),
        Manager::new(ManagerSettings::default()).unwrap(),
    );
    let _ = one.one().and(&other.one());
}

#[test]
fn children_lead_down_to_the_constants() {
    let bench = Bench::new(Reorder::Off);
    for a in 0..=255u8 {
        let f = bench.build(a);
        let Some((var, low, high)) = f.children() else {
            assert!(f.is_constant());
            continue;
        };
        assert_eq!(f.cofactor(var, false).unwrap(), low);
        assert_eq!(f.cofactor(var, true).unwrap(), high);
        assert_eq!(bench.manager.var(var).ite(&high, &low).unwrap(), f);
        assert_eq!(bench.manager.shared_node_count([&f, &low, &high]), f.node_count());
    }
}
