//! Locks for any number of threads, each of which looks whether another one is inside: a token that goes round, test and
//! set, and Peterson's filter.

/// So many threads in a ring. The one with the token enters, and hands it on.
pub fn ring(threads: usize) -> String {
    let token = |at: usize| format!("t{}", at % threads);
    let names = (0..threads).map(token).chain(["inside".to_string()]).collect::<Vec<_>>();
    let values = names.iter().enumerate().map(|(at, _)| if at == 0 { "T" } else { "F" }).collect::<Vec<_>>();
    let thread = |at: usize| {
        let (own, next) = (token(at), token(at + 1));
        looping(&format!("w{at}"), &format!("assume({own});"), &format!("{own}, {next} := F, T;"))
    };
    program(&names, &values, (0..threads).map(thread))
}

/// So many threads that share one bit, looked at and set in one step.
pub fn test_and_set(threads: usize) -> String {
    let enter = "atomic_begin; assume(!lock); lock := T; atomic_end;";
    let names = ["lock".to_string(), "inside".to_string()];
    program(&names, &["F", "F"], (0..threads).map(|at| looping(&format!("t{at}"), enter, "lock := F;")))
}

/// Peterson's filter lock: a thread climbs level by level, and waits at each while it is the last to have come there
/// and another one is there or above. Levels and threads are numbers.
pub fn filter(threads: usize) -> String {
    let levels = (0..threads).map(|at| format!("level{at}")).collect::<Vec<_>>();
    let last = (1..threads).map(|level| format!("last{level}")).collect::<Vec<_>>();
    let names = levels.iter().chain(&last).collect::<Vec<_>>();
    let mut out = String::new();
    for name in &names {
        out.push_str(&format!("decl {name}: 0..{};\n", threads - 1));
    }
    out.push_str("decl inside;\ninit begin\n");
    names.iter().for_each(|name| out.push_str(&format!("  {name} := 0;\n")));
    out.push_str("  inside := F;\nend\n");
    for own in 0..threads {
        let mut enter = String::new();
        for level in 1..threads {
            enter.push_str(&format!("level{own} := {level}; last{level} := {own};\n"));
            for other in (0..threads).filter(|other| *other != own) {
                enter
                    .push_str(&format!("    assume(!(level{other} >= {level}) | !(last{level} = {own}));\n"));
            }
        }
        out.push_str(&looping(&format!("t{own}"), &enter, &format!("level{own} := 0;")));
    }
    out
}

fn program(names: &[String], values: &[&str], threads: impl Iterator<Item = String>) -> String {
    let (names, values) = (names.join(", "), values.join(", "));
    let head = format!("decl {names};\ninit begin {names} := {values}; end\n");
    threads.fold(head, |text, thread| text + &thread)
}

/// A thread that enters again and again.
fn looping(name: &str, enter: &str, leave: &str) -> String {
    format!(
        "thread {name} begin\n  while (*) do\n    {enter}\n    assert(!inside);\n    inside := T;\n    inside := F;\n    {leave}\n  od\nend\n"
    )
}
