//! Plans are right before any diagram is made: every variable is bound before it is used and forgotten once.

use calculus::check::{self, Options};
use calculus::elaborate::core::{Arg, Core, Rule};
use calculus::elaborate::elaborate;
use calculus::plan::{KeySource, Operation, OperationKind, OutKey, Plan, Planner};
use std::collections::BTreeSet;

fn core(text: &str) -> Core {
    let (mut program, mistakes) = check::load("test.fp", text, &|_, path| Err(format!("no {path}")));
    assert!(mistakes.is_empty(), "{mistakes:?}");
    elaborate(&check::check(&mut program, &Options::default()).expect("no mistakes").0).0
}

const FILES: [&str; 3] = [
    "keyed range Node = 0..5;
     range Value = 0..3;
     rel edge(x, y: Node) = { (0, 1), (1, 2) };
     rel change(v, w: Value) = { (0, 1), (1, 1) };
     mu Reach(x: Node, v: Value) =
         begin: x = 0 & v = 0
       | step: exists y, w. Reach(y, w) & edge(y, x) & change(w, v)
       | both: exists y, w, u. Reach(y, w) & Reach(x, u) & w < v & y = x + 1;
     query Far = exists v. Reach(2, v);",
    "range S = 0..5;
     rel move(x, y: S) = { (0, 1), (1, 2) };
     rel last(x: S) = { 2 };
     mu Win(x: S) = last(x) | (forall y. move(x, y) -> Win(y)) & exists y. move(x, y);
     query Diagonal(x: S) = move(x, x) & !Win(x);",
    "keyed range K = 0..2;
     range S = 0..2;
     rel next(x, y: S) = { (0, 1) };
     nu Safe(x: S, k: K) = exists y. next(x, y) & Safe(y, k);
     query All(x: S, y: S) = Safe(x, 1) & x = y;",
];

/// All plans of a core, from nothing and following each atom.
fn each(core: &Core, mut see: impl FnMut(&Rule, Option<usize>, &Plan)) {
    let planner = Planner::new(core, true);
    for id in core.relations.ids().flat_map(|at| core.rule_ids(at)) {
        let rule = core.rule(id);
        for seed in [None].into_iter().chain((0..rule.atoms.len()).map(Some)) {
            see(rule, seed, &planner.plan(id, seed, &[]));
        }
    }
}

fn forgotten(operation: &Operation) -> BTreeSet<usize> {
    let own = operation.forget.iter().map(|(var, _)| *var);
    match &operation.kind {
        OperationKind::Atom(atom) => own.chain(atom.view.forget.iter().map(|(var, _)| *var)).collect(),
        _ => own.collect(),
    }
}

#[test]
fn every_symbolic_variable_outside_the_head_is_forgotten_once() {
    let mut plans = 0;
    for text in FILES {
        let core = core(text);
        each(&core, |rule, _, plan| {
            plans += 1;
            for (var, scalar) in rule.vars.iter().enumerate() {
                let times = plan.operations.iter().filter(|operation| forgotten(operation).contains(&var));
                let kept = rule.head.contains(&Arg::Var(var)) || core.sorts.is_keyed(scalar.sort);
                assert_eq!(times.count(), usize::from(!kept), "variable {var} of {rule:?} in {plan:?}");
            }
        });
    }
    assert!(plans >= 26, "{plans}");
}

#[test]
fn every_atom_and_condition_is_handled_once_and_the_followed_one_first() {
    for text in FILES {
        each(&core(text), |rule, seed, plan| {
            let (mut atoms, mut conditions) = (Vec::new(), Vec::new());
            for operation in &plan.operations {
                match &operation.kind {
                    OperationKind::Atom(atom) => {
                        assert_eq!(atom.followed, atoms.is_empty() && seed.is_some(), "{plan:?}");
                        atoms.push(atom.atom);
                    }
                    OperationKind::Condition { constraint, .. }
                    | OperationKind::Compute { constraint, .. } => conditions.push(*constraint),
                    OperationKind::Domain { .. } => {}
                }
            }
            if let Some(seed) = seed {
                assert_eq!(atoms[0], seed);
            }
            atoms.sort_unstable();
            conditions.sort_unstable();
            assert!(atoms.into_iter().eq(0..rule.atoms.len()), "{plan:?}");
            assert!(conditions.into_iter().eq(0..rule.constraints.len()), "{plan:?}");
        });
    }
}

#[test]
fn keys_are_bound_before_they_are_used() {
    for text in FILES {
        each(&core(text), |_, _, plan| {
            let mut bound = 0;
            for operation in &plan.operations {
                let mut used = Vec::new();
                match &operation.kind {
                    OperationKind::Atom(atom) => used.extend(atom.keys.iter()),
                    OperationKind::Condition { keys, .. } => {
                        assert!(keys.iter().all(|(_, position)| *position < bound), "{plan:?}");
                    }
                    OperationKind::Compute { other, .. } => {
                        other.vars(&mut |position| assert!(position < bound, "{plan:?}"));
                    }
                    OperationKind::Domain { .. } => {}
                }
                let fits = |key: &&KeySource| !matches!(key, KeySource::Bound(at) if *at >= bound);
                assert!(used.iter().all(fits), "{plan:?}");
                let there = |out: &OutKey| !matches!(out, OutKey::Before(at) if *at >= bound);
                assert!(operation.out.iter().all(there), "{plan:?}");
                bound = operation.out.len();
            }
            let fits = |key: &KeySource| match key {
                KeySource::Const(_) => true,
                KeySource::Bound(at) => *at < bound,
                KeySource::Free | KeySource::Same(_) => false,
            };
            assert!(plan.head.keys.iter().all(fits), "{plan:?}");
        });
    }
}
