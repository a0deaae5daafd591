//! Groups of variables stay together, and reordering changes no meaning.

use calculus::bdd::{Bdd, Manager, ManagerSettings, Reorder, Var};

fn manager(reorder: Reorder) -> Manager {
    Manager::new(ManagerSettings { reorder, ..ManagerSettings::default() }).unwrap()
}

fn expect_groups_together(manager: &Manager) {
    let order = manager.order();
    assert_eq!(order.len(), manager.variable_count());
    let level = |var: Var| order.iter().position(|&v| v == var).unwrap();
    for &var in &order {
        let levels: Vec<usize> = manager.group_of(var).into_iter().map(level).collect();
        let top = *levels.iter().min().unwrap();
        let upwards = (top..top + levels.len()).rev();
        assert_eq!(levels, upwards.collect::<Vec<_>>(), "group of {var:?} in {order:?}");
    }
}

/// Each of the first variables equals its fellow among the second: small only if fellows are near each other.
fn all_equal(manager: &Manager, first: &[Var], second: &[Var]) -> Bdd {
    first
        .iter()
        .zip(second)
        .fold(manager.one(), |all, (&a, &b)| all.and(&manager.var(a).iff(&manager.var(b)).unwrap()).unwrap())
}

fn groups(manager: &Manager, count: usize, width: usize) -> Vec<Vec<Var>> {
    (0..count).map(|_| manager.new_group(width).unwrap()).collect()
}

fn column(groups: &[Vec<Var>], place: usize) -> Vec<Var> {
    groups.iter().map(|group| group[place]).collect()
}

#[test]
fn reordering_moves_whole_groups_and_shrinks_the_diagram() {
    let manager = manager(Reorder::Off);
    let left = groups(&manager, 10, 2);
    let right = groups(&manager, 10, 3);
    let f = all_equal(&manager, &column(&left, 0), &column(&right, 0));
    let all = manager.order();
    let (size, count) = (f.node_count(), f.count(&all));
    manager.reorder_now().unwrap();
    assert_eq!(manager.reorderings(), 1);
    assert!(f.node_count() * 10 < size, "{} of {size}", f.node_count());
    assert_eq!(f.count(&all), count);
    assert_ne!(manager.order(), all);
    expect_groups_together(&manager);
    assert_eq!(f, all_equal(&manager, &column(&left, 0), &column(&right, 0)));
    assert!(manager.is_consistent());
}

#[test]
fn groups_can_be_extended_between_reorderings() {
    let manager = manager(Reorder::Always);
    let mut all = groups(&manager, 6, 1);
    let mut kept = Vec::new();
    for round in 0..4 {
        let width = all[0].len();
        let half = all.len() / 2;
        let f = all_equal(&manager, &column(&all[..half], width - 1), &column(&all[half..], 0));
        kept.push((f, width, half));
        for (n, group) in all.iter_mut().enumerate() {
            let fresh = manager.extend_group(group[n % group.len()], 1 + round % 2).unwrap();
            group.extend(fresh);
            assert_eq!(manager.group_of(group[0]), *group);
            expect_groups_together(&manager);
        }
        all.extend(groups(&manager, 2, all[0].len()));
        for (f, width, half) in &kept {
            let again =
                all_equal(&manager, &column(&all[..*half], width - 1), &column(&all[*half..2 * half], 0));
            assert_eq!(*f, again);
        }
        manager.reorder_now().unwrap();
        expect_groups_together(&manager);
    }
    assert!(manager.reorderings() > 10, "{}", manager.reorderings());
    assert!(manager.is_consistent());
}

#[test]
fn automatic_reordering_rescues_a_bad_order() {
    let manager = manager(Reorder::Auto);
    let (left, right) = (column(&groups(&manager, 18, 1), 0), column(&groups(&manager, 18, 1), 0));
    // So many nodes that the reordering begins before the last two pairs: all later it would take longer.
    let crossed: Vec<Var> = right.iter().rev().copied().collect();
    let _more = all_equal(&manager, &left[..11], &crossed[..11]);
    // 3 · 2^18 nodes in the order given.
    let f = all_equal(&manager, &left, &right);
    assert!(manager.reorderings() > 0);
    assert!(f.node_count() < 10_000, "{}", f.node_count());
    assert!(manager.stats().peak_nodes < 400_000, "{}", manager.stats().peak_nodes);
}

#[test]
fn the_order_can_be_set() {
    let manager = manager(Reorder::Off);
    let all = groups(&manager, 4, 2);
    let f = all_equal(&manager, &column(&all[..2], 0), &column(&all[2..], 0));
    let count = f.count(&manager.order());
    let wanted: Vec<Var> = [3, 1, 0, 2].iter().flat_map(|&n: &usize| all[n].iter().copied()).collect();
    manager.set_order(&wanted).unwrap();
    assert_eq!(manager.order(), wanted);
    assert_eq!(f.count(&wanted), count);
    assert_eq!(f, all_equal(&manager, &column(&all[..2], 0), &column(&all[2..], 0)));
    manager.reorder_now().unwrap();
    assert!(manager.is_consistent());
    let order = manager.order();
    for group in &all {
        let at = order.iter().position(|var| group.contains(var)).unwrap();
        assert_eq!(order[at..at + 2], group[..], "order within a group is kept");
    }
}

#[test]
#[should_panic(expected = "separates")]
fn an_order_that_tears_a_group_apart_is_refused() {
    let manager = manager(Reorder::Off);
    let all = groups(&manager, 2, 2);
    let _ = manager.set_order(&[all[0][0], all[1][0], all[0][1], all[1][1]]);
}

#[test]
fn hundreds_of_groups_are_made_extended_and_reordered_quickly() {
    let start = std::time::Instant::now();
    let manager = manager(Reorder::Off);
    let mut all = groups(&manager, 500, 2);
    for group in &mut all {
        let fresh = manager.extend_group(group[0], 1).unwrap();
        group.extend(fresh);
    }
    let f = all_equal(&manager, &column(&all, 0), &column(&all, 2));
    let size = f.node_count();
    manager.reorder_now().unwrap();
    assert_eq!(f.node_count(), size);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

/// All but one of the variables, joined in pairs from the left.
fn all_but(manager: &Manager, vars: &[Var], without: usize) -> Bdd {
    let others = vars.iter().enumerate().filter(|(at, _)| *at != without);
    let mut parts = others.map(|(_, &var)| manager.var(var)).collect::<Vec<_>>();
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| pair[0].or(&pair[pair.len() - 1]).unwrap());
        parts = pairs.collect();
    }
    parts.remove(0)
}

/// Before the first swap, CUDD looks at each pair of variables, and at all variables for each variable of each function.
#[test]
fn repro_many_variables_are_not_reordered_for_little_work() {
    for (count, functions) in [(40_000, 300), (2_000, 600)] {
        let manager = manager(Reorder::Auto);
        let vars = column(&groups(&manager, count, 1), 0);
        let kept =
            (0..functions).map(|at| all_but(&manager, &vars[..2_000], 2_000 - 1 - at)).collect::<Vec<_>>();
        assert!(kept.iter().all(|f| f.node_count() == 2_000));
        let stats = manager.stats();
        assert!(stats.live_nodes > 250_000, "{count} variables: {} nodes", stats.live_nodes);
        assert_eq!(stats.reorderings, 0, "{count} variables");
    }
}
