use calculus::{check, elaborate, solve};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let (mut program, errors) = check::load(&path, &text, &|_, _| Err("no".into()));
    for e in &errors {
        println!("{:?}", miette::Report::new(e.render(&program.sources)));
    }
    if !errors.is_empty() {
        return;
    }
    let facts = |n: &str| {
        std::fs::read_to_string(format!("{n}.facts")).map(|t| (n.to_string(), t)).map_err(|e| e.to_string())
    };
    let options = check::Options { facts: Some(&facts), ..Default::default() };
    let (system, warnings) = match check::check(&mut program, &options) {
        Ok(x) => x,
        Err(es) => {
            for e in &es {
                println!("{:?}", miette::Report::new(e.render(&program.sources)));
            }
            return;
        }
    };
    let (core, w2) = elaborate::elaborate(&system);
    for e in warnings.iter().chain(&w2) {
        println!("{:?}", miette::Report::new(e.render(&program.sources)));
    }
    for naive in [false, true] {
        let mut settings = solve::Settings {
            list: 20,
            strategy: if naive { solve::Strategy::Naive } else { solve::Strategy::SemiNaive },
            ..Default::default()
        };
        let t = std::time::Instant::now();
        let answer = solve::solve(&system, &core, &mut settings);
        println!("{:?} {:?}", answer.ending, t.elapsed());
        for q in &answer.queries {
            let t = q.tuples.as_ref();
            println!(
                "  {}: {:?}",
                system.queries[q.query].name,
                t.map(|t| (t.count.to_string(), t.rows.iter().take(5).collect::<Vec<_>>()))
            );
        }
        for r in &answer.statistics.relations {
            println!(
                "   {} rounds {} rows {} tuples {} nodes {} {:?}",
                r.title, r.rounds, r.rows, r.tuples, r.nodes, r.time
            );
        }
    }
}
